// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as a pprof profile, gzip'd or not. What is accepted can be walked to the end, and is
 * the same after it was written and read again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "fuzz.h"
#include "model/type_layout.h"
#include "prof/layout_use.h"
#include "prof/layouts.h"
#include "prof/pprof_read.h"
#include "prof/regions.h"
#include "render/pprof.h"

enum { MAX_BYTES = 4 * 1024 * 1024 };

static struct prof *read_bytes(const uint8_t *data, size_t len)
{
	const struct pprof_limits limits = {MAX_BYTES};
	int fd = memfd_create("profile", MFD_CLOEXEC);
	struct prof *p = NULL;
	struct err err = {0};

	if (fd < 0 || pwrite(fd, data, len, 0) != (ssize_t)len)
		abort();
	if (pprof__read(&p, fd, "it", &limits, &err) < 0 &&
	    (p || !*err.text || strchr(err.text, '\n')))
		abort(); /* no reason, or more than one line */
	close(fd);
	return p;
}

static void write_bytes(const struct prof *p, char **ret, size_t *ret_len)
{
	FILE *file = open_memstream(ret, ret_len);

	if (!file || pprof__write(file, p) < 0 || fclose(file) == EOF)
		abort();
}

/* Every number that is in it is one of a thing. */
static void check(const struct prof *p)
{
	struct prof_event *events;
	size_t n = prof__events(p, &events);

	prof_events__free(events, n);
	for (size_t i = 0; i < p->n_samples; i++) {
		const struct prof_label *labels;
		const uint32_t *stack;
		size_t depth = prof__stack_locations(p, p->samples[i].stack, &stack);

		prof__label_set(p, p->samples[i].labels, &labels);
		prof__label(p, p->samples[i].labels, "pid");
		for (size_t k = 0; k < depth; k++) {
			const struct prof_location *l = &p->locations[stack[k]];

			if (!stack[k] || stack[k] >= p->n_locations ||
			    l->mapping >= p->n_mappings || l->first_line + l->n_lines > p->n_lines)
				abort();
			prof__kind(p, stack[k]);
		}
	}
}

/* How types lie is somebody's text, too. */
static void look_at_layouts(const struct prof *p)
{
	struct saved_layout *list;
	size_t n = prof__layouts(p, &list);

	for (size_t i = 0; i < n; i++) {
		struct layout_hole *holes;
		struct type_layout layout;
		struct layout_use use;

		if (!type_layout__parse(&layout, list[i].text, strlen(list[i].text)))
			continue;
		layout_use__count(&use, &layout, p, list[i].id, 0);
		if (use.hot.bytes > layout.size)
			abort();
		for (size_t k = layout_holes(&layout, &holes); k-- > 0;) {
			if (!holes[k].size || holes[k].from + holes[k].size > layout.size)
				abort();
		}
		free(holes);
		layout_use__done(&use);
		type_layout__done(&layout);
	}
	saved_layouts__free(list, n);
}

/* So are addresses, segments and sites. */
static void look_at_regions(const struct prof *p)
{
	struct regions regions;
	struct region_row *rows;
	struct regions_use use;
	uint64_t pages = 0;
	size_t n;

	regions__find(&regions, p);
	regions__count(&regions, p, 0, false, &use);
	n = regions__rows(&regions, &use, 2, &rows);
	for (size_t i = 0; i < n; i++) {
		pages += rows[i].region->pages;
		if (rows[i].use.samples > use.sum.samples || rows[i].low > rows[i].high)
			abort();
	}
	if (n && (n != regions.n || pages != regions.pages))
		abort();
	free(rows);
	free(use.list);
	regions__done(&regions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_free_ char *first = NULL, *second = NULL;
	size_t n_first, n_second;
	struct prof *p = read_bytes(data, len), *again;

	if (!p)
		return 0;
	check(p);
	look_at_layouts(p);
	if (p->n_types)
		look_at_regions(p);
	write_bytes(p, &first, &n_first);
	again = read_bytes((const uint8_t *)first, n_first);
	if (again) { /* NULL: as written, it may be over the limit */
		write_bytes(again, &second, &n_second);
		if (n_first != n_second || memcmp(first, second, n_first) != 0)
			abort();
	}
	prof__free(again);
	prof__free(p);
	return 0;
}
