// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/text_rank.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "model/duration.h"

/* A negative number is below all others. */
static uint64_t ascending(int64_t number)
{
	return (uint64_t)number ^ (uint64_t)INT64_MIN;
}

struct text_rank text_rank__of(const char *text)
{
	unsigned length;
	bool open;

	if (!isdigit((unsigned char)text[*text == '-']))
		return (struct text_rank){TEXT_WORDS, 0};
	if (starts_with(text, "0x") && isxdigit((unsigned char)text[2]))
		return (struct text_rank){TEXT_HEX, strtoull(text, NULL, 16)};
	/* asked of few: it looks through all of them */
	if (strstr(text, "..") && duration_class_parse(text, &length, &open))
		return (struct text_rank){TEXT_DURATION, 2 * (uint64_t)length + open};
	return (struct text_rank){TEXT_NUMBER, ascending(strtoll(text, NULL, 10))};
}

int text_rank__compare(struct text_rank a, const char *a_text, struct text_rank b,
		       const char *b_text)
{
	if (a.kind != b.kind)
		return CMP3(a.kind, b.kind);
	return a.value != b.value ? CMP3(a.value, b.value) : strverscmp(a_text, b_text);
}
