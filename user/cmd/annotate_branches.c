// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/annotate_branches.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/annotate_code.h"
#include "cmd/output.h"
#include "opener/opener.h"
#include "prof/sources.h"
#include "render/branches.h"
#include "session/branching.h"
#include "session/signals.h"

struct branches_run {
	const struct annotate_args *args;
	struct opener *opener;
	struct signals signals;
	struct branching_result result;
	struct branch_jump *jumps;
	struct annotate_code code;
	struct sources sources;
	struct branch_view view;
};

static void branches_run__done(struct branches_run *run)
{
	sources__done(&run->sources);
	annotate_code__done(&run->code);
	buf__done(&run->view.notes);
	free(run->jumps);
	branching_result__done(&run->result);
	opener__free(run->opener);
}

static enum branch_state state_of(const struct branching_result *r, size_t i)
{
	if (r->jumps[i].probed)
		return BRANCH_PROBED;
	switch (r->site.jumps.list[i].kind) {
	case SITE_JUMP_STEPPED:
		return BRANCH_STEPPED;
	case SITE_JUMP_UNREACHED:
		return BRANCH_UNREACHED;
	case SITE_JUMP_EMULATED:
		break;
	}
	return BRANCH_BEYOND;
}

static void take_jumps(struct branches_run *run)
{
	const struct branching_result *r = &run->result;

	run->jumps = xcalloc(r->site.jumps.n + 1, sizeof(*run->jumps));
	for (size_t i = 0; i < r->site.jumps.n; i++) {
		run->jumps[i] = (struct branch_jump){
			.at = r->site.jumps.list[i].at,
			.state = state_of(r, i),
			.taken = r->jumps[i].taken,
			.not_taken = r->jumps[i].not_taken,
		};
	}
}

/* Of the file that the process has mapped, wherever it is now. */
static void list(struct branches_run *run)
{
	const struct branch_site *site = &run->result.site;
	const struct sym_file file = {
		.fd = site->fd,
		.root_fd = site->root_fd,
		.mnt_ns = site->mnt_ns,
		.opener = run->opener,
		.path = site->path,
	};
	struct annotate_code *code = &run->code;
	struct err err = {0};
	enum listing_end end;

	if (sym__new_for_code(&code->sym, &err) < 0) {
		buf__printf(&run->view.notes, "no instructions: %s\n", err.text);
		return;
	}
	end = sym__listings(code->sym, &file, &site->jumps.file_off, 1, &code->listings, &code->n);
	annotate_code__note_helper(code, end, &run->view.notes);
	if (end == LISTING_BAD_FILE)
		buf__printf(&run->view.notes, "no instructions: the file can't be read any more\n");
}

static void build_view(struct branches_run *run, char *const *words)
{
	const struct branching_result *r = &run->result;
	struct branch_view *v = &run->view;
	struct stat st;

	take_jumps(run);
	buf__add(&v->notes, r->notes.data, r->notes.len);
	list(run);
	if (fstat(r->site.fd, &st) == 0)
		run->sources.built = st.st_mtime;
	run->sources.dir = run->args->source;
	run->sources.only_dir = r->site.mnt_ns != 0;
	run->sources.only_public = geteuid() == 0;
	v->function = run->args->function;
	v->file = r->site.path;
	v->pid = run->args->pid;
	v->vaddr = r->site.jumps.vaddr;
	v->jumps = run->jumps;
	v->n = r->site.jumps.n;
	v->n_all = r->site.jumps.n_all;
	v->probed = r->probed;
	v->hit_ns = r->hit_ns;
	v->elsewhere = r->elsewhere;
	v->ended = r->ended;
	v->listing = run->code.n ? &run->code.listings[0] : NULL;
	v->sources = &run->sources;
	v->all = run->args->all;
	v->words = words;
}

static int count(struct branches_run *run, struct err *err)
{
	const struct annotate_args *a = run->args;
	struct branching_opts opts = {
		.whom = {.pid = a->pid,
			 .function = a->function,
			 .file = a->file,
			 .option = "annotate --branches",
			 .which = "--file"},
		.duration_ns = a->duration_ns,
		.budget = a->budget,
		.signals = &run->signals,
	};
	int r = opener__start(&run->opener, err); /* before there is anything it must not have */

	if (r == 0)
		r = signals__catch(&run->signals, err);
	opts.whom.opener = run->opener;
	if (r == 0)
		r = branching__run(&run->result, &opts, err);
	return r;
}

int annotate_branches(const struct annotate_args *args, char *const *words, struct err *err)
{
	_cleanup_(branches_run__done) struct branches_run run = {
		.args = args,
		.signals = {.fd = -1},
		.result = {.site = {.fd = -1, .root_fd = -1}},
	};
	_cleanup_(buf__done) struct buf text = {0};
	int r = count(&run, err);

	if (r < 0)
		return r;
	signals__release(&run.signals);
	build_view(&run, words);
	if (args->json)
		branch_view__json(&run.view, &text);
	else
		branch_view__text(&run.view, &text);
	r = buf__write(&text, stdout);
	return r < 0 && r != -EPIPE ? write_error(NULL, r, err) : 0;
}
