// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static bool same_cgroup(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

size_t counts__row(struct counts *c, const char *cgroup, int cpu, pid_t tid)
{
	for (size_t i = c->n_rows; i > 0; i--) {
		const struct counts_row *row = &c->rows[i - 1];

		if (row->cpu == cpu && row->tid == tid && same_cgroup(row->cgroup, cgroup))
			return i - 1;
	}
	GROW(c->rows, c->n_rows, c->cap_rows);
	c->rows[c->n_rows] = (struct counts_row){.cgroup = cgroup, .cpu = cpu, .tid = tid};
	return c->n_rows++;
}

void counts__lay(struct counts *c, size_t n_events)
{
	c->n_events = n_events;
	c->cells = xcalloc(c->n_rows * n_events, sizeof(*c->cells));
	c->placed = xcalloc(c->n_rows * n_events, sizeof(*c->placed));
}

void counts__add(struct counts *c, const struct counts *more)
{
	for (size_t i = 0; i < c->n_rows * c->n_events; i++) {
		c->cells[i].value += more->cells[i].value;
		c->cells[i].enabled_ns += more->cells[i].enabled_ns;
		c->cells[i].running_ns += more->cells[i].running_ns;
		c->placed[i] |= more->placed[i];
	}
	c->to_ns += more->to_ns - more->from_ns;
}

struct counts counts__copy(const struct counts *c)
{
	struct counts copy = *c;
	size_t n = c->n_rows * c->n_events;

	copy.rows = xmemdup(c->rows, c->n_rows * sizeof(*c->rows));
	copy.cap_rows = c->n_rows;
	copy.cells = xmemdup(c->cells, n * sizeof(*c->cells));
	copy.placed = xmemdup(c->placed, n * sizeof(*c->placed));
	return copy;
}

void counts__done(struct counts *c)
{
	free(c->rows);
	free(c->cells);
	free(c->placed);
	*c = (struct counts){0};
}
