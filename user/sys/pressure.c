// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/pressure.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "sys/clock.h"
#include "sys/procfs.h"

enum { LEVELS_MAX = 32 };

const char *const pressure_keys[N_PRESSURES] = {"cpu", "memory", "io"};

/* Where hierarchies that have CPU quotas or pressure are mounted: v2, and v1's cpu. */
static const char *const mounts[] = {
	"/sys/fs/cgroup",
	"/sys/fs/cgroup/unified",
	"/sys/fs/cgroup/cpu",
	"/sys/fs/cgroup/cpu,cpuacct",
};

/* ---- texts */

/* "some avg10=0.05 avg60=0.64 avg300=1.63 total=10893487", and a line that begins with full */
static uint64_t total_of(const char *text, const char *which)
{
	const char *line = text ? strstr(text, which) : NULL;
	const char *total = line ? strstr(line, "total=") : NULL;
	uint64_t us;

	if (!total)
		return 0;
	total += strlen("total=");
	return num__take_u64(&total, &us) ? us : 0;
}

/* The number behind "KEY " of a line; 0: it isn't there. */
static uint64_t keyed(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		uint64_t value;

		line += *line == '\n';
		if (strncmp(line, key, len) != 0 || line[len] != ' ')
			continue;
		line += len + 1;
		return num__take_u64(&line, &value) ? value : 0;
	}
	return 0;
}

/* Of folder, with what stands before and behind the resource's name. */
static struct pressure read_pressure(const char *folder, const char *behind)
{
	struct pressure ret = {0};

	for (int i = 0; i < N_PRESSURES; i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s%s", folder, pressure_keys[i], behind);
		_cleanup_free_ char *text = file_read(path);

		ret.known |= text != NULL;
		ret.some_us[i] = total_of(text, "some ");
		ret.full_us[i] = total_of(text, "full ");
	}
	return ret;
}

static char *text_in(const char *folder, const char *file)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", folder, file);

	return file_read(path);
}

/* v2: "50000 100000", "max 100000"; v1: two files. How many CPUs that is; 0: there is no quota. */
static double quota_of(const char *folder)
{
	_cleanup_free_ char *both = text_in(folder, "cpu.max");
	_cleanup_free_ char *quota = both ? NULL : text_in(folder, "cpu.cfs_quota_us");
	_cleanup_free_ char *period = quota ? text_in(folder, "cpu.cfs_period_us") : NULL;
	const char *first = both ? both : quota, *second = period;
	uint64_t us, each_us;

	if (!first || !num__take_u64(&first, &us))
		return 0;
	if (both)
		second = first + strspn(first, " ");
	if (!second || !num__take_u64(&second, &each_us) || !each_us)
		return 0;
	return (double)us / (double)each_us;
}

static void read_quota(struct pressure_group *g, uint64_t *periods, uint64_t *throttled,
		       uint64_t *ns)
{
	_cleanup_free_ char *text = text_in(g->folder, "cpu.stat");

	*periods = keyed(text, "nr_periods");
	*throttled = keyed(text, "nr_throttled");
	*ns = keyed(text, "throttled_time");
	if (!*ns)
		*ns = keyed(text, "throttled_usec") * 1000;
}

/* ---- whom */

static bool is_there(const struct pressures *p, const char *folder)
{
	for (size_t i = 0; i < p->n; i++) {
		if (strcmp(p->groups[i].folder, folder) == 0)
			return true;
	}
	return false;
}

/* "cpu" is another name of "cpu,cpuacct" where both are one. */
static bool is_link(const struct pressures *p, const char *mount)
{
	_cleanup_free_ char *path = xasprintf("%s%s", p->root, mount);
	char first;

	return readlink(path, &first, 1) >= 0;
}

/* asked: its pressure is wanted, too. Without that and without a quota there is nothing to say. */
static void add_folder(struct pressures *p, const char *mount, const char *path, bool asked)
{
	struct pressure_group g = {.folder = xasprintf("%s%s%s", p->root, mount, path)};

	g.cpus = quota_of(g.folder);
	if (asked)
		g.pressure = read_pressure(g.folder, ".pressure");
	g.asked = g.pressure.known;
	if ((!g.asked && !(g.cpus > 0)) || p->n >= PRESSURE_GROUPS_MAX || is_there(p, g.folder)) {
		free(g.folder);
		return;
	}
	g.path = xstrdup(path);
	g.root_len = strlen(p->root);
	read_quota(&g, &g.periods, &g.throttled, &g.throttled_ns);
	GROW(p->groups, p->n, p->cap);
	p->groups[p->n++] = g;
}

void pressures__add_cgroup(struct pressures *p, const char *cgroup)
{
	_cleanup_free_ char *path = xstrdup(cgroup);

	/* the root has no quota, and its pressure is the machine's */
	for (int level = 0; level < LEVELS_MAX && strlen(path) > 1; level++) {
		char *slash = strrchr(path, '/');

		for (size_t i = 0; i < ARRAY_SIZE(mounts); i++) {
			if (!is_link(p, mounts[i]))
				add_folder(p, mounts[i], path, level == 0);
		}
		if (!slash)
			break;
		*slash = '\0';
	}
}

/* "1:cpu,cpuacct:/docker/4f…" or "0::/user.slice" */
void pressures__add_process(struct pressures *p, pid_t pid)
{
	_cleanup_free_ char *path = pid ? xasprintf("%s/proc/%d/cgroup", p->root, pid) :
					  xasprintf("%s/proc/self/cgroup", p->root);
	_cleanup_free_ char *text = file_read(path);
	char *rest = text, *line;

	while (rest && (line = strsep(&rest, "\n"))) {
		char *list = strchr(line, ':');
		char *cgroup = list ? strchr(list + 1, ':') : NULL;

		if (!cgroup)
			continue;
		*cgroup++ = '\0';
		if (!list[1] || starts_with(list, ":cpu"))
			pressures__add_cgroup(p, cgroup);
	}
}

/* budget: how many folders may be looked at. */
static void walk(struct pressures *p, const char *mount, const char *path, int depth, int *budget)
{
	_cleanup_free_ char *folder = xasprintf("%s%s%s", p->root, mount, path);
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		_cleanup_free_ char *below = NULL;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.' || *budget <= 0)
			continue;
		(*budget)--;
		below = xasprintf("%s/%s", path, entry->d_name);
		add_folder(p, mount, below, false);
		if (depth < LEVELS_MAX)
			walk(p, mount, below, depth + 1, budget);
	}
	if (dir)
		closedir(dir);
}

/* A folder of v1's other hierarchies, or of nothing, has no such file. */
static bool has_cpu(const struct pressures *p, const char *mount)
{
	_cleanup_free_ char *v1 = xasprintf("%s%s/cpu.cfs_quota_us", p->root, mount);
	_cleanup_free_ char *v2 = xasprintf("%s%s/cgroup.controllers", p->root, mount);

	return access(v1, R_OK) == 0 || access(v2, R_OK) == 0;
}

void pressures__add_all(struct pressures *p)
{
	int budget = PRESSURE_GROUPS_MAX;

	for (size_t i = 0; i < ARRAY_SIZE(mounts); i++) {
		if (has_cpu(p, mounts[i]) && !is_link(p, mounts[i]))
			walk(p, mounts[i], "", 0, &budget);
	}
}

/* ---- before and after */

static struct pressure read_machine(const struct pressures *p)
{
	_cleanup_free_ char *folder = xasprintf("%s/proc/pressure", p->root);

	return read_pressure(folder, "");
}

void pressures__begin(struct pressures *p, const char *root)
{
	*p = (struct pressures){.root = root, .begin_ns = now_ns()};
	p->machine = read_machine(p);
}

/* A cgroup that has gone, and come again, has begun from 0. */
static uint64_t added(uint64_t before, uint64_t now)
{
	return now > before ? now - before : 0;
}

static void take_pressure(struct pressure *p, const struct pressure *now)
{
	p->known &= now->known;
	for (int i = 0; i < N_PRESSURES; i++) {
		p->some_us[i] = added(p->some_us[i], now->some_us[i]);
		p->full_us[i] = added(p->full_us[i], now->full_us[i]);
	}
}

void pressures__since(struct pressures *p)
{
	struct pressure now = read_machine(p);

	p->span_ns = now_ns() - p->begin_ns;
	take_pressure(&p->machine, &now);
	for (size_t i = 0; i < p->n; i++) {
		struct pressure_group *g = &p->groups[i];
		uint64_t periods, throttled, ns;

		read_quota(g, &periods, &throttled, &ns);
		g->periods = added(g->periods, periods);
		g->throttled = added(g->throttled, throttled);
		g->throttled_ns = added(g->throttled_ns, ns);
		if (!g->asked)
			continue;
		now = read_pressure(g->folder, ".pressure");
		take_pressure(&g->pressure, &now);
	}
}

double pressures__percent(const struct pressures *p, uint64_t us)
{
	double percent = p->span_ns ? 100 * (double)us * 1e3 / (double)p->span_ns : 0;

	return percent < 100 ? percent : 100;
}

void pressures__done(struct pressures *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->groups[i].path);
		free(p->groups[i].folder);
	}
	free(p->groups);
	*p = (struct pressures){0};
}
