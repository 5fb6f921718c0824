/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A part of a file that looks as if it was in memory, but of which only what was asked for last is.
 * What is asked for again is read again; what nobody asked for is zeros.
 */
#ifndef PMUBPF_SYMD_PAGED_H
#define PMUBPF_SYMD_PAGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct paged {
	const uint8_t *data; /* len bytes, for as long as it is open; NULL: not open */
	size_t len;
	int fd; /* borrowed */
	uint64_t off;
	uint8_t *here;  /* a bit for each block */
	uint32_t *ring; /* blocks that are here, the oldest at `next` */
	size_t n, next, max;
};

enum { PAGED_BLOCK = 16 * 1024 };

/* At most max_bytes (some blocks at least) of it will be in memory. False: no room for it among the
 * addresses. */
bool paged__open(struct paged *p, int fd, uint64_t off, size_t len, size_t max_bytes);
void paged__close(struct paged *p); /* also if it isn't open */

/* Gives back what is here; all of it is read again when it is asked for. */
void paged__rest(struct paged *p);

/* Brings [at, at + len) here; all of it, if it isn't more than half of what may be. */
void paged__load(struct paged *p, size_t at, size_t len);

/* Copies bytes from `at` on, whatever is here: for who goes through all of it once. Returns how
 * many; fewer: the file has no more, or can't be read. */
size_t paged__copy(const struct paged *p, size_t at, uint8_t *to, size_t len);

#endif
