/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How the texts of rows ascend: what they begin with has a value, or they are words. */
#ifndef PMUBPF_PROF_TEXT_RANK_H
#define PMUBPF_PROF_TEXT_RANK_H

#include <stdint.h>

enum text_kind {
	TEXT_NUMBER,   /* "-3", "10 KB" */
	TEXT_HEX,      /* "0x7f3405b10000 main" */
	TEXT_DURATION, /* of duration_class_text() */
	TEXT_WORDS,
};

/* Found once of each text: a sort compares it many times. */
struct text_rank {
	enum text_kind kind;
	uint64_t value; /* of one kind they ascend as values do */
};

struct text_rank text_rank__of(const char *text);
/* Below 0, 0, above 0. Of one value, and of words: numbers within as numbers, CPU 9 before 10. */
int text_rank__compare(struct text_rank a, const char *a_text, struct text_rank b,
		       const char *b_text);

#endif
