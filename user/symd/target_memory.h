/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A process's memory, by a descriptor of its /proc/PID/mem. What is read may be anything, and be
 * gone the next time. */
#ifndef PMUBPF_SYMD_TARGET_MEMORY_H
#define PMUBPF_SYMD_TARGET_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct target_memory {
	int fd;              /* borrowed */
	uint64_t reads_left; /* with none, nothing can be read any more */
};

/* All of it, or false. */
bool target_memory__read(struct target_memory *m, uint64_t addr, void *to, size_t n);
/* A word; 0 if it can't be read, as no pointer of use is. */
uint64_t target_memory__word(struct target_memory *m, uint64_t addr);
/* A text up to its NUL, of max - 1 bytes at most; false: it can't be read. */
bool target_memory__text(struct target_memory *m, uint64_t addr, char *to, size_t max);

#endif
