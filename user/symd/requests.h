/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the helper answers: one request in, one reply out (symd/protocol.h). The process around it
 * is symd.c's. */
#ifndef PMUBPF_SYMD_REQUESTS_H
#define PMUBPF_SYMD_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "symd/answer.h"

struct elf_cfi;
struct hotspot;
struct jit_file;

struct requests {
	struct elf_file *elf;      /* at most one of the two is open */
	struct jit_file *jit;      /* a perf map or a jitdump */
	struct elf_cfi *tables_of; /* whose table was asked for last */
	struct elf_cfi *kept[2];   /* others before it whose code was gone through: 4 MB each */
	struct hotspot *hotspot;   /* the process whose code was asked for */
	int into;                  /* what the next answer is written into; -1: nothing */
	struct buf reply;          /* to the last request; whole after it was handled */
	bool silent;               /* it gets none */
	struct answerer answerer;
};

void requests__init(struct requests *s);
/*
 * Answers one request into s->reply. *fd is the descriptor that came with it (-1: none); it is -1
 * afterwards if it was taken. -EPROTO: not a request.
 */
int requests__handle(struct requests *s, const void *data, size_t len, int *fd);
void requests__done(struct requests *s);

#endif
