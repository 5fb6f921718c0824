// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/blockclass.h"

const char *block_class_word(uint8_t block, bool in_kernel)
{
	static const char *const words[PMB_N_BLOCK_CLASSES] = {
#define X(class, word, least) [PMB_BLOCK_##class] = word,
		PMB_BLOCK_MARKS(X) PMB_BLOCK_MIXES(X)
#undef X
	};

	if (block && block < PMB_N_BLOCK_CLASSES)
		return words[block];
	return in_kernel ? "[kernel]" : "[no code]";
}
