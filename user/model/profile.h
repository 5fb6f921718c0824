/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The profile: what was running when counters overflowed, and the weight of it. Frames, stacks and
 * command names are interned and named by small numbers, so memory grows with what is distinct, not
 * with time; and only up to a limit, beyond which the rarest rows become one row `[other]` of their
 * event and comm. No weight is ever lost.
 */
#ifndef PMUBPF_MODEL_PROFILE_H
#define PMUBPF_MODEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/types.h>

#include "pmubpf/record.h"

/* Where code lies, independent of address randomisation: a kind, a file, an offset in it. */
enum frame_kind {
	FRAME_UNKNOWN,    /* no mapping holds it; file and off are 0 */
	FRAME_KERNEL,     /* off: kernel address; file 0 */
	FRAME_FILE,       /* off: file offset; file: id in proc/files.h */
	FRAME_JIT,        /* off: virtual address in the process that file stands for, or what its
			     interpreter runs (pmubpf/hotspot.h) */
	FRAME_ARTIFICIAL, /* off: enum artificial; file 0 */
	FRAME_OBJECT,     /* an interpreter's: off: place in model/objects.h; file 0 */
	FRAME_SCRIPT,     /* the same of JavaScript, whoever runs it */
	FRAME_DATA,       /* no code: off: model/data_place.h; file: as above */
};

/* What a runtime has, and no address: Python's functions and JavaScript's. */
static inline bool frame_kind__is_object(enum frame_kind kind)
{
	return kind == FRAME_OBJECT || kind == FRAME_SCRIPT;
}

/* Functions that no program has: weight that can't be, or is no longer, tied to code. X(id,
 * name) */
#define ARTIFICIAL_FRAMES(X)                    \
	X(OTHER, "[other]")                     \
	X(IDLE, "[idle]")                       \
	X(NOT_PROGRAM, "[not-program-related]") \
	X(OUTSIDE, "[outside]")                 \
	X(UPROBES, "[uprobes]")

enum artificial {
#define X(id, name) ARTIFICIAL_##id,
	ARTIFICIAL_FRAMES(X) N_ARTIFICIAL
#undef X
};

extern const char *const artificial_names[N_ARTIFICIAL];

struct frame {
	uint32_t kind;
	uint32_t file;
	uint64_t off;
};

/* …and so much more, if it may have lasted longer. */
enum { PROFILE_AT_LEAST = 128 };

/* A command as it is shown: one that begins as [other] does is in quotes. A multiple of 4. */
enum { PROFILE_COMM_ROOM = PMB_COMM_LEN + 4 };

/* What a row may be told apart by besides; members that nobody asked for are 0. */
struct profile_labels {
	uint64_t cgroup;
	uint32_t tgid, tid;
	uint32_t cpu;    /* one more than its number */
	uint32_t status; /* enum pmb_unwind_status of the user stack; there is none: the kernel's */
	uint32_t user;   /* one more than the number */
	uint32_t segment;   /* of the data; enum pmb_segment */
	uint64_t data_addr; /* of the data */
	uint64_t data_src;  /* union perf_mem_data_src */
	uint32_t latency;   /* of the access, in cycles, rounded down to a power of 2 */
	uint32_t duration;  /* of the window: one more than its binary logarithm in ns… */
	uint32_t window;    /* one more than struct pmb_part_window.what */
	uint32_t window_number;
	uint32_t site;      /* of the data's page; model/sites.h */
	uint32_t map_site;  /* of who asked the kernel for it; the same */
	uint32_t node;      /* one more than the NUMA node that the data is on */
	uint32_t off_state; /* enum pmb_off_state, and 8 bits above it pmb_part_off.call */
	char waker[PMB_COMM_LEN];
	uint32_t moment;                 /* one more than the step of the timeline that it was in */
	uint32_t context;                /* what the thread worked on; model/contexts.h */
	uint32_t interrupted;            /* as struct pmb_sample's */
	char sibling[PROFILE_COMM_ROOM]; /* who had the core's other thread; empty: nobody asked */
};

/* Of a sample that is about data: what is needed to say which instruction addressed it. */
struct profile_access {
	uint64_t addr;   /* 0: none came */
	uint32_t n_regs; /* 0: none came */
	uint32_t kind;   /* what the hardware says of it: PMB_OPERAND_LOAD, _STORE; 0: nothing */
	uint64_t regs[PMB_DATA_REGS];
};

/* One line of the profile. Stacks are 0 for "none". */
struct profile_key {
	uint32_t event;
	uint32_t comm;
	uint32_t kernel_stack;
	uint32_t user_stack;
	uint64_t addr; /* data address or its page; only when has_addr */
	uint32_t has_addr;
	uint32_t labels; /* 0: none */
	uint32_t data;   /* a stack of one FRAME_DATA: what it is about */
	uint32_t access; /* a struct profile_access; 0: none */
};

struct profile_row {
	struct profile_key key;
	uint64_t samples;
	uint64_t weight;
	uint64_t latency; /* cycles that what they stand for took, as far as a PMU said so */
};

/* What of an event lies in rows [other]. */
struct profile_other {
	uint64_t samples;
	uint64_t weight;
	uint64_t
		/* that were given up; one that comes back and is given up again counts again */
		rows;
};

struct profile;

struct profile *profile__new(void);
struct profile *profile__free(struct profile *p);

uint32_t profile__comm(struct profile *p, const char *comm);
uint32_t profile__frame(struct profile *p, const struct frame *frame);
/* frames: ids from profile__frame, leaf first; n may be 0 (the answer is then stack 0). */
uint32_t profile__stack(struct profile *p, const uint32_t *frames, uint32_t n);
/* A stack of one artificial frame. */
uint32_t profile__artificial(struct profile *p, enum artificial what);
uint32_t profile__labels(struct profile *p, const struct profile_labels *labels);
uint32_t profile__access(struct profile *p, const struct profile_access *access);
void profile__add(struct profile *p, const struct profile_key *key, uint64_t weight);
/* The same of a sample whose access took so many cycles. */
void profile__add_access(struct profile *p, const struct profile_key *key, uint64_t weight,
			 uint32_t latency);

/* The same of another profile. */
uint32_t profile__copy_stack(struct profile *to, const struct profile *from, uint32_t stack);
uint32_t profile__copy_access(struct profile *to, const struct profile *from, uint32_t access);
/* Adds all rows of another, whose files are the same. */
void profile__merge(struct profile *to, const struct profile *from);

/* How much memory the tables may take; 0 (from the start): any. */
void profile__set_limit(struct profile *p, size_t bytes);
/* True if the tables are beyond the limit. */
bool profile__full(struct profile *p);
/*
 * Brings the tables below the limit if they are beyond it: call it after each profile__add. Returns
 * true if it had to: then all numbers of comms, frames, stacks and labels that the caller holds are
 * void. Its cost is linear in the tables, but it halves them, so for one sample it is constant.
 */
bool profile__trim(struct profile *p);

/* Reading it. Borrowed pointers, valid until the next change. */
const char *profile__comm_text(const struct profile *p, uint32_t comm);
size_t profile__frames(const struct profile *p, const struct frame **ret); /* by id */
uint32_t profile__stack_frames(const struct profile *p, uint32_t stack, const uint32_t **ret);
/* The innermost frame: where a row's samples were taken; 0: nobody knows. */
uint32_t profile__leaf(const struct profile *p, const struct profile_key *key);
struct profile_labels profile__label_set(const struct profile *p, uint32_t labels);
/* NULL: none. */
const struct profile_access *profile__access_of(const struct profile *p, uint32_t access);
size_t profile__rows(const struct profile *p, const struct profile_row **ret);
struct profile_other profile__other(const struct profile *p, uint32_t event);
size_t profile__bytes(const struct profile *p);
unsigned profile__trims(const struct profile *p); /* how often it was beyond its limit */

#endif
