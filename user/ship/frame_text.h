/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A frame of a stack, and a label, as texts of a table. A frame is two: its function's name, and
 * with tabs in between what else is known of it:
 *
 *	how	"," the next frame is what this one was inlined into; "." it isn't; "?" its
 *		location has no function, and the name is for people
 *	hex	address; hex: what addresses are more than offsets in the file
 *	texts	file of the mapping, build-id, the linker's name ("=": the same), source file
 *	numbers	the function's first line, the line
 *
 * Where in memory a file was mapped differs from process to process, so does code of a just-in-time
 * compiler; the kernel's from boot to boot. None of that is kept, or no stack would ever be that of
 * another window: of kernel and just-in-time frames that have names there is no address.
 *
 * A label is "key=text" or "key#number unit".
 */
#ifndef PMUBPF_SHIP_FRAME_TEXT_H
#define PMUBPF_SHIP_FRAME_TEXT_H

#include "base/buf.h"
#include "prof/prof.h"

/* Line k of a location, as its name and the rest; both are replaced. */
void frame_text__of(const struct prof *p, uint32_t location, uint32_t k, struct buf *name,
		    struct buf *rest);
void label_text__of(const struct prof *p, const struct prof_label *label, struct buf *out);

/* One that was read; texts have no NUL in them, and are the caller's to free with its done. */
struct frame_text {
	char how;
	uint64_t address, distance;
	char *module, *build_id, *system, *file; /* system NULL: as the name */
	int64_t start_line, line;
};
/* False: it is none. */
bool frame_text__parse(const char *text, size_t len, struct frame_text *ret);
void frame_text__done(struct frame_text *f);
/* Adds it to `to`; false: it is none. */
bool label_text__parse(struct prof *p, struct prof_label_list *to, const char *text, size_t len);

#endif
