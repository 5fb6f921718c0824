// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: the tree of a unit has millions of entries and libdw finds nothing in it without
 * walking. So each unit that is hit is walked once for its functions, and each function once for
 * the calls inlined into it; addresses come sorted, so those of the last function are kept. What
 * hostile trees could make endless is counted: entries looked at, ranges kept, depth.
 */
#include "symd/debug_info.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "symd/addr_ranges.h"
#include "symd/elf_symbols.h"
#include "symd/no_altlink.h"
#include "symd/scope_of.h"

enum {
	TREE_DEPTH = 256,
	RANGES_MAX = 8 * 1024 * 1024,    /* kept, of all units */
	ENTRIES_MAX = 256 * 1024 * 1024, /* looked at; a second is about ten million */
};

struct unit {
	Dwarf_Off die;
	struct addr_ranges functions; /* what: offset of the function's entry */
	bool read;
	bool lines_known, has_lines;
};

/* One stretch of an inlined call; a call of several stretches stands here several times. */
struct call {
	uint64_t lo, hi;
	Dwarf_Off die;
	uint32_t depth; /* 1: inlined into the function itself */
};

struct debug_info {
	Dwarf *dwarf;
	struct no_altlink none;
	struct unit *units;
	size_t n_units, cap_units;
	bool has_units;             /* they were read: once code is asked about */
	struct addr_ranges by_addr; /* what: index of a unit */
	Dwarf_Off function;         /* whose calls these are; 0: of none */
	struct call *calls;         /* parents before their children */
	size_t n_calls, cap_calls;
	uint64_t ranges, entries;
	uint64_t line_bytes;       /* of the line programs that were read */
	struct data_types *data;   /* NULL: nobody asked yet */
	struct pointees *pointees; /* likewise */
	struct {
		uint64_t lo, hi;
		Dwarf_Die function;
	} entered;       /* what was asked about registers last; hi 0: nothing */
	Elf_Data *lines; /* see pad_lines() */
	void *lines_own;
};

bool debug_info__exists(Elf *elf)
{
	return elf_section__by_name(elf, ".debug_info") != NULL;
}

/* libdw reads every debug section when it begins, and inflates those that are compressed. */
static bool sizes_are_sane(Elf *elf)
{
	uint64_t total = 0;
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		GElf_Chdr chdr;
		const char *name;
		uint64_t size;

		if (!gelf_getshdr(scn, &shdr))
			return false;
		name = elf_strptr(elf, names, shdr.sh_name);
		if (!name || shdr.sh_type == SHT_NOBITS)
			continue;
		if (!strncmp(name, ".zdebug", 7))
			return false;
		if (strncmp(name, ".debug", 6) != 0 && strncmp(name, ".gnu_debug", 10) != 0 &&
		    strcmp(name, ".eh_frame") != 0)
			continue;
		size = shdr.sh_size;
		if (shdr.sh_flags & SHF_COMPRESSED) {
			if (size > DEBUG_INFO_BYTES_MAX || !gelf_getchdr(scn, &chdr))
				return false;
			size = chdr.ch_size;
		}
		if (size > DEBUG_INFO_BYTES_MAX || (total += size) > DEBUG_INFO_BYTES_MAX)
			return false;
	}
	return true;
}

static bool may_look(struct debug_info *d)
{
	return ++d->entries < ENTRIES_MAX && d->ranges < RANGES_MAX;
}

/* The ranges of an entry, one after the other; begins as {0}. */
struct walk {
	ptrdiff_t at;
	Dwarf_Addr base; /* what libdw goes on from */
	Dwarf_Addr lo, hi;
};

/* What the linker has thrown away lies at 0 or 1, and would cover other code there. */
static bool next_range(struct debug_info *d, Dwarf_Die *die, struct walk *w)
{
	while (may_look(d) && (w->at = dwarf_ranges(die, w->at, &w->base, &w->lo, &w->hi)) > 0) {
		if (w->lo <= 1 || w->lo >= w->hi)
			continue;
		d->ranges++;
		return true;
	}
	return false;
}

static void read_units(struct debug_info *d)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	/* (A unit of split DWARF is a stub here: its file isn't looked for, and nothing is
	 * found.) */
	while (may_look(d) && dwarf_get_units(d->dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		struct walk w = {0};

		if (type != DW_UT_compile)
			continue;
		GROW(d->units, d->n_units, d->cap_units);
		d->units[d->n_units] = (struct unit){.die = dwarf_dieoffset(&die)};
		while (next_range(d, &die, &w))
			addr_ranges__add(&d->by_addr, w.lo, w.hi, d->n_units);
		d->n_units++;
	}
	addr_ranges__sort(&d->by_addr);
	d->has_units = true;
}

/* Inflated where it is, as libdw would do it. NULL: no such section, or nothing in it. */
static Elf_Data *inflated_data(Elf *elf, const char *name)
{
	Elf_Scn *scn = elf_section__by_name(elf, name);
	Elf_Data *data;
	GElf_Shdr shdr;

	if (!scn || !gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS)
		return NULL;
	if ((shdr.sh_flags & SHF_COMPRESSED) && elf_compress(scn, 0, 0) < 0)
		return NULL;
	data = elf_getdata(scn, NULL);
	return data && data->d_buf && data->d_size ? data : NULL;
}

/* libdw (0.188) measures strings that line tables name without looking where a section ends: found
 * by fuzzing. So string sections have to end in a NUL… */
static bool strings_end(Elf *elf)
{
	static const char *const sections[] = {".debug_str", ".debug_line_str"};

	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		const Elf_Data *data = inflated_data(elf, sections[i]);

		if (data && ((const char *)data->d_buf)[data->d_size - 1])
			return false;
	}
	return true;
}

/* …and of the line tables, which don't end in one, it gets a copy with one behind it. */
static void pad_lines(struct debug_info *d, Elf *elf)
{
	void *padded;

	d->lines = inflated_data(elf, ".debug_line");
	if (!d->lines)
		return;
	padded = xcalloc(1, d->lines->d_size + 1);
	memcpy(padded, d->lines->d_buf, d->lines->d_size);
	d->lines_own = d->lines->d_buf;
	d->lines->d_buf = padded;
}

static void unpad_lines(struct debug_info *d)
{
	if (!d->lines)
		return;
	free(d->lines->d_buf);
	d->lines->d_buf = d->lines_own;
}

struct debug_info *debug_info__open(Elf *elf)
{
	struct debug_info *d;

	if (!elf || !elf_sections__sane(elf) || !debug_info__exists(elf) || !sizes_are_sane(elf) ||
	    !strings_end(elf))
		return NULL;
	d = xcalloc(1, sizeof(*d));
	pad_lines(d, elf);
	d->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	return d->dwarf && no_altlink__set(&d->none, d->dwarf) ? d : debug_info__free(d);
}

struct debug_info *debug_info__free(struct debug_info *d)
{
	if (!d)
		return NULL;
	for (size_t i = 0; i < d->n_units; i++)
		addr_ranges__done(&d->units[i].functions);
	addr_ranges__done(&d->by_addr);
	free(d->units);
	free(d->calls);
	data_types__free(d->data);
	pointees__free(d->pointees);
	dwarf_end(d->dwarf);
	unpad_lines(d);
	no_altlink__done(&d->none);
	free(d);
	return NULL;
}

/* May functions stand in it? C++ puts them into namespaces, Rust also into types, Fortran and Ada
 * into functions. */
static bool holds_functions(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_lexical_block:
	case DW_TAG_subprogram:
		return true;
	default:
		return false;
	}
}

static void read_functions(struct debug_info *d, struct unit *u, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;

	if (depth > TREE_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		size_t before = u->functions.n;
		struct walk w = {0};

		if (!holds_functions(tag))
			continue;
		while (tag == DW_TAG_subprogram && next_range(d, &die, &w))
			addr_ranges__add(&u->functions, w.lo, w.hi, dwarf_dieoffset(&die));
		/* a function without code is a declaration */
		if (tag != DW_TAG_subprogram || u->functions.n > before)
			read_functions(d, u, &die, depth + 1);
	} while (may_look(d) && dwarf_siblingof(&die, &die) == 0);
}

static void read_calls(struct debug_info *d, Dwarf_Die *parent, unsigned depth, uint32_t inlined)
{
	Dwarf_Die die;

	if (depth > TREE_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		struct call call = {.die = dwarf_dieoffset(&die), .depth = inlined + 1};
		struct walk w = {0};

		if (tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
		    tag == DW_TAG_catch_block)
			read_calls(d, &die, depth + 1, inlined);
		if (tag != DW_TAG_inlined_subroutine)
			continue;
		while (next_range(d, &die, &w)) {
			call.lo = w.lo;
			call.hi = w.hi;
			GROW(d->calls, d->n_calls, d->cap_calls);
			d->calls[d->n_calls++] = call;
		}
		read_calls(d, &die, depth + 1, inlined + 1);
	} while (may_look(d) && dwarf_siblingof(&die, &die) == 0);
}

/* A line that doesn't fit isn't one. */
static uint32_t to_line(uint64_t line)
{
	return line <= INT32_MAX ? (uint32_t)line : 0;
}

/* The length of the line program at that offset of the section, as its header has it. */
static uint64_t line_program_bytes(const struct debug_info *d, uint64_t offset)
{
	uint32_t length;
	uint64_t long_one;

	if (!d->lines || offset > d->lines->d_size || d->lines->d_size - offset < 12)
		return UINT64_MAX;
	memcpy(&length, (const char *)d->lines->d_buf + offset, sizeof(length));
	memcpy(&long_one, (const char *)d->lines->d_buf + offset + 4, sizeof(long_one));
	return length < 0xfffffff0 ? length : long_one;
}

/* libdw reads such a program as a whole, and each of its bytes may become a row of 100 bytes. */
static bool may_read_lines(struct debug_info *d, Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset;
	uint64_t bytes;

	if (dwarf_formudata(dwarf_attr(unit, DW_AT_stmt_list, &attribute), &offset) != 0)
		return false;
	bytes = line_program_bytes(d, offset);
	if (bytes > DEBUG_INFO_LINES_MAX || d->line_bytes + bytes > DEBUG_INFO_ALL_LINES_MAX)
		return false;
	d->line_bytes += bytes;
	return true;
}

/* Where the call stands: that is a line of the frame before. unit: NULL: of no file. */
static void place_of_call(Dwarf_Die *unit, Dwarf_Die *call, struct debug_frame *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Word file, line;
	size_t n;

	if (dwarf_formudata(dwarf_attr(call, DW_AT_call_line, &attribute), &line) == 0)
		ret->line = to_line(line);
	if (unit && dwarf_formudata(dwarf_attr(call, DW_AT_call_file, &attribute), &file) == 0 &&
	    dwarf_getsrcfiles(unit, &files, &n) == 0 && file < n)
		ret->file = dwarf_filesrc(files, file, NULL, NULL);
}

static void place_of_address(Dwarf_Die *unit, uint64_t vaddr, struct debug_frame *ret)
{
	Dwarf_Line *at = unit ? dwarf_getsrc_die(unit, vaddr) : NULL;
	int line;

	if (at && dwarf_lineno(at, &line) == 0 && line > 0)
		ret->line = (uint32_t)line;
	if (at)
		ret->file = dwarf_linesrc(at, NULL, NULL);
}

static size_t add_calls(struct debug_info *d, Dwarf_Die *unit, uint64_t vaddr,
			struct debug_frame *ret)
{
	size_t n = 1;

	for (size_t i = 0; i < d->n_calls && n < DEBUG_INFO_FRAMES; i++) {
		const struct call *call = &d->calls[i];
		Dwarf_Die die;

		if (call->depth != n || vaddr < call->lo || vaddr >= call->hi ||
		    !dwarf_offdie(d->dwarf, call->die, &die))
			continue;
		place_of_call(unit, &die, &ret[n - 1]);
		ret[n++] = (struct debug_frame){.name = scope_name(&die)};
	}
	return n;
}

static struct unit *find_unit(struct debug_info *d, uint64_t vaddr, Dwarf_Die *ret)
{
	const struct addr_range *found;
	struct unit *u;

	if (!d->has_units)
		read_units(d);
	found = addr_ranges__find(&d->by_addr, vaddr);
	u = found ? &d->units[found->what] : NULL;
	if (!u || !dwarf_offdie(d->dwarf, u->die, ret))
		return NULL;
	if (!u->read) {
		read_functions(d, u, ret, 0);
		addr_ranges__sort(&u->functions);
		u->read = true;
	}
	return u;
}

/* NULL: none is known there. */
static const struct addr_range *find_function(struct debug_info *d, uint64_t vaddr, Dwarf_Die *ret)
{
	Dwarf_Die unit;
	const struct unit *u = find_unit(d, vaddr, &unit);
	const struct addr_range *found = u ? addr_ranges__find(&u->functions, vaddr) : NULL;

	return found && dwarf_offdie(d->dwarf, found->what, ret) ? found : NULL;
}

/* NULL: its lines may not be read. */
static Dwarf_Die *unit_with_lines(struct debug_info *d, struct unit *u, Dwarf_Die *unit)
{
	if (!u->lines_known)
		u->has_lines = may_read_lines(d, unit);
	u->lines_known = true;
	return u->has_lines ? unit : NULL;
}

static size_t find_frames(struct debug_info *d, uint64_t vaddr, struct debug_frame *ret,
			  Dwarf_Die *ret_unit)
{
	Dwarf_Die function;
	struct unit *u = find_unit(d, vaddr, ret_unit);
	Dwarf_Die *with_lines;
	size_t n;

	if (!u)
		return 0;
	with_lines = unit_with_lines(d, u, ret_unit);
	ret[0] = (struct debug_frame){0};
	if (!find_function(d, vaddr, &function)) {
		/* assembly has lines and no functions */
		place_of_address(with_lines, vaddr, &ret[0]);
		return 1;
	}
	if (d->function != dwarf_dieoffset(&function)) {
		d->n_calls = 0;
		d->function = dwarf_dieoffset(&function);
		read_calls(d, &function, 0, 0);
	}
	ret[0].name = scope_name(&function);
	n = add_calls(d, with_lines, vaddr, ret);
	place_of_address(with_lines, vaddr, &ret[n - 1]);
	return n;
}

size_t debug_info__find(struct debug_info *d, uint64_t vaddr, struct debug_frame *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Die unit;
	size_t n = find_frames(d, vaddr, ret, &unit);
	const char *dir = n ? dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &attribute)) :
			      NULL;

	for (size_t i = 0; i < n; i++)
		ret[i].dir = dir;
	return n;
}

bool debug_info__begins_line(struct debug_info *d, uint64_t vaddr)
{
	Dwarf_Die unit;
	struct unit *u = find_unit(d, vaddr, &unit);
	Dwarf_Die *with_lines = u ? unit_with_lines(d, u, &unit) : NULL;
	Dwarf_Line *line = with_lines ? dwarf_getsrc_die(with_lines, vaddr) : NULL;
	Dwarf_Addr begin;

	return line && dwarf_lineaddr(line, &begin) == 0 && begin == vaddr;
}

static struct data_types *data_types_of(struct debug_info *d)
{
	if (!d->data)
		d->data = data_types__new(d->dwarf);
	return d->data;
}

bool debug_info__data(struct debug_info *d, uint64_t vaddr, struct data_part *ret)
{
	return data_types__find(data_types_of(d), vaddr, ret);
}

bool debug_info__layout(struct debug_info *d, uint64_t vaddr, struct buf *ret)
{
	return data_types__layout(data_types_of(d), vaddr, ret);
}

/* Asked for one function many times in a row. */
bool debug_info__describes(struct debug_info *d, uint64_t vaddr)
{
	const struct addr_range *found;

	if (vaddr - d->entered.lo < d->entered.hi - d->entered.lo)
		return true;
	found = find_function(d, vaddr, &d->entered.function);
	if (!found)
		return false;
	d->entered.lo = found->lo;
	d->entered.hi = found->hi;
	return true;
}

struct pointees *debug_info__pointees(struct debug_info *d)
{
	if (!d->pointees)
		d->pointees = pointees__new(d->dwarf);
	return d->pointees;
}

bool debug_info__pointee(struct debug_info *d, uint64_t vaddr, unsigned reg, struct pointee *ret)
{
	return debug_info__describes(d, vaddr) &&
	       pointees__find(debug_info__pointees(d), &d->entered.function, vaddr, reg, ret);
}

bool debug_info__pointees_end(struct debug_info *d, uint64_t vaddr, uint64_t next)
{
	return debug_info__describes(d, vaddr) &&
	       pointees__end(debug_info__pointees(d), &d->entered.function, vaddr, next);
}

bool debug_info__in_frame(struct debug_info *d, uint64_t vaddr, const struct frame_place *place,
			  struct pointee *ret)
{
	return debug_info__describes(d, vaddr) &&
	       pointees__in_frame(debug_info__pointees(d), &d->entered.function, vaddr, place, ret);
}

const struct frame_slot *debug_info__frame_variable(struct debug_info *d, uint64_t vaddr,
						    const struct frame_place *place, uint64_t bytes)
{
	if (!debug_info__describes(d, vaddr))
		return NULL;
	return pointees__variable(debug_info__pointees(d), &d->entered.function, vaddr, place,
				  bytes);
}

bool debug_info__any_variable(struct debug_info *d, uint64_t vaddr, const struct frame_place *place)
{
	return debug_info__describes(d, vaddr) &&
	       pointees__any_variable(debug_info__pointees(d), &d->entered.function, place);
}

bool debug_info__at_address(struct debug_info *d, uint64_t vaddr, struct pointee *ret)
{
	Dwarf_Die type;
	uint64_t off;

	return data_types__variable(data_types_of(d), vaddr, &type, &off) &&
	       pointees__in_type(debug_info__pointees(d), &type, off, ret);
}

static bool function_at(struct debug_info *d, uint64_t vaddr, Dwarf_Die *ret)
{
	return find_function(d, vaddr, ret) && scope_entry(ret) == vaddr;
}

bool debug_info__is_entry(struct debug_info *d, uint64_t vaddr)
{
	Dwarf_Die function;

	return function_at(d, vaddr, &function);
}

/* A function of another file has no code here: its caller says which it is, where the compiler
 * optimizes. */
void debug_info__call(struct debug_info *d, uint64_t vaddr, uint64_t called, struct call_facts *ret)
{
	Dwarf_Die callee;

	*ret = (struct call_facts){.never = false};
	if ((called && function_at(d, called, &callee)) ||
	    (debug_info__describes(d, vaddr - 1) &&
	     pointees__callee(debug_info__pointees(d), &d->entered.function, vaddr, &callee)))
		pointees__call(debug_info__pointees(d), &callee, ret);
}

bool debug_info__object(struct debug_info *d, uint64_t type, uint64_t off, struct data_part *ret)
{
	return data_types__object(data_types_of(d), type, off, ret);
}

bool debug_info__object_layout(struct debug_info *d, uint64_t type, struct buf *ret)
{
	return data_types__object_layout(data_types_of(d), type, ret);
}
