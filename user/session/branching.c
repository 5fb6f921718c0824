// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "session/branching.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "collect/branches.h"
#include "collect/canary.h"
#include "opener/opener.h"
#include "session/probing.h"
#include "session/signals.h"
#include "session/tasks.h"
#include "sys/caller.h"
#include "sys/caps.h"
#include "sys/clock.h"
#include "sys/cpus.h"
#include "sys/drop.h"
#include "sys/procfs.h"

#define OPTION "annotate --branches"

struct branching {
	struct branching_result *ret;
	const struct branching_opts *opts;
	struct branch_programs *programs;
	struct tasks tasks;
	struct probing probing;
	size_t *of_jump;     /* of each that is probed: which one it is */
	uint64_t *file_offs; /* and where */
	struct err *err;
};

static int hits(void *ctx, struct probe_hits *ret)
{
	const struct branching *b = ctx;
	struct pmb_branch_stats stats;
	int r = branch_programs__stats(b->programs, &stats);

	*ret = (struct probe_hits){
		.emulated = stats.hits,
		.timed = stats.timed,
		.timed_ns = stats.timed_ns,
	};
	return r;
}

static int take_out(void *ctx)
{
	struct branching *b = ctx;

	branch_programs__take_out(b->programs);
	return 0;
}

static int refuse_probe(const struct branching *b, int r, struct err *err)
{
	const struct branch_whom *w = &b->opts->whom;

	if (r == -OPENER_SERVED)
		return err__cannot(err,
				   OPTION ": no probe is put into %s, which a process serves "
					  "(FUSE)",
				   b->ret->site.path);
	if (r == -ETIMEDOUT || r == -ECONNREFUSED)
		return err__cannot(err,
				   OPTION
				   ": no probe was put into process %d: its memory's lock is "
				   "held, or whoever has its file doesn't answer",
				   w->pid);
	return err__set(err, r, OPTION ": the kernel puts no probe into '%s' of process %d: %s",
			w->function, w->pid, strerror(-r));
}

/* Each hit would count twice. */
static void wait_for_the_old(const struct branching *b)
{
	enum { STEP_MS = 10, STEPS_MAX = 1000 };
	struct pollfd told = {.fd = b->opts->signals->fd, .events = POLLIN};

	for (int i = 0; i < STEPS_MAX && branch_programs__closing(b->programs); i++) {
		if (poll(&told, 1, STEP_MS) > 0)
			return;
	}
}

static int put_in(void *ctx, struct err *err)
{
	struct branching *b = ctx;
	const struct branch_target target = {
		.opener = b->opts->whom.opener,
		.fd = b->ret->site.fd,
		.mnt_ns = b->ret->site.mnt_ns,
		.file_offs = b->file_offs,
		.n = b->ret->n_probed,
		.tgid = b->opts->whom.pid,
	};
	int r;

	wait_for_the_old(b);
	r = branch_programs__closing(b->programs) ? -EBUSY :
						    branch_programs__put_in(b->programs, &target);
	return r < 0 ? refuse_probe(b, r, err) : 0;
}

static const struct probing_fns fns = {.hits = hits, .take_out = take_out, .put_in = put_in};

/* The kernel takes a process for its first thread, and puts nothing into one that has ended: all
 * would be counted as never met. */
static int check_first_thread(const struct branching *b)
{
	if (procfs_living_thread(b->opts->whom.pid) == b->opts->whom.pid)
		return 0;
	return err__cannot(b->err,
			   OPTION
			   ": the first thread of process %d has ended, and others go on: the "
			   "kernel puts no probes into such a process",
			   b->opts->whom.pid);
}

/* The first ones, where there are too many. */
static int choose(struct branching *b)
{
	struct branching_result *ret = b->ret;
	const struct site_jumps *jumps = &ret->site.jumps;
	const size_t most = branch_programs__most();

	ret->jumps = xcalloc(jumps->n + 1, sizeof(*ret->jumps));
	b->of_jump = xcalloc(jumps->n + 1, sizeof(*b->of_jump));
	b->file_offs = xcalloc(jumps->n + 1, sizeof(*b->file_offs));
	for (size_t i = 0; i < jumps->n; i++) {
		if (jumps->list[i].kind != SITE_JUMP_EMULATED)
			continue;
		if (ret->n_probed == most) {
			ret->n_beyond++;
			continue;
		}
		ret->jumps[i].probed = true;
		b->of_jump[ret->n_probed] = i;
		b->file_offs[ret->n_probed++] = jumps->file_off + jumps->list[i].at;
	}
	if (ret->n_probed)
		return 0;
	if (!jumps->n)
		return err__usage(b->err, OPTION ": '%s' has no conditional jump",
				  b->opts->whom.function);
	return err__cannot(b->err,
			   OPTION ": of the %zu conditional jumps of '%s' none can be probed: the "
				  "kernel doesn't carry them out itself, or they are reached in "
				  "ways that its code doesn't say",
			   jumps->n_all, b->opts->whom.function);
}

static int expect(struct branching *b)
{
	const struct branch_site *site = &b->ret->site;
	int r = 0;

	for (size_t i = 0; i < b->ret->n_probed; i++) {
		const struct site_jump *jump = &site->jumps.list[b->of_jump[i]];
		const struct pmb_branch_place place = {(uint32_t)i, jump->condition};

		for (size_t k = 0; k < site->n_addresses && r == 0; k++)
			r = branch_programs__expect(b->programs, site->addresses[k] + jump->at,
						    &place);
	}
	return r < 0 ? err__set(b->err, r, OPTION ": %s", strerror(-r)) : 0;
}

static int load(struct branching *b)
{
	int r = branch_programs__load(&b->programs, b->ret->n_probed,
				      b->ret->n_probed * b->ret->site.n_addresses, b->err);

	return r < 0 ? r : expect(b);
}

static int begin(struct branching *b)
{
	struct cpus cpus = {0};
	int r = cpus__online(&cpus, b->err), n = cpus.n;

	cpus__done(&cpus);
	probing__expect(&b->probing, b->opts->whom.opener);
	if (r == 0)
		r = put_in(b, b->err);
	if (r < 0)
		return r;
	b->probing.fns = &fns;
	b->probing.ctx = b;
	b->probing.notes = &b->ret->notes;
	probing__begin(&b->probing, b->opts->budget / 100 * n, 0, now_ns());
	return 0;
}

/* From here on files are the caller's, and this process only looks: the one that opens puts probes
 * in again. */
static int drop_privileges(struct err *err)
{
	int r = caller_open_as();

	if (r < 0)
		return err__set(err, r, "can't take the rights of who called sudo: %s",
				strerror(-r));
	drop_capabilities(CAP_BIT(CAP_BPF_NUMBER) | caps_to_hand_over());
	drop_new_privileges();
	return 0;
}

static bool is_told_to_end(const struct branching *b)
{
	int signal;

	while ((signal = signals__next(b->opts->signals))) {
		if (signal != SIGCHLD)
			return true;
	}
	return false;
}

static void wait_until(const struct branching *b, uint64_t until_ns)
{
	uint64_t now = now_ns();
	const uint64_t left = until_ns > now ? until_ns - now : 0;
	struct pollfd fds[] = {
		{.fd = b->opts->signals->fd, .events = POLLIN},
		{.fd = b->tasks.fds[0], .events = POLLIN},
	};

	poll(fds, ARRAY_SIZE(fds), (int)((left + 999999) / 1000000));
}

static void run(struct branching *b)
{
	const uint64_t end = b->opts->duration_ns ? now_ns() + b->opts->duration_ns : UINT64_MAX;

	while (now_ns() < end && !is_told_to_end(b)) {
		b->ret->ended = tasks__gone(&b->tasks);
		if (b->ret->ended)
			break;
		wait_until(b, earlier(probing__due(&b->probing), end));
		probing__look(&b->probing, now_ns());
	}
	probing__end(&b->probing, now_ns());
	if (!b->ret->ended && procfs_living_thread(b->opts->whom.pid) != b->opts->whom.pid)
		buf__puts(&b->ret->notes,
			  "the first thread of the process has ended meanwhile: before Linux 6.12 "
			  "nothing is counted from then on\n");
}

static int read_counts(struct branching *b)
{
	struct branching_result *ret = b->ret;
	struct probed told = {0};
	struct pmb_branch_stats stats;
	int r = branch_programs__stats(b->programs, &stats);

	for (size_t i = 0; i < ret->n_probed && r == 0; i++) {
		struct branching_jump *jump = &ret->jumps[b->of_jump[i]];
		struct pmb_branch_counts counts;

		r = branch_programs__counts(b->programs, i, &counts);
		jump->taken = counts.taken;
		jump->not_taken = counts.not_taken;
	}
	if (r < 0)
		return err__set(b->err, r, OPTION ": what was counted can't be read: %s",
				strerror(-r));
	ret->elsewhere = stats.elsewhere;
	ret->probed = probing__part(&b->probing, &told);
	ret->hit_ns = b->probing.each.emulated_ns;
	ret->hit_ns += stats.timed ? stats.timed_ns / stats.timed : 0;
	return 0;
}

static void branching__done(struct branching *b)
{
	branch_programs__free(b->programs);
	tasks__done(&b->tasks);
	free(b->of_jump);
	free(b->file_offs);
}

int branching__run(struct branching_result *ret, const struct branching_opts *opts, struct err *err)
{
	const struct target whom = {.pids = &opts->whom.pid, .n_pids = 1};
	_cleanup_(branching__done) struct branching b = {.ret = ret,
							 .opts = opts,
							 .tasks = {.whom = &whom},
							 .err = err};
	int r;

	*ret = (struct branching_result){.site = {.fd = -1, .root_fd = -1}};
	r = tasks__watch(&b.tasks, err);
	if (r == 0)
		r = check_first_thread(&b);
	if (r == 0)
		r = canary__try(&b.probing.each, false, OPTION, err);
	if (r == 0)
		r = branch_site__find(&ret->site, &opts->whom, &ret->notes, err);
	if (r == 0)
		r = choose(&b);
	if (r == 0)
		r = load(&b);
	if (r == 0)
		r = begin(&b);
	if (r == 0)
		r = drop_privileges(err);
	if (r < 0)
		return r;
	run(&b);
	return read_counts(&b);
}

void branching_result__done(struct branching_result *result)
{
	branch_site__done(&result->site);
	free(result->jumps);
	buf__done(&result->notes);
}
