/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The text of /proc/PID/maps, as it is read in parts. */
#ifndef PMUBPF_OPENER_MAP_LINES_H
#define PMUBPF_OPENER_MAP_LINES_H

#include <stddef.h>

/* Keeps the lines of executable mappings, and what follows the last newline; returns how much
 * that is. */
size_t map_lines_keep_executable(char *text, size_t len, size_t *ret_lines);
/* The same of those by which a process publishes what it is (OTEP 4719). */
size_t map_lines_keep_published(char *text, size_t len, size_t *ret_lines);

#endif
