/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The processes behind opener.h: a spawner, which touches nothing of anybody, and the openers that it forks, one at
 * work at a time. What the spawner is told, each answered with an int32_t:
 *
 *	SHARE	+fd: the page of culprits		0
 *	NEXT	+fd: a socket; an opener that answers there, in place of the one before		its pid; -EBUSY: so many
 *							that were killed are not gone
 *	SETTLED	no counters will be asked for any more	0
 */
#ifndef PMUBPF_OPENER_PROCESS_H
#define PMUBPF_OPENER_PROCESS_H

enum spawner_word { SPAWNER_SHARE = 1, SPAWNER_NEXT, SPAWNER_SETTLED };

int opener_main(int sock);

#endif
