// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Call frame information made by hand, one instruction, encoding or contradiction at a time, and
 * the rows that it becomes. test_cfi_sections.c has what lies in a section besides, and
 * test_cfi_oracle.c what compilers make.
 */
#include "cfi_expect.h"

/* One function at the beginning of the code, under the usual CIE. */
static void expect_program(enum cfi_machine machine, const char *program, size_t len,
			   const char *text, unsigned n_bad)
{
	struct cie_form x86 = X86_CIE, arm64 = ARM64_CIE;
	struct cfi_section section;
	struct buf b = {0};
	size_t cie = put_cie(&b, machine == CFI_ARM64 ? &arm64 : &x86);

	put_fde(&b, cie, CODE_VADDR, FUNCTION_SIZE, program, len);
	section = section_of(&b);
	expect_section(machine, &section, text, n_bad);
	buf__done(&b);
}

#define X86(program, text) \
	expect_program(CFI_X86_64, program, sizeof(program) - 1, text "; 100 none", 0)
#define ARM64(program, text) \
	expect_program(CFI_ARM64, program, sizeof(program) - 1, text "; 100 none", 0)
#define BAD(program) expect_program(CFI_X86_64, program, sizeof(program) - 1, "0 none; 100 none", 1)

Test(cfi, a_function_with_frame_pointer)
{
	X86("\x41\x0e\x10\x86\x02\x43\x0d\x06\x50\x0c\x07\x08",
	    "0 sp+8 ra-8; 1 sp+16 fp-16 ra-8; 4 fp+16 fp-16 ra-8; 14 sp+8 fp-16 ra-8");
}

Test(cfi, every_advance)
{
	X86("\x02\x10\x0e\x10"                /* advance_loc1 16 */
	    "\x03\x20\x00\x0e\x18"            /* advance_loc2 32 */
	    "\x04\x40\x00\x00\x00\x0e\x20"    /* advance_loc4 64 */
	    "\x1d\x01\0\0\0\0\0\0\0\x0e\x28", /* MIPS_advance_loc8 1 */
	    "0 sp+8 ra-8; 10 sp+16 ra-8; 30 sp+24 ra-8; 70 sp+32 ra-8; 71 sp+40 ra-8");
	X86("\x41\x41\x0e\x10\x40\x0e\x18", "0 sp+8 ra-8; 2 sp+24 ra-8");
	/* beyond the function */
	X86("\x02\xff\x0e\x10\x41\x0e\x18\x41\x0e\x20", "0 sp+8 ra-8; ff sp+16 ra-8");
	X86("\x03\xff\xff\x0e\x18", "0 sp+8 ra-8");
}

Test(cfi, every_cfa)
{
	X86("\x0c\x06\x10", "0 fp+16 ra-8");
	X86("\x12\x07\x7e", "0 sp+16 ra-8");              /* def_cfa_sf rsp -2 × -8 */
	X86("\x0d\x0a", "0 reg7+8 ra-8");                 /* def_cfa_register r10 */
	X86("\x0e\x80\x01", "0 sp+128 ra-8");             /* def_cfa_offset */
	X86("\x13\x7d", "0 sp+24 ra-8");                  /* def_cfa_offset_sf */
	X86("\x0c\x00\x08", "0 reg10+8 ra-8");            /* rax */
	X86("\x0c\x11\x08", "0 unsupported");             /* xmm0 */
	X86("\x0e\x80\x80\x80\x80\x10", "0 unsupported"); /* 2^32 */
	X86("\x2e\x20\x2e\x00", "0 sp+8 ra-8");           /* GNU_args_size */
}

Test(cfi, every_cfa_expression)
{
	X86("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22", "0 plt11 ra-8");
	X86("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3a\x2a\x33\x24\x22", "0 plt10 ra-8");
	X86("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x50\x2a\x33\x24\x22", "0 unsupported");
	X86("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x1c", "0 unsupported");
	X86("\x0f\x02\x77\x10", "0 sp+16 ra-8");
	X86("\x0f\x03\x92\x06\x10", "0 fp+16 ra-8"); /* bregx */
	X86("\x0f\x03\x76\x78\x06", "0 *(fp-8)+0 ra-8");
	X86("\x0f\x05\x77\x28\x06\x23\x08", "0 *(sp+40)+8 ra-8");
	X86("\x0f\x03\x7a\x00\x06", "0 *(reg7+0)+0 ra-8");
	X86("\x0f\x07\x77\x28\x06\x23\xff\xff\x01", "0 *(sp+40)+32767 ra-8");
	X86("\x0f\x07\x77\x28\x06\x23\x80\x80\x02", "0 unsupported"); /* 2^15 */
	X86("\x0f\x04\x77\x28\x06\x06", "0 unsupported");
	X86("\x0f\x06\x77\x28\x06\x23\x08\x06", "0 unsupported");
	X86("\x0f\x00", "0 unsupported");
	X86("\x0f\x01\x77", "0 unsupported");
}

/* gcc, where it realigns the stack and needs the arguments: CFA in r10, then saved at rbp - 8. */
Test(cfi, realigned_stack)
{
	X86("\x45\x0c\x0a\x00"                      /* CFA = r10 */
	    "\x49\x10\x06\x02\x76\x00"              /* rbp at *(rbp) */
	    "\x48\x0f\x03\x76\x78\x06"              /* CFA = *(rbp - 8) */
	    "\x50\x0c\x0a\x00\x44\x0c\x07\x08\xc6", /* r10 again, then rsp + 8, rbp restored */
	    "0 sp+8 ra-8; 5 reg7+0 ra-8; e reg7+0 fp=*(fp+0) ra-8; 16 *(fp-8)+0 fp=*(fp+0) ra-8; "
	    "26 reg7+0 fp=*(fp+0) ra-8; 2a sp+8 ra-8");
}

Test(cfi, every_place)
{
	X86("\x05\x06\x02", "0 sp+8 fp-16 ra-8");     /* offset_extended */
	X86("\x11\x06\x7e", "0 sp+8 fp+16 ra-8");     /* offset_extended_sf -2 × -8 */
	X86("\x2f\x06\x02", "0 sp+8 fp+16 ra-8");     /* negative_offset_extended */
	X86("\x86\x02\x08\x06", "0 sp+8 ra-8");       /* same_value */
	X86("\x86\x02\x07\x06", "0 sp+8 ra-8");       /* undefined */
	X86("\x86\x02\xc6", "0 sp+8 ra-8");           /* restore */
	X86("\x86\x02\x06\x06", "0 sp+8 ra-8");       /* restore_extended */
	X86("\x09\x06\x06", "0 sp+8 ra-8");           /* register: itself */
	X86("\x09\x06\x00", "0 unsupported");         /* register rax */
	X86("\x14\x06\x02", "0 unsupported");         /* val_offset */
	X86("\x15\x06\x7e", "0 unsupported");         /* val_offset_sf */
	X86("\x16\x06\x02\x77\x00", "0 unsupported"); /* val_expression */
	X86("\x10\x06\x02\x77\x00", "0 sp+8 fp-8 ra-8");
	X86("\x10\x06\x02\x73\x00", "0 unsupported"); /* at *(rbx) */
	X86("\x10\x06\x03\x76\x00\x06", "0 unsupported");
	X86("\x83\x02\x8c\x03\x09\x03\x00\x16\x0f\x01\x77",
	    "0 sp+8 ra-8");                 /* others don't matter */
	X86("\x14\x07\x00", "0 sp+8 ra-8"); /* rsp is the CFA, as always */
	X86("\x14\x07\x01", "0 unsupported");
	X86("\x09\x07\x08", "0 unsupported"); /* longjmp: rsp in r8 */
}

Test(cfi, every_return_address)
{
	X86("\x07\x10", "0 end");
	X86("\x90\x03", "0 sp+8 ra-24");
	X86("\x07\x10\xd0", "0 sp+8 ra-8");                    /* restored */
	X86("\x09\x10\x05", "0 sp+8 ra=reg14");                /* vfork: rdi */
	X86("\x0c\x05\x00\x09\x10\x05", "0 reg14+0 ra=reg14"); /* one register for both */
	X86("\x0c\x04\x00\x09\x10\x05", "0 unsupported");      /* two */
	X86("\x08\x10", "0 unsupported");
	X86("\x14\x10\x00", "0 unsupported");
	X86("\x90\x81\x20", "0 unsupported"); /* -8 × 4097 */
	X86("\x90\x80\x20", "0 sp+8 ra-32768");
}

Test(cfi, states_nest)
{
	struct buf deep = {0};

	X86("\x0a\x41\x0e\x10\x86\x02\x0a\x41\x0e\x18\x41\x0b\x41\x0b",
	    "0 sp+8 ra-8; 1 sp+16 fp-16 ra-8; 2 sp+24 fp-16 ra-8; 3 sp+16 fp-16 ra-8; 4 sp+8 ra-8");
	for (int i = 0; i < 64; i++)
		put_u8(&deep, 0x0a);
	expect_program(CFI_X86_64, deep.data, deep.len, "0 sp+8 ra-8; 100 none", 0);
	put_u8(&deep, 0x0a);
	expect_program(CFI_X86_64, deep.data, deep.len, "0 none; 100 none", 1);
	buf__done(&deep);
}

Test(cfi, arm64)
{
	ARM64("", "0 sp+0 ra=lr");
	ARM64("\x41\x0e\x20\x9d\x04\x9e\x03\x4f\x0e\x00\xdd\xde",
	      "0 sp+0 ra=lr; 4 sp+32 fp-32 ra-24; 40 sp+0 ra=lr");
	ARM64("\x41\x2d\x41\x0e\x10\x9e\x02\x42\x2c\xde\x0e\x00",
	      "0 sp+0 ra=lr; 8 sp+16 ra-16; 10 sp+0 ra=lr"); /* signed return addresses */
	ARM64("\x0d\x1d\x0e\x10", "0 fp+16 ra=lr");
	ARM64("\x0d\x14", "0 reg20+0 ra=lr");
	ARM64("\x09\x1e\x0f", "0 sp+0 ra=reg15");
	ARM64("\x08\x1e", "0 sp+0 ra=lr");
	ARM64("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22", "0 unsupported");
	BAD("\x2d");
	BAD("\x2c");
}

/* __tls_get_addr and _mcount of glibc have a return address column of their own. */
Test(cfi, return_address_in_another_register_from_the_start)
{
	struct cie_form form = ARM64_CIE;
	struct cfi_section section;
	struct buf b = {0};
	size_t cie;

	form.ra = 15;
	cie = put_cie(&b, &form);
	put_fde(&b, cie, CODE_VADDR, FUNCTION_SIZE, "\x42\x8f\x01\x0e\x10", 5);
	section = section_of(&b);
	expect_section(CFI_ARM64, &section, "0 sp+0 ra=reg15; 8 sp+16 ra-8; 100 none", 0);
	buf__done(&b);
}

Test(cfi, programs_that_contradict_themselves)
{
	BAD("\x0b"); /* restores what was not remembered */
	BAD("\x17"); /* unknown */
	BAD("\x3f");
	BAD("\x0f\x7f\x77");                                     /* a block that overruns */
	BAD("\x10\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"); /* by 2^64 - 1 */
	BAD("\x0c\x07\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"); /* offset 2^64 - 1 */
	BAD("\x12\x07\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f"); /* -2^63 × -8 */
	BAD("\x2f\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	BAD("\x0c\xff\xff\xff\xff\x7f\x08"); /* register 2^35 - 1 */
	BAD("\x0f\x03\x76\x78\x06\x0e\x10"); /* offset of an expression */
	BAD("\x0f\x03\x76\x78\x06\x0d\x06");
	BAD("\x1d\xff\xff\xff\xff\xff\xff\xff\xff"); /* wraps */
	BAD("\x01\x00\xff\xff\xff");                 /* set_loc, backwards */
	BAD("\x07\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f");
}

Test(cfi, set_loc)
{
	struct cie_form form = X86_CIE;
	struct buf b = {0};
	size_t at;

	form.encoding = 0; /* absptr */
	put_cie(&b, &form);
	at = b.len;
	put_u32(&b, 0);
	put_u32(&b, (uint32_t)b.len);
	put_u64(&b, CODE_VADDR);
	put_u64(&b, FUNCTION_SIZE);
	put_u8(&b, 0);
	put_u8(&b, 1);
	put_u64(&b, CODE_VADDR + 0x42);
	buf__add(&b, "\x0e\x10", 2);
	end_entry(&b, at);
	expect(&b, "0 sp+8 ra-8; 42 sp+16 ra-8; 100 none", 0);
	buf__done(&b);
}

/* Start and size of the same function in each encoding. */
Test(cfi, encodings)
{
	static const struct {
		uint8_t encoding, bytes;
		bool bad;
	} cases[] = {
		{0x00, 8, false}, {0x03, 4, false}, {0x0b, 4, false}, {0x04, 8, false},
		{0x0c, 8, false}, {0x10, 8, false}, {0x1b, 4, false}, {0x13, 4, false},
		{0x30, 8, true}, /* datarel, of nobody knows what */
		{0x20, 8, true},  {0x40, 8, true},  {0x50, 8, true},  {0x80, 8, true},
		{0x9b, 4, true}, /* indirect */
		{0x05, 8, true},  {0x0f, 8, true},  {0xff, 8, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cie_form form = X86_CIE;
		struct buf b = {0};
		uint64_t start = CODE_VADDR, size = FUNCTION_SIZE;
		size_t at;

		form.encoding = cases[i].encoding;
		put_cie(&b, &form);
		at = b.len;
		put_u32(&b, 0);
		put_u32(&b, (uint32_t)b.len);
		if ((cases[i].encoding & 0x70) == 0x10)
			start -= SECTION_VADDR + b.len;
		buf__add(&b, &start, cases[i].bytes);
		buf__add(&b, &size, cases[i].bytes);
		put_u8(&b, 0);
		end_entry(&b, at);
		expect(&b, cases[i].bad ? "0 none" : "0 sp+8 ra-8; 100 none", cases[i].bad);
		buf__done(&b);
	}
}

Test(cfi, encodings_of_variable_and_small_size)
{
	static const struct cfi_code low = {.file_off = CODE_OFF, .vaddr = 0x200, .size = 0x1000};
	static const struct pmb_unwind_rule gap = {.cfa = PMB_CFA_NONE};
	static const char uleb[] = "\x80\x04\x80\x02", two[] = "\x00\x02\x00\x01";
	static const struct {
		uint8_t encoding;
		const char *bytes;
	} cases[] = {{0x01, uleb}, {0x09, uleb}, {0x02, two}, {0x0a, two}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cfi *cfi = cfi__new(CFI_X86_64, &low, 1);
		struct cie_form form = X86_CIE;
		struct seen seen = {0};
		struct buf b = {0};
		struct cfi_section section;
		size_t at;

		form.encoding = cases[i].encoding;
		put_cie(&b, &form);
		at = b.len;
		put_u32(&b, 0);
		put_u32(&b, (uint32_t)b.len);
		buf__add(&b, cases[i].bytes, 4);
		put_u8(&b, 0);
		end_entry(&b, at);
		section = section_of(&b);
		cr_assert_eq(cfi__add_section(cfi, &section), 0);
		cr_expect_eq(cfi__emit(cfi, &gap, see, &seen), 0);
		cr_expect_str_eq(seen.text.data, "0 sp+8 ra-8; 100 none; 1000 none");
		buf__done(&seen.text);
		buf__done(&b);
		cfi__free(cfi);
	}
}

static void expect_augmentation(const char *letters, const char *data, size_t len, const char *text,
				unsigned n_bad)
{
	struct cie_form form = X86_CIE;
	struct buf b = {0};
	size_t cie;

	form.letters = letters;
	form.data = data;
	form.data_len = len;
	cie = put_cie(&b, &form);
	put_fde(&b, cie, CODE_VADDR + 0x20, FUNCTION_SIZE, "\x41\x0e\x10", 3);
	expect(&b, text, n_bad);
	buf__done(&b);
}

#define AUGMENTATION(letters, data, text, n_bad) \
	expect_augmentation(letters, data, sizeof(data) - 1, text, n_bad)

Test(cfi, augmentations)
{
	static const char good[] = "0 none; 20 sp+8 ra-8; 21 sp+16 ra-8; 120 none";
	static const char signal[] = "0 none; 1f signal; 120 none";

	AUGMENTATION("zR", "\x1b", good, 0);
	AUGMENTATION("zPLR", "\x9b\1\2\3\4\x1b\x1b", good, 0);
	AUGMENTATION("zPR", "\xff\x1b", good, 0);
	AUGMENTATION("zRB", "\x1b", good, 0);
	AUGMENTATION("zRG", "\x1b", good, 0);
	AUGMENTATION("zRS", "\x1b", signal, 0);
	AUGMENTATION("zSR", "\x1b", signal, 0);
	AUGMENTATION("zR", "\x1b and more", good, 0);
	AUGMENTATION("zRx", "\x1b", "0 none", 1);
	AUGMENTATION("zPR", "\x50\1\2\3\4\5\6\7\x08\x1b", "0 none", 1); /* aligned */
	AUGMENTATION("zPR", "\x0b\1\2\3", "0 none", 1);
	AUGMENTATION("eh", "\1\2\3\4\5\6\7", "0 none", 1); /* of gcc 2 */
}

/* The signal trampoline: nothing is taken from the function that ends where it begins. */
Test(cfi, a_signal_frame_begins_one_byte_early)
{
	struct cie_form plain = X86_CIE, signal = X86_CIE;
	struct buf b = {0};
	size_t cie;

	signal.letters = "zRS";
	cie = put_cie(&b, &plain);
	put_fde(&b, cie, CODE_VADDR, 0x20, "", 0);
	put_fde(&b, cie, CODE_VADDR + 0x100, 0x20, "", 0);
	cie = put_cie(&b, &signal);
	put_fde(&b, cie, CODE_VADDR + 0x20, 0x10, "", 0);
	put_fde(&b, cie, CODE_VADDR + 0x12f, 0x10, "\x10\x06\x02\x77\x00", 5);
	expect(&b, "0 sp+8 ra-8; 20 signal; 30 none; 100 sp+8 ra-8; 12e signal; 13f none", 0);
	buf__done(&b);
}

Test(cfi, fixed_rules)
{
	static const struct pmb_unwind_rule gap = {.cfa = PMB_CFA_FRAME},
					    fixed = {.cfa = PMB_CFA_SIGNAL};
	struct cfi *cfi = cfi__new(CFI_X86_64, &code, 1);
	struct cie_form form = X86_CIE;
	struct cfi_section section;
	struct seen seen = {0};
	struct buf b = {0};
	size_t cie = put_cie(&b, &form);

	put_fde(&b, cie, CODE_VADDR + 0x40, 0x40, "\x50\x0e\x10", 3);
	section = section_of(&b);
	cr_assert_eq(cfi__add_section(cfi, &section), 0);
	cr_assert_eq(cfi__add_fixed(cfi, CODE_VADDR + 0x40, 0x8, &fixed), 0);
	cr_assert_lt(cfi__add_fixed(cfi, UINT64_MAX - 4, 8, &fixed), 0);
	cr_expect_eq(cfi__emit(cfi, &gap, see, &seen), 0);
	cr_expect_str_eq(seen.text.data,
			 "0 frame; 3f signal; 48 sp+8 ra-8; 50 sp+16 ra-8; 80 frame");
	buf__done(&seen.text);
	buf__done(&b);
	cfi__free(cfi);
}
