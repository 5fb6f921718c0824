// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * measured FILE SECONDS PROGRAM ARG…: runs pmubpf, and writes into FILE, one a line, "pid N" at
 * once, and at its end "main_kb N", "helper_kb N" (the peaks of VmHWM, of it and of the largest of
 * its helpers), "main_anon_kb N", "helper_anon_kb N" (the most of RssAnon that was seen), "wall_ms
 * N" and "status N" (128 + the signal that ended it). After SECONDS it is killed: status 124.
 * Signals to end are passed on.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "spin.h"

static volatile sig_atomic_t child;

struct peak {
	uint64_t all_kb, anon_kb;
};

static struct peak of_main, of_helper;

static void pass_on(int number)
{
	kill(child, number);
}

/* Raises what was seen of a process, of a helper of pmubpf's alone if that is asked for. */
static void look_at(int pid, int helper_only, struct peak *seen)
{
	char path[64], line[256];
	unsigned long kb;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (helper_only && strncmp(line, "Name:", 5) == 0 &&
		    strcmp(line, "Name:\tpmubpf-symd\n") != 0)
			break;
		kb = strncmp(line, "VmHWM:", 6) == 0 ? strtoul(line + 6, NULL, 10) : 0;
		if (kb > seen->all_kb)
			seen->all_kb = kb;
		kb = strncmp(line, "RssAnon:", 8) == 0 ? strtoul(line + 8, NULL, 10) : 0;
		if (kb > seen->anon_kb)
			seen->anon_kb = kb;
	}
	if (file)
		fclose(file);
}

static void look_at_children(void)
{
	char path[64], line[4096] = "", *p = line;
	int pid;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)child, (int)child);
	file = fopen(path, "re");
	if (file && !fgets(line, sizeof(line), file))
		*line = '\0';
	while ((pid = (int)strtol(p, &p, 10)) > 0)
		look_at(pid, 1, &of_helper);
	if (file)
		fclose(file);
}

static int watch(double seconds)
{
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9);
	int status, late = 0;

	while (waitpid(child, &status, WNOHANG) != child) {
		look_at(child, 0, &of_main);
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
	fprintf(file, "pid %d\n", (int)child);
	fflush(file);
	sigaction(SIGINT, &(struct sigaction){.sa_handler = pass_on}, NULL);
	sigaction(SIGTERM, &(struct sigaction){.sa_handler = pass_on}, NULL);
	status = watch(arg_num(argc, argv, 2, 60));
	fprintf(file,
		"main_kb %lu\nhelper_kb %lu\nmain_anon_kb %lu\nhelper_anon_kb %lu\nwall_ms %lu\n"
		"status %d\n",
		(unsigned long)of_main.all_kb, (unsigned long)of_helper.all_kb,
		(unsigned long)of_main.anon_kb, (unsigned long)of_helper.anon_kb,
		(unsigned long)((clock_ns(CLOCK_MONOTONIC) - start_ns) / 1000000), status);
	return fclose(file) == EOF ? 125 : status;
}
