// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Cache lines that several threads touch. */
#include <criterion/criterion.h>

#include "base/err.h"
#include "prof/sharing.h"
#include "prof_build.h"

static struct prof *p, *marked;
static struct err err;

static void begin(void)
{
	p = prof__new();
	prof__type(p, "faults_sample", "count");
}

static void end(void)
{
	p = prof__free(p);
	marked = prof__free(marked);
}

TestSuite(sharing, .init = begin, .fini = end);

struct access {
	int pid, tid;
	const char *line, *bytes, *access, *source, *segment;
};

static void touch(struct access a)
{
	struct prof_label_list l = {0};

	prof__add_number(p, &l, "pid", a.pid);
	prof__add_number(p, &l, "tid", a.tid);
	prof__add_text(p, &l, "cache_line", a.line);
	prof__add_text(p, &l, "data_segment", a.segment ? a.segment : "heap");
	if (a.bytes)
		prof__add_text(p, &l, "data_offset", a.bytes);
	if (a.access)
		prof__add_text(p, &l, "data_access", a.access);
	if (a.source)
		prof__add_text(p, &l, "data_source", a.source);
	prof__sample(p, build_stack(p, "work,main"), prof__labels(p, l.items, l.n))[0] += 1;
	free(l.items);
}

/* What samples of that line are marked with; "" if with nothing. */
static const char *mark_of(const char *line)
{
	const char *found = "no sample";

	for (size_t i = 0; i < marked->n_samples; i++) {
		const struct prof_label *of =
			prof__label(marked, marked->samples[i].labels, "cache_line");
		const struct prof_label *mark =
			prof__label(marked, marked->samples[i].labels, PROF_SHARING);

		if (strcmp(prof__text(marked, of->text), line) == 0)
			found = mark ? prof__text(marked, mark->text) : "";
	}
	return found;
}

#define EXPECT_MARK(line, words) cr_expect_str_eq(mark_of(line), words)

static void mark(void)
{
	cr_assert_eq(prof__mark_sharing(&marked, p, &err), 0, "%s", err.text);
	cr_expect_eq(marked->n_samples, p->n_samples);
}

Test(sharing, two_threads_and_bytes_of_their_own)
{
	touch((struct access){
		.pid = 1, .tid = 10, .line = "0x40", .bytes = "0..7", .access = "store"});
	touch((struct access){
		.pid = 1, .tid = 11, .line = "0x40", .bytes = "8..15", .access = "load"});
	touch((struct access){
		.pid = 1, .tid = 10, .line = "0x80", .bytes = "0..7", .access = "load"});
	touch((struct access){
		.pid = 1, .tid = 11, .line = "0x80", .bytes = "8..15", .access = "load"});
	touch((struct access){
		.pid = 1, .tid = 10, .line = "0xc0", .bytes = "0..7", .access = "store"});
	touch((struct access){
		.pid = 1, .tid = 10, .line = "0xc0", .bytes = "8..15", .access = "store"});
	mark();
	EXPECT_MARK("0x40", "suspect of false sharing");
	EXPECT_MARK("0x80", ""); /* nobody writes */
	EXPECT_MARK("0xc0", ""); /* one thread */
}

/* What is read by another thread as what is written, if only by a byte, is shared and has to be. */
Test(sharing, the_same_bytes)
{
	touch((struct access){
		.pid = 1, .tid = 10, .line = "0x40", .bytes = "0..7", .access = "store"});
	touch((struct access){.pid = 1, .tid = 11, .line = "0x40", .bytes = "7", .access = "load"});
	touch((struct access){
		.pid = 1, .tid = 10, .line = "0x80", .bytes = "0..7", .access = "store"});
	touch((struct access){
		.pid = 1, .tid = 11, .line = "0x80", .bytes = "8..15", .access = "load and store"});
	touch((struct access){
		.pid = 1, .tid = 12, .line = "0x80", .bytes = "16", .access = "load"});
	touch((struct access){.pid = 1,
			      .tid = 13,
			      .line = "0x80",
			      .bytes = "16",
			      .access = "load"}); /* nobody writes these */
	mark();
	EXPECT_MARK("0x40", "the same bytes are shared");
	EXPECT_MARK("0x80", "suspect of false sharing");
}

/* Nothing has checked these addresses; lines of which that is so are not mixed with others. */
Test(sharing, candidates)
{
	touch((struct access){.pid = 1,
			      .tid = 10,
			      .line = "0x40 (candidate)",
			      .bytes = "0..7 (candidate)",
			      .access = "store"});
	touch((struct access){.pid = 1,
			      .tid = 11,
			      .line = "0x40 (candidate)",
			      .bytes = "8..15 (candidate)",
			      .access = "load"});
	touch((struct access){
		.pid = 1, .tid = 12, .line = "0x40", .bytes = "0..7", .access = "store"});
	touch((struct access){.pid = 1,
			      .tid = 10,
			      .line = "0x80 (candidate)",
			      .bytes = "8 (candidate)",
			      .access = "store"});
	touch((struct access){.pid = 1,
			      .tid = 11,
			      .line = "0x80 (candidate)",
			      .bytes = "8..15 (candidate)",
			      .access = "load"});
	mark();
	EXPECT_MARK("0x40 (candidate)", "suspect of false sharing (candidate)");
	EXPECT_MARK("0x40", "");
	EXPECT_MARK("0x80 (candidate)", "the same bytes are shared (candidate)");
}

Test(sharing, proven_by_the_source)
{
	touch((struct access){
		.pid = 1, .tid = 10, .line = "0x40", .bytes = "0..7", .source = "store L1 hit"});
	touch((struct access){.pid = 1,
			      .tid = 11,
			      .line = "0x40",
			      .bytes = "8..15",
			      .source = "load L3 hit, hitm"});
	mark();
	EXPECT_MARK("0x40", "false sharing");
}

/* The same address is other memory in another process, but for the kernel's. */
Test(sharing, processes_are_apart)
{
	touch((struct access){
		.pid = 1, .tid = 10, .line = "0x40", .bytes = "0", .access = "store"});
	touch((struct access){
		.pid = 2, .tid = 20, .line = "0x40", .bytes = "8", .access = "store"});
	touch((struct access){.pid = 1,
			      .tid = 10,
			      .line = "0xffff40",
			      .bytes = "0",
			      .access = "store",
			      .segment = "kernel"});
	touch((struct access){.pid = 2,
			      .tid = 20,
			      .line = "0xffff40",
			      .bytes = "8",
			      .access = "store",
			      .segment = "kernel"});
	mark();
	EXPECT_MARK("0x40", "");
	EXPECT_MARK("0xffff40", "suspect of false sharing");
}

/* Somebody else's file may say anything. */
Test(sharing, bytes_that_are_none)
{
	static const char *const bytes[] =
		{"",    "64",  "-1",     "8..7", "0..64", "a..b", "8..",
		 "..8", "1.2", "8..15x", NULL,   "0x10",  "8 ",   "99999999999999999999"};

	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		touch((struct access){
			.pid = 1, .tid = 10, .line = "0x40", .bytes = bytes[i], .access = "store"});
		touch((struct access){
			.pid = 1, .tid = 11, .line = "0x40", .bytes = bytes[i], .access = "store"});
	}
	cr_expect_lt(prof__mark_sharing(&marked, p, &err), 0);
	cr_expect_not_null(strstr(err.text, "record --data"));
}
