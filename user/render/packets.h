/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * JSON Lines, one for each overflow, in the order of time: when, where, whose, what it stands for,
 * at which instruction, about which data, and the number of its stack, which has a line before the
 * first that names it. What finds no room in the file becomes a line of each event that says how
 * much it was. pmubpf-formats(5) has the members.
 */
#ifndef PMUBPF_RENDER_PACKETS_H
#define PMUBPF_RENDER_PACKETS_H

#include "render/format.h"

int packets__write(FILE *file, const struct prof *prof, const struct format_opts *opts);

#endif
