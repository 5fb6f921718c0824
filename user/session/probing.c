// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "session/probing.h"

#include <errno.h>
#include <string.h>

#include "sys/clock.h"
#include "sys/usage.h"

enum {
	/* Between two looks. They cost something, too; and what is met meanwhile is spent. */
	SHORTEST_NS = 10 * 1000 * 1000,
	LONGEST_NS = 100 * 1000 * 1000,
};

/* When the credit is used up, or back, if all goes on like this. */
static uint64_t next_look_ns(const struct slices *s, uint64_t span_ns, uint64_t spent_ns)
{
	double per_ns = s->on && span_ns ? (double)spent_ns / (double)span_ns - s->share : s->share;
	double change_ns = s->on ? s->credit_ns - s->out_ns : slices__full(s) - s->credit_ns;

	if (!(s->share > 0) || !(per_ns > 0) || change_ns > per_ns * LONGEST_NS)
		return LONGEST_NS;
	return change_ns < per_ns * SHORTEST_NS ? SHORTEST_NS : (uint64_t)(change_ns / per_ns);
}

static uint64_t cpu_ns(const struct probing *p)
{
	return p->fns && p->fns->cpu_ns ? p->fns->cpu_ns(p->ctx) : 0;
}

/* The CPU time that we have had, and who puts them in and takes them out for us. */
static uint64_t own_ns(const struct probing *p)
{
	return usage_cpu_ns(0) + opener__cpu_ns(p->opener);
}

void probing__expect(struct probing *p, const struct opener *opener)
{
	p->opener = opener;
	p->expected_ns = own_ns(p);
}

/* In which they were neither all in place nor all out. */
static void pass_time(struct probing *p)
{
	const uint64_t cpu = cpu_ns(p);

	p->probed.cpu_ns += cpu - p->cpu_ns;
	p->cpu_ns = cpu;
}

void probing__begin(struct probing *p, double share, uint64_t settling_ns, uint64_t now)
{
	const uint64_t put_in_ns = p->expected_ns ? own_ns(p) - p->expected_ns : 0;

	slices__init(&p->slices, share, settling_ns, put_in_ns);
	p->probed.changes_ns = put_in_ns;
	p->cpu_ns = cpu_ns(p);
	p->looked_ns = now;
	p->due_ns = now + (share > 0 ? SHORTEST_NS : LONGEST_NS);
}

static void put_in(struct probing *p)
{
	struct err err = {0};

	if (p->fns->put_in(p->ctx, &err) >= 0)
		return;
	if (p->notes)
		buf__printf(p->notes, "probes could not be put in again, and are out since: %s\n",
			    err.text);
	p->slices.on = false;
	p->slices.share = 0;
}

static void take_out(struct probing *p)
{
	int r = p->fns->take_out(p->ctx);

	if (r == 0 || p->told_late || !p->notes)
		return;
	p->told_late = true;
	if (r == -ETIMEDOUT)
		buf__puts(p->notes,
			  "a program holds up that probes are taken out of it: a process of "
			  "ours waits for it and takes them out when it can\n");
	else
		buf__printf(p->notes, "probes were perhaps not taken out yet: %s\n", strerror(-r));
}

/* Each process that has their file mapped has to be gone through, which may cost more than their
 * hits. */
static void change(struct probing *p)
{
	const struct probed *now = &p->probed;
	const uint64_t before = own_ns(p);
	uint64_t cost;

	if (p->slices.on)
		put_in(p);
	else
		take_out(p);
	if (!p->slices.on)
		probed__rate(&p->probed, now->hits - p->slice.hits,
			     now->cpu_on_ns - p->slice.cpu_on_ns,
			     now->spent_on_ns - p->slice.spent_on_ns);
	p->slice = *now;
	cost = own_ns(p) - before;
	slices__changed(&p->slices, cost);
	p->probed.changes_ns += cost;
}

/* What has passed since the last look. */
static uint64_t pass(struct probing *p, const struct probe_hits *hits)
{
	const uint64_t spent_ns = probe_hits__spent_ns(hits, &p->hits, &p->each);
	const uint64_t cpu = cpu_ns(p);

	p->probed.spent_ns += spent_ns;
	p->probed.cpu_ns += cpu - p->cpu_ns;
	if (p->slices.on) {
		p->probed.hits +=
			hits->emulated + hits->stepped - p->hits.emulated - p->hits.stepped;
		p->probed.spent_on_ns += spent_ns;
		p->probed.cpu_on_ns += cpu - p->cpu_ns;
	}
	p->hits = *hits;
	p->cpu_ns = cpu;
	return spent_ns;
}

void probing__look(struct probing *p, uint64_t now)
{
	struct probe_hits hits;
	uint64_t spent_ns, span_ns = now - p->looked_ns;

	p->due_ns = now + LONGEST_NS;
	if (!p->fns || p->fns->hits(p->ctx, &hits) < 0)
		return;
	spent_ns = pass(p, &hits);
	p->looked_ns = now;
	if (slices__pass(&p->slices, span_ns, spent_ns)) {
		change(p);
		/* that took its time, in which they weren't in place */
		p->looked_ns = now_ns();
		p->slices.age_ns += p->looked_ns - now;
		pass_time(p);
	}
	p->due_ns = p->looked_ns + next_look_ns(&p->slices, span_ns, spent_ns);
}

uint64_t probing__due(const struct probing *p)
{
	return p->fns ? p->due_ns : UINT64_MAX;
}

void probing__end(struct probing *p, uint64_t now)
{
	if (!p->fns)
		return;
	p->slices.share = 0; /* as it was until now, whatever it cost */
	probing__look(p, now);
	if (p->slices.on) {
		p->slices.on = false;
		change(p);
	}
	p->fns = NULL;
}

struct probed probing__part(const struct probing *p, struct probed *told)
{
	struct probed now = p->probed, part;

	now.slices = p->slices.n;
	now.span_ns = p->slices.age_ns;
	now.on_ns = p->slices.on_ns;
	part = now;

	probed__take(&part, told);
	*told = now;
	return part;
}
