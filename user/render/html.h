/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A profile as one HTML file that needs nothing else: a flame graph and a table (user/html/). Names
 * of the profile get into the page as data only, deflated and in base64.
 */
#ifndef PMUBPF_RENDER_HTML_H
#define PMUBPF_RENDER_HTML_H

#include <stdio.h>

#include "base/buf.h"
#include "prof/prof.h"

/* With an old profile, the page shows what is different in the new one. code: of its functions
 * (render/html_code.h); NULL or empty: none. 0, or -errno of the write. */
int html__write(FILE *file, const struct prof *prof, const struct prof *old,
		const struct buf *code);

#endif
