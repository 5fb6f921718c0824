/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How long a sample's window was, of its labels. */
#ifndef PMUBPF_RENDER_LASTING_H
#define PMUBPF_RENDER_LASTING_H

#include "prof/prof.h"

/* 1 + 2 x class, one more if its end was not seen (model/duration.h); 0: it is in none, or that
 * isn't known. */
uint32_t lasting__of_labels(const struct prof *p, uint32_t labels);

#endif
