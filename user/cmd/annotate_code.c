// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: what is at the file's path now may not be what ran. Its build-id decides, and
 * without one nobody knows, which is said.
 */
#include "cmd/annotate_code.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "prof/mapping_file.h"
#include "sys/open.h"

struct search {
	struct annotate_code *code;
	const struct prof *p;
	const struct code_points *points;
	const struct annotate_where *where;
	uint32_t mapping;
	uint64_t *offsets;
	size_t n;
	int err;       /* of the last path that was tried */
	bool is_other; /* a file was there, with another build-id */
	enum listing_end end;
};

static void forget(struct annotate_code *code)
{
	for (size_t i = 0; i < code->n; i++)
		listing__done(&code->listings[i]);
	free(code->listings);
	code->listings = NULL;
	code->n = 0;
}

void annotate_code__done(struct annotate_code *code)
{
	forget(code);
	for (size_t i = 0; i < code->n_texts; i++)
		free(code->texts[i]);
	free(code->texts);
	free(code->path);
	sym__free(code->sym);
	*code = (struct annotate_code){0};
}

/* path: what it is called; NULL: it has no place here. */
static bool try_file(struct search *s, int fd, const char *path)
{
	const struct sym_file file = {
		.fd = fd,
		.root_fd = -1,
		.path = path,
		.servers = s->where->servers,
	};

	s->end = sym__listings(s->code->sym, &file, s->offsets, s->n, &s->code->listings,
			       &s->code->n);
	if (s->end != LISTING_BAD_FILE && mapping_file__is_asked(s->p, s->mapping, s->code->sym))
		return true;
	s->is_other |= s->end != LISTING_BAD_FILE;
	s->err = s->is_other ? 0 : -EINVAL;
	forget(s->code);
	return false;
}

static bool try_path(void *ctx, const char *path)
{
	struct search *s = ctx;
	_cleanup_close_ int fd = open_regular(-1, path);
	struct stat st;

	s->is_other = false;
	s->err = fd < 0 ? fd : 0;
	if (fd < 0 || fstat(fd, &st) < 0 || !try_file(s, fd, path))
		return false;
	s->code->path = xstrdup(path);
	s->code->changed = st.st_mtime;
	return true;
}

/* From a server, by what the profile has for its build-id. */
static bool try_servers(struct search *s)
{
	const char *text = prof__text(s->p, s->p->mappings[s->mapping].build_id);
	_cleanup_close_ int fd = -1;

	if (s->where->servers)
		fd = mapping_file__fetch(s->p, s->mapping, s->where->servers);
	if (fd < 0 || !try_file(s, fd, NULL))
		return false;
	s->code->path = xasprintf("debuginfod: %s", text);
	return true;
}

static void note_missing(const struct search *s, const char *file, struct buf *notes)
{
	const char *dir = s->where->dir;
	const char *where = s->where->servers ? ", which no server of DEBUGINFOD_URLS has either" :
			    dir               ? "; --debuginfod asks servers" :
						"; --symbols DIR and --debuginfod look elsewhere";

	if (s->is_other)
		buf__puts(notes, "the file has changed since (another build-id)");
	else if (dir)
		buf__printf(notes, "no file in %s has the build-id", dir);
	else
		buf__printf(notes, "%s can't be read (%s)", file,
			    s->err == -EINVAL ? "it is no ELF file with code" :
			    s->err            ? strerror(-s->err) :
						"its path isn't known");
	buf__printf(notes, ": there are addresses, and no instructions%s\n", where);
}

static bool has_lines(const struct annotate_code *code)
{
	for (size_t i = 0; i < code->n; i++) {
		for (size_t k = 0; k < code->listings[i].n_frames; k++) {
			if (code->listings[i].frames[k].line)
				return true;
		}
	}
	return false;
}

void annotate_code__note_helper(struct annotate_code *code, enum listing_end end, struct buf *notes)
{
	if (end == LISTING_OTHER_MACHINE)
		buf__printf(notes, "instructions are shown of x86 and 64-bit Arm only\n");
	if (end == LISTING_FAILED) {
		_cleanup_free_ char *why = sym__take_trouble(code->sym);

		buf__printf(notes,
			    "not all instructions are there: the helper that reads them %s\n",
			    why ? why : "took too long");
	}
	if (code->n && !code->listings[0].has_text)
		buf__printf(notes, "instructions have no text: that takes capstone "
				   "(libcapstone.so.4 or .5; Debian's package is libcapstone4 or "
				   "libcapstone5)\n");
}

static void note_trouble(const struct search *s, struct buf *notes)
{
	struct annotate_code *code = s->code;

	annotate_code__note_helper(code, s->end, notes);
	if (code->n == LISTINGS_MAX)
		buf__printf(notes, "of code without names instructions of %d functions are there\n",
			    LISTINGS_MAX);
	if (code->n && !has_lines(code))
		buf__printf(notes,
			    "the file has no debug information for it (-g, or a separate file%s): "
			    "there are no lines\n",
			    s->where->servers ? ", which no server of DEBUGINFOD_URLS has" :
						", which --debuginfod asks servers for");
	if (s->end == LISTING_WHOLE && !code->n)
		buf__printf(notes, "the file doesn't say where the function begins and ends: there "
				   "are addresses, and no instructions\n");
}

static bool has_offsets(struct search *s, const struct code_function *f)
{
	s->n = f->one ? 1 : s->points->n;
	for (size_t i = 0; i < s->n; i++)
		s->offsets[i] = f->one ? f->near : s->points->list[i].file_off;
	return s->n && s->offsets[s->n - 1];
}

static void find(struct search *s, struct buf *notes)
{
	const char *dir = s->where->dir;
	const char *file = prof__text(s->p, s->p->mappings[s->mapping].file);
	bool found = dir          ? mapping_file__find(s->p, s->mapping, dir, try_path, s) :
		     *file == '/' ? try_path(s, file) :
				    false;

	if (!found)
		found = try_servers(s);
	if (!found) {
		note_missing(s, file, notes);
		return;
	}
	if (!s->p->mappings[s->mapping].build_id)
		buf__printf(notes, "the profile has no build-id of the file: whether it is the one "
				   "that ran isn't known\n");
	note_trouble(s, notes);
}

static bool has_none(const struct prof *p, const struct code_function *f, struct buf *notes)
{
	switch (f->kind) {
	case PROF_USER:
		if (!starts_with(prof__text(p, f->file), "["))
			return false;
		buf__printf(notes, "instructions of %s aren't in a file\n", prof__text(p, f->file));
		return true;
	case PROF_JIT:
		if (f->dumped)
			return false;
		buf__printf(notes, "code of a JIT isn't kept with the profile: there are lines, as "
				   "far as it told them, and no instructions; --jitdump FILE has "
				   "them, if the program wrote one (a perf map has names alone)\n");
		return true;
	default:
		return true; /* has none: interpreted */
	}
}

/* A dump says more than once what lay at an address; shown is the last, as names are. */
static void note_names(const struct annotate_code *code, int fd, const struct prof *p,
		       const struct code_function *f, struct buf *notes)
{
	const char *name = prof__text(p, f->name), *system = prof__text(p, f->system);

	for (size_t i = 0; i < code->n; i++) {
		struct sym_name found = {0};

		sym__jit(code->sym, SYM_JITDUMP, fd, &code->listings[i].vaddr, 1, &found);
		if (found.frame.name && strcmp(found.frame.name, name) != 0 &&
		    strcmp(found.frame.name, system) != 0)
			buf__printf(notes, "what lay at 0x%" PRIx64 " is called '%s' in the dump\n",
				    code->listings[i].vaddr, found.frame.name);
		sym_name__done(&found);
	}
}

static void find_dumped(struct search *s, const struct code_function *f, struct buf *notes)
{
	const char *path = s->where->jitdump;
	_cleanup_close_ int fd = open_regular(-1, path);

	s->end = LISTING_BAD_FILE;
	if (fd >= 0)
		s->end = sym__jit_listings(s->code->sym, fd, s->offsets, s->n, &s->code->listings,
					   &s->code->n);
	if (s->end == LISTING_BAD_FILE) {
		buf__printf(notes, "%s: %s: there are addresses, and no instructions\n", path,
			    fd < 0 ? strerror(-fd) : "it is no jitdump of this machine");
		return;
	}
	s->code->path = xstrdup(path);
	annotate_code__note_helper(s->code, s->end, notes);
	note_names(s->code, fd, s->p, f, notes);
	if (s->end == LISTING_WHOLE && !s->code->n)
		buf__puts(notes, "the dump has no code at the addresses of its samples: of another "
				 "process, or cut off before they were met?\n");
}

void annotate_code__find(struct annotate_code *ret, const struct prof *p,
			 const struct code_function *function, const struct code_points *points,
			 const struct annotate_where *where, struct buf *notes)
{
	struct search s = {.code = ret, .p = p, .points = points, .where = where};
	struct err err = {0};

	*ret = (struct annotate_code){0};
	if (has_none(p, function, notes) || !points->n)
		return;
	s.mapping = points->list[0].mapping;
	s.offsets = xcalloc(points->n, sizeof(*s.offsets));
	if (!has_offsets(&s, function))
		buf__printf(notes, "the profile has no addresses: there are lines only\n");
	else if (sym__new_for_code(&ret->sym, &err) < 0)
		buf__printf(notes, "no instructions: %s\n", err.text);
	else {
		if (where->until_ns)
			sym__until(ret->sym, where->until_ns, -1, where->until_ns);
		if (function->dumped)
			find_dumped(&s, function, notes);
		else
			find(&s, notes);
	}
	free(s.offsets);
}
