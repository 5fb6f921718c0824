/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Arithmetic in text, as Intel's tables write what follows from events: + - * /, < > & |, min(),
 * max(), "A if CONDITION else B", numbers, and names ("IDQ.MS_UOPS:c1"). Pure, and bounded: text
 * may be anybody's.
 */
#ifndef PMUBPF_BASE_FORMULA_H
#define PMUBPF_BASE_FORMULA_H

#include <stdbool.h>

#include "base/buf.h"

struct formula;

/* -EINVAL: it isn't one, or is too long. */
int formula__parse(struct formula **ret, const char *text);
void formula__free(struct formula *f);

/* What a name stands for; false: that isn't known. */
typedef bool formula_value_fn(void *ctx, const char *name, double *ret);
/* False if it needs what isn't known, divides by zero, or is no number. Of "A if C else B" only
 * one is needed. */
bool formula__eval(const struct formula *f, formula_value_fn *value, void *ctx, double *ret);

/* Each name that it has, as often as it has it; not where a number as condition rules it out. */
void formula__each_name(const struct formula *f, void (*each)(void *ctx, const char *name),
			void *ctx);
/* The same formula with what stands for its names, which `put` writes; likewise. */
void formula__put(const struct formula *f, void (*put)(void *ctx, const char *name, struct buf *),
		  void *ctx, struct buf *out);

#endif
