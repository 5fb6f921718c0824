/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The text of --window: when a window opens and closes. Pure; what it means for this machine is
 * found out later.
 *
 * 	SPEC  = [NAME=]( loop | run | syscall[:CALL] | PROBE | PROBE..PROBE )
 * 	PROBE = u:[FILE:]FUNC[+OFFSET] | usdt:FILE:PROVIDER:NAME | t:CATEGORY:NAME | k:FUNC | f:FUNC
 * 	      | x:ADDRESS | any text of -e with a period
 *
 * NAME is a letter, then letters, digits and _. FILE begins with /. ".." is between two probes only
 * before one of the words with a colon above, mem: among them, or before a text of -e with a
 * period.
 */
#ifndef PMUBPF_PMU_WINDOW_SPEC_H
#define PMUBPF_PMU_WINDOW_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum window_kind {
	WINDOW_NONE,
	WINDOW_LOOP,     /* between the calls in which a thread waits for work */
	WINDOW_RUN,      /* from when a thread gets a CPU until it loses it */
	WINDOW_SYSCALL,  /* a system call */
	WINDOW_FUNCTION, /* from a function's entry to its exit */
	WINDOW_BETWEEN,  /* from one probe to another; a toggle, if they are the same */
	WINDOW_HITS,     /* from one time that a probe is met to the next; where hits are taken */
};

enum probe_kind {
	PROBE_NONE,
	PROBE_USER,       /* u: */
	PROBE_USDT,       /* usdt: */
	PROBE_TRACEPOINT, /* t: */
	PROBE_KERNEL,     /* k: */
	PROBE_FENTRY,     /* f: */
	PROBE_ADDRESS,    /* x: */
	PROBE_EVENT,      /* a text of -e */
};

struct window_probe {
	enum probe_kind kind;
	char *file;      /* PROBE_USER (NULL: any), PROBE_USDT */
	char *group;     /* provider, category */
	char *name;      /* function, name, text of the event; PROBE_ADDRESS: of its breakpoint */
	uint64_t offset; /* from the function; PROBE_ADDRESS: the address */
};

struct window_spec {
	enum window_kind kind;
	const char *option; /* that it was given to, for sentences; borrowed */
	char *name;         /* as given, or else the text */
	char *call;         /* WINDOW_SYSCALL; NULL: any */
	struct window_probe from, to;
};

/* A window is any call of the kernel: which one it is stands beside its name. */
static inline bool window_spec__is_any_call(const struct window_spec *spec)
{
	return spec->kind == WINDOW_SYSCALL && !spec->call;
}

/* hits: a single PROBE that is a moment will do. -EINVAL with the sentence. ret is to be given up
 * in any case. */
int window_spec__parse(struct window_spec *ret, const char *option, bool hits, const char *text,
		       struct err *err);
void window_spec__done(struct window_spec *spec);

#endif
