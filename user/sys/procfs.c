// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"

char *file_read(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct buf text = {0};
	char chunk[16384];
	ssize_t n;

	if (fd < 0)
		return NULL;
	while ((n = read(fd, chunk, sizeof(chunk))) > 0)
		buf__add(&text, chunk, (size_t)n);
	if (n < 0) {
		int saved = errno;

		buf__done(&text);
		errno = saved;
		return NULL;
	}
	return buf__take(&text);
}

char *file_read_line(const char *path)
{
	char *text = file_read(path);

	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

uint64_t file_read_u64(const char *path, uint64_t otherwise)
{
	_cleanup_free_ char *text = file_read(path);
	const char *p = text;
	uint64_t value;

	return text && num__take_u64(&p, &value) ? value : otherwise;
}

/* The kernel writes a newline in a name as \012, and nothing else so: not even a backslash. */
static void unescape_newlines(char *s)
{
	char *out = s;

	while (*s) {
		if (strncmp(s, "\\012", 4) == 0) {
			*out++ = '\n';
			s += 4;
		} else {
			*out++ = *s++;
		}
	}
	*out = '\0';
}

static bool take_char(const char **p, char c)
{
	if (**p != c)
		return false;
	(*p)++;
	return true;
}

/* 55d0c1a2b000-55d0c1a2d000 r-xp 00002000 fd:01 1234      /usr/bin/true */
static bool parse_map(char *line, struct map_line *ret, bool *ret_exec)
{
	static const char deleted[] = " (deleted)";
	const char *p = line;
	uint64_t major, minor;
	size_t len;

	if (!num__take_hex(&p, &ret->start) || !take_char(&p, '-') ||
	    !num__take_hex(&p, &ret->end) || !take_char(&p, ' ') || strnlen(p, 5) < 5)
		return false;
	*ret_exec = p[2] == 'x';
	p += 4;
	if (!take_char(&p, ' ') || !num__take_hex(&p, &ret->file_off) || !take_char(&p, ' ') ||
	    !num__take_hex(&p, &major) || !take_char(&p, ':') || !num__take_hex(&p, &minor) ||
	    !take_char(&p, ' ') || !num__take_u64(&p, &ret->inode))
		return false;
	ret->dev_major = (uint32_t)major;
	ret->dev_minor = (uint32_t)minor;
	while (*p == ' ')
		p++;
	ret->path = p;
	unescape_newlines(line + (p - line));
	len = strlen(p);
	if (len > sizeof(deleted) && strcmp(p + len - (sizeof(deleted) - 1), deleted) == 0)
		line[(size_t)(p - line) + len - (sizeof(deleted) - 1)] = '\0';
	return ret->start < ret->end;
}

bool procfs_parse_map(char *line, struct map_line *ret)
{
	bool exec;

	return parse_map(line, ret, &exec) && exec;
}

bool procfs_parse_any_map(char *line, struct map_line *ret)
{
	bool exec;

	return parse_map(line, ret, &exec);
}

static int compare_tids(const void *a, const void *b)
{
	return CMP3(*(const pid_t *)a, *(const pid_t *)b);
}

int procfs_threads(pid_t tgid, pid_t **ret_tids)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/task", tgid);
	_cleanup_closedir_ DIR *dir = opendir(path);
	_cleanup_free_ pid_t *tids = NULL;
	size_t n = 0, cap = 0;
	struct dirent *entry;
	int tid;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		if (num__parse_int(entry->d_name, 1, INT32_MAX, &tid) < 0)
			continue;
		GROW(tids, n, cap);
		tids[n++] = tid;
	}
	if (!n)
		return -ESRCH;
	qsort(tids, n, sizeof(*tids), compare_tids);
	*ret_tids = TAKE_PTR(tids);
	return (int)n;
}

uint64_t procfs_ran_ns(pid_t tid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/schedstat", tid);

	return file_read_u64(path, 0);
}

/* The last number of a line such as "NSpid:	4242	17". */
static uint64_t last_number(const char *line)
{
	uint64_t value = 0;

	while (*line && *line != '\n') {
		if (!num__take_u64(&line, &value))
			line++;
	}
	return value;
}

static const char *status_field(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? at + strlen(key) : NULL;
}

int procfs_parse_status(const char *text, struct proc_status *ret)
{
	const char *tgid = status_field(text, "\nTgid:");
	const char *ns = status_field(text, "\nNStgid:");
	const char *uid = status_field(text, "\nUid:");
	uint64_t ignored, euid = 0;

	if (!tgid || !uid)
		return -EIO;
	ret->tgid = (pid_t)last_number(tgid);
	ret->ns_tgid = ns ? (pid_t)last_number(ns) : ret->tgid;
	while (*uid == '\t')
		uid++;
	if (!num__take_u64(&uid, &ignored) || *uid++ != '\t' || !num__take_u64(&uid, &euid))
		return -EIO;
	ret->euid = (uid_t)euid;
	return 0;
}

int procfs_status(pid_t tid, struct proc_status *ret)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/status", tid);
	_cleanup_free_ char *text = file_read(path);

	if (!text)
		return errno == ENOENT ? -ESRCH : -errno;
	return procfs_parse_status(text, ret);
}

bool procfs_task_exists(pid_t tid)
{
	return tid > 0 && (kill(tid, 0) == 0 || errno == EPERM);
}

static bool has_ended(pid_t tid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/status", tid);
	_cleanup_free_ char *text = file_read(path);
	const char *state = text ? status_field(text, "\nState:\t") : NULL;

	return !state || *state == 'Z' || *state == 'X';
}

pid_t procfs_living_thread(pid_t tgid)
{
	enum { LOOK_AT = 64 }; /* those that a tracer doesn't reap */
	_cleanup_free_ pid_t *tids = NULL;
	int n = has_ended(tgid) ? procfs_threads(tgid, &tids) : 0;

	for (int i = 0; i < n && i < LOOK_AT; i++) {
		if (tids[i] != tgid && !has_ended(tids[i]))
			return tids[i];
	}
	return tgid;
}

uint32_t procfs_nested_pid_namespace(void)
{
	enum { FIRST_PID_NAMESPACE = 0xeffffffc }; /* PROC_PID_INIT_INO */
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) < 0 || st.st_ino == FIRST_PID_NAMESPACE)
		return 0;
	return (uint32_t)st.st_ino;
}

bool procfs_is_ours(void)
{
	char self[16] = {0};
	int pid;

	return readlink("/proc/self", self, sizeof(self) - 1) > 0 &&
	       num__parse_int(self, 1, INT32_MAX, &pid) == 0 && pid == getpid();
}

/* cpu3 user nice system idle iowait … */
static void parse_idle(const char *line, uint64_t tick_ns, uint64_t *idle, int n_cpus)
{
	uint64_t cpu, field[5] = {0};

	if (strncmp(line, "cpu", 3) != 0)
		return;
	line += 3;
	if (!num__take_u64(&line, &cpu) || cpu >= (uint64_t)n_cpus)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(field); i++) {
		while (*line == ' ')
			line++;
		if (!num__take_u64(&line, &field[i]))
			return;
	}
	idle[cpu] = (field[3] + field[4]) * tick_ns;
}

int procfs_idle_ns(uint64_t *ret_idle, int n_cpus)
{
	_cleanup_free_ char *text = file_read("/proc/stat");
	uint64_t tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	char *line, *rest = text;

	if (!text)
		return -errno;
	while ((line = strsep(&rest, "\n")))
		parse_idle(line, tick_ns, ret_idle, n_cpus);
	return 0;
}

/* "0.20 0.18 0.12 1/80 11206" */
uint64_t procfs_wanting(void)
{
	_cleanup_free_ char *text = file_read("/proc/loadavg");
	const char *at = text;
	uint64_t n;

	for (int i = 0; i < 3 && at; i++)
		at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL;
	return at && num__take_u64(&at, &n) ? n : 0;
}
