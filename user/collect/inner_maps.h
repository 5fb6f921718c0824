/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Inner maps that are put into maps of maps while programs run. The call waits until none can be
 * running that has seen the outer one before: here a thread waits.
 */
#ifndef PMUBPF_COLLECT_INNER_MAPS_H
#define PMUBPF_COLLECT_INNER_MAPS_H

#include <stddef.h>

struct inner_maps;

struct inner_maps *inner_maps__new(void);
/* Waits for the kernel, if it isn't done with one yet. */
struct inner_maps *inner_maps__free(struct inner_maps *maps);

/* Of an outer map and its inner ones, all borrowed. From then on programs find them, or it is a
 * negative errno. */
int inner_maps__put(struct inner_maps *maps, int outer, const int *keys, const int *fds, size_t n);

#endif
