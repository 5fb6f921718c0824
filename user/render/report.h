/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A grouped profile for people (text), for programs (JSON), for spreadsheets (CSV). */
#ifndef PMUBPF_RENDER_REPORT_H
#define PMUBPF_RENDER_REPORT_H

#include "base/buf.h"
#include "model/derive.h"
#include "prof/group.h"
#include "render/json.h"

/* A ratio of two events of the profile, a column. */
struct report_ratio {
	size_t event, other; /* of the report's events */
	enum derived_kind kind;
	double factor; /* of the quotient */
	bool doubtful; /* one of them was not delivered in full: never a plain figure */
};

struct report {
	char *const *command_line; /* behind "pmubpf report" */
	char *const *files;
	size_t n_files;
	const struct prof *whole; /* what was read, */
	const struct prof *prof;  /* and what was selected of it */
	const struct group *group;
	const struct prof_key *keys;
	size_t n_keys;
	enum group_shape shape;
	bool flat;       /* only totals: of whole samples, where self is total, or of callers */
	bool confidence; /* 95 % confidence intervals of ratios */
	unsigned width;  /* of the text; 0: as wide as it gets */
	bool color;
	uint64_t max_bytes; /* rows stop before that; 0: any */
	size_t *n_cut;      /* gets how many did not fit, if any; NULL: none may be cut */

	/* by report__settle */
	struct prof_event *events;
	size_t n_events;
	struct report_ratio *ratios;
	size_t n_ratios;
};

/* Finds events and ratios. The caller ends it with report__done. */
void report__settle(struct report *report);
void report__done(struct report *report);

void report__text(const struct report *report, struct buf *out);
/* Of that the table alone: two lines of titles, and a line for each row, in the group's order. */
void report__table(const struct report *report, struct buf *out);
void report__json(const struct report *report, struct buf *out);
void report__csv(const struct report *report, struct buf *out);
/* Its events and rows as members of an object that others begin and end. */
void report__put_json(const struct report *report, struct json *j);

/* ---- between the files of the report */

/* The type that an event is measured in: events, else time, else samples. */
size_t report_event__type(const struct prof_event *event);

/* Its numbers as an object: samples, count, time_ns. */
void report_event__json(const struct prof_event *event, const char *key, const int64_t *values,
			struct json *j);

/* Of a row's values; few: a part has fewer than RATIO_FEW samples. */
enum { RATIO_FEW = 30 };
struct ratio_value {
	bool valid;
	double value;
	bool has_samples; /* else nobody knows how sure it is */
	bool few;
	double low, high;
};
/* Which events stand above and below the line. */
void report_ratio__parts(const struct report *report, const struct report_ratio *ratio,
			 const struct prof_event **ret_above, const struct prof_event **ret_below);
struct ratio_value report_ratio__of(const struct report *report, const struct report_ratio *ratio,
				    const int64_t *values);
/* "~1.23", with an interval "1.23 [1.10 1.37]", or "-". */
void report_ratio__text(const struct report *report, const struct report_ratio *ratio,
			const int64_t *values, struct buf *out);
/* An object of an array; nothing where there is nothing to divide by. */
void report_ratio__json(const struct report *report, const struct report_ratio *ratio,
			const int64_t *values, struct json *j);
/* The values that a row's ratios are of: its self, or its total in trees of calls. */
const int64_t *report__ratio_values(const struct report *report, uint32_t row);

/* NULL: it balances, or nobody has kept books. */
const char *report__imbalance(const struct prof *p);
/* One line for each thing that the reader has to know before the figures: of these events, of the
 * whole. `but` says what is wrong with figures of an event that was not delivered in full. */
void report__warnings(const struct prof *whole, const struct prof_event *events, size_t n,
		      const char *but, struct buf *out);
/* "# WARNING   …" of the books, and of each of those lines; "old: " says whose. */
void report__put_warnings(const struct prof *whole, const char *whose,
			  const struct prof_event *events, size_t n, const char *but,
			  struct buf *out);
/* What is wrong with figures of this report. */
const char *report__but(const struct report *report);

/* For those who print it: the row at that position made the text too long, which had
 * `before` bytes without it. It is taken off, and counts as cut with all that come after it. */
bool report__is_full(const struct report *r, size_t position, size_t before, struct buf *out);

#endif
