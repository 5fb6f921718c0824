// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Samples whose user stack the kernel side could not walk to its end, because a table or the
 * process was not known yet: they wait with their stack dump until the table is here, and are
 * accounted then.
 */
#include <linux/types.h>
#include <stdlib.h>

#include "assemble/internal.h"
#include "base/mem.h"
#include "pmubpf/hotspot.h"

struct late {
	struct account to;
	struct process_view view;
	struct dump *dump;
	uint32_t missing; /* the file whose table it waits for */
};

static void finish(struct assembly *a, struct late *late, enum pmb_unwind_status end,
		   const struct late_stack *stack)
{
	uint32_t frames[PMB_MAX_FRAMES];

	for (uint32_t i = 0; i < stack->n; i++) {
		uint64_t addr = pmb_place_in_stack(stack->frames[i], i);
		struct frame frame = process_view__locate(&late->view, addr);

		frames[i] = profile__frame(a->profile, &frame);
	}
	late->to.key.user_stack = profile__stack(a->profile, frames, stack->n);
	late->to.user_end = (uint8_t)end;
	assembly__account(a, &late->to);
	dumps__free(&a->dumps, late->dump);
	process_view__done(&late->view);
}

static enum pmb_unwind_status walk(struct assembly *a, struct late *late, struct late_stack *ret)
{
	enum pmb_unwind_status end = PMB_END_NO_TABLE;

	ret->n = 1;
	ret->frames[0] = late->dump->leaf;
	ret->missing = 0;
	if (late->dump->rec) /* else it had to go */
		end = a->opts.tables->walk(a->opts.ctx, late->view.maps, late->dump->rec,
					   late->to.cgroup, ret);
	late->missing = ret->missing;
	return end;
}

/* Whether the table that was missing may come. */
static bool has_to_wait(const struct late *late, enum pmb_unwind_status end)
{
	return end == PMB_END_NO_TABLE && late->missing;
}

/* True if it need not wait any longer. */
static bool try_again(struct assembly *a, struct late *late, bool last)
{
	struct late_stack stack;
	enum pmb_unwind_status end = walk(a, late, &stack);

	if (!last && has_to_wait(late, end))
		return false;
	finish(a, late, end, &stack);
	return true;
}

void assembly__late(struct assembly *a, const struct account *to, struct process *process,
		    struct dump *dump)
{
	struct late late = {*to, process__view(a->processes, process), dump, 0};
	/* nobody else may need them any more */
	size_t mappings = mappings__count(late.view.maps) * sizeof(struct mapping);
	struct late_stack stack;
	enum pmb_unwind_status end = walk(a, &late, &stack);

	if (!has_to_wait(&late, end) || !dumps__hold(&a->dumps, dump, mappings)) {
		finish(a, &late, end, &stack);
		return;
	}
	assembly__touched_later(a, &late.to);
	assembly__block_later(a, &late.to);
	GROW(a->late, a->n_late, a->cap_late);
	a->late[a->n_late++] = late;
}

void assembly__retry(struct assembly *a, bool last)
{
	const struct assembly_watch *watch = a->opts.watch;
	size_t kept = 0;

	for (size_t i = 0; i < a->n_late; i++) {
		struct late *late = &a->late[i];

		if (!last && late->dump->rec && a->opts.tables->awaits(a->opts.ctx, late->missing))
			a->late[kept++] = *late;
		else if (!try_again(a, late, last))
			a->late[kept++] = *late;
		if (!last && watch)
			watch->between(a->opts.ctx);
	}
	a->n_late = kept;
}

void profile__keep_files(const struct profile *profile, struct files *files)
{
	const struct frame *frames;
	size_t n = profile__frames(profile, &frames);

	for (size_t i = 0; i < n; i++)
		files__keep(files, frames[i].file);
}

static void sites__keep_files(const struct sites *sites, struct files *files)
{
	for (uint32_t i = 0; i < sites__count(sites); i++) {
		const struct frame *frames;

		for (size_t n = sites__frames(sites, i, &frames); n > 0; n--)
			files__keep(files, frames[n - 1].file);
	}
}

void assembly__keep_files(const struct assembly *a)
{
	profile__keep_files(a->profile, a->opts.files);
	processes__keep_files(a->processes);
	if (a->opts.sites)
		sites__keep_files(a->opts.sites, a->opts.files);
	assembly__keep_branch_files(a);
	for (size_t i = 0; i < a->n_late; i++)
		process_view__keep_files(&a->late[i].view, a->opts.files);
}

void assembly__mark_files(const struct assembly *a, bool *used, size_t n_used)
{
	processes__mark_files(a->processes, used, n_used);
	for (size_t i = 0; i < a->n_late; i++)
		process_view__mark_files(&a->late[i].view, used, n_used);
}

void assembly__each_late(const struct assembly *a, void (*fn)(void *ctx, struct account *to),
			 void *ctx)
{
	for (size_t i = 0; i < a->n_late; i++)
		fn(ctx, &a->late[i].to);
}

void assembly__carry_late(struct assembly *a, const struct profile *from)
{
	for (size_t i = 0; i < a->n_late; i++) {
		struct profile_key *key = &a->late[i].to.key;

		key->comm = profile__comm(a->profile, profile__comm_text(from, key->comm));
		key->kernel_stack = profile__copy_stack(a->profile, from, key->kernel_stack);
		key->data = profile__copy_stack(a->profile, from, key->data);
		a->late[i].to.python = profile__copy_stack(a->profile, from, a->late[i].to.python);
		key->access = profile__copy_access(a->profile, from, key->access);
	}
}

void assembly__late_done(struct assembly *a)
{
	for (size_t i = 0; i < a->n_late; i++) {
		dumps__free(&a->dumps, a->late[i].dump);
		process_view__done(&a->late[i].view);
	}
	free(a->late);
	a->late = NULL;
	a->n_late = a->cap_late = 0;
}
