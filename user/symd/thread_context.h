/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where threads of a process say what they work on (pmubpf/thread_context.h), and how what they say
 * is called: that a process publishes, too (OTEP 4719), as a message in its memory.
 */
#ifndef PMUBPF_SYMD_THREAD_CONTEXT_H
#define PMUBPF_SYMD_THREAD_CONTEXT_H

#include "base/buf.h"
#include "base/cursor.h"
#include "symd/elf_file.h"

/* SYMD_CONTEXT (symd/protocol.h). mem: /proc/PID/mem, borrowed. 0 or -EPROTO. */
int thread_context__answer(struct elf_file *elf, struct cursor *body, int mem, struct buf *reply);

/* The names of keys in a message of so many bytes, as SYMD_CONTEXT says them: their number first.
 * For its tests. */
void thread_context__put_keys(const void *message, size_t len, struct buf *reply);

#endif
