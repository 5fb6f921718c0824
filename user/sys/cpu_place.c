// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/cpu_place.h"

#include <glob.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "sys/cpus.h"
#include "sys/procfs.h"

/* UINT64_MAX: not said. */
static uint64_t topology(const char *root, int cpu, const char *what)
{
	_cleanup_free_ char *path =
		xasprintf("%s/sys/devices/system/cpu/cpu%d/topology/%s", root, cpu, what);

	return file_read_u64(path, UINT64_MAX);
}

static char *core_of(const char *root, int cpu)
{
	uint64_t package = topology(root, cpu, "physical_package_id");
	uint64_t core = topology(root, cpu, "core_id");

	/* what is not known is -1 in these files, which is no number here */
	if (package == UINT64_MAX || core == UINT64_MAX)
		return NULL;
	return xasprintf("core %llu:%llu", (unsigned long long)package, (unsigned long long)core);
}

static int node_of(const char *root, int cpu)
{
	_cleanup_free_ char *pattern =
		xasprintf("%s/sys/devices/system/cpu/cpu%d/node[0-9]*", root, cpu);
	glob_t found = {0};
	uint64_t node = 0;
	int ret = -1;

	if (glob(pattern, 0, NULL, &found) == 0 &&
	    num__parse_u64(strrchr(found.gl_pathv[0], '/') + strlen("/node"), &node) == 0 &&
	    node <= INT32_MAX)
		ret = (int)node;
	globfree(&found);
	return ret;
}

/* PATH/cpus: the last folder's name. */
static char *pmu_of(const char *path)
{
	const char *end = strrchr(path, '/'), *name = end;

	while (name > path && name[-1] != '/')
		name--;
	return xstrndup(name, (size_t)(end - name));
}

static bool lists(const char *path, int cpu)
{
	_cleanup_(cpus__done) struct cpus cpus = {0};
	_cleanup_free_ char *text = file_read_line(path);

	return text && cpus__parse(text, &cpus) == 0 && cpus__has(&cpus, cpu);
}

/* Only PMUs of cores have such a list, and only one where there are several kinds, or on arm64. */
static char *type_of(const char *root, int cpu)
{
	_cleanup_free_ char *pattern = xasprintf("%s/sys/bus/event_source/devices/*/cpus", root);
	glob_t found = {0};
	char *type = NULL;

	if (glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc > 1) {
		for (size_t i = 0; i < found.gl_pathc && !type; i++) {
			if (lists(found.gl_pathv[i], cpu))
				type = pmu_of(found.gl_pathv[i]);
		}
	}
	globfree(&found);
	return type;
}

static char *governor_of(const char *root, int cpu)
{
	_cleanup_free_ char *path =
		xasprintf("%s/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", root, cpu);

	return file_read_line(path);
}

void cpu_place__read(struct cpu_place *ret, const char *root, int cpu)
{
	*ret = (struct cpu_place){
		.core = core_of(root, cpu),
		.type = type_of(root, cpu),
		.node = node_of(root, cpu),
		.governor = governor_of(root, cpu),
	};
}

void cpu_place__done(struct cpu_place *place)
{
	free(place->core);
	free(place->type);
	free(place->governor);
	*place = (struct cpu_place){.node = -1};
}
