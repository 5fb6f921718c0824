// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/held.h"

#include <dirent.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "pmubpf/budgets.h"
#include "sys/procfs.h"

enum { LEVELS_MAX = 32, CLIENTS_MAX = 64, ENGINES_MAX = 32 };

/* Where hierarchies that have CPU quotas are mounted: v2, and v1's cpu. */
static const char *const mounts[] = {
	"/sys/fs/cgroup",
	"/sys/fs/cgroup/unified",
	"/sys/fs/cgroup/cpu",
	"/sys/fs/cgroup/cpu,cpuacct",
};

static uint64_t number_at(const char *text)
{
	char digits[24];
	uint64_t value;

	text += strspn(text, " \t");
	snprintf(digits, sizeof(digits), "%.*s", (int)strspn(text, "0123456789"), text);
	return num__parse_u64(digits, &value) == 0 ? value : 0;
}

/* The number behind "KEY " (or "KEY:") at the beginning of a line; 0: it isn't there. */
static uint64_t number_behind(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) == 0)
			return number_at(line + len);
	}
	return 0;
}

static uint64_t throttled_ns(const char *path)
{
	_cleanup_free_ char *text = file_read(path);
	uint64_t usec = text ? number_behind(text, "throttled_usec ") : 0;

	return usec ? usec * 1000 : text ? number_behind(text, "throttled_time ") : 0;
}

/* The cgroup and those above it, but for the root, which has no quota. */
static void add_levels(struct held *held, const char *root, const char *mount, const char *cgroup)
{
	_cleanup_free_ char *path = xstrdup(cgroup);
	size_t before = held->n;

	for (int level = 0; level < LEVELS_MAX && strlen(path) > 1; level++) {
		char *file = xasprintf("%s%s%s/cpu.stat", root, mount, path);
		char *slash = strrchr(path, '/');

		if (access(file, R_OK) == 0) {
			GROW(held->levels, held->n, held->cap);
			held->levels[held->n++] =
				(struct held_level){.stat = file, .group = held->n_groups};
		} else {
			free(file);
		}
		if (!slash)
			break;
		*slash = '\0';
	}
	held->n_groups += held->n > before;
}

static bool is_there(const struct held *held, const char *root, const char *mount,
		     const char *cgroup)
{
	_cleanup_free_ char *file = xasprintf("%s%s%s/cpu.stat", root, mount, cgroup);

	for (size_t i = 0; i < held->n; i++) {
		bool lowest = !i || held->levels[i].group != held->levels[i - 1].group;

		if (lowest && strcmp(held->levels[i].stat, file) == 0)
			return true;
	}
	return false;
}

static void add_everywhere(struct held *held, const char *root, const char *cgroup)
{
	for (size_t i = 0; i < ARRAY_SIZE(mounts); i++) {
		if (held->n_groups < HELD_GROUPS_MAX && !is_there(held, root, mounts[i], cgroup))
			add_levels(held, root, mounts[i], cgroup);
	}
}

/* "1:cpu,cpuacct:/docker/4f…" or "0::/user.slice" */
static void add_of_process(struct held *held, const char *root, pid_t pid)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/%d/cgroup", root, pid);
	_cleanup_free_ char *text = file_read(path);
	char *rest = text, *line;

	while (rest && (line = strsep(&rest, "\n"))) {
		char *list = strchr(line, ':');
		char *cgroup = list ? strchr(list + 1, ':') : NULL;

		if (!cgroup)
			continue;
		*cgroup++ = '\0';
		if (!list[1] || strncmp(list, ":cpu", 4) == 0)
			add_everywhere(held, root, cgroup);
	}
}

/* An engine's time is that of the client that has the descriptor, which several may be of. */
struct engines {
	uint64_t clients[CLIENTS_MAX];
	size_t n_clients;
	struct engine {
		char name[32];
		uint64_t ns;
	} list[ENGINES_MAX];
	size_t n;
};

static void add_engine(struct engines *e, const char *name, size_t len, uint64_t ns)
{
	size_t i = 0;

	while (i < e->n && (strncmp(e->list[i].name, name, len) != 0 || e->list[i].name[len]))
		i++;
	if (i == e->n) {
		if (e->n == ENGINES_MAX || len >= sizeof(e->list[i].name))
			return;
		memcpy(e->list[e->n++].name, name, len);
	}
	e->list[i].ns += ns;
}

static void add_client(struct engines *e, const char *text)
{
	static const char key[] = "drm-engine-";
	uint64_t client = number_behind(text, "drm-client-id:");

	for (size_t i = 0; i < e->n_clients; i++) {
		if (e->clients[i] == client)
			return;
	}
	if (e->n_clients == CLIENTS_MAX)
		return;
	e->clients[e->n_clients++] = client;
	for (const char *line = text; line; line = strchr(line, '\n')) {
		size_t len;

		line += *line == '\n';
		if (strncmp(line, key, sizeof(key) - 1) != 0)
			continue;
		len = strcspn(line, ":\n");
		/* how many of them there are has a line of the same kind */
		if (line[len] == ':' && strncmp(line, "drm-engine-capacity-", 20) != 0)
			add_engine(e, line, len, number_at(line + len + 1));
	}
}

/* Of what else a process has open the kernel may have much to say. */
static bool is_gpu(const char *process, const char *fd)
{
	static const char prefix[] = "/dev/dri/";
	_cleanup_free_ char *path = xasprintf("%s/fd/%s", process, fd);
	char file[sizeof(prefix) - 1];
	ssize_t n = readlink(path, file, sizeof(file));

	return n == sizeof(file) && memcmp(file, prefix, sizeof(file)) == 0;
}

static uint64_t gpu_ns(struct held *held)
{
	_cleanup_free_ char *fds = xasprintf("%s/fd", held->process);
	_cleanup_free_ struct engines *e = xcalloc(1, sizeof(*e));
	DIR *dir = opendir(fds);
	struct dirent *entry;
	uint64_t most = 0;

	for (int i = 0; dir && i < BUDGET_GPU_FDS && (entry = readdir(dir)); i++) {
		_cleanup_free_ char *path = NULL, *text = NULL;

		if (!is_gpu(held->process, entry->d_name))
			continue;
		held->has_gpu = true;
		path = xasprintf("%s/fdinfo/%s", held->process, entry->d_name);
		text = file_read(path);
		if (text)
			add_client(e, text);
	}
	if (dir)
		closedir(dir);
	for (size_t i = 0; i < e->n; i++)
		most = e->list[i].ns > most ? e->list[i].ns : most;
	return most;
}

void held__add(struct held *held, const char *root, const char *cgroup, pid_t pid)
{
	if (cgroup)
		add_everywhere(held, root, cgroup);
	else
		add_of_process(held, root, pid);
}

void held__begin(struct held *held, const char *root, pid_t pid)
{
	uint64_t ignored;

	if (pid)
		held->process = xasprintf("%s/proc/%d", root, pid);
	held__since(held, &ignored, &ignored);
}

/* Since it was asked before. */
static uint64_t withheld_ns(struct held_level *level)
{
	uint64_t now = throttled_ns(level->stat);
	uint64_t since = now > level->before ? now - level->before : 0;

	level->before = now;
	return since;
}

void held__since(struct held *held, uint64_t *ret_throttled, uint64_t *ret_gpu)
{
	uint64_t gpu = held->process ? gpu_ns(held) : 0, sum = 0, most = 0;

	for (size_t i = 0; i < held->n; i++) {
		uint64_t since = withheld_ns(&held->levels[i]);

		if (i && held->levels[i].group != held->levels[i - 1].group) {
			sum += most;
			most = 0;
		}
		most = since > most ? since : most;
	}
	*ret_throttled = sum + most;
	*ret_gpu = gpu > held->gpu_before ? gpu - held->gpu_before : 0;
	held->gpu_before = gpu;
}

void held__done(struct held *held)
{
	for (size_t i = 0; i < held->n; i++)
		free(held->levels[i].stat);
	free(held->levels);
	free(held->process);
	*held = (struct held){0};
}
