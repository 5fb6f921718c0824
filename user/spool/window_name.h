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
	WINDOW_DATED_SIZE = WINDOW_NAME_SIZE + 2 * 14,
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
/*
 * The same with its beginning and end, in ms since 1970, rounded outwards, so that a list of names
 * says what is of a range: "8f0cf3a2…-0000000042-1764269280123-1764269340124.pb.gz". Of a date that
 * isn't of the years 1970 to 2286 it is window_name()'s.
 */
struct window_when {
	int64_t from_ns, to_ns; /* both 0: it doesn't say */
};
void window_dated_name(const struct window_id *id, int64_t time_ns, int64_t duration_ns,
		       char ret[static WINDOW_DATED_SIZE]);
/* Either. */
bool window_dated_name__parse(const char *name, struct window_id *ret,
			      struct window_when *ret_when);
/* "8f0cf3a2-…" of /proc/sys/kernel/random/boot_id without the dashes. False: it isn't one. */
bool boot_id__parse(const char *text, char ret[static BOOT_ID_SIZE]);

#endif
