/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A profile in speedscope's file format (https://www.speedscope.app/file-format-schema.json): for
 * each event and each process a profile of its own; an event's values are its time if it has one,
 * else its events, else its samples.
 */
#ifndef PMUBPF_RENDER_SPEEDSCOPE_H
#define PMUBPF_RENDER_SPEEDSCOPE_H

#include <stdio.h>

#include "prof/prof.h"

/* 0, or -errno of the write. */
int speedscope__write(FILE *file, const struct prof *prof);

#endif
