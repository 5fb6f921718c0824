// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A store of records that takes snapshots of itself by fork(), as databases in memory do, and a
 * memory manager in it that reads `pmubpf record --regions`.
 *
 *     cc -O2 -g -o packing examples/packing.c
 *     sudo pmubpf record --data -e page-faults -c 1 --regions hot.list -o packing.pb.gz -- \
 *             ./packing hot.list
 *
 * After a fork the first write to each page is a fault, and copies it. The records that are written
 * to lie apart, one on each fourth page: so many pages are copied at each snapshot. Nothing in the
 * program knows which they are. The list does: a region of it is delinquent, and these are its
 * cache lines. The manager moves the records that are on them to pages of their own, side by side,
 * and 64 times fewer pages are copied.
 *
 * It prints the faults and the time of one round of updates, before and after, and ends; or after
 * two minutes (or so many seconds as stand behind the list's name), if no list said that. Each
 * snapshot checks that it has all that was written.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	RECORD = 64,
	PAGES = 8192,
	N = PAGES * (PAGE / RECORD),
	APART = 4, /* pages: one record on each fourth is written to */
	ROUNDS_AFTER = 5,
	BETWEEN_US = 20000,
	LONGEST_S = 120,
	LINE_BYTES = 4096,
};

struct record {
	uint64_t value;
	char rest[RECORD - sizeof(uint64_t)];
};

/* ---------------------------------------------------------------- the allocator */

/* Records are known by number, so that they can be moved. */
struct store {
	struct record *cold, *hot; /* where all are at first; where some go */
	struct record **where;     /* by number */
	uint32_t *number;          /* of the record at a place of `cold`; N: it has been moved */
	size_t n_hot;
	struct timespec read; /* when the list that was read last was made */
};

static void *map(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	madvise(p, bytes, MADV_NOHUGEPAGE);
	return p;
}

static __attribute__((noipa)) void store_fill(struct store *s)
{
	s->cold = map(N * sizeof(*s->cold));
	s->hot = map(N * sizeof(*s->hot)); /* no page of it is there before it is touched */
	s->where = map(N * sizeof(struct record *));
	s->number = map(N * sizeof(uint32_t));
	for (uint32_t i = 0; i < N; i++) {
		s->cold[i].value = i;
		s->where[i] = &s->cold[i];
		s->number[i] = i;
	}
}

static bool store_move(struct store *s, uint64_t addr)
{
	uint64_t place = (addr - (uintptr_t)s->cold) / RECORD;
	uint32_t number;

	if (addr < (uintptr_t)s->cold || place >= N || s->number[place] == N)
		return false; /* it is something else's, or was moved before */
	number = s->number[place];
	s->hot[s->n_hot] = s->cold[place];
	s->where[number] = &s->hot[s->n_hot++];
	s->number[place] = N;
	return true;
}

/* A line "line EVENT REGION PID FROM SAMPLES RECENT" of what missed lately in this process; only
 * delinquent regions have such lines. 0: it is another one. */
static uint64_t address_in(const char *line)
{
	char *at = (char *)line + 5;
	uint64_t addr;
	long pid;

	if (strncmp(line, "line ", 5) != 0)
		return 0;
	strtoul(at, &at, 10);
	strtoul(at, &at, 10);
	pid = strtol(at, &at, 10);
	addr = strtoull(at, &at, 16);
	strtol(at, &at, 10);
	return pid == getpid() && strtol(at, &at, 10) > 0 ? addr : 0;
}

/* Moves what the list says misses; how many records that were. */
static size_t store_manage(struct store *s, const char *list)
{
	FILE *f = list ? fopen(list, "re") : NULL;
	char line[LINE_BYTES];
	struct stat st;
	uint64_t addr;
	size_t n = 0;

	if (!f)
		return 0;
	if (fstat(fileno(f), &st) == 0 &&
	    (st.st_mtim.tv_sec != s->read.tv_sec || st.st_mtim.tv_nsec != s->read.tv_nsec)) {
		s->read = st.st_mtim;
		while (fgets(line, sizeof(line), f)) {
			addr = address_in(line);
			n += addr && store_move(s, addr);
		}
	}
	fclose(f);
	return n;
}

/* ---------------------------------------------------------------- what uses it */

struct cost {
	double ms;
	long faults;
};

static struct cost since(const struct cost *before)
{
	struct timespec t;
	struct rusage u;

	clock_gettime(CLOCK_MONOTONIC, &t);
	getrusage(RUSAGE_SELF, &u);
	return (struct cost){
		.ms = (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6 - before->ms,
		.faults = u.ru_minflt - before->faults,
	};
}

static __attribute__((noipa)) void update(const struct store *s)
{
	for (uint32_t i = 0; i < N; i += APART * (PAGE / RECORD))
		s->where[i]->value++;
}

static uint64_t sum(const struct store *s)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < N; i++)
		all += s->where[i]->value;
	return all;
}

/* Updates beside a snapshot: what they cost. */
static struct cost round_of(const struct store *s)
{
	const struct cost none = {0};
	const uint64_t is = sum(s);
	struct cost began, took;
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(sum(s) != is);
	began = since(&none);
	update(s);
	took = since(&began);
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
		fputs("a snapshot has not what was written\n", stderr);
		exit(1);
	}
	return took;
}

static int by_ms(const void *a, const void *b)
{
	double x = ((const struct cost *)a)->ms, y = ((const struct cost *)b)->ms;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static struct store s;
	struct cost before[ROUNDS_AFTER] = {{0}}, after[ROUNDS_AFTER];
	size_t moved = 0, rounds = 0, n;
	time_t end = time(NULL) + (argc > 2 ? strtol(argv[2], NULL, 10) : LONGEST_S);

	store_fill(&s);
	do {
		before[rounds++ % ROUNDS_AFTER] = round_of(&s);
		usleep(BETWEEN_US);
		moved = store_manage(&s, argc > 1 ? argv[1] : NULL);
	} while (!moved && time(NULL) < end);
	for (int i = -1; i < ROUNDS_AFTER; i++) { /* the first one has the faults of moving */
		after[i < 0 ? 0 : i] = round_of(&s);
		usleep(BETWEEN_US);
	}
	n = rounds < ROUNDS_AFTER ? rounds : ROUNDS_AFTER;
	qsort(before, n, sizeof(*before), by_ms);
	qsort(after, ROUNDS_AFTER, sizeof(*after), by_ms);
	printf("before: %ld faults, %.2f ms\nafter: %ld faults, %.2f ms\nmoved: %zu of %d\n",
	       before[n / 2].faults, before[n / 2].ms, after[ROUNDS_AFTER / 2].faults,
	       after[ROUNDS_AFTER / 2].ms, moved, N);
	return 0;
}
