// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/lane.h"

#include "sys/clock.h"

/* A 100 MB binary takes a second or two; a hostile one may take all of it, once. */
static const uint64_t LARGE_NS = 10ULL * 1000 * 1000 * 1000;
/* 16 MiB take a tenth of a second; from a slow server anything does, and all others would wait. */
static const uint64_t SMALL_NS = 250ULL * 1000 * 1000;

static bool takes_all(const struct lane *l)
{
	return l->most == UINT64_MAX;
}

void lane__init(struct lane *l, int (*child)(int sock), uint64_t most)
{
	*l = (struct lane){.client = table_client__new(child), .most = most};
}

void lane__done(struct lane *l)
{
	l->client = table_client__free(l->client);
}

static int start(struct lane *l, uint32_t number, int fd, const struct table_wanted *wanted)
{
	uint64_t now = now_ns();
	uint64_t patience = takes_all(l) ? LARGE_NS : SMALL_NS;
	int r = table_client__start(l->client, fd, wanted, now + patience);

	if (r < 0)
		return r;
	l->used = true;
	l->since = now;
	l->building = number;
	l->describes = number == LANE_DESCRIBES;
	return 0;
}

int lane__start(struct lane *l, uint32_t number, int fd, uint64_t from, uint64_t to)
{
	return start(l, number, fd, &(struct table_wanted){from, to, l->most});
}

int lane__describe(struct lane *l, int fd)
{
	return start(l, LANE_DESCRIBES, fd, &(struct table_wanted){.most = UINT64_MAX});
}

/* A file that was not closed yet may be what it was stuck at: then a new one is asked. */
static bool asks_again(struct lane *l, enum table_status status)
{
	bool again = status == TABLE_HELPER && table_client__was_stuck(l->client) &&
		     table_client__was_used(l->client) && l->asked_twice != l->building;

	l->asked_twice = again ? l->building : 0;
	return again;
}

bool lane__finish(struct lane *l, uint64_t now, struct lane_answer *ret)
{
	*ret = (struct lane_answer){.number = l->building,
				    .swept = l->swept,
				    .describes = l->describes,
				    .fd = -1};
	if (!l->building)
		return false;
	ret->status = table_client__finish(l->client, now, &ret->fd);
	if (ret->status == TABLE_PENDING)
		return false;
	ret->took_ns = now - l->since;
	ret->again = asks_again(l, ret->status);
	ret->late = ret->status == TABLE_HELPER && !takes_all(l) &&
		    table_client__was_late(l->client);
	if (ret->late)
		ret->status = TABLE_LARGE;
	l->swept = false;
	l->building = 0;
	return true;
}

void lane__swept(struct lane *l, uint32_t number)
{
	l->swept |= l->building == number;
}

uint64_t lanes__cpu_ns(const struct lane *lanes, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += table_client__cpu_ns(lanes[i].client);
	return sum;
}

uint64_t lanes__rss_bytes(const struct lane *lanes, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += table_client__rss_bytes(lanes[i].client);
	return sum;
}
