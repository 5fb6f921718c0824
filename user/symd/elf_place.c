// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/elf_place.h"

#include "symd/code_place.h"

/* The same instructions again, as they stand there. */
static void put_objects(struct elf_objects *objects, uint64_t vaddr, const struct code_bytes *code,
			struct pmb_place *ret)
{
	for (int i = 0; i < ret->n; i++) {
		struct pmb_operand *operand = &ret->operands[i];
		const size_t insn = code->at + (size_t)(int64_t)operand->insn;
		struct insn_data o;

		if (insn_data__read(code->set, code->bytes + insn, code->len - insn, &o))
			elf_objects__find(objects, vaddr + (uint64_t)(int64_t)operand->insn, vaddr,
					  &o.mem[operand->which], operand);
	}
}

void elf_place__find(const struct elf_file *elf, struct elf_objects *objects, uint64_t file_off,
		     enum pmb_skid skid, struct pmb_place *ret)
{
	uint8_t bytes[ELF_FUNCTION_MAX];
	struct code_bytes code = {.bytes = bytes};
	const bool at_the_place = skid == PMB_SKID_EXACT || skid == PMB_SKID_BEFORE;
	uint64_t vaddr, start, end;
	size_t size;
	bool go;

	*ret = (struct pmb_place){.finding = PMB_PLACE_UNKNOWN};
	if (!insn_set__of(elf_file__machine(elf), elf_file__is_64(elf), &code.set) ||
	    !elf_file__vaddr(elf, file_off, &vaddr) ||
	    !elf_file__code(elf, vaddr, &start, &end, &go))
		return;
	if (at_the_place)
		start = vaddr;
	code.at = vaddr - start;
	if (code.at > ELF_FUNCTION_MAX - INSN_LONGEST) {
		ret->finding = PMB_PLACE_FAR;
		return;
	}
	size = end - start < ELF_FUNCTION_MAX ? end - start : ELF_FUNCTION_MAX;
	if (at_the_place && size > INSN_LONGEST)
		size = INSN_LONGEST;
	code.len = elf_file__read(elf, start, bytes, size);
	code_place__find(&code, skid, ret);
	if (!objects)
		return;
	ret->described = elf_objects__describe(objects, vaddr) ? PMB_DESCRIBED : PMB_DESCRIBED_NOT;
	put_objects(objects, vaddr, &code, ret);
}
