// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/labels.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"

unsigned label__of_word(const char *word)
{
	static const struct {
		const char *word;
		enum row_label label;
	} known[] = {
#define X(label, word) {word, label},
		LABELS(X, X)
#undef X
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (strcmp(word, known[i].word) == 0)
			return known[i].label;
	}
	return 0;
}
