// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Go's table of functions, made here by hand over made-up code: which rule holds where. */
#include "symd/go_pcln.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "symd/elf_go.h"

enum {
	CODE_AT = 0x1000, /* in the file */
	CODE_VADDR = 0x401000,
	BEFORE = 64, /* code of others */
	TABLE_AT = 0x2000,
	FILE_BYTES = 0x3000,
	VALUES_AT = 0x100, /* in the table */
	FUNCS_AT = 0x200,
	NAMES_AT = 0x80,
	OTHER_SP = 2,
	ASSEMBLY = 4,
};

static uint8_t file[FILE_BYTES];
static char shown[1024];
static size_t last_row;
static uint64_t last_off;

static void put32(size_t at, uint32_t value)
{
	memcpy(file + TABLE_AT + at, &value, sizeof(value));
}

static void put64(size_t at, uint64_t value)
{
	memcpy(file + TABLE_AT + at, &value, sizeof(value));
}

/* A function of 64 bytes; runs: pairs of (change of the value, zigzag; bytes). */
static void put_func(uint32_t i, uint32_t n, bool v20, uint8_t flags, const char *runs, size_t len)
{
	size_t more = 8 * (n + 1) + 48 * i, values = 1 + 16 * i;

	put32(FUNCS_AT + 8 * i, 64 * i);
	put32(FUNCS_AT + 8 * i + 4, (uint32_t)more);
	put32(FUNCS_AT + 8 * (i + 1), 64 * (i + 1));
	put32(FUNCS_AT + more + 16, (uint32_t)values);
	file[TABLE_AT + FUNCS_AT + more + (v20 ? 41 : 37)] = flags;
	memcpy(file + TABLE_AT + VALUES_AT + values, runs, len);
}

static void put_head(bool v20, uint64_t n, uint64_t text)
{
	memset(file, 0x90, sizeof(file));
	memset(file + TABLE_AT, 0, sizeof(file) - TABLE_AT);
	put32(0, v20 ? 0xfffffff1 : 0xfffffff0);
	file[TABLE_AT + 6] = 1;
	file[TABLE_AT + 7] = 8;
	put64(8, n);
	put64(24, text);
	put64(32, NAMES_AT);
	put64(56, VALUES_AT);
	put64(64, FUNCS_AT);
}

static void put_code(uint32_t func, size_t at, const char *bytes, size_t len)
{
	memcpy(file + CODE_AT + 64 * func + at, bytes, len);
}

/* Of two at one place the second counts, as in a table. */
static void add_row(void *ctx, uint64_t file_off, const struct pmb_unwind_rule *rule)
{
	bool by_sp = rule->cfa == PMB_CFA_SP;
	size_t len;

	(void)ctx;
	if (file_off != last_off)
		last_row = strlen(shown);
	last_off = file_off;
	len = last_row;
	snprintf(shown + len, sizeof(shown) - len, "%d+%d:%s%s ", (int)((file_off - CODE_AT) / 64),
		 (int)((file_off - CODE_AT) % 64), by_sp ? "" : "frame",
		 rule->fp == PMB_FP_CFA ? "saved," : "");
	len = strlen(shown) - 1;
	if (by_sp)
		snprintf(shown + len, sizeof(shown) - len, "sp+%d ", rule->cfa_off);
}

/* fd is to be closed. */
static bool open_table(struct go_pcln *g, uint64_t text)
{
	static const struct cfi_code code = {.file_off = CODE_AT - BEFORE,
					     .vaddr = CODE_VADDR - BEFORE,
					     .size = 0x1000};
	int fd = memfd_create("go", MFD_CLOEXEC);

	*g = (struct go_pcln){
		.table.fd = fd,
		.table.file_off = TABLE_AT,
		.table.size = FILE_BYTES - TABLE_AT,
		.text = text,
		.code = &code,
		.n_code = 1,
	};
	cr_assert_eq(write(fd, file, sizeof(file)), (ssize_t)sizeof(file));
	return go_pcln__open(g);
}

/* The rows for all the code, or false. */
static bool fill(size_t n_funcs, uint64_t text)
{
	static const struct pmb_unwind_rule gap = {.cfa = PMB_CFA_FRAME};
	struct go_pcln g;
	bool ok = open_table(&g, text);
	_cleanup_close_ int fd = g.table.fd;

	shown[0] = '\0';
	last_off = last_row = 0;
	if (ok)
		go_pcln__fill(&g, CODE_AT, CODE_AT + 64 * n_funcs, &gap, add_row, NULL);
	return ok;
}

/* "sub $24, %rsp; mov %rbp, 16(%rsp)" from byte 6 on; the frame goes at byte 50. */
#define RUNS "\2\12\60\50\57\16"
#define PROLOGUE "\x48\x83\xec\x18\x48\x89\x6c\x24\x10"

static void put_usual(uint32_t i, uint32_t n, bool v20, uint8_t flags)
{
	put_func(i, n, v20, flags, RUNS, sizeof(RUNS) - 1);
	put_code(i, 6, PROLOGUE, sizeof(PROLOGUE) - 1);
}

static void expect_rows(size_t n, const char *rows)
{
	cr_assert(fill(n, 0));
	cr_expect_str_eq(shown, rows);
}

Test(go_pcln, compiled_code_has_frame_pointers_where_it_has_frames)
{
	for (int v20 = 0; v20 < 2; v20++) {
		put_head(v20, 1, CODE_VADDR);
		put_usual(0, 1, v20, 0);
		expect_rows(1, "0+0:sp+8 0+10:frame 0+50:sp+8 ");
	}
}

Test(go_pcln, assembly_uses_the_frame_pointer_for_anything)
{
	put_head(true, 2, CODE_VADDR);
	put_usual(0, 2, true, 0);
	put_usual(1, 2, true, ASSEMBLY);
	expect_rows(2, "0+0:sp+8 0+10:frame 0+50:sp+8 "
		       "1+0:sp+8 1+10:sp+32 1+15:saved,sp+32 1+50:sp+8 ");
}

Test(go_pcln, since_go_1_21_it_is_pushed)
{
	put_head(true, 2, CODE_VADDR);
	/* push %rbp; mov %rsp, %rbp; sub $16, %rsp */
	for (uint32_t i = 0; i < 2; i++) {
		put_func(i, 2, true, i ? ASSEMBLY : 0, "\2\1\20\7\40\52\57\16", 8);
		put_code(i, 0, "\x55\x48\x89\xe5\x48\x83\xec\x10", 8);
	}
	expect_rows(2, "0+0:sp+8 0+1:frame 0+8:frame 0+50:sp+8 "
		       "1+0:sp+8 1+1:saved,sp+16 1+8:saved,sp+32 1+50:sp+8 ");
}

Test(go_pcln, assembly_without_that_prologue_is_left_to_the_frame_pointer)
{
	put_head(true, 2, CODE_VADDR);
	put_usual(0, 2, true, 0);
	put_func(1, 2, true, ASSEMBLY, RUNS, sizeof(RUNS) - 1);
	expect_rows(2, "0+0:sp+8 0+10:frame 0+50:sp+8 "
		       "1+0:sp+8 1+10:frame 1+50:sp+8 ");
}

Test(go_pcln, of_what_changes_stacks_nothing_is_said)
{
	put_head(true, 3, CODE_VADDR);
	put_usual(0, 3, true, 0);
	put_usual(1, 3, true, ASSEMBLY | OTHER_SP);
	/* where signal handlers return to */
	put_func(2, 3, true, ASSEMBLY, "\2\100", 2);
	put_code(2, 0, "\x48\xc7\xc0\x0f\0\0\0\x0f\x05", 9);
	expect_rows(3, "0+0:sp+8 0+10:frame 0+50:sp+8 1+0:frame 2+0:frame ");
}

Test(go_pcln, damaged_values_end_what_is_known)
{
	put_head(true, 2, CODE_VADDR);
	put_usual(0, 2, true, 0);
	put_func(1, 2, true, 0, "\2\12\63\50", 4); /* no multiple of a word: -25 */
	expect_rows(2, "0+0:sp+8 0+10:frame 0+50:sp+8 1+0:sp+8 1+10:frame ");
}

Test(go_pcln, where_functions_begin_is_tried)
{
	put_head(true, 1, 0);
	put_usual(0, 1, true, 0);
	cr_expect_not(fill(1, 0));
	cr_expect_not(fill(1, CODE_VADDR + 16));
	cr_expect(fill(1, CODE_VADDR));
	put_head(true, 1, CODE_VADDR + 16); /* wrong, as it stands there */
	put_usual(0, 1, true, 0);
	cr_expect(fill(1, CODE_VADDR));
}

Test(go_pcln, what_is_no_such_table)
{
	put_head(true, 1, CODE_VADDR);
	put_usual(0, 1, true, 0);
	file[TABLE_AT] = 0xfa; /* Go 1.16's, of which functions don't say what they are */
	cr_expect_not(fill(1, CODE_VADDR));
	put_head(true, (uint64_t)1 << 40, CODE_VADDR);
	put_usual(0, 1, true, 0);
	cr_expect_not(fill(1, CODE_VADDR));
}

/* What the function at vaddr is called, "START+BYTES:NAME"; "": nothing. */
static const char *name_of(uint64_t vaddr)
{
	struct elf_name name;
	struct go_pcln g;
	_cleanup_close_ int fd = -1;

	shown[0] = '\0';
	cr_assert(open_table(&g, 0));
	fd = g.table.fd;
	if (elf_go__find(&g, vaddr, &name))
		snprintf(shown, sizeof(shown), "%d+%d:%.*s", (int)(name.start - CODE_VADDR),
			 (int)(name.end - name.start), (int)name.len, name.name);
	return shown;
}

static void put_name(uint32_t i, uint32_t n, uint32_t off)
{
	put32(FUNCS_AT + 8 * (n + 1) + 48 * i + 4, off);
}

Test(go_pcln, functions_have_their_names)
{
	put_head(true, 2, CODE_VADDR);
	put_usual(0, 2, true, 0);
	put_usual(1, 2, true, 0);
	memcpy(file + TABLE_AT + NAMES_AT, "\0main.main\0main.(*box[...]).add", 32);
	put_name(0, 2, 1);
	put_name(1, 2, 11);
	cr_expect_str_eq(name_of(CODE_VADDR), "0+64:main.main");
	cr_expect_str_eq(name_of(CODE_VADDR + 63), "0+64:main.main");
	cr_expect_str_eq(name_of(CODE_VADDR + 64), "64+64:main.(*box[...]).add");
	cr_expect_str_eq(name_of(CODE_VADDR - 1), "");
	cr_expect_str_eq(name_of(CODE_VADDR + 128), "");
	put_name(1, 2, 0); /* an empty one */
	cr_expect_str_eq(name_of(CODE_VADDR + 64), "");
	put_name(1, 2, FILE_BYTES);
	cr_expect_str_eq(name_of(CODE_VADDR + 64), "");
	put_name(1, 2, UINT32_MAX);
	cr_expect_str_eq(name_of(CODE_VADDR + 64), "");
}

/* Names are read by windows; one that only begins in one is read on. */
Test(go_pcln, names_that_go_on_behind_what_was_read)
{
	enum { N = 500, FUNCS = 0x8000, MORE = 8 * (N + 1), FUNC = 8, BYTES = 0x10000 };
	static uint8_t table[BYTES];
	uint32_t name_at = 1;
	_cleanup_close_ int fd = memfd_create("go", MFD_CLOEXEC);
	struct go_table t = {.fd = fd, .size = BYTES, .names = 0, .funcs = FUNCS, .n_funcs = N};

	for (uint32_t i = 0; i < N; i++) {
		uint32_t entry[] = {64 * i, MORE + FUNC * i};

		memcpy(table + FUNCS + 8 * i, entry, sizeof(entry));
		memcpy(table + FUNCS + MORE + FUNC * i + 4, &name_at, sizeof(name_at));
		name_at += 1 + (uint32_t)snprintf((char *)table + name_at, 64, "main.%0*u",
						  20 + i % 37, i);
	}
	cr_assert_gt(name_at, 4 * GO_TABLE_WINDOW);
	cr_assert_eq(write(fd, table, sizeof(table)), (ssize_t)sizeof(table));
	for (int i = 0; i < 2 * N; i++) { /* there and back */
		uint32_t func = i < N ? (uint32_t)i : (uint32_t)(2 * N - 1 - i);
		char want[64];
		size_t len;
		const char *name = go_table__name(&t, func, &len);

		snprintf(want, sizeof(want), "main.%0*u", 20 + func % 37, func);
		cr_assert(name && len == strlen(want) && memcmp(name, want, len) == 0, "%s", want);
	}
}

/* arm64: "ldr x16, [x28, #16]" begins what has a large frame. */
Test(go_pcln, arm64_is_told_by_what_checks_the_stack)
{
	struct go_pcln g;
	_cleanup_close_ int right = -1, wrong = -1;

	put_head(true, 1, CODE_VADDR);
	file[TABLE_AT + 6] = 4;
	put_func(0, 1, true, 0, "\2\3\200\4\56", 5);
	put_code(0, 0, "\x90\x0b\x40\xf9", 4);
	cr_expect(open_table(&g, 0));
	right = g.table.fd;
	put64(24, CODE_VADDR + 4);
	cr_expect_not(open_table(&g, 0));
	wrong = g.table.fd;
}
