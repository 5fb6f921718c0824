// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * reference RATE TGID: reference.bpf.c at each overflow of a cpu-clock in each thread that the process has now,
 * until it is killed. Prints "ready" when it runs. Its time is read from outside: tests/bench/bpf_ratio.py.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "reference.skel.h"

static int attach(const struct bpf_program *prog, uint64_t rate, pid_t tid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_freq = rate,
		.freq = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd >= 0 && bpf_program__attach_perf_event(prog, fd) ? 0 : -errno;
}

int main(int argc, char **argv)
{
	struct reference_bpf *skel = argc == 3 ? reference_bpf__open_and_load() : NULL;
	const struct dirent *e;
	char path[32];
	DIR *tasks;

	if (!skel) {
		fprintf(stderr, "usage, as root: reference RATE TGID\n");
		return 2;
	}
	snprintf(path, sizeof(path), "/proc/%.10s/task", argv[2]);
	tasks = opendir(path);
	while (tasks && (e = readdir(tasks))) {
		pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);

		if (tid > 0 && attach(skel->progs.ref_overflow, strtoull(argv[1], NULL, 10), tid)) {
			fprintf(stderr, "reference: thread %d: %s\n", tid, strerror(errno));
			return 1;
		}
	}
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
