/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Instructions as text, by capstone (libcapstone.so.4 or .5), which is loaded before the sandbox is
 * entered: afterwards nothing can be opened. Where there is none, x86-64 instructions still have
 * lengths and the targets of jumps, by our own decoder, and arm64's as well.
 */
#ifndef PMUBPF_SYMD_DISASSEMBLER_H
#define PMUBPF_SYMD_DISASSEMBLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INSN_TEXT = 192 + 2 };

/* What it does to where the program goes on. */
enum insn_flow {
	INSN_ON,   /* to the next one */
	INSN_JUMP, /* it may go elsewhere */
	INSN_CALL,
	INSN_RETURN,
	N_INSN_FLOWS,
};

struct insn {
	uint32_t len;
	enum insn_flow flow;
	uint64_t target; /* of a jump or call; 0: not said in the code */
	char text[INSN_TEXT];
};

/* Loads the library, once; false: there is none. */
bool disassembler_load(void);

struct disassembler;

/* For files of that machine (ELF's e_machine) and class. NULL: nothing is known of its code. */
struct disassembler *disassembler__new(unsigned machine, bool is_64);
struct disassembler *disassembler__free(struct disassembler *d); /* NULL is fine; returns NULL */
/* Does it make texts? */
bool disassembler__has_text(const struct disassembler *d);
/* The instruction at vaddr, whose bytes these are: len is at least 1, and what is no instruction is
 * one byte. */
void disassembler__read(struct disassembler *d, const uint8_t *bytes, size_t len, uint64_t vaddr,
			struct insn *ret);

#endif
