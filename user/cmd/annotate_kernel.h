/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The instructions of a kernel's function: those that the running kernel has, if it is the one that
 * was recorded. */
#ifndef PMUBPF_CMD_ANNOTATE_KERNEL_H
#define PMUBPF_CMD_ANNOTATE_KERNEL_H

#include "cmd/annotate_code.h"
#include "sym/kernel_code.h"

struct annotate_kernel {
	bool other;     /* the profile is of another one, or doesn't say of which… */
	bool uncertain; /* …or says its release alone */
	struct kernel_code code;
};

/* Copies its bytes, while there are privileges; of what the profile has no such function in the
 * kernel nothing is read. before: one that stays, whose table of names serves; NULL: none. */
void annotate_kernel__take(struct annotate_kernel *ret, const struct prof *p, const char *name,
			   const struct annotate_kernel *before);
void annotate_kernel__done(struct annotate_kernel *kernel);

/* As annotate_code__find(). */
void annotate_kernel__find(struct annotate_code *ret, const struct annotate_kernel *kernel,
			   const struct code_points *points, struct buf *notes);

/* Whether what the profile says of its kernel is what this one says of itself: by build_id ("": it
 * doesn't say), else by release. */
void annotate_kernel__compare(struct annotate_kernel *ret, const struct prof *p,
			      const char *build_id, const char *release);

#endif
