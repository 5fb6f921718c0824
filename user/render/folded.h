/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Collapsed stacks: "event;comm;frame;…;leaf N", one line for each distinct stack of names, sorted
 * by bytes; the event only where there are several. A frame ends in _[k] if it is the kernel's,
 * _[j] if a JIT made it, _[java] if that is Java's, _[py] if Python's interpreter ran it,
 * _[js] if it is JavaScript's, _[i] if it was inlined into the one before. Samples whose addresses
 * differ but whose names don't become one line. A data address, where there is one, is the last
 * frame.
 */
#ifndef PMUBPF_RENDER_FOLDED_H
#define PMUBPF_RENDER_FOLDED_H

#include "render/format.h"

int folded__write(FILE *file, const struct prof *prof, const struct format_opts *opts);

#endif
