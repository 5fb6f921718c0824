/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A part of what a fleet has sent to ClickHouse, as one profile. */
#ifndef PMUBPF_SHIP_FLEET_H
#define PMUBPF_SHIP_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "prof/name_book.h"
#include "prof/prof.h"
#include "prof/select.h"
#include "ship/http_client.h"

enum { FLEET_STACKS = 20000, FLEET_REMARKS = 20000 /* windows */ };

struct fleet_ask {
	/* since 1970: windows that overlap that time; INT64_MIN, INT64_MAX: no bound */
	int64_t since_ns, until_ns;
	const char *host; /* NULL: any */
	/* Of labels that have a column; others are passed over: who asks picks them out. */
	const struct label_filter *labels;
	size_t n_labels;
	/* What samples are to be told apart by, separated by commas: host, labels that have a
	 * column, or what no label says; NULL: all labels. Of many hosts that is far less. */
	const char *apart;
	size_t stacks;      /* with the most samples, the rest is [other] */
	uint64_t max_bytes; /* of all replies; 0: PPROF_MAX_BYTES */
};

struct fleet_news {
	uint64_t windows;
	uint64_t torn;            /* of them, whose rows there are not as many as were sent */
	uint64_t outlived;        /* the same, of an age at which samples are removed */
	int64_t first_ns, end_ns; /* when the first began, and all had ended */
	size_t missing;           /* stacks that the server doesn't know */
	bool without_remarks;     /* there are too many windows to add theirs up */
};

/* The caller frees *ret. -ENODATA: there is nothing of that time. */
int fleet__load(struct prof **ret, struct http_client *http, const struct fleet_ask *ask,
		struct fleet_news *news, struct err *err);

/*
 * What frames without a name the samples of that have, of files with a build-id: the book wants
 * them. *ret_all false: there are more. -ENODATA: there is nothing of that time.
 */
int fleet__unnamed(struct name_book *b, struct http_client *http, const struct fleet_ask *ask,
		   bool *ret_all, struct err *err);

#endif
