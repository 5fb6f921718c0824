// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "collect/decode.h"
#include "model/context_text.h"
#include "model/contexts.h"

static const char *key_of(void *ctx, uint32_t tgid, unsigned key)
{
	static const char *const names[] = {"http_route", "http_method", ""};

	cr_expect_eq(tgid, 7);
	(*(int *)ctx)++;
	return key < 3 ? names[key] : NULL;
}

static void expect_text(const void *bytes, size_t n, const char *want)
{
	struct pmb_context c = {.tgid = 7, .n_bytes = (uint32_t)n};
	struct buf text = {0};
	int asked = 0;

	memcpy(c.bytes, bytes, n);
	context_text(&c, key_of, &asked, &text);
	cr_expect_str_eq(text.data, want);
	buf__done(&text);
}

Test(contexts, are_said_by_the_names_of_their_keys)
{
	static const char both[] = "\1\3GET\0\5/cart";

	expect_text(both, sizeof(both) - 1, "http_route=/cart http_method=GET");
}

Test(contexts, of_several_with_a_key_the_last_one_counts)
{
	static const char twice[] = "\0\3old\1\1G\0\3new";

	expect_text(twice, sizeof(twice) - 1, "http_route=new http_method=G");
}

Test(contexts, a_key_without_a_name_is_its_number)
{
	static const char other[] = "\2\1a\311\1b\0\0";

	expect_text(other, sizeof(other) - 1, "http_route= #2=a #201=b");
}

Test(contexts, what_is_cut_is_no_attribute)
{
	static const char cut[] = "\0\1a\1\5GE";

	expect_text(cut, sizeof(cut) - 1, "http_route=a");
	expect_text(cut, 4, "http_route=a");
	expect_text(cut, 2, "[without attributes]");
}

Test(contexts, have_only_text_that_can_be_shown)
{
	static const char odd[] = "\0\12a\n\x7f\xc3\xa9\xff\xc2\x9b\xe2\x82";

	expect_text(odd, sizeof(odd) - 1, "http_route=a??\xc3\xa9?\?\?\?\?");
}

Test(contexts, without_attributes_are_their_trace)
{
	struct pmb_context c = {.tgid = 7, .trace_id = {0x4b, 0xf9, [15] = 1}};
	struct buf text = {0};
	int asked = 0;

	context_text(&c, key_of, &asked, &text);
	cr_expect_str_eq(text.data, "trace=4bf90000000000000000000000000001");
	cr_expect_eq(asked, 0);
	buf__done(&text);
}

Test(contexts, have_one_number_for_the_same_text)
{
	struct contexts *c = contexts__new(0);

	cr_expect(contexts__lacks(c, 100));
	cr_expect_eq(contexts__number(c, 100), CONTEXT_UNKNOWN);
	contexts__add(c, 100, "a");
	contexts__add(c, 200, "b");
	contexts__add(c, 300, "a");
	contexts__add(c, 100, "later");
	cr_expect_not(contexts__lacks(c, 100));
	cr_expect_eq(contexts__number(c, 100), contexts__number(c, 300));
	cr_expect_neq(contexts__number(c, 100), contexts__number(c, 200));
	cr_expect_str_eq(contexts__text(c, contexts__number(c, 300)), "a");
	cr_expect_str_eq(contexts__text(c, contexts__number(c, 200)), "b");
	cr_expect_null(contexts__text(c, CONTEXT_UNKNOWN));
	cr_expect_null(contexts__text(c, 1000));
	cr_expect_null(contexts__text(NULL, 1));
	contexts__free(c);
}

Test(contexts, beyond_their_room_are_other)
{
	struct contexts *c = contexts__new(4096);
	uint64_t id = 100;
	char text[32];

	for (; id < 1000; id++) {
		snprintf(text, sizeof(text), "context %lu", (unsigned long)id);
		contexts__add(c, id, text);
	}
	cr_expect_str_eq(contexts__text(c, contexts__number(c, 100)), "context 100");
	cr_expect_eq(contexts__number(c, 999), CONTEXT_OTHER);
	cr_expect_str_eq(contexts__text(c, CONTEXT_OTHER), "[other]");
	contexts__free(c);
}

static int decode(uint32_t n_bytes, size_t size, struct decoded *ret)
{
	static struct pmb_context c;

	c = (struct pmb_context){.rec = {(uint32_t)size, PMB_REC_CONTEXT, 0, 1},
				 .n_bytes = n_bytes};
	return record_decode(&c, size, 1, ret);
}

Test(contexts, have_no_more_bytes_than_came)
{
	const size_t head = offsetof(struct pmb_context, bytes);
	struct decoded rec;

	cr_expect_eq(decode(8, head + 8, &rec), -1);
	cr_expect_not_null(rec.context);
	cr_expect_eq(decode(0, head, &rec), -1);
	cr_expect_eq(decode(9, head + 8, &rec), REJECT_PART);
	cr_expect_eq(decode(PMB_CONTEXT_MAX + 1, sizeof(struct pmb_context), &rec), REJECT_PART);
	cr_expect_eq(decode(0, head - 8, &rec), REJECT_SHORT);
}
