// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is said to a server, and what it answers. */
#include "ship_there_and_back.h"

Test(ship, parts)
{
	size_t from, to;

	rows__part(1, 10, &from, &to);
	cr_assert(from == 0 && to == 10);
	rows__part(2, 10, &from, &to);
	cr_assert(from == 0 && to == 5);
	rows__part(3, 10, &from, &to);
	cr_assert(from == 5 && to == 10);
	for (uint16_t part = 1; part < 512; part++) {
		size_t a, b, c, d;

		rows__part(part, 1001, &from, &to);
		rows__part((uint16_t)(2 * part), 1001, &a, &b);
		rows__part((uint16_t)(2 * part + 1), 1001, &c, &d);
		cr_assert(a == from && b == c && d == to);
	}
}

Test(ship, urls)
{
	static const char *const bad[] = {"clickhouse+http://",        "clickhouse+http://a",
					  "clickhouse+http://a/",      "clickhouse+http://a:0/x",
					  "clickhouse+http://a:/x",    "clickhouse+http://u:p@a/x",
					  "clickhouse+http://a/x?y=1", "http://a/x",
					  "clickhouse+http://[::1/x",  "clickhouse+http://a b/x",
					  "clickhouse+http://a/x/y"};
	struct ship_url url;

	cr_assert_eq(ship_url__parse(&url, "clickhouse+http://127.0.0.1:8123/pmubpf", "--to", &err),
		     0);
	cr_assert_str_eq(url.base, "http://127.0.0.1:8123");
	cr_assert_str_eq(url.database, "pmubpf");
	cr_assert(url.loopback && !url.https);
	ship_url__done(&url);
	cr_assert_eq(ship_url__parse(&url, "clickhouse+https://[fe80::1]/a_1", "--to", &err), 0);
	cr_assert_str_eq(url.base, "https://[fe80::1]:8443");
	cr_assert(!url.loopback && url.https);
	ship_url__done(&url);
	cr_assert_eq(ship_url__parse(&url, "clickhouse+http://127.evil.example/x", "--to", &err),
		     0);
	cr_assert(!url.loopback);
	ship_url__done(&url);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		cr_assert_lt(ship_url__parse(&url, bad[i], "--to", &err), 0, "%s", bad[i]);
}

Test(ship, texts_of_sql_and_of_urls)
{
	_cleanup_(buf__done) struct buf b = {0};

	sql__put_text(&b, "a'b\\c\nd");
	cr_assert_str_eq(b.data, "'a\\'b\\\\c\\x0ad'");
	buf__clear(&b);
	url__put(&b, "a b&c=\xc3\xa9~");
	cr_assert_str_eq(b.data, "a%20b%26c%3D%C3%A9~");
}

static enum answer answer_to(enum http_outcome outcome, unsigned status, const char *text)
{
	const struct http_reply reply = {
		.outcome = outcome,
		.status = status,
		.data = text,
		.len = strlen(text),
	};

	return answer__of(&reply);
}

Test(ship, what_answers_mean)
{
	cr_assert_eq(answer_to(HTTP_ANSWERED, 200, ""), ANSWER_DONE);
	cr_assert_eq(answer_to(HTTP_ANSWERED, 413, ""), ANSWER_SPLIT);
	cr_assert_eq(answer_to(HTTP_ANSWERED, 400, "no"), ANSWER_REFUSED);
	cr_assert_eq(answer_to(HTTP_ANSWERED, 500, "Code: 33, e.displayText()"), ANSWER_REFUSED);
	/* of the shard behind the server, which was killed */
	cr_assert_eq(answer_to(HTTP_ANSWERED, 500, "Code: 32, Attempt to read after eof"),
		     ANSWER_REFUSED);
	cr_assert_eq(answer_to(HTTP_ANSWERED, 500,
			       "Code: 32, Attempt to read after eof: while receiving packet from "
			       "127.0.0.1:9000"),
		     ANSWER_DOUBT);
	cr_assert_eq(answer_to(HTTP_ANSWERED, 404, "Code: 60. DB::Exception"), ANSWER_LATER);
	cr_assert_eq(answer_to(HTTP_ANSWERED, 429, ""), ANSWER_LATER);
	cr_assert_eq(answer_to(HTTP_ANSWERED, 302, ""), ANSWER_LATER);
	cr_assert_eq(answer_to(HTTP_ANSWERED, 503, ""), ANSWER_DOUBT);
	cr_assert_eq(answer_to(HTTP_ANSWERED, 500, "Code: 241, Memory"), ANSWER_DOUBT);
	cr_assert_eq(answer_to(HTTP_NOT_SENT, 0, ""), ANSWER_LATER);
	cr_assert_eq(answer_to(HTTP_UNKNOWN, 0, ""), ANSWER_DOUBT);
	cr_assert_eq(answer_to(HTTP_TOO_LARGE, 200, ""), ANSWER_DOUBT);
}

Test(ship, state)
{
	static const char to[] = "clickhouse+http://a/b";
	struct ship_state *s = xcalloc(2, sizeof(*s));
	struct window_id id = {"00112233445566778899aabbccddeeff", 42};
	_cleanup_(buf__done) struct buf text = {0}, again = {0};

	ship_state__set_next(&s[0], &id);
	id.seq = 43;
	ship_state__set_next(&s[0], &id);
	s[0].sending = id;
	s[0].sent = 5;
	s[0].uncertain = 1;
	ship_state__print(&s[0], to, &text);
	cr_assert(ship_state__parse(&s[1], text.data, to));
	ship_state__print(&s[1], to, &again);
	cr_assert_str_eq(text.data, again.data);
	cr_assert_eq(s[1].uncertain, 1);
	cr_assert_eq(ship_state__next(&s[1], id.boot), 43);
	cr_assert_eq(ship_state__next(&s[1], "ff112233445566778899aabbccddeeff"), -1);
	cr_assert_not(ship_state__parse(&s[1], text.data, "clickhouse+http://a/c"));
	for (size_t n = 0; n + 1 < text.len - 1; n++) {
		_cleanup_free_ char *cut = xstrndup(text.data, n);

		cr_assert_not(ship_state__parse(&s[1], cut, to), "%zu", n);
	}
	for (unsigned i = 0; i < STATE_BOOTS + 10; i++) {
		snprintf(id.boot, sizeof(id.boot), "%032x", i);
		ship_state__set_next(&s[0], &id);
	}
	cr_assert_eq(s[0].n_boots, STATE_BOOTS);
	cr_assert_eq(ship_state__next(&s[0], id.boot), 43);
	free(s);
}

Test(ship, schema)
{
	cr_assert(strstr(schema__text("clickhouse"), "EXISTS names ("));
	cr_assert(schema__text("clickhouse-cluster"));
	cr_assert_null(schema__text("x"));
}

static size_t count_of(const char *data, size_t len, const char *text)
{
	size_t n = 0;

	for (size_t i = 0; i + strlen(text) <= len; i++)
		n += memcmp(data + i, text, strlen(text)) == 0;
	return n;
}

/* Those that comments tell, and no others; also of a window whose samples aren't shared. */
Test(rows, alarms)
{
	static const char *const comments[] = {
		"alarm: 2026-11-28T21:40:03.123Z raised 'a ~ b': 51.2 % above what was usual since "
		"2026-11-28T21:39:59.002Z, 2400 where 1587.4 were expected",
		"alarm: at 75.0 s 'a ~ b' was 51.2 % from what was usual",
		"alarm: 2026-11-28T21:41:03.123Z over 'a ~ b': 40.0 % above what was usual since "
		"2026-11-28T21:39:59.002Z, 24000 where 17143.0 were expected",
		"warning: alarm",
	};
	struct prof *p = prof__new();

	for (size_t i = 0; i < ARRAY_SIZE(comments); i++)
		prof__comment(p, comments[i]);
	for (unsigned one_of = 1; one_of <= 100; one_of += 99) {
		struct rows_opts opts = {.one_of = one_of};
		struct rows *r = rows__new(p, &window, &opts);
		struct buf out = {0};
		double percent = 51.2;

		cr_expect_eq(rows__alarms(r), 2);
		rows__put_alarms(r, &out);
		cr_expect_eq(out.len, 2 * (3 + 33 + 8 + 8 + 4 + 8 + 8 + 6 + 3 * 8) + 7 + 5);
		cr_expect_eq(count_of(out.data, out.len, "\x06raised"), 1);
		cr_expect_eq(count_of(out.data, out.len, "\x04over"), 1);
		cr_expect_eq(memcmp(out.data + 3 + 33 + 8 + 8 + 4 + 8 + 8 + 6 + 7, &percent,
				    sizeof(percent)),
			     0);
		buf__done(&out);
		rows__free(r);
	}
	prof__free(p);
}
