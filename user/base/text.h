/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Small questions about strings. */
#ifndef PMUBPF_BASE_TEXT_H
#define PMUBPF_BASE_TEXT_H

#include <stdbool.h>
#include <string.h>

static inline bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* With something before the end. */
static inline bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len > n && strcmp(text + len - n, end) == 0;
}

/* The last part of a path; of one that ends in a slash all of it. */
static inline const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Of a terminal, as far as each character takes one. */
static inline unsigned text_columns(const char *text)
{
	unsigned n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

#endif
