/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The bytes that a picture's page decodes (user/html/data.js), before they are compressed:
 *
 * 	length of the head, varint · the head, JSON · columns of varints (LEB128), one after the other
 *
 * The head has the texts, the types of values, the comments and how long the columns are. The
 * columns:
 *
 * 	functions   name, module, file: numbers of texts · line · kind   sorted by name
 * 	towers      object, member, class: functions + 1, or 0           of recordings with data
 * 	groups      comm, container: texts · pid · tid                   whose, and in which window
 * 	            window: a text · duration (render/lasting.h) ·
 * 	            for each side: how many windows
 * 	stacks      keep: frames shared with the stack before, from the root · add: frames that follow
 * 	frames      function << 1 | inlined, of all that stacks add      sorted: a walk of the tree, root first
 * 	rows        how many each stack has · group of each · tower of each, if there are any ·
 * 	            moment of each, if there is a timeline: how much later than the row before, if
 * 	            that is of the same stack, group and tower; else itself; 0 is none ·
 * 	            for each side, for each type: the value of each
 * 	code        its length, 0: there is none · JSON (render/html_code.h)
 */
#ifndef PMUBPF_RENDER_HTML_DATA_H
#define PMUBPF_RENDER_HTML_DATA_H

#include "base/buf.h"
#include "prof/prof.h"

/* code: NULL or empty: there is none. */
void html_data__encode(struct buf *out, const struct prof *prof, const struct prof *old,
		       const struct buf *code);

#endif
