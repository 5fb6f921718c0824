/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which runtime files are, before they have tables and apart from these: names need none, and a
 * script of 30 ms has ended when its interpreter's has come. Each file is asked about once, when
 * somebody has mapped it; where nobody can say it then, its table does.
 */
#ifndef PMUBPF_UNWIND_DESCRIPTIONS_H
#define PMUBPF_UNWIND_DESCRIPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "proc/files.h"
#include "sym/silent.h"
#include "unwind/lane.h"
#include "unwind/runtimes.h"

struct descriptions;

/* All are borrowed. runtimes gets what files turn out to be; silent: whose files are not read. */
struct descriptions *descriptions__new(struct files *files, struct runtimes *runtimes,
				       struct silent *silent);
struct descriptions *descriptions__free(struct descriptions *d);

void descriptions__want(struct descriptions *d, uint32_t file);
/* True if there is a file that is to be asked about. */
bool descriptions__wait(const struct descriptions *d);
/* Gives the lane, which has nothing to do, the next file, if there is one. */
void descriptions__start(struct descriptions *d, struct lane *lane);
/* The lane's answer to that. */
void descriptions__take(struct descriptions *d, const struct lane *lane,
			const struct lane_answer *a);

#endif
