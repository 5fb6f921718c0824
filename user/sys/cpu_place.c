// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/cpu_place.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "sys/cpus.h"
#include "sys/names_in.h"
#include "sys/pmus.h"
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
	_cleanup_free_ char *folder = xasprintf("/sys/devices/system/cpu/cpu%d", cpu);
	_cleanup_(names_in__done) struct names_in nodes;
	uint64_t node = 0;

	names_in__read(&nodes, root, folder, "node");
	for (size_t i = 0; i < nodes.n; i++) {
		if (num__parse_u64(nodes.list[i] + strlen("node"), &node) == 0 && node <= INT32_MAX)
			return (int)node;
	}
	return -1;
}

/* Only PMUs of cores have a list of CPUs, and only one where there are several kinds, or on
 * arm64. */
static char *type_of(const char *root, int cpu)
{
	_cleanup_(names_in__done) struct names_in pmus;
	char *type = NULL;
	size_t n = 0;

	names_in__read(&pmus, root, PMUS_ROOT, "");
	for (size_t i = 0; i < pmus.n; i++) {
		_cleanup_free_ char *path =
			xasprintf("%s" PMUS_ROOT "/%s/cpus", root, pmus.list[i]);
		_cleanup_(cpus__done) struct cpus cpus = {0};
		_cleanup_free_ char *text = file_read_line(path);

		n += text != NULL;
		if (text && !type && cpus__parse(text, &cpus) == 0 && cpus__has(&cpus, cpu))
			type = xstrdup(pmus.list[i]);
	}
	if (n > 1)
		return type;
	free(type);
	return NULL;
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
