// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/options.h"

#include <errno.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/num.h"

/* Lists are taken apart in place, and a report says the words as they were given. Commands are
 * parsed once, and what was parsed points into the copy: nobody frees it. */
static char **copy_of(int argc, char **argv)
{
	static char **words;

	words = xcalloc((size_t)argc + 1, sizeof(*words));
	for (int i = 0; i < argc; i++)
		words[i] = xstrdup(argv[i]);
	return words;
}

int options__parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
	static char name[32]; /* argp's messages begin with it */

	snprintf(name, sizeof(name), "pmubpf %s", argv[0]);
	argv = copy_of(argc, argv);
	argv[0] = name;
	argp_err_exit_status = EXIT_USAGE;
	return -argp_parse(argp, argc, argv, flags, NULL, input);
}

int parse_budget(double *ret, const char *text, struct err *err)
{
	if (num__parse_f64(text, ret) == 0 && *ret >= 0 && *ret <= 100)
		return 0;
	return err__usage(err, "--budget '%s': a percentage of the CPUs, from 0 to 100", text);
}

int parse_duration(uint64_t *ret_ns, const char *text, struct err *err)
{
	int r = num__parse_time(text, 1000000000, ret_ns);

	if (r == -ERANGE)
		return err__usage(err, "-d '%s' is too long", text);
	if (r < 0)
		return err__usage(err, "-d '%s' is not a time above 0 such as 10, 0.5 or 500ms",
				  text);
	return 0;
}
