// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/hotspot_layout.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"

enum {
	NAME_MAX_BYTES = 64,
	OPTIONAL = 9, /* a group that may be missing */
};

/* As the tables' headers have them (vmStructs.hpp), unchanged from 8 to 26. */
struct struct_entry {
	uint64_t type, member, type_of_member;
	uint32_t is_static, pad;
	uint64_t offset, address;
};

struct type_entry {
	uint64_t type, super;
	uint32_t numbers[4];
	uint64_t size;
};

#define AT(member) offsetof(struct hotspot_layout, member)

/* Of members with the same `to` one is enough: versions call it differently. */
static const struct wanted {
	const char *type, *member;
	uint16_t to;
	uint16_t group; /* 0: it has to be there; else one of these groups has to be, whole */
} members[] = {
	{"GrowableArrayBase", "_len", AT(array_len), 0},
	{"GenericGrowableArray", "_len", AT(array_len), 0},
	{"GrowableArray<int>", "_data", AT(array_data), 0},
	{"CodeHeap", "_memory", AT(heap_memory), 0},
	{"CodeHeap", "_log2_segment_size", AT(heap_log2), 0},
	{"VirtualSpace", "_low", AT(space_low), 0},
	{"VirtualSpace", "_high", AT(space_high), 0},
	{"VirtualSpace", "_low_boundary", AT(space_bottom), 0},
	{"VirtualSpace", "_high_boundary", AT(space_top), 0},
	{"HeapBlock::Header", "_used", AT(block_used), 0},
	{"CodeBlob", "_name", AT(blob_name), 0},
	{"CodeBlob", "_size", AT(blob_size), 0},
	{"CodeBlob", "_frame_size", AT(blob_frame_size), 0},
	{"CodeBlob", "_frame_complete_offset", AT(blob_complete), 0},
	{"CodeBlob", "_code_begin", AT(blob_code), 1},
	{"CodeBlob", "_code_end", AT(blob_code_end), 1},
	{"CodeBlob", "_code_offset", AT(blob_code_off), 2},
	{"CodeBlob", "_data_offset", AT(blob_data_off), 2},
	{"CompiledMethod", "_method", AT(method), 0},
	{"nmethod", "_method", AT(method), 0},
	{"nmethod", "_compile_id", AT(compile_id), 0},
	{"nmethod", "_comp_level", AT(comp_level), 0},
	{"nmethod", "_osr_entry_point", AT(osr_entry), 0},
	{"Method", "_constMethod", AT(const_method), 0},
	{"ConstMethod", "_constants", AT(constants), 0},
	{"ConstMethod", "_name_index", AT(name_index), 0},
	{"ConstantPool", "_pool_holder", AT(pool_holder), 0},
	{"Klass", "_name", AT(klass_name), 0},
	{"Symbol", "_length", AT(symbol_length), 0},
	{"Symbol", "_body", AT(symbol_body), 0},
	{"Symbol", "_body[0]", AT(symbol_body), 0},
	{"ConstMethod", "_constMethod_size", AT(const_method_words), OPTIONAL},
	{"ConstMethod", "_code_size", AT(code_size), OPTIONAL},
	{"ConstMethod", "_flags", AT(method_flags), OPTIONAL},
	{"ConstMethod", "_flags._flags", AT(method_flags), OPTIONAL},
	{"ConstantPool", "_source_file_name_index", AT(pool_file), OPTIONAL},
	{"InstanceKlass", "_source_file_name_index", AT(klass_file), OPTIONAL},
	{"nmethod", "_scopes_pcs_offset", AT(scopes_pcs), OPTIONAL},
	{"nmethod", "_scopes_data_offset", AT(scopes_data_off), OPTIONAL},
	{"nmethod", "_metadata_offset", AT(metadata), OPTIONAL},
	{"nmethod", "_dependencies_offset", AT(dependencies), OPTIONAL},
	{"nmethod", "_immutable_data", AT(immutable), OPTIONAL},
	{"nmethod", "_immutable_data_size", AT(immutable_size), OPTIONAL},
	{"CompiledMethod", "_scopes_data_begin", AT(scopes_data), OPTIONAL},
	{"CodeBlob", "_mutable_data", AT(mutable_), OPTIONAL},
	{"CodeBlob", "_mutable_data_size", AT(mutable_size), OPTIONAL},
	{"CodeBlob", "_relocation_size", AT(relocation_size), OPTIONAL},
};

static const struct {
	const char *type, *member;
	uint16_t to;
} statics[] = {
	{"CodeCache", "_heaps", AT(heaps)},
	{"CodeCache", "_heap", AT(heap)},
	{"Abstract_VM_Version", "_s_vm_release", AT(release)},
};

static const struct {
	const char *type;
	uint16_t to;
	bool optional;
} sizes[] = {
	{"HeapBlock", AT(block_size), false},
	{"ConstantPool", AT(pool_size), false},
	{"ConstMethod", AT(const_method_size), true},
};

struct reader {
	struct target_memory *memory;
	struct hotspot_layout *layout;
	bool has[sizeof(struct hotspot_layout)]; /* by offset of the member */
};

static void put(struct reader *r, uint16_t to, uint64_t value, size_t size)
{
	uint32_t small = (uint32_t)value;

	if (r->has[to])
		return;
	r->has[to] = true;
	memcpy((char *)r->layout + to, size == 8 ? (void *)&value : (void *)&small, size);
}

static void take_member(struct reader *r, const struct struct_entry *e, const char *type,
			const char *member)
{
	char text[NAME_MAX_BYTES];

	for (size_t i = 0; e->is_static && i < ARRAY_SIZE(statics); i++) {
		if (strcmp(type, statics[i].type) == 0 && strcmp(member, statics[i].member) == 0)
			put(r, statics[i].to, e->address, 8);
	}
	for (size_t i = 0; !e->is_static && i < ARRAY_SIZE(members); i++) {
		if (e->offset > HOTSPOT_OFFSET_MAX || strcmp(type, members[i].type) != 0 ||
		    strcmp(member, members[i].member) != 0)
			continue;
		put(r, members[i].to, e->offset, 4);
		if (members[i].to == AT(blob_complete) &&
		    target_memory__text(r->memory, e->type_of_member, text, sizeof(text)))
			r->layout->short_complete = strcmp(text, "int16_t") == 0;
	}
}

/* Names of types follow each other: each is read once for all of its members. */
static bool read_members(struct reader *r, uint64_t at)
{
	char type[NAME_MAX_BYTES] = "", member[NAME_MAX_BYTES];
	uint64_t last = 0;
	struct struct_entry e;

	for (int i = 0; i < HOTSPOT_ENTRIES_MAX; i++, at += sizeof(e)) {
		if (!target_memory__read(r->memory, at, &e, sizeof(e)))
			return false;
		if (!e.type)
			return true;
		if (e.type != last && !target_memory__text(r->memory, e.type, type, sizeof(type)))
			return false;
		last = e.type;
		if (e.member && target_memory__text(r->memory, e.member, member, sizeof(member)))
			take_member(r, &e, type, member);
	}
	return false;
}

static bool read_types(struct reader *r, uint64_t at)
{
	char type[NAME_MAX_BYTES];
	struct type_entry e;

	for (int i = 0; i < HOTSPOT_ENTRIES_MAX; i++, at += sizeof(e)) {
		if (!target_memory__read(r->memory, at, &e, sizeof(e)))
			return false;
		if (!e.type)
			return true;
		if (!target_memory__text(r->memory, e.type, type, sizeof(type)))
			return false;
		for (size_t k = 0; k < ARRAY_SIZE(sizes); k++) {
			if (strcmp(type, sizes[k].type) == 0 && e.size <= HOTSPOT_OFFSET_MAX)
				put(r, sizes[k].to, e.size, 4);
		}
	}
	return false;
}

static const char *missing(const struct reader *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		if (!members[i].group && !r->has[members[i].to])
			return members[i].member;
	}
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (!sizes[i].optional && !r->has[sizes[i].to])
			return sizes[i].type;
	}
	if (!r->layout->heaps && !r->layout->heap)
		return "CodeCache::_heaps";
	if (!r->layout->by_address && !(r->has[AT(blob_code_off)] && r->has[AT(blob_data_off)]))
		return "CodeBlob::_code_begin";
	return NULL;
}

const char *hotspot_layout__read(struct target_memory *memory, uint64_t structs, uint64_t types,
				 struct hotspot_layout *ret)
{
	struct reader r = {.memory = memory, .layout = ret};

	*ret = (struct hotspot_layout){0};
	if (!read_members(&r, target_memory__word(memory, structs)) ||
	    !read_types(&r, target_memory__word(memory, types)))
		return "gHotSpotVMStructs";
	ret->by_address = r.has[AT(blob_code)] && r.has[AT(blob_code_end)];
	return missing(&r);
}
