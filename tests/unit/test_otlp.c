// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>

#include <string.h>

#include "base/cursor.h"
#include "base/proto.h"
#include "prof_build.h"
#include "ship/otlp.h"
#include "ship/url.h"

static const struct rows_window window = {"h1", "00112233445566778899aabbccddeeff", 7};

static uint32_t labels_of(struct prof *p, const char *container, int64_t pid, const char *comm)
{
	struct prof_label_list list = {0};
	uint32_t labels;

	prof__add_number(p, &list, "pid", pid);
	prof__add_text(p, &list, "comm", comm);
	if (container)
		prof__add_text(p, &list, "container", container);
	labels = prof__labels(p, list.items, list.n);
	free(list.items);
	return labels;
}

/* Messages in a field, and the sum of the numbers that are in it otherwise. */
static size_t count(const struct proto_field *in, unsigned field)
{
	struct cursor c = cursor__over(in->bytes, in->len);
	struct proto_field f;
	size_t n = 0;

	while (cursor__left(&c) && proto__next(&c, &f))
		n += f.number == field;
	cr_assert(cursor__done(&c));
	return n;
}

static struct proto_field member(const struct proto_field *in, unsigned field, size_t place)
{
	struct cursor c = cursor__over(in->bytes, in->len);
	struct proto_field f;

	while (proto__next(&c, &f)) {
		if (f.number == field && !place--)
			return f;
	}
	cr_assert_fail("no field %u", field);
	return f;
}

/* A packed field's only number. */
static uint64_t packed(const struct proto_field *f)
{
	struct cursor c = cursor__over(f->bytes, f->len);
	uint64_t n = cursor__uleb(&c);

	cr_assert(cursor__done(&c));
	return n;
}

static struct proto_field request_of(const struct otlp *o, size_t from, size_t to, struct buf *out)
{
	otlp__put(o, from, to, out);
	return (struct proto_field){.bytes = (const uint8_t *)out->data, .len = out->len};
}

/* Sum of the values of all samples of a message. */
static int64_t sum(const struct proto_field *request)
{
	int64_t n = 0;

	for (size_t r = 0; r < count(request, 1); r++) {
		struct proto_field resource = member(request, 1, r);
		struct proto_field scope = member(&resource, 2, 0);

		for (size_t i = 0; i < count(&scope, 2); i++) {
			struct proto_field profile = member(&scope, 2, i);

			for (size_t k = 0; k < count(&profile, 2); k++) {
				struct proto_field sample = member(&profile, 2, k);
				struct proto_field values = member(&sample, 4, 0);

				n += (int64_t)packed(&values);
			}
		}
	}
	return n;
}

static struct prof *build(void)
{
	struct prof *p = build_clock_and_misses();

	BUILD_SAMPLE(p, "leaf,root", labels_of(p, "web", 5, "a\xc3(\xc3\xa9"), 3, 3000, -2);
	BUILD_SAMPLE(p, "leaf,root", labels_of(p, "web", 6, "c"), 1, 1000, 0);
	BUILD_SAMPLE(p, "other,root", labels_of(p, NULL, 6, "c"), 1, 1001, 4);
	p->time_ns = 1764269280123456789;
	p->duration_ns = 60000000001;
	return p;
}

Test(otlp, a_resource_of_each_container)
{
	struct prof *p = build();
	_cleanup_(buf__done) struct buf out = {0};
	_cleanup_(buf__done) struct buf again = {0};
	struct otlp o;
	struct proto_field request, dictionary;

	otlp__make(&o, p, &window);
	cr_assert_eq(o.n, 2 * 3); /* and of each type */
	request = request_of(&o, 0, o.n, &out);
	cr_assert_eq(count(&request, 1), 2);
	cr_assert_eq(count(&request, 2), 1);
	cr_assert_eq(sum(&request), 3 + 3000 - 2 + 1 + 1000 + 1 + 1001 + 4);
	dictionary = member(&request, 2, 0);
	for (unsigned table = 1; table <= 7; table++)
		cr_assert(table == 4 || !member(&dictionary, table, 0).len, "table %u", table);
	cr_assert_eq(count(&dictionary, 2), 1 + 3); /* leaf, root, other */
	cr_assert_eq(count(&dictionary, 7), 1 + 2);
	/* what isn't UTF-8 is told */
	cr_assert(memmem(out.data, out.len, "a?(\xc3\xa9", 5));
	cr_assert(!memmem(out.data, out.len, "a\xc3(", 3));
	/* the same again, ids too */
	request_of(&o, 0, o.n, &again);
	cr_assert_eq(out.len, again.len);
	cr_assert_arr_eq(out.data, again.data, out.len);
	otlp__done(&o);
	prof__free(p);
}

/* Halves are messages of their own, and what was taken isn't in them. */
Test(otlp, parts)
{
	struct prof *p = build();
	_cleanup_(buf__done) struct buf a = {0};
	_cleanup_(buf__done) struct buf b = {0};
	_cleanup_(buf__done) struct buf none = {0};
	struct otlp o;
	struct proto_field first, second;

	otlp__make(&o, p, &window);
	first = request_of(&o, 0, 2, &a);
	cr_assert_eq(sum(&first), 3 + 3000 + 1 + 1000);
	o.taken[0] = o.taken[1] = true;
	second = request_of(&o, 0, o.n, &b);
	cr_assert_eq(count(&second, 1), 2, "the rest of the one, and the other");
	cr_assert_eq(sum(&second), -2 + 1 + 1001 + 4);
	memset(o.taken, true, o.n * sizeof(*o.taken));
	otlp__put(&o, 0, o.n, &none);
	cr_assert_eq(none.len, 0);
	otlp__done(&o);
	prof__free(p);
}

/* A resource alone can be halved, too: profiles with ids of their own, in which all is once. */
Test(otlp, many_samples_of_a_resource)
{
	enum { SAMPLES = 2 * OTLP_PART_SAMPLES + 1 };
	struct prof *p = build_clock_and_misses();
	int64_t want = 0, got = 0;
	uint8_t ids[8][16];
	struct otlp o;

	for (int64_t i = 0; i < SAMPLES; i++) {
		const char *container = i % 2 && i < SAMPLES - 3 ? "web" : NULL;

		BUILD_SAMPLE(p, "leaf,root", labels_of(p, container, i, "c"), i, 0, i == 4);
		want += i + (i == 4);
	}
	otlp__make(&o, p, &window);
	/* two of one resource, one of the other, and the one that has another type's value */
	cr_assert_eq(o.n, 4);
	for (size_t i = 0; i < o.n; i++) {
		_cleanup_(buf__done) struct buf out = {0};
		struct proto_field request = request_of(&o, i, i + 1, &out);
		struct proto_field resource = member(&request, 1, 0);
		struct proto_field scopes = member(&resource, 2, 0);
		struct proto_field profile = member(&scopes, 2, 0);
		struct proto_field id = member(&profile, 7, 0);

		cr_assert_eq(count(&request, 1), 1);
		cr_assert_eq(count(&scopes, 2), 1);
		cr_assert_leq(count(&profile, 2), OTLP_PART_SAMPLES);
		got += sum(&request);
		cr_assert_eq(id.len, 16);
		memcpy(ids[i], id.bytes, 16);
		for (size_t k = 0; k < i; k++)
			cr_assert_arr_neq(ids[i], ids[k], 16);
	}
	cr_assert_eq(got, want);
	otlp__done(&o);
	prof__free(p);
}

Test(otlp, nothing)
{
	struct prof *p = build_clock_and_misses();
	_cleanup_(buf__done) struct buf out = {0};
	struct otlp o;

	otlp__make(&o, p, &window);
	cr_assert_eq(o.n, 0);
	otlp__put(&o, 0, 0, &out);
	cr_assert_eq(out.len, 0);
	otlp__done(&o);
	prof__free(p);
}

static const char NOT_OURS[] = "the server answers 200, but not in OpenTelemetry's protocol";

#define EXPECT_ANSWER(outcome, status, body, want, said) \
	expect_answer(outcome, status, body, sizeof(body) - 1, want, said)

static void expect_answer(enum http_outcome outcome, unsigned status, const char *body, size_t len,
			  enum answer want, const char *said)
{
	const struct http_reply reply = {.outcome = outcome,
					 .status = status,
					 .data = body,
					 .len = len};
	char why[HTTP_TEXT_MAX] = "";

	cr_expect_eq(otlp_answer(&reply, why), want, "%u", status);
	cr_expect_str_eq(why, said);
}

Test(otlp, what_answers_mean)
{
	EXPECT_ANSWER(HTTP_ANSWERED, 200, "", ANSWER_DONE, "");
	EXPECT_ANSWER(HTTP_ANSWERED, 200, "\x0a\x04\x12\x02ok", ANSWER_DONE, "");
	EXPECT_ANSWER(HTTP_ANSWERED, 200, "\x0a\x02\x08", ANSWER_DOUBT, NOT_OURS); /* it is cut */
	EXPECT_ANSWER(HTTP_ANSWERED, 200, "\x0a\x01\x08", ANSWER_DOUBT, NOT_OURS);
	EXPECT_ANSWER(HTTP_ANSWERED, 200, "\x08\x01", ANSWER_DOUBT, NOT_OURS);
	EXPECT_ANSWER(HTTP_ANSWERED, 200, "<html>sign in", ANSWER_DOUBT, NOT_OURS);
	EXPECT_ANSWER(HTTP_ANSWERED, 200, "{}", ANSWER_DOUBT, NOT_OURS);
	EXPECT_ANSWER(HTTP_ANSWERED, 200, "\x12\x02hi", ANSWER_DONE, ""); /* of later versions */
	EXPECT_ANSWER(HTTP_ANSWERED, 200, "\x0a\x06\x08\x02\x12\x02n\x1b", ANSWER_REFUSED,
		      "the server has rejected 2 profiles: n?");
	EXPECT_ANSWER(HTTP_ANSWERED, 400,
		      "\x08\x03\x12\x03"
		      "bad",
		      ANSWER_REFUSED, "the server answers 400: bad");
	EXPECT_ANSWER(HTTP_ANSWERED, 400,
		      "\x12\x1c"
		      "http: request body too large",
		      ANSWER_SPLIT, "the server answers 400: http: request body too large");
	EXPECT_ANSWER(HTTP_ANSWERED, 404, "404 page not found", ANSWER_LATER,
		      "the server answers 404");
	EXPECT_ANSWER(HTTP_ANSWERED, 413, "", ANSWER_SPLIT, "the server answers 413");
	EXPECT_ANSWER(HTTP_ANSWERED, 429, "", ANSWER_LATER, "the server answers 429");
	EXPECT_ANSWER(HTTP_ANSWERED, 503, "", ANSWER_DOUBT, "the server answers 503");
	EXPECT_ANSWER(HTTP_UNKNOWN, 0, "", ANSWER_DOUBT, "the server can't be asked: ");
	EXPECT_ANSWER(HTTP_NOT_SENT, 0, "", ANSWER_LATER, "the server can't be asked: ");
}

Test(otlp, urls)
{
	struct ship_url url;
	struct err err = {0};

	cr_assert_eq(ship_url__parse_any(&url, "otlp+http://a/p?tenant=t", "--to", &err), 0);
	cr_expect_eq(url.kind, SHIP_OTLP);
	cr_expect_str_eq(url.base, "http://a:4318");
	cr_expect_str_eq(url.path, "/p");
	cr_expect_str_eq(ship_kind__name(url.kind), "otlp");
	ship_url__done(&url);
	cr_assert_eq(ship_url__parse_any(&url, "otlp+https://a", "--to", &err), 0);
	cr_expect_str_eq(url.base, "https://a:443");
	ship_url__done(&url);
	cr_assert_lt(ship_url__parse_any(&url, "otlp+http://a?x=1", "--to", &err), 0);
	cr_expect(strstr(err.text, "otlp+https"), "%s", err.text);
}
