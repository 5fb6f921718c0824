// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * decode [x86-64|arm64|riscv64]: instructions in hex, byte by byte, a line each, on stdin; stdout
 * has what user/symd/insn_data.h knows of each: "LENGTH", or "LENGTH ?" if only that is known, else
 * "LENGTH OPERAND… /REGISTERS[+STEP…] [!FLOW]", an operand being
 * SEGMENT:BASE+INDEX*SCALE+DISP:SIZE:ACCESS.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "symd/insn_data.h"

static const char *const names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
				    "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

static enum insn_set set;

static const char *name(uint8_t reg)
{
	static char text[2][8];
	static int which;

	if (reg == INSN_NONE || reg == INSN_IP)
		return reg == INSN_NONE ? "" : "rip";
	if (set == INSN_X86_64)
		return names[reg];
	which ^= 1;
	snprintf(text[which], sizeof(text[which]), "x%d", reg);
	return text[which];
}

static int digit(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static size_t read_hex(const char *line, uint8_t *bytes, size_t max)
{
	size_t n = 0;

	for (; n < max && digit(line[2 * n]) >= 0 && digit(line[2 * n + 1]) >= 0; n++)
		bytes[n] = (uint8_t)(digit(line[2 * n]) << 4 | digit(line[2 * n + 1]));
	return n;
}

static void print(const struct insn_data *o)
{
	static const char *const accesses[] = {"?", "load", "store", "both"};

	for (int i = 0; i < o->n; i++) {
		const struct insn_memory *m = &o->mem[i];

		printf(" %s:%s+%s%s*%d%+" PRId32 ":%d:%s%s",
		       m->segment == 0x64 ? "fs" :
		       m->segment == 0x65 ? "gs" :
					    "",
		       name(m->base), name(m->index),
		       m->extend == INSN_SIGNED_32   ? "s" :
		       m->extend == INSN_UNSIGNED_32 ? "u" :
						       "",
		       m->scale, m->disp, m->size, accesses[m->access], m->loose ? "~" : "");
	}
	printf(" /%x", o->written);
	for (int i = 0; i < INSN_OPERANDS; i++) {
		if (o->steps[i].reg != INSN_NONE)
			printf(" %s%+" PRId32, name(o->steps[i].reg), o->steps[i].added);
	}
}

/* Where the program goes on: "!FLOW[+DISTANCE]". */
static void print_flow(const struct insn_data *o)
{
	static const char *const flows[] = {"", "call", "branch", "jump", "end"};

	if (o->flow)
		printf(" !%s", flows[o->flow]);
	if (o->flow && o->has_target)
		printf("%+" PRId64, o->target);
}

int main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "";
	char line[256];

	set = strcmp(which, "arm64") == 0   ? INSN_ARM64 :
	      strcmp(which, "riscv64") == 0 ? INSN_RISCV64 :
					      INSN_X86_64;
	while (fgets(line, sizeof(line), stdin)) {
		uint8_t bytes[32];
		size_t n = read_hex(line, bytes, sizeof(bytes));
		struct insn_data o;
		bool known = insn_data__read(set, bytes, n, &o);

		printf("%" PRIu32, o.len);
		if (known)
			print(&o);
		else if (o.len)
			printf(" ?");
		print_flow(&o);
		putchar('\n');
	}
	return 0;
}
