/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* UTF-8, as Unicode's table 3-7 has it: no overlong forms, no surrogates, none above U+10FFFF. */
#ifndef PMUBPF_BASE_UTF8_H
#define PMUBPF_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a text that ends with a NUL: that is no byte that a character goes on with. */
#define UTF8_TO_ITS_NUL SIZE_MAX

/* Bytes of the character at s, of which there are `left`, 1 at least; 0: it is none. */
size_t utf8__length(const uint8_t *s, size_t left);
/* A character of two bytes that is a control character (C1): terminals obey them. */
bool utf8__is_control(const uint8_t *s);

#endif
