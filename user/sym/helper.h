/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One helper process and the socket to it: started, asked, killed. It is replaced, never repaired:
 * after any failure its answers could belong to another question.
 */
#ifndef PMUBPF_SYM_HELPER_H
#define PMUBPF_SYM_HELPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/cursor.h"

/*
 * CPU time is limited by process (symd/sandbox.h), so between two files one that has worked so long
 * makes room for a new one: whoever comes next has at least the rest.
 */
enum { HELPER_WORK_S = 90 };

enum {
	/* Who was asked, sleeps, and has not run at all for so long waits for a server that
	 * doesn't answer. */
	HELPER_STILL_MS = 2000,
	/* That were killed and can't die: with more there is none. */
	HELPER_MAX_DYING = 8,
};

struct helper {
	int (*child)(int sock);        /* NULL: /proc/self/exe with this command: */
	const char *command;           /* NULL (as helper__init leaves it): symd */
	pid_t pid;                     /* 0: not running */
	pid_t dying[HELPER_MAX_DYING]; /* abandoned, and not reaped yet */
	int n_dying;
	int sock;
	bool greeted; /* its first words have come */
	uint32_t seq;
	uint16_t asked;
	uint64_t asked_ns;   /* when */
	uint64_t delayed_ns; /* …and how long it had waited for a CPU by then */
	uint64_t worked_ns;  /* how long its answers have taken, all together */
	uint64_t still_ns; /* HELPER_STILL_MS; 0: it may sleep for as long as an answer may take */
	uint64_t seen_ns,
		seen_cpu_ns; /* when it was last seen to have run, and how long it had by then */
	bool stuck;          /* the last one was given up because of that */
	int status; /* of the last one that has gone, as waitpid() tells it; -1: not known */
	struct buf request; /* built by the caller between helper__begin and helper__ask */
	char *reply;
	int written;      /* the file in memory that it was lent for its answer; -1: none */
	bool no_room;     /* there was none for it when it was asked last */
	uint64_t gone_ns; /* CPU time of those that were before it */
	int stop_fd; /* once it is readable, and stop_from_ns has come, nobody waits any more */
	uint64_t stop_from_ns;
	/* Called every 10 ms at least while anybody waits, for who must not be held up; NULL:
	 * nobody. */
	void (*meanwhile)(void *ctx);
	void *meanwhile_ctx;
};

void helper__init(struct helper *h, int (*child)(int sock));
void helper__done(struct helper *h);

/* Starts it if it isn't running and waits for its first words until deadline_ns (CLOCK_MONOTONIC).
 * 0 or negative errno. */
int helper__start(struct helper *h, uint64_t deadline_ns);
/* Waits a second for its end; who can't die (in a read from a dead server) is not waited for,
 * and reaped when it can. */
void helper__kill(struct helper *h);
/* Lets it end by itself, which it does once nobody can ask it any more, and has so long for that;
 * then it is killed. */
void helper__leave(struct helper *h, int timeout_ms);
/* -ECANCELED: it was stopped, see stop_fd. -ETIMEDOUT: nothing came. */
int helper__wait(const struct helper *h, short events, uint64_t deadline_ns);

void helper__begin(struct helper *h, uint16_t type);
/* True if it has had its time since it was asked. What it waited for a CPU doesn't count: on a
 * host with more work than CPUs an honest file would seem to hang. */
bool helper__is_late(const struct helper *h, uint64_t deadline_ns);
/* True if it is in a read that nobody answers, as far as one can see. */
bool helper__is_stuck(struct helper *h);
/* Sends the request with fd (-1: none; borrowed) and waits for its answer until deadline_ns. body
 * is then over what it says, valid until the next call. On failure (negative errno) the helper is
 * gone. */
int helper__ask(struct helper *h, int fd, uint64_t deadline_ns, struct cursor *body);

/*
 * The same without waiting for anything, for loops that must go on: spawn, begin…post, then take
 * whenever the socket is readable.
 */
/* -EBUSY: one that was abandoned is on its way out, or there are too many that can't go. */
int helper__spawn(struct helper *h);
/* Kills it; who it was is reaped when it's gone. */
void helper__abandon(struct helper *h);
/* Sends the request with fd (-1: none; borrowed) behind a new file in memory, so named, that the
 * answer is written into. On failure the helper is gone, but for want of that file (no_room). */
int helper__post(struct helper *h, int fd, const char *name);
/* -EAGAIN: no answer yet. On other failures the helper is gone. ret_written: the file, the
 * caller's, which the helper may still change; -1: there is none. */
int helper__take(struct helper *h, struct cursor *body, int *ret_written);

/* CPU time of it, and of those that it replaced. */
uint64_t helper__cpu_ns(const struct helper *h);
/* What became of the last one, from the error that ended it, for people: "was ended by signal 31
 * (Bad system call)". */
char *helper__obituary(const struct helper *h, int err);

#endif
