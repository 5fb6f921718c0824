// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What an overflow stands for, and which ones passed unseen: bpf/lib/weight.h, compiled for this
 * machine over a counter that is made here.
 */
#include <criterion/criterion.h>

#if __has_include("lib/weight.h")

#include <string.h>

#include "bpf_on_host.h"

struct bpf_perf_event_data {
	struct arch_regs regs;
	__u64 sample_period;
	__u64 addr;
};

struct task_struct {
	unsigned long nvcsw, nivcsw;
};
struct perf_event {
	struct {
		__u64 word;
	} count;
	struct {
		__u64 sample_period;
	} hw;
};
struct bpf_perf_event_data_kern {
	struct perf_event *event;
};
#define READ_2(from, member) ((from)->member)
#define READ_3(from, next, member) ((from)->next->member)
#define READ_WHICH(from, a, b, which, ...) which
#define bpf_core_read(to, size, from) bpf_probe_read_kernel(to, size, from)
#define BPF_CORE_READ(...) READ_WHICH(__VA_ARGS__, READ_3, READ_2, )(__VA_ARGS__)

static void *bpf_map_lookup_elem(const void *map, const void *key);
static long bpf_probe_read_kernel(void *to, __u32 size, const void *from);

static struct task_struct
	running; /* the one that runs; another number of switches is another run */
static __u32 thread = 1000;
static __u64 clock_count;

static __u64 bpf_get_current_task(void)
{
	return (__u64)&running;
}

static __u64 bpf_get_current_pid_tgid(void)
{
	return 1000ULL << 32 | thread;
}

static long bpf_perf_prog_read_value(struct bpf_perf_event_data *ctx,
				     struct bpf_perf_event_value *value, __u32 size)
{
	(void)ctx;
	memset(value, 0, size);
	value->counter = clock_count;
	return 0;
}

#include "lib/weight.h"

static struct pmb_last last;
static __u64 counter;
static bool unreadable;

static void *bpf_map_lookup_elem(const void *map, const void *key)
{
	cr_assert_eq(map, (const void *)&pmb_last);
	cr_assert_eq(*(const __u32 *)key, 3);
	return &last;
}

static long bpf_probe_read_kernel(void *to, __u32 size, const void *from)
{
	if (unreadable)
		return -14;
	memcpy(to, from, size);
	return 0;
}

static struct pmb_stats stats;
static __u64 weights; /* of all overflows */

/* An overflow at which the counter stands at `at`. */
static void overflow(__u64 at, __u64 period)
{
	const struct pmb_config cfg = {.event = 3, .weight = PMB_WEIGHT_GRID};
	/* the head of the one structure is what the kernel makes of the other: here they are
	 * both */
	union {
		struct bpf_perf_event_data data;
		struct bpf_perf_event_data_kern kern;
	} ctx = {.data = {.sample_period = period}};
	struct perf_event event = {.count = {at}};
	__u64 shares = 1;

	ctx.kern.event = &event;
	counter = at;
	weights += overflow_weight(&cfg, &ctx.data, 0, &stats, &shares);
	cr_expect_eq(shares, 1);
}

static void expect_unseen(__u64 n, __u64 weight)
{
	cr_expect_eq(stats.dropped[PMB_DROP_UNSEEN], n, "%llu unseen",
		     stats.dropped[PMB_DROP_UNSEEN]);
	cr_expect_eq(stats.weight_dropped[PMB_DROP_UNSEEN], weight, "weight %llu",
		     stats.weight_dropped[PMB_DROP_UNSEEN]);
	cr_expect_eq(weights + weight, counter, "Σ weights are the counter's");
}

static void begin(void)
{
	last = (struct pmb_last){0};
	stats = (struct pmb_stats){0};
	weights = 0;
	unreadable = false;
}

TestSuite(weight, .init = begin);

/* An overflow of a CPU's clock, when it stands at `at`: what it weighs, and how many share that. */
static void clock_overflow(__u64 at, __u64 weight, __u64 shares)
{
	const struct pmb_config cfg = {.event = 3, .weight = PMB_WEIGHT_CLOCK_CPU};
	struct bpf_perf_event_data ctx = {.sample_period = 10};
	__u64 of = 1;

	clock_count = at;
	cr_expect_eq(overflow_weight(&cfg, &ctx, 0, &stats, &of), weight, "at %llu", at);
	cr_expect_eq(of, shares, "at %llu: %llu shares", at, of);
}

/* Periods that passed in silence are the task's that ran all along, else nobody's: the CPU was
 * idle, or others ran. */
Test(weight, a_clock_that_comes_late)
{
	clock_overflow(10, 10, 1);
	clock_overflow(20, 10, 1);
	clock_overflow(50, 30, 1);
	cr_expect_eq(stats.late, 2);
	cr_expect_eq(stats.skipped, 0);
	running.nvcsw++;
	clock_overflow(100, 10, 5);
	cr_expect_eq(stats.skipped, 4);
	cr_expect_eq(stats.weight_skipped, 40);
	cr_expect_eq(stats.weight_filtered, 40);
	cr_expect_eq(stats.late, 2);
	clock_overflow(105, 10, 1); /* early: the better grid */
	clock_overflow(115, 10, 1);
}

/* An overflow of a task's clock at this time, of every 10. */
static void task_overflow(__u64 now, __u64 weight)
{
	const struct pmb_config cfg = {.event = 3, .weight = PMB_WEIGHT_CLOCK_TASK};
	struct bpf_perf_event_data ctx = {.sample_period = 10};
	__u64 shares = 1;

	cr_expect_eq(overflow_weight(&cfg, &ctx, now, &stats, &shares), weight, "at %llu", now);
}

/* A child that lies where another one lay, and has switched as often, ran not since that one's last
 * overflow. */
Test(weight, another_thread_in_the_same_place)
{
	task_overflow(10, 10);
	task_overflow(40, 30);
	thread++;
	task_overflow(100, 10);
	running.nvcsw++;
	task_overflow(200, 10);
	task_overflow(210, 10);
	cr_expect_eq(stats.late, 2);
}

Test(weight, each_overflow_seen)
{
	for (__u64 i = 1; i <= 5; i++)
		overflow(101 * i, 101);
	expect_unseen(0, 0);
	cr_expect_eq(weights, 505);
}

Test(weight, what_passed_is_nobodys)
{
	overflow(101, 101);
	overflow(4 * 101, 101); /* two passed */
	overflow(5 * 101, 101);
	expect_unseen(2, 202);
	cr_expect_eq(weights, 303, "the one that came stands for itself");
}

Test(weight, the_first_may_have_passed)
{
	overflow(3, 1);
	overflow(4, 1);
	expect_unseen(2, 2);
}

/* What the kernel does: it drops what was left of the period, and the next event overflows. The
 * period after that has the period from before still, and says the new one. */
Test(weight, a_period_that_changes_loses_nothing)
{
	static const __u64 periods[][2] = {{101, 1009}, {1009, 101}};

	for (size_t i = 0; i < 2; i++) {
		__u64 before = periods[i][0], after = periods[i][1], at = 7 * before;

		begin();
		for (__u64 n = 1; n <= 7; n++)
			overflow(n * before, before);
		overflow(at += before / 2 + 1, before);
		overflow(at += before, after);
		overflow(at += after, after);
		expect_unseen(0, 0);
		overflow(at += 3 * after, after);
		expect_unseen(2, 2 * after);
	}
}

Test(weight, an_period_that_was_cut_may_pass_unseen)
{
	overflow(101, 101);
	overflow(101 + 30 + 101, 1009); /* the one at 131 was not seen */
	expect_unseen(1, 30);
	cr_expect_eq(weights, 202);
}

/* The CPU went and came back, with a counter that begins at 0. */
Test(weight, another_counter_begins_anew)
{
	for (__u64 i = 1; i <= 5; i++)
		overflow(101 * i, 101);
	overflow(101, 101);
	overflow(202, 101);
	cr_expect_eq(stats.dropped[PMB_DROP_UNSEEN], 0);
	cr_expect_eq(weights, 707);
}

Test(weight, a_counter_that_can_not_be_read_is_taken_at_its_word)
{
	unreadable = true;
	overflow(101, 101);
	overflow(202, 101);
	unreadable = false;
	overflow(303, 101);
	expect_unseen(0, 0);
	cr_expect_eq(weights, 303);
}

#else

Test(weight, host_compiled)
{
	cr_skip_test("compile with -Ibpf (mk/tests.mk), so that bpf/lib finds its own files");
}

#endif
