// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/cpus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "sys/procfs.h"

enum { MAX_CPU = 65535 };

static int compare_ints(const void *a, const void *b)
{
	return CMP3(*(const int *)a, *(const int *)b);
}

static void sort_distinct(struct cpus *cpus)
{
	int n = 0;

	qsort(cpus->cpu, (size_t)cpus->n, sizeof(*cpus->cpu), compare_ints);
	for (int i = 0; i < cpus->n; i++) {
		if (!n || cpus->cpu[n - 1] != cpus->cpu[i])
			cpus->cpu[n++] = cpus->cpu[i];
	}
	cpus->n = n;
}

static int add_range(struct cpus *cpus, size_t *cap, uint64_t from, uint64_t to)
{
	if (from > to || to > MAX_CPU)
		return -ERANGE;
	for (uint64_t cpu = from; cpu <= to; cpu++) {
		GROW(cpus->cpu, (size_t)cpus->n, *cap);
		cpus->cpu[cpus->n++] = (int)cpu;
	}
	return 0;
}

int cpus__parse(const char *text, struct cpus *ret)
{
	_cleanup_(cpus__done) struct cpus cpus = {0};
	uint64_t from, to;
	size_t cap = 0;

	for (;;) {
		if (!num__take_u64(&text, &from))
			return -EINVAL;
		to = from;
		if (*text == '-') {
			text++;
			if (!num__take_u64(&text, &to))
				return -EINVAL;
		}
		if (add_range(&cpus, &cap, from, to) < 0)
			return -ERANGE;
		if (*text != ',')
			break;
		text++;
	}
	if (*text && strcmp(text, "\n") != 0)
		return -EINVAL;
	sort_distinct(&cpus);
	*ret = cpus;
	cpus.cpu = NULL;
	return 0;
}

void cpus__done(struct cpus *cpus)
{
	free(cpus->cpu);
	*cpus = (struct cpus){0};
}

bool cpus__has(const struct cpus *cpus, int cpu)
{
	return bsearch(&cpu, cpus->cpu, (size_t)cpus->n, sizeof(cpu), compare_ints) != NULL;
}

int cpus_first(const char *text)
{
	_cleanup_(cpus__done) struct cpus cpus = {0};

	return text && cpus__parse(text, &cpus) == 0 && cpus.n ? cpus.cpu[0] : 0;
}

void cpus__both(const struct cpus *a, const struct cpus *b, struct cpus *ret)
{
	*ret = (struct cpus){.cpu = xcalloc((size_t)a->n + 1, sizeof(*ret->cpu))};
	for (int i = 0; i < a->n; i++) {
		if (cpus__has(b, a->cpu[i]))
			ret->cpu[ret->n++] = a->cpu[i];
	}
}

static int read_list(const char *path, struct cpus *ret)
{
	_cleanup_free_ char *text = file_read(path);

	return text ? cpus__parse(text, ret) : -errno;
}

int cpus__online(struct cpus *ret, struct err *err)
{
	int r = read_list("/sys/devices/system/cpu/online", ret);

	if (r < 0)
		return err__set(err, r,
				"can't read /sys/devices/system/cpu/online: %s; is sysfs mounted?",
				strerror(-r));
	return 0;
}

/* "0-3" */
static const char *online_text(void)
{
	static char text[64];
	_cleanup_free_ char *list = file_read("/sys/devices/system/cpu/online");

	snprintf(text, sizeof(text), "%.*s", list ? (int)strcspn(list, "\n") : 1,
		 list ? list : "?");
	return text;
}

int cpus__check(const struct cpus *asked, const struct cpus *online, struct err *err)
{
	for (int i = 0; i < asked->n; i++) {
		if (!cpus__has(online, asked->cpu[i]))
			return err__usage(err,
					  "-C: CPU %d does not exist or is offline; online: %s",
					  asked->cpu[i], online_text());
	}
	return 0;
}

int cpus_possible(void)
{
	_cleanup_(cpus__done) struct cpus cpus = {0};

	if (read_list("/sys/devices/system/cpu/possible", &cpus) < 0 || !cpus.n)
		return 1;
	return cpus.cpu[cpus.n - 1] + 1;
}

/* x86 without cpufreq: "cpu MHz		: 2499.998" of that processor. */
static uint64_t cpuinfo_hz(int cpu)
{
	_cleanup_free_ char *text = file_read("/proc/cpuinfo");
	char *line, *rest = text;
	uint64_t id, mhz, khz;
	int at = -1;

	while (rest && (line = strsep(&rest, "\n"))) {
		const char *value = strchr(line, ':');

		if (!value || !value[1])
			continue;
		value += 2;
		if (strncmp(line, "processor", 9) == 0 && num__take_u64(&value, &id))
			at = (int)id;
		if (at != cpu || strncmp(line, "cpu MHz", 7) != 0 || !num__take_u64(&value, &mhz))
			continue;
		khz = 0;
		if (*value == '.')
			num__parse_u64(value + 1, &khz);
		return mhz * 1000000 + khz * 1000;
	}
	return 0;
}

uint64_t cpu_nominal_hz(int cpu)
{
	static const char *const files[] = {"base_frequency", "cpuinfo_max_freq"};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		_cleanup_free_ char *path =
			xasprintf("/sys/devices/system/cpu/cpu%d/cpufreq/%s", cpu, files[i]);
		uint64_t khz = file_read_u64(path, 0);

		if (khz)
			return khz * 1000;
	}
	return cpuinfo_hz(cpu);
}
