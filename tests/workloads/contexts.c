// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * contexts [SECONDS=1] [LIBRARY]: threads that say what they work on, as OpenTelemetry's OTEP 4947
 * has it: otel_thread_ctx_v1 of each points to a record, whose keys have the names that the process
 * publishes in a mapping of its own (OTEP 4719).
 *
 * Known answer: each of two threads spins for SECONDS of CPU time in one function, in turns of
 * 0.1 to 1.6 ms: for "/cart" six turns of ten on average, for "/search" three, for nobody one.
 * Whose turn it is stands in the record alone. It prints how many ns of CPU time each had in the
 * end, by the threads' own clocks. In the second half "/search" has a user besides, under a key
 * that has its name only from then on. At the beginning it spins in main, for nobody ("main").
 *
 * contextlib is the same, with the variable in LIBRARY, which it opens, so that it lies in a block
 * of its own of each thread. LIBRARY is one of libs/published.c.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "spin.h"

#ifndef MFD_CLOEXEC
#define MFD_CLOEXEC 1U
#endif

struct record {
	uint8_t trace_id[16], span_id[8], valid, flags;
	uint16_t n_bytes;
	uint8_t bytes[64];
} __attribute__((aligned(2)));

static struct record **slot(void);

#ifdef IN_LIBRARY
static struct record **(*slot_of_library)(void);

static struct record **slot(void)
{
	return slot_of_library();
}

static void open_library(int argc, char **argv)
{
	void *library = argc > 2 ? dlopen(argv[2], RTLD_NOW) : NULL;

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	*(void **)&slot_of_library = dlsym(library, "published_slot");
}
#else
__attribute__((visibility("default"))) __thread struct record *otel_thread_ctx_v1;

static struct record **slot(void)
{
	return &otel_thread_ctx_v1;
}

static void open_library(int argc, char **argv)
{
	(void)argc;
	(void)argv;
}
#endif

/* ---------------------------------------------------------------- the process's own message */

struct published {
	char signature[8];
	uint32_t version, size;
	uint64_t when;
	const void *message;
};

static struct published *published;

static size_t put(uint8_t *to, uint8_t tag, const void *bytes, size_t n)
{
	to[0] = tag;
	to[1] = (uint8_t)n; /* shorter than 128 */
	memcpy(to + 2, bytes, n);
	return n + 2;
}

/* Attributes of a resource: the names of keys, the first n. */
static void publish(size_t n)
{
	static const char *const keys[] = {"http_route", "http_method", "user"};
	static const char name[] = "threadlocal.attribute_key_map";
	static uint8_t messages[2][256];
	uint8_t list[100], array[110], attribute[200], value[60], *message = messages[n == 3];
	size_t at = 0, len;

	for (size_t i = 0; i < n; i++) {
		len = put(value, 0x0a, keys[i], strlen(keys[i]));
		at += put(list + at, 0x0a, value, len);
	}
	at = put(array, 0x2a, list, at);
	len = put(attribute, 0x0a, name, strlen(name));
	len += put(attribute + len, 0x12, array, at);
	published->when = 0;
	__sync_synchronize();
	published->message = message;
	published->size = (uint32_t)put(message, 0x0a, attribute, len);
	published->version = 2;
	__sync_synchronize();
	published->when = clock_ns(CLOCK_MONOTONIC);
	memcpy(published->signature, "OTEL_CTX", 8);
}

static void begin_to_publish(void)
{
	int fd = memfd_create("OTEL_CTX", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, 4096) < 0)
		exit(1);
	published = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (published == MAP_FAILED)
		exit(1);
	close(fd);
	publish(2);
}

/* ---------------------------------------------------------------- work */

enum { CART, SEARCH, NOBODY, KINDS };
static const char *const kinds[KINDS] = {"cart", "search", "nobody"};
static uint64_t seconds_ns, totals[KINDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

SPINS(serve)

static void add_attribute(struct record *r, uint8_t key, const char *text)
{
	r->bytes[r->n_bytes] = key;
	r->bytes[r->n_bytes + 1] = (uint8_t)strlen(text);
	memcpy(r->bytes + r->n_bytes + 2, text, strlen(text));
	r->n_bytes = (uint16_t)(r->n_bytes + 2 + strlen(text));
}

static void fill(struct record *r, int kind, int with_user)
{
	*r = (struct record){.valid = 1, .trace_id = {1}};
	add_attribute(r, 0, "overwritten");
	add_attribute(r, 1, "GET");
	add_attribute(r, 0, kind == CART ? "/cart" : "/search");
	if (with_user)
		add_attribute(r, 2, "ann");
}

static int kind_of(uint64_t turn)
{
	return turn < 6 ? CART : turn < 9 ? SEARCH : NOBODY;
}

static void *work(void *arg)
{
	uint64_t state = (uintptr_t)arg, used[KINDS] = {0}, began = thread_cpu_ns(), now;
	struct record records[2], **own = slot();
	int with_user = 0;

	fill(&records[CART], CART, 0);
	fill(&records[SEARCH], SEARCH, 0);
	while ((now = thread_cpu_ns()) - began < seconds_ns) {
		int kind;

		state = state * 6364136223846793005u + 1442695040888963407u;
		kind = kind_of((state >> 33) % 10);
		if (!with_user && now - began > seconds_ns / 2) {
			with_user = 1;
			pthread_mutex_lock(&lock);
			publish(3);
			pthread_mutex_unlock(&lock);
			fill(&records[SEARCH], SEARCH, 1);
		}
		*(struct record *volatile *)own = kind == NOBODY ? NULL : &records[kind];
		serve((1 + (state >> 60)) * 100000);
		*(struct record *volatile *)own = NULL;
		used[kind] += thread_cpu_ns() - now;
	}
	pthread_mutex_lock(&lock);
	for (int i = 0; i < KINDS; i++)
		totals[i] += used[i];
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	uint64_t began = thread_cpu_ns();

	seconds_ns = (uint64_t)(arg_num(argc, argv, 1, 1) * 1e9);
	open_library(argc, argv);
	begin_to_publish();
	spin_for(300000000); /* until it is known where to look */
	printf("main %lu\n", (unsigned long)(thread_cpu_ns() - began));
	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < KINDS; i++)
		printf("%s %lu\n", kinds[i], (unsigned long)totals[i]);
	return 0;
}
