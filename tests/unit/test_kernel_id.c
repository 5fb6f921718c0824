// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <stdint.h>

#include "sys/kernel_id.h"

Test(kernel_id, of_notes)
{
	static const uint8_t notes[] =
		{6, 0, 0, 0, 4, 0, 0, 0, 1, 1, 0, 0, 'L', 'i', 'n', 'u', 'x',  0,    0,    0,
		 0, 0, 0, 0, /* another */
		 4, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0,   0xab, 0x01, 0xff, 0};
	char text[KERNEL_ID_TEXT] = "";

	cr_assert(kernel_id__of(notes, sizeof(notes), text));
	cr_expect_str_eq(text, "ab01ff");
	for (size_t len = 0; len < sizeof(notes); len++)
		cr_expect(!kernel_id__of(notes, len, text), "%zu bytes", len);
}
