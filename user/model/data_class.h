/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How much is known of the data that a sample is about. Each sample of an event with data ends in
 * exactly one of these; only the first says that instruction and data belong together.
 */
#ifndef PMUBPF_MODEL_DATA_CLASS_H
#define PMUBPF_MODEL_DATA_CLASS_H

#include <stdbool.h>

/* X(id, key, text): key is the label's text, and the summary's. */
#define DATA_CLASSES(X)                                                                          \
	X(VALIDATED, "validated", "the instruction addresses what the hardware said")            \
	X(CANDIDATE, "candidate", "an instruction was found, and no address came to check it")   \
	X(CONTRADICTED, "contradicted", "the instruction addresses something else")              \
	X(ADDRESS_ONLY, "address_only", "an address came, and no single instruction for it")     \
	X(BLOCKED, "blocked", "a call, a return, a jump or a function's beginning is before it") \
	X(BRANCH_TARGET, "branch_target", "a jump leads there: what was before isn't known")     \
	X(INCOMPLETE, "incomplete", "no instruction that accesses data is close before it")      \
	X(REGISTER_LOST, "register_lost", "the registers of its address were overwritten since") \
	X(NO_OPERAND, "no_operand", "the instruction addresses no memory")                       \
	X(INVALID_ADDRESS, "invalid_address", "it is none that a program's data may have")       \
	X(UNVERIFIABLE, "unverifiable", "code that can't be looked at, and no address")

/* What is known of the type of the data of validated ones, and of candidates: exactly one, too. */
#define DATA_TYPINGS(X)                                                            \
	X(TYPED, "typed", "of a known type, and where in it")                      \
	X(PADDING, "padding", "of a known type, where no member of it lies")       \
	X(NO_TYPE, "no_type", "debug information doesn't say of which type it is") \
	X(NO_DEBUG_INFO, "no_debug_information",                                   \
	  "the code has none: -g, a package of it, --debuginfod")                  \
	X(FETCH, "fetch", "the instruction itself")

enum data_class {
#define X(id, key, text) DATA_##id,
	DATA_CLASSES(X) N_DATA_CLASSES
#undef X
};

enum data_typing {
#define X(id, key, text) TYPING_##id,
	DATA_TYPINGS(X) N_DATA_TYPINGS
#undef X
};

/* What stands for a type, where there is none; NULL: nothing does. */
const char *data_typing__stand_in(enum data_typing typing);
bool data_typing__is_stand_in(const char *type);

extern const char *const data_typing_keys[N_DATA_TYPINGS];
extern const char *const data_typing_texts[N_DATA_TYPINGS];
extern const char *const data_class_keys[N_DATA_CLASSES];
extern const char *const data_class_texts[N_DATA_CLASSES];

#endif
