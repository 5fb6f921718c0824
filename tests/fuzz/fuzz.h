/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A fuzz target is one function, as libFuzzer calls it. It returns 0. */
#ifndef PMUBPF_TESTS_FUZZ_H
#define PMUBPF_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* The input as a file, from its start; -1 if there is no room for it. */
static inline int fuzz_file(const uint8_t *data, size_t len)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, data, len) != (ssize_t)len) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* The input as a string of its own size; the caller's. */
static inline char *fuzz_text(const uint8_t *data, size_t len)
{
	char *text = xcalloc(1, len + 1);

	if (len)
		memcpy(text, data, len);
	return text;
}

#endif
