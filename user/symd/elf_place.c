// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/elf_place.h"

#include <linux/types.h>

#include "pmubpf/object_place.h"
#include "symd/code_place.h"
#include "symd/x86_operand.h"
#include "symd/x86_parts.h"

/* Bytes of a function; in larger ones nobody looks back. */
enum { FUNCTION_MAX = 64 * 1024 };

/* What an operand addresses, from where the object begins: at, and what the other register adds. */
struct reach {
	int64_t at;
	uint32_t scale; /* 0: there is no other register */
	uint32_t bytes;
};

/* Whether that can be in such an object, or in one of several side by side: then how far these are
 * from each other. */
static bool may_hold(const struct pointee *p, const struct reach *r, uint32_t *ret_every)
{
	int64_t size = (int64_t)p->size;

	*ret_every = 0;
	if (!p->aggregate) /* any number of them */
		*ret_every = (uint32_t)size;
	if (!p->aggregate || p->endless)
		return r->scale || r->at >= 0;
	if (!r->scale)
		return r->at >= 0 && r->at + r->bytes <= size;
	if (r->scale % p->size == 0)
		*ret_every = (uint32_t)size;
	return r->at >= -size && r->at < size;
}

static bool put_object(struct elf_file *elf, uint64_t vaddr, const struct x86_memory *m,
		       uint8_t reg, uint8_t scale, struct pmb_operand *o)
{
	struct pointee p;
	struct reach r = {.scale = scale, .bytes = m->size};

	if (reg >= X86_REGS || reg == X86_SP || !elf_file__pointee(elf, vaddr, reg, &p) ||
	    __builtin_add_overflow(m->disp, p.at, &r.at) || r.at > INT32_MAX || r.at < INT32_MIN ||
	    p.type > OBJECT_PLACE_MASK || !may_hold(&p, &r, &o->every))
		return false;
	o->object = reg;
	o->type = (uint32_t)p.type;
	o->start -= p.at;
	return true;
}

/* gcc calls an index base at times. */
static void put_type(struct elf_file *elf, uint64_t vaddr, const struct x86_memory *m,
		     struct pmb_operand *o)
{
	const int64_t of_base = o->start;
	uint8_t scale = m->index == X86_NONE ? 0 : m->scale;

	if ((o->flags & (PMB_OPERAND_LOST | PMB_OPERAND_LOOSE)) || m->segment ||
	    put_object(elf, vaddr, m, m->base, scale, o) || m->scale != 1)
		return;
	o->start = o->disp - m->disp - of_base;
	put_object(elf, vaddr, m, m->index, 1, o);
}

/* The same instruction again, as it stands there. */
static void put_types(struct elf_file *elf, uint64_t vaddr, const struct code_bytes *code,
		      struct pmb_place *ret)
{
	size_t insn = code->at - ret->back;
	struct x86_operand o;

	if (ret->finding != PMB_PLACE_FOUND ||
	    !x86_operand__read(code->bytes + insn, code->len - insn, &o))
		return;
	for (int i = 0; i < ret->n && i < o.n; i++)
		put_type(elf, vaddr - ret->back, &o.mem[i], &ret->operands[i]);
}

void elf_place__find(struct elf_file *elf, uint64_t file_off, enum pmb_skid skid, bool types,
		     struct pmb_place *ret)
{
	uint8_t bytes[FUNCTION_MAX];
	struct code_bytes code = {.bytes = bytes};
	uint64_t vaddr, start, end;
	size_t size;

	*ret = (struct pmb_place){.finding = PMB_PLACE_UNKNOWN};
	if (!elf_file__vaddr(elf, file_off, &vaddr) ||
	    !elf_file__function(elf, vaddr, &start, &end))
		return;
	if (skid == PMB_SKID_EXACT)
		start = vaddr;
	code.at = vaddr - start;
	if (code.at > FUNCTION_MAX - X86_LONGEST) {
		ret->finding = PMB_PLACE_FAR;
		return;
	}
	size = end - start < FUNCTION_MAX ? end - start : FUNCTION_MAX;
	if (skid == PMB_SKID_EXACT && size > X86_LONGEST)
		size = X86_LONGEST;
	code.len = elf_file__read(elf, start, bytes, size);
	code_place__find(&code, skid, ret);
	if (types)
		put_types(elf, vaddr, &code, ret);
}
