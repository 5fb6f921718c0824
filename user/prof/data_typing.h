/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is known of the type of the data that a row is about, by the names that it got. */
#ifndef PMUBPF_PROF_DATA_TYPING_H
#define PMUBPF_PROF_DATA_TYPING_H

#include <stdbool.h>

#include "model/data_class.h"
#include "sym/names.h"
#include "sym/places.h"

/* False: no instruction is known that addressed it. */
bool data_typing__of(const struct places *places, const struct names *names,
		     const struct profile_row *row, enum data_typing *ret);
#endif
