// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* This program's own DWARF: what was inlined where, on which lines; what its variables are. */
#include <criterion/criterion.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "model/type_layout.h"
#include "symd/debug_info.h"
#include "symd/elf_symbols.h"

static uintptr_t pc;

/* The address of the call's last byte: what a walk would look up. */
static __attribute__((noinline)) void note_pc(void)
{
	pc = (uintptr_t)__builtin_return_address(0) - 1;
}

static inline __attribute__((always_inline)) uint32_t inner(void)
{
	note_pc();
	return __LINE__ - 1;
}

static inline __attribute__((always_inline)) uint32_t middle(uint32_t *ret)
{
	*ret = inner();
	return __LINE__ - 1;
}

static __attribute__((noinline)) uint32_t outer(uint32_t lines[3])
{
	lines[1] = middle(&lines[2]);
	lines[0] = __LINE__ - 1;
	return lines[0];
}

static Elf *elf_of(const void *bytes, size_t len)
{
	elf_version(EV_CURRENT);
	return elf_memory((char *)bytes, len);
}

struct image {
	char *bytes;
	size_t len;
};

static void read_self(struct image *ret)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;

	cr_assert_eq(fstat(fd, &st), 0);
	ret->len = (size_t)st.st_size;
	ret->bytes = xcalloc(1, ret->len);
	cr_assert_eq(read(fd, ret->bytes, ret->len), (ssize_t)ret->len);
}

/* Where this program was loaded: vaddr 0. */
static uintptr_t bias(void)
{
	extern const char __ehdr_start[] __attribute__((visibility("hidden")));

	return (uintptr_t)__ehdr_start;
}

static void expect_frame(const struct debug_frame *f, const char *name, uint32_t line)
{
	cr_expect_str_eq(f->name, name);
	cr_expect_eq(f->line, line, "%s: line %u, not %u", name, f->line, line);
	cr_expect(f->file && strstr(f->file, "test_debug_info.c"), "%s: %s", name, f->file);
}

Test(debug_info, inlined_calls_and_their_lines)
{
	struct debug_frame got[DEBUG_INFO_FRAMES];
	struct image self;
	struct debug_info *d;
	uint32_t lines[3];
	Elf *elf;

	outer(lines);
	read_self(&self);
	elf = elf_of(self.bytes, self.len);
	d = debug_info__open(elf);
	if (!d)
		cr_skip_test("built without DWARF");
	cr_assert_eq(debug_info__find(d, pc - bias(), got), 3);
	expect_frame(&got[0], "outer", lines[0]);
	expect_frame(&got[1], "middle", lines[1]);
	expect_frame(&got[2], "inner", lines[2]);
	/* another function in between, and back */
	cr_assert_eq(debug_info__find(d, (uintptr_t)bias - bias(), got), 1);
	cr_expect_str_eq(got[0].name, "bias");
	cr_assert_eq(debug_info__find(d, pc - bias(), got), 3);
	cr_expect_eq(debug_info__find(d, 1, got), 0);
	cr_expect_eq(debug_info__find(d, UINT64_MAX, got), 0);
	debug_info__free(d);
	elf_end(elf);
	free(self.bytes);
}

/* A function that gcc has in two parts, of which the second one is rarely run. */
#pragma GCC push_options
#pragma GCC optimize("O2")
static __attribute__((noinline, cold)) void run_rarely(long *n)
{
	*n += 1;
}

static __attribute__((noinline)) long in_two_parts(long n)
{
	if (n == 77) {
		run_rarely(&n);
		run_rarely(&n);
	}
	return n;
}
#pragma GCC pop_options

/* Where the second part begins. 0: there is none. */
static uint64_t second_part(Elf *elf, uint64_t vaddr)
{
	Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	Dwarf_Addr base, lo, hi, found = 0;
	Dwarf_Die unit, die;

	cr_assert(dwarf_addrdie(dwarf, vaddr, &unit) && dwarf_child(&unit, &die) == 0);
	do {
		ptrdiff_t at = 0;

		if (dwarf_tag(&die) != DW_TAG_subprogram || dwarf_haspc(&die, vaddr) != 1)
			continue;
		while ((at = dwarf_ranges(&die, at, &base, &lo, &hi)) > 0)
			found = lo;
	} while (dwarf_siblingof(&die, &die) == 0);
	dwarf_end(dwarf);
	return found == vaddr ? 0 : found;
}

Test(debug_info, where_a_function_is_entered)
{
	const uint64_t outers = (uintptr_t)outer - bias(), twos = (uintptr_t)in_two_parts - bias();
	struct debug_info *d;
	struct image self;
	uint64_t second;
	Elf *elf;

	cr_expect_eq(in_two_parts(77), 79);
	read_self(&self);
	elf = elf_of(self.bytes, self.len);
	d = debug_info__open(elf);
	if (!d)
		cr_skip_test("built without DWARF");
	cr_expect(debug_info__is_entry(d, outers));
	cr_expect_not(debug_info__is_entry(d, outers + 1));
	cr_expect_not(debug_info__is_entry(d, 1));
	cr_expect(debug_info__is_entry(d, twos));
	second = second_part(elf, twos);
	if (!second)
		cr_skip_test("the compiler has it in one part");
	cr_expect_not(debug_info__is_entry(d, second));
	debug_info__free(d);
	elf_end(elf);
	free(self.bytes);
}

/* The image again, behind it its line tables, and in them that of this file's unit once more, so
 * many bytes longer: each of them is an instruction. */
static struct image with_longer_lines(const struct image *self, size_t more)
{
	struct image longer = {.len = self->len + more};
	Elf *elf = elf_of(self->bytes, self->len);
	Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	Elf_Scn *scn = elf_section__by_name(elf, ".debug_line");
	Dwarf_Attribute attribute;
	Dwarf_Word offset;
	Dwarf_Die unit;
	GElf_Shdr shdr;
	GElf_Ehdr ehdr;
	Elf64_Shdr *header;
	uint32_t length, at;

	cr_assert(dwarf_addrdie(dwarf, pc - bias(), &unit));
	cr_assert_eq(dwarf_formudata(dwarf_attr(&unit, DW_AT_stmt_list, &attribute), &offset), 0);
	gelf_getshdr(scn, &shdr);
	gelf_getehdr(elf, &ehdr);
	memcpy(&length, self->bytes + shdr.sh_offset + offset, sizeof(length));
	longer.len += shdr.sh_size + sizeof(length) + length;
	longer.bytes = xcalloc(1, longer.len);
	memcpy(longer.bytes, self->bytes, self->len);
	memcpy(longer.bytes + self->len, self->bytes + shdr.sh_offset, shdr.sh_size);
	memcpy(longer.bytes + self->len + shdr.sh_size, self->bytes + shdr.sh_offset + offset,
	       sizeof(length) + length);
	memset(longer.bytes + longer.len - more, DW_LNS_negate_stmt, more);
	length += (uint32_t)more;
	memcpy(longer.bytes + self->len + shdr.sh_size, &length, sizeof(length));
	at = (uint32_t)shdr.sh_size;
	memcpy(longer.bytes + ((char *)attribute.valp - self->bytes), &at, sizeof(at));
	header = (Elf64_Shdr *)(longer.bytes + ehdr.e_shoff) + elf_ndxscn(scn);
	header->sh_offset = self->len;
	header->sh_size = longer.len - self->len;
	dwarf_end(dwarf);
	elf_end(elf);
	return longer;
}

/* Its functions have their names, and the calls their lines, which don't stand there. */
Test(debug_info, line_programs_that_are_too_long)
{
	const size_t more[] = {1000, DEBUG_INFO_LINES_MAX};
	struct debug_frame got[DEBUG_INFO_FRAMES];
	struct image self;
	uint32_t lines[3];

	outer(lines);
	read_self(&self);
	for (size_t i = 0; i < ARRAY_SIZE(more); i++) {
		struct image longer = with_longer_lines(&self, more[i]);
		Elf *elf = elf_of(longer.bytes, longer.len);
		struct debug_info *d = debug_info__open(elf);

		cr_assert_not_null(d);
		cr_assert_eq(debug_info__find(d, pc - bias(), got), 3);
		if (i == 0)
			expect_frame(&got[2], "inner", lines[2]);
		cr_expect_str_eq(got[2].name, "inner");
		cr_expect_eq(got[0].line, lines[0]);
		cr_expect_eq(got[2].line, i == 0 ? lines[2] : 0);
		cr_expect_eq(got[0].file == NULL, i == 1);
		cr_expect_eq(got[2].file == NULL, i == 1);
		debug_info__free(d);
		elf_end(elf);
		free(longer.bytes);
	}
	free(self.bytes);
}

struct node {
	char key[3];
	struct {
		short x, y;
	} at[2];
	union {
		int count;
		float weight;
	} either;
	const struct node *next;
};

static struct node nodes[2];
static const struct node *volatile *pointers[3];
static void (*volatile called)(void);

static void expect_data(struct debug_info *d, const volatile void *at, const char *type,
			const char *member)
{
	struct data_part part = {0};

	cr_assert(debug_info__data(d, (uintptr_t)at - bias(), &part));
	cr_expect_str_eq(part.type.data, type);
	cr_expect_str_eq(part.member.len ? part.member.data : "", member, "%s: not %s",
			 part.member.data, member);
	data_part__done(&part);
}

static void expect_members(struct debug_info *d)
{
	static struct node inside;
	struct data_part part = {0};

	nodes[1].next = &inside;
	pointers[2] = &pointers[0][0];
	called = note_pc;
	expect_data(d, &nodes[1].key[1], "struct node[]", "key[]");
	expect_data(d, &nodes[1].at[1].y, "struct node[]", "at[].y");
	expect_data(d, (char *)&nodes[0].at[0] - 1, "struct node[]", "(padding)");
	expect_data(d, &nodes[0].either, "struct node[]", "either.(several)");
	expect_data(d, (char *)&nodes[0].next + 7, "struct node[]", "next");
	expect_data(d, &inside.next, "struct node", "next");
	expect_data(d, &pointers[1], "struct node **[]", "");
	expect_data(d, &called, "(function) *", "");
	cr_expect_not(debug_info__data(d, (uintptr_t)outer - bias(), &part), "code is no data");
	cr_expect_not(debug_info__data(d, UINT64_MAX, &part));
	cr_expect_not(debug_info__data(d, 0, &part));
	data_part__done(&part);
}

/* Members as they stand, with theirs; and the bytes that the compiler leaves out. */
static void expect_layout(struct debug_info *d, const volatile void *at, const char *want)
{
	struct buf got = {0};

	cr_expect(debug_info__layout(d, (uintptr_t)at - bias(), &got));
	cr_expect_str_eq(got.data, want);
	buf__done(&got);
}

static void expect_layouts(struct debug_info *d)
{
	static const char node[] = "24\n"
				   "0\t0\t3\t3\tkey[]\tchar\n"
				   "0\t4\t8\t2\tat[]\tstruct (anonymous)\n"
				   "1\t4\t2\t1\tat[].x\tshort int\n"
				   "1\t6\t2\t1\tat[].y\tshort int\n"
				   "0\t12\t4\t1\teither.(several)\tunion (anonymous)\n"
				   "1\t12\t4\t1\teither.count\tint\n"
				   "1\t12\t4\t1\teither.weight\tfloat\n"
				   "0\t16\t8\t1\tnext\tstruct node *\n";
	static struct {
		char tag;
		struct {
			union {
				long word;
				char bytes[8];
			};
		};
		struct node sub[2][3];
	} outside;
	struct buf none = {0};

	outside.tag = 1;
	nodes[1].key[0] = ((volatile char *)&outside)[0];
	expect_layout(d, &nodes[1].next, node);
	expect_layout(d, &outside.sub,
		      "160\n"
		      "0\t0\t1\t1\ttag\tchar\n"
		      "0\t8\t8\t1\t(several)\tunion (anonymous)\n"
		      "1\t8\t8\t1\tword\tlong int\n"
		      "1\t8\t8\t8\tbytes[]\tchar\n"
		      "0\t16\t144\t6\tsub[]\tstruct node\n"
		      "1\t16\t3\t3\tsub[].key[]\tchar\n"
		      "1\t20\t8\t2\tsub[].at[]\tstruct (anonymous)\n"
		      "2\t20\t2\t1\tsub[].at[].x\tshort int\n"
		      "2\t22\t2\t1\tsub[].at[].y\tshort int\n"
		      "1\t28\t4\t1\tsub[].either.(several)\tunion (anonymous)\n"
		      "2\t28\t4\t1\tsub[].either.count\tint\n"
		      "2\t28\t4\t1\tsub[].either.weight\tfloat\n"
		      "1\t32\t8\t1\tsub[].next\tstruct node *\n");
	cr_expect_not(debug_info__layout(d, (uintptr_t)&pointers[1] - bias(), &none), "no members");
	cr_expect_not(debug_info__layout(d, 0, &none));
	cr_expect_eq(none.len, 0);
}

Test(debug_info, variables_and_their_members)
{
	struct image self;
	struct debug_info *d;
	Elf *elf;

	read_self(&self);
	elf = elf_of(self.bytes, self.len);
	d = debug_info__open(elf);
	if (!d)
		cr_skip_test("built without DWARF");
	expect_members(d);
	expect_layouts(d);
	debug_info__free(d);
	elf_end(elf);
	free(self.bytes);
}

/* Any byte may be wrong: nothing is read outside, and it ends. */
Test(debug_info, damaged)
{
	enum { ROUNDS = 60, DAMAGES = 400 };
	struct debug_frame got[DEBUG_INFO_FRAMES];
	struct image self, copy;
	struct data_part part = {0};
	struct type_layout layout;
	struct buf text = {0};
	uint32_t random = 1;

	read_self(&self);
	copy.bytes = xcalloc(1, self.len);
	for (int round = 0; round < ROUNDS; round++) {
		struct debug_info *d;
		Elf *elf;

		memcpy(copy.bytes, self.bytes, self.len);
		for (int i = 0; i < DAMAGES; i++) {
			random = random * 1103515245 + 12345;
			/* the header of the file stays: the rest is of interest */
			copy.bytes[64 + random % (self.len - 64)] = (char)(random >> 24);
		}
		elf = elf_of(copy.bytes, self.len);
		d = debug_info__open(elf);
		for (uintptr_t at = 0; d && at < 0x40000; at += 0x1000)
			debug_info__find(d, (uintptr_t)outer - bias() + at - 0x20000, got);
		for (uintptr_t at = 0; d && at < sizeof(nodes); at++)
			debug_info__data(d, (uintptr_t)nodes - bias() + at, &part);
		buf__clear(&text);
		if (d && debug_info__layout(d, (uintptr_t)nodes - bias(), &text)) {
			cr_assert(type_layout__parse(&layout, text.data, text.len), "%s",
				  text.data);
			type_layout__done(&layout);
		}
		debug_info__free(d);
		elf_end(elf);
	}
	data_part__done(&part);
	buf__done(&text);
	free(copy.bytes);
	free(self.bytes);
}

Test(debug_info, none)
{
	static const char empty[64] = "\x7f"
				      "ELF\2\1\1";
	Elf *elf = elf_of(empty, sizeof(empty));

	cr_expect_null(debug_info__open(elf));
	cr_expect_null(debug_info__open(NULL));
	elf_end(elf);
}
