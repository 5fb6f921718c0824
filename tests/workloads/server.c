// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * server [N=1000] [LONGER_MS=20] [EVERY=200] [WORSE=none]: an event loop that handles N requests,
 * each a timer's expiration.
 *
 * Known answer: a request is 5 ms of CPU time: parse 2, lookup 2, render 1. Of each EVERY one
 * refills the cache besides, 25 ms, and another one rotates the log, 25 ms: 1 % of the requests,
 * and 2.4 % of the time each. With an EVERY of 0 none does. From request number WORSE on parse
 * takes 3 ms. It measures itself: how many requests there were, how many took LONGER_MS and
 * how many were within a tenth below, by the clock on the wall; and for all of them and for those
 * that took as long, the CPU time in all, in refill_cache and in rotate_log, in us. And the CPU
 * time before it waits for the first one, of which 100 ms are in configure:
 *
 *	before 100000
 *	requests 1000 longer 10 nearly 0
 *	all 5300000 125000 125000
 *	longer 340000 125000 125000
 */
#include <inttypes.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "spin.h"

enum { MS = 1000 * 1000 };

static int every = 200, worse = -1;

SPINS(configure)
SPINS(parse)
SPINS(lookup)
SPINS(render)
SPINS(refill_cache)
SPINS(rotate_log)

static struct sums {
	uint64_t all, refill, rotate;
} total, slow;

WORK static void handle(int request, struct sums *took)
{
	uint64_t before = thread_cpu_ns();

	parse((worse >= 0 && request >= worse ? 3 : 2) * MS);
	lookup(2 * MS);
	if (every && request % every == every / 4) {
		refill_cache(25 * MS);
		took->refill = 25 * MS;
	} else if (every && request % every == 3 * every / 4) {
		rotate_log(25 * MS);
		took->rotate = 25 * MS;
	}
	render(MS);
	took->all = thread_cpu_ns() - before;
}

static void add(struct sums *to, const struct sums *took)
{
	to->all += took->all;
	to->refill += took->refill;
	to->rotate += took->rotate;
}

static void print(const char *what, const struct sums *sums)
{
	printf("%s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", what, sums->all / 1000,
	       sums->refill / 1000, sums->rotate / 1000);
}

int main(int argc, char **argv)
{
	int requests = (int)arg_num(argc, argv, 1, 1000), longer = 0, nearly = 0;
	uint64_t longer_ns = (uint64_t)(arg_num(argc, argv, 2, 20) * MS);
	int poll = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
	struct epoll_event event = {.events = EPOLLIN};
	const struct itimerspec each_ms = {{0, MS}, {0, MS}};

	every = (int)arg_num(argc, argv, 3, every);
	worse = (int)arg_num(argc, argv, 4, worse);
	timerfd_settime(timer, 0, &each_ms, NULL);
	epoll_ctl(poll, EPOLL_CTL_ADD, timer, &event);
	configure(100 * MS);
	printf("before %" PRIu64 "\n", thread_cpu_ns() / 1000);
	for (int i = 0; i < requests; i++) {
		struct sums took = {0};
		uint64_t expired, start, wall;

		epoll_wait(poll, &event, 1, -1);
		start = clock_ns(CLOCK_MONOTONIC);
		if (read(timer, &expired, sizeof(expired)) != sizeof(expired))
			return 1;
		handle(i, &took);
		add(&total, &took);
		wall = clock_ns(CLOCK_MONOTONIC) - start;
		if (wall >= longer_ns)
			add(&slow, &took);
		longer += wall >= longer_ns;
		nearly += wall < longer_ns && wall >= longer_ns / 10 * 9;
	}
	printf("requests %d longer %d nearly %d\n", requests, longer, nearly);
	print("all", &total);
	print("longer", &slow);
	return 0;
}
