// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/data_class.h"

const char *const data_class_keys[N_DATA_CLASSES] = {
#define X(id, key, text) key,
	DATA_CLASSES(X)
#undef X
};
const char *const data_class_texts[N_DATA_CLASSES] = {
#define X(id, key, text) text,
	DATA_CLASSES(X)
#undef X
};
