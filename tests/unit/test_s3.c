// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Signatures, by the examples of AWS's own documentation ("Signature Calculations for the
 * Authorization Header"), and the hash below them by FIPS 180-4's and RFC 4231's.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "base/mem.h"
#include "base/sha256.h"
#include "ship/s3.h"
#include "ship/s3_list.h"

static void expect_hash(const char *text, size_t times, const char *want)
{
	uint8_t hash[SHA256_SIZE];
	char hex[SHA256_HEX];
	struct sha256 s;

	sha256__begin(&s);
	for (size_t i = 0; i < times; i++)
		sha256__add(&s, text, strlen(text));
	sha256__end(&s, hash);
	sha256_hex(hash, hex);
	cr_expect_str_eq(hex, want);
}

Test(s3, hashes)
{
	expect_hash("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	expect_hash("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	expect_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
		    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	expect_hash("aaaaaaaaaa", 100000,
		    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void expect_hmac(const void *key, size_t len, const char *text, const char *want)
{
	uint8_t hash[SHA256_SIZE];
	char hex[SHA256_HEX];

	sha256_hmac(key, len, text, strlen(text), hash);
	sha256_hex(hash, hex);
	cr_expect_str_eq(hex, want);
}

Test(s3, keyed_hashes)
{
	uint8_t key[131];

	memset(key, 0x0b, 20);
	expect_hmac(key, 20, "Hi There",
		    "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
	expect_hmac("Jefe", 4, "what do ya want for nothing?",
		    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	memset(key, 0xaa, sizeof(key));
	expect_hmac(key, sizeof(key), "Test Using Larger Than Block-Size Key - Hash Key First",
		    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

#define EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define WELCOME "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"

static void expect_signature(const char *method, const char *path, const char *query,
			     const struct s3_header *headers, size_t n, const char *payload,
			     const char *want)
{
	const struct s3_request r = {
		.method = method,
		.path = path,
		.query = query,
		.headers = headers,
		.n_headers = n,
		.payload_hash = payload,
		.date = "20130524T000000Z",
		.region = "us-east-1",
		.key_id = "AKIAIOSFODNN7EXAMPLE",
		.key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
	};
	struct buf out = {0};

	s3_sign(&r, &out);
	cr_expect_str_eq(out.data, want);
	buf__done(&out);
}

#define CREDENTIAL                                                                \
	"AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/" \
	"aws4_request,SignedHeaders="

Test(s3, signatures_of_the_examples)
{
	const struct s3_header get[] = {
		{"host", "examplebucket.s3.amazonaws.com"},
		{"range", "bytes=0-9"},
		{"x-amz-content-sha256", EMPTY},
		{"x-amz-date", "20130524T000000Z"},
	};
	const struct s3_header put[] = {
		{"date", "Fri, 24 May 2013 00:00:00 GMT"},
		{"host", "examplebucket.s3.amazonaws.com"},
		{"x-amz-content-sha256", WELCOME},
		{"x-amz-date", "20130524T000000Z"},
		{"x-amz-storage-class", "REDUCED_REDUNDANCY"},
	};
	const struct s3_header list[] = {
		{"host", "examplebucket.s3.amazonaws.com"},
		{"x-amz-content-sha256", EMPTY},
		{"x-amz-date", "20130524T000000Z"},
	};

	expect_signature("GET", "/test.txt", "", get, ARRAY_SIZE(get), EMPTY,
			 CREDENTIAL
			 "host;range;x-amz-content-sha256;x-amz-date,Signature="
			 "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
	expect_signature("PUT", "/test%24file.text", "", put, ARRAY_SIZE(put), WELCOME,
			 CREDENTIAL
			 "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class,Signature="
			 "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
	expect_signature("GET", "/", "lifecycle=", list, ARRAY_SIZE(list), EMPTY,
			 CREDENTIAL
			 "host;x-amz-content-sha256;x-amz-date,Signature="
			 "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
}

static void expect_answer(unsigned status, const char *body, enum answer want, const char *said)
{
	const struct http_reply reply = {.outcome = HTTP_ANSWERED,
					 .status = status,
					 .data = body,
					 .len = strlen(body)};
	char why[HTTP_TEXT_MAX] = "";

	cr_expect_eq(s3_answer(&reply, why), want, "%u %s", status, body);
	cr_expect_str_eq(why, said);
}

Test(s3, what_answers_mean)
{
	const struct http_reply lost = {.outcome = HTTP_UNKNOWN, .why = "reset"};
	char why[HTTP_TEXT_MAX];

	expect_answer(200, "", ANSWER_DONE, "");
	expect_answer(403, "<?xml?>\n<Error><Code>AccessDenied</Code></Error>", ANSWER_LATER,
		      "the server answers 403: AccessDenied");
	expect_answer(400, "<Error><Code>ExpiredToken</Code>", ANSWER_LATER,
		      "the server answers 400: ExpiredToken");
	expect_answer(400, "<Error><Code>EntityTooLarge</Code>", ANSWER_REFUSED,
		      "the server answers 400: EntityTooLarge");
	expect_answer(413, "", ANSWER_REFUSED, "the server answers 413");
	expect_answer(301, "<Code>Permanent\033[2J</Code>", ANSWER_LATER,
		      "the server answers 301: Permanent");
	expect_answer(503, "<Code>", ANSWER_LATER, "the server answers 503");
	cr_expect_eq(s3_answer(&lost, why), ANSWER_LATER); /* twice is once */
}

static void expect_place(const char *text, const char *base, const char *authority,
			 const char *region, const char *path)
{
	struct ship_url url;
	struct err err = {0};
	struct buf out = {0};

	cr_assert_eq(ship_url__parse_any(&url, text, "--to", &err), 0, "%s", err.text);
	cr_expect_str_eq(url.base, base);
	cr_expect_str_eq(url.authority, authority);
	cr_expect_str_eq(url.region, region);
	s3_put_path(&url, "h 1/../x", "0123456789abcdef0123456789abcdef-0000000007.pb.gz", &out);
	cr_expect_str_eq(out.data, path);
	buf__done(&out);
	ship_url__done(&url);
}

Test(s3, places)
{
	static const char *const refused[] = {
		"s3+https://h",           "s3+https://h/",
		"s3+https:///b",          "s3+https://h:0/b",
		"s3+https://k:s@h/b",     "s3+https://h/b?x=1",
		"s3+https://h/b?region=", "s3+https://h/b?region=a b",
		"s3+https://h//b",        "s3+https://h/b/../c",
		"s3+ftp://h/b",           "s3+https://h/b c",
	};
	struct ship_url url;

	expect_place("s3+https://s3.example/b", "https://s3.example:443", "s3.example", "us-east-1",
		     "/b/h%201%2F..%2Fx/0123456789abcdef0123456789abcdef-0000000007.pb.gz");
	expect_place("s3+http://[::1]:9000/b/a/c/?region=eu-1", "http://[::1]:9000", "[::1]:9000",
		     "eu-1",
		     "/b/a/c/h%201%2F..%2Fx/0123456789abcdef0123456789abcdef-0000000007.pb.gz");
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		struct err err = {0};

		cr_expect_lt(ship_url__parse_any(&url, refused[i], "--to", &err), 0, "%s",
			     refused[i]);
		cr_expect(*err.text && !strstr(err.text, "k:s"), "%s", err.text);
	}
	cr_expect_eq(ship_url__parse_any(&url, "clickhouse+http://h/d", "--to", NULL), 0);
	ship_url__done(&url);
}

#define BOOT "0123456789abcdef0123456789abcdef"
#define HEAD "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"x\"><Name>b</Name>"
#define OBJECT(key)           \
	"<Contents><Key>" key \
	"</Key><LastModified>2026-11-28T01:02:03.500Z</LastModified></Contents>"
#define TAIL "</ListBucketResult>"
#define MORE(token)                       \
	"<IsTruncated>true</IsTruncated>" \
	"<NextContinuationToken>" token "</NextContinuationToken>"

static bool add_page(struct s3_list *list, const char *xml)
{
	return s3_list__add(list, "p/", xml, strlen(xml));
}

Test(s3, lists)
{
	struct s3_list list = {0};

	cr_assert(add_page(&list,
			   HEAD OBJECT("p/a&amp;b/" BOOT "-0000000007.pb.gz") OBJECT("p/notes.txt")
				   OBJECT("p/z/deep/" BOOT "-0000000001.pb.gz")
					   MORE("t&#x3d;&#38;1") TAIL));
	cr_assert_eq(list.n, 2);
	cr_expect_str_eq(list.objects[0].host, "a&b");
	cr_expect_str_eq(list.objects[0].id.boot, BOOT);
	cr_expect_eq(list.objects[0].id.seq, 7);
	cr_expect_eq(list.objects[0].modified_ns, 1795827723500000000);
	cr_expect_str_eq(list.objects[1].host, "z/deep");
	cr_expect_str_eq(list.token, "t=&1");
	/* the next page, and the last one */
	cr_assert(add_page(&list, HEAD "<Contents><Key>p/zz/" BOOT
				       "-0000000001.pb.gz</Key></Contents>" TAIL));
	cr_expect_eq(list.n, 3);
	cr_expect_eq(list.objects[2].modified_ns, INT64_MAX, "it doesn't say");
	cr_expect_null(list.token);
	s3_list__done(&list);
	cr_assert(add_page(&list, HEAD "<IsTruncated>false</IsTruncated>" TAIL));
	cr_expect_eq(list.n, 0);
	s3_list__done(&list);
}

/* Names that say when; what was sent by an older version, too, is there once. */
Test(s3, lists_of_dated_names)
{
	struct s3_list list = {0};

	cr_assert(add_page(&list,
			   HEAD OBJECT("p/a/" BOOT "-0000000007-1764269280123-1764269340124.pb.gz")
				   OBJECT("p/a/" BOOT "-0000000007.pb.gz") OBJECT(
					   "p/a/" BOOT
					   "-0000000008-1764269340123-1764269400124.pb.gz")
					   OBJECT("p/a/" BOOT
						  "-0000000009-1764269340123-1764269340122.pb.gz")
						   OBJECT("p/b/" BOOT "-0000000008.pb.gz") TAIL));
	cr_assert_eq(list.n, 3);
	cr_expect_str_eq(list.objects[0].name,
			 BOOT "-0000000007-1764269280123-1764269340124.pb.gz");
	cr_expect_eq(list.objects[0].when.from_ns, 1764269280123000000);
	cr_expect_eq(list.objects[0].when.to_ns, 1764269340124000000);
	cr_expect_eq(list.objects[1].id.seq, 8);
	cr_expect_str_eq(list.objects[2].host, "b");
	cr_expect_eq(list.objects[2].when.from_ns, 0);
	s3_list__done(&list);
}

Test(s3, lists_that_do_not_fit_together)
{
	static const char *const bad[] = {
		"",
		"<html>",
		HEAD,
		HEAD OBJECT("p/b") OBJECT("p/a") TAIL, /* they rise */
		HEAD OBJECT("p/b") OBJECT("p/b") TAIL,
		HEAD OBJECT("q/a") TAIL, /* that wasn't asked for */
		HEAD "<Contents></Contents>" TAIL,
		HEAD OBJECT("p/<b>") TAIL,
		HEAD OBJECT("p/&bad;") TAIL,
		HEAD OBJECT("p/&#0;") TAIL,
		HEAD OBJECT("p/&") TAIL,
		HEAD OBJECT("p/a") "<IsTruncated>true</IsTruncated>" TAIL,
		HEAD MORE("x") TAIL, /* of nothing there is no next page */
	};
	struct s3_list list = {0};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		cr_expect(!add_page(&list, bad[i]), "%s", bad[i]);
		s3_list__done(&list);
	}
	/* a page that is there again */
	cr_assert(add_page(&list, HEAD OBJECT("p/a") MORE("x") TAIL));
	cr_expect(!add_page(&list, HEAD OBJECT("p/a") MORE("x") TAIL));
	s3_list__done(&list);
	cr_assert(add_page(&list, HEAD OBJECT("p/a") MORE("x") TAIL));
	cr_expect(!add_page(&list, HEAD MORE("x") TAIL));
	s3_list__done(&list);
}
