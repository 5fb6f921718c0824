/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A function's code with the samples of each instruction and line, for people (text) and for
 * programs (JSON). */
#ifndef PMUBPF_RENDER_CODE_H
#define PMUBPF_RENDER_CODE_H

#include "base/buf.h"
#include "prof/code.h"
#include "prof/sources.h"
#include "render/code_rows.h"
#include "render/report.h"

struct code_line {
	const char *file;
	uint32_t line; /* 0: not known */
	int64_t *values;
	uint64_t address; /* the lowest */
};

struct code_view {
	const struct report *report;
	const struct code_function *function;
	const struct code_points *points;
	const char *path; /* of the file that the instructions are of; NULL: of none */
	struct sources *sources;
	struct buf notes; /* lines: what is missing, and why; to be escaped */
	uint64_t base;    /* addresses are shown as distances from there */
	bool has_text;
	bool all; /* rows far from any sample, too */

	/* by code_view__build */
	struct code_row *rows; /* by address */
	size_t n, cap;
	struct code_line *lines; /* the most sampled first */
	size_t n_lines, cap_lines;
};

/* Rows: of all instructions of the listings (sorted by file offset), and of places with samples
 * where none begins. Their values add up to the function's, and so do those of lines. */
void code_view__build(struct code_view *view, const struct listing *listings, size_t n);
void code_view__done(struct code_view *view); /* what it borrows stays */

void code_view__text(const struct code_view *view, struct buf *out);
void code_view__json(const struct code_view *view, struct buf *out);

/* ---- between the two */

/* "exact", "near", or NULL: the recording doesn't say. */
const char *code_view__nearness(const struct code_view *view, const struct prof_event *event);

#endif
