/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where an agent's windows go besides: its options, an argp parser that is a child of the agent's
 * own (its input is a struct agent_to), and what is opened for them.
 */
#ifndef PMUBPF_CMD_AGENT_TO_H
#define PMUBPF_CMD_AGENT_TO_H

#include <argp.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "ship/keeper.h"

struct agent_to {
	struct {
		const char *url, *credentials, *ca;
	} list[DESTINATIONS_MAX];
	size_t n;
	const char *state, *host;
	int stacks;         /* 0: the default */
	unsigned one_of;    /* windows is sent; 0: all are */
	bool state_is_open; /* it stays what it is then, until the agent ends */
	struct err *err;
};

extern const struct argp agent_to_argp;
/* Pairs for config_words__make(): what belongs to --to. */
extern const char *const agent_to_belongs[][2];

int agent_to__check(const struct agent_to *to);

/* What is opened for it: nothing is sent yet, and nobody has it but us. */
struct agent_to_opened {
	struct destination list[DESTINATIONS_MAX];
	size_t n;
	int state;                       /* -1: it is open already, or there is nothing to send */
	size_t places[DESTINATIONS_MAX]; /* as keeper__set() wants them */
};
/*
 * dir is the folder of windows; was is what holds until now, NULL at the start. The caller frees
 * with its done. A negative errno with the sentence: nothing has changed.
 */
int agent_to__open(const struct agent_to *to, const char *dir, const struct agent_to *was,
		   struct agent_to_opened *ret, struct err *err);
void agent_to_opened__done(struct agent_to_opened *opened);
/* From now on they go there. -EPIPE: there is nobody who sends. */
int agent_to__apply(struct agent_to *to, const struct agent_to_opened *opened, struct keeper *k);
void agent_to__say(const char *to, const char *text); /* what a sender has to say */
/* A line for each: its books. */
void agent_to__print(const struct agent_to *to, const struct keeper *k, struct buf *out);

#endif
