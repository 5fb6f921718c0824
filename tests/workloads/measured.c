// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * measured FILE SECONDS PROGRAM ARG…: runs pmubpf, and writes into FILE, one a line, "main_kb N", "helper_kb N" (the
 * peaks of VmHWM, of it and of the largest of its helpers), "wall_ms N" and "status N" (128 + the signal that ended it). After SECONDS it is killed: status 124. Signals to end are passed on.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "spin.h"

static volatile sig_atomic_t child;

static struct {
	uint64_t main_kb, helper_kb;
} seen;

static void pass_on(int number)
{
	kill(child, number);
}

/* A number of /proc/PID/status, and whether its process is a helper of pmubpf's. */
static uint64_t peak_kb(int pid, int *is_helper)
{
	char path[64], line[256];
	unsigned long kb = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "Name:", 5) == 0)
			*is_helper = strcmp(line, "Name:\tpmubpf-symd\n") == 0;
		if (strncmp(line, "VmHWM:", 6) == 0)
			kb = strtoul(line + 6, NULL, 10);
	}
	if (file)
		fclose(file);
	return kb;
}

static void look_at_children(void)
{
	char path[64], line[4096] = "", *p = line;
	int pid, is_helper;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)child, (int)child);
	file = fopen(path, "re");
	if (file && !fgets(line, sizeof(line), file))
		*line = '\0';
	while ((pid = (int)strtol(p, &p, 10)) > 0) {
		uint64_t kb = peak_kb(pid, &is_helper);

		if (is_helper && kb > seen.helper_kb)
			seen.helper_kb = kb;
	}
	if (file)
		fclose(file);
}

static int watch(double seconds)
{
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9);
	int status, ignored, late = 0;

	while (waitpid(child, &status, WNOHANG) != child) {
		uint64_t kb = peak_kb(child, &ignored);

		if (kb > seen.main_kb)
			seen.main_kb = kb;
		look_at_children();
		if (!late && clock_ns(CLOCK_MONOTONIC) > end_ns) {
			late = 1;
			kill(child, SIGKILL);
		}
		usleep(10000);
	}
	return late ? 124 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);
	FILE *file = argc > 3 ? fopen(argv[1], "we") : NULL;
	int status;

	if (!file)
		return 125;
	child = fork();
	if (child == 0) {
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	sigaction(SIGINT, &(struct sigaction){.sa_handler = pass_on}, NULL);
	sigaction(SIGTERM, &(struct sigaction){.sa_handler = pass_on}, NULL);
	status = watch(arg_num(argc, argv, 2, 60));
	fprintf(file, "main_kb %lu\nhelper_kb %lu\nwall_ms %lu\nstatus %d\n",
		(unsigned long)seen.main_kb, (unsigned long)seen.helper_kb,
		(unsigned long)((clock_ns(CLOCK_MONOTONIC) - start_ns) / 1000000), status);
	return fclose(file) == EOF ? 125 : status;
}
