/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Between the files of `pmubpf list` (list*.c). */
#ifndef PMUBPF_CMD_LIST_H
#define PMUBPF_CMD_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "cmd/event_args.h"
#include "pmu/event.h"
#include "pmu/probe.h"
#include "render/json.h"

struct list_options {
	bool json;
	bool verbose;
	const char *pattern;
	struct event_args what; /* without -e */
};

enum group { YOURS, WELL_KNOWN, FROM_PMUS, FROM_DB, N_GROUPS };

struct row {
	enum group group;
	bool if_here; /* shown only if the machine has it, or with -v */
	char *name;
	struct event_list parsed; /* one event, or none where sysfs describes it in no usable way */
	struct probe_result probe;
};

struct rows {
	struct row *rows;
	size_t n, cap;
	const struct event_names *names; /* borrowed */
};

/* Every event that options want, each tried. */
void rows__collect(struct rows *rows, const struct list_options *options);
void rows__done(struct rows *rows);
const struct event *row__event(const struct row *row); /* NULL: sysfs is unclear */

void rows__put_table(struct buf *out, const struct rows *rows, bool verbose);
void rows__put_json(struct buf *out, const struct rows *rows);

/* What there is to know of some events, by trying: it takes a while each. */
void cards__put_text(struct buf *out, const struct event_list *events);
void cards__put_json(struct buf *out, const struct event_list *events);

/* Names come from sysfs: a control byte in one must not reach the terminal. */
void put_printable(struct buf *out, const char *text);
/* The keys that a row and a card have in common, in an open object. */
void put_event_keys(struct json *j, const char *name, enum group group, const struct event *event,
		    const struct probe_result *probe);

#endif
