// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/processor.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "sys/clock.h"
#include "sys/cpus.h"
#include "sys/names_in.h"
#include "sys/pmus.h"
#include "sys/procfs.h"

#define CPUS "/sys/devices/system/cpu"

/* The file's first line; NULL: there is none. Ours. */
static char *line_of(const char *root, const char *path)
{
	_cleanup_free_ char *whole = xasprintf("%s%s", root, path);

	return file_read_line(whole);
}

/* How many a list such as "0-3,8" names; 0: there is none. */
static int listed(const char *root, const char *path)
{
	_cleanup_(cpus__done) struct cpus list = {0};
	_cleanup_free_ char *text = line_of(root, path);

	return text && cpus__parse(text, &list) == 0 ? list.n : 0;
}

static void put_number(struct buf *out, int n, const char *what)
{
	if (n)
		buf__printf(out, ", %d %s", n, what);
}

/* PMUs of cores alone have such a list; one where there are several kinds, or on arm64. */
static void put_cores(const char *root, struct buf *out)
{
	_cleanup_(names_in__done) struct names_in pmus;
	_cleanup_(buf__done) struct buf kinds = {0};
	size_t n = 0;

	names_in__read(&pmus, root, PMUS_ROOT, "");
	for (size_t i = 0; i < pmus.n; i++) {
		_cleanup_free_ char *path = xasprintf(PMUS_ROOT "/%s/cpus", pmus.list[i]);
		_cleanup_free_ char *cpus = line_of(root, path);

		if (!cpus)
			continue;
		buf__printf(&kinds, ", %s is CPUs %s", pmus.list[i], cpus);
		n++;
	}
	if (n > 1)
		buf__puts(out, kinds.data);
}

/* Each that some CPU has, once: whose is whose the labels say. */
static void put_governors(const char *root, struct buf *out)
{
	enum { GOVERNORS_MAX = 4 };
	_cleanup_(names_in__done) struct names_in cpus;
	char *names[GOVERNORS_MAX];
	size_t n = 0;

	names_in__read(&cpus, root, CPUS, "cpu");
	for (size_t i = 0; i < cpus.n && n < GOVERNORS_MAX; i++) {
		_cleanup_free_ char *path =
			xasprintf(CPUS "/%s/cpufreq/scaling_governor", cpus.list[i]);
		char *name = line_of(root, path);
		size_t j = 0;

		while (name && j < n && strcmp(names[j], name) != 0)
			j++;
		if (name && j == n)
			names[n++] = name;
		else
			free(name);
	}
	for (size_t i = 0; i < n; i++) {
		buf__printf(out, "%s %s",
			    i     ? " and" :
			    n > 1 ? ", governors" :
				    ", governor",
			    names[i]);
		free(names[i]);
	}
}

int processor_threads(const char *root)
{
	return listed(root, CPUS "/cpu0/topology/thread_siblings_list");
}

void processor_describe(const char *root, struct buf *out)
{
	int threads = processor_threads(root);
	int nodes = listed(root, "/sys/devices/system/node/online");

	put_cores(root, out);
	put_number(out, threads, threads == 1 ? "thread a core" : "threads a core");
	put_number(out, nodes, nodes == 1 ? "NUMA node" : "NUMA nodes");
	put_governors(root, out);
}

int processor_sibling(const char *root, int cpu)
{
	_cleanup_free_ char *path = xasprintf(CPUS "/cpu%d/topology/thread_siblings_list", cpu);
	_cleanup_free_ char *text = line_of(root, path);
	_cleanup_(cpus__done) struct cpus both = {0};

	if (!text || cpus__parse(text, &both) < 0 || both.n != 2 || !cpus__has(&both, cpu))
		return -1;
	return both.cpu[both.cpu[0] == cpu];
}

/* Of "cpu user nice system idle iowait irq softirq steal guest guest_nice": guests' time is users',
 * too. */
static void count_ticks(const char *root, struct processor_counts *ret)
{
	enum { STEAL = 8 };
	_cleanup_free_ char *line = line_of(root, "/proc/stat");
	char *rest = line, *word;

	for (int i = 0; rest && i <= STEAL && (word = strsep(&rest, " "));) {
		uint64_t ticks;

		if (!*word)
			continue;
		if (i && num__parse_u64(word, &ticks) == 0) {
			ret->ticks += ticks;
			ret->stolen += i == STEAL ? ticks : 0;
		}
		i++;
	}
}

/* x86 alone counts it: each thread of a core has the core's number. */
static void count_heat(const char *root, struct processor_counts *ret)
{
	_cleanup_(names_in__done) struct names_in cpus;

	names_in__read(&cpus, root, CPUS, "cpu");
	for (size_t i = 0; i < cpus.n; i++) {
		_cleanup_free_ char *path = xasprintf("%s" CPUS
						      "/%s/thermal_throttle/core_throttle_count",
						      root, cpus.list[i]);
		uint64_t times = file_read_u64(path, UINT64_MAX);

		if (times == UINT64_MAX)
			continue;
		ret->throttled += times;
		ret->knows_heat = true;
	}
}

void processor_count(const char *root, struct processor_counts *ret)
{
	*ret = (struct processor_counts){0};
	count_ticks(root, ret);
	count_heat(root, ret);
}

struct processor_loss processor_loss(const struct processor_counts *before,
				     const struct processor_counts *after)
{
	struct processor_loss loss = {.knows_heat = after->knows_heat};

	/* a CPU that goes offline takes its counts along */
	if (after->ticks > before->ticks && after->stolen > before->stolen)
		loss.stolen_percent = 100 * (double)(after->stolen - before->stolen) /
				      (double)(after->ticks - before->ticks);
	if (after->throttled > before->throttled)
		loss.throttled = after->throttled - before->throttled;
	return loss;
}

/* Of many CPUs there are many files: at most a two-hundredth of one CPU's time is for them. */
enum { LOOK_NS = 1000000000, REST = 200 };

static void look(struct processor_watch *w, const char *root, uint64_t now)
{
	struct processor_counts counts;
	struct processor_loss loss;
	uint64_t began = now_ns(), took, from = w->last_ns - w->start_ns;

	processor_count(root, &counts);
	loss = processor_loss(&w->last, &counts);
	if (loss.stolen_percent >= STOLEN_MUCH && !w->seen_stolen)
		w->stolen_from_ns = from;
	if (loss.throttled && !w->seen_throttled)
		w->throttled_from_ns = from;
	w->seen_stolen |= loss.stolen_percent >= STOLEN_MUCH;
	w->seen_throttled |= loss.throttled > 0;
	w->last = counts;
	w->last_ns = now;
	took = now_ns() - began;
	w->due_ns = now + (took * REST > LOOK_NS ? took * REST : LOOK_NS);
}

void processor_watch__begin(struct processor_watch *w, const char *root, uint64_t now)
{
	if (w->start_ns)
		return;
	*w = (struct processor_watch){.start_ns = now, .last_ns = now, .due_ns = now + LOOK_NS};
	processor_count(root, &w->first);
	w->last = w->first;
}

void processor_watch__look(struct processor_watch *w, const char *root, uint64_t now)
{
	if (w->start_ns && now >= w->due_ns)
		look(w, root, now);
}

struct processor_loss processor_watch__loss(struct processor_watch *w, const char *root,
					    uint64_t now)
{
	struct processor_loss loss;

	look(w, root, now);
	loss = processor_loss(&w->first, &w->last);
	loss.watched = true;
	loss.stolen_from_ns = w->stolen_from_ns;
	loss.throttled_from_ns = w->throttled_from_ns;
	return loss;
}

struct processor_loss processor_watch__cut(struct processor_watch *w, const char *root,
					   uint64_t now)
{
	struct processor_loss loss = processor_watch__loss(w, root, now);

	*w = (struct processor_watch){
		.first = w->last,
		.last = w->last,
		.start_ns = now,
		.last_ns = now,
		.due_ns = w->due_ns,
	};
	return loss;
}
