// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Instructions in hex, a line each, on stdin; on stdout what user/symd/x86_operand.c says of each:
 * "LENGTH", or "LENGTH ?" if only that is known, else "LENGTH OPERAND… /REGISTERS[+STEP…]", an
 * operand being SEGMENT:BASE+INDEX*SCALE+DISP:SIZE:ACCESS.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "symd/x86_operand.h"

static const char *const names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8",
				    "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip"};

static const char *name(uint8_t reg)
{
	return reg == X86_NONE ? "" : names[reg];
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

static void print(const struct x86_operand *o)
{
	static const char *const accesses[] = {"?", "load", "store", "both"};

	for (int i = 0; i < o->n; i++) {
		const struct x86_memory *m = &o->mem[i];

		printf(" %s:%s+%s*%d%+" PRId32 ":%d:%s%s",
		       m->segment == 0x64 ? "fs" :
		       m->segment == 0x65 ? "gs" :
					    "",
		       name(m->base), name(m->index), m->scale, m->disp, m->size,
		       accesses[m->access], m->loose ? "~" : "");
	}
	printf(" /%x", o->written);
	for (int i = 0; i < X86_OPERANDS; i++) {
		if (o->steps[i].reg != X86_NONE)
			printf(" %s%+" PRId32, name(o->steps[i].reg), o->steps[i].added);
	}
}

int main(void)
{
	char line[256];

	while (fgets(line, sizeof(line), stdin)) {
		uint8_t bytes[32];
		size_t n = read_hex(line, bytes, sizeof(bytes));
		struct x86_operand o;
		bool known = x86_operand__read(bytes, n, &o);

		printf("%" PRIu32, o.len);
		if (known)
			print(&o);
		else if (o.len)
			printf(" ?");
		putchar('\n');
	}
	return 0;
}
