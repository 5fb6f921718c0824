// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * lookout SEED ROUNDS: members to be watched by breakpoints, of records in a global array and of
 * records from malloc.
 *
 * stdout: four lines "ADDRESS SIZE OBJECT TYPE MEMBER", chosen by SEED: a breakpoint may watch that
 * many bytes there. It then does ROUNDS rounds for each line of its input.
 *
 * Known answer: below `work`, each of them is touched at least four times in each round, by loads
 * and stores of its member, and as part of copies of the whole record, which compilers make of
 * wider pieces. The type is "struct record", of the array's "struct record[]".
 */
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "spin.h"

struct place {
	int x, y;
};

struct record {
	char tag;
	short kind;
	int count;
	long total;
	struct place at;
	double weight;
	struct record *next;
	char name[8];
	float ratios[4];
};

enum { RECORDS = 8, WATCHED = 4 };

struct record table[RECORDS];

static const struct member {
	const char *name;
	size_t off, size;
} members[] = {
#define MEMBER(m)                                                               \
	{                                                                       \
#m, offsetof(struct record, m), sizeof(((struct record *)0)->m) \
	}
	MEMBER(tag),
	MEMBER(kind),
	MEMBER(count),
	MEMBER(total),
	MEMBER(at.x),
	MEMBER(at.y),
	MEMBER(weight),
	MEMBER(next),
	{"name[]", offsetof(struct record, name), 1},
	{"ratios[]", offsetof(struct record, ratios), 4},
};
enum { MEMBERS = sizeof(members) / sizeof(*members) };

WORK static void change(struct record *r, struct record *next, long by)
{
	r->tag++;
	r->kind = (short)(r->kind + by);
	r->count += (int)by;
	r->total -= by;
	r->at.x = (int)by;
	r->at.y ^= (int)by;
	r->weight *= 1.5;
	r->next = next;
	for (size_t i = 0; i < sizeof(r->name); i++)
		r->name[i] = (char)(r->name[i] + 1);
	for (size_t i = 0; i < 4; i++)
		r->ratios[i] += (float)by;
}

WORK static double sum(const struct record *r)
{
	double s = r->tag + r->kind + r->count + r->at.x + r->at.y + r->weight;

	for (size_t i = 0; i < sizeof(r->name); i++)
		s += r->name[i];
	for (size_t i = 0; i < 4; i++)
		s += r->ratios[i];
	return s + (double)r->total + (r->next ? 1 : 0);
}

WORK static void copy(struct record *to, const struct record *from)
{
	*to = *from;
}

/* Of the array by number, as most code has it. */
WORK static long count_all(long by)
{
	long all = 0;

	for (int i = 0; i < RECORDS; i++) {
		table[i].count += (int)by;
		all += table[i].total + table[i].kind;
	}
	return all;
}

WORK static double work(struct record *heap, long rounds)
{
	static struct record spare;
	double s = 0;

	for (long i = 0; i < rounds; i++) {
		for (int k = 0; k < RECORDS; k++) {
			struct record *both[] = {&table[k], &heap[k]};

			for (int n = 0; n < 2; n++) {
				change(both[n], both[n]->next ? NULL : heap, i + k);
				s += sum(both[n]);
				copy(&spare, both[n]);
				copy(both[n], &spare);
			}
		}
		s += (double)count_all(i);
	}
	return s;
}

static bool is_among(const void *const *all, int n, const void *one)
{
	for (int i = 0; i < n; i++) {
		if (all[i] == one)
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	const void *taken[WATCHED];
	unsigned long seed = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	long rounds = argc > 2 ? strtol(argv[2], NULL, 10) : 1;
	struct record *heap = calloc(RECORDS, sizeof(*heap));
	double s = 0;
	char line;

	if (!heap)
		return 1;
	for (int i = 0; i < WATCHED; i++) {
		const struct member *m;
		struct record *r;

		do {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			m = &members[(seed >> 33) % MEMBERS];
			r = (i % 2 ? heap : table) + (seed >> 50) % RECORDS;
			taken[i] = (char *)r + m->off;
		} while (is_among(taken, i, taken[i]));
		printf("0x%lx %zu %s %s\n", (unsigned long)r + m->off, m->size,
		       i % 2 ? "[heap] struct record" : "table struct record[]", m->name);
	}
	fflush(stdout);
	while (read(0, &line, 1) == 1)
		s += work(heap, rounds);
	return s < 0; /* as nobody knows */
}
