/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Branches of one binary, as optimizers read them.
 *
 * BOLT's pre-aggregated text, addresses in hex as the ELF file has them:
 *
 *	B FROM TO RECORDS MISPREDICTED	a branch; X:0 is somewhere else
 *	F FIRST LAST RUNS		code that ran from end to end
 *
 * AutoFDO's text, offsets in the file in hex; before the lines of each kind how many they are:
 *
 *	FIRST-LAST:RUNS
 *	ADDRESS:SAMPLES			(none: with the others they aren't asked for)
 *	FROM->TO:RECORDS
 */
#ifndef PMUBPF_RENDER_BRANCH_FEEDS_H
#define PMUBPF_RENDER_BRANCH_FEEDS_H

#include "base/buf.h"
#include "base/err.h"
#include "prof/prof.h"

struct branch_binary {
	uint32_t file, build_id; /* texts of the profile */
	uint64_t records;        /* branches from it, of… */
	uint64_t all;            /* …so many that were told apart */
};

/* The binary of that path, that last part of a path, or that build-id; NULL: the one with most
 * records. */
int branch_binary__choose(struct branch_binary *ret, const struct prof *p, const char *name,
			  struct err *err);

void branch_feed__bolt(const struct prof *p, const struct branch_binary *binary, struct buf *out);
void branch_feed__autofdo(const struct prof *p, const struct branch_binary *binary,
			  struct buf *out);

#endif
