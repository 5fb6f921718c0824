// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/output.h"
#include "opener/process.h"
#include "ship/http.h"
#include "symd/fetch.h"
#include "symd/protocol.h"
#include "symd/symd.h"
#include "sys/limits.h"

enum { SPARE_STACK_KB = 16 }; /* what is there beforehand isn't the same each time */

static int cmd_symd(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return symd_main(SYMD_FD);
}

static int cmd_symd_code(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return symd_code_main(SYMD_FD);
}

static int cmd_opener(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return opener_main(SYMD_FD);
}

static int cmd_fetchd(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return fetch_main(SYMD_FD);
}

static int cmd_http(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return http_main(SYMD_FD);
}

static const struct command_entry {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help; /* NULL: not for people */
} commands[] = {
	{"record", cmd_record, "sample counter overflows, print collapsed stacks"},
	{"top", cmd_top, "show what a target does while it does it"},
	{"agent", cmd_agent, "record all the time, and keep it as windows in a folder"},
	{"report", cmd_report, "show a saved profile: functions, lines, processes, ratios"},
	{"annotate", cmd_annotate, "a function's lines and instructions, with the samples of each"},
	{"advise", cmd_advise, "what stands out in a target or a profile, and what to try"},
	{"diff", cmd_diff,
	 "compare two saved profiles: what differs, and whether that may be chance"},
	{"symbolize", cmd_symbolize,
	 "add names that were missing to what an agent has written, or a fleet sent"},
	{"ship", cmd_ship, "send the windows of an agent to ClickHouse, or to S3"},
	{"stat", cmd_stat, "count events without sampling, print counts and ratios"},
	{"list", cmd_list, "the events that can be counted, and whether this machine has them"},
	{"doctor", cmd_doctor, "what this machine and this user can record, and what is missing"},
	{"symd", cmd_symd, NULL},
	{"symd-code", cmd_symd_code, NULL},
	{"fetchd", cmd_fetchd, NULL},
	{"opener", cmd_opener, NULL},
	{"http", cmd_http, NULL},
};

static void print_help(FILE *out)
{
	fprintf(out, "Usage: pmubpf COMMAND [OPTION…]\n\n"
		     "A profiler that samples hardware performance counters by BPF.\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		if (commands[i].help)
			fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].help);
	}
	fprintf(out, "\n`pmubpf COMMAND --help` shows a command's options; `man pmubpf-COMMAND` "
		     "explains them.\n");
}

/* What we open must not become somebody's standard output. A closed one gets a descriptor that
 * can't be written to, so that writing fails as it should. */
static void keep_standard_fds(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDONLY) < 0)
			return;
	}
}

/* Whoever started us may ignore its children. Ours would go unseen then, and without a status: we'd
 * wait for them for ever. */
static void see_children(void)
{
	const struct sigaction dfl = {.sa_handler = SIG_DFL};

	sigaction(SIGCHLD, &dfl, NULL);
}

/* Else the end is a SIGSEGV in the middle. */
static bool has_stack(void)
{
	unsigned long limit = raise_stack_limit();

	if (limit)
		fprintf(stderr,
			"pmubpf: %lu kB of stack are needed and the limit is %lu: raise it (ulimit "
			"-s %lu)\n",
			stack_kb_needed(), limit, stack_kb_needed() + SPARE_STACK_KB);
	return limit == 0;
}

static int run(const struct command_entry *command, int argc, char **argv)
{
	int status;

	if (command->help && !has_stack())
		return EXIT_FAILED;
	status = command->run(argc, argv);
	if (status == EXIT_DONE && fflush(stdout) == EOF && errno != EPIPE) {
		fprintf(stderr, "pmubpf: can't write to standard output: %s\n", strerror(errno));
		return EXIT_FAILED;
	}
	return status;
}

int main(int argc, char **argv)
{
	struct err err = {0};

	keep_standard_fds();
	see_children();
	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		if (strcmp(argv[1], commands[i].name) == 0)
			return run(&commands[i], argc - 1, argv + 1);
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "version") == 0) {
		printf("pmubpf %s\n", PMUBPF_VERSION);
		return EXIT_DONE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0) {
		print_help(stdout);
		return EXIT_DONE;
	}
	err__usage(&err, "'%s' is not a command", argv[1]);
	complain(&err);
	print_help(stderr);
	return err.exit_code;
}
