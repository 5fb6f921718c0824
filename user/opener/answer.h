/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opens and reads what is asked for, in this process: it may wait for as long as a target likes. */
#ifndef PMUBPF_OPENER_ANSWER_H
#define PMUBPF_OPENER_ANSWER_H

#include <stdbool.h>

#include "opener/keeps.h"
#include "opener/request.h"

/* Takes one packet of the answer; fd (-1: none) stays the caller's. Negative: no more are
 * wanted. */
typedef int (*opener_emit)(void *ctx, const struct opener_reply *reply, int fd);

/* Who is asked about; 0: nobody, root, ours, not known. */
struct opener_subject {
	int32_t tgid;
	int32_t tid; /* its first thread, or once that has ended another: has what it has */
	uint32_t uid;
	uint64_t cgroup; /* a hash of its path, of processes of root's */
	uint64_t mnt_ns;
	uint64_t dev; /* of the file */
};
/*
 * Learns it step by step, the first ones without waiting for it, and says so after each: what may
 * still hang is about somebody who is known. False if `go_on` said so.
 */
typedef bool (*opener_go_on)(void *ctx, const struct opener_subject *so_far);
bool opener_subject__learn(struct opener_subject *ret, const struct opener_request *request,
			   opener_go_on go_on, void *ctx);

/*
 * fd: the descriptor that came along, -1: none. keeps: what the caller has besides; NULL: what is
 * lent is handed over as it is, and nothing can be kept.
 */
void opener_answer(const struct opener_request *request, int fd,
		   const struct opener_subject *subject, opener_emit emit, void *ctx,
		   struct opener_keeps *keeps);

#endif
