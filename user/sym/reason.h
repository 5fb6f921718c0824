/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Why an address has no name. One list: enum, JSON keys, words for people. */
#ifndef PMUBPF_SYM_REASON_H
#define PMUBPF_SYM_REASON_H

#define SYM_REASONS(X)                                                                        \
	X(NAMED, "named", "named")                                                            \
	X(NO_SYMBOL, "no_symbol", "the file has no symbol there")                             \
	X(NO_FILE, "no_file", "the mapped file could not be opened")                          \
	X(BAD_FILE, "bad_file", "the mapped file is not readable as ELF")                     \
	X(NO_MAPPING, "no_mapping", "no executable mapping of the program holds the address") \
	X(NO_PERF_MAP, "no_perf_map",                                                         \
	  "anonymous code, and neither a perf map nor a jitdump names it")                    \
	X(UNTRUSTED_MAP, "untrusted_map", "the perf map is not a file of the program's user") \
	X(NO_KALLSYMS, "no_kallsyms", "kernel symbols are hidden (kptr_restrict)")            \
	X(NO_OBJECT, "no_object",                                                             \
	  "what the interpreter's code says of itself could not be read, or never came")      \
	X(HELPER, "helper", "the symbol helper failed on this file")                          \
	X(TIME, "out_of_time", "the time for naming was over, or a second signal came")       \
	X(ROOM, "no_room_for_names", "the memory for names was full (--max-memory)")

enum sym_reason {
#define X(id, key, text) SYM_##id,
	SYM_REASONS(X) N_SYM_REASONS
#undef X
};

extern const char *const sym_reason_keys[N_SYM_REASONS];
extern const char *const sym_reason_texts[N_SYM_REASONS];

#endif
