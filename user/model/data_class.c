// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/data_class.h"

#include <stddef.h>
#include <string.h>

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
const char *const data_typing_keys[N_DATA_TYPINGS] = {
#define X(id, key, text) key,
	DATA_TYPINGS(X)
#undef X
};
const char *const data_typing_texts[N_DATA_TYPINGS] = {
#define X(id, key, text) text,
	DATA_TYPINGS(X)
#undef X
};

const char *data_typing__stand_in(enum data_typing typing)
{
	if (typing == TYPING_NO_DEBUG_INFO)
		return "(no debug information)";
	return typing == TYPING_NO_TYPE ? "(no type)" : NULL;
}

bool data_typing__is_stand_in(const char *type)
{
	return strcmp(type, data_typing__stand_in(TYPING_NO_DEBUG_INFO)) == 0 ||
	       strcmp(type, data_typing__stand_in(TYPING_NO_TYPE)) == 0;
}
