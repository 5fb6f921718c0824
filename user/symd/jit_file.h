/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A perf map or a jitdump, asked for the names of some addresses at a time. Nothing of the file is
 * kept but, for each address, where its name stands: it is read when it is told.
 */
#ifndef PMUBPF_SYMD_JIT_FILE_H
#define PMUBPF_SYMD_JIT_FILE_H

#include "symd/asked.h"

/* perf_map__offer() or jitdump__offer(). */
typedef int (*jit_offer_fn)(int fd, struct asked *asked);

struct jit_file;

/* Takes fd over, also on error. 0, or a negative errno: it isn't such a file. */
int jit_file__open(int fd, jit_offer_fn offer, struct jit_file **ret);
struct jit_file *jit_file__free(struct jit_file *f); /* NULL */

/* Whether the address was among those last asked for. */
bool jit_file__asked(const struct jit_file *f, uint64_t addr);
/* Goes through the file for these, ASKED_MAX at most. */
void jit_file__ask(struct jit_file *f, const uint64_t *addrs, size_t n);
/* The code that holds the address, as the file has it last: where it lay, and where its bytes stand
 * in the file. It is asked for if it wasn't. False: there is none; a perf map has no bytes. */
bool jit_file__code(struct jit_file *f, uint64_t addr, uint64_t *ret_start, uint64_t *ret_size,
		    uint64_t *ret_at);
unsigned jit_file__machine(const struct jit_file *f); /* e_machine; 0: not known */
size_t jit_file__read(const struct jit_file *f, uint64_t at, void *ret, size_t n);

/* The name, not NUL-terminated, until the next call; NULL: none, or it was not asked for. */
const char *jit_file__find(struct jit_file *f, uint64_t addr, size_t *ret_len);

#endif
