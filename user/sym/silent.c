// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/silent.h"

/* Its number in the list, or that of the one that is over first. */
static int find(const struct silent *s, uint64_t dev, uint64_t mnt_ns)
{
	int oldest = 0;

	for (int i = 0; i < SILENT_MAX; i++) {
		if (s->list[i].times && s->list[i].dev == dev && s->list[i].mnt_ns == mnt_ns)
			return i;
		if (s->list[i].until_ns < s->list[oldest].until_ns)
			oldest = i;
	}
	return oldest;
}

static void add(struct silent *s, uint64_t dev, uint64_t mnt_ns, uint64_t now_ns)
{
	int i = find(s, dev, mnt_ns);
	unsigned times = 1, beyond;

	if (!dev && !mnt_ns)
		return;
	if (s->list[i].times && s->list[i].dev == dev && s->list[i].mnt_ns == mnt_ns)
		times += s->list[i].times;
	beyond = times > SILENT_ALLOWED ? times - SILENT_ALLOWED : 0;
	s->list[i].dev = dev;
	s->list[i].mnt_ns = mnt_ns;
	s->list[i].times = times;
	s->list[i].until_ns = now_ns + (1 + beyond) * SILENT_PAUSE_S * 1000000000ULL;
}

void silent__add(struct silent *s, struct silent_fs where, uint64_t now_ns)
{
	add(s, where.dev, 0, now_ns);
	add(s, 0, where.mnt_ns, now_ns);
}

static bool refuses(const struct silent *s, uint64_t dev, uint64_t mnt_ns, uint64_t now_ns)
{
	int i = find(s, dev, mnt_ns);

	return (dev || mnt_ns) && s->list[i].dev == dev && s->list[i].mnt_ns == mnt_ns &&
	       s->list[i].times >= SILENT_ALLOWED && now_ns < s->list[i].until_ns;
}

bool silent__refuses(const struct silent *s, struct silent_fs where, uint64_t now_ns)
{
	return refuses(s, where.dev, 0, now_ns) || refuses(s, 0, where.mnt_ns, now_ns);
}
