// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: pointers into it. A block that makes room for another stays mapped and turns to
 * zeros, so whoever still looks at it reads wrong bytes of a foreign file, which are wrong anyhow
 * as far as we know, and nothing else.
 */
#include "symd/paged.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"

enum { BLOCKS_MIN = 8 };

static size_t here_bytes(const struct paged *p)
{
	return p->len / PAGED_BLOCK / 8 + 1;
}

bool paged__open(struct paged *p, int fd, uint64_t off, size_t len, size_t max_bytes)
{
	void *data = MAP_FAILED;

	*p = (struct paged){.fd = fd, .off = off, .len = len};
	if (len && off <= INT64_MAX - len)
		data = mmap(NULL, len, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (data == MAP_FAILED)
		return false;
	p->data = data;
	p->max = max_bytes / PAGED_BLOCK < BLOCKS_MIN ? BLOCKS_MIN : max_bytes / PAGED_BLOCK;
	p->here = xcalloc(1, here_bytes(p));
	p->ring = xcalloc(p->max, sizeof(*p->ring));
	return true;
}

void paged__close(struct paged *p)
{
	if (p->data)
		munmap((void *)p->data, p->len);
	free(p->here);
	free(p->ring);
	*p = (struct paged){0};
}

void paged__rest(struct paged *p)
{
	if (!p->data)
		return;
	madvise((void *)p->data, p->len, MADV_DONTNEED);
	memset(p->here, 0, here_bytes(p));
	p->n = p->next = 0;
}

static size_t block_bytes(const struct paged *p, size_t block)
{
	size_t left = p->len - block * PAGED_BLOCK;

	return left < PAGED_BLOCK ? left : PAGED_BLOCK;
}

static void drop(struct paged *p, size_t block)
{
	p->here[block / 8] &= (uint8_t) ~(1u << block % 8);
	madvise((void *)(p->data + block * PAGED_BLOCK), block_bytes(p, block), MADV_DONTNEED);
}

static void bring(struct paged *p, size_t block)
{
	if (p->n == p->max)
		drop(p, p->ring[p->next]);
	else
		p->n++;
	p->ring[p->next] = (uint32_t)block;
	p->next = (p->next + 1) % p->max;
	p->here[block / 8] |= (uint8_t)(1u << block % 8);
	/* what can't be read stays zero */
	if (pread(p->fd, (void *)(p->data + block * PAGED_BLOCK), block_bytes(p, block),
		  (off_t)(p->off + block * PAGED_BLOCK)) < 0)
		return;
}

void paged__load(struct paged *p, size_t at, size_t len)
{
	size_t block, last;

	if (at >= p->len || !len)
		return;
	if (len > p->len - at)
		len = p->len - at;
	block = at / PAGED_BLOCK;
	last = (at + len - 1) / PAGED_BLOCK;
	if (last - block >= p->max / 2)
		last = block + p->max / 2 - 1;
	for (; block <= last; block++) {
		if (!(p->here[block / 8] >> block % 8 & 1))
			bring(p, block);
	}
}

size_t paged__copy(const struct paged *p, size_t at, uint8_t *to, size_t len)
{
	ssize_t n = 0;

	if (at < p->len)
		n = pread(p->fd, to, len < p->len - at ? len : p->len - at, (off_t)(p->off + at));
	return n > 0 ? (size_t)n : 0;
}
