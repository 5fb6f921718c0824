/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A recording as a file: what came out of the rings and out of the side-band, in the order in which
 * it was drained, round by round. Written by build/bench/pmubpf-stream (stream.c), read by
 * replay.c; gzip.
 */
#ifndef PMUBPF_BENCH_STREAM_H
#define PMUBPF_BENCH_STREAM_H

#include <stdint.h>

#include "proc/life.h"

enum stream_kind {
	STREAM_RECORD, /* as in the ring */
	STREAM_LIFE,   /* struct life, and its path */
	STREAM_ROUND,  /* uint64_t: what happened before it is processed now */
};

struct stream_head {
	uint32_t kind;
	uint32_t size; /* of what follows: a multiple of 8, padded with 0 */
};

#endif
