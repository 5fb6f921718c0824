/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The process that answers Prometheus: GET /metrics gets the last text that it was handed. It is
 * nobody, has no capability, no files and no network but the sockets that it was asked by, and
 * whoever asks can make it neither wait nor grow.
 */
#ifndef PMUBPF_SHIP_SCRAPE_H
#define PMUBPF_SHIP_SCRAPE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

enum {
	SCRAPE_CLIENTS = 16,    /* at a time; then the oldest goes */
	SCRAPE_REQUEST = 8192,  /* bytes of a request */
	SCRAPE_SECONDS = 10,    /* that one may take, with its answer */
	SCRAPE_TEXT = 16 << 20, /* bytes of an answer, at most */
};

struct scrape {
	int listener; /* -1: none */
	pid_t pid;    /* 0: none */
	int sock;
	uint64_t retry_ns;
};

/*
 * "ADDRESS:PORT", "[ADDRESS]:PORT", ":PORT" or "PORT": the last two are of 127.0.0.1. Port 0: any;
 * *ret_port says which. A descriptor, the caller's, or a negative errno with the sentence.
 */
int scrape__open(const char *where, unsigned *ret_port, struct err *err);
/* Takes it, and starts the process. */
int scrape__start(struct scrape *s, int listener, struct err *err);
/* Whether that is an address and a port. */
int scrape__check(const char *where, struct err *err);
/* The text from now on. Doesn't wait; a process that has ended is started again. */
void scrape__put(struct scrape *s, const struct buf *text);
/* It has ended: whoever asks waits for the next text. */
bool scrape__has_gone(const struct scrape *s);
void scrape__done(struct scrape *s);

#endif
