// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fake_hotspot.h"
#include "pmubpf/hotspot.h"
#include "symd/hotspot.h"

/* What the interpreter runs, if nobody knows. */
#define INTERPRETER "4000000000000000 3fffffffffffffff HotSpot::Interpreter\n"

static const struct hotspot_place place = {FAKE_STRUCTS, FAKE_TYPES};

/* The rule at an address, by the table's own rows. */
static const struct pmb_unwind_rule *rule_at(const struct cfi_table *t, uint64_t addr)
{
	const struct pmb_unwind_page *page = &t->pages[(addr >> PMB_PAGE_SHIFT) - t->first_page];
	uint32_t found = 0;

	for (uint32_t i = 0; i < page->n; i++) {
		if (PMB_ROW_LOW(t->rows[page->first + i]) <= (addr & 0xffff))
			found = PMB_ROW_RULE(t->rows[page->first + i]);
	}
	return &t->rules[found];
}

static void expect_rule(const struct cfi_table *t, uint64_t addr, __s32 cfa_off, int fp)
{
	const struct pmb_unwind_rule *rule = rule_at(t, addr);

	cr_expect_eq(rule->cfa, PMB_CFA_SP);
	cr_expect_eq(rule->cfa_off, cfa_off, "%d, not %d, at %lx", rule->cfa_off, cfa_off, addr);
	cr_expect_eq(rule->fp, fp);
}

static void read_one(const struct fake_member *members, const struct fake_type *types)
{
	struct fake_hotspot fake = fake_hotspot(members, types, NULL);
	struct hotspot *h = hotspot__new();
	struct pmb_table_head head;
	struct cfi_table t;
	char line[160];
	bool changed;

	cr_assert_null(hotspot__read(h, fake.fd, &place, &changed));
	cr_expect(changed);
	cr_expect_str_eq(hotspot__release(h), "17.0.15+6");
	snprintf(line, sizeof(line), INTERPRETER "%lx %x org.example.Fake::work\n", fake.code,
		 FAKE_CODE_BYTES);
	cr_expect_str_eq(hotspot__names(h)->data, line);

	cfi_table__init(&t);
	cr_assert_eq(hotspot__table(h, &t), 0);
	cr_assert_eq(cfi_table__finish(&t, &head), 0);
	expect_rule(&t, fake.code, 8, PMB_FP_SAME);
	expect_rule(&t, fake.code + 1, 16, PMB_FP_CFA);
	expect_rule(&t, fake.code + 5, 64, PMB_FP_CFA);
	expect_rule(&t, fake.code + 8, 64, PMB_FP_CFA);
	expect_rule(&t, fake.code + 12, 16, PMB_FP_CFA);
	expect_rule(&t, fake.code + 13, 8, PMB_FP_SAME);
	expect_rule(&t, fake.code + 14, 64, PMB_FP_CFA);
	cr_expect_eq(rule_at(&t, fake.code - 1)->cfa, PMB_CFA_NONE, "nobody's code");
	cfi_table__done(&t);

	/* nothing is new, and nothing is named twice */
	cr_assert_null(hotspot__read(h, fake.fd, &place, &changed));
	cr_expect_not(changed);
	cr_expect_str_eq(hotspot__names(h)->data, line);
	hotspot__free(h);
	close(fake.fd);
}

Test(hotspot, of_17)
{
	read_one(fake_17, fake_types_17);
}

Test(hotspot, of_25)
{
	read_one(fake_25, fake_types_25);
}

/* Who doesn't say where its methods' names are isn't guessed at, and said by what is missing. */
Test(hotspot, one_that_is_not_understood)
{
	static const char *const without[] = {"_log2_segment_size", "_name_index", "_used",
					      "_compile_id"};

	for (size_t i = 0; i < sizeof(without) / sizeof(*without); i++) {
		struct fake_hotspot fake = fake_hotspot(fake_17, fake_types_17, without[i]);
		struct hotspot *h = hotspot__new();
		bool changed;

		cr_expect_str_eq(hotspot__read(h, fake.fd, &place, &changed), without[i]);
		hotspot__free(h);
		close(fake.fd);
	}
}

/* The same place has other code by now: it is named after what was there. */
Test(hotspot, code_in_the_place_of_other_code)
{
	struct fake_hotspot fake = fake_hotspot(fake_25, fake_types_25, NULL);
	struct hotspot *h = hotspot__new();
	bool changed;

	hotspot__read(h, fake.fd, &place, &changed);
	fake_symbol(&fake, FAKE_METHOD_NAME, "rest");
	fake_put_word(&fake, FAKE_CODE_LOW + 8 + fake_offset(fake_25, "nmethod", "_compile_id"), 5,
		      4);
	cr_assert_null(hotspot__read(h, fake.fd, &place, &changed));
	cr_expect(changed);
	cr_expect_not_null(strstr(hotspot__names(h)->data, "::work\n"));
	cr_expect_not_null(strstr(hotspot__names(h)->data, "::rest\n"));
	hotspot__free(h);
	close(fake.fd);
}

/* What was looked at and is gone by now takes no room from what there is. */
Test(hotspot, stubs_in_the_place_of_other_stubs)
{
	enum { SEGMENTS = 120, BYTES = 14000, TIMES = 320 };
	struct fake_hotspot fake = fake_hotspot(fake_17, fake_types_17, NULL);
	uint64_t blob = FAKE_CODE_LOW + fake_types_17[1].size;
	struct hotspot *h = hotspot__new();
	struct pmb_table_head head;
	struct cfi_table t;
	bool changed;

	fake_put_word(&fake, FAKE_CODE_LOW, SEGMENTS, 8);
	fake_put_word(&fake, blob + fake_offset(fake_17, "CodeBlob", "_name"),
		      fake_text(&fake, "StubRoutines (1)"), 8);
	fake_put_word(&fake, blob + fake_offset(fake_17, "CodeBlob", "_code_end"),
		      fake.code + BYTES, 8);
	for (uint64_t i = 0; i < TIMES; i++) {
		fake_put_word(&fake, blob + fake_offset(fake_17, "CodeBlob", "_frame_size"),
			      8 + i % 2, 4);
		cr_assert_null(hotspot__read(h, fake.fd, &place, &changed));
		cr_assert(changed);
	}
	cfi_table__init(&t);
	cr_assert_eq(hotspot__table(h, &t), 0);
	cr_assert_eq(cfi_table__finish(&t, &head), 0);
	expect_rule(&t, fake.code + 1, 16, PMB_FP_CFA);
	cfi_table__done(&t);
	hotspot__free(h);
	close(fake.fd);
}

/* A class's name may have anything but . ; [ and / in it: no line of names may be forged. */
Test(hotspot, names_are_one_line)
{
	struct fake_hotspot fake = fake_hotspot(fake_25, fake_types_25, NULL);
	struct hotspot *h = hotspot__new();
	bool changed;

	fake_symbol(&fake, FAKE_METHOD_NAME, "a\n0 ffffffff b\t");
	hotspot__read(h, fake.fd, &place, &changed);
	cr_expect_not_null(strstr(hotspot__names(h)->data, "::a?0 ffffffff b?\n"));
	hotspot__free(h);
	close(fake.fd);
}

static void expect_survives(const struct fake_hotspot *fake)
{
	const uint64_t word = PMB_METHOD_WORD(FAKE_METHOD, 0ULL);
	struct hotspot *h = hotspot__new();
	struct cfi_table t;
	bool changed;

	hotspot__read(h, fake->fd, &place, &changed);
	cfi_table__init(&t);
	hotspot__table(h, &t);
	cfi_table__done(&t);
	hotspot__name_places(h, fake->fd, &word, 1);
	hotspot__free(h);
}

/* Blocks that are none, tables and heaps that lead to themselves: it ends. */
Test(hotspot, memory_of_chance)
{
	static const uint64_t values[] = {0,          1,        7, FAKE_HEAPS, FAKE_CODE_LOW,
					  UINT64_MAX, INT64_MAX};
	static const uint64_t from[] = {FAKE_STRUCTS, FAKE_HEAPS, FAKE_METHOD, FAKE_CODE_LOW};

	for (size_t f = 0; f < 4; f++) {
		for (size_t i = 0; i < 64; i++) {
			struct fake_hotspot fake = fake_hotspot(fake_17, fake_types_17, NULL);

			fake_put_word(&fake, from[f] + i * 8, values[i % 7], 8);
			expect_survives(&fake);
			close(fake.fd);
		}
	}
}

static void name_places(const struct fake_member *members, const struct fake_type *types,
			const char *release)
{
	struct fake_hotspot fake = fake_hotspot(members, types, NULL);
	const uint64_t code = FAKE_CONST_METHOD + types[2].size;
	const uint64_t words[] = {PMB_METHOD_WORD(FAKE_METHOD, code),
				  PMB_METHOD_WORD(FAKE_METHOD, code + 5),
				  PMB_METHOD_WORD(FAKE_METHOD, code + 9),
				  PMB_METHOD_WORD(FAKE_METHOD, code + 10),
				  PMB_METHOD_WORD(FAKE_KLASS, code)};
	static const char *const expected[] = {"org.example.Fake::work\tFake.java\t5\n",
					       "org.example.Fake::work\tFake.java\t7\n",
					       "org.example.Fake::work\tFake.java\t5\n",
					       "org.example.Fake::work\n"};
	struct hotspot *h = hotspot__new();
	char line[160];
	bool changed;
	int none;

	fake_put_word(&fake, FAKE_RELEASE, fake_text(&fake, release), 8);
	fake_lines(&fake, members, types, strtoul(release, NULL, 10) >= 20);
	cr_assert_null(hotspot__read(h, fake.fd, &place, &changed));
	cr_expect(hotspot__name_places(h, fake.fd, words, 5));
	for (size_t i = 0; i < 4; i++) {
		snprintf(line, sizeof(line), "%lx 1 %s", words[i], expected[i]);
		cr_expect_not_null(strstr(hotspot__places(h)->data, line), "%s", line);
	}
	snprintf(line, sizeof(line), "%lx 1 ", words[4]);
	cr_expect_null(strstr(hotspot__places(h)->data, line), "what is no method has no name");

	/* what was read is known when it can't be read any more */
	none = memfd_create("none", MFD_CLOEXEC);
	cr_expect(hotspot__name_places(h, none, words, 1));
	close(none);
	hotspot__free(h);
	close(fake.fd);
}

Test(hotspot, what_its_interpreter_runs)
{
	name_places(fake_17, fake_types_17, "17.0.15+6");
	name_places(fake_25, fake_types_25, "25.0.3+9");
}

/* What a sample met in code keeps its name when other code takes that place; and nothing is said by
 * what was there before. */
Test(hotspot, compiled_code_that_gave_way)
{
	struct fake_hotspot fake = fake_hotspot(fake_25, fake_types_25, NULL);
	const uint64_t places[] = {fake.code + 5, fake.code + 6};
	struct hotspot *h = hotspot__new();
	char line[80];
	bool changed;

	cr_assert_null(hotspot__read(h, fake.fd, &place, &changed));
	cr_expect(hotspot__name_places(h, fake.fd, &places[0], 1));
	fake_symbol(&fake, FAKE_METHOD_NAME, "rest");
	fake_put_word(&fake, FAKE_CODE_LOW + 8 + fake_offset(fake_25, "nmethod", "_compile_id"), 5,
		      4);
	cr_expect_not(hotspot__name_places(h, fake.fd, &places[1], 1), "it is other code");
	cr_assert_null(hotspot__read(h, fake.fd, &place, &changed));
	cr_expect(hotspot__name_places(h, fake.fd, &places[1], 1));
	snprintf(line, sizeof(line),
		 "%lx 1 org.example.Fake::work\t\t\n%lx 1 org.example.Fake::rest\t\t\n", places[0],
		 places[1]);
	cr_expect_str_eq(hotspot__places(h)->data, line);
	hotspot__free(h);
	close(fake.fd);
}

/* A method that is gone, another at its place. */
Test(hotspot, method_in_the_place_of_another)
{
	struct fake_hotspot fake = fake_hotspot(fake_17, fake_types_17, NULL);
	const uint64_t word = PMB_METHOD_WORD(FAKE_METHOD, 0ULL), other = 0x13180;
	struct hotspot *h = hotspot__new();
	char bytes[64];
	bool changed;

	cr_assert_null(hotspot__read(h, fake.fd, &place, &changed));
	cr_expect(hotspot__name_places(h, fake.fd, &word, 1));
	fake_symbol(&fake, FAKE_METHOD_NAME, "rest");
	pread(fake.fd, bytes, sizeof(bytes), FAKE_CONST_METHOD);
	fake_put(&fake, other, bytes, sizeof(bytes));
	fake_put_word(&fake, FAKE_METHOD + 8, other, 8);
	cr_expect(hotspot__name_places(h, fake.fd, &word, 1));
	cr_expect_not_null(strstr(hotspot__places(h)->data, " 1 org.example.Fake::rest\n"));
	fake_symbol(&fake, FAKE_METHOD_NAME, "best"); /* of the same shape */
	cr_expect(hotspot__name_places(h, fake.fd, &word, 1));
	cr_expect_not_null(strstr(hotspot__places(h)->data, " 1 org.example.Fake::best\n"));
	hotspot__free(h);
	close(fake.fd);
}
