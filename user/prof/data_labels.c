// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is what is claimed: a name that the hardware's address has, one that the
 * instruction takes the data for, and one that nothing has checked are three different things.
 */
#include "prof/data_labels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "model/data_source.h"
#include "pmubpf/object_place.h"
#include "prof/data_typing.h"
#include "prof/regions.h"
#include "prof/sharing.h"
#include "prof/site.h"

enum { PAGE = 4096 };

static void label_text(struct data_labels *d, const char *key, const char *text)
{
	prof__add_text(d->prof, d->labels, key, text);
}

static void label_layout(struct data_labels *d, const struct profile_row *row, const char *type,
			 const char *layout)
{
	if (layout)
		label_text(d, PROF_LAYOUT, layouts__add(&d->layouts, type, layout, row->samples));
}

/* What nothing has checked says so, wherever it is shown. */
static void label_candidate(struct data_labels *d, const char *key, const char *text)
{
	_cleanup_free_ char *marked = text ? xasprintf("%s" PROF_CANDIDATE, text) : NULL;

	if (marked)
		label_text(d, key, marked);
}

/* Of a clock: what the instruction before would have addressed. */
static void label_candidates(struct data_labels *d, const struct profile_row *row)
{
	const struct sym_name *names = d->r->names->locations, *place;
	uint32_t id = places__variable(d->r->places, row);
	bool variable = id && names[id].frame.name;

	if (!variable)
		id = places__object(d->r->places, row);
	place = &names[id];
	if (!id || !place->frame.name)
		return;
	variable |= is_variable_place(d->frames[id].off);
	if (variable)
		label_candidate(d, "data_object", place->frame.name);
	else
		label_candidate(d, "data_type", place->frame.name);
	if (variable && place->n_inlined > 0)
		label_candidate(d, "data_type", place->inlined[0].name);
	if (place->n_inlined > variable)
		label_candidate(d, "member", place->inlined[variable].name);
}

static void label_variable(struct data_labels *d, const struct profile_row *row,
			   const struct sym_name *place)
{
	label_text(d, "data_object", place->frame.name);
	if (place->n_inlined > 0)
		label_text(d, "data_type", place->inlined[0].name);
	if (place->n_inlined > 1)
		label_text(d, "member", place->inlined[1].name);
	if (place->n_inlined > 0)
		label_layout(d, row, place->inlined[0].name, place->layout);
}

/* Of what no symbol stands for: what the instruction takes it for, a variable in the frame or an
 * object without a name. */
static void label_taken_for(struct data_labels *d, const struct profile_row *row, uint32_t segment)
{
	uint32_t id = d->r->places && !d->r->no_symbols ? places__object(d->r->places, row) : 0;
	const struct sym_name *place = &d->r->names->locations[id];

	if (id && place->frame.name && is_variable_place(d->frames[id].off)) {
		label_variable(d, row, place);
		return;
	}
	label_text(d, "data_object", data_segment_texts[segment]);
	if (!id || !place->frame.name)
		return;
	label_text(d, "data_type", place->frame.name);
	if (place->n_inlined > 0)
		label_text(d, "member", place->inlined[0].name);
	label_layout(d, row, place->frame.name, place->layout);
}

/* What the data is: a variable, if the file that is mapped there has one; else where it lies. And
 * what DWARF says of it. */
static void label_object(struct data_labels *d, const struct profile_row *row, uint32_t segment)
{
	const uint32_t *frames;
	uint32_t n = profile__stack_frames(d->r->profile, row->key.data, &frames);
	const struct sym_name *place = n ? &d->r->names->locations[frames[0]] : NULL;

	if (!place || !place->frame.name || d->r->no_symbols) {
		label_taken_for(d, row, segment);
		return;
	}
	if (d->frames[frames[0]].kind == FRAME_DATA)
		label_variable(d, row, place);
	else
		label_text(d, "data_object", place->frame.name);
}

static void label_address(struct data_labels *d, const struct profile_row *row,
			  const struct profile_labels *set)
{
	char text[DATA_SOURCE_TEXT];

	if (set->segment != PMB_SEGMENT_NONE && set->segment < PMB_N_SEGMENTS) {
		label_object(d, row, set->segment);
		label_text(d, "data_segment", data_segment_keys[set->segment]);
		snprintf(text, sizeof(text), "0x%" PRIx64, set->data_addr & ~(uint64_t)(PAGE - 1));
		label_text(d, "data_page", text);
		snprintf(text, sizeof(text), "0x%" PRIx64,
			 set->data_addr & ~(uint64_t)(PROF_CACHE_LINE - 1));
		label_text(d, "cache_line", text);
	}
	if (set->data_src && data_source(set->data_src, text))
		label_text(d, "data_source", text);
	if (set->latency) {
		snprintf(text, sizeof(text), "%" PRIu32 "..%" PRIu32, set->latency,
			 2 * set->latency - 1);
		label_text(d, "data_latency", text);
	}
}

/* Which bytes of its cache line, of those that the instruction addressed. */
static char *offset_text(uint64_t addr, const struct data_finding *f)
{
	uint64_t line = addr & ~(uint64_t)(PROF_CACHE_LINE - 1);
	uint64_t first = addr, last = addr;

	if (f->size && f->from <= addr && addr - f->from < f->size) {
		first = f->from < line ? line : f->from;
		last = f->from + f->size - 1;
		if (last - line >= PROF_CACHE_LINE)
			last = line + PROF_CACHE_LINE - 1;
	}
	if (first == last)
		return xasprintf("%" PRIu64, first - line);
	return xasprintf("%" PRIu64 "..%" PRIu64, first - line, last - line);
}

/* So that lines that may be shared are found without a PMU. */
static void label_candidate_line(struct data_labels *d, const struct data_finding *f)
{
	const uint64_t line = f->from & ~(uint64_t)(PROF_CACHE_LINE - 1);
	_cleanup_free_ char *text = xasprintf("0x%" PRIx64, line),
			    *offset = offset_text(f->from, f);

	label_candidate(d, "cache_line", text);
	label_candidate(d, "data_offset", offset);
}

static char *site_text(struct data_labels *d, uint32_t site)
{
	struct buf text = {0};
	uint32_t stack[SITE_FRAMES];
	const uint32_t *frames;
	uint32_t n = profile__stack_frames(d->r->profile, d->r->site_stacks[site], &frames);

	for (uint32_t i = 0; i < n; i++)
		stack[i] = d->locations[frames[i]];
	prof__put_site(d->prof, prof__stack(d->prof, stack, n), &d->expanded, &text);
	return buf__take(&text);
}

/* Many pages have one site: its text is made once. "": nobody knows. */
static const char *text_of_site(struct data_labels *d, uint32_t site)
{
	if (site <= SITE_OTHER || !d->r->site_stacks)
		return site == SITE_OTHER ? artificial_names[ARTIFICIAL_OTHER] : "";
	if (!d->sites)
		d->sites = xcalloc(sites__count(d->r->sites), sizeof(*d->sites));
	if (!d->sites[site])
		d->sites[site] = site_text(d, site);
	return d->sites[site];
}

static void label_site(struct data_labels *d, const char *key, uint32_t site)
{
	const char *text = text_of_site(d, site);

	if (*text)
		label_text(d, key, text);
}

/* What others say of its page. */
static void label_candidate_site(struct data_labels *d, const struct profile_labels *set,
				 const struct data_finding *f)
{
	const char *text;

	if (!d->pages_known)
		page_sites__find(&d->pages, d->r);
	d->pages_known = true;
	text = text_of_site(d, page_sites__of(&d->pages, set->tgid, f->from));
	if (*text)
		label_candidate(d, PROF_SITE, text);
}

/* That nobody looks for a type in vain. */
static void label_untyped(struct data_labels *d, const struct profile_row *row)
{
	enum data_typing typing;
	const char *text;

	if (data_typing__of(d->r->places, d->r->names, row, &typing) &&
	    (text = data_typing__stand_in(typing)))
		label_text(d, "data_type", text);
}

static void label_finding(struct data_labels *d, const struct profile_row *row,
			  const struct profile_labels *set)
{
	static const char *const accesses[] = {NULL, "load", "store", "load and store"};
	bool has_address = set->segment != PMB_SEGMENT_NONE && set->segment < PMB_N_SEGMENTS;
	struct data_finding f = {0};
	bool found = d->r->places && places__find(d->r->places, row, &f);
	_cleanup_free_ char *offset = NULL;

	if (has_address) {
		offset = offset_text(set->data_addr, &f);
		label_text(d, "data_offset", offset);
	}
	if (!found)
		return;
	if (f.candidate && !has_address && !d->r->no_symbols)
		label_candidates(d, row);
	if (f.candidate && f.size && !has_address) {
		label_candidate_line(d, &f);
		label_candidate_site(d, set, &f);
	}
	label_text(d, "data_class", data_class_keys[f.class]);
	if (f.class == DATA_VALIDATED && d->r->places->types && !d->r->no_symbols)
		label_untyped(d, row);
	if (f.fetch)
		label_text(d, "data_access", "fetch");
	else if (f.access)
		label_text(d, "data_access", accesses[f.access]);
}

void data_labels__done(struct data_labels *d)
{
	layouts__done(&d->layouts);
	prof_frames__done(&d->expanded);
	page_sites__done(&d->pages);
	for (size_t i = 0; d->sites && i < sites__count(d->r->sites); i++)
		free(d->sites[i]);
	free(d->sites);
}

void data_labels__add(struct data_labels *d, const struct profile_row *row,
		      const struct profile_labels *set)
{
	label_address(d, row, set);
	label_finding(d, row, set);
	label_site(d, PROF_SITE, set->site);
	label_site(d, PROF_MAP_SITE, set->map_site);
	if (set->node)
		prof__add_number(d->prof, d->labels, "data_node", set->node - 1);
}
