/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the keys of `pmubpf top' do. */
#ifndef PMUBPF_CMD_TOP_KEYS_H
#define PMUBPF_CMD_TOP_KEYS_H

#include "cmd/top_screen.h"

/* Those that have been pressed, and a change of size. */
void top_keys__take(struct top_screen *screen);

#endif
