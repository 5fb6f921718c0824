/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How much is known of the data that a sample is about. Each sample of an event with data ends in
 * exactly one of these; only the first says that instruction and data belong together.
 */
#ifndef PMUBPF_MODEL_DATA_CLASS_H
#define PMUBPF_MODEL_DATA_CLASS_H

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
	X(UNVERIFIABLE, "unverifiable", "code that can't be looked at, and no address")

enum data_class {
#define X(id, key, text) DATA_##id,
	DATA_CLASSES(X) N_DATA_CLASSES
#undef X
};

extern const char *const data_class_keys[N_DATA_CLASSES];
extern const char *const data_class_texts[N_DATA_CLASSES];

#endif
