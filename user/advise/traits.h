/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a sample shows, as far as its stack and its labels say it for certain: a CPU was in the page
 * fault handler, a thread waited for a lock. Rules add such samples up. By names of functions of
 * the kernel, of the C library and of runtimes, never by a program's.
 */
#ifndef PMUBPF_ADVISE_TRAITS_H
#define PMUBPF_ADVISE_TRAITS_H

#include "prof/frames.h"
#include "prof/prof.h"

enum trait {
	TRAIT_RUNS = 1 << 0,         /* somebody's code: not [idle], nor what is none */
	TRAIT_FAULTS = 1 << 1,       /* in the page fault handler */
	TRAIT_GIVES_BACK = 1 << 2,   /* an allocator gives memory back to the kernel */
	TRAIT_CALLS = 1 << 3,        /* in a system call, and not copying data there */
	TRAIT_SWITCHES = 1 << 4,     /* the scheduler: a switch, a wake-up */
	TRAIT_STARTS = 1 << 5,       /* a process or a thread begins or ends */
	TRAIT_SPINS = 1 << 6,        /* goes round in circles until a lock is free, or yields */
	TRAIT_COPIES = 1 << 7,       /* memcpy, memmove, memset of programs */
	TRAIT_NAMELESS = 1 << 8,     /* code of a program without a name */
	TRAIT_UNINLINED = 1 << 9,    /* a one-line function of a library's header, called */
	TRAIT_INTERPRETED = 1 << 10, /* an interpreter's own work */
	TRAIT_LOCK = 1 << 11,        /* had no CPU: waited for a lock */
	TRAIT_QUEUE = 1 << 12,       /* had no CPU: could have run */
	TRAIT_IO = 1 << 13,          /* had no CPU: waited for a disk */
	TRAIT_ADDRESS = 1 << 14,     /* says which cache line it touched */
	TRAIT_FALSE_SHARING = 1 << 15,
	TRAIT_WAITS = 1 << 16,    /* had no CPU, for whatever reason */
	TRAIT_RECLAIMS = 1 << 17, /* looks for memory that can be taken away */
	TRAIT_SOURCE = 1 << 18,   /* says where data came from */
	TRAIT_REMOTE = 1 << 19,   /* from another NUMA node */
	TRAIT_STRINGS = 1 << 20,  /* strlen, strcat, strcmp, … of programs */
};

/* Begins as {.prof = p}; of one profile, to which nothing is added meanwhile. */
struct traits {
	const struct prof *prof;   /* borrowed */
	struct prof_frames frames; /* of the sample that was asked for last, leaf first */
	uint32_t *groups;          /* of names, by function */
};

/* TRAIT_… of a sample. */
uint32_t traits__of(struct traits *traits, const struct prof_sample *sample);
void traits__done(struct traits *traits);

/* Of traits' frames: the first that isn't the kernel's; their number: there is none. */
size_t traits__first_of_program(const struct traits *traits);
/* The first behind the functions that wait for a lock, if there are any. */
size_t traits__first_behind_lock(struct traits *traits);
/* The function of the system call that they are in, or 0; the call's name, of such a function. */
uint32_t traits__call(const struct traits *traits);
const char *traits__call_name(const struct traits *traits, uint32_t function);

#endif
