// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Runs a fuzz target over files that are there already, without libFuzzer: replay FILE… */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
	enum { INPUT_MAX = 1 << 20 };
	_cleanup_free_ uint8_t *data = malloc(INPUT_MAX), *exact = NULL;
	_cleanup_fclose_ FILE *file = fopen(path, "r");
	size_t size;

	if (!file || !data) {
		perror(path);
		return 1;
	}
	size = fread(data, 1, INPUT_MAX, file);
	/* In memory of its own size: the sanitizer sees the first byte too far. */
	exact = malloc(size ? size : 1);
	for (size_t i = 0; exact && i < size; i++)
		exact[i] = data[i];
	return exact ? LLVMFuzzerTestOneInput(exact, size) : 1;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (replay(argv[i]))
			return 1;
	}
	return argc > 1 ? 0 : 2;
}
