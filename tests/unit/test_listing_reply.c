// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a helper that was taken over could say of a function's instructions. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "sym/listing.h"
#include "sym/texts.h"
#include "symd/protocol.h"

static void put_text(struct buf *b, const char *text)
{
	symd_msg__put_u16(b, (uint16_t)strlen(text));
	buf__puts(b, text);
}

static void put_head(struct buf *b, uint64_t size, uint32_t next, uint32_t n)
{
	symd_msg__put_u8(b, SYMD_LISTED);
	symd_msg__put_u8(b, 1);
	symd_msg__put_u64(b, 0x401000);
	symd_msg__put_u64(b, 0x1000);
	symd_msg__put_u64(b, size);
	symd_msg__put_u32(b, next);
	symd_msg__put_u32(b, n);
}

static void put_row(struct buf *b, uint32_t at, uint8_t len, uint8_t k)
{
	symd_msg__put_u32(b, at);
	symd_msg__put_u8(b, len);
	symd_msg__put_u8(b, LISTING_JUMP);
	symd_msg__put_u64(b, 0x401000);
	put_text(b, "jmp 0x401000");
	symd_msg__put_u8(b, k);
	for (uint8_t i = 0; i < k; i++) {
		put_text(b, i ? "inner" : "");
		put_text(b, "/src/a.c");
		symd_msg__put_u32(b, 10u + i);
	}
}

/* Into `to`, and away with the message. */
static int parse(struct buf *b, struct listing *to, uint32_t *ret_next)
{
	static struct texts *texts;
	struct cursor c = cursor__over(b->data, b->len);
	int r;

	if (!texts)
		texts = texts__new(0);
	r = reply__listing(&c, texts, to, ret_next);
	buf__done(b);
	*b = (struct buf){0};
	return r;
}

Test(listing_reply, in_two_answers)
{
	struct listing l = {0};
	struct buf b = {0};
	uint32_t next;

	put_head(&b, 10, 4, 2);
	put_row(&b, 0, 2, 2);
	put_row(&b, 2, 2, 0);
	cr_assert_eq(parse(&b, &l, &next), 0);
	cr_expect_eq(next, 4);
	put_head(&b, 10, 0, 1);
	put_row(&b, 4, 6, 1);
	cr_assert_eq(parse(&b, &l, &next), 0);
	cr_expect_eq(next, 0);
	cr_assert_eq(l.n, 3);
	cr_expect_eq(l.vaddr, 0x401000);
	cr_expect_eq(l.rows[1].n_frames, 2);
	cr_expect_eq(l.rows[1].first_frame, l.rows[0].first_frame);
	cr_expect_str_eq(l.frames[l.rows[1].first_frame + 1].function, "inner");
	cr_expect_null(l.frames[l.rows[2].first_frame].function);
	cr_expect_eq(l.frames[l.rows[2].first_frame].line, 10);
	cr_expect_str_eq(l.rows[2].text, "jmp 0x401000");
	listing__done(&l);
}

static void refuse(struct buf *b, const char *what)
{
	struct listing l = {0};
	uint32_t next;

	cr_expect_eq(parse(b, &l, &next), -EPROTO, "%s", what);
	listing__done(&l);
}

Test(listing_reply, what_is_none)
{
	struct buf b = {0};

	refuse(&b, "nothing");
	put_head(&b, 0, 0, 0);
	refuse(&b, "a function without bytes");
	put_head(&b, 1ull << 40, 0, 0);
	refuse(&b, "a function without end");
	put_head(&b, 10, 0, 1);
	put_row(&b, 0, 1, 0);
	refuse(&b, "a first row where the one before is");
	put_head(&b, 10, 0, 2);
	put_row(&b, 4, 2, 1);
	put_row(&b, 5, 2, 0);
	refuse(&b, "instructions that overlap");
	put_head(&b, 10, 0, 1);
	put_row(&b, 10, 2, 1);
	refuse(&b, "an instruction behind the end");
	put_head(&b, 10, 0, 1);
	put_row(&b, 0, 0, 1);
	refuse(&b, "an instruction without bytes");
	put_head(&b, 10, 2, 0);
	refuse(&b, "an answer without rows, and no end");
	put_head(&b, 10, 2, 1);
	put_row(&b, 2, 2, 1);
	refuse(&b, "an answer that leads back");
	put_head(&b, 10, 0, 1);
	put_row(&b, 0, 2, 200);
	refuse(&b, "too many calls");
	put_head(&b, 10, 0, 2);
	put_row(&b, 0, 2, 1);
	refuse(&b, "fewer rows than it says");
	put_head(&b, 10, 0, 1);
	put_row(&b, 0, 2, 1);
	symd_msg__put_u8(&b, 0);
	refuse(&b, "more than it says");
	symd_msg__put_u8(&b, SYMD_N_LISTING_STATUSES);
	refuse(&b, "another status");
}

Test(listing_reply, without_rows)
{
	struct listing l = {0};
	struct buf b = {0};
	uint32_t next;

	symd_msg__put_u8(&b, SYMD_LISTING_NO_FUNCTION);
	cr_expect_eq(parse(&b, &l, &next), 1);
	symd_msg__put_u8(&b, SYMD_LISTING_OTHER_MACHINE);
	cr_expect_eq(parse(&b, &l, &next), -EOPNOTSUPP);
}
