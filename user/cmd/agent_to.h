/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where an agent's windows go besides: its options, an argp parser that is a child of the agent's
 * own (its input is a struct agent_to), and what is opened for them.
 */
#ifndef PMUBPF_CMD_AGENT_TO_H
#define PMUBPF_CMD_AGENT_TO_H

#include <argp.h>

#include "base/buf.h"
#include "base/err.h"
#include "ship/keeper.h"

struct agent_to {
	struct {
		const char *url, *credentials, *ca;
	} list[DESTINATIONS_MAX];
	size_t n;
	const char *state, *host;
	int stacks; /* 0: the default */
	struct err *err;
};

extern const struct argp agent_to_argp;
/* Pairs for config_words__make(): what belongs to --to. */
extern const char *const agent_to_belongs[][2];

int agent_to__check(const struct agent_to *to);
/* Opens all that is needed, and starts it; dir is the folder of windows, spool its descriptor.
 * Nothing of it stays open here. */
int agent_to__start(const struct agent_to *to, const char *dir, int spool, struct keeper *ret,
		    struct err *err);
/* A line for each: its books. */
void agent_to__print(const struct agent_to *to, const struct keeper *k, struct buf *out);

#endif
