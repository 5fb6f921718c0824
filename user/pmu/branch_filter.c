// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "pmu/branch_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmu/explain.h"

/* X(word, bit of branch_sample_type), as perf's -j has them. */
#define FILTERS(FIRST, X)                            \
	FIRST("any", PERF_SAMPLE_BRANCH_ANY)         \
	X("any_call", PERF_SAMPLE_BRANCH_ANY_CALL)   \
	X("any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN)  \
	X("ind_call", PERF_SAMPLE_BRANCH_IND_CALL)   \
	X("ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP)    \
	X("call", PERF_SAMPLE_BRANCH_CALL)           \
	X("cond", PERF_SAMPLE_BRANCH_COND)           \
	X("abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX)   \
	X("in_tx", PERF_SAMPLE_BRANCH_IN_TX)         \
	X("no_tx", PERF_SAMPLE_BRANCH_NO_TX)         \
	X("no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS)   \
	X("no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES) \
	X("u", PERF_SAMPLE_BRANCH_USER)              \
	X("k", PERF_SAMPLE_BRANCH_KERNEL)            \
	X("hv", PERF_SAMPLE_BRANCH_HV)

#define FIRST_WORD(word, bit) word
#define NEXT_WORD(word, bit) ", " word
#define ENTRY(word, bit) {word, bit},

static const struct {
	const char *word;
	uint64_t bit;
} filters[] = {FILTERS(ENTRY, ENTRY)};

/* What says nothing of which branches they are. */
#define QUALIFIERS (PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES)

static uint64_t bit_of(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		if (strcmp(filters[i].word, word) == 0)
			return filters[i].bit;
	}
	return 0;
}

int branch_filter__parse(const char *text, uint64_t *ret, struct err *err)
{
	_cleanup_free_ char *copy = xstrdup(text);
	char *rest = copy, *word;
	uint64_t filter = 0;

	while ((word = strsep(&rest, ","))) {
		uint64_t bit = bit_of(word);

		if (!bit)
			return err__usage(err,
					  "-j '%s': it is one of " FILTERS(FIRST_WORD, NEXT_WORD),
					  word);
		filter |= bit;
	}
	if (!(filter & ~(uint64_t)(PERF_SAMPLE_BRANCH_PLM_ALL | QUALIFIERS)))
		filter |= PERF_SAMPLE_BRANCH_ANY;
	if (!(filter & PERF_SAMPLE_BRANCH_PLM_ALL))
		filter |= PERF_SAMPLE_BRANCH_USER;
	*ret = filter;
	return 0;
}

void branch_filter__put(uint64_t filter, struct buf *out)
{
	const char *between = "";

	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		if (!(filter & filters[i].bit))
			continue;
		buf__printf(out, "%s%s", between, filters[i].word);
		between = ",";
	}
}

bool branch_filter__is_whole(uint64_t filter)
{
	return filter & PERF_SAMPLE_BRANCH_ANY &&
	       !(filter & (PERF_SAMPLE_BRANCH_ABORT_TX | PERF_SAMPLE_BRANCH_IN_TX |
			   PERF_SAMPLE_BRANCH_NO_TX));
}

bool event__takes_branches(const struct event *event)
{
	return event->mode == EVENT_OVERFLOWS && !event->is_breakpoint &&
	       event->attr.type != PERF_TYPE_SOFTWARE && event->attr.type != PERF_TYPE_TRACEPOINT;
}

void event_attr__want_branches(struct perf_event_attr *attr, uint64_t filter)
{
	attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr->branch_sample_type = filter;
}

/* Of this process, or of a CPU if its PMU has nothing for processes. */
static int try(const struct event *event, uint64_t filter)
{
	struct perf_event_attr attr = event->attr;
	int fd;

	attr.size = sizeof(attr);
	attr.disabled = 1;
	if (!attr.sample_period)
		attr.sample_period = event->period ? event->period : 1;
	if (filter)
		event_attr__want_branches(&attr, filter);
	fd = attr__try_open(&attr, 0, -1, -1);
	if (fd < 0)
		fd = attr__try_open(&attr, -1, 0, -1);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* What can't be had without branch records either, opening it explains. */
static int check(const struct event *event, uint64_t filter, struct err *err)
{
	const uint64_t plain = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	_cleanup_(buf__done) struct buf words = {0};

	if (try(event, filter) >= 0 || try(event, 0) < 0)
		return 0;
	branch_filter__put(filter, &words);
	if (filter != plain && try(event, plain) >= 0)
		return err__cannot(
			err,
			"event '%s': PMU %s records branches here, but not by the filter "
			"%s; -b takes all of user code",
			event->name, event->pmu, words.data);
	return err__cannot(
		err,
		"event '%s': PMU %s records no branches here: it takes a CPU with LBR, "
		"BRBE or LbrExtV2, a kernel that knows it, and in a VM a host that passes "
		"it on; without -b and -j it can be recorded, and `pmubpf annotate "
		"--branches' counts the jumps of one function by probes",
		event->name, event->pmu);
}

int event_list__check_branches(const struct event_list *list, uint64_t filter, struct err *err)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		int r = event__takes_branches(&list->events[i]) ?
				check(&list->events[i], filter, err) :
				0;

		if (r < 0)
			return r;
		n += event__takes_branches(&list->events[i]);
	}
	if (n)
		return 0;
	return err__cannot(
		err,
		"-b, -j: branch records come with overflows of the CPU's own counters "
		"(-e cycles), and '%s' is no such event; where this machine has none, it "
		"has no branch records, and `pmubpf annotate --branches' counts the jumps "
		"of one function by probes",
		list->n ? list->events[0].name : "none");
}
