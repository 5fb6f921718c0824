// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Any bytes as pages of a list of objects; a byte of 0 is between two of them. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fuzz.h"
#include "ship/s3_list.h"

static void check(const struct s3_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct s3_object *o = &list->objects[i];

		if (!*o->host || strlen(o->id.boot) != BOOT_ID_SIZE - 1)
			abort();
	}
	if (list->n && !list->last)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct s3_list list = {0};

	for (size_t at = 0; at <= size;) {
		const uint8_t *end = size > at ? memchr(data + at, 0, size - at) : NULL;
		size_t len = end ? (size_t)(end - data) - at : size - at;

		if (!s3_list__add(&list, "p/", data + at, len) || !list.token)
			break;
		check(&list);
		at += len + 1;
	}
	check(&list);
	s3_list__done(&list);
	return 0;
}
