// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/summary_sites.h"

#include <inttypes.h>

#include "base/num.h"
#include "model/duration.h"

static void text_samples(const struct ledger_sites *s, struct buf *out)
{
	if (!s->samples) {
		buf__puts(out,
			  "  whose memory it is: no sample was about heaps and mapped memory\n");
		return;
	}
	buf__printf(out,
		    "  whose memory it is, known for %.1f %% of samples about heaps and mapped "
		    "memory: of %" PRIu64 ", %" PRIu64 " by who touched the page first, %" PRIu64
		    " by who asked the kernel for it\n",
		    num__percent(s->samples - s->unknown, s->samples), s->samples, s->touched,
		    s->mapped);
}

void summary_sites__text(const struct ledger_sites *s, struct buf *out)
{
	const struct pmb_mapped_stats *k = &s->kernel;
	uint64_t calls = k->mapped + k->unmapped;
	char each[DURATION_TEXT];

	if (!s->samples && !calls && !k->lost && !s->no_room)
		return;
	text_samples(s, out);
	duration_text(calls ? k->ns / calls : 0, each);
	if (calls)
		buf__printf(out,
			    "    %" PRIu64 " times memory was mapped or given back; telling it "
			    "took %s each time\n",
			    calls, each);
	if (k->unpaid)
		buf__printf(out, "    %llu times without who called, for --budget\n", k->unpaid);
	if (k->lost + s->no_room)
		buf__printf(out,
			    "    %llu times it was not told (-m 4M), and what was known until then "
			    "is forgotten; %" PRIu64 " times there was no room for it "
			    "(--max-memory)\n",
			    k->lost, s->no_room);
}

void summary_sites__json(const struct ledger_sites *s, struct json *j)
{
	const struct pmb_mapped_stats *k = &s->kernel;

	json__obj(j, "sites");
	json__u64(j, "samples", s->samples);
	json__u64(j, "touched", s->touched);
	json__u64(j, "mapped", s->mapped);
	json__u64(j, "unknown", s->unknown);
	json__u64(j, "calls", k->mapped);
	json__u64(j, "unmapped", k->unmapped);
	json__u64(j, "lost", k->lost);
	json__u64(j, "unpaid", k->unpaid);
	json__u64(j, "no_room", s->no_room);
	json__u64(j, "ns", k->ns);
	json__u64(j, "hits", k->hits);
	json__u64(j, "others_ns", k->others_ns);
	json__end_obj(j);
}
