// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The hard thing is the length: the tables below say of each opcode what comes after it (appendix A
 * of the manual). */
#include "symd/x86_parts.h"

#include "base/cursor.h"

enum { RM_SIB = 4, RM_DISP = 5, NO_INDEX = 4 };

struct reader {
	struct cursor c;
	struct x86_parts *p;
};

/*
 * What follows an opcode: m ModRM, 1 2 4 an immediate of so many bytes, z of 4 (2 if narrow), v of
 * 8 if wide, a an address, r s a distance of 1 or 4 bytes, e 3 bytes, t ModRM and perhaps an
 * immediate (test), x is none. b, c: ModRM and then 1 or z.
 */
static const char one_byte[] = "mmmm1zxxmmmm1zxx" /* 00 */
			       "mmmm1zxxmmmm1zxx" /* 10 */
			       "mmmm1zxxmmmm1zxx" /* 20 */
			       "mmmm1zxxmmmm1zxx" /* 30 */
			       "xxxxxxxxxxxxxxxx" /* 40 */
			       "................" /* 50 */
			       "xxxmxxxxzc1b...." /* 60 */
			       "rrrrrrrrrrrrrrrr" /* 70 */
			       "bcxbmmmmmmmmmmmm" /* 80 */
			       "..........x....." /* 90 */
			       "aaaa....1z......" /* a0 */
			       "11111111vvvvvvvv" /* b0 */
			       "bb2.xxbce.2..1x." /* c0 */
			       "mmmmxxx.mmmmmmmm" /* d0 */
			       "rrrr1111ssxr...." /* e0 */
			       "x.xx..tt......mm" /* f0 */;

static const char two_bytes[] = "mmmmx.....x.xm.b" /* 00 */
				"mmmmmmmmmmmmmmmm" /* 10 */
				"mmmmxxxxmmmmmmmm" /* 20 */
				"........xxxxxxxx" /* 30 */
				"mmmmmmmmmmmmmmmm" /* 40 */
				"mmmmmmmmmmmmmmmm" /* 50 */
				"mmmmmmmmmmmmmmmm" /* 60 */
				"bbbbmmm.mmmmmmmm" /* 70 */
				"ssssssssssssssss" /* 80 */
				"mmmmmmmmmmmmmmmm" /* 90 */
				"...mbmxx...mbmmm" /* a0 */
				"mmmmmmmmmmbmmmmm" /* b0 */
				"mmbmbbbm........" /* c0 */
				"mmmmmmmmmmmmmmmm" /* d0 */
				"mmmmmmmmmmmmmmmm" /* e0 */
				"mmmmmmmmmmmmmmmm" /* f0 */;

static bool read_prefix(struct x86_parts *p, uint8_t byte)
{
	switch (byte) {
	case 0x66:
		p->narrow = true;
		if (!p->mandatory)
			p->mandatory = 1;
		return true;
	case 0x67:
		p->short_address = true;
		return true;
	case 0xf2:
	case 0xf3:
		p->rep = true;
		p->mandatory = byte == 0xf3 ? 2 : 3;
		return true;
	case 0x64:
	case 0x65:
		p->segment = byte;
		return true;
	case 0xf0:
		p->locked = true;
		return true;
	default:
		return byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x26;
	}
}

/* VEX: c5 RvvvvLpp; c4 RXBmmmmm WvvvvLpp. EVEX: 62 RXBR'0mmm Wvvvv1pp zLLbV'aaa. The letters up to
 * v are inverted. */
static void read_vex(struct reader *r, uint8_t first)
{
	static const uint8_t rexes[] = {X86_REX_R, X86_REX_R | X86_REX_X | X86_REX_B};
	struct x86_parts *p = r->p;
	uint8_t payload = cursor__u8(&r->c), more = payload, last;

	p->coding = first == 0x62 ? X86_EVEX : X86_VEX;
	p->map = first == 0xc5 ? X86_MAP_0F : payload & (first == 0x62 ? 7 : 31);
	p->rex = (uint8_t)(~payload >> 5 & rexes[first != 0xc5]);
	if (first != 0xc5) {
		more = cursor__u8(&r->c);
		p->rex |= more & 0x80 ? X86_REX_W : 0;
	}
	p->mandatory = more & 3;
	p->third = (uint8_t)(~more >> 3 & 15);
	p->vector = more >> 2 & 1;
	if (first == 0x62) {
		last = cursor__u8(&r->c);
		p->vector = last >> 5 & 3;
		p->broadcast = last & 0x10;
	}
	p->opcode = cursor__u8(&r->c);
}

static void read_opcode(struct reader *r)
{
	struct x86_parts *p = r->p;
	uint8_t byte = cursor__u8(&r->c);

	while (read_prefix(p, byte) && cursor__ok(&r->c))
		byte = cursor__u8(&r->c);
	if ((byte & 0xf0) == 0x40) {
		p->rex = byte & 15;
		p->has_rex = true;
		byte = cursor__u8(&r->c);
	} else if (byte == 0xc4 || byte == 0xc5 || byte == 0x62) {
		read_vex(r, byte);
		return;
	}
	if (byte == 0x0f) {
		p->map = X86_MAP_0F;
		byte = cursor__u8(&r->c);
		if (byte == 0x38 || byte == 0x3a) {
			p->map = byte == 0x38 ? X86_MAP_0F38 : X86_MAP_0F3A;
			byte = cursor__u8(&r->c);
		}
	}
	p->opcode = byte;
}

static void read_displacement(struct reader *r, unsigned bytes)
{
	r->p->disp_bytes = (uint8_t)bytes;
	if (bytes == 1)
		r->p->disp = (int8_t)cursor__u8(&r->c);
	else if (bytes == 4)
		r->p->disp = (int32_t)cursor__u32(&r->c);
}

static void read_sib(struct reader *r)
{
	struct x86_parts *p = r->p;
	uint8_t sib = cursor__u8(&r->c);

	p->base = (uint8_t)((sib & 7) | (p->rex & X86_REX_B ? 8 : 0));
	p->index = (uint8_t)((sib >> 3 & 7) | (p->rex & X86_REX_X ? 8 : 0));
	p->has_index = p->index != NO_INDEX;
	p->scale = (uint8_t)(1 << (sib >> 6));
	p->has_base = p->mod != 0 || (sib & 7) != RM_DISP;
}

static void read_modrm(struct reader *r)
{
	struct x86_parts *p = r->p;
	uint8_t modrm = cursor__u8(&r->c);

	p->has_modrm = true;
	p->mod = modrm >> 6;
	p->reg = (uint8_t)((modrm >> 3 & 7) | (p->rex & X86_REX_R ? 8 : 0));
	p->rm = modrm & 7;
	p->base = (uint8_t)(p->rm | (p->rex & X86_REX_B ? 8 : 0));
	p->scale = 1;
	if (p->mod == 3)
		return;
	p->rip = p->mod == 0 && p->rm == RM_DISP;
	p->has_base = !p->rip;
	if (p->rm == RM_SIB)
		read_sib(r);
	read_displacement(r, p->mod == 1 ? 1 : p->mod == 2 || !p->has_base ? 4 : 0);
}

static void read_number(struct reader *r, unsigned bytes)
{
	switch (bytes) {
	case 1:
		r->p->imm = (int8_t)cursor__u8(&r->c);
		break;
	case 2:
		r->p->imm = (int16_t)cursor__u16(&r->c);
		break;
	case 4:
		r->p->imm = (int32_t)cursor__u32(&r->c);
		break;
	default:
		r->p->imm = (int64_t)cursor__u64(&r->c);
	}
}

static char form(const struct x86_parts *p)
{
	char c;

	switch (p->map) {
	case X86_MAP_ONE:
		return p->coding == X86_LEGACY ? one_byte[p->opcode] : 'x';
	case X86_MAP_0F:
		/* with VEX, there is nothing but ModRM, except for vzeroupper */
		c = two_bytes[p->opcode];
		return p->coding == X86_LEGACY || c == 'b' || p->opcode == 0x77 ? c : 'm';
	case X86_MAP_0F38:
		return 'm';
	case X86_MAP_0F3A:
		return 'b';
	default:
		return p->coding != X86_LEGACY && p->map < 8 ? 'm' : 'x';
	}
}

/* Bytes of the immediate. */
static unsigned immediate(const struct x86_parts *p, char f)
{
	const unsigned z = p->narrow && !(p->rex & X86_REX_W) ? 2 : 4;

	switch (f) {
	case '1':
	case 'b':
	case 'r':
		return 1;
	case '2':
		return 2;
	case 's':
		return 4;
	case 'z':
	case 'c':
		return z;
	case 'v':
		return p->rex & X86_REX_W ? 8 : z;
	case 'a':
		return p->short_address ? 4 : 8;
	case 't':
		return (p->reg & 7) >= 2 ? 0 : p->opcode == 0xf6 ? 1 : z;
	default:
		return 0;
	}
}

static bool read_rest(struct reader *r)
{
	char f = form(r->p);
	unsigned bytes;

	if (f == 'x')
		return false;
	if (f == 'm' || f == 'b' || f == 'c' || f == 't')
		read_modrm(r);
	if (f == 'e')
		cursor__skip(&r->c, 3);
	bytes = immediate(r->p, f);
	if (bytes)
		read_number(r, bytes);
	return cursor__ok(&r->c);
}

bool x86_parts__read(const uint8_t *bytes, size_t len, struct x86_parts *ret)
{
	struct reader r = {cursor__over(bytes, len < X86_LONGEST ? len : X86_LONGEST), ret};
	const uint8_t *from = r.c.pos;

	*ret = (struct x86_parts){0};
	read_opcode(&r);
	if (!cursor__ok(&r.c) || !read_rest(&r))
		return false;
	ret->len = (uint32_t)(r.c.pos - from);
	return true;
}
