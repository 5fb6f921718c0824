// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * crowd WHAT N [SECONDS=2]: much of one thing, then a line "ready", and crowd_spin for SECONDS of
 * CPU time.
 *
 *	mappings	N mappings with code in them, of one page each, that the kernel can't merge
 *	devices		the same of a device, which no profiler may open
 *	nodes		the same of N devices, made in $CROWD_NODES, one mapping each
 *	deep		the same of a file below $CROWD_DEEP whose path has 3,500 bytes
 *	threads		N threads, all of which spin a little in crowd_thread and then wait for the end
 *	forks		N processes in all, each of which starts two others, no more than 300 at a time, or those of
 *			10 s; each spins for 50 µs in crowd_child. Prints "forked N".
 *	zombies		N children that have ended and that nobody asks after
 *	lives		N children, one after the other, that end at once, with some pauses
 *	cgroups		N cgroups below $CROWD_CGROUP, made and removed one after the other, with a process in each that
 *			spins for 2 ms in crowd_child
 *	words		starts itself anew with N bytes of arguments, and only spins
 *	pids		N times the same process id: a child with that id (clone3) spins for 20 ms in first_owner if it
 *			is an even one's turn, else in next_owner, under the comm of that name. Prints the CPU time of
 *			both, "first_owner NS next_owner NS".
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "spin.h"

enum { AT_A_TIME = 300, WORD_BYTES = 100000, FORK_SECONDS = 10 };

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

SPINS(crowd_spin)
SPINS(crowd_child)
SPINS(first_owner)
SPINS(next_owner)

/* Every other one may not be executed, so that no two are one. */
static void mappings(long n, const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	for (long i = 0; i < n; i++) {
		int prot = i % 2 ? PROT_READ | PROT_EXEC : PROT_READ | PROT_EXEC | PROT_WRITE;

		if (mmap(NULL, 4096, prot, MAP_PRIVATE, fd, 0) == MAP_FAILED)
			fail("mmap");
	}
	close(fd);
}

static void nodes(long n, const char *dir)
{
	char name[32];

	if (!dir || chdir(dir) < 0)
		fail("CROWD_NODES");
	for (long i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%ld", i);
		if (mknod(name, S_IFCHR | 0666, makedev(1, 5)) < 0)
			fail(name);
		mappings(1, name);
	}
}

/* The path is made of folders that are entered one by one, as no call takes it whole. */
static void deep(long n, const char *dir)
{
	char name[251];
	int fd;

	memset(name, 'd', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	if (!dir || chdir(dir) < 0)
		fail("CROWD_DEEP");
	for (int i = 0; i < 14; i++) {
		if (mkdir(name, 0755) < 0 || chdir(name) < 0)
			fail(name);
	}
	fd = open("file", O_RDWR | O_CREAT | O_CLOEXEC, 0755);
	if (fd < 0 || ftruncate(fd, 4096) < 0)
		fail("file");
	mappings(n, "file");
}

static sem_t started;

WORK static void *crowd_thread(void *ignored)
{
	(void)ignored;
	burn(50000);
	sem_post(&started);
	for (;;)
		pause();
	return NULL;
}

static void threads(long n)
{
	pthread_attr_t attr;
	pthread_t thread;

	sem_init(&started, 0, 0);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 * 1024);
	for (long i = 0; i < n; i++) {
		errno = pthread_create(&thread, &attr, crowd_thread, NULL);
		if (errno)
			fail("pthread_create");
	}
	for (long i = 0; i < n; i++)
		sem_wait(&started);
}

struct bomb {
	sem_t room;
	long left;
	time_t end; /* where a fork takes milliseconds */
};

static int take_one(struct bomb *b)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec < b->end && __atomic_sub_fetch(&b->left, 1, __ATOMIC_SEQ_CST) >= 0;
}

/* Whoever comes here has been counted and has room: one child gets its, the other one needs its
 * own. */
static void explode(struct bomb *b)
{
	for (;;) {
		prctl(PR_SET_NAME, "bomb");
		crowd_child(50000);
		if (sem_trywait(&b->room) == 0) {
			if (!take_one(b))
				sem_post(&b->room);
			else if (fork() == 0)
				continue;
		}
		if (!take_one(b))
			sem_post(&b->room);
		else if (fork() == 0)
			continue;
		_exit(0);
	}
}

/* Its orphans become its own. */
static void forks(long n)
{
	struct bomb *b =
		mmap(NULL, sizeof(*b), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct timespec now;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sem_init(&b->room, 1, AT_A_TIME);
	clock_gettime(CLOCK_MONOTONIC, &now);
	b->end = now.tv_sec + FORK_SECONDS;
	b->left = n - 1;
	if (fork() == 0)
		explode(b);
	while (wait(NULL) > 0)
		;
	printf("forked %ld\n", n - (b->left > 0 ? b->left : 0));
}

static void zombies(long n)
{
	for (long i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid < 0 || waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT) < 0)
			fail("fork");
	}
}

static void lives(long n)
{
	for (long i = 1; i <= n; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) < 0)
			fail("fork");
		if (i % 2000 == 0)
			usleep(300000);
	}
}

static void words(long n, char *self)
{
	long count = n / WORD_BYTES + 1;
	char **args = calloc((size_t)count + 8, sizeof(*args)), *word = malloc(WORD_BYTES);
	struct rlimit stack = {64 << 20, RLIM_INFINITY};
	char *empty[] = {NULL};

	memset(word, ';', WORD_BYTES - 1);
	memcpy(word, "\n\033[31mroot 7\n", 13);
	word[WORD_BYTES - 1] = '\0';
	args[0] = self;
	args[1] = "spin";
	args[2] = "0";
	args[3] = "2";
	for (long i = 0; i < count; i++)
		args[4 + i] = word;
	setrlimit(RLIMIT_STACK,
		  &stack); /* a quarter of it is what arguments may have, 6 MB at most */
	execve("/proc/self/exe", args, empty);
	fail("execve");
}

/* A cgroup that is called as a container of Docker's would be, with a process in it, and gone
 * again. */
static void one_cgroup(const char *root, long i)
{
	char path[512], procs[600];
	int fd;

	snprintf(path, sizeof(path), "%s/docker-%08lx%056d.scope", root, i + 1, 0);
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", path);
	if (mkdir(path, 0755) < 0)
		fail(path);
	if (fork() == 0) {
		fd = open(procs, O_WRONLY | O_CLOEXEC);
		if (fd < 0 || write(fd, "0", 1) != 1)
			fail(procs);
		crowd_child(2000000);
		_exit(0);
	}
	wait(NULL);
	while (rmdir(path) < 0 && errno == EBUSY)
		usleep(100);
}

static void cgroups(long n, const char *root)
{
	for (long i = 0; root && i < n; i++)
		one_cgroup(root, i);
}

static pid_t clone_as(pid_t pid)
{
	struct clone_args args = {.exit_signal = SIGCHLD,
				  .set_tid = pid ? (uint64_t)(uintptr_t)&pid : 0,
				  .set_tid_size = pid != 0};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

static void pids(long n)
{
	uint64_t used[2] = {0, 0}, sum;
	pid_t pid = 0, got;

	for (long i = 0; i < n; i++) {
		struct rusage usage;

		got = clone_as(pid);
		if (got == 0) {
			prctl(PR_SET_NAME, i % 2 ? "next_owner" : "first_owner");
			(i % 2 ? next_owner : first_owner)(20000000);
			_exit(0);
		}
		if (got < 0) {
			if (errno == EEXIST && i) { /* somebody else was faster */
				pid = 0;
				i--;
				continue;
			}
			fail("clone3");
		}
		pid = got;
		wait4(got, NULL, 0, &usage);
		sum = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
		      (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
		used[i % 2] += sum * 1000;
	}
	printf("first_owner %lu next_owner %lu\n", (unsigned long)used[0], (unsigned long)used[1]);
}

int main(int argc, char **argv)
{
	long n = (long)arg_num(argc, argv, 2, 0);
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "mappings") == 0)
		mappings(n, "/proc/self/exe");
	else if (strcmp(what, "devices") == 0)
		mappings(n, "/dev/zero");
	else if (strcmp(what, "nodes") == 0)
		nodes(n, getenv("CROWD_NODES"));
	else if (strcmp(what, "deep") == 0)
		deep(n, getenv("CROWD_DEEP"));
	else if (strcmp(what, "threads") == 0)
		threads(n);
	else if (strcmp(what, "forks") == 0)
		forks(n);
	else if (strcmp(what, "zombies") == 0)
		zombies(n);
	else if (strcmp(what, "lives") == 0)
		lives(n);
	else if (strcmp(what, "words") == 0)
		words(n, argv[0]);
	else if (strcmp(what, "cgroups") == 0)
		cgroups(n, getenv("CROWD_CGROUP"));
	else if (strcmp(what, "pids") == 0)
		pids(n);
	puts("ready");
	fflush(stdout);
	crowd_spin((uint64_t)(arg_num(argc, argv, 3, 2) * 1e9));
	return 0;
}
