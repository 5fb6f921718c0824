/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files with interpreters whose frames the overflow program reads, and where theirs lies in a
 * process. */
#ifndef PMUBPF_UNWIND_RUNTIMES_H
#define PMUBPF_UNWIND_RUNTIMES_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/unknown_runtimes.h"
#include "pmubpf/python.h"
#include "proc/files.h"
#include "proc/mappings.h"
#include "sym/table.h"

/* Makes a layout known to the kernel side, under a number below PMB_PYTHONS_MAX. 0 or a negative
 * errno. */
typedef int (*runtimes_set_fn)(void *ctx, uint32_t number, const struct pmb_runtime *runtime);

struct runtimes;

struct runtimes *runtimes__new(const struct files *files, runtimes_set_fn set, void *ctx);
struct runtimes *runtimes__free(struct runtimes *r); /* NULL is fine; returns NULL */

/* What the file's table says that it is: an interpreter (once there are PMB_PYTHONS_MAX - 1, files
 * that have gone make room), one that can't be read, or HotSpot, which has no part in the below. */
void runtimes__note(struct runtimes *r, uint32_t file, const struct unwind_table *table);
/* Where it describes itself, from where offset 0 of the file would be; false: it is none. */
bool runtimes__hotspot(const struct runtimes *r, uint32_t file, uint64_t *ret_structs,
		       uint64_t *ret_types);
/* Of those; whoever takes them leaves none. */
struct unknown_runtimes *runtimes__unknown_ones(struct runtimes *r);
/* Changes when there is another. */
uint32_t runtimes__version(const struct runtimes *r);
/* The number of the one that a process has mapped, and where its _PyRuntime lies; 0: it has
 * none. */
uint32_t runtimes__of(const struct runtimes *r, const struct mappings *mappings, __u64 *ret_at);
/* The same of one mapping. */
uint32_t runtimes__in(const struct runtimes *r, const struct mapping *mapping, __u64 *ret_at);
/* Is that its function that runs everything? */
enum pmb_eval runtimes__eval(const struct runtimes *r, uint32_t file, uint64_t off);

#endif
