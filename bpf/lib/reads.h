/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters that can't interrupt, read when a clock on the same CPU does. What one counted since the
 * last reading belongs to the moment of this one, as far as the clock's own period does: when
 * expirations were skipped and the task changed meanwhile (weight.h), the sample gets one period's
 * share, and the rest is filtered, for nobody knows whose it was.
 */
#ifndef PMUBPF_BPF_READS_H
#define PMUBPF_BPF_READS_H

#include "lib/maps.h"

/* What became of the overflow at which the counters were read. */
enum { READS_EMITTED = -1, READS_FILTERED = -2, READS_CLOSED = -3 /* else enum pmb_drop */ };

static __always_inline struct readings *readings(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&pmb_readings, &zero);
}

/* Reads counter i; its weight is what of the difference is this overflow's. */
static __always_inline void read_counter(const volatile struct pmb_config *cfg, struct readings *r,
					 __u32 i, __u32 cpu, __u64 shares)
{
	struct bpf_perf_event_value value;
	__u32 event = cfg->read_event[i];
	struct pmb_stats *stats = bpf_map_lookup_elem(&pmb_stats, &event);
	__u64 counted, weight;

	r->weight[i] = 0;
	/* a failed reading loses nothing: the next one has it */
	if (!stats ||
	    bpf_perf_event_read_value(&pmb_counters, i * cfg->n_cpus + cpu, &value, sizeof(value)))
		return;
	if (value.enabled < r->enabled[i])
		r->last[i] = 0; /* its CPU went and came back */
	r->enabled[i] = value.enabled;
	counted = value.counter - r->last[i];
	if (!counted || counted >> 63)
		return; /* stood still; or is no counter but a gauge, and went down */
	r->last[i] = value.counter;
	weight = shares > 1 ? counted / shares : counted;
	stats->seen++;
	stats->weight_seen += counted;
	stats->weight_filtered += counted - weight;
	stats->filtered += !weight;
	r->weight[i] = weight;
}

static __always_inline void reads_take(const volatile struct pmb_config *cfg, __u32 cpu,
				       __u64 shares)
{
	struct readings *r = readings();

	for (__u32 i = 0; r && i < PMB_MAX_READS && i < cfg->n_reads; i++)
		read_counter(cfg, r, i, cpu, shares);
}

static __always_inline void account_reading(struct pmb_stats *stats, int end, __u64 weight)
{
	if (end == READS_EMITTED) {
		stats->emitted++;
		stats->weight_emitted += weight;
	} else if (end == READS_FILTERED) {
		stats->filtered++;
		stats->weight_filtered += weight;
	} else if (end == READS_CLOSED) {
		stats->closed++;
		stats->weight_closed += weight;
	} else {
		stats->dropped[end]++;
		stats->weight_dropped[end] += weight;
	}
}

/* The readings of this overflow end as the overflow did. */
static __always_inline void reads_end(const volatile struct pmb_config *cfg, int end)
{
	struct readings *r = cfg->n_reads ? readings() : NULL;

	for (__u32 i = 0; r && i < PMB_MAX_READS && i < cfg->n_reads; i++) {
		__u32 event = cfg->read_event[i];
		struct pmb_stats *stats = bpf_map_lookup_elem(&pmb_stats, &event);

		if (stats && r->weight[i])
			account_reading(stats, end, r->weight[i]);
	}
}

/* Fills the part in; returns its size, 0 if nothing was read. */
static __always_inline __u64 reads_part(const volatile struct pmb_config *cfg,
					struct pmb_part_reads *part)
{
	__u64 size = sizeof(part->part) + (__u64)cfg->n_reads * sizeof(part->list[0]);
	struct readings *r = readings();

	if (!r || size > sizeof(*part))
		return 0;
	part->part.size = size;
	part->part.type = PMB_PART_READS;
	part->part.pad = 0;
	for (__u32 i = 0; i < PMB_MAX_READS && i < cfg->n_reads; i++) {
		part->list[i].event = cfg->read_event[i];
		part->list[i].pad = 0;
		part->list[i].weight = r->weight[i];
	}
	return size;
}

#endif
