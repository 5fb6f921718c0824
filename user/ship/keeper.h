/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Senders beside an agent: a process for each destination (ship/sender.h), and one that starts them
 * again when they end. That one is started before the agent gives the network up, and with all that
 * they need already open; from then on nobody else can start them.
 */
#ifndef PMUBPF_SHIP_KEEPER_H
#define PMUBPF_SHIP_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "ship/http_client.h"
#include "ship/url.h"

enum { DESTINATIONS_MAX = 8 };

struct destination {
	const char *to; /* the URL */
	struct ship_url url;
	struct http_secrets secrets;
};

struct keeper_opts {
	const struct destination *destinations;
	size_t n;
	int spool, state; /* folders */
	const char *host; /* what this one is called */
	size_t max_stacks;
	/* What a sender has to say: a sentence. Called in its process. */
	void (*say)(const char *to, const char *text);
};

/* What became of the windows of one destination, ever; and of its sender. */
struct destination_books {
	uint64_t sent, refused, expired, uncertain;
	uint64_t starts;
	uint64_t running; /* 1: it is */
};

struct keeper {
	pid_t pid; /* 0: none */
	int sock;  /* -1: it has ended, and none sends any more */
	size_t n;
	struct destination_books books[DESTINATIONS_MAX];
};

/* All of opts is borrowed until it returns. */
int keeper__start(struct keeper *k, const struct keeper_opts *opts, struct err *err);
/* Takes news, without waiting. */
void keeper__step(struct keeper *k);
/* It ends, and they with it. */
void keeper__done(struct keeper *k);

#endif
