// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/hotspot_stream.h"

enum { DIGIT_BITS = 6, DIGITS = 5, ENDS_BELOW = 192, ESCAPE = 0xff };

static uint8_t next(struct hotspot_stream *s)
{
	if (s->at < s->n)
		return s->data[s->at++];
	s->bad = true;
	return 0;
}

/* unsigned5.hpp, and compressedStream.cpp before that */
uint32_t hotspot_stream__number(struct hotspot_stream *s)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < DIGITS; i++) {
		uint8_t byte = next(s);

		if (s->bad)
			return 0;
		if (s->without_zero && !byte) { /* no number begins or goes on with it */
			s->bad = true;
			return 0;
		}
		sum += (uint32_t)(byte - s->without_zero) << i * DIGIT_BITS;
		if (byte < ENDS_BELOW)
			break;
	}
	return sum;
}

static uint32_t signed_number(struct hotspot_stream *s)
{
	uint32_t n = hotspot_stream__number(s);

	return n >> 1 ^ -(n & 1);
}

/* Pairs of differences, of bytecodes' offsets and lines: a byte of both, or an escape
 * (CompressedLineNumberReadStream of method.cpp). They need not ascend. */
uint32_t hotspot_stream__line(struct hotspot_stream s, uint32_t bci)
{
	uint32_t at = 0, line = 0, best_at = 0, best = 0;
	uint8_t byte;

	while ((byte = next(&s)) != 0) {
		at += byte == ESCAPE ? signed_number(&s) : byte >> 3;
		line += byte == ESCAPE ? signed_number(&s) : byte & 7;
		if (s.bad)
			break;
		if (at == bci)
			return line;
		if (at < bci && at >= best_at) {
			best_at = at;
			best = line;
		}
	}
	return best;
}
