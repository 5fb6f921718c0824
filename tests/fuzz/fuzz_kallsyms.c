// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as /proc/kallsyms, and what follows a NUL as /proc/modules. Some names in them are of
 * BPF programs, and so anybody's. Every answer is of a symbol at or below the address.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"
#include "sym/kallsyms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const uint64_t addrs[] =
		{0, 1, 0x1000, 0xffffffff81000000, 0xffffffffc0000010, UINT64_MAX};
	const uint8_t *nul = memchr(data, '\0', len);
	size_t n = nul ? (size_t)(nul - data) : len;
	int symbols = fuzz_file(data, n), modules = fuzz_file(data + n, len - n);
	char path[32], modules_path[32];
	struct kernel_name name;
	struct kallsyms *ks;
	struct err err = {0};

	snprintf(path, sizeof(path), "/proc/self/fd/%d", symbols);
	snprintf(modules_path, sizeof(modules_path), "/proc/self/fd/%d", modules);
	/* -EFBIG: a line without an end */
	if (kallsyms__load_from(path, modules_path, &ks, &err) < 0)
		ks = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(addrs); i++) {
		kallsyms__find(ks, addrs[i], &name);
		if ((name.reason == SYM_NAMED) != (name.name != NULL))
			abort();
	}
	kallsyms__free(ks);
	close(symbols);
	close(modules);
	return 0;
}
