/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Asks a helper of its own where in files probes of functions go (symd/elf_site.h). */
#ifndef PMUBPF_SYM_SITE_CLIENT_H
#define PMUBPF_SYM_SITE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct site_client;

struct site {
	uint64_t file_off;
	uint64_t counter_off; /* of what turns it on; 0: none */
	bool emulated;        /* the kernel carries it out itself; else it is single-stepped */
	uint8_t when;         /* of an exit: as in symd/code_exits.h */
};

struct site_client *site_client__new(int (*child)(int sock)); /* NULL: symd */
struct site_client *site_client__free(struct site_client *c); /* NULL is fine; returns NULL */

/* fd: the file, as the opener lends it; borrowed. what, option: of whom, for the sentence.
 * -errno with the sentence. */
int site_client__find(struct site_client *c, int fd, const char *name, uint64_t offset,
		      const char *what, struct site *ret, struct err *err);

enum { SITES_MAX = 64 };
/* The same of a probe of the program's own, which may be in several places. */
int site_client__find_usdt(struct site_client *c, int fd, const char *provider, const char *name,
			   const char *what, struct site ret[SITES_MAX], size_t *ret_n,
			   struct err *err);
/* A function's entry, first, and all places where it is left. */
int site_client__find_function(struct site_client *c, int fd, const char *name, const char *what,
			       struct site ret[SITES_MAX], size_t *ret_n, struct err *err);

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

#endif
