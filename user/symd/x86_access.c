// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/x86_access.h"

#include "base/mem.h"
#include "symd/x86_operand.h"

static unsigned vector_bytes(const struct x86_parts *p)
{
	return p->coding == X86_LEGACY ? 16 : 16U << p->vector;
}

unsigned x86_access__number(const struct x86_parts *p)
{
	return p->rex & X86_REX_W ? 8 : p->narrow ? 2 : 4;
}

/* Those of the letter g: what the four prefixes make of it. D movddup: 8 of 16 bytes; H half, but
 * of 8-byte numbers (EVEX) all. */
static char letter_by_prefix(const struct x86_parts *p)
{
	static const struct {
		uint8_t opcode;
		char letters[5];
	} by_prefix[] = {
		{0x12, "88xD"}, {0x16, "88x8"}, {0x2a, "88yy"}, {0x2c, "8o48"},
		{0x2d, "8o48"}, {0x5a, "hx48"}, {0x7e, "yy8y"}, {0xe6, "xxHx"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(by_prefix); i++) {
		if (by_prefix[i].opcode == p->opcode)
			return by_prefix[i].letters[p->mandatory];
	}
	return '?';
}

static unsigned size_by_prefix(const struct x86_parts *p)
{
	const bool wide = p->rex & X86_REX_W;

	if (p->map == X86_MAP_ONE) /* group 5: far calls and jumps are of the kernel */
		return (p->reg & 7) < 2 ? x86_access__number(p) : (p->reg & 1) ? 0 : 8;
	if (p->map == X86_MAP_0F)
		return x86_access__size(p, letter_by_prefix(p));
	if (p->opcode == 0x2d) /* maskmov; scalef of one number */
		return p->coding != X86_EVEX ? vector_bytes(p) : wide ? 8 : 4;
	/* movbe, crc32 */
	return p->mandatory == 3 && p->opcode == 0xf0 ? 1 : x86_access__number(p);
}

enum {
	FXSAVE_BYTES = 512,
	XSAVE_BYTES = 11008, /* at most, with AMX */
};

/* 0f ae and 0f c7: states of the processor, cmpxchg8b. */
static unsigned state_bytes(const struct x86_parts *p)
{
	static const unsigned states[] = {FXSAVE_BYTES, FXSAVE_BYTES, 4,           4,
					  XSAVE_BYTES,  XSAVE_BYTES,  XSAVE_BYTES, 0};
	unsigned number = p->reg & 7;

	if (p->opcode == 0xae)
		return p->mandatory ? 0 : states[number];
	return number == 1 ? (p->rex & X86_REX_W ? 16 : 8) : number == 4 ? XSAVE_BYTES : 0;
}

static unsigned x87_bytes(const struct x86_parts *p)
{
	static const uint8_t bytes[8][8] = {
		{4, 4, 4, 4, 4, 4, 4, 4}, {4, 0, 4, 4, 28, 2, 28, 2},
		{4, 4, 4, 4, 4, 4, 4, 4}, {4, 4, 4, 4, 0, 10, 0, 10},
		{8, 8, 8, 8, 8, 8, 8, 8}, {8, 8, 8, 8, 108, 0, 108, 2},
		{2, 2, 2, 2, 2, 2, 2, 2}, {2, 2, 2, 2, 10, 8, 10, 8},
	};

	return bytes[p->opcode & 7][p->reg & 7];
}

/* d9 and its like: which of the eight store. */
static bool x87_stores(const struct x86_parts *p)
{
	static const uint8_t stores[8] = {[1] = 0xcc, [3] = 0x8e, [5] = 0xce, [7] = 0xce};

	return stores[p->opcode & 7] & 1U << (p->reg & 7);
}

static unsigned mmx_bytes(const struct x86_parts *p, unsigned mmx, unsigned most)
{
	unsigned whole = vector_bytes(p);

	if (p->coding == X86_LEGACY && !p->mandatory)
		return mmx;
	return whole < most ? whole : most;
}

static unsigned packed_bytes(const struct x86_parts *p)
{
	return p->mandatory < 2 ? vector_bytes(p) : p->mandatory == 2 ? 4 : 8;
}

static unsigned vector_size(const struct x86_parts *p, char letter)
{
	switch (letter) {
	case 'h':
		return vector_bytes(p) / 2;
	case 'Q':
		return vector_bytes(p) / 4;
	case 'O':
		return vector_bytes(p) / 8;
	case 'p':
		return packed_bytes(p);
	case 'm':
		return mmx_bytes(p, 8, 64);
	case 'M':
		return mmx_bytes(p, 4, 64);
	case 'n':
		return mmx_bytes(p, 8, 16);
	case 'e':
		return p->coding == X86_EVEX ? vector_bytes(p) : 0;
	case 'D':
		return vector_bytes(p) > 16 ? vector_bytes(p) : 8;
	case 'H':
		return p->coding == X86_EVEX && (p->rex & X86_REX_W) ? vector_bytes(p) :
								       vector_bytes(p) / 2;
	default:
		return vector_bytes(p);
	}
}

unsigned x86_access__size(const struct x86_parts *p, char letter)
{
	if (letter >= '1' && letter <= '8')
		return (unsigned)(letter - '0');
	switch (letter) {
	case 'o':
		return 16;
	case 'w':
		return 32;
	case 'v':
		return x86_access__number(p);
	case 'y':
	case 's':
		return p->rex & X86_REX_W ? 8 : 4;
	case 'k':
		return p->mandatory == 1 ? 8 : 4;
	case 'f':
		return x87_bytes(p);
	case 'g':
		return size_by_prefix(p);
	case 'G':
		return state_bytes(p);
	default:
		return vector_size(p, letter);
	}
}

/* Which of ModRM's eight numbers load and store, and which only store. */
static const struct {
	char letter;
	uint8_t both, store;
} by_number[] = {
	{'s', 0, 0xff}, {'b', 0xff, 0}, {'c', 0x7f, 0}, {'t', 0x0c, 0},
	{'u', 0xe0, 0}, {'j', 0x03, 0}, {'a', 0, 0x59}, {'Z', 0x02, 0xfd},
};

static bool stores_by_prefix(const struct x86_parts *p)
{
	if (p->map == X86_MAP_0F) /* 7e */
		return p->mandatory != 2;
	if (p->opcode == 0xf1) /* movbe; crc32 loads */
		return p->mandatory != 3;
	return p->mandatory == 2; /* narrowing moves */
}

uint8_t x86_access__kind(const struct x86_parts *p, char letter)
{
	const unsigned number = 1U << (p->reg & 7);

	if (letter == 'f')
		return x87_stores(p) ? INSN_STORE : INSN_LOAD;
	if (letter == 'v')
		return stores_by_prefix(p) ? INSN_STORE : INSN_LOAD;
	for (size_t i = 0; i < ARRAY_SIZE(by_number); i++) {
		if (by_number[i].letter != letter)
			continue;
		if (by_number[i].both & number)
			return INSN_LOAD | INSN_STORE;
		return by_number[i].store & number ? INSN_STORE : INSN_LOAD;
	}
	return INSN_LOAD;
}
