// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The letters behind an event. They exclude by naming what to keep: the first of u, k, h excludes
 * all three levels, and each takes its own back; G (guest) and H (host) likewise.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pmu/parse.h"

struct mods {
	bool levels; /* one of u, k, h was given */
	bool guests; /* one of G, H was given */
	bool user, kernel, hv, guest, host;
	unsigned precise;
	bool precise_max, pinned, exclusive, no_idle;
};

static void mods__add(struct mods *mods, char letter)
{
	switch (letter) {
	case 'u':
		mods->levels = mods->user = true;
		break;
	case 'k':
		mods->levels = mods->kernel = true;
		break;
	case 'h':
		mods->levels = mods->hv = true;
		break;
	case 'I':
		mods->no_idle = true;
		break;
	case 'G':
		mods->guests = mods->guest = true;
		break;
	case 'H':
		mods->guests = mods->host = true;
		break;
	case 'p':
		mods->precise++;
		break;
	case 'P':
		mods->precise_max = true;
		break;
	case 'D':
		mods->pinned = true;
		break;
	case 'e':
		mods->exclusive = true;
		break;
	}
}

static int mods__parse(struct mods *mods, const struct spec *spec, struct err *err)
{
	for (const char *p = spec->mods; p && *p; p++) {
		if (!strchr(MODIFIERS, *p))
			return err__usage(err,
					  "event '%s': '%c' is not a modifier; allowed are u k h "
					  "(user, kernel, hypervisor), I (not in the idle task), "
					  "G H (guest, host), p pp ppp "
					  "P (precise), D (pinned), e (exclusive)",
					  spec->shown, *p);
		if (*p != 'p' && strchr(p + 1, *p))
			return err__usage(err, "event '%s': modifier '%c' is given twice",
					  spec->shown, *p);
		mods__add(mods, *p);
	}
	if (mods->precise > 3)
		return err__usage(err, "event '%s': at most three p", spec->shown);
	if (mods->precise && mods->precise_max)
		return err__usage(err, "event '%s': p and P exclude each other", spec->shown);
	return 0;
}

/*
 * PMUs outside the cores refuse any exclude bit (EINVAL), so the host-only default that perf has is
 * for core events alone (guest_applies).
 */
/* Events of the scheduler: they happen in the kernel, always. */
static bool kernel_only(const struct perf_event_attr *attr)
{
	if (attr->type != PERF_TYPE_SOFTWARE)
		return false;
	return attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
	       attr->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
	       attr->config == 11; /* PERF_COUNT_SW_CGROUP_SWITCHES, since 5.13 */
}

/* What stands last in a name: "pp" of "cycles:pp", but not "w" of "mem:0x10/8:w", nor a vendor's
 * umask. */
static bool ends_in_mods(const char *colon)
{
	return colon && colon[1] && !colon[1 + strspn(colon + 1, MODIFIERS)];
}

void event__exclude_kernel(struct event *event)
{
	const char *slash = event->is_breakpoint ? NULL : strrchr(event->name, '/');
	bool joins = slash ? !slash[1 + strspn(slash + 1, MODIFIERS)] :
			     ends_in_mods(strrchr(event->name, ':'));
	char *name = xasprintf("%s%su", event->name, joins ? "" : ":");

	free(event->name);
	event->name = name;
	event->attr.exclude_kernel = event->attr.exclude_hv = 1;
}

int event__apply_mods(struct event *event, const struct spec *spec, bool guest_applies,
		      struct err *err)
{
	struct perf_event_attr *attr = &event->attr;
	struct mods mods = {0};
	int r = mods__parse(&mods, spec, err);

	if (r < 0)
		return r;
	if ((mods.precise || mods.precise_max) &&
	    (attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_BREAKPOINT ||
	     attr->type == PERF_TYPE_TRACEPOINT))
		return err__usage(err,
				  "event '%s': only events of the CPU's counters have a precise "
				  "form; leave %s out",
				  spec->shown, mods.precise ? "p" : "P");
	if (mods.levels && !mods.kernel && kernel_only(attr))
		return err__usage(
			err,
			"event '%s': it happens in the kernel, which u leaves out: nothing "
			"would ever be counted",
			spec->shown);
	if (mods.levels) {
		attr->exclude_user = !mods.user;
		attr->exclude_kernel = !mods.kernel;
		attr->exclude_hv = !mods.hv;
	}
	if (mods.guests) {
		attr->exclude_guest = !mods.guest;
		attr->exclude_host = !mods.host;
	} else {
		attr->exclude_guest = guest_applies;
	}
	attr->precise_ip = mods.precise;
	attr->exclude_idle = mods.no_idle;
	attr->pinned = mods.pinned;
	attr->exclusive = mods.exclusive;
	event->precise_max = mods.precise_max;
	return 0;
}
