// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names aren't known of all libraries, so it goes by files first: what is in the C library touches
 * memory for others. Names are for what is linked into the program.
 */
#include "prof/site.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* Files whose names begin so. */
static const char *const libraries[] = {
	"libc.",      "libc-",    "ld-",         "ld.so",       "libstdc++.",
	"libc++",     "libgcc_s", "libjemalloc", "libtcmalloc", "libmimalloc",
	"libpthread", "libasan",  "[vdso]",
};

/* Functions of the C library that touch what others own; with the underscores before it anything
 * that begins so. */
static const char *const functions[] = {
	"malloc",         "calloc",        "realloc", "reallocarray", "free",      "memalign",
	"posix_memalign", "aligned_alloc", "valloc",  "memset",       "memcpy",    "memmove",
	"mempcpy",        "bzero",         "strcpy",  "strdup",       "sysmalloc", "int_malloc",
	"int_free",       "int_realloc",   "libc_",   "rust_alloc",   "rdl_alloc", "mmap",
};

/* What names of functions begin with. */
static const char *const namespaces[] = {
	"operator new", "std::", "__gnu_cxx::", "core::", "alloc::",
	"runtime.",     "je_",   "tc_",         "mi_",
};

static bool begins_with_one(const char *text, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (starts_with(text, list[i]))
			return true;
	}
	return false;
}
#define BEGINS_WITH_ONE(text, list) begins_with_one(text, list, ARRAY_SIZE(list))

static bool is_function(const char *name)
{
	const char *bare = name + strspn(name, "_");

	if (bare != name)
		return BEGINS_WITH_ONE(bare, functions);
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		size_t len = strlen(functions[i]);

		if (starts_with(name, functions[i]) && (!name[len] || strchr("(@.", name[len])))
			return true;
	}
	return false;
}

/* "void std::vector<…>::…" of a template, "<alloc::vec::Vec<T> as …>" of Rust. */
static const char *without_type(const char *name)
{
	if (starts_with(name, "void "))
		name += strlen("void ");
	return name + strspn(name, "<&");
}

static bool is_for_others(const struct prof *p, const struct prof_frame *frame)
{
	const char *name = prof__text(p, prof__function_name(p, frame->function));
	const char *bare = without_type(name);

	return BEGINS_WITH_ONE(prof_frame__module(frame, p), libraries) || is_function(name) ||
	       BEGINS_WITH_ONE(bare, namespaces);
}

const struct prof_frame *prof_frames__site(const struct prof_frames *frames, const struct prof *p,
					   size_t from)
{
	for (size_t i = from; i < frames->n; i++) {
		if (!is_for_others(p, &frames->list[i]))
			return &frames->list[i];
	}
	return from < frames->n ? &frames->list[from] : NULL;
}

void prof__put_site(const struct prof *p, uint32_t stack, struct prof_frames *frames,
		    struct buf *out)
{
	const struct prof_frame *site;

	prof_frames__expand(frames, p, stack, true);
	site = prof_frames__site(frames, p, 0);
	if (!site || !*prof_frame__module(site, p))
		return; /* [unknown] */
	if (!prof__function_name(p, site->function))
		prof_frame__put_module(site, p, out);
	else
		prof_frame__text(site, p, false, out);
}
