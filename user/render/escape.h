/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names come from programs that may want to forge lines of the output. What would end a frame or a
 * line, and whatever isn't printable UTF-8, is written as \xHH; a backslash as \x5c, so that
 * nothing else can look like an escape.
 */
#ifndef PMUBPF_RENDER_ESCAPE_H
#define PMUBPF_RENDER_ESCAPE_H

#include "base/buf.h"

void escape_name(struct buf *out, const char *name);
/* The same of a sentence: what is printable in it stays as it is. */
void escape_line(struct buf *out, const char *line);
/* Each of several lines so, behind `before`; lines NULL: there are none. */
void escape_lines(struct buf *out, const char *before, const char *lines);
/* As one word for a shell, that may be pasted there, whatever is in it: in quotes if it has to be,
 * in those of $'\x0a' if what is in it isn't printable. */
void escape_word(struct buf *out, const char *word);

#endif
