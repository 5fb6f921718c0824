/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TESTS_WHOLE_TABLE_H
#define TESTS_WHOLE_TABLE_H

#include <errno.h>
#include <fcntl.h>

#include "symd/elf_cfi.h"

/* elf_cfi__build() for all of a file (fd is borrowed). */
static inline int table_of_all(int fd, bool read_code, struct cfi_table *t)
{
	struct elf_cfi *e;
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0), r;

	if (own < 0)
		return -EINVAL;
	r = elf_cfi__open(own, read_code, &e);
	if (r < 0)
		return r;
	r = elf_cfi__build(e, 0, UINT64_MAX, t);
	elf_cfi__free(e);
	return r;
}

#endif
