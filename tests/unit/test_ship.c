// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Profiles to rows, and back. */
#include "ship_there_and_back.h"

/* Inlined calls, a linker's name, no name at all, odd characters. */
static struct prof *odd_profile(void)
{
	struct prof *p = build_clock_and_misses();
	uint32_t m = mapped(p, "/bin/a\tb\\", "abcd");
	struct prof_function f = {.name = prof__string(p, "f(int)"),
				  .system_name = prof__string(p, "=_Z1fi"),
				  .file = prof__string(p, "a\tb.c"),
				  .start_line = -3};
	struct prof_line lines[2] = {{prof__function(p, &f), 12}, build_line(p, "main")};
	struct prof_label labels[] = {
		{.key = prof__string(p, "comm"), .text = prof__string(p, "c")},
		{.key = prof__string(p, "a=b#\\"), .text = prof__string(p, "x=y")},
		{.key = prof__string(p, "size"), .number = -5, .unit = prof__string(p, "bytes")},
		{.key = prof__string(p, "container"), .text = prof__string(p, "web'1")},
		{.key = prof__string(p, "namespace"), .text = prof__string(p, "shop")},
		{.key = prof__string(p, "workload"), .text = prof__string(p, "web")},
		{.key = prof__string(p, "image"), .text = prof__string(p, "web:1")},
	};
	uint32_t stack[2];

	stack[0] = prof__location(p, m, 0x402010, lines, 2);
	stack[1] = prof__location(p, m, 0x402abc, NULL, 0);
	build_sample(p, prof__stack(p, stack, 2), prof__labels(p, labels, ARRAY_SIZE(labels)),
		     (const int64_t[]){3, 3000, -2});
	BUILD_SAMPLE(p, "leaf,in+out,root", build_labels(p, 5, "c"), 1, 1000, 0);
	BUILD_SAMPLE(p, "leaf,in+out,root", build_labels(p, 6, "c"), 1, 1001, 4);
	p->time_ns = 1764269280123456789;
	p->duration_ns = 60000000001;
	prof__comment(p, "ledger: balanced");
	return p;
}

Test(ship, there_and_back)
{
	const struct rows_opts all = {.all_labels = true};
	struct prof *p = odd_profile(), *back;
	struct rows *r = rows__new(p, &window, &all);
	char *a, *b;

	cr_assert_eq(fill(r, &back, true), 0, "%s", err.text);
	a = text_of(p, "");
	b = text_of(back, "host");
	cr_assert_str_eq(a, b);
	cr_assert_eq(back->time_ns, p->time_ns);
	cr_assert_eq(back->duration_ns, p->duration_ns);
	cr_assert_str_eq(prof__remark(back, "ledger"), "balanced");
	cr_assert_eq(back->n_types, 3);
	free(a);
	free(b);
	rows__free(r);
	prof__free(p);
	prof__free(back);
}

/* Processes are others in each window: rows that differ in theirs alone are one. */
Test(ship, what_is_fleeting_is_left_out)
{
	const struct rows_opts opts = {0};
	struct prof *p = odd_profile(), *back;
	struct rows *r = rows__new(p, &window, &opts);

	cr_assert_eq(rows__samples(r), 4); /* two events of each of two */
	cr_assert_eq(rows__stacks(r), 2);
	cr_assert_eq(fill(r, &back, true), 0, "%s", err.text);
	cr_assert_eq(back->n_samples, 2);
	rows__free(r);
	prof__free(p);
	prof__free(back);
}

Test(ship, rest_is_other_and_sums_stay)
{
	const struct rows_opts opts = {.max_stacks = 1};
	struct prof *p = odd_profile(), *back;
	struct rows *r;
	int64_t sums[3] = {0};
	char *text;

	BUILD_SAMPLE(p, "rare", build_labels(p, 5, "c"), 1, 77, 0);
	r = rows__new(p, &window, &opts);
	cr_assert_eq(rows__stacks(r), 1);
	cr_assert_eq(rows__others(r), 2);
	cr_assert_eq(fill(r, &back, true), 0, "%s", err.text);
	for (size_t i = 0; i < back->n_samples; i++) {
		for (size_t t = 0; t < 3; t++)
			sums[t] += prof__values(back, i)[t];
	}
	cr_assert_eq(sums[0], 6);
	cr_assert_eq(sums[1], 5078);
	cr_assert_eq(sums[2], 2);
	text = text_of(back, "");
	cr_assert(strstr(text, "[other]"));
	free(text);
	rows__free(r);
	prof__free(p);
	prof__free(back);
}

/* The same stack in another window, in another process: the same hash; a file's stack is that of
 * wherever it is mapped. */
Test(ship, hashes_say_the_same_everywhere)
{
	const struct rows_opts opts = {0};
	struct prof *p = odd_profile(), *q = odd_profile();
	struct rows *a, *b;

	q->mappings[1].start += 0x1000;
	q->mappings[1].offset += 0x1000;
	q->mappings[1].limit += 0x5000;
	a = rows__new(p, &window, &opts);
	b = rows__new(q, &(struct rows_window){"other", "b", 1}, &opts);
	for (size_t i = 0; i < 2; i++)
		cr_assert_eq(rows__stack_hash(a, i), rows__stack_hash(b, i));
	/* what tables have must not change from version to version */
	cr_assert_eq(binary_hash__end(binary_hash__add(BINARY_HASH, "abc", 3)),
		     0x33ebaf9927cbc5bdULL);
	rows__free(a);
	rows__free(b);
	prof__free(p);
	prof__free(q);
}

Test(ship, stacks_that_nobody_knows)
{
	const struct rows_opts opts = {0};
	struct prof *p = odd_profile(), *back;
	struct rows *r = rows__new(p, &window, &opts);
	char *text;

	cr_assert_eq(fill(r, &back, false), 0, "%s", err.text);
	text = text_of(back, "");
	cr_assert(strstr(text, "[unknown]"));
	free(text);
	rows__free(r);
	prof__free(p);
	prof__free(back);
}

/* Each prefix of each reply: an error, or what it says; never more. */
Test(ship, replies_that_are_cut)
{
	const struct rows_opts opts = {0};
	struct prof *p = odd_profile();
	struct rows *r = rows__new(p, &window, &opts);
	struct buf windows = {0}, comments = {0}, samples = {0}, stacks = {0};

	answer_windows(r, &windows, &comments);
	answer_samples(r, &samples);
	answer_stacks(r, &stacks);
	for (size_t n = 1; n < windows.len; n++) {
		struct fill *f = fill__new(0);

		cr_assert_lt(fill__windows(f, windows.data, n, &err), 0);
		fill__free(f);
	}
	for (size_t n = 0; n < samples.len || n < stacks.len; n++) {
		struct fill *f = fill__new(0);
		struct prof *back = NULL;
		int e = fill__windows(f, windows.data, windows.len, &err);

		if (e == 0)
			e = fill__samples(f, samples.data, n < samples.len ? n : samples.len, &err);
		if (e == 0)
			e = fill__stacks(f, stacks.data, n < stacks.len ? n : stacks.len, &err);
		if (e == 0)
			e = fill__end(f, &back, &err);
		cr_assert(e == 0 || e == -EBADMSG);
		prof__free(back);
		fill__free(f);
	}
	buf__done(&windows);
	buf__done(&comments);
	buf__done(&samples);
	buf__done(&stacks);
	rows__free(r);
	prof__free(p);
}

Test(ship, replies_are_bounded)
{
	_cleanup_(buf__done) struct buf stacks = {0};
	struct fill *f = fill__new(1000);

	binary__u64(&stacks, 1);
	binary__length(&stacks, 50);
	for (int i = 0; i < 50; i++)
		binary__string(&stacks, "");
	binary__length(&stacks, 50);
	for (int i = 0; i < 50; i++)
		binary__string(&stacks, "?\t0\t0\t\t");
	cr_assert_eq(fill__windows(f, NULL, 0, &err), 0);
	cr_assert_eq(fill__samples(f, NULL, 0, &err), 0);
	cr_assert_eq(fill__stacks(f, stacks.data, stacks.len, &err), -EFBIG);
	cr_assert_eq(fill__stacks(f, stacks.data, 2000, &err), -EFBIG);
	fill__free(f);
}
