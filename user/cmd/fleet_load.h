/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --from clickhouse+http://…: what a fleet has sent (pmubpf-ship(1)) of a range of time, as one
 * profile; and the options that go with it. */
#ifndef PMUBPF_CMD_FLEET_LOAD_H
#define PMUBPF_CMD_FLEET_LOAD_H

#include "base/err.h"
#include "prof/pprof_read.h"
#include "prof/prof.h"
#include "prof/select.h"
#include "ship/http_client.h"
#include "ship/url.h"
#include "spool/times.h"

struct fleet_from {
	/* labels; samples without them aren't asked for, nor are they of any total; borrowed; NULL:
	 * all are */
	const struct selection *only;
	const char *apart;            /* fleet_from__tell_apart() */
	const char *host;             /* NULL: any */
	const char *credentials, *ca; /* files; NULL: none, the system's */
};

enum { FLEET_HOST = 512, FLEET_CREDENTIALS, FLEET_CA };

/* Of an array of struct argp_option. */
#define FLEET_OPTION(key, name, arg, text) \
	{                                  \
		name, key, arg, 0, text, 0 \
	}
#define FLEET_OPTIONS                                                                     \
	FLEET_OPTION(FLEET_HOST, "host", "NAME", "Of a server: of this host only"),       \
		FLEET_OPTION(FLEET_CREDENTIALS, "credentials", "FILE",                    \
			     "Of a server: USER:PASSWORD is its first line"),             \
		FLEET_OPTION(FLEET_CA, "ca", "FILE",                                      \
			     "Of a server: certificates that sign its own (default: the " \
			     "system's)")

/* One of them; ARGP_ERR_UNKNOWN: it is none. */
int fleet_from__option(struct fleet_from *from, int key, const char *arg);
/* 0, or a usage error: those options are of a URL. */
int fleet_from__check(const struct fleet_from *from, const char *dir, struct err *err);

/* What is shown is told apart by these keys alone (borrowed), and by no label otherwise: where a
 * server can add that up, only those sums are asked for. After `only`. */
void fleet_from__tell_apart(struct fleet_from *from, const char *keys);

/* Who asks a server, and as whom. */
struct fleet_connection {
	struct ship_url url;
	struct http_secrets secrets;
	struct http_client *http;
};
/* The caller frees with its done, whatever it returned. */
int fleet_from__connect(struct fleet_connection *ret, const char *url,
			const struct fleet_from *from, struct err *err);
void fleet_connection__done(struct fleet_connection *c);

/* What the server doesn't know is said on standard error. As from__load() else. */
int fleet_from__load(struct prof **ret, char **ret_title, const char *url,
		     const struct time_range *range, const struct fleet_from *from,
		     const struct pprof_limits *limits, struct err *err);

#endif
