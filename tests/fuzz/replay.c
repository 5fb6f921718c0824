// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs a fuzz target over files: FUZZ-PROGRAM FILE|FOLDER… What `make check` does with the corpora,
 * and what shows a finding of `make fuzz` again. It ends at the first that takes too long, or by a
 * sanitizer.
 */
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fuzz.h"

enum { SECONDS_EACH = 20, BYTES_MAX = 64 * 1024 * 1024 };

static unsigned n_files;
static const char *current;

void __sanitizer_set_death_callback(void (*callback)(void));

static void name_current(void)
{
	dprintf(STDERR_FILENO, "that was %s\n", current);
}

static void too_slow(int number)
{
	(void)number;
	dprintf(STDERR_FILENO, "not done after %d s: %s\n", SECONDS_EACH, current);
	_exit(1);
}

static void replay_file(const char *path)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	_cleanup_free_ uint8_t *bytes = xcalloc(1, BYTES_MAX);
	_cleanup_free_ uint8_t *exact = NULL;
	size_t len;

	if (!file) {
		perror(path);
		exit(1);
	}
	len = fread(bytes, 1, BYTES_MAX, file);
	exact = xmemdup(bytes, len + !len); /* so that a read past its end is seen */
	current = path;
	alarm(SECONDS_EACH);
	LLVMFuzzerTestOneInput(exact, len);
	alarm(0);
	n_files++;
}

static void replay(const char *path)
{
	_cleanup_closedir_ DIR *folder = opendir(path);
	const struct dirent *entry;

	if (!folder) {
		replay_file(path);
		return;
	}
	while ((entry = readdir(folder))) {
		_cleanup_free_ char *name = xasprintf("%s/%s", path, entry->d_name);

		if (entry->d_name[0] != '.')
			replay(name);
	}
}

int main(int argc, char **argv)
{
	sigaction(SIGALRM, &(struct sigaction){.sa_handler = too_slow}, NULL);
	__sanitizer_set_death_callback(name_current);
	for (int i = 1; i < argc; i++)
		replay(argv[i]);
	printf("ok   %-22s %4u inputs\n",
	       strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0], n_files);
	return n_files ? 0 : 1;
}
