/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Findings in words, for people (text) and for programs (JSON). */
#ifndef PMUBPF_ADVISE_SAY_H
#define PMUBPF_ADVISE_SAY_H

#include "advise/advice.h"
#include "render/report.h"

struct saying {
	const struct report *report; /* its files, profile, events */
	const struct advice *advice;
	bool all;            /* rules that don't hold, too, and why */
	const char *profile; /* how a command line names it; NULL: by its first file */
	bool no_code;        /* it hasn't the addresses that annotate takes */
	bool windows;        /* it is the sum of an agent's */
};

void saying__text(const struct saying *saying, struct buf *out);
void saying__json(const struct saying *saying, struct buf *out);

/* ---- between the two */

/* The rule's text with the finding's figures, names and file in it; nothing that a program chose
 * gets to the shell but as one word in quotes. */
void saying__put(const struct saying *saying, const struct finding *finding, const char *text,
		 struct buf *out);
/* Sentences without a full stop: how many samples, how sure; how much there is to gain. */
void saying__put_evidence(const struct saying *saying, const struct finding *finding,
			  struct buf *out);
void saying__put_stake(const struct finding *finding, struct buf *out);
/* Whether a rule of that kind wasn't looked for. */
bool saying__lacks(const struct saying *saying, enum rule_kind kind);
/* Of windows: all rules that weren't looked for, by what they take, once; in one line. */
void saying__put_lacks(const struct saying *saying, struct buf *out);
/* The command that looks closer. */
void saying__put_look(const struct saying *saying, const struct finding *finding, struct buf *out);
/* Why it is no finding. */
void saying__put_reason(const struct saying *saying, const struct finding *finding,
			struct buf *out);

#endif
