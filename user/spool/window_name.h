/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What windows are called in a spool: the boot that they were recorded in, and their number in it:
 * "8f0cf3a2…-0000000042.pb.gz". Within a boot the names sort by time. Pure.
 */
#ifndef PMUBPF_SPOOL_WINDOW_NAME_H
#define PMUBPF_SPOOL_WINDOW_NAME_H

#include <stdbool.h>
#include <stdint.h>

enum {
	BOOT_ID_SIZE = 32 + 1,                  /* hex digits, and a NUL */
	WINDOW_NAME_SIZE = 32 + 1 + 10 + 6 + 1, /* with its NUL */
	WINDOW_TEMP_SIZE = 1 + WINDOW_NAME_SIZE + 5,
};

struct window_id {
	char boot[BOOT_ID_SIZE];
	uint64_t seq;
};

void window_name(const struct window_id *id, char ret[static WINDOW_NAME_SIZE]);
bool window_name__parse(const char *name, struct window_id *ret);
/* Of the file that it is while it is written. */
void window_temp_name(const struct window_id *id, char ret[static WINDOW_TEMP_SIZE]);
bool window_temp_name__is(const char *name);
/* "8f0cf3a2-…" of /proc/sys/kernel/random/boot_id without the dashes. False: it isn't one. */
bool boot_id__parse(const char *text, char ret[static BOOT_ID_SIZE]);

#endif
