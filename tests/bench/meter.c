// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs a profiler and says what it cost, whatever it is:
 *
 * 	meter SECONDS RECORD-COMMAND FOLD-COMMAND [GROUP…]     both for sh -c; FOLD-COMMAND may be empty
 *
 * The first sample is when a BPF program of type perf_event that the command's processes hold has
 * run, or, where there is none, when the command's processes have mapped the ring of a perf event
 * and wait in poll: perf enables its events right before. So many SECONDS later the command gets
 * SIGINT; then come its end, and FOLD-COMMAND; the process groups of the load are stopped
 * meanwhile. One line of JSON on stdout. Statistics of BPF programs are on while this descriptor is
 * open, and no longer. CPU time is that of all processes of both commands, from getrusage. meter_s
 * is what the meter itself burnt until the first sample: beside a load on every CPU the tool starts
 * so much later.
 */
#include <dirent.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_S = 60, LOOK_US = 5000, MAPS_MAX = 256, TREE_MAX = 64, PROGS_MAX = 16 };
static const double SIZES_EVERY_S = 0.1;

struct seen {
	double first; /* when the first sample came; 0: not yet */
	double meter_s;
	double sizes; /* when memory was last looked at */
	uint64_t runs, run_ns;
	uint64_t maps; /* bytes */
	uint64_t peak_kb;
};

/* The command's programs on perf events; `last`: the newest program there was when they were last
 * looked for. */
static struct {
	uint32_t last, doubted;
	size_t n;
	int fd[PROGS_MAX];
} progs;

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double cpu_s(int who)
{
	struct rusage ru;

	getrusage(who, &ru);
	return (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) +
	       (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6;
}

static int bpf(int cmd, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static bool prog_info(int fd, struct bpf_prog_info *ret)
{
	union bpf_attr attr = {0};

	memset(ret, 0, sizeof(*ret));
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = sizeof(*ret);
	attr.info.info = (uintptr_t)ret;
	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) == 0;
}

static void read_progs(struct seen *seen)
{
	for (size_t i = 0; i < progs.n; i++) {
		struct bpf_prog_info info;

		if (prog_info(progs.fd[i], &info) && info.run_cnt > seen->runs) {
			seen->runs = info.run_cnt;
			seen->run_ns = info.run_time_ns;
		}
	}
}

/* A map or a program as the kernel shows it: its id, and what its memory is. */
static void read_fdinfo(pid_t pid, const char *fd, uint64_t *id, uint64_t *memlock)
{
	char path[64], line[256];
	FILE *file;

	*id = *memlock = 0;
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.16s", pid, fd);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		const char *value = strchr(line, ':');

		if (strncmp(line, "map_id:", 7) == 0 || strncmp(line, "prog_id:", 8) == 0)
			*id = strtoull(value + 1, NULL, 10);
		else if (strncmp(line, "memlock:", 8) == 0)
			*memlock = strtoull(value + 1, NULL, 10);
	}
	if (file)
		fclose(file);
}

static bool is_new(uint64_t *known, size_t *n, uint64_t id)
{
	for (size_t i = 0; i < *n; i++) {
		if (known[i] == id)
			return false;
	}
	if (*n < MAPS_MAX)
		known[(*n)++] = id;
	return true;
}

static bool has_line(pid_t pid, const char *name, const char *part)
{
	char path[64], line[512];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, part) != NULL;
	if (file)
		fclose(file);
	return found;
}

/* The process's next descriptor of a map or a program, of which `kind` says which. */
static bool next_bpf(pid_t pid, DIR *dir, const char *kind, uint64_t *id, uint64_t *memlock)
{
	const struct dirent *e;

	while (dir && (e = readdir(dir))) {
		char target[64];
		ssize_t len = readlinkat(dirfd(dir), e->d_name, target, sizeof(target) - 1);

		target[len > 0 ? len : 0] = '\0';
		if (strstr(target, kind)) {
			read_fdinfo(pid, e->d_name, id, memlock);
			return true;
		}
	}
	return false;
}

static DIR *open_fds(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	return opendir(path);
}

static uint64_t maps_bytes(pid_t pid, uint64_t *known, size_t *n_known)
{
	uint64_t bytes = 0, id, memlock;
	DIR *dir = open_fds(pid);

	while (next_bpf(pid, dir, "bpf-map", &id, &memlock)) {
		if (memlock && id && is_new(known, n_known, id))
			bytes += memlock;
	}
	if (dir)
		closedir(dir);
	return bytes;
}

static bool is_held(const pid_t *pids, size_t n, uint64_t prog)
{
	bool held = false;

	for (size_t i = 0; i < n && !held; i++) {
		uint64_t id, memlock;
		DIR *dir = open_fds(pids[i]);

		while (!held && next_bpf(pids[i], dir, "bpf-prog", &id, &memlock))
			held = id == prog;
		if (dir)
			closedir(dir);
	}
	return held;
}

/*
 * The newest there is; of those loaded since, the command's own on perf events stay open. A program
 * has its id a moment before its descriptor, so one that nobody holds is looked at once more, the
 * next time.
 */
static void find_progs(const pid_t *pids, size_t n)
{
	union bpf_attr attr = {.start_id = progs.last};

	while (bpf(BPF_PROG_GET_NEXT_ID, &attr) == 0) {
		uint32_t id = attr.next_id;
		union bpf_attr get = {.prog_id = id};
		struct bpf_prog_info info;
		int fd = n && progs.n < PROGS_MAX ? bpf(BPF_PROG_GET_FD_BY_ID, &get) : -1;
		bool fits = fd >= 0 && prog_info(fd, &info) &&
			    info.type == BPF_PROG_TYPE_PERF_EVENT;
		bool held = fits && is_held(pids, n, id);

		if (held)
			progs.fd[progs.n++] = fd;
		else if (fd >= 0)
			close(fd);
		if (fits && !held && id != progs.doubted) {
			progs.doubted = id;
			return;
		}
		progs.last = attr.start_id = id;
	}
}

static uint64_t pss_kb(pid_t pid)
{
	char path[64], line[128];
	uint64_t kb = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "Pss:", 4) == 0)
			kb = strtoull(line + 4, NULL, 10);
	}
	if (file)
		fclose(file);
	return kb;
}

/* The process and what it started, as far as that goes. */
static size_t tree(pid_t root, pid_t *ret)
{
	size_t n = 1;

	ret[0] = root;
	for (size_t i = 0; i < n; i++) {
		char path[64], line[1024], *at = line, *end;
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%d/task/%d/children", ret[i], ret[i]);
		file = fopen(path, "re");
		if (!file || !fgets(line, sizeof(line), file))
			line[0] = '\0';
		for (long pid; n < TREE_MAX && (pid = strtol(at, &end, 10)) > 0; at = end)
			ret[n++] = (pid_t)pid;
		if (file)
			fclose(file);
	}
	return n;
}

static void look_at_sizes(const pid_t *pids, size_t n, struct seen *seen)
{
	uint64_t known[MAPS_MAX], maps = 0, kb = 0;
	size_t n_known = 0;

	for (size_t i = 0; i < n; i++) {
		maps += maps_bytes(pids[i], known, &n_known);
		kb += pss_kb(pids[i]);
	}
	if (maps > seen->maps)
		seen->maps = maps;
	if (kb > seen->peak_kb)
		seen->peak_kb = kb;
	seen->sizes = now_s();
}

static bool samples(const pid_t *pids, size_t n, const struct seen *seen)
{
	if (progs.n)
		return seen->runs > 0;
	for (size_t i = 0; i < n; i++) {
		if (has_line(pids[i], "wchan", "poll") && has_line(pids[i], "maps", "[perf_event]"))
			return true;
	}
	return false;
}

/* Often while the tool starts, so it must cost little: sizes are looked at now and then. */
static void look(pid_t root, struct seen *seen, bool sizes)
{
	pid_t pids[TREE_MAX];
	size_t n = tree(root, pids);

	find_progs(pids, n);
	read_progs(seen);
	if (!seen->first && samples(pids, n, seen)) {
		seen->first = now_s();
		seen->meter_s = cpu_s(RUSAGE_SELF);
	}
	if (sizes || now_s() >= seen->sizes + SIZES_EVERY_S)
		look_at_sizes(pids, n, seen);
}

static pid_t start(const char *command)
{
	const struct sigaction usual = {.sa_handler = SIG_DFL};
	pid_t pid = fork();

	if (pid == 0) {
		sigaction(SIGINT, &usual, NULL); /* a shell's background job ignores it */
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	return pid;
}

/* The load's, that is. */
static char **groups;

static void signal_groups(int sig)
{
	for (char **group = groups; *group; group++)
		kill(-(pid_t)strtol(*group, NULL, 10), sig);
}

static bool ended(pid_t pid, int *status)
{
	return waitpid(pid, status, WNOHANG) == pid;
}

/* Until it ends; SIGINT so many seconds after the first sample. Returns when it was sent. */
static double watch(pid_t pid, double seconds, struct seen *seen, int *status)
{
	double stopped = 0, limit = now_s() + seconds + 60;

	while (!ended(pid, status)) {
		look(pid, seen, seen->first && !stopped && now_s() >= seen->first + seconds);
		if (!stopped &&
		    ((seen->first && now_s() >= seen->first + seconds) || now_s() > limit)) {
			stopped = now_s();
			kill(pid, SIGINT);
			signal_groups(SIGSTOP);
		}
		if (stopped && now_s() > stopped + PATIENCE_S)
			kill(pid, SIGKILL);
		usleep(seen->first && !stopped ? 6 * LOOK_US : LOOK_US);
	}
	return stopped;
}

static int stats_on(void)
{
	union bpf_attr attr = {.enable_stats.type = BPF_STATS_RUN_TIME};

	return bpf(BPF_ENABLE_STATS, &attr);
}

int main(int argc, char **argv)
{
	struct seen seen = {0};
	double begin, stopped, end;
	int status, fd = stats_on(), folded = 0;

	if (argc < 4 || fd < 0) {
		fprintf(stderr, argc < 4 ? "usage: meter SECONDS RECORD FOLD [GROUP...]\n" :
					   "meter: no statistics of BPF programs\n");
		return 2;
	}
	groups = argv + 4;
	find_progs(NULL, 0);
	begin = now_s();
	stopped = watch(start(argv[2]), strtod(argv[1], NULL), &seen, &status);
	if (*argv[3]) {
		struct seen fold = {0};

		watch(start(argv[3]), 600, &fold, &folded);
		if (fold.peak_kb > seen.peak_kb)
			seen.peak_kb = fold.peak_kb;
	}
	end = now_s();
	signal_groups(SIGCONT);
	if (!seen.first || !stopped || folded != 0) {
		fprintf(stderr, "meter: no sample came, or it failed (%d, %d)\n", status, folded);
		return 1;
	}
	printf("{\"start_s\": %.3f, \"recorded_s\": %.3f, \"folded_s\": %.3f, \"cpu_s\": %.3f, "
	       "\"meter_s\": %.3f, \"user_mb\": %.1f, "
	       "\"maps_mb\": %.1f, \"runs\": %lu, \"run_ns\": %lu}\n",
	       seen.first - begin, stopped - seen.first, end - stopped, cpu_s(RUSAGE_CHILDREN),
	       seen.meter_s, (double)seen.peak_kb / 1024, (double)seen.maps / 1048576,
	       (unsigned long)seen.runs, (unsigned long)seen.run_ns);
	close(fd);
	return 0;
}
