// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel waits for all CPUs (synchronize_rcu()): 10 ms, a second where they have much to do, 40
 * where tasks hand each other the CPUs without a break. Nobody would empty the rings meanwhile, or
 * the recording hasn't even begun. But what is put in is there as soon as the call has begun, which
 * a look-up tells.
 */
#include "collect/inner_maps.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"

struct put {
	struct put *next;
	int outer;
	int *keys, *fds;
	uint32_t n;
	pthread_t waiter;
	bool waits; /* the thread is to be joined */
	bool done;  /* set by it, behind error */
	int error;
};

struct inner_maps {
	struct put *puts;
};

struct inner_maps *inner_maps__new(void)
{
	return xcalloc(1, sizeof(struct inner_maps));
}

static void put__free(struct put *p)
{
	if (p->waits)
		pthread_join(p->waiter, NULL);
	free(p->keys);
	free(p->fds);
	free(p);
}

struct inner_maps *inner_maps__free(struct inner_maps *maps)
{
	for (struct put *p = maps ? maps->puts : NULL, *next; p; p = next) {
		next = p->next;
		put__free(p);
	}
	free(maps);
	return NULL;
}

/* All at once wait together, where the kernel can (5.19). */
static int put_in(const struct put *p)
{
	uint32_t done = p->n;
	int r = p->n > 1 ? bpf_map_update_batch(p->outer, p->keys, p->fds, &done, NULL) : -1;

	for (uint32_t i = 0; r < 0 && i < p->n; i++) {
		if (bpf_map_update_elem(p->outer, &p->keys[i], &p->fds[i], BPF_ANY) < 0)
			return -errno;
	}
	return 0;
}

static void *wait_for_it(void *arg)
{
	struct put *p = arg;

	p->error = put_in(p);
	__atomic_store_n(&p->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* With all signals blocked: they are the main thread's. */
static void begin(struct put *p)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	p->waits = pthread_create(&p->waiter, NULL, wait_for_it, p) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!p->waits)
		wait_for_it(p);
}

static int until_it_is_there(const struct put *p)
{
	const struct timespec a_moment = {.tv_nsec = 50000};
	uint32_t at = 0, id;

	while (!__atomic_load_n(&p->done, __ATOMIC_ACQUIRE)) {
		while (at < p->n && bpf_map_lookup_elem(p->outer, &p->keys[at], &id) == 0)
			at++;
		if (at == p->n)
			return 0;
		nanosleep(&a_moment, NULL);
	}
	return p->error;
}

int inner_maps__put(struct inner_maps *maps, int outer, const int *keys, const int *fds, size_t n)
{
	struct put *p = xcalloc(1, sizeof(*p));

	p->next = maps->puts;
	maps->puts = p;
	p->outer = outer;
	p->n = (uint32_t)n;
	p->keys = xcalloc(n + 1, sizeof(*p->keys));
	p->fds = xcalloc(n + 1, sizeof(*p->fds));
	memcpy(p->keys, keys, n * sizeof(*keys));
	memcpy(p->fds, fds, n * sizeof(*fds));
	begin(p);
	return until_it_is_there(p);
}
