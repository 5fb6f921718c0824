/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The one way from text to numbers. Unlike strtoul, the whole text must be the number: no sign,
 * no leading space, no trailing junk, no overflow. Returns 0, -EINVAL or -ERANGE; *ret is
 * untouched on failure.
 */
#ifndef PMUBPF_BASE_NUM_H
#define PMUBPF_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decimal, or hexadecimal with 0x. */
int num__parse_u64(const char *text, uint64_t *ret);
/* Hexadecimal without 0x, as in kallsyms, maps and rNNNN. */
int num__parse_hex(const char *text, uint64_t *ret);
/* Decimal within [min, max]. */
int num__parse_int(const char *text, int min, int max, int *ret);
/* A time with an optional fraction and us, ms, s, m, h or d behind it ("0.25", "500ms"), else in
 * units of unit_ns, as nanoseconds; must be > 0. */
int num__parse_time(const char *text, uint64_t unit_ns, uint64_t *ret_ns);
/* A number with fraction and exponent, as drivers write scales ("2.3283e-10"); finite, >= 0. */
int num__parse_f64(const char *text, double *ret);
/* Bytes with an optional suffix B, K, M or G (powers of 1024). */
int num__parse_size(const char *text, uint64_t *ret_bytes);

/* Reads digits at *p, advances *p past them; false if there is none or it overflows. For the
 * parsers of kernel text, which are cursors over a line. */
bool num__take_u64(const char **p, uint64_t *ret);
bool num__take_hex(const char **p, uint64_t *ret);

/* What part that is; of nothing 0. */
double num__percent(double part, double all);

bool num__is_prime(uint64_t n);
/* The smallest prime that is not below n; n itself if there is none in 64 bits. */
uint64_t num__next_prime(uint64_t n);

#endif
