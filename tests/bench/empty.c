// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * empty FILE OFFSET pair|single COMMAND…: runs a command while a program that does nothing is at
 * that place of the file; pair: and one where the function that begins there returns to.
 */
#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int load(void)
{
	static const struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};

	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, "empty", "GPL", nothing, 2, NULL);
}

static unsigned uprobe_type(void)
{
	FILE *file = fopen("/sys/bus/event_source/devices/uprobe/type", "r");
	char line[16];

	if (!file || !fgets(line, sizeof(line), file))
		exit(2);
	fclose(file);
	return (unsigned)strtoul(line, NULL, 10);
}

static void put(const char *path, uint64_t offset, int program, int returns)
{
	struct perf_event_attr attr = {
		.type = uprobe_type(),
		.size = sizeof(attr),
		.config = (uint64_t)returns, /* bit 0 of uprobe's format */
		.config1 = (uint64_t)(uintptr_t)path,
		.config2 = offset,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);

	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) < 0 ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0) {
		perror("empty: the probe");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	int program = argc > 4 ? load() : -1, status = 0;
	pid_t child;

	if (program < 0) {
		perror("empty: the program");
		return 2;
	}
	put(argv[1], strtoull(argv[2], NULL, 0), program, 0);
	if (strcmp(argv[3], "pair") == 0)
		put(argv[1], strtoull(argv[2], NULL, 0), program, 1);
	child = fork();
	if (child == 0) {
		execv(argv[4], argv + 4);
		_exit(127);
	}
	return child < 0 || waitpid(child, &status, 0) < 0 ? 2 : WEXITSTATUS(status);
}
