/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What became of windows: part of a recording's summary. */
#ifndef PMUBPF_RENDER_SUMMARY_WINDOWS_H
#define PMUBPF_RENDER_SUMMARY_WINDOWS_H

#include "base/buf.h"
#include "render/json.h"
#include "render/summary.h"

void summary_windows__text(const struct summary *s, struct buf *out); /* nothing without */
void summary_windows__json(const struct summary *s, struct json *j);

#endif
