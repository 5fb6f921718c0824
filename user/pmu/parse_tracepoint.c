// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CATEGORY:NAME, a tracepoint of the kernel: counted by `stat`. To `record` they are refused, since
 * no overflow program attaches to one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmu/parse.h"
#include "sys/tracefs.h"

/* One or two wrong letters are a modifier gone wrong, more of them a tracepoint's name. */
bool spec__looks_like_tracepoint(const struct spec *spec)
{
	const char *colon = strchr(spec->base, ':');

	return colon && colon[1 + strspn(colon + 1, MODIFIERS)] &&
	       (strlen(colon + 1) > 2 || strpbrk(colon + 1, "*?_"));
}

bool spec__split_tracepoint(struct spec *spec, bool sure)
{
	_cleanup_free_ char *category = xstrndup(spec->base, strcspn(spec->base, ":"));
	char *second = strchr(strchr(spec->base, ':') + 1, ':');

	if (sure ? !spec__looks_like_tracepoint(spec) : !tracepoint_has_category(category))
		return false;
	spec->tracepoint = true;
	if (second) {
		spec->mods = xstrdup(second + 1);
		*second = '\0';
	}
	return true;
}

static int refuse(const struct spec *spec, const char *category, int error, struct err *err)
{
	if (error == -ENODEV)
		return err__cannot(err,
				   "event '%s': tracepoints are listed in tracefs, which is not "
				   "mounted here (mount -t tracefs none /sys/kernel/tracing)",
				   spec->shown);
	if (error == -EACCES)
		return err__cannot(err,
				   "event '%s': /sys/kernel/tracing, which lists tracepoints, can "
				   "be read by root only",
				   spec->shown);
	if (tracepoint_has_category(category))
		return err__usage(err,
				  "event '%s': there is no such tracepoint; "
				  "`ls /sys/kernel/tracing/events/%s` lists those of %s",
				  spec->shown, category, category);
	return err__usage(err,
			  "event '%s' is not known, and there is no tracepoint of that name; "
			  "`cat /sys/kernel/tracing/available_events` lists them",
			  spec->shown);
}

void event__set_tracepoint(struct event *event, uint64_t id)
{
	event->attr.type = PERF_TYPE_TRACEPOINT;
	event->attr.config = id;
	event->maps_to = xasprintf("tracepoint %llu", (unsigned long long)id);
	event->counts = xstrdup("events");
	event->pmu = xstrdup("tracepoint");
	event->period = 1;
}

int event__from_tracepoint(struct event *event, const struct spec *spec, struct err *err)
{
	const char *name = strchr(spec->base, ':') + 1;
	_cleanup_free_ char *category = xstrndup(spec->base, (size_t)(name - 1 - spec->base));
	uint64_t id;
	int r;

	if (strpbrk(spec->base, "*?[")) {
		err__usage(err,
			   "event '%s' is a pattern: name each tracepoint; "
			   "`cat /sys/kernel/tracing/available_events` lists them",
			   spec->shown);
		return -EINVAL;
	}
	r = tracepoint_id(category, name, &id);
	if (r < 0)
		return refuse(spec, category, r, err);
	event__set_tracepoint(event, id);
	event->title = xasprintf("tracepoint %s", spec->base);
	return 0;
}
