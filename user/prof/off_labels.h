/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a thread waited for that had no CPU, in a word. */
#ifndef PMUBPF_PROF_OFF_LABELS_H
#define PMUBPF_PROF_OFF_LABELS_H

#include <stdint.h>

/* Of struct profile_labels' off_state; the caller's. */
char *off_state_text(uint32_t off_state);

#endif
