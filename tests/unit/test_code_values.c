// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What registers are, of functions in machine code: di points to a node of 32 bytes, whose member
 * at 8 points to another one; so does what lies at the frame's -24. */
#include <criterion/criterion.h>

#include "base/mem.h"
#include "symd/code_values.h"

enum { AX, CX, DX, BX, SP, BP, SI, DI };
enum { NODE = 7, SIZE = 32, LINK = 8, SLOT = -24 };

#define CODE(text) (const uint8_t *)(text), sizeof(text) - 1

static bool node(struct pointee *ret)
{
	*ret = (struct pointee){.type = NODE, .size = SIZE, .aggregate = true};
	return true;
}

/* As a parameter, until the code has begun. */
static bool held(void *ctx, size_t off, unsigned reg, struct pointee *ret)
{
	(void)ctx;
	return off == 0 && reg == DI && node(ret);
}

static bool ends(void *ctx, size_t off, size_t next)
{
	(void)ctx;
	(void)next;
	return off == 0;
}

static bool in_object(void *ctx, const struct pointee *where, struct pointee *ret)
{
	(void)ctx;
	return where->type == NODE && where->at == LINK && !where->every && node(ret);
}

static bool in_frame(void *ctx, size_t off, const struct frame_place *place, struct pointee *ret)
{
	(void)ctx;
	(void)off;
	return place->at == SLOT && node(ret);
}

static bool at_address(void *ctx, int64_t off, struct pointee *ret)
{
	(void)ctx;
	return off == 0x107 && node(ret);
}

/* Who lies right behind. */
static bool returned(void *ctx, int64_t off, struct pointee *ret)
{
	(void)ctx;
	return off == 0x105 && node(ret);
}

static const struct {
	const char *what;
	const uint8_t *code;
	size_t len, at;
	unsigned reg;
	enum code_value_kind kind;
	int64_t off;
	uint64_t every;
} cases[] = {
	{"a parameter", CODE("\x90\xc3"), 1, DI, CODE_VALUE_POINTER, 0, 0},
	{"nobody knows", CODE("\x90\xc3"), 1, SI, CODE_VALUE_ANY, 0, 1},
	{"mov rax,rdi", CODE("\x48\x89\xf8\xc3"), 3, AX, CODE_VALUE_POINTER, 0, 0},
	{"mov eax,edi: half a pointer", CODE("\x89\xf8\xc3"), 2, AX, CODE_VALUE_ANY, 0, 1},
	{"lea rax,[rdi+16]", CODE("\x48\x8d\x47\x10\xc3"), 4, AX, CODE_VALUE_POINTER, 16, 0},
	{"sub rdi,16", CODE("\x48\x83\xef\x10\xc3"), 4, DI, CODE_VALUE_POINTER, -16, 0},
	{"mov rax,rdi; sub rax,0x100", CODE("\x48\x89\xf8\x48\x2d\x00\x01\x00\x00\xc3"), 9, AX,
	 CODE_VALUE_POINTER, -256, 0},
	{"mov rax,[rdi+8]", CODE("\x48\x8b\x47\x08\xc3"), 4, AX, CODE_VALUE_POINTER, 0, 0},
	{"mov rax,[rdi+16], which is none", CODE("\x48\x8b\x47\x10\xc3"), 4, AX, CODE_VALUE_ANY, 0,
	 1},
	{"mov rax,[rip+0x100]", CODE("\x48\x8b\x05\x00\x01\x00\x00\xc3"), 7, AX, CODE_VALUE_POINTER,
	 0, 0},
	{"shl rsi,5; add rdi,rsi", CODE("\x48\xc1\xe6\x05\x48\x01\xf7\xc3"), 7, DI,
	 CODE_VALUE_POINTER, 0, 32},
	{"imul rax,rsi,24", CODE("\x48\x6b\xc6\x18\xc3"), 4, AX, CODE_VALUE_NUMBER, 0, 24},
	{"xor eax,eax", CODE("\x31\xc0\xc3"), 2, AX, CODE_VALUE_NUMBER, 0, 0},
	{"push rbx; the frame", CODE("\x53\xc3"), 1, SP, CODE_VALUE_FRAME, -16, 0},
	{"push rbp; mov rbp,rsp; mov rax,[rbp-8]", CODE("\x55\x48\x89\xe5\x48\x8b\x45\xf8\xc3"), 8,
	 AX, CODE_VALUE_POINTER, 0, 0},
	{"a call leaves nothing in di", CODE("\xe8\x00\x00\x00\x00\xc3"), 5, DI, CODE_VALUE_ANY, 0,
	 1},
	{"what a call returns", CODE("\xe8\x00\x01\x00\x00\xc3"), 5, AX, CODE_VALUE_POINTER, 0, 0},
	{"of whom nobody knows what it returns", CODE("\xe8\x01\x01\x00\x00\xc3"), 5, AX,
	 CODE_VALUE_ANY, 0, 1},
	{"call rax: nobody knows whom", CODE("\xff\xd0\xc3"), 2, AX, CODE_VALUE_ANY, 0, 1},
	{"mov rbx,rdi; a call leaves bx", CODE("\x48\x89\xfb\xe8\x00\x00\x00\x00\xc3"), 8, BX,
	 CODE_VALUE_POINTER, 0, 0},
	{"loop: add rdi,32; dec rsi; jne loop",
	 CODE("\x90\x48\x83\xc7\x20\x48\xff\xce\x75\xf7\xc3"), 1, DI, CODE_VALUE_POINTER, 0, 32},
	{"loop: mov rdi,[rdi+8]; test; jne loop",
	 CODE("\x90\x48\x8b\x7f\x08\x48\x85\xff\x75\xf7\xc3"), 1, DI, CODE_VALUE_POINTER, 0, 0},
	{"je over; mov rdi,rsi; over: something else came", CODE("\x74\x03\x48\x89\xf7\xc3"), 5, DI,
	 CODE_VALUE_ANY, 0, 1},
	{"je over; xor edi,edi; over: null is any pointer", CODE("\x74\x02\x31\xff\xc3"), 4, DI,
	 CODE_VALUE_POINTER, 0, 0},
	{"behind a jump nobody knows", CODE("\xeb\x01\x90\xc3"), 2, DI, CODE_VALUE_ANY, 0, 1},
};

Test(code_values, what_registers_are)
{
	const struct code_values_fns fns = {held,       ends,     in_object, in_frame,
					    at_address, returned, NULL};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct code_values *values = code_values__new(cases[i].code, cases[i].len, &fns);
		struct code_value v;

		cr_assert_not_null(values, "%s", cases[i].what);
		code_values__at(values, cases[i].at, cases[i].reg, &v);
		cr_expect(v.kind == cases[i].kind && v.to.at == cases[i].off &&
				  v.to.every == cases[i].every,
			  "%s: kind %d, at %lld, every %llu", cases[i].what, (int)v.kind,
			  (long long)v.to.at, (unsigned long long)v.to.every);
		cr_expect(v.kind != CODE_VALUE_POINTER || v.to.type == NODE, "%s: type",
			  cases[i].what);
		code_values__free(values);
	}
}
