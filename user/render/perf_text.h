/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text as perf script prints it, for the tools that read that: stackcollapse-perf.pl, speedscope.
 * One record for each stack and event, whose period is the sum of the weights; there are no times.
 */
#ifndef PMUBPF_RENDER_PERF_TEXT_H
#define PMUBPF_RENDER_PERF_TEXT_H

#include "render/format.h"

int perf_text__write(FILE *file, const struct prof *prof, const struct format_opts *opts);

#endif
