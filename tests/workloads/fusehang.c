// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A file system whose server stops answering, and what that does to those who look:
 *
 *     fusehang exec DIR N [MS]    mounts it on DIR in a user and mount namespace of its own; N children, one after the other
 *                            and for ever, work for MS (50) ms and then exec with a close-on-exec descriptor on it:
 *                            its FLUSH is never answered, and they stay in the exec, with its lock held
 *     fusehang users DIR N MS    the same of N users, with four children each; a line for each
 *                            child that hangs
 *     fusehang serve DIR PROGRAM ARG…    mounts it on DIR with PROGRAM's copy as DIR/file0, runs that, and answers no
 *                            READ from SIGUSR1 on (to the process that was started)
 *     fusehang slow DIR N MS PROGRAM ARG…    the same with N of them, DIR/file0 and so on, and answers each READ MS ms
 *                            late
 *     fusehang flush DIR PROGRAM ARG…    as serve, and answers no FLUSH instead
 *     fusehang open DIR N PROGRAM ARG…    as serve with N of them, and answers no OPEN instead
 *
 * The protocol is that of linux/fuse.h, answered as little as will do. $FUSE: the device, if that
 * isn't /dev/fuse. Ends with the process that was started.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/fuse.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FILE_ID = 2, BUFFER = 256 * 1024 };

static int content = -1; /* what the file is a copy of */
static off_t content_size = 8;
static volatile sig_atomic_t silent;
static long late_ms; /* instead of silence */
static uint32_t unanswered = FUSE_READ;
static bool never_flushes;

static void die(const char *what)
{
	fprintf(stderr, "fusehang: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(path);
	close(fd);
}

static void own_namespaces(void)
{
	char map[64];
	uid_t uid = getuid();
	gid_t gid = getgid();

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		die("unshare");
	write_file("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %d 1", uid);
	write_file("/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "0 %d 1", gid);
	write_file("/proc/self/gid_map", map);
}

static int mount_it(const char *dir, const char *more)
{
	char options[128];
	const char *device = getenv("FUSE") ? getenv("FUSE") : "/dev/fuse";
	int fd = open(device, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		die(device);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0%s", fd, more);
	if (mount("hang", dir, "fuse", MS_NODEV, options) < 0)
		die("mount");
	return fd;
}

static void answer(int fd, uint64_t unique, int error, const void *body, size_t len)
{
	static char out[BUFFER + sizeof(struct fuse_out_header)];
	struct fuse_out_header h = {(uint32_t)(sizeof(h) + len), -error, unique};

	memcpy(out, &h, sizeof(h));
	if (len)
		memcpy(out + sizeof(h), body, len);
	if (write(fd, out, h.len) < 0 && errno != ENOENT)
		exit(0);
}

static struct fuse_attr attr_of(uint64_t node)
{
	bool dir = node == FUSE_ROOT_ID;

	return (struct fuse_attr){
		.ino = node,
		.size = dir ? 0 : (uint64_t)content_size,
		.mode = dir ? S_IFDIR | 0755 : S_IFREG | 0755,
		.nlink = 1,
		.blksize = 4096,
	};
}

static void answer_read(int fd, const struct fuse_in_header *in, const struct fuse_read_in *r)
{
	static char data[BUFFER];
	bool slow = silent && late_ms;
	ssize_t n;

	if (silent && !slow && unanswered == FUSE_READ)
		return;
	if (slow && fork() > 0)
		return; /* the others need not wait for that */
	if (slow)
		usleep((useconds_t)late_ms * 1000);
	n = content < 0 ? 0 : pread(content, data, r->size, (off_t)r->offset);
	answer(fd, in->unique, 0, data, n > 0 ? (size_t)n : 0);
	if (slow)
		_exit(0);
}

/* "file7" */
static uint64_t number_in(const void *name)
{
	const char *digits = (const char *)name + strcspn(name, "0123456789");

	return strtoull(digits, NULL, 10);
}

static void answer_one(int fd, const struct fuse_in_header *in)
{
	const struct fuse_init_out init = {.major = FUSE_KERNEL_VERSION,
					   .minor = FUSE_KERNEL_MINOR_VERSION,
					   .max_readahead = 4096,
					   .max_write = 4096};
	const uint64_t node = FILE_ID + (in->opcode == FUSE_LOOKUP ? number_in(in + 1) : 0);
	const struct fuse_entry_out entry = {.nodeid = node,
					     .entry_valid = 600,
					     .attr_valid = 600,
					     .attr = attr_of(node)};
	const struct fuse_attr_out attr = {.attr_valid = 600, .attr = attr_of(in->nodeid)};
	const struct fuse_open_out opened = {.fh = 1, .open_flags = late_ms ? FOPEN_DIRECT_IO : 0};

	switch (in->opcode) {
	case FUSE_INIT:
		answer(fd, in->unique, 0, &init, sizeof(init));
		return;
	case FUSE_LOOKUP:
		answer(fd, in->unique, 0, &entry, sizeof(entry));
		return;
	case FUSE_GETATTR:
		answer(fd, in->unique, 0, &attr, sizeof(attr));
		return;
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		if (!silent || unanswered != FUSE_OPEN)
			answer(fd, in->unique, 0, &opened, sizeof(opened));
		return;
	case FUSE_READ:
		answer_read(fd, in, (const void *)(in + 1));
		return;
	case FUSE_FLUSH:
		if (never_flushes)
			dprintf(1, "hangs\n");
		else if (!(silent && unanswered == FUSE_FLUSH))
			answer(fd, in->unique, 0, NULL, 0);
		return;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		return;
	default:
		answer(fd, in->unique, ENOSYS, NULL, 0);
	}
}

static void be_silent(int signo)
{
	(void)signo;
	silent = 1;
}

/* A process of its own: who waits for it must not be it. */
static void serve(int fd)
{
	static char request[BUFFER];
	struct sigaction on = {.sa_handler = be_silent};

	sigaction(SIGUSR1, &on, NULL);
	sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		ssize_t n = read(fd, request, sizeof(request));

		if (n < 0 && errno != EINTR && errno != ENOENT)
			exit(0);
		if (n >= (ssize_t)sizeof(struct fuse_in_header))
			answer_one(fd, (const void *)request);
	}
}

static pid_t start_server(int fd)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid == 0)
		serve(fd);
	close(fd);
	return pid;
}

static void work_ms(long ms)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < ms);
}

/* Works, so that it is sampled, maps code that nobody knows, which is to be looked at, and never
 * comes back. */
static void hang_in_exec(const char *dir, int number, long ms)
{
	char file[4096];
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(file, sizeof(file), "%s/file%d", dir, number);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die(file);
	work_ms(ms);
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	execl("/proc/self/exe", "fusehang", "work", NULL);
	exit(1);
}

static void run_exec(const char *dir, int n, long ms)
{
	never_flushes = true;
	own_namespaces();
	start_server(mount_it(dir, ""));
	puts("ready");
	fflush(stdout);
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0)
			hang_in_exec(dir, i, ms);
		work_ms(20);
	}
	for (;;)
		work_ms(1000);
}

static _Noreturn void be_user(int number, const char *dir, long ms)
{
	const uid_t id = (uid_t)(61000 + number);

	if (setgroups(0, NULL) < 0 || setresgid(id, id, id) < 0 || setresuid(id, id, id) < 0)
		die("setuid");
	prctl(PR_SET_DUMPABLE, 1); /* or its namespaces would be root's */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	never_flushes = true;
	own_namespaces();
	start_server(mount_it(dir, ""));
	for (int i = 0; i < 4; i++) {
		if (fork() == 0)
			hang_in_exec(dir, i, ms);
	}
	for (;;)
		pause();
}

static int run_users(const char *dir, int n, long ms)
{
	for (int i = 0; i < n; i++) {
		if (fork() == 0)
			be_user(i, dir, ms);
	}
	while (wait(NULL) > 0)
		;
	return 1;
}

static pid_t server;

static void pass_on(int signo)
{
	kill(server, signo);
}

static int run_serve(const char *dir, int n, char **argv)
{
	struct sigaction on = {.sa_handler = pass_on};
	struct stat st;
	char file[4096];

	content = open(argv[0], O_RDONLY | O_CLOEXEC);
	if (content < 0 || fstat(content, &st) < 0)
		die(argv[0]);
	content_size = st.st_size;
	server = start_server(mount_it(dir, ",allow_other"));
	sigaction(SIGUSR1, &on, NULL);
	for (int i = 0; i < n; i++) {
		snprintf(file, sizeof(file), "%s/file%d", dir, i);
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			execv(file, argv);
			die(file);
		}
	}
	while (wait(NULL) > 0 || errno == EINTR)
		;
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 3 && strcmp(argv[1], "exec") == 0)
		run_exec(argv[2], (int)strtol(argv[3], NULL, 10),
			 argc > 4 ? strtol(argv[4], NULL, 10) : 50);
	if (argc > 4 && strcmp(argv[1], "users") == 0)
		return run_users(argv[2], (int)strtol(argv[3], NULL, 10),
				 strtol(argv[4], NULL, 10));
	if (argc > 3 && strcmp(argv[1], "serve") == 0)
		return run_serve(argv[2], 1, argv + 3);
	if (argc > 5 && strcmp(argv[1], "slow") == 0) {
		late_ms = strtol(argv[4], NULL, 10);
		return run_serve(argv[2], (int)strtol(argv[3], NULL, 10), argv + 5);
	}
	if (argc > 3 && strcmp(argv[1], "flush") == 0) {
		unanswered = FUSE_FLUSH;
		return run_serve(argv[2], 1, argv + 3);
	}
	if (argc > 4 && strcmp(argv[1], "open") == 0) {
		unanswered = FUSE_OPEN;
		return run_serve(argv[2], (int)strtol(argv[3], NULL, 10), argv + 4);
	}
	if (argc > 1 && strcmp(argv[1], "work") == 0)
		return 0;
	fprintf(stderr, "usage: fusehang exec DIR N [MS] | users DIR N MS |"
			" serve DIR PROGRAM ARG... | slow DIR N MS PROGRAM ARG... |"
			" flush DIR PROGRAM ARG... | open DIR N PROGRAM ARG...\n");
	return 2;
}
