// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The hard thing is that an opcode is another instruction with each prefix; so rows say for which
 * ones they hold, and the first that fits is it. */
#include "base/mem.h"
#include "symd/insn_class.h"
#include "symd/x86_parts.h"

/* Mandatory prefixes, by x86_parts' numbers, and how the opcode is coded: as bits. */
enum { NP = 1, P66 = 2, F3 = 4, F2 = 8 };
enum { LEGACY = 1 << X86_LEGACY, VEX = 1 << X86_VEX, EVEX = 1 << X86_EVEX };
/* Where ModRM's operand is. */
enum { IN_MEMORY = 1, IN_REGISTER };
/* Maps: half precision has two more. */
enum {
	MAP_ONE = X86_MAP_ONE,
	MAP_0F = X86_MAP_0F,
	MAP_0F38 = X86_MAP_0F38,
	MAP_0F3A = X86_MAP_0F3A,
	MAP_5 = 5,
	MAP_6 = 6,
};

#define BIT(n) (1U << (n))

/* Where a field is 0, any will do. Packed numbers are said to be of 128 bits: how many there are
 * says the coding. */
static const struct row {
	uint8_t class, map, first, last;
	uint8_t prefixes, numbers /* ModRM's, as bits */, where, codings;
	bool odd; /* opcodes only */
} rows[] = {
#define ROW(of, in, from, to, ...)                                                                 \
	{                                                                                          \
		.class = PMB_BLOCK_##of, .map = MAP_##in, .first = from, .last = to, ##__VA_ARGS__ \
	}
	/* clang-format off */
	/* opcodes of one byte */
	ROW(PAUSE, ONE, 0x90, 0x90, .prefixes = F3),
	ROW(LOCK, ONE, 0x86, 0x87, .where = IN_MEMORY), /* xchg */
	ROW(DIV, ONE, 0xf6, 0xf7, .numbers = BIT(6) | BIT(7)), /* div, idiv */
	ROW(STRING, ONE, 0xa4, 0xa7, .prefixes = F3 | F2), /* movs, cmps */
	ROW(STRING, ONE, 0xaa, 0xaf, .prefixes = F3 | F2), /* stos, lods, scas */
	ROW(DIV, ONE, 0xd8, 0xd8, .numbers = BIT(6) | BIT(7)), /* fdiv, fdivr */
	ROW(DIV, ONE, 0xdc, 0xdc, .numbers = BIT(6) | BIT(7)),
	ROW(DIV, ONE, 0xde, 0xde, .numbers = BIT(6) | BIT(7)),
	ROW(DIV, ONE, 0xda, 0xda, .numbers = BIT(6) | BIT(7), .where = IN_MEMORY), /* fidiv */
	/* fsqrt, and sines, which take longer */
	ROW(DIV, ONE, 0xd9, 0xd9, .numbers = BIT(7), .where = IN_REGISTER),
	ROW(FLOAT, ONE, 0xd8, 0xdf),
	ROW(SYSTEM, ONE, 0xe4, 0xe7), /* in, out */
	ROW(SYSTEM, ONE, 0xec, 0xef),
	ROW(SYSTEM, ONE, 0xcd, 0xcd), /* int */
	ROW(SYSTEM, ONE, 0xf4, 0xf4), /* hlt */
	/* 0f */
	/* rdtscp, xgetbv, vmcall */
	ROW(SYSTEM, 0F, 0x01, 0x01, .numbers = 0x8d, .where = IN_REGISTER),
	ROW(SYSTEM, 0F, 0x05, 0x05), /* syscall */
	ROW(SYSTEM, 0F, 0x34, 0x34), /* sysenter */
	ROW(SYSTEM, 0F, 0x20, 0x23), /* control and debug registers */
	ROW(SYSTEM, 0F, 0x30, 0x33), /* rdtsc, rdmsr, wrmsr, rdpmc */
	ROW(SYSTEM, 0F, 0xa2, 0xa2), /* cpuid */
	/* rdrand, rdseed */
	ROW(SYSTEM, 0F, 0xc7, 0xc7, .numbers = BIT(6) | BIT(7), .where = IN_REGISTER),
	/* tpause, umwait */
	ROW(PAUSE, 0F, 0xae, 0xae, .prefixes = P66 | F2, .numbers = BIT(6), .where = IN_REGISTER),
	/* lfence, mfence, sfence */
	ROW(FENCE, 0F, 0xae, 0xae, .prefixes = NP, .numbers = 0xe0, .where = IN_REGISTER),
	/* clflush, clflushopt */
	ROW(FENCE, 0F, 0xae, 0xae, .prefixes = NP | P66, .numbers = BIT(7), .where = IN_MEMORY),
	/* clwb */
	ROW(FENCE, 0F, 0xae, 0xae, .prefixes = P66, .numbers = BIT(6), .where = IN_MEMORY),
	/* fxsave, xsave and back */
	ROW(SYSTEM, 0F, 0xae, 0xae, .prefixes = NP, .numbers = 0x73, .where = IN_MEMORY),
	ROW(FENCE, 0F, 0x09, 0x09, .prefixes = NP), /* wbinvd */
	ROW(DIV, 0F, 0x51, 0x51), /* sqrt */
	ROW(DIV, 0F, 0x5e, 0x5e), /* div */
	ROW(FLOAT, 0F, 0x10, 0x11, .prefixes = F3 | F2), /* movss, movsd */
	ROW(FLOAT, 0F, 0x2a, 0x2a, .prefixes = F3 | F2), /* from integers, and to */
	ROW(FLOAT, 0F, 0x2c, 0x2d, .prefixes = F3 | F2),
	ROW(FLOAT, 0F, 0x2e, 0x2f, .prefixes = NP | P66), /* ucomis, comis */
	ROW(FLOAT, 0F, 0x52, 0x53, .prefixes = F3), /* rsqrtss, rcpss */
	ROW(FLOAT, 0F, 0x58, 0x5a, .prefixes = F3 | F2), /* add, mul, between sizes */
	ROW(FLOAT, 0F, 0x5c, 0x5f, .prefixes = F3 | F2), /* sub, min, max */
	ROW(FLOAT, 0F, 0xc2, 0xc2, .prefixes = F3 | F2), /* cmp */
	ROW(FLOAT, 0F, 0x78, 0x79, .prefixes = F3 | F2, .codings = EVEX), /* unsigned */
	ROW(FLOAT, 0F, 0x7b, 0x7b, .prefixes = F3 | F2, .codings = EVEX),
	ROW(NONE, 0F, 0x6e, 0x6e), /* movd, movq: from and to where they are */
	ROW(NONE, 0F, 0x7e, 0x7e),
	ROW(NONE, 0F, 0xd6, 0xd6, .prefixes = P66),
	ROW(VECTOR_128, 0F, 0x10, 0x17),
	ROW(VECTOR_128, 0F, 0x28, 0x2b),
	ROW(VECTOR_128, 0F, 0x50, 0x76),
	ROW(VECTOR_128, 0F, 0x78, 0x7b, .codings = EVEX),
	ROW(VECTOR_128, 0F, 0x7c, 0x7f),
	ROW(VECTOR_128, 0F, 0xc2, 0xc2),
	ROW(VECTOR_128, 0F, 0xc4, 0xc6),
	ROW(VECTOR_128, 0F, 0xd0, 0xfe),
	/* 0f 38 */
	ROW(CRYPTO, 0F38, 0xc8, 0xcf, .codings = LEGACY | VEX), /* sha, gf2p8mulb */
	ROW(CRYPTO, 0F38, 0xcf, 0xcf),
	ROW(CRYPTO, 0F38, 0xda, 0xdf), /* aes, sm3, sm4 */
	ROW(CRYPTO, 0F38, 0xf0, 0xf1, .prefixes = F2, .codings = LEGACY), /* crc32 */
	ROW(GATHER, 0F38, 0x90, 0x93, .codings = VEX | EVEX),
	ROW(GATHER, 0F38, 0xa0, 0xa3, .codings = EVEX), /* scatter */
	ROW(FLOAT, 0F38, 0x99, 0x9f, .odd = true), /* fused, of one number */
	ROW(FLOAT, 0F38, 0xa9, 0xaf, .odd = true),
	ROW(FLOAT, 0F38, 0xb9, 0xbf, .odd = true),
	ROW(VECTOR_512, 0F38, 0x49, 0x4b, .codings = VEX), /* tiles, whose rows are so long */
	ROW(VECTOR_512, 0F38, 0x5c, 0x5e, .codings = VEX),
	ROW(VECTOR_128, 0F38, 0x00, 0x7f),
	ROW(VECTOR_128, 0F38, 0x88, 0x8f, .codings = VEX | EVEX),
	ROW(VECTOR_128, 0F38, 0x96, 0x9f, .codings = VEX | EVEX),
	ROW(VECTOR_128, 0F38, 0xa6, 0xc7, .codings = VEX | EVEX),
	/* 0f 3a */
	ROW(CRYPTO, 0F3A, 0x44, 0x44), /* pclmulqdq */
	ROW(CRYPTO, 0F3A, 0xcc, 0xcf), /* sha1rnds4, gf2p8affine */
	ROW(CRYPTO, 0F3A, 0xde, 0xdf), /* aeskeygenassist, sm3rnds2 */
	ROW(STRING, 0F3A, 0x60, 0x63, .prefixes = P66), /* pcmpestrm and its like */
	ROW(FLOAT, 0F3A, 0x0a, 0x0b), /* roundss, roundsd */
	ROW(NONE, 0F3A, 0x30, 0x33, .codings = VEX), /* masks */
	ROW(VECTOR_128, 0F3A, 0x00, 0xef),
	/* half precision */
	ROW(DIV, 5, 0x51, 0x51),
	ROW(DIV, 5, 0x5e, 0x5e),
	ROW(FLOAT, 5, 0x00, 0xff, .prefixes = F3),
	ROW(VECTOR_128, 5, 0x00, 0xff),
	ROW(VECTOR_128, 6, 0x00, 0xff),
/* clang-format on */
#undef ROW
};

static bool fits(const struct row *r, const struct x86_parts *p)
{
	if (p->map != r->map || p->opcode < r->first || p->opcode > r->last)
		return false;
	if ((r->prefixes && !(r->prefixes & BIT(p->mandatory))) ||
	    (r->numbers && !(r->numbers & BIT(p->reg & 7))) ||
	    (r->codings && !(r->codings & BIT(p->coding))))
		return false;
	if (r->where && r->where != (p->mod == 3 ? IN_REGISTER : IN_MEMORY))
		return false;
	return !r->odd || ((p->opcode & 1) && p->coding != X86_LEGACY);
}

/* Rounding, where it is said, takes the place of the length. */
static enum pmb_block_class width_of(const struct x86_parts *p)
{
	if (p->coding == X86_EVEX && (p->vector >= 2 || (p->broadcast && p->mod == 3)))
		return PMB_BLOCK_VECTOR_512;
	return p->coding != X86_LEGACY && p->vector == 1 ? PMB_BLOCK_VECTOR_256 :
							   PMB_BLOCK_VECTOR_128;
}

enum pmb_block_class x86_mark(const uint8_t *bytes, size_t len)
{
	struct x86_parts p;

	if (!x86_parts__read(bytes, len, &p))
		return PMB_BLOCK_NONE;
	if (p.locked)
		return PMB_BLOCK_LOCK;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!fits(&rows[i], &p))
			continue;
		return rows[i].class == PMB_BLOCK_VECTOR_128 ? width_of(&p) : rows[i].class;
	}
	return PMB_BLOCK_NONE;
}
