// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Instructions of 32 bits: which of their bits say that they are of a class. The first row that
 * fits is it. */
#include "base/mem.h"
#include "symd/insn_class.h"

struct row {
	uint32_t mask, value;
	enum pmb_block_class class;
};

/* Arm ARM, chapter C4. */
static const struct row arm64_rows[] = {
	{0xffffffff, 0xd503203f, PMB_BLOCK_PAUSE}, /* yield */
	{0xffffffdf, 0xd503205f, PMB_BLOCK_PAUSE}, /* wfe, wfi */
	{0xffffffc0, 0xd5031000, PMB_BLOCK_PAUSE}, /* wfet, wfit */
	{0x3ffffc00, 0x38bfc000, PMB_BLOCK_NONE},  /* ldapr: a load */
	{0x3f200c00, 0x38200000, PMB_BLOCK_LOCK},  /* ldadd, swp and their like */
	{0x3f800000, 0x08000000, PMB_BLOCK_LOCK},  /* exclusives, casp */
	{0x3fa00000, 0x08a00000, PMB_BLOCK_LOCK},  /* cas */
	{0x7fe0f800, 0x1ac00800, PMB_BLOCK_DIV},   /* udiv, sdiv */
	{0xff20fc00, 0x1e201800, PMB_BLOCK_DIV},   /* fdiv */
	{0xff3ffc00, 0x1e21c000, PMB_BLOCK_DIV},   /* fsqrt */
	{0xbfa0fc00, 0x2e20fc00, PMB_BLOCK_DIV},   /* fdiv, fsqrt of vectors */
	{0xbfbffc00, 0x2ea1f800, PMB_BLOCK_DIV},
	{0xbfe0fc00, 0x2e403c00, PMB_BLOCK_DIV}, /* …of half precision */
	{0xbffffc00, 0x2ef9f800, PMB_BLOCK_DIV},
	{0xff3ce000, 0x04140000, PMB_BLOCK_DIV}, /* of SVE: sdiv, udiv, and the other way round */
	{0xff3ee000, 0x650c8000, PMB_BLOCK_DIV},
	{0xff3fe000, 0x650da000, PMB_BLOCK_DIV},
	{0x3b200c00, 0x19000400, PMB_BLOCK_STRING}, /* cpy, set */
	{0xffffffe0, 0xd50b7420, PMB_BLOCK_STRING}, /* dc zva */
	{0xffffcc00, 0x4e284800, PMB_BLOCK_CRYPTO}, /* aes */
	{0xffe08c00, 0x5e000000, PMB_BLOCK_CRYPTO}, /* sha1, sha256 */
	{0xffff0c00, 0x5e280800, PMB_BLOCK_CRYPTO},
	{0xff000000, 0xce000000, PMB_BLOCK_CRYPTO}, /* sha3, sha512, sm3, sm4 */
	{0xbf20fc00, 0x0e20e000, PMB_BLOCK_CRYPTO}, /* pmull */
	{0x7fe0e000, 0x1ac04000, PMB_BLOCK_CRYPTO}, /* crc32 */
	{0xffe0001c, 0xd4000000, PMB_BLOCK_SYSTEM}, /* svc, hvc, smc */
	{0xffffffe0, 0xd53be040, PMB_BLOCK_SYSTEM}, /* mrs of clocks and counters */
	{0xffffffe0, 0xd53be0c0, PMB_BLOCK_SYSTEM},
	{0xffffffe0, 0xd53b9d00, PMB_BLOCK_SYSTEM},
	{0xfff80000, 0xd5080000, PMB_BLOCK_SYSTEM},     /* dc, ic, at, tlbi */
	{0xfffff01f, 0xd503301f, PMB_BLOCK_FENCE},      /* dmb, dsb, isb */
	{0x1e000000, 0x04000000, PMB_BLOCK_VECTOR},     /* SVE */
	{0x9e000000, 0x0e000000, PMB_BLOCK_VECTOR_128}, /* NEON */
	{0xbe000000, 0x0c000000, PMB_BLOCK_VECTOR_128}, /* ld1, st4 */
	{0xfe800000, 0x3c800000, PMB_BLOCK_VECTOR_128}, /* ldr, str, ldp, stp of q */
	{0xfe000000, 0xac000000, PMB_BLOCK_VECTOR_128},
	{0xde000000, 0x5e000000, PMB_BLOCK_FLOAT},
	{0x5e000000, 0x1e000000, PMB_BLOCK_FLOAT},
};

/* The ISA manual's listings. */
static const struct row riscv64_rows[] = {
	{0xffffffff, 0x0100000f, PMB_BLOCK_PAUSE}, /* pause */
	{0x0000007f, 0x0000002f, PMB_BLOCK_LOCK},  /* amo…, lr, sc */
	{0xfe004077, 0x02004033, PMB_BLOCK_DIV},   /* div, rem: of 64 bits and of 32 */
	{0xf800007f, 0x18000053, PMB_BLOCK_DIV},   /* fdiv, fsqrt */
	{0xf800007f, 0x58000053, PMB_BLOCK_DIV},
	{0xf200707f, 0x32000033, PMB_BLOCK_CRYPTO}, /* aes64 */
	{0xfe00707f, 0x10001013, PMB_BLOCK_CRYPTO}, /* sha256, sha512 */
	{0xfe00407f, 0x0a000033, PMB_BLOCK_CRYPTO}, /* clmul */
	{0x0000007f, 0x00000073, PMB_BLOCK_SYSTEM}, /* ecall, csr… */
	{0x0000007f, 0x0000000f, PMB_BLOCK_FENCE},
	{0x0000007f, 0x00000057, PMB_BLOCK_VECTOR},
	{0x0000705f, 0x00000007, PMB_BLOCK_VECTOR}, /* vector loads and stores */
	{0x0000505f, 0x00005007, PMB_BLOCK_VECTOR},
	{0x0000705f, 0x00006007, PMB_BLOCK_VECTOR},
	{0x0000007f, 0x00000053, PMB_BLOCK_FLOAT},
	{0x00000073, 0x00000043, PMB_BLOCK_FLOAT}, /* fused */
};

static enum pmb_block_class find(const struct row *rows, size_t n, uint32_t word)
{
	for (size_t i = 0; i < n; i++) {
		if ((word & rows[i].mask) == rows[i].value)
			return rows[i].class;
	}
	return PMB_BLOCK_NONE;
}

enum pmb_block_class arm64_mark(uint32_t word)
{
	return find(arm64_rows, ARRAY_SIZE(arm64_rows), word);
}

enum pmb_block_class riscv64_mark(uint32_t word)
{
	return find(riscv64_rows, ARRAY_SIZE(riscv64_rows), word);
}
