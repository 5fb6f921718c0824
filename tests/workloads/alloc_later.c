// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Blocks of allocators of what comes later than a recording, each of a page that allocate_* has
 * called for and touch_* is the first to touch, or to write to:
 *	fork		300 of the parent, which gives them back once it has forked; 200 of the
 *			child: it touches both, half a second after
 *	dlopen FILE	300 of that library's malloc, half a second after it was loaded
 *	loads FILE N	the library is loaded and unloaded N times
 *	maps		300 of one mapping, that was of 1 and has moved, and 200 of what sbrk gave
 *	storm N		N processes, one after another, of a malloc each
 *	many T N	T threads allocate N blocks each, and keep them until all have; then each
 *			touches 100 of its own. It says the ns of an allocation.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, SIZE = 2 * PAGE, OLD = 300, NEW = 200, TOUCHED = 100, HALF_A_SECOND = 500000 };

static char *volatile blocks[OLD + NEW];

/* The page that is all the block's. */
static char *page_in(char *block)
{
	return (char *)(((uintptr_t)block + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
}

static __attribute__((noipa)) char *allocate_old(void)
{
	char *block = malloc(SIZE);

	return block ? block : NULL;
}

static __attribute__((noipa)) char *allocate_new(void)
{
	char *block = malloc(SIZE);

	return block ? block : NULL;
}

static __attribute__((noipa)) void touch(char *page)
{
	madvise(page, PAGE, MADV_DONTNEED);
	*(volatile char *)page = 1;
}

static __attribute__((noipa)) void touch_old(void)
{
	for (int i = 0; i < OLD; i++)
		touch(page_in(blocks[i]));
}

static __attribute__((noipa)) void touch_new(void)
{
	for (int i = 0; i < NEW; i++)
		touch(page_in(blocks[OLD + i]));
}

static int do_fork(void)
{
	pid_t child;

	for (int i = 0; i < OLD; i++)
		blocks[i] = allocate_old();
	child = fork();
	if (child == 0) {
		usleep(HALF_A_SECOND);
		for (int i = 0; i < NEW; i++)
			blocks[OLD + i] = allocate_new();
		touch_old();
		touch_new();
		_exit(0);
	}
	for (int i = 0; i < OLD; i++)
		free(blocks[i]);
	for (int i = 0; i < OLD; i++) /* where those were: the parent's, not the child's */
		blocks[i] = allocate_new();
	return waitpid(child, NULL, 0) != child;
}

static void *(*library_malloc)(size_t size);

static __attribute__((noipa)) char *allocate_plugin(void)
{
	char *block = library_malloc(SIZE);

	return block ? block : NULL;
}

static int do_dlopen(const char *file)
{
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	if (library)
		*(void **)&library_malloc = dlsym(library, "malloc");
	if (!library_malloc) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	usleep(HALF_A_SECOND);
	for (int i = 0; i < OLD; i++)
		blocks[i] = allocate_plugin();
	touch_old();
	return 0;
}

static __attribute__((noipa)) char *allocate_map(void)
{
	char *map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	map = mremap(map, PAGE, OLD * PAGE, MREMAP_MAYMOVE);
	return map != MAP_FAILED ? map : NULL;
}

static __attribute__((noipa)) char *allocate_break(void)
{
	char *block = sbrk((NEW + 1) * PAGE);

	return (intptr_t)block != -1 ? page_in(block) : NULL;
}

static int do_maps(void)
{
	char *map = allocate_map(), *block = allocate_break();

	for (int i = 0; map && i < OLD; i++)
		blocks[i] = map + i * PAGE;
	for (int i = 0; block && i < NEW; i++)
		blocks[OLD + i] = block + i * PAGE;
	touch_old();
	touch_new();
	return 0;
}

static int do_loads(const char *file, int n)
{
	for (int i = 0; i < n; i++) {
		void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

		if (!library) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		dlclose(library);
	}
	return 0;
}

static int do_storm(int n)
{
	for (int i = 0; i < n; i++) {
		pid_t child = fork();

		if (child == 0) {
			blocks[0] = allocate_new();
			_exit(0);
		}
		if (child < 0 || waitpid(child, NULL, 0) != child)
			return 1;
	}
	return 0;
}

static pthread_barrier_t all;
static int n_each;

static __attribute__((noipa)) char *allocate_many(size_t size)
{
	char *block = malloc(size);

	return block ? block : NULL;
}

static __attribute__((noipa)) void touch_many(char **mine)
{
	for (int i = 0; i < TOUCHED; i++)
		touch(page_in(mine[i]));
}

static void *thread(void *ns)
{
	char **mine = calloc((size_t)n_each, sizeof(*mine));
	struct timespec from, to;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; mine && i < n_each; i++)
		mine[i] = allocate_many(i < TOUCHED ? SIZE : 16);
	clock_gettime(CLOCK_MONOTONIC, &to);
	*(double *)ns =
		((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) /
		n_each;
	pthread_barrier_wait(&all);
	touch_many(mine);
	return NULL;
}

static int do_many(int threads, int n)
{
	pthread_t *ids = calloc((size_t)threads, sizeof(*ids));
	double *ns = calloc((size_t)threads, sizeof(*ns)), sum = 0;

	n_each = n;
	pthread_barrier_init(&all, NULL, (unsigned)threads);
	for (int i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, thread, &ns[i]);
	for (int i = 0; i < threads; i++) {
		pthread_join(ids[i], NULL);
		sum += ns[i];
	}
	printf("%.0f ns each\n", sum / threads);
	return 0;
}

static int is(const char *word, const char *name)
{
	return strcmp(word, name) == 0;
}

int main(int argc, char **argv)
{
	int first = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0;
	int second = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 0;

	if (argc == 2 && is(argv[1], "fork"))
		return do_fork();
	if (argc == 2 && is(argv[1], "maps"))
		return do_maps();
	if (argc == 3 && is(argv[1], "dlopen"))
		return do_dlopen(argv[2]);
	if (argc == 4 && is(argv[1], "loads"))
		return do_loads(argv[2], second);
	if (argc == 3 && is(argv[1], "storm"))
		return do_storm(first);
	if (argc == 4 && is(argv[1], "many") && first > 0 && second >= TOUCHED)
		return do_many(first, second);
	fputs("usage: alloc_later fork | maps | dlopen FILE | loads FILE N | storm N | many T N\n",
	      stderr);
	return 2;
}
