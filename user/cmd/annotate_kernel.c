// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where the kernel lies in memory is a secret of this boot, and a profile has distances from the
 * function's beginning. So has what is shown: addresses within it become distances, and those of
 * others names.
 */
#include "cmd/annotate_kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "sys/kernel_id.h"

#define DISTANCES "addresses are distances from the function's beginning"

/* ---- which kernel */

/* All that the profile has behind that key are the same, and this one. False: it has none. */
static bool all_say(const struct prof *p, const char *key, const char *text, bool *ret_same)
{
	bool any = false;

	*ret_same = true;
	for (size_t i = 0; i < p->n_comments; i++) {
		const char *comment = prof__text(p, p->comments[i]);

		if (!starts_with(comment, key))
			continue;
		any = true;
		*ret_same &= strcmp(comment + strlen(key), text) == 0;
	}
	return any;
}

void annotate_kernel__compare(struct annotate_kernel *ret, const struct prof *p,
			      const char *build_id, const char *release)
{
	bool same;

	ret->uncertain = false;
	if (*build_id && all_say(p, "kernel build-id: ", build_id, &same)) {
		ret->other = !same;
		return;
	}
	ret->uncertain = all_say(p, "kernel: ", release, &same) && same;
	ret->other = !ret->uncertain;
}

static void compare(struct annotate_kernel *ret, const struct prof *p)
{
	char build_id[KERNEL_ID_TEXT] = "";
	_cleanup_free_ char *release = NULL;
	struct utsname name;

	uname(&name);
	release = xasprintf("%s %s %s", name.sysname, name.release, name.machine);
	kernel_id(build_id);
	annotate_kernel__compare(ret, p, build_id, release);
}

/* ---- its bytes */

/* Of samples in a function of that name: the farthest from its beginning. */
static bool is_sampled(const struct prof *p, const char *name, uint64_t *ret_farthest)
{
	bool any = false;

	*ret_farthest = 0;
	for (size_t i = 0; i < p->n_samples; i++) {
		const uint32_t *locations;
		size_t n = prof__stack_locations(p, p->samples[i].stack, &locations);
		const struct prof_location *l = n ? &p->locations[locations[0]] : NULL;
		const struct prof_line *line;

		if (!l || !l->n_lines || prof__kind(p, locations[0]) != PROF_KERNEL)
			continue;
		line = &p->lines[l->first_line + l->n_lines - 1];
		if (strcmp(prof__text(p, prof__function_name(p, line->function)), name) != 0)
			continue;
		any = true;
		if (l->address > *ret_farthest)
			*ret_farthest = l->address;
	}
	return any;
}

void annotate_kernel__take(struct annotate_kernel *ret, const struct prof *p, const char *name,
			   const struct annotate_kernel *before)
{
	const struct kernel_code_paths paths = {.before = before ? &before->code : NULL};
	uint64_t farthest;

	*ret = (struct annotate_kernel){0};
	if (!is_sampled(p, name, &farthest))
		return;
	compare(ret, p);
	if (!ret->other)
		kernel_code__read(&ret->code, name, farthest, &paths);
}

void annotate_kernel__done(struct annotate_kernel *kernel)
{
	kernel_code__done(&kernel->code);
}

/* ---- its instructions */

/* "jne 0x1a", "callq <memcpy>"; NULL: it stays as it is. */
static char *text_without_addresses(const struct kernel_code *code, const struct listing_row *row)
{
	_cleanup_free_ char *address = xasprintf("0x%" PRIx64, row->target);
	const char *at = row->text && row->target ? strstr(row->text, address) : NULL;
	struct kernel_name name;

	if (!at)
		return NULL;
	if (row->target - code->start < code->size)
		return xasprintf("%.*s0x%" PRIx64 "%s", (int)(at - row->text), row->text,
				 row->target - code->start, at + strlen(address));
	kallsyms__find(code->names, row->target, &name);
	if (!name.name)
		return NULL;
	if (!name.offset)
		return xasprintf("%.*s<%s>", (int)(at - row->text), row->text, name.name);
	return xasprintf("%.*s<%s+0x%" PRIx64 ">", (int)(at - row->text), row->text, name.name,
			 name.offset);
}

static void replace_texts(struct annotate_code *ret, const struct kernel_code *code)
{
	size_t cap = 0;

	for (size_t i = 0; i < ret->n; i++) {
		struct listing *l = &ret->listings[i];

		l->file_off = 0; /* as points have it */
		for (size_t k = 0; k < l->n; k++) {
			char *text = text_without_addresses(code, &l->rows[k]);

			if (!text)
				continue;
			GROW(ret->texts, ret->n_texts, cap);
			ret->texts[ret->n_texts++] = text;
			l->rows[k].text = text;
		}
	}
}

static void list(struct annotate_code *ret, const struct kernel_code *code, struct buf *notes)
{
	uint64_t offset;
	_cleanup_close_ int fd = kernel_code__as_file(code, &offset);
	const struct sym_file file = {.fd = fd, .root_fd = -1};
	struct err err = {0};
	enum listing_end end;

	if (fd < 0 || sym__new_for_code(&ret->sym, &err) < 0) {
		buf__printf(notes, "no instructions: %s\n", fd < 0 ? strerror(-fd) : err.text);
		return;
	}
	end = sym__listings(ret->sym, &file, &offset, 1, &ret->listings, &ret->n);
	replace_texts(ret, code);
	ret->base = code->start;
	ret->path = xstrdup("/proc/kcore");
	buf__puts(notes, "instructions are those that the kernel has now, and " DISTANCES
			 "; it changes some while it runs (tracing, static branches)\n");
	annotate_code__note_helper(ret, end, notes);
}

static void note_lack(const struct kernel_code *code, struct buf *notes)
{
	switch (code->end) {
	case KERNEL_CODE_NO_KCORE:
		if (code->err == ENOENT)
			buf__puts(notes, "instructions of the kernel are read from /proc/kcore, "
					 "which this one doesn't have (CONFIG_PROC_KCORE)");
		else
			buf__printf(notes,
				    "instructions of the kernel are read from /proc/kcore, which "
				    "isn't allowed (%s): it takes root, and a kernel that isn't "
				    "locked down",
				    strerror(code->err));
		break;
	case KERNEL_CODE_NO_ADDRESSES:
		buf__puts(notes, "no instructions: the kernel hides where its functions are "
				 "(kernel.kptr_restrict)");
		break;
	case KERNEL_CODE_SEVERAL:
		buf__printf(notes,
			    "no instructions: the kernel has %zu functions of that name, and "
			    "which of them it was isn't known",
			    code->n);
		break;
	case KERNEL_CODE_NO_FUNCTION:
		buf__puts(notes, "no instructions: the kernel has no such function now (a module "
				 "or BPF program that has gone?)");
		break;
	case KERNEL_CODE_OTHER_MACHINE:
		buf__puts(notes, "instructions are shown of x86 and 64-bit Arm only");
		break;
	default:
		buf__puts(notes, "no instructions: /proc/kcore doesn't have the function");
	}
	buf__puts(notes, ": " DISTANCES "\n");
}

void annotate_kernel__find(struct annotate_code *ret, const struct annotate_kernel *kernel,
			   const struct code_points *points, struct buf *notes)
{
	*ret = (struct annotate_code){0};
	if (kernel->other) {
		buf__puts(notes, "the profile is of another kernel, or doesn't say of which, so "
				 "there are no instructions: " DISTANCES "\n");
		return;
	}
	if (kernel->code.end != KERNEL_CODE_READ) {
		note_lack(&kernel->code, notes);
		return;
	}
	if (!points->n)
		return;
	if (kernel->uncertain)
		buf__puts(notes, "the profile has the kernel's release and no build-id: whether it "
				 "is the one that ran isn't known\n");
	list(ret, &kernel->code, notes);
}
