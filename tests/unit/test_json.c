// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "render/json.h"

static void expect_string(const char *in, const char *want)
{
	struct buf out = {0};
	struct json j = {.out = &out};

	json__str(&j, NULL, in);
	cr_expect_str_eq(out.data, want);
	buf__done(&out);
}

Test(json, nests_and_indents)
{
	struct buf out = {0};
	struct json j = {.out = &out};

	json__obj(&j, NULL);
	json__str(&j, "name", "cycles");
	json__arr(&j, "numbers");
	json__u64(&j, NULL, UINT64_MAX);
	json__i64(&j, NULL, INT64_MIN);
	json__f64(&j, NULL, 1.005, 2);
	json__end_arr(&j);
	json__arr(&j, "empty");
	json__end_arr(&j);
	json__obj(&j, "inner");
	json__bool(&j, "yes", true);
	json__null(&j, "none");
	json__end_obj(&j);
	json__f64(&j, "nan", NAN, 1);
	json__str(&j, "null", NULL);
	json__end_obj(&j);
	cr_expect_str_eq(out.data, "{\n"
				   "  \"name\": \"cycles\",\n"
				   "  \"numbers\": [\n"
				   "    18446744073709551615,\n"
				   "    -9223372036854775808,\n"
				   "    1.00\n"
				   "  ],\n"
				   "  \"empty\": [],\n"
				   "  \"inner\": {\n"
				   "    \"yes\": true,\n"
				   "    \"none\": null\n"
				   "  },\n"
				   "  \"nan\": null,\n"
				   "  \"null\": null\n"
				   "}\n");
	buf__done(&out);
}

Test(json, escapes_what_would_break_a_string)
{
	expect_string("plain", "\"plain\"");
	expect_string("", "\"\"");
	expect_string("a\"b\\c/", "\"a\\\"b\\\\c/\"");
	expect_string("\n\t\r\b\f", "\"\\n\\t\\r\\b\\f\"");
	expect_string("\x01\x1b\x7f", "\"\\u0001\\u001b\\u007f\"");
	expect_string("\xc2\x9b\xc2\xa0", "\"\\u009b\xc2\xa0\"");
}

Test(json, keys_are_escaped_too)
{
	struct buf out = {0};
	struct json j = {.out = &out};

	json__obj(&j, NULL);
	json__u64(&j, "a\"b\n", 1);
	json__end_obj(&j);
	cr_expect_str_eq(out.data, "{\n  \"a\\\"b\\n\": 1\n}\n");
	buf__done(&out);
}

Test(json, keeps_utf8_and_replaces_what_is_none)
{
	expect_string("\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\xa5",
		      "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\xa5\"");
	expect_string("\x80", "\"\\ufffd\"");
	expect_string("a\xff"
		      "b",
		      "\"a\\ufffdb\"");
	expect_string("\xc0\xaf", "\"\\ufffd\\ufffd\"");            /* overlong */
	expect_string("\xe0\x80\xaf", "\"\\ufffd\\ufffd\\ufffd\""); /* overlong */
	expect_string("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""); /* surrogate */
	expect_string("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
	expect_string("\xe2\x82", "\"\\ufffd\\ufffd\""); /* cut short */
	expect_string("\xc3\"", "\"\\ufffd\\\"\"");
}
