/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* annotate --branches: what jumps of a running process's function do. */
#ifndef PMUBPF_CMD_ANNOTATE_BRANCHES_H
#define PMUBPF_CMD_ANNOTATE_BRANCHES_H

#include "cmd/annotate_args.h"

/* words: behind the subcommand. -errno with the sentence. */
int annotate_branches(const struct annotate_args *args, char *const *words, struct err *err);

#endif
