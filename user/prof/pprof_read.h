/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads a profile in pprof's format, gzip'd or not, whoever wrote it. The file is not trusted: it
 * costs no more memory than the limit says, and whatever doesn't fit together is an error with one
 * sentence.
 *
 * What struct prof has no room for is left out: columns, is_folded, fields that
 * profile.proto doesn't know.
 */
#ifndef PMUBPF_PROF_PPROF_READ_H
#define PMUBPF_PROF_PPROF_READ_H

#include <stdint.h>

#include "base/err.h"
#include "prof/prof.h"

#define PPROF_MAX_BYTES ((uint64_t)256 << 20)

struct pprof_limits {
	/* Of the uncompressed file; what is made of it may take four times as much. 0:
	 * PPROF_MAX_BYTES */
	uint64_t max_bytes;
};

/* `name` is for err: "'a.pb.gz'". The caller frees *ret. Sums of values fit into 64 bits. */
int pprof__read(struct prof **ret, int fd, const char *name, const struct pprof_limits *limits,
		struct err *err);

#endif
