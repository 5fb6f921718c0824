// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/kernel_id.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/cursor.h"

enum { NOTES_MAX = 16 * 1024, WORD = 4 };

static size_t padded(uint32_t size)
{
	return ((size_t)size + WORD - 1) & ~(size_t)(WORD - 1);
}

bool kernel_id__of(const void *notes, size_t len, char ret[static KERNEL_ID_TEXT])
{
	struct cursor c = cursor__over(notes, len);

	while (cursor__left(&c)) {
		uint32_t name_size = cursor__u32(&c), size = cursor__u32(&c);
		uint32_t type = cursor__u32(&c);
		const char *name = cursor__bytes(&c, padded(name_size));
		const uint8_t *id = cursor__bytes(&c, padded(size));

		if (!cursor__ok(&c))
			return false;
		if (type != NT_GNU_BUILD_ID || name_size != sizeof(ELF_NOTE_GNU) ||
		    memcmp(name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) != 0 || !size ||
		    size > KERNEL_ID_BYTES)
			continue;
		for (uint32_t i = 0; i < size; i++)
			snprintf(ret + 2 * (size_t)i, 3, "%02x", id[i]);
		return true;
	}
	return false;
}

bool kernel_id(char ret[static KERNEL_ID_TEXT])
{
	_cleanup_close_ int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	uint8_t notes[NOTES_MAX];
	ssize_t n = fd >= 0 ? read(fd, notes, sizeof(notes)) : -1;

	return n > 0 && kernel_id__of(notes, (size_t)n, ret);
}
