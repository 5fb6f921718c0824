// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Any bytes as a function of each set of instructions, behind where in it: what is found is of
 * registers that there are. */
#include <stdlib.h>

#include "symd/code_place.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmb_place place;

	if (size < 2)
		return 0;
	for (int i = 0; i < PMB_N_SKIDS * 3; i++) {
		const int skid = i / 3;
		const struct code_bytes code = {data + 2, size - 2, data[0] | data[1] << 8,
						(enum insn_set)(i % 3)};

		code_place__find(&code, (enum pmb_skid)skid, &place);
		if (place.finding >= PMB_N_FINDINGS || place.n > PMB_PLACE_OPERANDS ||
		    (place.finding == PMB_PLACE_FOUND) != (place.n > 0))
			abort();
		for (int j = 0; j < place.n; j++) {
			const struct pmb_operand *o = &place.operands[j];

			if ((o->base > PMB_REG_IP && o->base != PMB_REG_NONE) ||
			    (o->index > PMB_REG_IP && o->index != PMB_REG_NONE) || o->scale > 16)
				abort();
		}
	}
	return 0;
}
