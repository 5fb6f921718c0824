/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Durations in classes, each twice as long as the one before. */
#ifndef PMUBPF_MODEL_DURATION_H
#define PMUBPF_MODEL_DURATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DURATION_TEXT = 32, DURATION_CLASSES = 64 };

/* "20ms", "1.05s": three digits at most. */
void duration_text(uint64_t ns, char text[static DURATION_TEXT]);
/* "16.8ms..33.6ms", of those of 2^class ns and longer; open: "16.8ms..", of one that may have been
 * longer still. */
void duration_class_text(unsigned class, bool open, char text[static DURATION_TEXT]);
/* The other way round; false: it is no such text. */
bool duration_class_parse(const char *text, unsigned *ret_class, bool *ret_open);

#endif
