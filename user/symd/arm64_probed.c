// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the kernel does itself at a probe and what it refuses is of its decoder for probes
 * (arch/arm64/kernel/probes). The hard thing: between a load and a store that are exclusive a
 * breakpoint takes the reservation away, each time, and their loop never ends; and the kernel lets
 * it be put there.
 */
#include "symd/insn_bits.h"
#include "symd/probed_insn.h"

enum { SP = 31, INSN_BYTES = 4, ALWAYS = 14 };

/* nop, bti and what signs the return address: probes come behind them, for landing pads have to
 * stand where they are, and nops are there to be patched. */
static bool is_front(uint32_t w)
{
	const unsigned hint = field(w, 11, 5);

	if ((w & 0xfffff01f) != 0xd503201f)
		return false;
	return hint == 0 || hint == 25 || hint == 27 || (hint >= 32 && hint <= 38 && !(hint & 1));
}

static bool is_flags_branch(uint32_t w)
{
	return field(w, 31, 24) == 0x54 && !bit(w, 4);
}

/* br, blr, ret, without a look at signatures */
static bool is_plain_to_register(uint32_t w)
{
	return (w & 0xff9ffc1f) == 0xd61f0000 || (w & 0xfffffc1f) == 0xd63f0000;
}

static bool is_return(uint32_t w)
{
	return (w & 0xfffffc1f) == 0xd65f0000 || (w & 0xfffffbff) == 0xd65f0bff; /* retaa, retab */
}

/* adr, adrp, and loads of numbers that stand amid the code, but prefetches and vectors */
static bool is_address_or_literal(uint32_t w)
{
	return field(w, 28, 24) == 0x10 || (field(w, 29, 24) == 0x18 && field(w, 31, 30) != 3);
}

static bool is_emulated(uint32_t w, const struct insn_data *o)
{
	if (o->has_target)
		return field(w, 31, 24) != 0x54 || is_flags_branch(w);
	return is_plain_to_register(w) || is_address_or_literal(w);
}

/* Loads and stores that belong together: what is between them must not be disturbed. */
static bool is_exclusive(uint32_t w)
{
	return field(w, 29, 24) == 8 && !bit(w, 23) && (!bit(w, 21) || bit(w, 31));
}

static uint8_t when_taken(uint32_t w, const struct insn_data *o)
{
	if (o->flow != INSN_BRANCHES)
		return 0;
	if (!is_flags_branch(w))
		return PROBED_SOMETIMES;
	return field(w, 3, 0) >= ALWAYS ? 0 : (uint8_t)(1 + field(w, 3, 0));
}

static enum probed_kind kind_of(uint32_t w, const struct insn_data *o,
				const struct probed_before *before)
{
	if ((o->flow == INSN_BRANCHES || o->flow == INSN_JUMPS) && o->has_target)
		return PROBED_LEADS;
	if (is_return(w))
		return PROBED_RETURNS;
	return o->flow == INSN_JUMPS && !probed_before__is_by_table(before, field(w, 9, 5)) ?
		       PROBED_LEAVES :
		       PROBED_GOES_ON;
}

/* A sum of two registers, one of which may be shifted or extended; or what stands at an index. */
static void remember(struct probed_before *before, uint32_t w)
{
	if ((w & 0xff200000) == 0x8b000000 || (w & 0xffe00000) == 0x8b200000 ||
	    (w & 0xffe00c00) == 0xf8600800)
		before->picked[w & 31] = before->number + 1;
	if (is_exclusive(w))
		before->exclusive = bit(w, 22);
	else if ((w & 0xfffff0ff) == 0xd503305f || is_return(w)) /* clrex */
		before->exclusive = false;
}

static uint64_t read_amid_code(const struct insn_data *o, uint64_t vaddr)
{
	return o->n && o->mem[0].base == INSN_IP ?
		       vaddr + INSN_BYTES + (uint64_t)(int64_t)o->mem[0].disp :
		       0;
}

bool arm64_probed__read(const uint8_t *bytes, size_t len, uint64_t vaddr,
			struct probed_before *before, struct probed_insn *ret)
{
	struct insn_data o;
	bool known = insn_data__read(INSN_ARM64, bytes, len, &o);
	uint32_t w;

	if (len < INSN_BYTES)
		return false;
	w = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	    (uint32_t)bytes[3] << 24;
	*ret = (struct probed_insn){.len = INSN_BYTES, .trap = !w};
	if (!o.len)
		return !w; /* between functions */
	*ret = (struct probed_insn){
		.len = INSN_BYTES,
		.kind = (uint8_t)kind_of(w, &o, before),
		.when = when_taken(w, &o),
		.front = is_front(w),
		.emulated = is_emulated(w, &o),
		.trap = o.flow == INSN_ENDS && !is_return(w),
		.unprobed = is_exclusive(w) || before->exclusive ||
			    ((is_return(w) || o.flow == INSN_JUMPS) && !o.has_target &&
			     !is_plain_to_register(w)),
		.stays = known && o.flow == INSN_GOES_ON && !(o.written & 1U << SP),
		.reads = read_amid_code(&o, vaddr),
	};
	if (ret->kind == PROBED_LEADS)
		ret->target = vaddr + (uint64_t)o.target;
	remember(before, w);
	return true;
}
