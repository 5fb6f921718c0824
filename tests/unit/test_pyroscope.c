// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cursor.h"
#include "prof/pprof_read.h"
#include "prof_build.h"
#include "ship/pyroscope.h"
#include "ship/url.h"

static uint32_t in_container(struct prof *p, const char *container, int64_t pid)
{
	struct prof_label_list list = {0};
	uint32_t labels;

	prof__add_number(p, &list, "pid", pid);
	if (container)
		prof__add_text(p, &list, "container", container);
	labels = prof__labels(p, list.items, list.n);
	free(list.items);
	return labels;
}

static struct prof *read_back(const struct buf *file)
{
	int fd = memfd_create("profile", MFD_CLOEXEC);
	struct prof *p = NULL;
	struct err err = {0};

	cr_assert_eq(write(fd, file->data, file->len), (ssize_t)file->len);
	lseek(fd, 0, SEEK_SET);
	cr_assert_eq(pprof__read(&p, fd, "it", NULL, &err), 0, "%s", err.text);
	close(fd);
	return p;
}

static void sum(const struct prof *p, int64_t ret[3])
{
	memset(ret, 0, 3 * sizeof(*ret));
	for (size_t i = 0; i < p->n_samples; i++) {
		for (size_t t = 0; t < 3; t++)
			ret[t] += prof__values(p, i)[t];
	}
}

Test(pyroscope, a_series_of_each_container)
{
	struct prof *p = prof__new(), *back;
	struct pyroscope pushed;
	int64_t got[3];

	prof__type(p, "cpu-clock_sample", "count");
	prof__type(p, "cpu-clock_time", "nanoseconds");
	prof__type(p, "L1:misses_event", "count");
	prof__comment(p, "window: of ours");
	p->time_ns = 1700000000000000000;
	BUILD_SAMPLE(p, "f,main", in_container(p, NULL, 1), 1, 10, 100);
	BUILD_SAMPLE(p, "f,main", in_container(p, "web", 2), 2, 20, 200);
	BUILD_SAMPLE(p, "f,main", in_container(p, "web", 3), 3, 30, 300);
	BUILD_SAMPLE(p, "g,main", in_container(p, "db", 4), 4, 40, 400);
	pyroscope__make(&pushed, p, "h1", 0);
	cr_assert_eq(pushed.n, 3);
	cr_assert_null(pushed.list[0].container);
	cr_assert_str_eq(pushed.list[1].container, "web");
	back = read_back(&pushed.list[1].file);
	cr_assert_eq(back->n_samples, 1, "samples of one stack are one: they have no labels");
	sum(back, got);
	cr_assert(got[0] == 5 && got[1] == 50 && got[2] == 500);
	cr_assert_str_eq(prof__text(back, back->types[0].name), "cpu_clock_sample");
	cr_assert_str_eq(prof__text(back, back->types[2].name), "L1_misses_event");
	cr_assert_eq(back->time_ns, p->time_ns);
	cr_assert_eq(back->n_comments, 0);
	cr_assert_eq(prof__label_set(back, back->samples[0].labels,
				     &(const struct prof_label *){0}),
		     0);
	prof__free(back);
	pyroscope__done(&pushed);
	prof__free(p);
}

static void build_many(struct prof *p, size_t n, size_t name_len)
{
	_cleanup_free_ char *name = xcalloc(1, name_len + 32);

	memset(name, 'x', name_len);
	for (size_t i = 0; i < n; i++) {
		snprintf(name + name_len, 32, "%zu,main", i);
		BUILD_SAMPLE(p, name, in_container(p, NULL, 1), (int64_t)i + 1, 0, 0);
	}
}

static void expect_rest(size_t n, size_t name_len, size_t max_stacks, size_t most)
{
	struct prof *p = build_clock_and_misses(), *back;
	struct pyroscope pushed;
	int64_t got[3];

	build_many(p, n, name_len);
	pyroscope__make(&pushed, p, "h1", max_stacks);
	back = read_back(&pushed.list[0].file);
	sum(back, got);
	cr_expect_eq(got[0], (int64_t)(n * (n + 1) / 2), "sums stay");
	cr_expect_leq(back->n_samples, most, "%zu samples", back->n_samples);
	cr_expect_gt(back->n_samples, 1);
	/* the largest one stayed */
	got[0] = 0;
	for (size_t i = 0; i < back->n_samples; i++)
		got[0] += prof__values(back, i)[0] == (int64_t)n;
	cr_expect_eq(got[0], 1);
	prof__free(back);
	pyroscope__done(&pushed);
	prof__free(p);
}

Test(pyroscope, no_more_than_servers_take)
{
	expect_rest(100, 1, 10, 10);
	expect_rest(17000, 1, 0, PYROSCOPE_STACKS);
	/* 8 MB of names */
	expect_rest(1000, 8192, 0, 512);
}

/* A field of that number, in *ret; the cursor goes on behind it. */
static bool take(struct cursor *c, unsigned number, struct cursor *ret)
{
	size_t len;
	const void *data;

	if (cursor__u8(c) != (number << 3 | 2))
		return false;
	len = cursor__uleb(c);
	data = cursor__bytes(c, len);
	*ret = cursor__over(data, len);
	return data;
}

static void expect_text(struct cursor *c, unsigned number, const char *want)
{
	struct cursor text;
	size_t len;

	cr_assert(take(c, number, &text));
	len = cursor__left(&text);
	cr_expect(len == strlen(want) && memcmp(cursor__bytes(&text, len), want, len) == 0, "%s",
		  want);
}

static void expect_label(struct cursor *series, const char *name, const char *value)
{
	struct cursor pair;

	cr_assert(take(series, 1, &pair));
	expect_text(&pair, 1, name);
	expect_text(&pair, 2, value);
	cr_expect(cursor__done(&pair));
}

Test(pyroscope, requests)
{
	struct pyroscope_series list[2] = {{.container = (char *)"w\xc3\n1"}};
	bool taken[2] = {false, true};
	const struct pyroscope p = {.list = list, .n = 2, .taken = taken, .host = "h1"};
	_cleanup_(buf__done) struct buf out = {0};
	struct cursor c, series, sample;

	buf__puts(&list[0].file, "profile");
	pyroscope__put(&p, 0, 2, &out);
	c = cursor__over(out.data, out.len);
	cr_assert(take(&c, 1, &series));
	cr_expect(cursor__done(&c), "what is done isn't sent");
	expect_label(&series, "__name__", "process_cpu");
	expect_label(&series, "container", "w??1");
	expect_label(&series, "host", "h1");
	expect_label(&series, "service_name", "w??1");
	cr_assert(take(&series, 2, &sample));
	cr_expect(cursor__done(&series));
	expect_text(&sample, 1, "profile");
	buf__done(&list[0].file);
}

static void expect_answer(enum http_outcome outcome, unsigned status, const char *body,
			  enum answer want, const char *said)
{
	const struct http_reply reply = {.outcome = outcome,
					 .status = status,
					 .data = body,
					 .len = strlen(body)};
	char why[HTTP_TEXT_MAX] = "";

	cr_expect_eq(pyroscope_answer(&reply, why), want, "%u %s", status, body);
	cr_expect_str_eq(why, said);
}

Test(pyroscope, what_answers_mean)
{
	expect_answer(HTTP_ANSWERED, 200, "", ANSWER_DONE, "");
	expect_answer(HTTP_ANSWERED, 400,
		      "{\"code\":\"invalid_argument\",\"message\":\"a \\\"b\\\"\x1b\"}",
		      ANSWER_REFUSED, "the server answers 400: invalid_argument: a \"b\"?");
	expect_answer(HTTP_ANSWERED, 429, "{\"code\": \"resource_exhausted\"", ANSWER_LATER,
		      "the server answers 429: resource_exhausted");
	expect_answer(HTTP_ANSWERED, 429,
		      "{\"message\":\"message size 5 is larger than configured max 4\"}",
		      ANSWER_SPLIT,
		      "the server answers 429: message size 5 is larger than configured max 4");
	expect_answer(HTTP_ANSWERED, 413, "", ANSWER_SPLIT, "the server answers 413");
	expect_answer(HTTP_ANSWERED, 401, "{\"code\":", ANSWER_LATER, "the server answers 401");
	expect_answer(HTTP_ANSWERED, 404, "<html>", ANSWER_LATER, "the server answers 404");
	expect_answer(HTTP_ANSWERED, 302, "", ANSWER_LATER, "the server answers 302");
	expect_answer(HTTP_ANSWERED, 503, "", ANSWER_DOUBT, "the server answers 503");
	expect_answer(HTTP_UNKNOWN, 0, "", ANSWER_DOUBT, "the server can't be asked: ");
	expect_answer(HTTP_NOT_SENT, 0, "", ANSWER_LATER, "the server can't be asked: ");
}

static void expect_url(const char *text, const char *base, const char *path, const char *tenant)
{
	struct ship_url url;
	struct err err = {0};

	cr_assert_eq(ship_url__parse_any(&url, text, "--to", &err), 0, "%s: %s", text, err.text);
	cr_expect_eq(url.kind, SHIP_PYROSCOPE);
	cr_expect_str_eq(url.base, base);
	cr_expect_str_eq(url.path ? url.path : "", path);
	cr_expect_str_eq(url.tenant ? url.tenant : "", tenant);
	ship_url__done(&url);
}

Test(pyroscope, urls)
{
	static const char *const bad[] = {
		"pyroscope+http://",           "pyroscope+http://a:0",
		"pyroscope+http://u:p@a",      "pyroscope+http://a?x=1",
		"pyroscope+http://a/?tenant=", "pyroscope+http://a?tenant=a%0ab",
		"pyroscope+http://a/../b",     "pyroscope+ftp://a",
	};
	struct ship_url url;
	struct err err = {0};

	expect_url("pyroscope+http://a", "http://a:4040", "", "");
	expect_url("pyroscope+https://a/", "https://a:443", "", "");
	expect_url("pyroscope+http://[::1]:1/p/q/?tenant=x-1", "http://[::1]:1", "/p/q", "x-1");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		cr_expect_lt(ship_url__parse_any(&url, bad[i], "--to", &err), 0, "%s", bad[i]);
}
