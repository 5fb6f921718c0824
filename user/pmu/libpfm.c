// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The one hard thing: the library encodes events of PMUs that aren't here, too (we ask it to, for
 * skx::… deserves a better answer than "unknown"), so each is looked up before it is believed.
 */
#include "pmu/libpfm.h"

#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/library.h"
#include "base/mem.h"

#include <perfmon/pfmlib_perf_event.h>

enum { MASKS_SHOWN = 16 };

#define FUNCTIONS(X)                 \
	X(pfm_initialize)            \
	X(pfm_strerror)              \
	X(pfm_get_os_event_encoding) \
	X(pfm_find_event)            \
	X(pfm_get_event_info)        \
	X(pfm_get_event_next)        \
	X(pfm_get_event_attr_info)   \
	X(pfm_get_pmu_info)

static struct {
	bool tried;
	bool loaded;
#define X(name) typeof(name) *name;
	FUNCTIONS(X)
#undef X
} lib;

static const struct library_function functions[] = {
#define X(name) {#name, &lib.name},
	FUNCTIONS(X)
#undef X
};

/* Its settings come from the environment; ours must not reach the COMMAND that is profiled. */
static bool initialize(void)
{
	static const char setting[] = "LIBPFM_ENCODE_INACTIVE";
	bool given = getenv(setting) != NULL;
	int r;

	setenv(setting, "1", 0);
	r = lib.pfm_initialize();
	if (!given)
		unsetenv(setting);
	return r == PFM_SUCCESS;
}

static bool load(void)
{
	if (lib.tried)
		return lib.loaded;
	lib.tried = true;
	lib.loaded = library_load("libpfm.so.4", functions, ARRAY_SIZE(functions)) && initialize();
	return lib.loaded;
}

bool libpfm__available(void)
{
	return load();
}

static bool get_pmu(pfm_pmu_t id, pfm_pmu_info_t *ret)
{
	*ret = (pfm_pmu_info_t){.size = sizeof(*ret)};
	return lib.pfm_get_pmu_info(id, ret) == PFM_SUCCESS;
}

static bool get_event(int idx, pfm_event_info_t *ret)
{
	*ret = (pfm_event_info_t){.size = sizeof(*ret)};
	return lib.pfm_get_event_info(idx, PFM_OS_PERF_EVENT, ret) == PFM_SUCCESS;
}

static bool get_umask(const pfm_event_info_t *event, int i, pfm_event_attr_info_t *ret)
{
	*ret = (pfm_event_attr_info_t){.size = sizeof(*ret)};
	return lib.pfm_get_event_attr_info(event->idx, i, PFM_OS_PERF_EVENT, ret) == PFM_SUCCESS &&
	       ret->type == PFM_ATTR_UMASK;
}

/* Where the event's own name begins in "skx::MEM_LOAD_RETIRED:L1_MISS". */
static const char *skip_pmu(const char *text)
{
	const char *colons = strstr(text, "::");

	return colons ? colons + 2 : text;
}

/* By its name alone, whatever follows it; negative if the library doesn't know it. */
static int find_event(const char *text)
{
	size_t len = (size_t)(skip_pmu(text) - text) + strcspn(skip_pmu(text), ":.");
	_cleanup_free_ char *name = xstrndup(text, len);

	return lib.pfm_find_event(name);
}

/* Whether the fully spelled event has this umask: "skx::EVENT:UMASK:e=0:…". */
static bool names_umask(const char *full, const char *umask)
{
	size_t len = strlen(umask);

	for (const char *p = skip_pmu(full); (p = strchr(p, ':')); p++) {
		if (strncmp(p + 1, umask, len) == 0 && (p[1 + len] == ':' || !p[1 + len]))
			return true;
	}
	return false;
}

static char *make_title(const pfm_event_info_t *info, const char *full)
{
	_cleanup_(buf__done) struct buf out = {0};
	pfm_event_attr_info_t umask;

	buf__puts(&out, info->desc ? info->desc : info->name);
	for (int i = 0; full && i < info->nattrs; i++) {
		if (get_umask(info, i, &umask) && names_umask(full, umask.name) && umask.desc)
			buf__printf(&out, ": %s", umask.desc);
	}
	return buf__take(&out);
}

/* The library may know a longer or shorter perf_event_attr than we do. */
union attr_room {
	struct perf_event_attr attr;
	char room[512];
};

static int encode(const char *text, struct perf_event_attr *ret, char **ret_full)
{
	union attr_room room = {.attr = {.size = sizeof(room.attr)}};
	pfm_perf_encode_arg_t arg = {.attr = &room.attr, .fstr = ret_full, .size = sizeof(arg)};
	int r = lib.pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3 | PFM_PLMH,
					      PFM_OS_PERF_EVENT, &arg);

	if (r != PFM_SUCCESS)
		return r;
	*ret = (struct perf_event_attr){
		.size = sizeof(*ret),
		.type = room.attr.type,
		.config = room.attr.config,
		.config1 = room.attr.config1,
		.config2 = room.attr.config2,
		.exclude_user = room.attr.exclude_user,
		.exclude_kernel = room.attr.exclude_kernel,
		.exclude_hv = room.attr.exclude_hv,
	};
	return 0;
}

int libpfm__encode(const char *text, struct libpfm_event *ret)
{
	_cleanup_free_ char *full = NULL;
	pfm_event_info_t event;
	pfm_pmu_info_t pmu;
	int r;

	*ret = (struct libpfm_event){0};
	if (!load())
		return -ENOSYS;
	if (!get_event(find_event(text), &event) || !get_pmu(event.pmu, &pmu))
		return -ENOENT;
	r = encode(text, &ret->attr, &full);
	ret->name = xstrdup(event.name);
	ret->pmu = xstrdup(pmu.name);
	ret->pmu_title = xstrdup(pmu.desc);
	ret->title = make_title(&event, full);
	ret->generic = pmu.type == PFM_PMU_TYPE_OS_GENERIC;
	if (!pmu.is_present || r == PFM_ERR_NOTSUPP)
		return -ENODEV;
	if (r == 0)
		return 0;
	ret->why = xstrdup(lib.pfm_strerror(r));
	return -EINVAL;
}

void libpfm_event__done(struct libpfm_event *event)
{
	free(event->name);
	free(event->pmu);
	free(event->pmu_title);
	free(event->title);
	free(event->why);
	*event = (struct libpfm_event){0};
}

void libpfm__present(struct buf *out)
{
	pfm_pmu_info_t pmu;

	for (int i = 0; load() && i < PFM_PMU_MAX; i++) {
		if (get_pmu((pfm_pmu_t)i, &pmu) && pmu.is_present &&
		    pmu.type != PFM_PMU_TYPE_OS_GENERIC)
			buf__printf(out, "%s%s", out->len ? ", " : "", pmu.name);
	}
	if (!out->len)
		buf__puts(out, "the kernel's own events only, none of this CPU's");
}

void libpfm__unit_masks(const char *text, struct buf *out)
{
	pfm_event_attr_info_t umask;
	pfm_event_info_t event;
	int shown = 0;

	if (strpbrk(skip_pmu(text), ":.") || !load() || !get_event(find_event(text), &event))
		return;
	for (int i = 0; i < event.nattrs; i++) {
		if (!get_umask(&event, i, &umask))
			continue;
		if (shown == MASKS_SHOWN) {
			buf__puts(out, " …");
			return;
		}
		buf__printf(out, "%s%s", shown++ ? ", " : "", umask.name);
	}
}

static void offer_event(struct nearest *nearest, const pfm_event_info_t *event, const char *prefix)
{
	_cleanup_free_ char *name = xasprintf("%s%s", prefix, event->name);
	pfm_event_attr_info_t umask;

	nearest__offer(nearest, name, NULL);
	for (int i = 0; i < event->nattrs; i++) {
		_cleanup_free_ char *full = NULL;

		if (!get_umask(event, i, &umask))
			continue;
		full = xasprintf("%s:%s", name, umask.name);
		nearest__offer(nearest, full, NULL);
	}
}

void libpfm__offer(struct nearest *nearest, const char *wanted)
{
	size_t len = (size_t)(skip_pmu(wanted) - wanted);
	_cleanup_free_ char *prefix = xstrndup(wanted, len);
	pfm_event_info_t event;
	pfm_pmu_info_t pmu;

	for (int i = 0; load() && i < PFM_PMU_MAX; i++) {
		if (!get_pmu((pfm_pmu_t)i, &pmu))
			continue;
		if (len ? strncmp(pmu.name, prefix, len - 2) != 0 || pmu.name[len - 2] :
			  !pmu.is_present)
			continue;
		for (int k = pmu.first_event; k >= 0; k = lib.pfm_get_event_next(k)) {
			if (get_event(k, &event))
				offer_event(nearest, &event, prefix);
		}
	}
}
