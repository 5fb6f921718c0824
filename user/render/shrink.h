/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Formats that write each name once, and stacks as numbers, grow with names and with stacks that
 * are met once, which programs choose both. What a sample adds to a file is estimated, from above;
 * the heaviest get the room.
 */
#ifndef PMUBPF_RENDER_SHRINK_H
#define PMUBPF_RENDER_SHRINK_H

#include "render/format.h"

/* Bytes that a part takes at most, besides its texts. */
struct shrink_prices {
	unsigned sample, value, labels, label;
	unsigned frame, location, function;
	bool once;    /* stacks and texts are written once, whoever has them */
	bool as_json; /* texts are escaped */
};

/* NULL: all of it fits into opts->max_bytes. Else a profile that does, whose rarest stacks are
 * [other], counted in opts->cut; the caller frees. */
struct prof *shrink(const struct prof *p, const struct format_opts *opts,
		    const struct shrink_prices *prices);

#endif
