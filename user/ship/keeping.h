/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The process that keeps senders. It reads nothing of anybody's, and has what it takes to make a
 * process nobody. Messages are packets as those of symd/protocol.h, each way without an answer
 * unless it says so:
 *
 * 	to it	SPOOL		-, +fd of the windows' folder
 * 		STATE		-, +fd of where it is written down how far was sent
 * 		DESTINATION	text URL, text user, text password, +fd of CAs or none
 * 		SET		u32 generation, text host, u64 stacks: to those DESTINATIONs now
 * 		BEGIN		- : send
 * 		ANOTHER		- : another one of itself, whose parent is the agent; answered
 * 		LISTEN		text address and port; answered
 * 	from it	NEWS		u32 generation, u8 number of the destination, 6 × u64 books
 * 		ANOTHER		u32 generation, u32 pid, +fd of its socket; 0, none: it failed
 * 		LISTEN		u32 errno, u16 port, +fd
 */
#ifndef PMUBPF_SHIP_KEEPING_H
#define PMUBPF_SHIP_KEEPING_H

#include "ship/keeper.h"

enum keeping_message {
	KEEPING_SPOOL = 1,
	KEEPING_STATE,
	KEEPING_DESTINATION,
	KEEPING_SET,
	KEEPING_BEGIN,
	KEEPING_ANOTHER,
	KEEPING_LISTEN,
	KEEPING_NEWS,
};
enum { KEEPING_TEXT_MAX = 4096 };

/* 0 or a negative errno. Its parent is whoever calls this; all that it starts is so, too. */
int keeping_start(struct keeper_process *ret, keeper_say *say);

#endif
