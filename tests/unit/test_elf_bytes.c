// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A string table of an ELF file that is made here, in memory: names in any order, across parts that
 * are kept, and how often it is read for them.
 */
#include <criterion/criterion.h>
#include <elf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "symd/elf_bytes.h"

enum {
	PART = 4096,
	NAMES = 20000,
	NAME_BYTES = 13,            /* that parts are not a multiple of */
	TABLE = NAMES * NAME_BYTES, /* less than what is kept */
	ALL_READS = 1 << 18,
};

struct made {
	Elf64_Ehdr ehdr;
	Elf64_Shdr sections[2];
	char names[];
};

struct table {
	struct made *file;
	struct elf_bytes from;
	struct elf_strings strings;
};

/* Of n bytes, all of them 'x' at first. */
static void make(struct table *t, size_t n)
{
	size_t len = sizeof(*t->file) + n;

	t->file = xcalloc(1, len);
	memcpy(t->file->ehdr.e_ident, ELFMAG, SELFMAG);
	t->file->ehdr.e_ident[EI_CLASS] = ELFCLASS64;
	t->file->ehdr.e_ident[EI_DATA] = ELFDATA2LSB;
	t->file->ehdr.e_ident[EI_VERSION] = EV_CURRENT;
	t->file->ehdr.e_version = EV_CURRENT;
	t->file->ehdr.e_ehsize = sizeof(Elf64_Ehdr);
	t->file->ehdr.e_shoff = sizeof(Elf64_Ehdr);
	t->file->ehdr.e_shentsize = sizeof(Elf64_Shdr);
	t->file->ehdr.e_shnum = 2;
	t->file->sections[1] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB,
		.sh_offset = sizeof(*t->file),
		.sh_size = n,
	};
	memset(t->file->names, 'x', n);
	cr_assert_neq(elf_version(EV_CURRENT), EV_NONE);
	t->from = (struct elf_bytes){
		.elf = elf_memory((char *)t->file, len),
		.fd = -1,
		.memory = (const uint8_t *)t->file,
		.len = len,
	};
	cr_assert_not_null(t->from.elf);
	cr_assert(elf_strings__open(&t->strings, &t->from, elf_getscn(t->from.elf, 1), 1 << 30));
}

static void done(struct table *t)
{
	elf_strings__close(&t->strings);
	elf_end(t->from.elf);
	free(t->file);
}

static void expect_name(struct table *t, uint64_t offset, const char *want)
{
	size_t len;
	const char *name = elf_strings__at(&t->strings, offset, &len);

	cr_assert_not_null(name, "at %ju", (uintmax_t)offset);
	cr_assert_eq(len, strlen(want), "at %ju: %zu bytes", (uintmax_t)offset, len);
	cr_assert_eq(memcmp(name, want, len), 0, "at %ju", (uintmax_t)offset);
}

Test(elf_bytes, names_in_any_order_are_read_once)
{
	struct table t;
	char want[NAME_BYTES + 1];
	uint32_t across = NAMES * NAME_BYTES / PART + 1;

	make(&t, TABLE);
	for (unsigned i = 0; i < NAMES; i++) {
		snprintf(want, sizeof(want), "name_%07u", i);
		memcpy(t.file->names + i * NAME_BYTES, want, NAME_BYTES);
	}
	/* a step that has no divisor in common with how many there are */
	for (unsigned n = 0, i = 0; n < 2 * NAMES; n++, i = (i + 7919) % NAMES) {
		snprintf(want, sizeof(want), "name_%07u", i);
		expect_name(&t, (uint64_t)i * NAME_BYTES, want);
	}
	/* each part, and each time a name that goes on in the next one */
	cr_assert_leq(ALL_READS - t.strings.reads_left, across + 2 * across);
	done(&t);
}

Test(elf_bytes, parts_make_room_for_others)
{
	struct table t;
	char want[32];

	make(&t, 1024 * PART);
	for (unsigned i = 0; i < 1024; i++)
		snprintf(t.file->names + i * PART, 32, "part %u", i);
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 1024; i += 127) {
			snprintf(want, sizeof(want), "part %u", i);
			expect_name(&t, (uint64_t)i * PART, want);
		}
	}
	done(&t);
}

/* Where it is in each string, also across what is read at a time; and names that begin amid one. */
Test(elf_bytes, strings_that_have_a_text)
{
	const size_t across = 256 * 1024 - 3, far = 2 * 256 * 1024 + 70000;
	struct elf_string_hits hits;
	struct table t;

	make(&t, 1024 * 1024);
	for (size_t i = 1023; i < 1024 * 1024; i += 1024)
		t.file->names[i] = '\0';
	memcpy(t.file->names + 100, "needle", 6);
	memcpy(t.file->names + 200, "needle", 6);
	memcpy(t.file->names + across, "nee", 3); /* and a NUL */
	memcpy(t.file->names + across - 512, "needle", 6);
	memcpy(t.file->names + far, "needle", 6);
	elf_strings__with(&t.strings, "needle", 6, &hits);
	cr_assert_eq(hits.n, 3, "%zu", hits.n);
	cr_expect(hits.list[0].start == 0 && hits.list[0].text == 200);
	cr_expect(hits.list[1].text == across - 512);
	cr_expect(hits.list[2].text == far && hits.list[2].start == far / 1024 * 1024);
	cr_expect(elf_string_hits__has(&hits, 0) && elf_string_hits__has(&hits, 200));
	cr_expect(!elf_string_hits__has(&hits, 201) && !elf_string_hits__has(&hits, 1024));
	cr_expect(elf_string_hits__has(&hits, far) && !elf_string_hits__has(&hits, far + 1));
	cr_expect(elf_string_hits__begins(&hits, far) && elf_string_hits__begins(&hits, 200));
	cr_expect(!elf_string_hits__begins(&hits, 100) && !elf_string_hits__begins(&hits, 0));
	cr_expect(!hits.is_partial);
	free(hits.list);
	elf_strings__with(&t.strings, "", 0, &hits);
	cr_expect(!hits.n && !elf_string_hits__has(&hits, 0));
	done(&t);
}

/* The text lies half in one piece that is read, and half in the next. */
Test(elf_bytes, a_text_across_two_reads)
{
	struct elf_string_hits hits;
	struct table t;

	make(&t, 1024 * 1024);
	for (size_t at = 256 * 1024 - 8; at < 256 * 1024 + 8; at++) {
		t.file->names[at - 1] = '\0';
		memcpy(t.file->names + at, "needle", 7);
		elf_strings__with(&t.strings, "needle", 6, &hits);
		cr_expect(hits.n == 1 && hits.list[0].text == at && hits.list[0].start == at,
			  "at %zu: %zu", at, hits.n);
		free(hits.list);
		memset(t.file->names + at - 1, 'x', 8);
	}
	done(&t);
}

Test(elf_bytes, long_names_and_the_end)
{
	struct table t;
	size_t len;

	make(&t, 40 * PART);
	t.file->names[0] = '\0';
	t.file->names[3 * PART - 1] = '\0';
	expect_name(&t, 0, "");
	elf_strings__at(&t.strings, 1, &len);
	cr_assert_eq(len, 3 * PART - 2);
	/* cut, where it is longer */
	cr_assert_not_null(elf_strings__at(&t.strings, 3 * PART, &len));
	cr_assert_eq(len, ELF_NAME_MAX);
	/* no NUL before the table ends */
	expect_name(&t, 40 * PART - 5, "xxxxx");
	expect_name(&t, 40 * PART - 1, "x");
	cr_assert_null(elf_strings__at(&t.strings, 40 * PART, &len));
	cr_assert_null(elf_strings__at(&t.strings, UINT64_MAX, &len));
	done(&t);
}

Test(elf_bytes, a_file_that_is_shorter_than_its_table)
{
	struct table t;
	size_t len;

	make(&t, 4 * PART);
	t.strings.from.len -= 2 * PART + 100;
	expect_name(&t, 2 * PART - 102, "xx");
	cr_assert_null(elf_strings__at(&t.strings, 2 * PART - 100, &len));
	cr_assert_null(elf_strings__at(&t.strings, 3 * PART, &len));
	done(&t);
}
