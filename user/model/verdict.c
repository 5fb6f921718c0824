// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/verdict.h"

#include <math.h>

#define KEY(id, key, words) key,
#define WORDS(id, key, words) words,
const char *const bound_keys[N_BOUNDS] = {BOUNDS(KEY)};
const char *const bound_words[N_BOUNDS] = {BOUNDS(WORDS)};
#undef KEY
#undef WORDS

/* As many more fit into the same time if each takes so many percent of it less. */
static double gain(double percent)
{
	return percent < 100 ? 100 * percent / (100 - percent) : INFINITY;
}

/* Blocked is blocked by I/O if half of it is, else by the GPU if that was at work for half of the
 * time that may explain it. */
static enum bound bound_of(const struct verdict *v)
{
	double most = fmax(fmax(v->cpu, v->off), fmax(v->quota, v->queue));

	if (v->quota == most)
		return BOUND_QUOTA;
	if (v->queue == most)
		return BOUND_RUN_QUEUE;
	if (v->cpu == most)
		return BOUND_CPU;
	if (2 * v->io >= v->off)
		return BOUND_IO;
	return v->gpu >= 50 ? BOUND_DEVICE : BOUND_BLOCKED;
}

struct verdict verdict_of(const struct verdict_times *t)
{
	uint64_t whole = t->cpu + t->wait + t->off;
	/* more threads, or CPUs, than units may have been held */
	uint64_t held = t->throttled < t->wait ? t->throttled : t->wait;
	double percent = whole ? 100 / (double)whole : 0;
	struct verdict v = {
		.cpu = percent * (double)t->cpu,
		.quota = percent * (double)held,
		.queue = percent * (double)(t->wait - held),
		.off = percent * (double)t->off,
		.io = percent * (double)t->io,
		.gpu = t->span ? 100 * (double)t->gpu / (double)t->span : 0,
		.at_a_time = t->span ? (double)t->duration / (double)t->span : 0,
	};

	if (!whole)
		return v;
	v.bound = bound_of(&v);
	v.gain_quota = gain(v.quota);
	v.gain_cpu = gain(v.quota + v.queue);
	return v;
}
