/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Senders beside an agent: a process for each destination (ship/sending.h), and a keeper, which
 * starts them again when they end. The agent gives the network up, and can start no process that
 * has it from then on. So there are two of the keeper: one does nothing until the other has ended,
 * and whichever is there makes the next spare one. Only if both end at a time nobody is left; they
 * have different names, so that who ends all of a name leaves one.
 */
#ifndef PMUBPF_SHIP_KEEPER_H
#define PMUBPF_SHIP_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "ship/http_client.h"
#include "ship/rows.h"
#include "ship/url.h"

enum { DESTINATIONS_MAX = 8 };

struct destination {
	const char *to; /* the URL */
	struct ship_url url;
	struct http_secrets secrets;
};

struct keeper_settings {
	const struct destination *destinations;
	size_t n;
	int state;        /* a folder; -1: as it was */
	const char *host; /* what this one is called */
	struct rows_opts rows;
};

/* What a sender has to say: a sentence. Called in its process. */
typedef void keeper_say(const char *to, const char *text);

/* What became of the windows of one destination, ever; and of its sender. */
struct destination_books {
	uint64_t sent, refused, expired, uncertain;
	uint64_t starts;
	uint64_t running; /* 1: it is */
};

struct keeper_process {
	pid_t pid; /* 0: none */
	int sock;  /* -1: it has ended */
};

struct keeper {
	struct keeper_process first, spare;
	uint32_t generation; /* of what it was told */
	bool began;          /* the first one was told to send */
	bool is_asked;       /* for another spare one */
	uint64_t told_ns, not_before_ns, backoff_ns;
	size_t n;
	struct destination_books books[DESTINATIONS_MAX];
	uint64_t starts_before[DESTINATIONS_MAX]; /* of keepers that have ended */
};

/* Starts both. They do nothing until they are told what. */
int keeper__start(struct keeper *k, int spool, keeper_say *say, struct err *err);
/*
 * Where to send from now on. Senders whose destination is as it was go on; of others the books
 * begin with what was written down of them. places[i] is the number that destination i had until
 * now, or DESTINATIONS_MAX: it is new. All is borrowed until it returns. -EPIPE: nobody is there.
 */
int keeper__set(struct keeper *k, const struct keeper_settings *settings, const size_t *places);
/* A port for scrapes (ship/scrape.h), opened by who has the network: a descriptor, the caller's, or
 * a negative errno. Waits for the answer, not long. */
int keeper__listen(struct keeper *k, const char *where, unsigned *ret_port);
/* Takes news, without waiting; starts what has to be. */
void keeper__step(struct keeper *k);
/* Has an epoll watch for news of theirs, so that one that ends isn't missed for long. */
void keeper__watch(const struct keeper *k, int epoll);
/* Both have ended, and none sends any more. */
bool keeper__is_over(const struct keeper *k);
/* They end, and the senders with them. */
void keeper__done(struct keeper *k);

#endif
