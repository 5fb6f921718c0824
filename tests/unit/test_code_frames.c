// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Unwind rules read off instructions: by hand, and of this machine's libraries, whose .eh_frame
 * says what is right.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "symd/cfi_table.h"
#include "symd/code_frames.h"
#include "symd/elf_cfi.h"
#include "symd/elf_code.h"
#include "symd/elf_symbols.h"
#include "symd/x86_insn.h"
#include "whole_table.h"

static void print_row(void *ctx, uint64_t off, const struct pmb_unwind_rule *r)
{
	struct buf *b = ctx;

	buf__printf(b, "%s%x ", b->len ? "; " : "", (unsigned)off);
	if (r->cfa == PMB_CFA_SP)
		buf__printf(b, "sp+%d", r->cfa_off);
	else if (r->cfa == PMB_CFA_FP)
		buf__printf(b, "fp+%d", r->cfa_off);
	else
		buf__printf(b, "%s",
			    r->cfa == PMB_CFA_END    ? "end" :
			    r->cfa == PMB_CFA_SIGNAL ? "signal" :
						       "?");
	if (r->fp == PMB_FP_CFA)
		buf__printf(b, " fp%d", r->fp_off);
}

/* The code lies at 0x1000 of the address space and 0 of the file. */
static void expect_rows(const char *code, size_t len, const char *want, int line)
{
	static const struct pmb_unwind_rule gap = {.cfa = PMB_CFA_NONE};
	const struct cfi_code where = {.vaddr = 0x1000, .size = len};
	struct code_frames *f = code_frames__new();
	struct buf got = {0};

	code_frames__add(f, (const uint8_t *)code, NULL, &where);
	code_frames__start(f, 0x1000);
	code_frames__sweep(f);
	code_frames__emit(f, 0, len, &gap, print_row, &got);
	cr_expect_str_eq(got.data, want, "line %d: %s", line, got.data);
	code_frames__free(f);
	buf__done(&got);
}
#define EXPECT(code, want) expect_rows(code, sizeof(code) - 1, want, __LINE__)

Test(code_frames, prologue_and_epilogue)
{
	/* push %rbp; push %rbx; sub $8, %rsp; add $8, %rsp; pop %rbx; pop %rbp; ret */
	EXPECT("\x55\x53\x48\x83\xec\x08\x48\x83\xc4\x08\x5b\x5d\xc3",
	       "0 sp+8; 1 sp+16 fp-16; 2 sp+24 fp-16; 6 sp+32 fp-16; a sp+24 fp-16; b sp+16 "
	       "fp-16; c sp+8");
	/* push %rbp; mov %rsp, %rbp; sub %rax, %rsp; leave; ret */
	EXPECT("\x55\x48\x89\xe5\x48\x29\xc4\xc9\xc3",
	       "0 sp+8; 1 sp+16 fp-16; 4 fp+16 fp-16; 8 sp+8");
	/* the same, and a loop that pushes: jmp 7; 6: push %rax; 7: sub $8, %rcx; jge 6; leave;
	 * ret */
	EXPECT("\x55\x48\x89\xe5\xeb\x01\x50\x48\x83\xe9\x08\x7d\xf9\xc9\xc3",
	       "0 sp+8; 1 sp+16 fp-16; 4 fp+16 fp-16; e sp+8");
	/* as Go does it: sub $24, %rsp; mov %rbp, 16(%rsp); lea 16(%rsp), %rbp; mov 16(%rsp), %rbp;
	 * add; ret */
	EXPECT("\x48\x83\xec\x18\x48\x89\x6c\x24\x10\x48\x8d\x6c\x24\x10\x48\x8b\x6c\x24\x10\x48\x83\xc4\x18\xc3",
	       "0 sp+8; 4 sp+32; 9 sp+32 fp-16; e fp+16 fp-16; 13 sp+32; 17 sp+8");
	/* sub $0x348, %rsp; lea -8(%rsp), %rsp; add $0x350, %rsp; ret */
	EXPECT("\x48\x81\xec\x48\x03\0\0\x48\x8d\x64\x24\xf8\x48\x81\xc4\x50\x03\0\0\xc3",
	       "0 sp+8; 7 sp+848; c sp+856; 13 sp+8");
}

Test(code_frames, what_comes_after_a_return)
{
	/* push %rbx; je 5; pop %rbx; ret; 5: nop; pop %rbx; ret: by the jump before it */
	EXPECT("\x53\x74\x02\x5b\xc3\x90\x5b\xc3", "0 sp+8; 1 sp+16; 4 sp+8; 5 sp+16; 7 sp+8");
	/* push %rbx; jmp 5; 3: inc %eax; 5: je 3; pop %rbx; ret: by a jump upwards */
	EXPECT("\x53\xeb\x02\xff\xc0\x74\xfc\x5b\xc3", "0 sp+8; 1 sp+16; 8 sp+8");
	/* push %rbx; jmp *%rax; inc %eax; pop %rbx; ret: a switch */
	EXPECT("\x53\xff\xe0\xff\xc0\x5b\xc3", "0 sp+8; 1 sp+16; 6 sp+8");
	/* push %rbx; pop %rbx; ret; push %rbp; pop %rbp; ret: it looks like a function */
	EXPECT("\x53\x5b\xc3\x55\x5d\xc3", "0 sp+8; 1 sp+16; 2 sp+8; 4 sp+16 fp-16; 5 sp+8");
	/* call 9; push %rbx; ret; ud2; 9: inc %eax; ret: it is called */
	EXPECT("\xe8\x04\0\0\0\x53\xc3\x0f\x0b\xff\xc0\xc3", "0 sp+8; 6 sp+16; 9 sp+8");
}

/* As V8 fills up the space before its builtins, which begin at multiples of 64. */
Test(code_frames, traps_between_functions)
{
	/* push %rbx; call *%rax, which doesn't return; int3 up to 10: test %eax, %eax; ret */
	EXPECT("\x53\xff\xd0\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\x85\xc0\xc3",
	       "0 sp+8; 1 sp+16; 10 sp+8");
	/* the same behind a switch: push %rbx; jmp *%rax; int3; nop; int3…; 10: push %rbp; mov
	 * %rsp, %rbp; jmp 17; 16: push %rax; 17: dec %ecx; jge 16; leave; ret */
	EXPECT("\x53\xff\xe0\xcc\x90\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	       "\x55\x48\x89\xe5\xeb\x01\x50\xff\xc9\x7d\xfb\xc9\xc3",
	       "0 sp+8; 1 sp+16; 10 sp+8; 11 sp+16 fp-16; 14 fp+16 fp-16; 1c sp+8");
	/* push %rbx; je 5; call *%rax; int3; 6: pop %rbx; ret: one is no padding */
	EXPECT("\x53\x74\x03\xff\xd0\xcc\x5b\xc3", "0 sp+8; 1 sp+16; 7 sp+8");
}

Test(code_frames, padding)
{
	cr_expect_eq(code_frames__padding((const uint8_t *)"\x90\x0f\x1f\x40\0\xcc\x55", 7), 6);
	cr_expect_eq(code_frames__padding((const uint8_t *)"\0\0\xcc\x55", 4), 3);
	cr_expect_eq(code_frames__padding((const uint8_t *)"\x66\x90", 2), 2);
	cr_expect_eq(code_frames__padding((const uint8_t *)"\x55\x90", 2), 0);
	cr_expect_eq(code_frames__padding((const uint8_t *)"\x0f\x1f", 2), 0, "half of one");
}

Test(code_frames, addresses_that_are_taken)
{
	/* push %rbp; mov %rsp, %rbp; and $-16, %rsp; lea 0(%rip), %r10; call *%rax; leave; ret:
	 * V8's calls of C */
	EXPECT("\x55\x48\x89\xe5\x48\x83\xe4\xf0\x4c\x8d\x15\0\0\0\0\xff\xd0\xc9\xc3",
	       "0 sp+8; 1 sp+16 fp-16; 4 fp+16 fp-16; 12 sp+8");
	/* the same, and the address of what comes after the call */
	EXPECT("\x55\x48\x89\xe5\x48\x83\xe4\xf0\x4c\x8d\x15\x02\0\0\0\xff\xd0\xc9\xc3",
	       "0 sp+8; 1 sp+16 fp-16; 4 fp+16 fp-16; 12 sp+8");
	/* push %rbx; lea a(%rip), %rax; pop %rbx; ret; a: inc %eax; ret: behind a return */
	EXPECT("\x53\x48\x8d\x05\x02\0\0\0\x5b\xc3\xff\xc0\xc3", "0 sp+8; 1 sp+16; 9 sp+8");
	/* push %rbx; lea c(%rip), %rax; jmp d; ud2; c: ret; d: pop %rbx; ret: behind a jump */
	EXPECT("\x53\x48\x8d\x05\x04\0\0\0\xeb\x03\x0f\x0b\xc3\x5b\xc3",
	       "0 sp+8; 1 sp+16; c sp+8; d sp+16; e sp+8");
}

Test(code_frames, where_stacks_begin_and_signals_end)
{
	/* xor %ebp, %ebp; mov %rsp, %rdi; and $-16, %rsp; call *%rax */
	EXPECT("\x31\xed\x48\x89\xe7\x48\x83\xe4\xf0\xff\xd0", "0 sp+8; 2 end");
	/* push %rbp; xor %ebp, %ebp; pop %rbp; ret: just a zero */
	EXPECT("\x55\x31\xed\x5d\xc3", "0 sp+8; 1 sp+16 fp-16; 4 sp+8");
	/* ret; nop; mov $15, %rax; syscall */
	EXPECT("\xc3\x90\x48\xc7\xc0\x0f\0\0\0\x0f\x05", "0 sp+8; 1 signal");
}

Test(code_frames, lost)
{
	/* mov %rax, %rsp; inc %eax; ret */
	EXPECT("\x48\x89\xc4\xff\xc0\xc3", "0 sp+8; 3 ?");
	/* not an instruction, and what the code does after it is anybody's guess */
	EXPECT("\x06\x53\x5b\xc3", "0 ?");
	/* more is taken away than there was */
	EXPECT("\x58\x58\xc3", "0 sp+8; 1 ?");
	/* half an instruction */
	EXPECT("\x53\x48\x81", "0 sp+8; 1 ?");
}

Test(code_frames, only_what_is_asked_about)
{
	static const struct pmb_unwind_rule gap = {.cfa = PMB_CFA_NONE};
	const struct cfi_code where = {.file_off = 0x100, .vaddr = 0x1000, .size = 3};
	struct code_frames *f = code_frames__new();
	struct buf got = {0};

	code_frames__add(f, (const uint8_t *)"\x53\x5b\xc3", NULL, &where);
	code_frames__emit(f, 0x80, 0x200, &gap, print_row, &got);
	cr_expect_str_eq(got.data, "80 ?; 100 sp+8; 101 sp+16; 102 sp+8; 103 ?");
	code_frames__free(f);
	buf__done(&got);
}

Test(x86_insn, lengths)
{
	static const struct {
		const char *bytes;
		uint32_t len;
	} cases[] = {
		{"\x90", 1},
		{"\x66\x0f\x1f\x84\0\0\0\0\0", 9},          /* nopw 0(%rax, %rax) */
		{"\x48\xb8\1\2\3\4\5\6\7\x08", 10},         /* movabs */
		{"\x66\xb8\1\2", 4},                        /* mov $…, %ax */
		{"\x48\xc7\x04\x25\1\2\3\4\5\6\7\x08", 12}, /* movq $…, absolute */
		{"\xf6\x05\1\2\3\4\5", 7},                  /* testb $…, …(%rip) */
		{"\xf7\xd8", 2},                            /* neg */
		{"\x66\xf7\x00\1\2", 5},                    /* testw */
		{"\xa1\1\2\3\4\5\6\7\x08", 9},              /* mov moffs */
		{"\xc8\1\2\3", 4},                          /* enter */
		{"\x0f\xba\xe0\1", 4},                      /* bt $1, %eax */
		{"\x66\x0f\x3a\x0f\xc1\x08", 6},            /* palignr */
		{"\x66\x0f\x38\x00\xc1", 5},                /* pshufb */
		{"\xc5\xf8\x77", 3},                        /* vzeroupper */
		{"\xc5\xf9\x70\xc1\x0e", 5},                /* vpshufd */
		{"\xc4\xe3\x7d\x39\xc1\x01", 6},            /* vextracti128 */
		{"\xc4\xe2\x71\x00\xc2", 5},                /* vpshufb */
		{"\xc4\xe2\xf1\xf7\xc0", 5},                /* shlx */
		{"\x62\xf1\x7c\x48\x28\x44\x24\x01", 8},    /* vmovaps 64(%rsp), %zmm0 */
		{"\x62\xf3\xfd\x48\x3b\xc1\x01", 7},        /* vextracti64x4 */
		{"\x64\x48\x8b\x04\x25\x28\0\0\0", 9},      /* mov %fs:0x28, %rax */
		{"\xf2\xe9\1\0\0\0", 6},                    /* bnd jmp */
		{"\x3e\xff\xe0", 3},                        /* notrack jmp *%rax */
		{"\x06", 0},
		{"\x0f\xff", 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct x86_insn insn = {0};
		uint8_t bytes[16] = {0};
		size_t n = cases[i].len ? cases[i].len : 2;

		memcpy(bytes, cases[i].bytes, n);
		x86_insn__read(bytes, n, 0, &insn);
		cr_expect_eq(insn.len, cases[i].len, "case %zu: %u", i, insn.len);
		if (cases[i].len) /* not one byte less */
			cr_expect(!x86_insn__read(bytes, n - 1, 0, &insn), "case %zu", i);
	}
}

/* ---------------------------------------------------------------- against .eh_frame */

static const struct pmb_unwind_rule *rule_at(const struct cfi_table *t, uint64_t off)
{
	uint64_t page = (off >> PMB_PAGE_SHIFT) - t->first_page;
	const uint32_t *rows;
	uint32_t n, i;

	if (page >= t->n_pages || !t->pages[page].n)
		return NULL;
	rows = t->rows + t->pages[page].first;
	n = t->pages[page].n;
	for (i = 1; i < n && PMB_ROW_LOW(rows[i]) <= (off & 0xffff); i++)
		;
	return &t->rules[PMB_ROW_RULE(rows[i - 1])];
}

static void compare(const char *path)
{
	static const struct pmb_unwind_rule gap = {.cfa = PMB_CFA_NONE};
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct cfi_code code[16];
	struct elf_code c = {.fd = fd, .code = code};
	struct cfi_table right, ours;
	struct pmb_table_head head;
	unsigned n = 0, n_same = 0, n_lost = 0;
	GElf_Phdr p;

	if (fd < 0)
		return;
	c.elf = elf_begin_file(fd);
	cr_assert_not_null(c.elf);
	c.sane = elf_sections__sane(c.elf);
	for (int i = 0; c.n_code < ARRAY_SIZE(code) && gelf_getphdr(c.elf, i, &p); i++) {
		if (p.p_type == PT_LOAD && (p.p_flags & PF_X))
			code[c.n_code++] = (struct cfi_code){p.p_offset, p.p_vaddr, p.p_filesz};
	}
	cr_assert_eq(c.n_code, 1);
	cfi_table__init(&right);
	cfi_table__init(&ours);
	cr_assert_eq(table_of_all(fd, false, &right), 0);
	cr_assert_eq(cfi_table__finish(&right, &head), 0);
	elf_code__fill(&c, code[0].file_off, code[0].file_off + code[0].size, &gap, cfi_table__add,
		       &ours);
	cfi_table__add(&ours, code[0].file_off + code[0].size, &gap);
	cr_assert_eq(cfi_table__finish(&ours, &head), 0);
	for (uint64_t off = code[0].file_off; off < code[0].file_off + code[0].size; off += 61) {
		const struct pmb_unwind_rule *a = rule_at(&right, off), *b = rule_at(&ours, off);

		if (!a || !b || a->cfa != PMB_CFA_SP)
			continue;
		n++;
		n_lost += b->cfa == PMB_CFA_NONE;
		n_same += b->cfa == PMB_CFA_SP && b->cfa_off == a->cfa_off;
	}
	printf("%s: of %u places %.2f %% the same, %.2f %% lost\n", path, n, 100.0 * n_same / n,
	       100.0 * n_lost / n);
	cr_expect_geq(100.0 * n_same / n, 85, "%s", path);
	cfi_table__done(&right);
	cfi_table__done(&ours);
	elf_code__done(&c);
	elf_end(c.elf);
}

Test(code_frames, as_eh_frame_says)
{
#ifdef __x86_64__
	compare("/lib/x86_64-linux-gnu/libc.so.6");
	compare("/lib/x86_64-linux-gnu/libcrypto.so.3");
	compare("/lib/x86_64-linux-gnu/libm.so.6");
	compare("/lib/x86_64-linux-gnu/libstdc++.so.6");
	compare("/usr/bin/python3");
#endif
}
