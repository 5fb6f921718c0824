/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* pmubpf report --branches, --bolt, --autofdo: what record -b saved. */
#ifndef PMUBPF_CMD_REPORT_BRANCHES_H
#define PMUBPF_CMD_REPORT_BRANCHES_H

#include "base/err.h"
#include "cmd/report_args.h"
#include "prof/branch_table.h"
#include "render/branch_feeds.h"
#include "render/report.h"

/* The profile is there; fails if it has no branches, or none of the binary asked for. The caller
 * ends the table. */
int report_branches__find(struct branch_table *ret, struct branch_binary *ret_binary,
			  const struct prof *whole, const struct report_args *args,
			  struct err *err);
int report_branches__write(const struct branch_table *table, const struct report *report,
			   const struct report_args *args, const struct branch_binary *binary,
			   FILE *file);

#endif
