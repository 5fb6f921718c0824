/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What of a part is shown, and how: rows of some keys, sorted, of some of its samples. */
#ifndef PMUBPF_CMD_TOP_VIEW_H
#define PMUBPF_CMD_TOP_VIEW_H

#include <stdbool.h>

#include "base/err.h"
#include "prof/prof.h"
#include "prof/select.h"
#include "render/report.h"

/* All texts are borrowed. */
struct top_view {
	const char *by;
	const char *sort; /* as --sort; NULL: self of the first event */
	enum group_shape shape;
	struct selection selection;
	size_t limit;     /* rows within each row; 0: all */
	double min_share; /* percent */
	unsigned width;   /* of the text; 0: any */
	bool color;
};

struct top_rows {
	struct prof *selected; /* NULL: all of it */
	struct prof_key *keys;
	size_t n_keys;
	struct group *group;
	struct report report;
};

/* The rows that a profile has in that view. prof and view must live as long; rows are to be freed
 * with top_rows__done, whatever it returns. */
int top_rows__make(struct top_rows *ret, const struct top_view *view, const struct prof *prof,
		   struct err *err);
void top_rows__done(struct top_rows *rows);

/* Whether such a view can be had of a recording of events with these names, before it begins. */
int top_view__check(const struct top_view *view, const char *const *events, size_t n,
		    struct err *err);

#endif
