// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/held_up.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "render/escape.h"

void held_up__begin(struct held_up *held, const struct target *whom)
{
	struct pressures *p = &held->pressures;

	pressures__begin(p, "");
	for (size_t i = 0; i < whom->n_pids; i++)
		pressures__add_process(p, whom->pids[i]);
	for (size_t i = 0; i < whom->n_tids; i++)
		pressures__add_process(p, whom->tids[i]);
	for (size_t i = 0; i < whom->n_cgroups; i++)
		pressures__add_cgroup(p, cgroup__path(&whom->cgroups[i]));
	if (target__is_command(whom))
		pressures__add_process(p, 0); /* it begins in ours */
	held->named = whom->n_pids || whom->n_tids || whom->n_cgroups || target__is_command(whom);
	held->whole = !held->named && !whom->n_containers;
	if (!held->named)
		pressures__add_all(p);
}

void held_up__end(struct held_up *held)
{
	pressures__since(&held->pressures);
}

static void add_line(struct prof *prof, struct buf *line)
{
	prof__comment(prof, line->data);
	buf__clear(line);
}

static void add_pressure(const struct pressures *p, const struct pressure *of, const char *whose,
			 struct prof *prof)
{
	_cleanup_(buf__done) struct buf line = {0};

	if (!of->known)
		return;
	buf__puts(&line, "pressure:");
	for (int i = 0; i < N_PRESSURES; i++)
		buf__printf(&line, " %s %.2f %.2f,", pressure_keys[i],
			    pressures__percent(p, of->some_us[i]),
			    pressures__percent(p, of->full_us[i]));
	buf__puts(&line, " of ");
	escape_name(&line, whose);
	add_line(prof, &line);
}

static bool is_within(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	return strncmp(path, folder, len) == 0 && (!path[len] || path[len] == '/');
}

/* Of all that have a quota those count whose samples there are. */
static bool concerns(const struct held_up *held, const struct pressure_group *g,
		     const struct cgroups *cgroups)
{
	struct cgroup_info info;
	uint64_t id = 0;

	if (held->named || held->whole)
		return true;
	while (cgroups && cgroups__next(cgroups, &id, &info)) {
		if (info.path && is_within(info.path, g->path))
			return true;
	}
	return false;
}

/* The most held back that wasn't said yet; NULL: none. */
static const struct pressure_group *next_held_back(const struct held_up *held,
						   const struct cgroups *cgroups,
						   const struct pressure_group *before)
{
	const struct pressures *p = &held->pressures;
	const struct pressure_group *best = NULL;

	for (size_t i = 0; i < p->n; i++) {
		const struct pressure_group *g = &p->groups[i];

		if (!g->throttled || !concerns(held, g, cgroups))
			continue;
		if (before && (g->throttled_ns > before->throttled_ns ||
			       (g->throttled_ns == before->throttled_ns && g <= before)))
			continue;
		if (!best || g->throttled_ns > best->throttled_ns)
			best = g;
	}
	return best;
}

void held_up__remarks(const struct held_up *held, const struct cgroups *cgroups, struct prof *prof)
{
	enum { MOST = 3 };
	const struct pressures *p = &held->pressures;
	const struct pressure_group *g = NULL;
	_cleanup_(buf__done) struct buf line = {0};

	add_pressure(p, &p->machine, "the machine", prof);
	for (size_t i = 0; i < p->n; i++) {
		if (p->groups[i].asked)
			add_pressure(p, &p->groups[i].pressure,
				     p->groups[i].folder + p->groups[i].root_len, prof);
	}
	for (int i = 0; i < MOST && (g = next_held_back(held, cgroups, g)); i++) {
		buf__printf(&line,
			    "quota: %" PRIu64 " of %" PRIu64 " periods, %.3f s, %.2f CPUs, of ",
			    g->throttled, g->periods, (double)g->throttled_ns / 1e9, g->cpus);
		escape_name(&line, g->folder + g->root_len);
		add_line(prof, &line);
	}
}

void held_up__done(struct held_up *held)
{
	pressures__done(&held->pressures);
}
