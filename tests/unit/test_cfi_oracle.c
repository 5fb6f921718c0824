// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Unwind tables of this machine's libraries against elfutils' reader of call frame information, at
 * every row and at pcs between them: the same CFA, frame pointer and return address, or the table
 * says that it doesn't know.
 */
#include <criterion/criterion.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <linux/types.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmubpf/unwind.h"
#include "symd/cfi_state.h"
#include "symd/elf_cfi.h"

struct unwind_memory;
static bool unwind_read(struct unwind_memory *mem, __u64 addr, __u64 *ret);
static bool unwind_reg(struct unwind_memory *mem, unsigned index, __u64 *ret);
#include "pmubpf/unwind_step.h"
#include "whole_table.h"

enum {
	ROWS_MAX = 60000,     /* asked about, of one file: all of most */
	POINTS_MAX = 20000,   /* places between rows */
	UNSUPPORTED_MAX = 20, /* rows of one file */
};

static bool unwind_read(struct unwind_memory *mem, __u64 addr, __u64 *ret)
{
	(void)mem, (void)addr, (void)ret;
	return false;
}

static bool unwind_reg(struct unwind_memory *mem, unsigned index, __u64 *ret)
{
	(void)mem, (void)index, (void)ret;
	return false;
}

struct oracle {
	const char *path;
	Elf *elf;
	Dwarf_CFI *cfi;
	enum cfi_machine machine;
	struct cfi_table table;
	unsigned n_asked, n_unsupported, n_wrong;
};

/* What both sides say, in one form: a number for each of CFA, frame pointer, return address. */
struct said {
	enum pmb_cfa cfa;
	uint32_t reg;
	int64_t cfa_off, cfa_add, fp_off, ra_off;
	enum pmb_fp fp;
	enum pmb_ra ra;
	uint32_t ra_reg, saved; /* compared as bytes */
};

static uint32_t dwarf_number(enum cfi_machine machine, uint8_t word)
{
	/* of struct arch_regs' words r15 r14 r13 r12 bp bx r11 r10 r9 r8 ax cx dx si di */
	static const uint8_t x86[] = {15, 14, 13, 12, 6, 3, 11, 10, 9, 8, 0, 2, 1, 4, 5};

	if (machine == CFI_ARM64)
		return word;
	cr_assert_lt(word, ARRAY_SIZE(x86));
	return x86[word];
}

static struct said by_table(const struct oracle *o, const struct pmb_unwind_rule *rule)
{
	struct said s = {
		.cfa = rule->cfa,
		.cfa_off = rule->cfa_off,
		.cfa_add = rule->cfa_add,
		.fp = rule->fp,
		.fp_off = rule->fp_off,
		.ra = rule->ra,
		.ra_off = rule->ra_off,
		.saved = rule->saved,
	};

	if (rule->cfa == PMB_CFA_REG || rule->cfa == PMB_CFA_REG_DEREF)
		s.reg = dwarf_number(o->machine, rule->reg);
	if (rule->ra == PMB_RA_REG)
		s.ra_reg = dwarf_number(o->machine, rule->reg);
	return s;
}

static bool base_of(const Dwarf_Op *op, uint32_t *ret_reg, int64_t *ret_off)
{
	if (op->atom == DW_OP_bregx) {
		*ret_reg = (uint32_t)op->number;
		*ret_off = (int64_t)op->number2;
		return true;
	}
	if (op->atom < DW_OP_breg0 || op->atom > DW_OP_breg31)
		return false;
	*ret_reg = op->atom - DW_OP_breg0;
	*ret_off = (int64_t)op->number;
	return true;
}

static bool cfa_by_libdw(const struct oracle *o, Dwarf_Frame *frame, struct said *ret)
{
	const struct cfi_registers *regs = &cfi_registers[o->machine];
	Dwarf_Op *ops;
	size_t n;
	bool deref;

	if (dwarf_frame_cfa(frame, &ops, &n) != 0 || !n ||
	    !base_of(&ops[0], &ret->reg, &ret->cfa_off))
		return false;
	if (n == 9 && ops[1].atom == DW_OP_breg16) {
		ret->cfa = PMB_CFA_PLT;
		ret->reg = 0;
		ret->cfa_off = ops[4].atom - DW_OP_lit0;
		return true;
	}
	deref = n >= 2 && ops[1].atom == DW_OP_deref;
	if (n == 3 && deref && ops[2].atom == DW_OP_plus_uconst)
		ret->cfa_add = (int64_t)ops[2].number;
	else if (n != (deref ? 2 : 1))
		return false;
	ret->cfa = deref ? PMB_CFA_REG_DEREF : PMB_CFA_REG;
	if (ret->reg == regs->sp)
		ret->cfa = deref ? PMB_CFA_SP_DEREF : PMB_CFA_SP;
	if (ret->reg == regs->fp)
		ret->cfa = deref ? PMB_CFA_FP_DEREF : PMB_CFA_FP;
	if (ret->reg == regs->sp || ret->reg == regs->fp)
		ret->reg = 0;
	return true;
}

enum { DWARF_RBX = 3 };
enum where { UNDEFINED, SAME, AT_CFA, AT_REG, IN_REG, ELSEWHERE };

static enum where place_by_libdw(Dwarf_Frame *frame, uint32_t reg, uint32_t *ret_reg,
				 int64_t *ret_off)
{
	Dwarf_Op mem[3], *ops;
	size_t n;

	*ret_off = 0;
	if (dwarf_frame_register(frame, (int)reg, mem, &ops, &n) != 0)
		return ELSEWHERE;
	if (!n)
		return ops ? UNDEFINED : SAME;
	if (n == 1 && (ops[0].atom == DW_OP_regx ||
		       (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31))) {
		*ret_reg = ops[0].atom == DW_OP_regx ? (uint32_t)ops[0].number :
						       (uint32_t)ops[0].atom - DW_OP_reg0;
		return IN_REG;
	}
	if (ops[0].atom != DW_OP_call_frame_cfa)
		return ELSEWHERE;
	if (n == 1)
		return AT_CFA;
	if (n == 2 && ops[1].atom == DW_OP_plus_uconst) {
		*ret_off = (int64_t)ops[1].number;
		return AT_CFA;
	}
	return n == 2 && base_of(&ops[1], ret_reg, ret_off) ? AT_REG : ELSEWHERE;
}

/* Where nothing is said of them these are the same, by the psABI; libdw has forgotten rbx. */
static uint32_t saved_by_libdw(const struct oracle *o, Dwarf_Frame *frame)
{
	const struct cfi_registers *regs = &cfi_registers[o->machine];
	uint32_t saved = regs->n_saved ? 0 : PMB_SAVED_UNKNOWN, unused;
	int64_t off;

	for (uint32_t i = 0; i < regs->n_saved; i++) {
		enum where where = place_by_libdw(frame, regs->saved[i], &unused, &off);
		uint32_t at = PMB_SAVED_ELSEWHERE;

		if (where == SAME || (where == UNDEFINED && regs->saved[i] == DWARF_RBX))
			at = 0;
		else if (where == AT_CFA && off <= -16 && off >= -56 && off % 8 == 0)
			at = (uint32_t)(-off / 8 - 1);
		saved |= at << i * PMB_SAVED_BITS;
	}
	return saved;
}

static bool by_libdw(const struct oracle *o, Dwarf_Frame *frame, struct said *ret)
{
	const struct cfi_registers *regs = &cfi_registers[o->machine];
	Dwarf_Addr start, end;
	bool is_signal;
	uint32_t reg = 0;
	int column = dwarf_frame_info(frame, &start, &end, &is_signal);

	*ret = (struct said){0};
	if (is_signal) {
		ret->cfa = PMB_CFA_SIGNAL;
		return true;
	}
	if (!cfa_by_libdw(o, frame, ret))
		return false;
	switch (place_by_libdw(frame, (uint32_t)column, &reg, &ret->ra_off)) {
	case UNDEFINED:
		/* libdw's default for a register that callees may change; the few functions that
		 * get their return address in one haven't yet. */
		if ((uint32_t)column == regs->ra) {
			*ret = (struct said){.cfa = PMB_CFA_END};
			return true;
		}
		ret->ra = PMB_RA_REG;
		ret->ra_reg = (uint32_t)column;
		break;
	case AT_CFA:
		ret->ra = PMB_RA_CFA;
		break;
	case SAME:
		ret->ra = (uint32_t)column == regs->ra ? PMB_RA_LR : PMB_RA_REG;
		ret->ra_reg = (uint32_t)column == regs->ra ? 0 : (uint32_t)column;
		break;
	case IN_REG:
		ret->ra = PMB_RA_REG;
		ret->ra_reg = reg;
		break;
	default:
		return false;
	}
	ret->saved = saved_by_libdw(o, frame);
	switch (place_by_libdw(frame, regs->fp, &reg, &ret->fp_off)) {
	case UNDEFINED:
	case SAME:
		ret->fp = PMB_FP_SAME;
		return true;
	case AT_CFA:
		ret->fp = PMB_FP_CFA;
		return true;
	case AT_REG:
		ret->fp = PMB_FP_FP;
		return reg == regs->fp;
	default:
		return false;
	}
}

static const struct pmb_unwind_rule *rule_at(const struct oracle *o, uint64_t file_off)
{
	const struct cfi_table *t = &o->table;
	uint64_t page = (file_off >> PMB_PAGE_SHIFT) - t->first_page;
	uint32_t row;

	if (page >= t->n_pages || !t->pages[page].n)
		return &t->rules[0];
	row = unwind_find(t->rows, t->pages[page].first, ~0U, t->pages[page].n,
			  file_off & (PMB_UNWIND_ROW_MAX - 1));
	return &t->rules[PMB_ROW_RULE(row)];
}

static void complain(struct oracle *o, uint64_t vaddr, const char *what)
{
	if (o->n_wrong++ < 5)
		cr_log_error("%s: %llx: %s", o->path, (unsigned long long)vaddr, what);
}

/* Padding goes on with the rule of what stands before it. */
static bool is_padding(const struct oracle *o, uint64_t vaddr)
{
	for (int i = 1; i <= CFI_PADDING_MAX; i++) {
		Dwarf_Frame *frame = NULL;

		if (dwarf_cfi_addrframe(o->cfi, vaddr - (unsigned)i, &frame) == 0) {
			free(frame);
			return true;
		}
	}
	return false;
}

/* Known by its shape: symd/elf_init.h; with the padding behind it. */
static bool is_init(const struct oracle *o, uint64_t vaddr)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(o->elf, &names) < 0)
		return false;
	while ((scn = elf_nextscn(o->elf, scn))) {
		GElf_Shdr shdr;
		const char *name;

		if (!gelf_getshdr(scn, &shdr) || vaddr < shdr.sh_addr ||
		    vaddr - shdr.sh_addr >= shdr.sh_size + CFI_PADDING_MAX)
			continue;
		name = elf_strptr(o->elf, names, shdr.sh_name);
		if (name && (strcmp(name, ".init") == 0 || strcmp(name, ".fini") == 0))
			return true;
	}
	return false;
}

static void compare_at(struct oracle *o, uint64_t file_off, uint64_t vaddr)
{
	const struct pmb_unwind_rule *rule = rule_at(o, file_off);
	struct said ours = by_table(o, rule), theirs;
	Dwarf_Frame *frame = NULL;

	o->n_asked++;
	if (dwarf_cfi_addrframe(o->cfi, vaddr, &frame) != 0) {
		/* A signal trampoline begins one byte early. */
		if (rule->cfa != PMB_CFA_NONE && rule->cfa != PMB_CFA_FRAME &&
		    rule->cfa != PMB_CFA_SIGNAL && !is_padding(o, vaddr) && !is_init(o, vaddr))
			complain(o, vaddr, "libdw knows nothing, the table does");
		return;
	}
	if (rule->cfa == PMB_CFA_UNSUPPORTED) {
		o->n_unsupported++;
	} else if (!by_libdw(o, frame, &theirs)) {
		complain(o, vaddr, "libdw says what the table can't, but the table does");
	} else {
		if (ours.fp != PMB_FP_SAME && theirs.fp == PMB_FP_SAME)
			complain(o, vaddr, "frame pointer");
		if (memcmp(&ours, &theirs, sizeof(ours)))
			complain(o, vaddr, "the rules differ");
	}
	free(frame);
}

static bool vaddr_of(const struct oracle *o, uint64_t file_off, uint64_t *ret)
{
	GElf_Phdr p;
	size_t n;

	cr_assert_eq(elf_getphdrnum(o->elf, &n), 0);
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(o->elf, (int)i, &p) || p.p_type != PT_LOAD ||
		    !(p.p_flags & PF_X) || file_off < p.p_offset ||
		    file_off - p.p_offset >= p.p_filesz)
			continue;
		*ret = file_off - p.p_offset + p.p_vaddr;
		return true;
	}
	return false;
}

static void compare_rows(struct oracle *o)
{
	const struct cfi_table *t = &o->table;
	size_t step = t->n_rows / ROWS_MAX + 1;
	uint64_t vaddr;

	for (size_t page = 0; page < t->n_pages; page++) {
		for (size_t i = 0; i < t->pages[page].n; i += step) {
			uint32_t row = t->rows[t->pages[page].first + i];
			uint64_t off =
				((t->first_page + page) << PMB_PAGE_SHIFT) + PMB_ROW_LOW(row);

			if (vaddr_of(o, off, &vaddr))
				compare_at(o, off, vaddr);
		}
	}
}

/* Places that no row led to. */
static void compare_points(struct oracle *o)
{
	uint64_t start = o->table.first_page << PMB_PAGE_SHIFT, random = 12345, vaddr;
	uint64_t size = (uint64_t)o->table.n_pages << PMB_PAGE_SHIFT;

	for (unsigned i = 0; i < POINTS_MAX; i++) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		uint64_t off = start + (random >> 20) % size;

		if (vaddr_of(o, off, &vaddr))
			compare_at(o, off, vaddr);
	}
}

/* Where functions begin, and their middle. */
static void compare_symbols(struct oracle *o)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	GElf_Sym sym;

	while ((scn = elf_nextscn(o->elf, scn))) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_DYNSYM)
			continue;
		data = elf_getdata(scn, NULL);
		for (int i = 1; data && gelf_getsym(data, i, &sym); i++) {
			GElf_Phdr p;

			for (int j = 0; gelf_getphdr(o->elf, j, &p); j++) {
				uint64_t skew = p.p_offset - p.p_vaddr;

				if (p.p_type != PT_LOAD || !(p.p_flags & PF_X) ||
				    GELF_ST_TYPE(sym.st_info) != STT_FUNC ||
				    sym.st_value < p.p_vaddr ||
				    sym.st_value - p.p_vaddr >= p.p_filesz)
					continue;
				compare_at(o, sym.st_value + skew, sym.st_value);
				compare_at(o, sym.st_value + sym.st_size / 2 + skew,
					   sym.st_value + sym.st_size / 2);
			}
		}
	}
}

static void compare(const char *path, int fd)
{
	struct oracle o = {.path = path};
	struct pmb_table_head head;
	GElf_Ehdr ehdr;

	elf_version(EV_CURRENT);
	o.elf = elf_begin(fd, ELF_C_READ, NULL);
	cr_assert_not_null(gelf_getehdr(o.elf, &ehdr));
	o.machine = ehdr.e_machine == EM_AARCH64 ? CFI_ARM64 : CFI_X86_64;
	o.cfi = dwarf_getcfi_elf(o.elf);
	cr_assert_not_null(o.cfi, "%s: libdw: %s", path, dwarf_errmsg(-1));
	cfi_table__init(&o.table);
	cr_assert_eq(table_of_all(fd, false, &o.table), 0);
	cr_assert_eq(cfi_table__finish(&o.table, &head), 0);
	compare_rows(&o);
	compare_points(&o);
	compare_symbols(&o);
	cr_log_info("%s: %u rows; %u places compared, %u of them unsupported", path, head.n_rows,
		    o.n_asked, o.n_unsupported);
	cr_expect_eq(o.n_wrong, 0, "%s: %u places differ", path, o.n_wrong);
	cr_expect_eq(head.n_bad, 0);
	cr_expect_leq(head.n_unsupported, UNSUPPORTED_MAX);
	cfi_table__done(&o.table);
	dwarf_cfi_end(o.cfi);
	elf_end(o.elf);
}

static void compare_file(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		cr_skip_test("%s is not here", path);
	compare(path, fd);
}

/* From memory: there's no file of it. */
Test(cfi_oracle, vdso)
{
	_cleanup_close_ int fd = memfd_create("vdso", MFD_CLOEXEC);
	const void *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *ehdr = vdso;

	if (!vdso)
		cr_skip_test("no vDSO");
	/* Its section headers are the last thing in it. */
	cr_assert_gt(write(fd, vdso, ehdr->e_shoff + (size_t)ehdr->e_shnum * ehdr->e_shentsize), 0);
	compare("vDSO", fd);
}

#define LIB "/usr/lib/x86_64-linux-gnu/"
#define CROSS "/usr/aarch64-linux-gnu/lib/"
#define FILE_TEST(name, path)       \
	Test(cfi_oracle, name)      \
	{                           \
		compare_file(path); \
	}

FILE_TEST(libc, LIB "libc.so.6")
FILE_TEST(ld, LIB "ld-linux-x86-64.so.2")
FILE_TEST(libstdcxx, LIB "libstdc++.so.6")
FILE_TEST(libcrypto, LIB "libcrypto.so.3")
FILE_TEST(libgcc, LIB "libgcc_s.so.1")
FILE_TEST(libllvm, LIB "libLLVM-14.so.1")
FILE_TEST(libm, LIB "libm.so.6")
FILE_TEST(python, "/usr/bin/python3")
FILE_TEST(bash, "/bin/bash")
FILE_TEST(this_program, "/proc/self/exe")
FILE_TEST(arm64_libc, CROSS "libc.so.6")
FILE_TEST(arm64_ld, CROSS "ld-linux-aarch64.so.1")
FILE_TEST(arm64_libstdcxx, CROSS "libstdc++.so.6")
FILE_TEST(arm64_libgcc, CROSS "libgcc_s.so.1")
