/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is on the screen, into a file. */
#ifndef PMUBPF_CMD_TOP_SAVE_H
#define PMUBPF_CMD_TOP_SAVE_H

#include "base/err.h"
#include "prof/prof.h"

/* As what its suffix says. Adds remarks of the host to the profile. words are those behind `pmubpf
 * top'. */
int top__save(const char *path, struct prof *prof, char *const *words, struct err *err);

#endif
