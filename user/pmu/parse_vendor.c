// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The vendors' names. Their grammar uses colons, too, so that "EVENT:UMASK:u" must be cut at the
 * right one: our modifiers are the last part if it has none but their letters. A lone :e stays with
 * the library, where it means edge detection.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmu/cores.h"
#include "pmu/event_db.h"
#include "pmu/libpfm.h"
#include "pmu/parse.h"

#define DEFAULT_PERIOD 1000003
#define MISS_PERIOD 100003

bool is_vendor_style(const char *name)
{
	return strstr(name, "::") || (!strpbrk(name, "abcdefghijklmnopqrstuvwxyz") &&
				      strpbrk(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
}

static bool are_modifiers(const char *text)
{
	return *text && !text[strspn(text, MODIFIERS)] && strcmp(text, "e") != 0;
}

static int try_name(const struct parser *parser, const char *text)
{
	_cleanup_(libpfm_event__done) struct libpfm_event found = {0};

	/* libpfm speaks of this machine, not of one whose sysfs was recorded */
	return parser->pmus->recorded ? -ENOSYS : libpfm__encode(text, &found);
}

bool spec__split_vendor(struct spec *spec, const struct parser *parser)
{
	char *colon = strrchr(spec->base, ':');
	int r;

	if (!colon || spec->mods || !are_modifiers(colon + 1)) {
		r = try_name(parser, spec->base);
		return r != -ENOENT && r != -ENOSYS;
	}
	*colon = '\0';
	r = try_name(parser, spec->base);
	if (r == -EINVAL) {
		/* the letters may be a part of the name after all */
		*colon = ':';
		if (try_name(parser, spec->base) == 0)
			return true;
		*colon = '\0';
	}
	if (r == -ENOENT || r == -ENOSYS) {
		*colon = ':';
		return false;
	}
	spec->mods = xstrdup(colon + 1);
	return true;
}

static int refuse_absent(const struct libpfm_event *found, const struct spec *spec, struct err *err)
{
	_cleanup_(buf__done) struct buf here = {0};

	libpfm__present(&here);
	return err__cannot(err,
			   "event '%s': it belongs to %s (%s), which is not in this machine or not "
			   "known to its kernel; libpfm finds here: %.400s",
			   spec->shown, found->pmu, found->pmu_title, here.data);
}

static int refuse_text(const struct libpfm_event *found, const struct parser *parser,
		       const struct spec *spec)
{
	_cleanup_(nearest__done) struct nearest nearest;
	_cleanup_(buf__done) struct buf near = {0}, masks = {0};

	nearest__init(&nearest, spec->base);
	/* other events aren't what was meant by the full name of one */
	libpfm__unit_masks(spec->base, &masks);
	if (masks.len)
		return err__usage(parser->err,
				  "event '%s': libpfm knows %s of %s, but says: %s; write "
				  "%s:MASK, with one of %s",
				  spec->shown, found->name, found->pmu, found->why, spec->base,
				  masks.data);
	/* first: whoever writes as it does is offered its way of writing */
	event_db__offer(parser->db, &nearest);
	libpfm__offer(&nearest, spec->base);
	nearest__format(&nearest, &near);
	return err__usage(parser->err, "event '%s': libpfm knows %s of %s, but says: %s%s%s",
			  spec->shown, found->name, found->pmu, found->why,
			  near.len ? "; nearest: " : "", near.len ? near.data : "");
}

/* perf::CYCLES and the like: what the kernel defines, by yet another name. */
static int from_generic(struct event *event, const struct libpfm_event *found,
			const struct parser *parser, const struct spec *spec)
{
	if (found->attr.type == PERF_TYPE_TRACEPOINT)
		return err__usage(
			parser->err,
			"event '%s': tracepoints are not counters that overflow, so "
			"pmubpf can't sample them (its stat -e CATEGORY:NAME counts them)",
			spec->shown);
	if (event__from_perf_attr(event, parser, found->attr.type, found->attr.config) == 0)
		return 0;
	return err__usage(parser->err, "event '%s' never overflows, so there is nothing to record",
			  spec->shown);
}

static const struct pmu *find_type(const struct pmus *pmus, uint32_t type)
{
	for (size_t i = 0; i < pmus->n; i++) {
		if (pmus->pmus[i].type == type)
			return &pmus->pmus[i];
	}
	return NULL;
}

static void fill(struct event *event, struct libpfm_event *found, const struct parser *parser)
{
	const struct pmu *pmu = find_type(parser->pmus, found->attr.type);

	event->attr.type = found->attr.type;
	event->attr.config = found->attr.config;
	event->attr.config1 = found->attr.config1;
	event->attr.config2 = found->attr.config2;
	event->title = TAKE_PTR(found->title);
	event->counts = xstrdup("events");
	event->pmu = xstrdup(pmu ? pmu->name : "cpu");
	event->maps_to = event__format_config(event);
	event->period = strcasestr(event->title, "miss") ? MISS_PERIOD : DEFAULT_PERIOD;
	if (!pmu)
		return;
	if (pmu->cpus && pmus__are_mixed(parser->pmus))
		event->cpus = xstrdup(pmu->cpus);
	event__recognise_cycles(event, pmu);
}

int event__from_vendor(struct event *event, const struct parser *parser, struct terms *terms,
		       const struct spec *spec)
{
	_cleanup_(libpfm_event__done) struct libpfm_event found = {0};
	int r = parser->pmus->recorded ? -ENOSYS : libpfm__encode(spec->base, &found);

	(void)terms;
	if (r == -ENODEV)
		return refuse_absent(&found, spec, parser->err);
	if (r == -EINVAL)
		return refuse_text(&found, parser, spec);
	if (r < 0)
		return -ENOENT;
	if (found.attr.exclude_user || found.attr.exclude_kernel) {
		event->attr.exclude_user = found.attr.exclude_user;
		event->attr.exclude_kernel = found.attr.exclude_kernel;
		event->attr.exclude_hv = found.attr.exclude_hv;
	}
	if (found.generic && found.attr.type != PERF_TYPE_RAW)
		return from_generic(event, &found, parser, spec);
	fill(event, &found, parser);
	return 0;
}
