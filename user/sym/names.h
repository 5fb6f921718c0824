/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A name, or a reason, for every frame of a profile: each file is asked about once. */
#ifndef PMUBPF_SYM_NAMES_H
#define PMUBPF_SYM_NAMES_H

#include "base/err.h"
#include "model/profile.h"
#include "proc/files.h"
#include "sym/reason.h"

struct names {
	char **text; /* by frame id; never NULL: "main", "[libc.so.6]+0x26d90", "[unknown]" */
	enum sym_reason *reason; /* by frame id */
	size_t n;
};

/* Fails only if the symbol helper can't be started. */
int names__resolve(struct names *ret, const struct profile *profile, const struct files *files,
		   struct err *err);
void names__done(struct names *names);

#endif
