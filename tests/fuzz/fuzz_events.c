// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as the text of -e, on a machine with a PMU of Intel's and one outside of the cores;
 * what follows a NUL is a file of the user's events, whose names the text may use. What is accepted
 * is whole, and what is refused has a reason.
 */
#include <stdlib.h>

#include "base/cleanup.h"
#include "fuzz.h"
#include "pmu/event_names.h"

static void add_field(struct pmu *pmu, const char *name, const char *text)
{
	GROW(pmu->fields, pmu->n_fields, pmu->cap_fields);
	if (pmu_field__parse(text, &pmu->fields[pmu->n_fields]) < 0)
		abort();
	pmu->fields[pmu->n_fields++].name = xstrdup(name);
}

static void add_event(struct pmu *pmu, const char *name, const char *text)
{
	GROW(pmu->events, pmu->n_events, pmu->cap_events);
	pmu->events[pmu->n_events++] =
		(struct pmu_event){.name = xstrdup(name), .text = xstrdup(text)};
}

static struct pmu *add_pmu(struct pmus *pmus, const char *name, uint32_t type)
{
	GROW(pmus->pmus, pmus->n, pmus->cap);
	pmus->pmus[pmus->n] = (struct pmu){.name = xstrdup(name), .type = type, .max_precise = 3};
	return &pmus->pmus[pmus->n++];
}

static const struct pmus *machine(void)
{
	static struct pmus pmus;
	struct pmu *p;

	if (pmus.n)
		return &pmus;
	pmus.recorded = true;
	p = add_pmu(&pmus, "cpu", 4);
	add_field(p, "event", "config:0-7");
	add_field(p, "umask", "config:8-15");
	add_field(p, "any", "config:21");
	add_field(p, "cmask", "config:24-31");
	add_field(p, "ldlat", "config1:0-15");
	add_field(p, "split", "config:0-7,32-35");
	add_event(p, "cpu-cycles", "event=0x3c");
	add_event(p, "mem-loads", "event=0xcd,umask=0x1,ldlat=3");
	add_event(p, "param", "event=?,umask=1");
	p = add_pmu(&pmus, "uncore_imc_0", 17);
	p->cpumask = xstrdup("0");
	add_field(p, "event", "config:0-7");
	add_event(p, "data_reads", "event=0x1");
	return &pmus;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct event_names names = {.pmus = *machine()};
	_cleanup_free_ char *text = fuzz_text(data, len);
	struct event_list list = {0};
	struct err err = {0};
	size_t n = strlen(text);

	if ((n < len && user_events__parse(&names.user, text + n + 1, "file", &err) < 0) ||
	    event_names__parse(&names, &list, text, &err) < 0) {
		if (!*err.text)
			abort();
	}
	for (size_t i = 0; i < list.n; i++) {
		const struct event *e = &list.events[i];

		if (!e->name || !e->title || !e->maps_to || !e->counts || !e->pmu)
			abort();
	}
	event_list__done(&list);
	user_events__done(&names.user);
	return 0;
}
