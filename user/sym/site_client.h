/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Asks a helper of its own where in files probes of functions go (symd/elf_site.h). */
#ifndef PMUBPF_SYM_SITE_CLIENT_H
#define PMUBPF_SYM_SITE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/nearest.h"
#include "pmubpf/block_class.h"

struct site_client;

struct site {
	uint64_t file_off;
	uint64_t counter_off; /* of what turns it on; 0: none */
	bool emulated;        /* the kernel carries it out itself; else it is single-stepped */
	uint8_t when;         /* of an exit: as in symd/code_exits.h */
};

struct site_client *site_client__new(int (*child)(int sock)); /* NULL: symd */
struct site_client *site_client__free(struct site_client *c); /* NULL is fine; returns NULL */

/* fd: the file, as the opener lends it; borrowed. name: as the linker has it, or as its author
 * wrote it (symd/elf_found.h). what, option: of whom, for the sentence.
 * -errno with the sentence; -ENOLINK: the file has no such function, but uses another's. */
int site_client__find(struct site_client *c, int fd, const char *name, uint64_t offset,
		      const char *what, struct site *ret, struct err *err);

/* What was found last is called so, if that isn't what was asked for; until the next question. */
const char *site_client__called(const struct site_client *c);
/* It is a function of Go's. */
bool site_client__of_go(const struct site_client *c);
/* Offers names of the file's functions that are near. */
void site_client__near(struct site_client *c, int fd, const char *name, struct nearest *nearest);

enum { SITES_MAX = 64 };
/* The same of a probe of the program's own, which may be in several places. */
int site_client__find_usdt(struct site_client *c, int fd, const char *provider, const char *name,
			   const char *what, struct site ret[SITES_MAX], size_t *ret_n,
			   struct err *err);
struct site_entry {
	uint16_t kept; /* where it keeps its return address, as in symd/code_kept.h */
	uint8_t grows; /* of Go's functions: as in symd/code_go.h, when; 0: it doesn't */
};

/* A function's entry, first, and all places where it is left. */
int site_client__find_function(struct site_client *c, int fd, const char *name, const char *what,
			       struct site ret[SITES_MAX], size_t *ret_n,
			       struct site_entry *ret_entry, struct err *err);

struct site_name {
	const char *name;
	unsigned arguments; /* that are looked at, from the first on */
};
typedef void (*site_found_fn)(void *ctx, size_t which, const struct site *sites, size_t n);
/* meanwhile: called every 10 ms at least while an answer is waited for. */
void site_client__between(struct site_client *c, void (*meanwhile)(void *ctx), void *ctx);
/*
 * The same of functions that are called for their result, all in one question, and within that
 * time, without what is waited for a CPU (-ETIMEDOUT). found for each: its entry, first; where it
 * or what it goes on as returns; and jumps to other files (emulated), as symd/elf_returns.h. Where
 * the first is not there, none is looked for.
 */
int site_client__find_returns(struct site_client *c, int fd, const struct site_name *names,
			      size_t n, uint64_t within_ns, const char *what, site_found_fn found,
			      void *ctx, struct err *err);

/* The conditional jumps of a function (symd/elf_branches.h). */
enum site_jump_kind {
	SITE_JUMP_EMULATED, /* the kernel carries it out itself, so it may be probed */
	SITE_JUMP_STEPPED,
	SITE_JUMP_UNREACHED, /* it may be data */
};
struct site_jump {
	uint32_t at;       /* from the function's beginning */
	uint8_t condition; /* x86's, 0 to 15 */
	enum site_jump_kind kind;
};
struct site_jumps {
	uint64_t vaddr, file_off, size; /* of the function */
	struct site_jump *list;
	size_t n, n_all; /* known, and that there are */
};
struct site_function {
	const char *name;
	uint64_t file_off;          /* name NULL: the function that holds this */
	enum pmb_block_class class; /* not PMB_BLOCK_NONE: its instructions of it, not jumps */
};
/* 0: *ret has them, and the caller frees the list; 1: the file has no such function. Of one without
 * a name site_client__called() has that, if there is one. */
int site_client__find_jumps(struct site_client *c, int fd, const struct site_function *function,
			    const char *what, struct site_jumps *ret, struct err *err);
/* Whether a process has that code of the file at the address. memory: of its /proc/PID/mem;
 * borrowed, as fd. 1 or 0. */
int site_client__is_same_code(struct site_client *c, int fd, int memory,
			      const struct site_jumps *jumps, uint64_t addr, const char *what,
			      struct err *err);

#endif
