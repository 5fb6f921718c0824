// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is to claim no more than is known: validated is only what computed and reported
 * addresses agree on. Where the instruction is certain, and they don't, that is said, too.
 */
#include "sym/places.h"

#include <linux/types.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmubpf/budgets.h"
#include "pmubpf/object_place.h"
#include "sym/debuginfod.h"
#include "sym/known.h"
#include "sym/mapped_file.h"
#include "sys/clock.h"

/* Looking at code is quick; hostile files get what naming gives them. */
#define PLACES_NS (BUDGET_NAMING_S * 1000000000ULL)
#define PLACES_LEAST_NS 1000000000ULL

enum { AT_ONCE = 1024 }; /* places that are asked for: each may have many operands */

/* Where the row was interrupted; 0: in the kernel, or nobody knows. */
static uint32_t place_of(const struct profile *profile, const struct profile_row *row)
{
	const uint32_t *ids;
	uint32_t n = profile__stack_frames(profile, row->key.user_stack, &ids);

	return n && !row->key.kernel_stack ? ids[0] : 0;
}

static const struct profile_access *access_of(const struct places *p, const struct profile_row *row)
{
	return profile__access_of(p->profile, row->key.access);
}

/* Of one with an address, what there is before it is told apart by that. */
static enum pmb_skid skid_of(const struct places *p, const struct profile_row *row)
{
	const enum pmb_skid skid = p->skids[row->key.event];
	const struct profile_access *access = access_of(p, row);

	return skid == PMB_SKID_SOME && access && access->addr ? PMB_SKID_NEAR : skid;
}

struct asker {
	struct places *places;
	const struct frame *frames;
	const struct files *files;
	struct sym *sym;
	uint64_t *by_file, samples; /* NULL: no server is asked */
};

/* Servers are asked for files with so much of the data's samples. */
static void count_files(struct asker *a)
{
	const struct profile_row *rows;
	size_t n = profile__rows(a->places->profile, &rows);

	a->by_file = xcalloc(files__count(a->files), sizeof(*a->by_file));
	for (size_t i = 0; i < n; i++) {
		uint32_t frame = place_of(a->places->profile, &rows[i]);

		if (!access_of(a->places, &rows[i]))
			continue;
		a->samples += rows[i].samples;
		if (frame && a->frames[frame].kind == FRAME_FILE)
			a->by_file[a->frames[frame].file] += rows[i].samples;
	}
}

static struct debuginfod *servers_for(const struct asker *a, uint32_t file)
{
	bool hot = a->by_file && a->by_file[file] >= a->samples / 100 * DEBUGINFOD_HOT_PERCENT;

	return hot && a->places->types ? a->places->servers : NULL;
}

static struct pmb_place **at(const struct places *p, uint32_t frame, enum pmb_skid skid)
{
	return &p->list[(size_t)frame * PMB_N_SKIDS + skid];
}

static void ask_some(const struct asker *a, const struct sym_file *which, uint64_t serial,
		     const uint32_t *ids, size_t n, enum pmb_skid skid)
{
	_cleanup_free_ struct pmb_place *found = xcalloc(n, sizeof(*found));
	uint64_t offs[AT_ONCE];

	for (size_t i = 0; i < n; i++)
		offs[i] = a->frames[ids[i]].off;
	sym__places(a->sym, which, skid, offs, n, found);
	for (size_t i = 0; i < n; i++) {
		*at(a->places, ids[i], skid) = xmemdup(&found[i], PMB_PLACE_BYTES(&found[i]));
		if (a->places->known)
			known__keep_place(a->places->known, serial, offs[i], skid, &found[i]);
	}
}

/* Frames of one file, and one skid. */
static void ask(const struct asker *a, const uint32_t *ids, size_t n, enum pmb_skid skid)
{
	const struct file *file = files__get(a->files, a->frames[ids[0]].file);
	_cleanup_close_ int late = file->fd < 0 ? files__reopen(a->files, a->frames[ids[0]].file) :
						  -1;
	struct sym_file which = sym_file__of(a->files, file, late);

	if (which.fd < 0)
		return;
	which.servers = servers_for(a, a->frames[ids[0]].file);
	for (size_t i = 0; i < n; i += AT_ONCE)
		ask_some(a, &which, file->serial, ids + i, n - i < AT_ONCE ? n - i : AT_ONCE, skid);
}

/* Of earlier parts; is there anything left to ask? */
static bool take_known(const struct asker *a, enum pmb_skid skid, bool *wanted, size_t n_frames)
{
	struct pmb_place place;
	bool any = false;

	for (uint32_t i = 1; i < n_frames; i++) {
		const struct frame *f = &a->frames[i];

		if (!wanted[i] || f->kind != FRAME_FILE)
			continue;
		if (a->places->known &&
		    known__find_place(a->places->known, files__get(a->files, f->file)->serial,
				      f->off, skid, &place)) {
			*at(a->places, i, skid) = xmemdup(&place, PMB_PLACE_BYTES(&place));
			wanted[i] = false;
		}
		any |= wanted[i];
	}
	return any;
}

static int compare_ids(const void *pa, const void *pb, void *ctx)
{
	const struct frame *frames = ctx;
	const struct frame *a = &frames[*(const uint32_t *)pa], *b = &frames[*(const uint32_t *)pb];

	return a->file != b->file ? CMP3(a->file, b->file) : CMP3(a->off, b->off);
}

static void ask_all(const struct asker *a, enum pmb_skid skid, const bool *wanted, size_t n_frames)
{
	_cleanup_free_ uint32_t *ids = xcalloc(n_frames, sizeof(*ids));
	size_t n = 0, end;

	for (uint32_t i = 1; i < n_frames; i++) {
		if (wanted[i] && a->frames[i].kind == FRAME_FILE)
			ids[n++] = i;
	}
	if (n)
		qsort_r(ids, n, sizeof(*ids), compare_ids, (void *)a->frames);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && a->frames[ids[end]].file == a->frames[ids[i]].file;)
			end++;
		ask(a, ids + i, end - i, skid);
	}
}

/* Frames where samples of events with that skid were interrupted; are there any? */
static bool want_frames(const struct places *p, enum pmb_skid skid, bool *wanted)
{
	const struct profile_row *rows;
	size_t n = profile__rows(p->profile, &rows);
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		uint32_t frame = place_of(p->profile, &rows[i]);

		if (!frame || !access_of(p, &rows[i]) || skid_of(p, &rows[i]) != skid)
			continue;
		wanted[frame] = any = true;
	}
	return any;
}

static int start(struct asker *a, int stop_fd, struct err *err)
{
	uint64_t until = now_ns() + PLACES_NS;
	int r;

	if (a->sym)
		return 0;
	r = sym__new(&a->sym, err);
	if (r < 0)
		return r;
	if (a->places->servers) {
		count_files(a);
		until += DEBUGINFOD_TOTAL_S * 1000000000ULL;
		debuginfod__stop_by(a->places->servers, stop_fd, now_ns() + PLACES_LEAST_NS);
	}
	sym__until(a->sym, until, stop_fd, now_ns() + PLACES_LEAST_NS);
	sym__meanwhile(a->sym, a->places->meanwhile, a->places->meanwhile_ctx);
	sym__want(a->sym, false, false, a->places->types);
	return 0;
}

static uint64_t reg_of(const struct profile_access *access, uint8_t reg)
{
	uint8_t at = reg == PMB_REG_IP ? PMB_DATA_IP : reg == PMB_REG_FS ? PMB_DATA_FS : reg;

	return at < PMB_DATA_REGS ? access->regs[at] : 0;
}

/* Where in the object: -1: not known, or too far. */
static int64_t offset_in(const struct pmb_operand *o, const struct profile_access *access,
			 uint64_t addr)
{
	int64_t off = (int64_t)(addr - reg_of(access, o->object) - (uint64_t)o->start);

	if (o->every)
		off = (off % o->every + o->every) % o->every;
	return off >= 0 && off <= (int64_t)OBJECT_PLACE_OFF_MAX ? off : -1;
}

static uint64_t index_of(const struct profile_access *access, const struct pmb_operand *o)
{
	uint64_t index = reg_of(access, o->index);

	if (o->flags & PMB_OPERAND_SIGNED_32)
		return (uint64_t)(int64_t)(int32_t)index;
	return o->flags & PMB_OPERAND_UNSIGNED_32 ? (uint32_t)index : index;
}

static uint64_t address_of(const struct profile_access *access, const struct pmb_operand *o)
{
	return reg_of(access, o->base) + index_of(access, o) * o->scale +
	       reg_of(access, o->segment) + (uint64_t)o->disp;
}

/* What the instruction addresses is known to be that. A breakpoint tells the word that it watches:
 * what was touched begins there, or further on. Of a candidate there are the registers at best. */
static int64_t offset_of(const struct data_finding *found, const struct profile_access *access)
{
	const struct pmb_operand *o = found->operand ?: found->candidate;
	uint64_t addr = found->from;

	if (found->operand && access->addr - found->from < found->size)
		addr = access->addr;
	if (found->candidate && (o->flags & (PMB_OPERAND_LOST | PMB_OPERAND_AT)))
		return o->flags & PMB_OPERAND_AT ? (int64_t)o->at : -1;
	return o->object == PMB_REG_NONE ? -1 : offset_in(o, access, addr);
}

static uint32_t object_of(struct places *p, const struct profile_row *row)
{
	const struct profile_access *access = access_of(p, row);
	uint32_t frame = place_of(p->profile, row);
	const struct pmb_operand *o;
	const struct frame *frames;
	struct data_finding found;
	uint64_t mark;
	int64_t off;

	if (!access || !frame || !places__find(p, row, &found) ||
	    !(o = found.operand ?: found.candidate))
		return 0;
	off = offset_of(&found, access);
	if (off < 0)
		return 0;
	mark = o->flags & PMB_OPERAND_VARIABLE ? OBJECT_PLACE_VARIABLE : 0;
	profile__frames(p->profile, &frames);
	return profile__frame(p->profile, &(struct frame){
						  FRAME_DATA,
						  frames[frame].file,
						  object_place(o->type, (uint64_t)off) | mark,
					  });
}

/* What has a symbol lies in a file, as the code does; whether anything has it there its helper
 * tells. */
static uint32_t variable_of(struct places *p, const struct profile_row *row)
{
	const struct profile_access *access = access_of(p, row);
	uint32_t frame = place_of(p->profile, row);
	const struct frame *frames;
	struct data_finding found;
	int64_t distance;

	if (!access || !frame || !places__find(p, row, &found) || !found.candidate ||
	    (found.candidate->flags & PMB_OPERAND_LOST))
		return 0;
	profile__frames(p->profile, &frames);
	distance = (int64_t)(found.from - access->regs[PMB_DATA_IP]);
	if (frames[frame].kind != FRAME_FILE || distance >= (int64_t)DATA_PLACE_SPAN ||
	    distance <= -(int64_t)DATA_PLACE_SPAN)
		return 0;
	return profile__frame(p->profile, &(struct frame){
						  FRAME_DATA,
						  frames[frame].file,
						  data_place(frames[frame].off, (uint64_t)distance),
					  });
}

static void find_objects(struct places *p)
{
	const struct profile_row *rows;
	size_t n = profile__rows(p->profile, &rows);

	p->objects = xcalloc(n, sizeof(*p->objects));
	p->variables = xcalloc(n, sizeof(*p->variables));
	for (size_t i = 0; i < n; i++) {
		p->objects[i] = object_of(p, &rows[i]);
		p->variables[i] = variable_of(p, &rows[i]);
	}
}

static uint32_t of_row(const struct places *places, const uint32_t *ids,
		       const struct profile_row *row)
{
	const struct profile_row *rows;

	if (!ids)
		return 0;
	profile__rows(places->profile, &rows);
	return ids[row - rows];
}

uint32_t places__object(const struct places *places, const struct profile_row *row)
{
	return of_row(places, places->objects, row);
}

uint32_t places__variable(const struct places *places, const struct profile_row *row)
{
	return of_row(places, places->variables, row);
}

int places__resolve(struct places *ret, const struct files *files, int stop_fd, struct err *err)
{
	struct asker a = {.places = ret, .files = files};
	size_t n = profile__frames(ret->profile, &a.frames);
	int r = 0;

	for (enum pmb_skid skid = PMB_SKID_EXACT; skid < PMB_N_SKIDS && r == 0; skid++) {
		_cleanup_free_ bool *wanted = xcalloc(n, sizeof(*wanted));

		if (!want_frames(ret, skid, wanted))
			continue;
		if (!ret->list) {
			ret->n_list = n * PMB_N_SKIDS;
			ret->list = xcalloc(ret->n_list, sizeof(*ret->list));
		}
		if (!take_known(&a, skid, wanted, n))
			continue;
		r = start(&a, stop_fd, err);
		if (r == 0)
			ask_all(&a, skid, wanted, n);
	}
	if (a.sym) {
		ret->helper_ns = sym__helper_ns(a.sym);
		ret->helper_failures = sym__failures(a.sym);
	}
	sym__free(a.sym);
	free(a.by_file);
	if (ret->list && ret->types)
		find_objects(ret);
	return r;
}

void places__done(struct places *places)
{
	for (size_t i = 0; i < places->n_list; i++)
		free(places->list[i]);
	free(places->list);
	free(places->objects);
	free(places->variables);
	free(places->skids);
	*places = (struct places){0};
}

static uint8_t kind_of(const struct pmb_operand *o)
{
	return o->flags & (PMB_OPERAND_LOAD | PMB_OPERAND_STORE);
}

/* Breakpoints report the word that they watch, not the byte that was touched in it. */
static bool covers(const struct profile_access *access, const struct pmb_operand *o,
		   enum pmb_skid skid)
{
	uint64_t from = address_of(access, o);
	uint64_t slack = skid == PMB_SKID_AFTER || skid == PMB_SKID_BEFORE ? 7 : 0;

	return access->addr - from < o->size || from - access->addr <= slack;
}

/* An instruction that isn't there yet faults at its own address. */
static bool is_fetch(const struct pmb_place *place, enum pmb_skid skid,
		     const struct profile_access *access)
{
	uint64_t ip = access->regs[PMB_DATA_IP];

	return skid == PMB_SKID_EXACT && access->n_regs && access->addr - ip < (place->len ?: 1U);
}

/* Nobody has the first page, and x86-64's and RISC-V's addresses end far below; arm64's may have
 * anything in their highest byte. */
static bool is_possible(uint64_t addr)
{
#ifdef __aarch64__
	addr &= ~0ULL >> 8;
#endif
	return addr >= 4096 && addr < 1ULL << 56;
}

/* Neither a program's nor the kernel's, whatever a PMU says. */
static bool is_garbage(uint64_t addr)
{
#ifdef __aarch64__
	(void)addr;
	return false;
#else
	return addr >> 56 && addr >> 56 != 0xff;
#endif
}

/* Of the only operand, if nothing can check it: but it may show that it isn't the one. */
static void put_candidate(const struct pmb_operand *o, const struct profile_access *access,
			  struct data_finding *f)
{
	if (!(o->flags & PMB_OPERAND_LOST)) {
		f->from = address_of(access, o);
		f->size = o->size;
		if (!is_possible(f->from)) {
			*f = (struct data_finding){.class = DATA_INVALID_ADDRESS};
			return;
		}
	}
	f->candidate = o;
}

static struct data_finding check(const struct pmb_place *place, enum pmb_skid skid,
				 const struct profile_access *access)
{
	struct data_finding f = {.class = DATA_CONTRADICTED};

	for (int i = 0; i < place->n; i++) {
		const struct pmb_operand *o = &place->operands[i];

		f.access |= kind_of(o);
		if (o->flags & PMB_OPERAND_LOST) {
			f.class = DATA_REGISTER_LOST;
		} else if (access->addr && covers(access, o, skid)) {
			return (struct data_finding){.class = DATA_VALIDATED,
						     .access = kind_of(o),
						     .operand = o,
						     .from = address_of(access, o),
						     .size = o->size};
		} else if (o->flags & PMB_OPERAND_LOOSE) {
			f.class = DATA_REGISTER_LOST;
		}
	}
	if (f.class == DATA_CONTRADICTED && !access->addr)
		f.class = DATA_CANDIDATE;
	else if (f.class == DATA_CONTRADICTED && skid == PMB_SKID_SOME)
		f.class = DATA_ADDRESS_ONLY; /* another one may have been it */
	if (access->addr)
		f.access = 0;
	else if (place->n == 1 && !(place->operands[0].flags & PMB_OPERAND_LOOSE))
		put_candidate(&place->operands[0], access, &f);
	return f;
}

/* Of several instructions it is the one that addresses what the hardware said. If two do, it may
 * be either. */
static struct data_finding choose(const struct pmb_place *place,
				  const struct profile_access *access)
{
	struct data_finding f = {.class = DATA_ADDRESS_ONLY};
	const struct pmb_operand *found = NULL;
	bool any = false, all_lost = true;

	for (int i = 0; i < place->n; i++) {
		const struct pmb_operand *o = &place->operands[i];

		if (access->kind && !(access->kind & o->flags))
			continue;
		any = true;
		all_lost &= (o->flags & PMB_OPERAND_LOST) != 0;
		if (o->flags & PMB_OPERAND_LOST || !covers(access, o, PMB_SKID_NEAR))
			continue;
		if (found && found->insn != o->insn)
			return f;
		found = found ?: o;
	}
	if (!found) {
		f.class = any && all_lost ? DATA_REGISTER_LOST : DATA_ADDRESS_ONLY;
		return f;
	}
	return (struct data_finding){.class = DATA_VALIDATED,
				     .access = kind_of(found),
				     .operand = found,
				     .from = address_of(access, found),
				     .size = found->size};
}

struct data_finding data_finding(const struct pmb_place *place, enum pmb_skid skid,
				 const struct profile_access *access)
{
	static const uint8_t classes[PMB_N_FINDINGS] = {
		[PMB_PLACE_BLOCKED] = DATA_BLOCKED,
		[PMB_PLACE_TARGET] = DATA_BRANCH_TARGET,
		[PMB_PLACE_FAR] = DATA_INCOMPLETE,
		[PMB_PLACE_NO_OPERAND] = DATA_NO_OPERAND,
	};
	struct data_finding unknown = {
		.class = access->addr ? DATA_ADDRESS_ONLY : DATA_UNVERIFIABLE,
	};

	if (access->addr && is_garbage(access->addr))
		return (struct data_finding){.class = DATA_INVALID_ADDRESS};
	if (access->addr && is_fetch(place, skid, access))
		return (struct data_finding){.class = DATA_VALIDATED, .fetch = true};
	if (place->finding == PMB_PLACE_UNKNOWN || !access->n_regs)
		return unknown;
	if (place->finding == PMB_PLACE_FOUND && skid == PMB_SKID_NEAR)
		return choose(place, access);
	if (place->finding == PMB_PLACE_FOUND)
		return check(place, skid, access);
	return (struct data_finding){.class = classes[place->finding]};
}

bool places__find(const struct places *places, const struct profile_row *row,
		  struct data_finding *ret)
{
	static const struct pmb_place nowhere = {.finding = PMB_PLACE_UNKNOWN};
	const struct profile_access *access;
	const struct pmb_place *place;
	enum pmb_skid skid;
	uint32_t frame;

	if (!places->profile || !(access = access_of(places, row)))
		return false;
	skid = skid_of(places, row);
	frame = place_of(places->profile, row);
	place = frame && places->list ? *at(places, frame, skid) : NULL;
	*ret = data_finding(place ?: &nowhere, skid, access);
	ret->described = place ? place->described : PMB_DESCRIBED_NOT_ASKED;
	return true;
}
