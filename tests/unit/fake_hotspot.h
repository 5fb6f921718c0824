/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The memory of a HotSpot process, as far as its code is concerned, in a file in memory: layouts
 * are what two builds say of themselves (vmStructs); its code cache has one compiled method. */
#ifndef FAKE_HOTSPOT_H
#define FAKE_HOTSPOT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct fake_member {
	const char *type, *member, *type_of_member;
	uint32_t is_static;
	uint64_t offset, address;
};

struct fake_type {
	const char *type;
	uint64_t size;
};

enum {
	FAKE_STRUCTS = 0x1000, /* the words that libjvm.so exports, */
	FAKE_TYPES = 0x1008,
	FAKE_STRUCT_TABLE = 0x2000, /* and what they lead to */
	FAKE_TYPE_TABLE = 0x6000,
	FAKE_TEXTS = 0x8000,
	FAKE_HEAPS = 0x12000, /* CodeCache::_heaps, */
	FAKE_ARRAY = 0x12100,
	FAKE_ARRAY_DATA = 0x12200,
	FAKE_HEAP = 0x12300,
	FAKE_RELEASE = 0x12600,
	FAKE_METHOD = 0x13000,
	FAKE_CONST_METHOD = 0x13100,
	FAKE_POOL = 0x13200,
	FAKE_KLASS = 0x13400,
	FAKE_CLASS_NAME = 0x13500,
	FAKE_METHOD_NAME = 0x13600,
	FAKE_CODE_LOW = 0x14000,
	FAKE_CODE_HIGH = 0x18000,
	FAKE_CODE_BYTES = 0x40,
	FAKE_NAME_INDEX = 7,
	FAKE_FILE_INDEX = 8,
	FAKE_FILE_NAME = 0x13700,
	FAKE_BYTECODES = 10,
	FAKE_CONST_METHOD_WORDS = 12,
	FAKE_MEMBERS_MAX = 48,
	FAKE_TYPES_MAX = 8,
};

/* Debian's 17.0.15 for x86-64. */
static const struct fake_member fake_17[FAKE_MEMBERS_MAX] = {
	{"GrowableArrayBase", "_len", "int", 0, 0, 0},
	{"GrowableArray<int>", "_data", "int*", 0, 8, 0},
	{"CodeCache", "_heaps", "GrowableArray<CodeHeap*>*", 1, 0, FAKE_HEAPS},
	{"CodeHeap", "_memory", "VirtualSpace", 0, 8, 0},
	{"CodeHeap", "_log2_segment_size", "int", 0, 256, 0},
	{"VirtualSpace", "_low_boundary", "char*", 0, 0, 0},
	{"VirtualSpace", "_high_boundary", "char*", 0, 8, 0},
	{"VirtualSpace", "_low", "char*", 0, 16, 0},
	{"VirtualSpace", "_high", "char*", 0, 24, 0},
	{"HeapBlock::Header", "_length", "size_t", 0, 0, 0},
	{"HeapBlock::Header", "_used", "bool", 0, 8, 0},
	{"CodeBlob", "_name", "const char*", 0, 96, 0},
	{"CodeBlob", "_size", "int", 0, 12, 0},
	{"CodeBlob", "_frame_complete_offset", "int", 0, 20, 0},
	{"CodeBlob", "_data_offset", "int", 0, 24, 0},
	{"CodeBlob", "_frame_size", "int", 0, 28, 0},
	{"CodeBlob", "_code_begin", "address", 0, 32, 0},
	{"CodeBlob", "_code_end", "address", 0, 40, 0},
	{"CompiledMethod", "_method", "Method*", 0, 112, 0},
	{"nmethod", "_osr_entry_point", "address", 0, 232, 0},
	{"nmethod", "_compile_id", "int", 0, 304, 0},
	{"nmethod", "_comp_level", "int", 0, 308, 0},
	{"Method", "_constMethod", "ConstMethod*", 0, 8, 0},
	{"ConstMethod", "_constants", "ConstantPool*", 0, 8, 0},
	{"ConstMethod", "_name_index", "u2", 0, 34, 0},
	{"ConstMethod", "_constMethod_size", "int", 0, 24, 0},
	{"ConstMethod", "_flags", "u2", 0, 28, 0},
	{"ConstMethod", "_code_size", "u2", 0, 32, 0},
	{"ConstantPool", "_source_file_name_index", "u2", 0, 54, 0},
	{"ConstantPool", "_pool_holder", "InstanceKlass*", 0, 24, 0},
	{"Klass", "_name", "Symbol*", 0, 24, 0},
	{"Symbol", "_length", "u2", 0, 4, 0},
	{"Symbol", "_body", "", 0, 6, 0},
	{"Abstract_VM_Version", "_s_vm_release", "const char*", 1, 0, FAKE_RELEASE},
};
static const struct fake_type fake_types_17[FAKE_TYPES_MAX] = {{"ConstantPool", 72},
							       {"HeapBlock", 16},
							       {"ConstMethod", 48}};

/* Temurin's 25.0.3 for x86-64. */
static const struct fake_member fake_25[FAKE_MEMBERS_MAX] = {
	{"GrowableArrayBase", "_len", "int", 0, 0, 0},
	{"GrowableArray<int>", "_data", "int*", 0, 8, 0},
	{"CodeCache", "_heaps", "GrowableArray<CodeHeap*>*", 1, 0, FAKE_HEAPS},
	{"CodeHeap", "_memory", "VirtualSpace", 0, 0, 0},
	{"CodeHeap", "_log2_segment_size", "int", 0, 248, 0},
	{"VirtualSpace", "_low_boundary", "char*", 0, 0, 0},
	{"VirtualSpace", "_high_boundary", "char*", 0, 8, 0},
	{"VirtualSpace", "_low", "char*", 0, 16, 0},
	{"VirtualSpace", "_high", "char*", 0, 24, 0},
	{"HeapBlock::Header", "_length", "uint32_t", 0, 0, 0},
	{"HeapBlock::Header", "_used", "bool", 0, 4, 0},
	{"CodeBlob", "_name", "const char*", 0, 8, 0},
	{"CodeBlob", "_size", "int", 0, 24, 0},
	{"CodeBlob", "_code_offset", "int", 0, 36, 0},
	{"CodeBlob", "_frame_complete_offset", "int16_t", 0, 54, 0},
	{"CodeBlob", "_data_offset", "int", 0, 40, 0},
	{"CodeBlob", "_frame_size", "int", 0, 44, 0},
	{"nmethod", "_method", "Method*", 0, 80, 0},
	{"nmethod", "_osr_entry_point", "address", 0, 144, 0},
	{"nmethod", "_compile_id", "int", 0, 212, 0},
	{"nmethod", "_comp_level", "CompLevel", 0, 216, 0},
	{"Method", "_constMethod", "ConstMethod*", 0, 8, 0},
	{"ConstMethod", "_constants", "ConstantPool*", 0, 8, 0},
	{"ConstMethod", "_name_index", "u2", 0, 36, 0},
	{"ConstMethod", "_constMethod_size", "int", 0, 24, 0},
	{"ConstMethod", "_flags._flags", "u4", 0, 28, 0},
	{"ConstMethod", "_code_size", "u2", 0, 34, 0},
	{"ConstantPool", "_source_file_name_index", "u2", 0, 54, 0},
	{"ConstantPool", "_pool_holder", "InstanceKlass*", 0, 24, 0},
	{"Klass", "_name", "Symbol*", 0, 24, 0},
	{"Symbol", "_length", "u2", 0, 4, 0},
	{"Symbol", "_body", "", 0, 6, 0},
	{"Abstract_VM_Version", "_s_vm_release", "const char*", 1, 0, FAKE_RELEASE},
};
static const struct fake_type fake_types_25[FAKE_TYPES_MAX] = {{"ConstantPool", 72},
							       {"HeapBlock", 8},
							       {"ConstMethod", 56}};

struct fake_hotspot {
	int fd;
	uint64_t texts; /* where the next one goes */
	uint64_t code;  /* where the method's code is */
};

static inline void fake_put(const struct fake_hotspot *f, uint64_t at, const void *data, size_t n)
{
	if (pwrite(f->fd, data, n, (off_t)at) != (ssize_t)n)
		_exit(99);
}

static inline void fake_put_word(const struct fake_hotspot *f, uint64_t at, uint64_t value,
				 size_t size)
{
	fake_put(f, at, &value, size);
}

static inline uint64_t fake_text(struct fake_hotspot *f, const char *text)
{
	uint64_t at = f->texts;

	if (!text)
		return 0;
	fake_put(f, at, text, strlen(text) + 1);
	f->texts += strlen(text) + 1;
	return at;
}

static inline void fake_symbol(struct fake_hotspot *f, uint64_t at, const char *text)
{
	fake_put_word(f, at + 4, strlen(text), 2);
	fake_put(f, at + 6, text, strlen(text));
}

static inline uint64_t fake_offset(const struct fake_member *members, const char *type,
				   const char *member)
{
	for (int i = 0; members[i].type; i++) {
		if (strcmp(members[i].type, type) == 0 && strcmp(members[i].member, member) == 0)
			return members[i].offset;
	}
	return 0;
}

static inline void fake_tables(struct fake_hotspot *f, const struct fake_member *members,
			       const struct fake_type *types, const char *without)
{
	uint64_t at = FAKE_STRUCT_TABLE;

	fake_put_word(f, FAKE_STRUCTS, FAKE_STRUCT_TABLE, 8);
	fake_put_word(f, FAKE_TYPES, FAKE_TYPE_TABLE, 8);
	for (int i = 0; members[i].type; i++) {
		if (without && strcmp(members[i].member, without) == 0)
			continue;
		fake_put_word(f, at, fake_text(f, members[i].type), 8);
		fake_put_word(f, at + 8, fake_text(f, members[i].member), 8);
		fake_put_word(f, at + 16, fake_text(f, members[i].type_of_member), 8);
		fake_put_word(f, at + 24, members[i].is_static, 8);
		fake_put_word(f, at + 32, members[i].offset, 8);
		fake_put_word(f, at + 40, members[i].address, 8);
		at += 48;
	}
	for (int i = 0; types[i].type; i++) {
		fake_put_word(f, FAKE_TYPE_TABLE + i * 40, fake_text(f, types[i].type), 8);
		fake_put_word(f, FAKE_TYPE_TABLE + i * 40 + 32, types[i].size, 8);
	}
}

static inline void fake_method(struct fake_hotspot *f, const struct fake_member *m,
			       const char *class_name, const char *method_name)
{
	fake_put_word(f, FAKE_METHOD + fake_offset(m, "Method", "_constMethod"), FAKE_CONST_METHOD,
		      8);
	fake_put_word(f, FAKE_CONST_METHOD + fake_offset(m, "ConstMethod", "_constants"), FAKE_POOL,
		      8);
	fake_put_word(f, FAKE_CONST_METHOD + fake_offset(m, "ConstMethod", "_name_index"),
		      FAKE_NAME_INDEX, 2);
	fake_put_word(f, FAKE_POOL + fake_offset(m, "ConstantPool", "_pool_holder"), FAKE_KLASS, 8);
	fake_put_word(f, FAKE_POOL + 72 + FAKE_NAME_INDEX * 8, FAKE_METHOD_NAME, 8);
	fake_put_word(f, FAKE_KLASS + fake_offset(m, "Klass", "_name"), FAKE_CLASS_NAME, 8);
	fake_symbol(f, FAKE_CLASS_NAME, class_name);
	fake_symbol(f, FAKE_METHOD_NAME, method_name);
}

/* Lines: 5 from bytecode 0 on, 7 from 4, 5 from 7. */
static inline void fake_lines(struct fake_hotspot *f, const struct fake_member *m,
			      const struct fake_type *types, bool without_zero)
{
	const uint8_t lines[] = {0 << 3 | 5,       4 << 3 | 2,       0xff,
				 6 + without_zero, 3 + without_zero, 0};
	uint64_t flags = fake_offset(m, "ConstMethod", "_flags");

	flags += fake_offset(m, "ConstMethod", "_flags._flags");
	fake_put_word(f, FAKE_CONST_METHOD + flags, 1, 2);
	fake_put_word(f, FAKE_CONST_METHOD + fake_offset(m, "ConstMethod", "_constMethod_size"),
		      FAKE_CONST_METHOD_WORDS, 4);
	fake_put_word(f, FAKE_CONST_METHOD + fake_offset(m, "ConstMethod", "_code_size"),
		      FAKE_BYTECODES, 2);
	fake_put(f, FAKE_CONST_METHOD + types[2].size + FAKE_BYTECODES, lines, sizeof(lines));
	fake_put_word(f, FAKE_POOL + fake_offset(m, "ConstantPool", "_source_file_name_index"),
		      FAKE_FILE_INDEX, 2);
	fake_put_word(f, FAKE_POOL + 72 + FAKE_FILE_INDEX * 8, FAKE_FILE_NAME, 8);
	fake_symbol(f, FAKE_FILE_NAME, "Fake.java");
}

/* A block of 8 segments of 128 bytes with a frame of 64 bytes. */
static inline void fake_code(struct fake_hotspot *f, const struct fake_member *m,
			     const struct fake_type *types)
{
	static const uint8_t code[FAKE_CODE_BYTES] = {
		0x55, 0x48, 0x83, 0xec, 0x30, /* push %rbp; sub $48, %rsp */
		0x90, 0x90, 0x90, 0x48, 0x83,
		0xc4, 0x30, 0x5d, 0xc3, /* add $48, %rsp; pop %rbp; ret */
	};
	uint64_t header = types[1].size, blob = FAKE_CODE_LOW + header;
	uint64_t used = fake_offset(m, "HeapBlock::Header", "_used");
	uint64_t space = FAKE_HEAP + fake_offset(m, "CodeHeap", "_memory");

	fake_put_word(f, FAKE_HEAPS, FAKE_ARRAY, 8);
	fake_put_word(f, FAKE_ARRAY, 1, 4);
	fake_put_word(f, FAKE_ARRAY + 8, FAKE_ARRAY_DATA, 8);
	fake_put_word(f, FAKE_ARRAY_DATA, FAKE_HEAP, 8);
	fake_put_word(f, FAKE_HEAP + fake_offset(m, "CodeHeap", "_log2_segment_size"), 7, 4);
	fake_put_word(f, space, FAKE_CODE_LOW, 8);
	fake_put_word(f, space + 8, FAKE_CODE_HIGH, 8);
	fake_put_word(f, space + 16, FAKE_CODE_LOW, 8);
	fake_put_word(f, space + 24, FAKE_CODE_HIGH, 8);
	fake_put_word(f, FAKE_CODE_LOW, 8, used);
	fake_put_word(f, FAKE_CODE_LOW + used, 1, 1);
	f->code = blob + 512;
	fake_put(f, f->code, code, sizeof(code));
	fake_put_word(f, blob + fake_offset(m, "CodeBlob", "_name"), fake_text(f, "nmethod"), 8);
	fake_put_word(f, blob + fake_offset(m, "CodeBlob", "_frame_size"), 8, 4);
	fake_put_word(f, blob + fake_offset(m, "CodeBlob", "_frame_complete_offset"), 5, 2);
	if (fake_offset(m, "CodeBlob", "_code_begin")) {
		fake_put_word(f, blob + fake_offset(m, "CodeBlob", "_code_begin"), f->code, 8);
		fake_put_word(f, blob + fake_offset(m, "CodeBlob", "_code_end"),
			      f->code + sizeof(code), 8);
		fake_put_word(f, blob + fake_offset(m, "CompiledMethod", "_method"), FAKE_METHOD,
			      8);
	} else {
		fake_put_word(f, blob + fake_offset(m, "CodeBlob", "_code_offset"), 512, 4);
		fake_put_word(f, blob + fake_offset(m, "CodeBlob", "_data_offset"),
			      512 + sizeof(code), 4);
		fake_put_word(f, blob + fake_offset(m, "nmethod", "_method"), FAKE_METHOD, 8);
	}
}

static inline struct fake_hotspot fake_hotspot(const struct fake_member *members,
					       const struct fake_type *types, const char *without)
{
	struct fake_hotspot f = {.fd = memfd_create("hotspot", MFD_CLOEXEC), .texts = FAKE_TEXTS};

	if (f.fd < 0 || ftruncate(f.fd, FAKE_CODE_HIGH + 0x1000) < 0)
		_exit(99);
	fake_tables(&f, members, types, without);
	fake_method(&f, members, "org/example/Fake", "work");
	fake_code(&f, members, types);
	fake_put_word(&f, FAKE_RELEASE, fake_text(&f, "17.0.15+6"), 8);
	return f;
}

#endif
