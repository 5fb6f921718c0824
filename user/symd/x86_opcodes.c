// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/x86_opcodes.h"

/*
 * Sizes. Digits are bytes, o 16, w 32; v 2, 4 or 8 and y 4 or 8 as the prefixes say; x the vector,
 * h Q O its half, quarter, eighth; p the vector or, of one number, 4 or 8; s 4 or 8 by REX.W; k 4
 * or 8 by 66; G the processor's state; m M n the vector or, of MMX, 8, 4, 8 (n: never more than
 * 16); e the vector, with EVEX only; f of x87; g as the prefix says; . has no operand in memory; ?
 * is refused.
 */
/* clang-format off */
static const char *const sizes[] = {
	/* 00 */ "1v1v....1v1v...."
		 "1v1v....1v1v...."
		 "1v1v....1v1v...."
		 "1v1v....1v1v...."
		 /* 40 */ "................"
		 "................"
		 "...4?....v.v????"
		 "................"
		 /* 80 */ "1v.v1v1v1v1v2.2?"
		 "..........?....."
		 "????............"
		 "................"
		 /* c0 */ "1v....1v?......."
		 "1v1v...?ffffffff"
		 "................"
		 "......1v......1g",
	/* 0f 00 */ "2?22...........?"
		    "ppg8xxg8.??....."
		    "........xxgxggkk"
		    "................"
		    /* 40 */ "vvvvvvvvvvvvvvvv"
		    ".pppxxxxppgxpppp"
		    "MMMmmmmmmmmmxxym"
		    "meeemmm.????xxgm"
		    /* 80 */ "................"
		    "1111111111111111"
		    "...vvv..??.vvvGv"
		    "1v?v??12v?vvvv12"
		    /* c0 */ "1vpy2.xG........"
		    "xnnnmm8.mmmmmmmm"
		    "mnnmmmgmmmmmmmmm"
		    "xnnnmmm.mmmmmmm?",
	/* 0f 38 00 */ "mmmmmmmmmmmmxxxx"
		       "x??hxxxx48owmmmx"
		       "hQOhQhxxxxxxxgxx"
		       "hQOhQhxxxxxxxxxx"
		       /* 40 */ "xxxsxxxx????xsxs"
		       "xxxxxx??48owxxxx"
		       "??xxxxx????????x"
		       "?????xxx12...xxx"
		       /* 80 */ "???x????xxxxxxx?"
		       "yyyy??xxxsxsxsxs"
		       "yyyy??xxxsxsxsxs"
		       "????xxxxxsxsxsxs"
		       /* c0 */ "????x???xxxxxx?x"
		       "???????????xxxxx"
		       "????????????????"
		       "ggyy?yyy????????",
	/* 0f 3a 00 */ "xxxxxxx?xx48xxxm"
		       "????12y4oowwxhxx"
		       "14yx?xxs????????"
		       "........ooww??xx"
		       /* 40 */ "xxxxx?x???xxx???"
		       "xs??xsxs????????"
		       "xxxx??xs????????"
		       "????????????????"
		       /* 80 */ "????????????????"
		       "????????????????"
		       "????????????????"
		       "????????????????"
		       /* c0 */ "????????????x?xx"
		       "???????????????x"
		       "????????????????"
		       "y???????????????",
};
/* clang-format on */

/*
 * What is done to the operand in memory, where that isn't a load: s it is stored, b both; c t u j a
 * Z: as ModRM's number says (groups 1, 3, 8, 5, 15, 9); f of x87; v: as the prefix says.
 */
static const char one_byte_access[256] =
	{
		[0x00 ... 0x01] = 'b', [0x08 ... 0x09] = 'b', [0x10 ... 0x11] = 'b',
		[0x18 ... 0x19] = 'b', [0x20 ... 0x21] = 'b', [0x28 ... 0x29] = 'b',
		[0x30 ... 0x31] = 'b', [0x80 ... 0x83] = 'c', [0x86 ... 0x87] = 'b',
		[0x88 ... 0x89] = 's', [0x8c] = 's',          [0xc0 ... 0xc1] = 'b',
		[0xc6 ... 0xc7] = 's', [0xd0 ... 0xd3] = 'b', [0xd8 ... 0xdf] = 'f',
		[0xf6 ... 0xf7] = 't', [0xfe] = 'b',          [0xff] = 'j',
};

static const char two_byte_access[256] = {
	[0x11] = 's',          [0x13] = 's',          [0x17] = 's', [0x29] = 's',
	[0x2b] = 's',          [0x7e] = 'v',          [0x7f] = 's', [0x90 ... 0x9f] = 's',
	[0xa4 ... 0xa5] = 'b', [0xab ... 0xad] = 'b', [0xae] = 'a', [0xb0 ... 0xb1] = 'b',
	[0xb3] = 'b',          [0xba] = 'u',          [0xbb] = 'b', [0xc0 ... 0xc1] = 'b',
	[0xc3] = 's',          [0xc7] = 'Z',          [0xd6] = 's', [0xe7] = 's',
};

static const char three_byte_38_access[256] = {
	[0x10 ... 0x15] = 'v', [0x20 ... 0x25] = 'v', [0x2e ... 0x2f] = 's',
	[0x30 ... 0x35] = 'v', [0x63] = 's',          [0x8a ... 0x8b] = 's',
	[0x8e] = 's',          [0xa0 ... 0xa3] = 's', [0xf1] = 'v',
};

static const char three_byte_3a_access[256] = {
	[0x14 ... 0x17] = 's', [0x19] = 's', [0x1b] = 's', [0x1d] = 's', [0x39] = 's', [0x3b] = 's',
};

static const char *const accesses[] = {one_byte_access, two_byte_access, three_byte_38_access,
				       three_byte_3a_access};

/*
 * Which registers are overwritten: r R ModRM's first, m M its second if that is no memory, x X both
 * (capitals: bytes); o O the one in the opcode; e that and ax; a d k ax, dx, cx, 2 these three; P
 * the stack pointer, by a push, p by a pop, Q by one to the register in the opcode; l by leave; S D
 * W those of string instructions; c C as m M, but not of cmp; V VEX's third; 1 A ax and m M
 * (cmpxchg); t i g f: as ModRM's number says; ! all.
 */
static const char one_byte_written[256] = {
#define ARITHMETIC(n) \
	[n] = 'M', [(n) + 1] = 'm', [(n) + 2] = 'R', [(n) + 3] = 'r', [(n) + 4 ...(n) + 5] = 'a'
	ARITHMETIC(0x00),      ARITHMETIC(0x08),      ARITHMETIC(0x10),      ARITHMETIC(0x18),
	ARITHMETIC(0x20),      ARITHMETIC(0x28),      ARITHMETIC(0x30),      [0x50 ... 0x57] = 'P',
	[0x58 ... 0x5f] = 'Q', [0x63] = 'r',          [0x68] = 'P',          [0x69] = 'r',
	[0x6a] = 'P',          [0x6b] = 'r',          [0x6c ... 0x6f] = '!', [0x80] = 'C',
	[0x81] = 'c',          [0x83] = 'c',          [0x86] = 'X',          [0x87] = 'x',
	[0x88] = 'M',          [0x89] = 'm',          [0x8a] = 'R',          [0x8b] = 'r',
	[0x8c] = 'm',          [0x8d] = 'r',          [0x8f] = '!',          [0x90 ... 0x97] = 'e',
	[0x98] = 'a',          [0x99] = 'd',          [0x9c] = 'P',          [0x9d] = 'p',
	[0x9f] = 'a',          [0xa4 ... 0xa7] = 'S', [0xaa ... 0xab] = 'D', [0xac ... 0xad] = 'W',
	[0xae ... 0xaf] = 'D', [0xb0 ... 0xb7] = 'O', [0xb8 ... 0xbf] = 'o', [0xc0] = 'M',
	[0xc1] = 'm',          [0xc6] = 'M',          [0xc7] = 'm',          [0xc8] = '!',
	[0xc9] = 'l',          [0xcc ... 0xcf] = '!', [0xd0] = 'M',          [0xd1] = 'm',
	[0xd2] = 'M',          [0xd3] = 'm',          [0xd7] = 'a',          [0xdf] = 'f',
	[0xe0 ... 0xe2] = 'k', [0xe4 ... 0xe5] = 'a', [0xe8] = '!',          [0xec ... 0xed] = 'a',
	[0xf1] = '!',          [0xf6 ... 0xf7] = 't', [0xfe] = 'M',          [0xff] = 'i',
};

static const char two_byte_written[256] =
	{
		[0x00] = 'm',          [0x01] = '!',          [0x02 ... 0x03] = 'r',
		[0x05] = '!',          [0x07] = '!',          [0x1e] = 'g',
		[0x20 ... 0x21] = 'm', [0x2c ... 0x2d] = 'g', [0x31 ... 0x33] = '2',
		[0x34 ... 0x37] = '!', [0x40 ... 0x4f] = 'r', [0x50] = 'r',
		[0x78 ... 0x79] = '!', [0x7e] = 'g',          [0x90 ... 0x9f] = 'M',
		[0xa0] = 'P',          [0xa1] = 'p',          [0xa2] = '!',
		[0xa4 ... 0xa5] = 'm', [0xa8] = 'P',          [0xa9] = 'p',
		[0xaa] = '!',          [0xab ... 0xad] = 'm', [0xae] = 'g',
		[0xaf] = 'r',          [0xb0] = 'A',          [0xb1] = '1',
		[0xb2] = '!',          [0xb3] = 'm',          [0xb4 ... 0xb5] = '!',
		[0xb6 ... 0xb8] = 'r', [0xb9] = '!',          [0xba] = 'm',
		[0xbb] = 'm',          [0xbc ... 0xbf] = 'r', [0xc0] = 'X',
		[0xc1] = 'x',          [0xc5] = 'r',          [0xc7] = 'g',
		[0xc8 ... 0xcf] = 'o', [0xd7] = 'r',
};

static const char three_byte_38_written[256] = {
	[0xf0 ... 0xf1] = 'r', [0xf2] = 'r', [0xf3] = 'V',          [0xf5] = 'r',
	[0xf6] = 'g',          [0xf7] = 'r', [0xf8 ... 0xff] = '!',
};

static const char three_byte_3a_written[256] = {
	[0x14 ... 0x17] = 'm',
	[0x60 ... 0x61] = 'k',
	[0x62 ... 0x63] = 'k',
	[0xf0] = 'r',
};

static const char *const writes[] = {one_byte_written, two_byte_written, three_byte_38_written,
				     three_byte_3a_written};

struct x86_opcode x86_opcode__of(uint8_t map, uint8_t opcode)
{
	return (struct x86_opcode){sizes[map][opcode], accesses[map][opcode], writes[map][opcode]};
}
