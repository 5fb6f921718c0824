/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How far a spool was sent to one destination: a small file in a folder of its own, replaced as a
 * whole after each window, so that whoever is killed at any time goes on from there.
 */
#ifndef PMUBPF_SHIP_STATE_H
#define PMUBPF_SHIP_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "spool/window_name.h"

enum { STATE_BOOTS = 256, STATE_BYTES_MAX = 65536 };

struct ship_state {
	struct window_id
		next[STATE_BOOTS]; /* of each boot: the number after the last that is done */
	size_t n_boots;
	struct window_id sending;                   /* which may be half there; boot empty: none */
	uint64_t sent, refused, expired, uncertain; /* windows, ever */
};

/* Pure. */
void ship_state__print(const struct ship_state *s, const char *to, struct buf *out);
bool ship_state__parse(struct ship_state *s, const char *text, const char *to);
/* The number to go on with; -1: nothing is known of that boot. */
int64_t ship_state__next(const struct ship_state *s, const char *boot);
/* The oldest boot goes when there is no room. */
void ship_state__set_next(struct ship_state *s, const struct window_id *next);

/* The windows in a folder that aren't done yet, by number: the next one is what the cursor stands
 * at, whatever the dates say. list grows, and is the caller's. */
int ship_state__list(const struct ship_state *s, int spool, struct window_id **list, size_t *ret_n,
		     size_t *cap, struct err *err);
/* Opens the folder, or makes it (0700), and locks it; option is what sentences call it. wait_ms:
 * who has it may just be ending. A descriptor, or a negative errno with the sentence. */
int ship_state__open(const char *path, const char *option, int wait_ms, struct err *err);
/* Locks what is written down of that destination, as long as the descriptor is open that it
 * returns: of senders in one folder no two have the same. Or a negative errno with the sentence. */
int ship_state__lock(int dir, const char *to, int wait_ms, struct err *err);
/* 0, -ENOENT: there is none, *s is empty; or a negative errno with the sentence. */
int ship_state__load(struct ship_state *s, int dir, const char *to, struct err *err);
int ship_state__save(const struct ship_state *s, int dir, const char *to, struct err *err);

#endif
