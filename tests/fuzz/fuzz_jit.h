/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What both kinds of files of a JIT are asked: addresses that small inputs have, all at a time, and
 * one alone. Names lie in the buffer that they are handed out in. */
#ifndef PMUBPF_TESTS_FUZZ_JIT_H
#define PMUBPF_TESTS_FUZZ_JIT_H

#include "fuzz.h"
#include "symd/jit_file.h"

static inline void fuzz_jit_name(struct jit_file *file, uint64_t addr)
{
	size_t len = 0;
	const char *name = jit_file__find(file, addr, &len);
	volatile char last;

	if (!name)
		return;
	last = name[len - 1];
	(void)last;
}

static inline void fuzz_jit_code(struct jit_file *file, uint64_t addr)
{
	uint64_t start, size, at;
	uint8_t bytes[64];

	if (jit_file__code(file, addr, &start, &size, &at))
		jit_file__read(file, at + size / 2, bytes, sizeof(bytes));
}

static inline int fuzz_jit(const uint8_t *data, size_t len, jit_offer_fn offer)
{
	uint64_t addrs[0x102], last = UINT64_MAX;
	struct jit_file *file = NULL;
	size_t n = 0;
	int fd = fuzz_file(data, len);

	if (fd < 0 || jit_file__open(fd, offer, &file) < 0)
		return 0;
	for (uint64_t addr = 0; addr < 0x10000; addr += 0xff)
		addrs[n++] = addr;
	jit_file__ask(file, addrs, n);
	for (size_t i = 0; i < n; i++)
		fuzz_jit_name(file, addrs[i]);
	for (size_t i = 0; i < n; i++)
		fuzz_jit_code(file, addrs[i]);
	jit_file__ask(file, &last, 1);
	fuzz_jit_name(file, last);
	jit_file__free(file);
	return 0;
}

#endif
