/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a file is that was given for a pprof profile and isn't one. */
#ifndef PMUBPF_PROF_FOREIGN_H
#define PMUBPF_PROF_FOREIGN_H

#include <stddef.h>
#include <stdint.h>

/* What it is, and what to do with it, to stand behind "FILE is "; NULL if it looks like none of the
 * formats that are known here. */
const char *foreign_format(const uint8_t *data, size_t len);

#endif
