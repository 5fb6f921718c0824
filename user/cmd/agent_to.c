// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/agent_to.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "cmd/share_arg.h"
#include "ship/state.h"

/* Options without a letter, apart from those of the subcommand. */
enum {
	OPT_TO = 9216,
	OPT_CREDENTIALS,
	OPT_CA,
	OPT_STATE,
	OPT_HOST,
	OPT_STACKS,
	OPT_SHARE,
};
enum { STATE_WAIT_MS = 2000 };

static const struct argp_option options[] = {
	{0, 0, 0, 0, "Where they go besides:", 7},
	{"to", OPT_TO, "URL", 0,
	 "Send them to clickhouse+http://HOST[:PORT]/DATABASE, s3+http://HOST[:PORT]/BUCKET, "
	 "pyroscope+http://HOST[:PORT] or otlp+http://HOST[:PORT], or by https, as `pmubpf ship' "
	 "does (may be given up to 8 times)",
	 0},
	{"credentials", OPT_CREDENTIALS, "FILE", 0,
	 "Of the --to before it: USER:PASSWORD is its first line (default: systemd's credential "
	 "`clickhouse', `s3', `pyroscope' or `otlp')",
	 0},
	{"ca", OPT_CA, "FILE", 0,
	 "Of the --to before it: certificates that sign the server's (default: the system's)", 0},
	{"state", OPT_STATE, "DIR", 0,
	 "Where it is written down how far was sent (default: `ship' in --dir)", 0},
	{"host", OPT_HOST, "NAME", 0,
	 "What this host is called there (default: as the kernel says)", 0},
	{"stacks", OPT_STACKS, "N", 0,
	 "At most N different stacks of a window, the rest is [other] there (default: 20000)", 0},
	{"share", OPT_SHARE, "PERCENT", 0,
	 "ClickHouse gets so many of the windows, which count for all: for large fleets (100, 50, "
	 "25, 20, 10, 5, 4, 2 or 1; default: 100)",
	 0},
	{0},
};

const char *const agent_to_belongs[][2] = {
	{"to", "credentials"},
	{"to", "ca"},
	{NULL, NULL},
};

static int add(struct agent_to *t, const char *url)
{
	if (t->n == DESTINATIONS_MAX)
		return err__usage(t->err, "--to can be given %d times", DESTINATIONS_MAX);
	for (size_t i = 0; i < t->n; i++) {
		if (strcmp(t->list[i].url, url) == 0)
			return err__usage(t->err, "--to '%s' is there twice", url);
	}
	t->list[t->n++].url = url;
	return 0;
}

static int set(struct agent_to *t, int key, const char *value)
{
	if (!t->n)
		return err__usage(t->err, "%s: of which server? It belongs behind its --to",
				  key == OPT_CA ? "--ca" : "--credentials");
	if (key == OPT_CA)
		t->list[t->n - 1].ca = value;
	else
		t->list[t->n - 1].credentials = value;
	return 0;
}

static int parse_option(struct agent_to *t, int key, char *arg)
{
	switch (key) {
	case OPT_TO:
		return add(t, arg);
	case OPT_CREDENTIALS:
	case OPT_CA:
		return set(t, key, arg);
	case OPT_STATE:
		t->state = arg;
		return 0;
	case OPT_HOST:
		t->host = arg;
		return 0;
	case OPT_STACKS:
		if (num__parse_int(arg, 1, INT32_MAX, &t->stacks) < 0)
			return err__usage(t->err, "--stacks '%s' is not a number from 1 on", arg);
		return 0;
	case OPT_SHARE:
		return share_arg__parse(arg, &t->one_of, t->err);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	int r = parse_option(state->input, key, arg);

	return r == ARGP_ERR_UNKNOWN ? ARGP_ERR_UNKNOWN : -r;
}

const struct argp agent_to_argp = {.options = options, .parser = parse};

int agent_to__check(const struct agent_to *t)
{
	if (!t->n && (t->state || t->host || t->stacks || t->one_of))
		return err__usage(t->err,
				  "--state, --host, --stacks and --share are about what is sent: "
				  "name a server, with --to");
	for (size_t i = 0; i < t->n; i++) {
		struct ship_url url = {0};
		int r = ship_url__parse_any(&url, t->list[i].url, "--to", t->err);

		ship_url__done(&url);
		if (r < 0)
			return r;
	}
	return 0;
}

static int open_all(const struct agent_to *t, struct destination *list, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < t->n; i++) {
		struct destination *d = &list[i];

		d->to = t->list[i].url;
		r = ship_url__parse_any(&d->url, d->to, "--to", err);
		if (r == 0)
			r = http_secrets__load(&d->secrets, t->list[i].credentials, &d->url, err);
		if (r == 0 && t->list[i].ca)
			r = http_secrets__load_ca(&d->secrets, t->list[i].ca, err);
	}
	return r;
}

void agent_to__say(const char *to, const char *text)
{
	fprintf(stderr, "pmubpf: %s: %s\n", to, text);
}

static size_t place_of(const struct agent_to *was, const char *url)
{
	for (size_t i = 0; was && i < was->n; i++) {
		if (strcmp(was->list[i].url, url) == 0)
			return i;
	}
	return DESTINATIONS_MAX;
}

int agent_to__open(const struct agent_to *t, const char *dir, const struct agent_to *was,
		   struct agent_to_opened *ret, struct err *err)
{
	_cleanup_free_ char *within = t->state ? NULL : xasprintf("%s/ship", dir);
	int r;

	*ret = (struct agent_to_opened){.n = t->n, .state = -1};
	for (size_t i = 0; i < DESTINATIONS_MAX; i++) {
		ret->list[i].secrets.ca = -1;
		ret->places[i] = i < t->n ? place_of(was, t->list[i].url) : DESTINATIONS_MAX;
	}
	r = open_all(t, ret->list, err);
	if (r == 0 && t->n && !(was && was->state_is_open)) {
		ret->state =
			ship_state__open(within ? within : t->state, "--state", STATE_WAIT_MS, err);
		r = ret->state < 0 ? ret->state : 0;
	}
	if (r < 0)
		agent_to_opened__done(ret);
	return r;
}

void agent_to_opened__done(struct agent_to_opened *o)
{
	for (size_t i = 0; i < DESTINATIONS_MAX; i++) {
		http_secrets__done(&o->list[i].secrets);
		ship_url__done(&o->list[i].url);
	}
	cleanup_close(&o->state);
	o->state = -1;
}

int agent_to__apply(struct agent_to *t, const struct agent_to_opened *opened, struct keeper *k)
{
	struct utsname names = {.nodename = "localhost"};
	struct keeper_settings settings = {
		.destinations = opened->list,
		.n = opened->n,
		.state = opened->state,
		.rows = {.max_stacks = (size_t)t->stacks, .one_of = t->one_of},
	};

	uname(&names);
	settings.host = t->host ? t->host : names.nodename;
	t->state_is_open |= opened->state >= 0;
	return keeper__set(k, &settings, opened->places);
}

void agent_to__print(const struct agent_to *t, const struct keeper *k, struct buf *out)
{
	for (size_t i = 0; i < k->n; i++) {
		const struct destination_books *b = &k->books[i];

		buf__printf(out,
			    "%s: %" PRIu64 " windows sent, %" PRIu64 " refused, %" PRIu64
			    " expired, %" PRIu64 " uncertain%s\n",
			    t->list[i].url, b->sent, b->refused, b->expired, b->uncertain,
			    b->running         ? "" :
			    keeper__is_over(k) ? "; nobody sends any more" :
						 "; its sender has ended and is started again");
	}
}
