// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/gates_left.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "collect/gates.h"
#include "pmubpf/budgets.h"
#include "sys/clock.h"

/* First all of them: others delete meanwhile. */
static size_t list_keys(const struct bpf_map *map, __u32 *ret, size_t max)
{
	const void *before = NULL;
	size_t n = 0;

	while (n < max && bpf_map_get_next_key(bpf_map__fd(map), before, &ret[n]) == 0)
		before = &ret[n++];
	return n;
}

static void leave(const struct gate_user *user, bool ended)
{
	_cleanup_free_ __u32 *threads = xcalloc(BUDGET_WINDOW_THREADS, sizeof(*threads));
	size_t n = list_keys(user->threads, threads, BUDGET_WINDOW_THREADS);

	for (size_t i = 0; i < n; i++) {
		uint64_t args[] = {threads[i], ended};
		LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));

		bpf_prog_test_run_opts(bpf_program__fd(user->leave), &opts);
	}
}

void gates_left__all(const struct gate_user *user)
{
	leave(user, false);
}

void gates_left__of_ended(struct gate_user *user, uint64_t now)
{
	enum { SHARE = 20 }; /* with all places taken it takes a tenth of a second */
	__u32 first;

	if (now < user->ended_due_ns || !list_keys(user->ended, &first, 1))
		return;
	_cleanup_free_ __u32 *ended = xcalloc(GATES_ENDED_MAX, sizeof(*ended));
	size_t n = list_keys(user->ended, ended, GATES_ENDED_MAX);

	leave(user, true);
	for (size_t i = 0; i < n; i++)
		bpf_map_delete_elem(bpf_map__fd(user->ended), &ended[i]);
	user->ended_due_ns = now + (now_ns() - now) * SHARE;
}
