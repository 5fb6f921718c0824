/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs that walk stacks beside those of overflows, in objects of their own. */
#ifndef PMUBPF_COLLECT_BESIDE_H
#define PMUBPF_COLLECT_BESIDE_H

struct bpf_object;
struct programs;

/* Before the load: rings, tables and marks are those of the overflow programs. Overflows interrupt
 * these programs, so what either has in its hands is its own. 0 or -errno. */
int beside__share_maps(struct bpf_object *obj, const struct programs *programs);

#endif
