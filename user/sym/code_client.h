/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Asks a helper process of its own about the code that one process's runtime has made, again and
 * again, and never waits:
 *
 *	code_client__start() → code_client__finish(), round after round
 *
 * A helper reads the memory of one process only. One that dies, lies, or waits for memory that
 * doesn't come is given up: that process's code should not be asked about again.
 */
#ifndef PMUBPF_SYM_CODE_CLIENT_H
#define PMUBPF_SYM_CODE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum code_status {
	CODE_PENDING, /* nothing is finished: ask again */
	CODE_READ,    /* there is some that wasn't there before */
	CODE_SAME,    /* there is none */
	CODE_NAMED,   /* there is none, but more names */
	CODE_NOT_YET, /* there is none at all */
	CODE_UNKNOWN, /* this version isn't understood */
	CODE_NO_MEMORY,
	CODE_HELPER, /* the helper failed */
};

enum { CODE_TEXT_MAX = 64, CODE_PLACES_MAX = 4096 };
#define CODE_SPAN_MAX (1ULL << 32)

struct code_answer {
	enum code_status status;
	uint64_t from, to;        /* where all of it lies; checked */
	int table;                /* CODE_READ: the caller's: unwind_table__read() */
	int names;                /* CODE_READ, CODE_NAMED: the caller's: SYM_CODE_MAP */
	char text[CODE_TEXT_MAX]; /* of the version, or what was missing; hostile */
	uint64_t took_ns;         /* of CPU time */
};

struct code_client;

/* child: as for table_client__new(). */
struct code_client *code_client__new(int (*child)(int sock));
struct code_client *code_client__free(struct code_client *c); /* NULL is fine; returns NULL */

/* What is asked for. */
struct code_wanted {
	bool only_places;        /* code that isn't known stays so */
	int mem;                 /* /proc/PID/mem; borrowed until start returns */
	uint64_t structs, types; /* where it describes itself */
	const uint64_t *places;  /* that samples met, and that aren't in the names yet */
	size_t n_places;         /* CODE_PLACES_MAX at most */
};

/* -EBUSY: a request is under way. Otherwise the answer is the next finish's: 0. */
int code_client__start(struct code_client *c, const struct code_wanted *wanted);
/* CODE_PENDING: nothing is finished. */
struct code_answer code_client__finish(struct code_client *c);
bool code_client__is_busy(const struct code_client *c);
/* As those of table_client.h. */
uint64_t code_client__cpu_ns(const struct code_client *c);
uint64_t code_client__rss_bytes(const struct code_client *c);
char *code_client__trouble(const struct code_client *c);

#endif
