// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/reason.h"

#define KEY(id, key, text) [SYM_##id] = key,
const char *const sym_reason_keys[N_SYM_REASONS] = {SYM_REASONS(KEY)};
#undef KEY

#define TEXT(id, key, text) [SYM_##id] = text,
const char *const sym_reason_texts[N_SYM_REASONS] = {SYM_REASONS(TEXT)};
#undef TEXT
