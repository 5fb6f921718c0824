/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What samples of `record --data` are about, as the frames that their stacks stand on in a picture
 * that is rooted in data: the object, its member, and how much is known of that.
 */
#ifndef PMUBPF_RENDER_TOWERS_H
#define PMUBPF_RENDER_TOWERS_H

#include "render/tree.h"

/* Whether a sample says what data it is about, or why that isn't known. */
bool tower__is_of_profile(const struct prof *p);
/* Of a set of labels. Without any of --data's it is one that says so. */
struct tree_tower tower__of_labels(struct tree *t, const struct prof *p, uint32_t labels);

#endif
