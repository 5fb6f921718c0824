// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>

#include "base/mem.h"
#include "symd/hotspot_stream.h"

static struct hotspot_stream stream(const uint8_t *data, size_t n, bool without_zero)
{
	return (struct hotspot_stream){.data = data, .n = n, .without_zero = without_zero};
}

/* As HotSpot's own writer makes them: 0, 191, 192, 12345, UINT32_MAX. */
Test(hotspot_stream, numbers)
{
	static const uint8_t old[] = {0, 191, 192, 0, 249, 189, 2, 255, 252, 252, 252, 252};
	static const uint8_t now[] = {1, 192, 1, 250, 190, 3};
	struct hotspot_stream s = stream(old, sizeof(old), false);

	cr_expect_eq(hotspot_stream__number(&s), 0);
	cr_expect_eq(hotspot_stream__number(&s), 191);
	cr_expect_eq(hotspot_stream__number(&s), 192);
	cr_expect_eq(hotspot_stream__number(&s), 249 + 64 * 189);
	cr_expect_eq(hotspot_stream__number(&s), 2);
	cr_expect_eq(hotspot_stream__number(&s), UINT32_MAX);
	cr_expect_not(s.bad);
	cr_expect_eq(hotspot_stream__number(&s), 0);
	cr_expect(s.bad);

	s = stream(now, sizeof(now), true);
	cr_expect_eq(hotspot_stream__number(&s), 0);
	cr_expect_eq(hotspot_stream__number(&s), 191);
	cr_expect_eq(hotspot_stream__number(&s), 249 + 64 * 189);
	cr_expect_eq(hotspot_stream__number(&s), 2);
	cr_expect_not(s.bad);
}

Test(hotspot_stream, zero_where_there_is_none)
{
	static const uint8_t zero[] = {0, 1};
	struct hotspot_stream s = stream(zero, sizeof(zero), true);

	cr_expect_eq(hotspot_stream__number(&s), 0);
	cr_expect(s.bad);
}

/* Lines go up and down, and need not ascend with the bytecodes. */
Test(hotspot_stream, lines)
{
	/* 0: 100, 3: 102, 10: 90, 6: 91; ends */
	static const uint8_t old[] = {0xff, 0, 200, 0, 3 << 3 | 2, 0xff, 14, 23, 0xff, 7, 2, 0, 1};
	struct hotspot_stream s = stream(old, sizeof(old), false);

	cr_expect_eq(hotspot_stream__line(s, 0), 100);
	cr_expect_eq(hotspot_stream__line(s, 2), 100);
	cr_expect_eq(hotspot_stream__line(s, 3), 102);
	cr_expect_eq(hotspot_stream__line(s, 7), 91);
	cr_expect_eq(hotspot_stream__line(s, 10), 90);
	cr_expect_eq(hotspot_stream__line(s, 65535), 90);
}

Test(hotspot_stream, lines_that_are_cut)
{
	static const uint8_t cut[] = {0x05, 0xff, 14};
	struct hotspot_stream s = stream(cut, sizeof(cut), false);

	cr_expect_eq(hotspot_stream__line(s, 20), 5, "as far as they go");
	s.n = 0;
	cr_expect_eq(hotspot_stream__line(s, 0), 0);
}
