/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All that may have addressed memory before a place, along all ways that lead to it: for samples
 * with an address, which tells the one that it was. Pure.
 */
#ifndef PMUBPF_SYMD_CODE_SEARCH_H
#define PMUBPF_SYMD_CODE_SEARCH_H

#include "symd/code_place.h"

/* The nearest first. */
void code_search__find(const struct code_bytes *code, struct pmb_place *ret);

#endif
