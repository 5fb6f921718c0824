// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Known work at each overflow, which never changes: what the overflow program's time is divided by, so that the
 * machine's speed and what else it does fall out of the figure. Its parts are those of a sample: words of the
 * interrupted stack, some one by one and some at once, a sum over them, an entry of a map.
 */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

enum { SINGLE_WORDS = 16, WORDS = 128, ENTRIES = 1024 };

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct scratch {
	__u64 words[WORDS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} ref_scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, ENTRIES);
	__type(key, __u64);
	__type(value, __u64);
} ref_counts SEC(".maps");

SEC("perf_event")
int ref_overflow(struct bpf_perf_event_data *ctx)
{
	__u64 sp = PT_REGS_SP(&ctx->regs), sum = 0, word = 0, key;
	struct scratch *s;
	__u32 zero = 0;

	s = bpf_map_lookup_elem(&ref_scratch, &zero);
	if (!s)
		return 0;
	for (int i = 0; i < SINGLE_WORDS; i++) {
		bpf_probe_read_user(&word, sizeof(word), (void *)(sp + i * 8ULL));
		sum += word;
	}
	bpf_probe_read_user(s->words, sizeof(s->words), (void *)sp);
	for (int i = 0; i < WORDS; i++)
		sum = (sum ^ s->words[i]) * 0x9e3779b97f4a7c15ULL;
	key = sum % ENTRIES;
	bpf_map_update_elem(&ref_counts, &key, &sum, BPF_ANY);
	return 0;
}
