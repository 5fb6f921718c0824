// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A list whose walk needs three members of each element, which lie as far apart as they can: on
 * three cache lines, and on three pages. With -DTOGETHER they lie side by side.
 *
 *	gcc -O2 -g -o apart layout.c
 *	gcc -O2 -g -DTOGETHER -o together layout.c
 *	sudo pmubpf record --data -e page-faults -c 1 -o apart.pb.gz -- ./apart
 *	pmubpf report --layout account apart.pb.gz
 *
 * Page faults need no PMU; with one, cache misses with addresses show more than first touches.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { ACCOUNTS = 8000, WALKS = 200 };

struct account {
	long id;
#ifdef TOGETHER
	long balance;
	struct account *next;
	char name[4096], history[4096], note[4096];
#else
	char name[4096];
	long balance;
	char history[4096];
	struct account *next;
	char note[4096];
#endif
};

static struct account accounts[ACCOUNTS];

/* One after the other, but not in the order of their addresses. */
static void make_list(void)
{
	for (size_t i = 0; i < ACCOUNTS; i++) {
		struct account *a = &accounts[i * 1237 % ACCOUNTS];

		a->id = (long)i + 1;
		a->balance = (long)i;
		a->next = i + 1 < ACCOUNTS ? &accounts[(i + 1) * 1237 % ACCOUNTS] : NULL;
	}
}

static long walk(void)
{
	long sum = 0;

	for (struct account *a = &accounts[0]; a; a = a->next) {
		if (a->id)
			sum += a->balance;
	}
	return sum;
}

int main(void)
{
	struct timespec from, to;
	long sum = 0;

	madvise(accounts, sizeof(accounts), MADV_NOHUGEPAGE);
	make_list();
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	for (int i = 0; i < WALKS; i++)
		sum += walk();
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	printf("sum %ld, %.1f ns an account\n", sum,
	       ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) /
		       (double)ACCOUNTS / WALKS);
	return 0;
}
