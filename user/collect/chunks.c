// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Whoever changes a map of maps waits in the kernel until no program can be running that has seen
 * it before: 10 ms, and a second or more where the CPUs have much to do. The rings would overflow
 * meanwhile, so a thread waits; the change itself is there as soon as it has begun.
 */
#include "collect/chunks.h"

#include <bpf/bpf.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"

struct chunk {
	struct pmb_chunk *memory; /* NULL: none */
	uint32_t index;
	int outer, fd;
	pthread_t waiter;
	bool waits; /* the thread is to be joined */
	bool done;  /* set by it, behind failed */
	bool failed;
};

struct chunks {
	int outer;
	struct chunk of[PMB_CHUNKS_MAX];
};

struct chunks *chunks__new(int outer)
{
	struct chunks *c = xcalloc(1, sizeof(*c));

	c->outer = outer;
	return c;
}

static void join(struct chunk *c)
{
	if (c->waits)
		pthread_join(c->waiter, NULL);
	c->waits = false;
}

static void drop(struct chunk *c)
{
	if (c->memory)
		munmap(c->memory, sizeof(*c->memory));
	c->memory = NULL;
}

struct chunks *chunks__free(struct chunks *c)
{
	for (size_t i = 0; c && i < PMB_CHUNKS_MAX; i++) {
		join(&c->of[i]);
		drop(&c->of[i]);
	}
	free(c);
	return NULL;
}

static void *put_in(void *arg)
{
	struct chunk *c = arg;

	c->failed = bpf_map_update_elem(c->outer, &c->index, &c->fd, BPF_ANY) < 0;
	__atomic_store_n(&c->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* With all signals blocked: they are the main thread's. */
static void begin(struct chunk *c)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	c->waits = pthread_create(&c->waiter, NULL, put_in, c) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!c->waits)
		put_in(c);
}

/* Until it is there, which doesn't take as long as the call. */
static bool has_come(const struct chunk *c)
{
	const struct timespec a_moment = {.tv_nsec = 50000};
	uint32_t id;

	while (!__atomic_load_n(&c->done, __ATOMIC_ACQUIRE)) {
		if (bpf_map_lookup_elem(c->outer, &c->index, &id) == 0)
			return true;
		nanosleep(&a_moment, NULL);
	}
	return !c->failed;
}

struct pmb_chunk *chunks__add(struct chunks *chunks, uint32_t index)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	_cleanup_close_ int fd = -1;
	struct chunk *c;
	void *memory;

	if (index >= PMB_CHUNKS_MAX || chunks->of[index].memory)
		return NULL;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "pmb_chunk", sizeof(__u32),
			    sizeof(struct pmb_chunk), 1, &opts);
	if (fd < 0)
		return NULL;
	memory = mmap(NULL, sizeof(struct pmb_chunk), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return NULL;
	c = &chunks->of[index];
	*c = (struct chunk){memory, index, chunks->outer, .fd = fd};
	begin(c);
	if (!has_come(c)) {
		join(c);
		drop(c);
	}
	return c->memory;
}

uint64_t chunks__bytes(const struct chunks *chunks)
{
	uint64_t bytes = 0;

	for (size_t i = 0; chunks && i < PMB_CHUNKS_MAX; i++)
		bytes += chunks->of[i].memory ? sizeof(struct pmb_chunk) : 0;
	return bytes;
}
