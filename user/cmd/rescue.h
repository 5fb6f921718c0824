/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a profile goes that finds no room where it should: what was recorded can't be repeated. */
#ifndef PMUBPF_CMD_RESCUE_H
#define PMUBPF_CMD_RESCUE_H

#include "prof/prof.h"
#include "render/format.h"

/* path: where it should have gone; NULL: standard output. Says where it is, or what to do. */
void rescue_profile(const struct prof *prof, const struct format *format,
		    const struct format_opts *opts, const char *path);

#endif
