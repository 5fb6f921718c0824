/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What threads say they are working on: a variable of each thread, otel_thread_ctx_v1, points to a
 * record while there is anything to say (OpenTelemetry's OTEP 4947). Threads of an asynchronous
 * program change it when they turn to another request.
 *
 * 	sample's context: a state, or the id of what was there, which travels once, as stacks do
 */
#ifndef PMUBPF_THREAD_CONTEXT_H
#define PMUBPF_THREAD_CONTEXT_H

#include "pmubpf/record.h"

enum {
	/* Bytes of attributes that are read: with the record's head the 640 that writers should
	 * keep to; a multiple of 4. What is beyond is cut. */
	PMB_CONTEXT_MAX = 612,
	PMB_CONTEXT_WORDS = (PMB_CONTEXT_MAX + 7) / 8,
	PMB_CONTEXT_IDS = 64,   /* what is less is a state */
	PMB_CONTEXT_KEYS = 256, /* of a process: their numbers are one byte */
};

/* What became of it at a sample. X(id, key, text) */
#define PMB_CONTEXT_STATES(X)                                                                 \
	X(NONE, "none", "of no program (a thread of the kernel)")                             \
	X(READ, "read", "read")                                                               \
	X(DETACHED, "detached", "the thread worked on nothing that it has a name for")        \
	X(UNPUBLISHED, "unpublished", "the process publishes none")                           \
	X(UNSEEN, "unseen", "the process was not looked at yet, or there was no room for it") \
	X(NOT_FOUND, "not_found", "it lies where this version can't find it")                 \
	X(INVALID, "invalid", "it was being written, or is none")                             \
	X(UNREADABLE, "unreadable", "the memory could not be read")                           \
	X(LOST, "lost", "the ring buffer had no room for it")                                 \
	X(NO_ROOM, "no_room", "there was no room to remember another one")

enum pmb_context_state {
#define X(id, key, text) PMB_CONTEXT_##id,
	PMB_CONTEXT_STATES(X) PMB_N_CONTEXT_STATES
#undef X
};

/* Where the variable is. */
enum pmb_context_kind {
	PMB_CONTEXT_IN_NOTHING, /* the process has none */
	PMB_CONTEXT_SOMEWHERE,  /* it has one, and nobody knows where */
	PMB_CONTEXT_STATIC,     /* `offset` from the thread pointer */
	PMB_CONTEXT_DYNAMIC, /* `offset` in the thread's block of a module, as glibc keeps them */
	PMB_N_CONTEXT_KINDS,
};

/* Of a process. */
struct pmb_context_place {
	__u64 stack_top; /* mm->start_stack: another program has another; 0: not known */
	__s64 offset;
	__u32 module;
	__u32 kind; /* enum pmb_context_kind */
};

/* The record's head, as it lies in the program. */
struct pmb_context_head {
	__u8 trace_id[16];
	__u8 span_id[8];
	__u8 valid; /* 1 */
	__u8 flags;
	__u16 n_bytes; /* of attributes, which follow: u8 key, u8 length, the bytes */
};

/* PMB_REC_CONTEXT */
struct pmb_context {
	struct pmb_rec rec;
	__u64 id;
	__u32 tgid;
	__u32 n_bytes; /* <= PMB_CONTEXT_MAX */
	__u8 trace_id[16];
	__u64 bytes[PMB_CONTEXT_WORDS]; /* only so many words as hold them travel */
};

#endif
