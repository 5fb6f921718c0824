// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs a profiler and says what it cost, whatever it is:
 *
 *	meter SECONDS RECORD-COMMAND FOLD-COMMAND     both for sh -c; FOLD-COMMAND may be empty
 *
 * The first sample is when a BPF program of type perf_event that the command's processes hold has run, or,
 * where there is none, when they have mapped the ring of a perf event. So many SECONDS later the command gets SIGINT; then come
 * its end, and FOLD-COMMAND. One line of JSON on stdout. Statistics of BPF programs are on while this descriptor
 * is open, and no longer. CPU time is that of all processes of both commands, from getrusage.
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

enum { PATIENCE_S = 60, LOOK_US = 3000, PSS_EVERY = 8 /* looks */, MAPS_MAX = 256, TREE_MAX = 64 };

struct seen {
	double first; /* when the first sample came; 0: not yet */
	uint64_t runs, run_ns;
	uint64_t maps; /* bytes */
	uint64_t pss_kb, peak_kb;
	bool perf_event;
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A program with statistics as the kernel shows it: prog_type, run_time_ns, run_cnt; a map: memlock, map_id. */
struct fdinfo {
	uint64_t map_id, memlock, run_ns, runs;
	int prog_type;
};

static void read_fdinfo(pid_t pid, const char *fd, struct fdinfo *ret)
{
	char path[64], line[256];
	FILE *file;

	*ret = (struct fdinfo){.prog_type = -1};
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.16s", pid, fd);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		const char *value = strchr(line, ':');
		uint64_t number = value ? strtoull(value + 1, NULL, 10) : 0;

		if (strncmp(line, "map_id:", 7) == 0)
			ret->map_id = number;
		else if (strncmp(line, "memlock:", 8) == 0)
			ret->memlock = number;
		else if (strncmp(line, "prog_type:", 10) == 0)
			ret->prog_type = (int)number;
		else if (strncmp(line, "run_time_ns:", 12) == 0)
			ret->run_ns = number;
		else if (strncmp(line, "run_cnt:", 8) == 0)
			ret->runs = number;
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

/* perf opens events to try them, too: those that it samples have a ring. */
static bool has_ring(pid_t pid)
{
	char path[64], line[512];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, "[perf_event]") != NULL;
	if (file)
		fclose(file);
	return found;
}

static void look_at_fds(pid_t pid, struct seen *seen, struct seen *sum, uint64_t *known,
			size_t *n_known)
{
	char path[64], target[64];
	const struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		ssize_t len = readlinkat(dirfd(dir), e->d_name, target, sizeof(target) - 1);
		struct fdinfo info;

		target[len > 0 ? len : 0] = '\0';
		seen->perf_event |= !seen->perf_event && strstr(target, "[perf_event]") &&
				    has_ring(pid);
		if (!strstr(target, "bpf-map") && !strstr(target, "bpf-prog"))
			continue;
		read_fdinfo(pid, e->d_name, &info);
		if (info.memlock && info.map_id && is_new(known, n_known, info.map_id))
			sum->maps += info.memlock;
		if (info.prog_type == BPF_PROG_TYPE_PERF_EVENT && info.runs > sum->runs) {
			sum->runs = info.runs;
			sum->run_ns = info.run_ns;
		}
	}
	if (dir)
		closedir(dir);
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

static void look(pid_t root, struct seen *seen, bool memory)
{
	uint64_t known[MAPS_MAX];
	size_t n_known = 0;
	pid_t pids[TREE_MAX];
	size_t n = tree(root, pids);
	struct seen sum = {0};

	for (size_t i = 0; i < n; i++) {
		look_at_fds(pids[i], seen, &sum, known, &n_known);
		if (memory)
			sum.pss_kb += pss_kb(pids[i]);
	}
	if (sum.maps > seen->maps)
		seen->maps = sum.maps;
	if (sum.pss_kb > seen->peak_kb)
		seen->peak_kb = sum.pss_kb;
	if (sum.runs > seen->runs) {
		seen->runs = sum.runs;
		seen->run_ns = sum.run_ns;
	}
	if (!seen->first && (sum.runs || (seen->perf_event && !sum.maps)))
		seen->first = now_s();
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

static bool ended(pid_t pid, int *status)
{
	return waitpid(pid, status, WNOHANG) == pid;
}

/* Until it ends; SIGINT so many seconds after the first sample. Returns when it was sent. */
static double watch(pid_t pid, double seconds, struct seen *seen, int *status)
{
	double stopped = 0, limit = now_s() + seconds + 60;

	for (unsigned i = 0; !ended(pid, status); i++) {
		look(pid, seen,
		     i % PSS_EVERY == 0 ||
			     (seen->first && !stopped && now_s() > seen->first + seconds));
		if (!stopped &&
		    ((seen->first && now_s() >= seen->first + seconds) || now_s() > limit)) {
			stopped = now_s();
			kill(pid, SIGINT);
		}
		if (stopped && now_s() > stopped + PATIENCE_S)
			kill(pid, SIGKILL);
		usleep(seen->first && !stopped ? 10 * LOOK_US : LOOK_US);
	}
	return stopped;
}

static double cpu_s(void)
{
	struct rusage ru;

	getrusage(RUSAGE_CHILDREN, &ru);
	return (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) +
	       (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6;
}

static int stats_on(void)
{
	union bpf_attr attr = {.enable_stats.type = BPF_STATS_RUN_TIME};

	return (int)syscall(SYS_bpf, BPF_ENABLE_STATS, &attr, sizeof(attr));
}

int main(int argc, char **argv)
{
	struct seen seen = {0};
	double begin, stopped, end;
	int status, fd = stats_on(), folded = 0;

	if (argc != 4 || fd < 0) {
		fprintf(stderr, argc != 4 ? "usage: meter SECONDS RECORD FOLD\n" :
					    "meter: no statistics of BPF programs\n");
		return 2;
	}
	begin = now_s();
	stopped = watch(start(argv[2]), strtod(argv[1], NULL), &seen, &status);
	if (*argv[3]) {
		struct seen fold = {0};

		watch(start(argv[3]), 600, &fold, &folded);
		if (fold.peak_kb > seen.peak_kb)
			seen.peak_kb = fold.peak_kb;
	}
	end = now_s();
	if (!seen.first || !stopped || folded != 0) {
		fprintf(stderr, "meter: no sample came, or it failed (%d, %d)\n", status, folded);
		return 1;
	}
	printf("{\"start_s\": %.3f, \"recorded_s\": %.3f, \"folded_s\": %.3f, \"cpu_s\": %.3f, \"user_mb\": %.1f, "
	       "\"maps_mb\": %.1f, \"runs\": %lu, \"run_ns\": %lu}\n",
	       seen.first - begin, stopped - seen.first, end - stopped, cpu_s(),
	       (double)seen.peak_kb / 1024, (double)seen.maps / 1048576, (unsigned long)seen.runs,
	       (unsigned long)seen.run_ns);
	close(fd);
	return 0;
}
