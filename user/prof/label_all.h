/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One more label of all samples of a profile. */
#ifndef PMUBPF_PROF_LABEL_ALL_H
#define PMUBPF_PROF_LABEL_ALL_H

#include "prof/prof.h"

/* Instead of one that has that key already. No sample may be added afterwards. */
void prof__label_all(struct prof *p, const char *key, const char *text);

#endif
