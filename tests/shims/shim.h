/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the libraries here share, which tests/e2e builds and has loaded into pmubpf by
 * LD_PRELOAD. They do nothing in other programs, and only in the part that SHIM_IN names: "main",
 * "helper" or "both".
 */
#ifndef PMUBPF_TESTS_SHIM_H
#define PMUBPF_TESTS_SHIM_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The helper is the same program, called as "pmubpf symd". */
static inline bool shim_wanted(int argc, char **argv)
{
	const char *in = getenv("SHIM_IN"), *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
	bool helper = argc > 1 && strcmp(argv[1], "symd") == 0;

	if (!in || argc < 1 || strcmp(slash ? slash + 1 : argv[0], "pmubpf") != 0)
		return false;
	return strcmp(in, helper ? "main" : "helper") != 0;
}

static inline long shim_number(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text ? strtol(text, NULL, 10) : otherwise;
}

#endif
