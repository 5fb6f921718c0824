// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* pmubpf record: one recording, folded stacks. stdout is data, stderr is talk. */
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/recording.h"

int cmd_record(int argc, char **argv)
{
	_cleanup_(record_args__done) struct record_args args = {0};
	struct signals signals = {.fd = -1};
	struct err err = {.exit_code = EXIT_FAILED};
	/* first: who ends a recording while it starts means it, too */
	int r = signals__catch(&signals, &err);

	if (r == 0)
		r = record_args__parse(&args, argc, argv, &err);
	if (r < 0)
		return complain(&err);
	return recording__run(&args, argv, &signals, NULL, &err);
}
