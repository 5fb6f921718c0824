// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The memory of a process that says it is HotSpot: whatever is in it, reading it ends, and each
 * line of names is one. */
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pmubpf/hotspot.h"
#include "symd/hotspot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_names(const struct buf *names)
{
	for (size_t i = 0; i < names->len; i++) {
		unsigned char c = (unsigned char)names->data[i];

		if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct hotspot_place place = {0x1000, 0x1008};
	static const uint64_t words[] = {PMB_METHOD_WORD(0x13000ULL, 0x13130ULL),
					 PMB_METHOD_WORD(0x13000ULL, 0ULL),
					 PMB_METHOD_WORD(0x13000ULL, 0x13138ULL)};
	int fd = memfd_create("memory", MFD_CLOEXEC);
	struct hotspot *h = hotspot__new();
	struct pmb_table_head head;
	struct cfi_table t;
	bool changed;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	for (int i = 0; i < 2; i++) {
		hotspot__read(h, fd, &place, &changed);
		cfi_table__init(&t);
		if (hotspot__table(h, &t) == 0)
			cfi_table__finish(&t, &head);
		cfi_table__done(&t);
		hotspot__name_places(h, fd, words, sizeof(words) / sizeof(*words));
	}
	check_names(hotspot__names(h));
	hotspot__free(h);
	close(fd);
	return 0;
}
