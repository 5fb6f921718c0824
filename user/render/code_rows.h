/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A function's instructions below the lines that they stand on, with its jumps drawn. What stands
 * before them, whoever shows them says. */
#ifndef PMUBPF_RENDER_CODE_ROWS_H
#define PMUBPF_RENDER_CODE_ROWS_H

#include "base/buf.h"
#include "prof/sources.h"
#include "render/jumps.h"
#include "sym/listing.h"

struct code_row {
	uint64_t address; /* as addr2line takes it */
	/* NULL: nobody says that an instruction begins there, samples do. */
	const struct listing_row *insn;
	const int64_t *values; /* NULL: none */
	const char *file;      /* where it stands; NULL: not known */
	uint32_t line;
	const struct listing_frame *frames; /* that it was inlined through, outermost first… */
	size_t n_frames;                    /* …the function itself among them; 0: not known */
};

struct code_rows {
	const struct code_row *list; /* by address */
	size_t n;
	uint64_t base;    /* addresses are shown as distances from there */
	const char *path; /* of the file that they are of; NULL: of none */
	struct sources *sources;
	bool all;        /* rows far from any with values, too */
	const char *far; /* what those that are left out are far from */
	/* As wide for each row; NULL: of a line. */
	void (*put_cells)(void *ctx, const struct code_row *row, struct buf *out);
	void *ctx;
};

void code_rows__text(const struct code_rows *rows, struct buf *out);
/* Which of them are shown: those near ones with values, or all; the caller frees. */
bool *code_rows__shown(const struct code_rows *rows);
/* Jumps from or to what is shown; the caller ends them with jumps__done(). */
void code_rows__jumps(const struct code_rows *rows, const bool *shown, struct jumps *ret);
/* An instruction of a listing, without values. */
struct code_row code_row__of(const struct listing *listing, const struct listing_row *insn);
/* Of what stands before them: "# key     text", and a line for each note. */
void code_head__line(const char *key, const char *text, struct buf *out);
void code_head__notes(const struct buf *notes, struct buf *out);
/* "file.c:12  its text" */
void code_place__text(struct sources *sources, const char *file, uint32_t line, struct buf *out);

#endif
