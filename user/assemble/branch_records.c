// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The branch records of a sample, the latest first: each is a pair of places; and what lies between
 * where one led to and where the next one left ran from end to end, if all branches are recorded.
 */
#include "assemble/internal.h"

/* Compilers' functions are smaller: what seems to be more is two records with a gap between. */
enum { LONGEST_RUN = 1 << 20 };

enum place_state { PLACE_KNOWN, PLACE_INVALID, PLACE_KERNEL, PLACE_UNMAPPED };

struct place {
	enum place_state state;
	struct frame frame;
};

static struct place place_of(struct assembly *a, struct process *process, uint64_t addr)
{
	enum { CANONICAL_BITS = 48, KERNEL = 0xffff };
	struct place ret = {.state = PLACE_KNOWN};

	if (addr >> CANONICAL_BITS == KERNEL) {
		ret.frame = (struct frame){FRAME_KERNEL, 0, addr};
		ret.state = a->opts.kernel_branches ? PLACE_KNOWN : PLACE_KERNEL;
		return ret;
	}
	if (!addr || addr >> CANONICAL_BITS) {
		ret.state = PLACE_INVALID;
		return ret;
	}
	if (process)
		ret.frame = process__locate(a->processes, process, addr);
	if (ret.frame.kind != FRAME_FILE && ret.frame.kind != FRAME_JIT)
		ret.state = PLACE_UNMAPPED;
	return ret;
}

static struct branch_counts counts_of(const struct pmb_branch *branch)
{
	uint64_t cycles = branch->flags >> PMB_BRANCH_CYCLES_AT & PMB_BRANCH_CYCLES;
	bool missed = branch->flags & PMB_BRANCH_MISPREDICTED;

	return (struct branch_counts){
		.records = 1,
		.foreseen = missed || branch->flags & PMB_BRANCH_PREDICTED,
		.mispredicted = missed,
		.timed = cycles != 0,
		.cycles = cycles,
	};
}

static void take(struct assembly *a, const struct pmb_branch *branch, const struct place *from,
		 const struct place *to)
{
	struct ledger_branches *books = &a->books.branches;
	const struct branch_counts counts = counts_of(branch);

	if (from->state == PLACE_INVALID || to->state == PLACE_INVALID)
		books->invalid++;
	else if (from->state == PLACE_KERNEL || to->state == PLACE_KERNEL)
		books->kernel++;
	else if (from->state == PLACE_UNMAPPED || to->state == PLACE_UNMAPPED)
		books->unmapped++;
	else if (branch_records__add(a->opts.branches, BRANCH_TAKEN, &from->frame, &to->frame,
				     &counts))
		books->stored++;
	else
		books->other++;
}

static bool is_run(const struct place *first, const struct place *last)
{
	return first->state == PLACE_KNOWN && last->state == PLACE_KNOWN &&
	       first->frame.kind == last->frame.kind && first->frame.file == last->frame.file &&
	       last->frame.off >= first->frame.off &&
	       last->frame.off - first->frame.off < LONGEST_RUN;
}

static void take_between(struct assembly *a, const struct place *first, const struct place *last)
{
	static const struct branch_counts once = {.records = 1};
	struct ledger_branches *books = &a->books.branches;

	books->ranges++;
	if (!is_run(first, last))
		books->ranges_torn++;
	else if (branch_records__add(a->opts.branches, BRANCH_BETWEEN, &first->frame, &last->frame,
				     &once))
		books->ranges_stored++;
	else
		books->ranges_other++;
}

void assembly__branches(struct assembly *a, const struct decoded *rec, struct process *process)
{
	const struct pmb_part_branches *all = rec->branches;
	struct place later = {.state = PLACE_INVALID};

	if (!all || !a->opts.branches)
		return;
	a->books.branches.cut += all->whole - all->n;
	for (uint32_t i = 0; i < all->n; i++) {
		struct place to = place_of(a, process, all->list[i].to);
		struct place from = place_of(a, process, all->list[i].from);

		take(a, &all->list[i], &from, &to);
		if (i && a->opts.between_branches)
			take_between(a, &to, &later);
		later = from;
	}
}

void assembly__leave_branches_out(struct assembly *a, const struct decoded *rec)
{
	if (rec->branches)
		a->books.branches.left_out += rec->branches->whole;
}

void assembly__keep_branch_files(const struct assembly *a)
{
	const struct branch_pair *pairs;
	size_t n = a->opts.branches ? branch_records__pairs(a->opts.branches, &pairs) : 0;

	for (size_t i = 0; i < n; i++) {
		files__keep(a->opts.files, pairs[i].from.file);
		files__keep(a->opts.files, pairs[i].to.file);
	}
}
