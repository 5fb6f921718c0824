// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What registers are, of functions in machine code. */
#include <criterion/criterion.h>

#include "code_values_by_hand.h"

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
	{"lea rax,[rsi+rsi*2]; lea rax,[rdi+rax*8]", CODE("\x48\x8d\x04\x76\x48\x8d\x04\xc7\xc3"),
	 8, AX, CODE_VALUE_POINTER, 0, 24},
	{"lea rax,[rsi+rsi*4+2]", CODE("\x48\x8d\x44\xb6\x02\xc3"), 5, AX, CODE_VALUE_NUMBER, 2, 5},
	{"add rsi,rsi; lea rax,[rdi+rsi*8]", CODE("\x48\x01\xf6\x48\x8d\x04\xf7\xc3"), 7, AX,
	 CODE_VALUE_POINTER, 0, 16},
	{"mov rax,rsi; add rax,rax; add rax,rsi; lea rax,[rdi+rax*8]",
	 CODE("\x48\x89\xf0\x48\x01\xc0\x48\x01\xf0\x48\x8d\x04\xc7\xc3"), 13, AX,
	 CODE_VALUE_POINTER, 0, 24},
	{"mov rax,rsi; shl rax,3; sub rax,rsi; lea rax,[rdi+rax*8+16]",
	 CODE("\x48\x89\xf0\x48\xc1\xe0\x03\x48\x29\xf0\x48\x8d\x44\xc7\x10\xc3"), 15, AX,
	 CODE_VALUE_POINTER, 16, 56},
	{"add rsi,8; lea rax,[rdi+rsi*8]", CODE("\x48\x83\xc6\x08\x48\x8d\x04\xf7\xc3"), 8, AX,
	 CODE_VALUE_POINTER, 64, 8},
	{"two that nobody knows: add rax,rax; add rax,rdx; lea rax,[rdi+rax*8]",
	 CODE("\x48\x89\xf0\x48\x01\xc0\x48\x01\xd0\x48\x8d\x04\xc7\xc3"), 13, AX,
	 CODE_VALUE_POINTER, 0, 8},
	{"mov rax,rsi; loop: add rax,rsi; jne loop: it isn't twice the same",
	 CODE("\x48\x89\xf0\x48\x01\xf0\x75\xfb\x48\x8d\x04\xc7\xc3"), 12, AX, CODE_VALUE_POINTER,
	 0, 8},
	{"mov rax,rdi; sub rax,rsi: that may be a pointer, too",
	 CODE("\x48\x89\xf8\x48\x29\xf0\xc3"), 6, AX, CODE_VALUE_ANY, 0, 1},
	{"imul rax,[rsi],24; add rax,rdi", CODE("\x48\x6b\x06\x18\x48\x01\xf8\xc3"), 7, AX,
	 CODE_VALUE_POINTER, 0, 24},
	{"mov [rsp-48],24; add [rsp-48],24; mov rax,[rsp-48]; add rax,rdi",
	 CODE("\x48\xc7\x44\x24\xd0\x18\x00\x00\x00\x48\x83\x44\x24\xd0\x18"
	      "\x48\x8b\x44\x24\xd0\x48\x01\xf8\xc3"),
	 23, AX, CODE_VALUE_POINTER, 48, 0},
	{"lea rax,[rdi+rdi]: no pointer", CODE("\x48\x8d\x04\x3f\xc3"), 4, AX, CODE_VALUE_ANY, 0,
	 1},
	{"imul rax,rsi,24", CODE("\x48\x6b\xc6\x18\xc3"), 4, AX, CODE_VALUE_NUMBER, 0, 24},
	{"xor eax,eax", CODE("\x31\xc0\xc3"), 2, AX, CODE_VALUE_NUMBER, 0, 0},
	{"push rbx; the frame", CODE("\x53\xc3"), 1, SP, CODE_VALUE_FRAME, -16, 0},
	{"push rbp; mov rbp,rsp; mov rax,[rbp-8]", CODE("\x55\x48\x89\xe5\x48\x8b\x45\xf8\xc3"), 8,
	 AX, CODE_VALUE_POINTER, 0, 0},
	{"a call leaves nothing in di", CODE("\xe8\x00\x00\x00\x00\xc3"), 5, DI, CODE_VALUE_ANY, 0,
	 1},
	{"what a call returns", CODE("\xe8\xfb\x00\x00\x00\xc3"), 5, AX, CODE_VALUE_POINTER, 0, 0},
	{"of whom nobody knows what it returns", CODE("\xe8\x01\x01\x00\x00\xc3"), 5, AX,
	 CODE_VALUE_ANY, 0, 1},
	{"je over; a call that never returns; over: what was",
	 CODE("\x74\x05\xe8\xfa\x00\x00\x00\xc3"), 7, DI, CODE_VALUE_POINTER, 0, 0},
	{"what is used for nothing", CODE("\xe8\xfd\x00\x00\x00\x90\xc3"), 6, AX, CODE_VALUE_ANY, 0,
	 1},
	{"mov rbx,rdi; a fresh one; mov [rbx+8],rax: the member's type",
	 CODE("\x48\x89\xfb\xe8\xfa\x00\x00\x00\x48\x89\x43\x08\xc3"), 8, AX, CODE_VALUE_POINTER, 0,
	 0},
	{"its third word",
	 CODE("\x48\x89\xfb\xe8\xfa\x00\x00\x00\x48\x8d\x48\x10\x48\x89\x43\x08\xc3"), 12, CX,
	 CODE_VALUE_POINTER, 16, 0},
	{"a fresh one; mov rdi,rax; an argument",
	 CODE("\xe8\xfd\x00\x00\x00\x48\x89\xc7\xe8\xf6\x00\x00\x00\xc3"), 5, AX,
	 CODE_VALUE_POINTER, 0, 0},
	{"test; je over; mov rdi,a fresh one; over: the one that is typed",
	 CODE("\x48\x89\xfb\x74\x08\xe8\xf8\x00\x00\x00\x48\x89\xc3\x90\xc3"), 13, BX,
	 CODE_VALUE_POINTER, 0, 0},
	{"jmp loop; nop; loop: nothing comes out of what fills room",
	 CODE("\xeb\x01\x90\xff\xce\x75\xfc\xc3"), 3, DI, CODE_VALUE_POINTER, 0, 0},
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
	{"shl rsi,5; add rsi,[rdi+8]: what lies there, and any number of them",
	 CODE("\x48\xc1\xe6\x05\x48\x03\x77\x08\xc3"), 8, SI, CODE_VALUE_POINTER, 0, 32},
	{"mov rax,rdi; cmovge rax,[rdi+8]: either", CODE("\x48\x89\xf8\x48\x0f\x4d\x47\x08\xc3"), 8,
	 AX, CODE_VALUE_POINTER, 0, 0},
	{"mov rax,rdi; cmovge rax,[rdi+16], which is none",
	 CODE("\x48\x89\xf8\x48\x0f\x4d\x47\x10\xc3"), 8, AX, CODE_VALUE_ANY, 0, 1},
	{"lea rax,[rdi+16]; lea rcx,[rdi+8]; cmovl rax,rcx; mov rax,[rax]: either link",
	 CODE("\x48\x8d\x47\x10\x48\x8d\x4f\x08\x48\x0f\x4c\xc1\x48\x8b\x00\xc3"), 15, AX,
	 CODE_VALUE_POINTER, 0, 0},
	{"lea rax,[rdi+24]; lea rcx,[rdi+8]; cmovl rax,rcx; mov rax,[rax]: one is none",
	 CODE("\x48\x8d\x47\x18\x48\x8d\x4f\x08\x48\x0f\x4c\xc1\x48\x8b\x00\xc3"), 15, AX,
	 CODE_VALUE_ANY, 0, 1},
	{"lea rax,[rdi+16]; je over; lea rax,[rdi+8]; over: one of two",
	 CODE("\x48\x8d\x47\x10\x74\x04\x48\x8d\x47\x08\xc3"), 10, AX, CODE_VALUE_POINTER, 8, 8},
	{"xor ecx,ecx; setle cl; mov rax,[rdi+rcx*8+8]: either link",
	 CODE("\x31\xc9\x0f\x9e\xc1\x48\x8b\x44\xcf\x08\xc3"), 10, AX, CODE_VALUE_POINTER, 0, 0},
	{"setle cl: the rest of it isn't known", CODE("\x0f\x9e\xc1\x48\x8b\x44\xcf\x08\xc3"), 8,
	 AX, CODE_VALUE_ANY, 0, 1},
	{"xor ecx,ecx; setle ch: another byte", CODE("\x31\xc9\x0f\x9e\xc5\xc3"), 5, CX,
	 CODE_VALUE_ANY, 0, 1},
	{"behind a jump nobody knows", CODE("\xeb\x01\x90\xc3"), 2, DI, CODE_VALUE_ANY, 0, 1},
};

Test(code_values, what_registers_are)
{
	const struct code_values_fns fns = fns_of(INSN_X86_64, false);

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

/* What a call gave, of a function that returns a node; not where it only ends. */
Test(code_values, what_is_returned)
{
	static const struct {
		const char *what;
		const uint8_t *code;
		size_t len;
		enum code_value_kind kind;
	} ends_by[] = {
		{"ret", CODE("\xe8\xfd\x00\x00\x00\xc3"), CODE_VALUE_POINTER},
		{"pop rbx; ret", CODE("\xe8\xfd\x00\x00\x00\x5b\xc3"), CODE_VALUE_POINTER},
		{"je over; xor eax,eax; over: ret",
		 CODE("\xe8\xfd\x00\x00\x00\x74\x02\x31\xc0\xc3"), CODE_VALUE_POINTER},
		{"mov eax,1; ret", CODE("\xe8\xfd\x00\x00\x00\xb8\x01\x00\x00\x00\xc3"),
		 CODE_VALUE_ANY},
		{"ud2", CODE("\xe8\xfd\x00\x00\x00\x0f\x0b"), CODE_VALUE_ANY},
	};
	struct code_values_fns fns = fns_of(INSN_X86_64, false);

	fns.returns = node(&fns.returned);
	for (size_t i = 0; i < ARRAY_SIZE(ends_by); i++) {
		struct code_values *values =
			code_values__new(ends_by[i].code, ends_by[i].len, &fns);
		struct code_value v;

		cr_assert_not_null(values, "%s", ends_by[i].what);
		code_values__at(values, 5, AX, &v);
		cr_expect_eq(v.kind, ends_by[i].kind, "%s: kind %d", ends_by[i].what, (int)v.kind);
		code_values__free(values);
	}
}

/* By way of a variable in the frame that is a pointer to a number. */
static const struct {
	const char *what;
	const uint8_t *code;
	size_t len, at;
	enum code_value_kind kind;
} stored[] = {
	{"mov [rsp-24],rdi; mov rcx,[rsp-24]: a node's number",
	 CODE("\x48\x89\x7c\x24\xe8\x48\x8b\x4c\x24\xe8\xc3"), 10, CODE_VALUE_POINTER},
	{"lea rax,[rdi+16]; mov [rsp-24],rax; mov rcx,[rsp-24]: there it has none",
	 CODE("\x48\x8d\x47\x10\x48\x89\x44\x24\xe8\x48\x8b\x4c\x24\xe8\xc3"), 14, CODE_VALUE_ANY},
	{"mov rcx,[rsp-24] before it",
	 CODE("\x48\x8b\x4c\x24\xe8\x48\x8d\x47\x10\x48\x89\x44\x24\xe8\xc3"), 5, CODE_VALUE_ANY},
};

Test(code_values, what_is_stored)
{
	const struct code_values_fns fns = fns_of(INSN_X86_64, false);

	for (size_t i = 0; i < ARRAY_SIZE(stored); i++) {
		struct code_values *values = code_values__new(stored[i].code, stored[i].len, &fns);
		struct code_value v;

		cr_assert_not_null(values, "%s", stored[i].what);
		code_values__at(values, stored[i].at, CX, &v);
		cr_expect(v.kind == stored[i].kind &&
				  (v.kind == CODE_VALUE_ANY || v.to.type == WORD),
			  "%s: kind %d", stored[i].what, (int)v.kind);
		code_values__free(values);
	}
}

/* In Go's code. */
Test(code_values, what_calls_of_go_leave)
{
	static const uint8_t code[] = "\x48\x89\xfb\xe8\xf8\x00\x00\x00\xc3";
	const struct code_values_fns fns = fns_of(INSN_X86_64, true);
	struct code_values *values = code_values__new(code, sizeof(code) - 1, &fns);
	struct code_value v;

	cr_assert_not_null(values);
	code_values__at(values, 3, BX, &v);
	cr_expect_eq(v.kind, CODE_VALUE_POINTER, "mov rbx,rdi");
	code_values__at(values, 8, BX, &v);
	cr_expect_eq(v.kind, CODE_VALUE_ANY, "behind a call");
	code_values__at(values, 8, AX, &v);
	cr_expect_eq(v.kind, CODE_VALUE_ANY, "what it returns");
	code_values__at(values, 8, SP, &v);
	cr_expect_eq(v.kind, CODE_VALUE_FRAME);
	code_values__free(values);
}

#define POINTER(t, a, e) VALUE(t, a, e, false)
#define TWO(t, a, e) VALUE(t, a, e, true)
#define VALUE(t, a, e, once)                \
	{                                   \
		.kind = CODE_VALUE_POINTER, \
		.to = {.type = (t),         \
		       .size = SIZE,        \
		       .at = (a),           \
		       .every = (e),        \
		       .two = (once),       \
		}                           \
	}
#define OTHER(k, t, a)                                                  \
	{                                                               \
		.kind = CODE_VALUE_##k, .to = {.type = (t), .at = (a) } \
	}
#define ANY_VALUE                                           \
	{                                                   \
		.kind = CODE_VALUE_ANY, .to = {.every = 1 } \
	}

static const struct {
	const char *what;
	struct code_value a, b, both;
} joins[] = {
	{"the same", POINTER(NODE, 8, 0), POINTER(NODE, 8, 0), POINTER(NODE, 8, 0)},
	{"one of several", POINTER(NODE, 8, 0), POINTER(NODE, 40, 0), TWO(NODE, 8, 32)},
	{"the other way round", POINTER(NODE, 40, 0), POINTER(NODE, 8, 0), TWO(NODE, 8, 32)},
	{"one of two", TWO(NODE, 8, 32), POINTER(NODE, 40, 0), TWO(NODE, 8, 32)},
	{"two, one of which it is", POINTER(NODE, 40, 0), TWO(NODE, 8, 32), TWO(NODE, 8, 32)},
	{"a third one", TWO(NODE, 8, 32), POINTER(NODE, 24, 0), POINTER(NODE, 8, 16)},
	{"the next two", TWO(NODE, 8, 32), TWO(NODE, 40, 32), POINTER(NODE, 8, 32)},
	{"any of several", TWO(NODE, 8, 32), POINTER(NODE, 8, 32), POINTER(NODE, 8, 32)},
	{"a class and its base", POINTER(DERIVED, 0, 0), POINTER(NODE, 0, 0), POINTER(NODE, 0, 0)},
	{"a base and what is derived from it", POINTER(NODE, 0, 0), POINTER(DERIVED, 0, 0),
	 POINTER(NODE, 0, 0)},
	{"others", POINTER(NODE, 0, 0), POINTER(NODE + 1, 0, 0), ANY_VALUE},
	{"null", POINTER(NODE, 8, 0), OTHER(NUMBER, 0, 0), POINTER(NODE, 8, 0)},
	{"what is fresh", OTHER(FRESH, 0, 8), POINTER(NODE, 8, 0), POINTER(NODE, 8, 0)},
	{"what is fresh, elsewhere in it", OTHER(FRESH, 0, 0), POINTER(NODE, 8, 0), ANY_VALUE},
	{"what is fresh, at any of several",
	 {.kind = CODE_VALUE_FRESH, .to = {.at = 8, .every = 24}},
	 TWO(NODE, 8, 24),
	 ANY_VALUE},
	{"as far apart as can be", POINTER(NODE, INT64_MAX, 0), POINTER(NODE, INT64_MIN, 0),
	 ANY_VALUE},
	{"of two calls", OTHER(FRESH, 0, 0), OTHER(FRESH, 1, 0), ANY_VALUE},
	{"fresh or null", OTHER(FRESH, 3, 0), OTHER(NUMBER, 0, 0), OTHER(FRESH, 3, 0)},
};

Test(code_values, where_ways_meet)
{
	const struct code_value_types types = {holds, NULL};

	for (size_t i = 0; i < ARRAY_SIZE(joins); i++) {
		const struct code_value *both = &joins[i].both;
		struct code_value v = joins[i].a;

		code_value__join(&v, &joins[i].b, &types);
		cr_expect(v.kind == both->kind && v.to.at == both->to.at &&
				  v.to.every == both->to.every && v.to.two == both->to.two &&
				  (v.kind == CODE_VALUE_ANY || v.to.type == both->to.type),
			  "%s: kind %d, at %lld, every %llu", joins[i].what, (int)v.kind,
			  (long long)v.to.at, (unsigned long long)v.to.every);
		cr_expect_not(code_value__join(&v, &joins[i].b, &types), "%s: again",
			      joins[i].what);
	}
}

/* x7 and t2 point to a node where it begins. */
static const struct {
	enum insn_set set;
	const char *what;
	const uint8_t *code;
	size_t len, at;
	unsigned reg;
	enum code_value_kind kind;
	int64_t off;
	uint64_t every;
} of_others[] = {
	{INSN_ARM64, "mov x0, x7", CODE("\xe0\x03\x07\xaa\xc0\x03\x5f\xd6"), 4, 0,
	 CODE_VALUE_POINTER, 0, 0},
	{INSN_ARM64, "mov w0, w7", CODE("\xe0\x03\x07\x2a\xc0\x03\x5f\xd6"), 4, 0, CODE_VALUE_ANY,
	 0, 1},
	{INSN_ARM64, "add x0, x7, #16", CODE("\xe0\x40\x00\x91\xc0\x03\x5f\xd6"), 4, 0,
	 CODE_VALUE_POINTER, 16, 0},
	{INSN_ARM64, "sub x0, x7, #1, lsl #12", CODE("\xe0\x04\x40\xd1\xc0\x03\x5f\xd6"), 4, 0,
	 CODE_VALUE_POINTER, -4096, 0},
	{INSN_ARM64, "ldr x0, [x7, #8]", CODE("\xe0\x04\x40\xf9\xc0\x03\x5f\xd6"), 4, 0,
	 CODE_VALUE_POINTER, 0, 0},
	{INSN_ARM64, "ldr x0, [x7, #16]", CODE("\xe0\x08\x40\xf9\xc0\x03\x5f\xd6"), 4, 0,
	 CODE_VALUE_ANY, 0, 1},
	{INSN_ARM64, "ldr w0, [x7, #8]", CODE("\xe0\x08\x40\xb9\xc0\x03\x5f\xd6"), 4, 0,
	 CODE_VALUE_ANY, 0, 1},
	{INSN_ARM64, "ldp x1, x0, [x7]", CODE("\xe1\x00\x40\xa9\xc0\x03\x5f\xd6"), 4, 0,
	 CODE_VALUE_POINTER, 0, 0},
	{INSN_ARM64, "ldr x0, [x7, #8]!", CODE("\xe0\x8c\x40\xf8\xc0\x03\x5f\xd6"), 4, 0,
	 CODE_VALUE_POINTER, 0, 0},
	{INSN_ARM64, "ldr x0, [x7, #8]!", CODE("\xe0\x8c\x40\xf8\xc0\x03\x5f\xd6"), 4, 7,
	 CODE_VALUE_POINTER, 8, 0},
	{INSN_ARM64, "ldr x0, [x7], #8", CODE("\xe0\x84\x40\xf8\xc0\x03\x5f\xd6"), 4, 0,
	 CODE_VALUE_ANY, 0, 1},
	{INSN_ARM64, "ldr x0, [x7], #8", CODE("\xe0\x84\x40\xf8\xc0\x03\x5f\xd6"), 4, 7,
	 CODE_VALUE_POINTER, 8, 0},
	{INSN_ARM64, "sub sp, sp, #32; ldr x0, [sp, #8]",
	 CODE("\xff\x83\x00\xd1\xe0\x07\x40\xf9\xc0\x03\x5f\xd6"), 8, 0, CODE_VALUE_POINTER, 0, 0},
	{INSN_ARM64, "stp x29, x30, [sp, #-16]!; mov x29, sp; ldr x0, [x29, #-8]",
	 CODE("\xfd\x7b\xbf\xa9\xfd\x03\x00\x91\xa0\x83\x5f\xf8\xc0\x03\x5f\xd6"), 12, 0,
	 CODE_VALUE_POINTER, 0, 0},
	{INSN_ARM64, "add x0, x7, x1, lsl #5", CODE("\xe0\x14\x01\x8b\xc0\x03\x5f\xd6"), 4, 0,
	 CODE_VALUE_POINTER, 0, 32},
	{INSN_ARM64, "add x0, x7, w1, sxtw #3", CODE("\xe0\xcc\x21\x8b\xc0\x03\x5f\xd6"), 4, 0,
	 CODE_VALUE_POINTER, 0, 8},
	{INSN_ARM64, "add x0, x1, w7, sxtw", CODE("\x20\xc0\x27\x8b\xc0\x03\x5f\xd6"), 4, 0,
	 CODE_VALUE_ANY, 0, 1},
	{INSN_ARM64, "mov x2, #32; madd x0, x1, x2, x7",
	 CODE("\x02\x04\x80\xd2\x20\x1c\x02\x9b\xc0\x03\x5f\xd6"), 8, 0, CODE_VALUE_POINTER, 0, 32},
	{INSN_ARM64, "mov w2, #32; umaddl x0, w1, w2, x7",
	 CODE("\x02\x04\x80\x52\x20\x1c\xa2\x9b\xc0\x03\x5f\xd6"), 8, 0, CODE_VALUE_POINTER, 0, 32},
	{INSN_ARM64, "madd x0, x1, x2, x7", CODE("\x20\x1c\x02\x9b\xc0\x03\x5f\xd6"), 4, 0,
	 CODE_VALUE_POINTER, 0, 1},
	{INSN_ARM64, "mov x2, #32; msub x0, x1, x2, x7",
	 CODE("\x02\x04\x80\xd2\x20\x9c\x02\x9b\xc0\x03\x5f\xd6"), 8, 0, CODE_VALUE_ANY, 0, 1},
	{INSN_ARM64, "ubfiz x1, x1, #5, #32; add x0, x7, x1",
	 CODE("\x21\x7c\x7b\xd3\xe0\x00\x01\x8b\xc0\x03\x5f\xd6"), 8, 0, CODE_VALUE_POINTER, 0, 32},
	{INSN_ARM64, "lsl x1, x1, #5; add x0, x7, x1",
	 CODE("\x21\xe8\x7b\xd3\xe0\x00\x01\x8b\xc0\x03\x5f\xd6"), 8, 0, CODE_VALUE_POINTER, 0, 32},
	{INSN_ARM64, "lsr x0, x7, #5", CODE("\xe0\xfc\x45\xd3\xc0\x03\x5f\xd6"), 4, 0,
	 CODE_VALUE_ANY, 0, 1},
	{INSN_ARM64, "adrp x0, .; ldr x0, [x0, #0x108]",
	 CODE("\x00\x00\x00\x90\x00\x84\x40\xf9\xc0\x03\x5f\xd6"), 8, 0, CODE_VALUE_POINTER, 0, 0},
	{INSN_ARM64, "adr x0, .+0x108; ldr x0, [x0]",
	 CODE("\x40\x08\x00\x10\x00\x00\x40\xf9\xc0\x03\x5f\xd6"), 8, 0, CODE_VALUE_POINTER, 0, 0},
	{INSN_ARM64, "ldr x0, .+0x108", CODE("\x40\x08\x00\x58\xc0\x03\x5f\xd6"), 4, 0,
	 CODE_VALUE_POINTER, 0, 0},
	{INSN_ARM64, "add x0, x7, #16; add x1, x7, #8; csel x0, x0, x1, lt; ldr x0, [x0]",
	 CODE("\xe0\x40\x00\x91\xe1\x20\x00\x91\x00\xb0\x81\x9a\x00\x00\x40\xf9\xc0\x03\x5f\xd6"),
	 16, 0, CODE_VALUE_POINTER, 0, 0},
	{INSN_ARM64, "add x0, x7, #24; add x1, x7, #8; csel x0, x0, x1, lt; ldr x0, [x0]",
	 CODE("\xe0\x60\x00\x91\xe1\x20\x00\x91\x00\xb0\x81\x9a\x00\x00\x40\xf9\xc0\x03\x5f\xd6"),
	 16, 0, CODE_VALUE_ANY, 0, 1},
	{INSN_ARM64, "cset w1, lt; add x0, x7, x1, lsl #3; ldr x0, [x0, #8]",
	 CODE("\xe1\xa7\x9f\x1a\xe0\x0c\x01\x8b\x00\x04\x40\xf9\xc0\x03\x5f\xd6"), 12, 0,
	 CODE_VALUE_POINTER, 0, 0},
	{INSN_ARM64, "bl .+0x100", CODE("\x40\x00\x00\x94\xc0\x03\x5f\xd6"), 4, 0,
	 CODE_VALUE_POINTER, 0, 0},
	{INSN_ARM64, "mov x19, x7; bl .+4",
	 CODE("\xf3\x03\x07\xaa\x01\x00\x00\x94\xc0\x03\x5f\xd6"), 8, 19, CODE_VALUE_POINTER, 0, 0},
	{INSN_ARM64, "bl .+4", CODE("\x01\x00\x00\x94\xc0\x03\x5f\xd6"), 4, 7, CODE_VALUE_ANY, 0,
	 1},
	{INSN_ARM64, "mov x0, x7; loop: add x0, x0, #32; subs x1, x1, #1; b.ne loop",
	 CODE("\xe0\x03\x07\xaa\x00\x80\x00\x91\x21\x04\x00\xf1\xc1\xff\xff\x54\xc0\x03\x5f\xd6"),
	 16, 0, CODE_VALUE_POINTER, 32, 32},
	{INSN_ARM64, "movn x0, #0", CODE("\x00\x00\x80\x92\xc0\x03\x5f\xd6"), 4, 0,
	 CODE_VALUE_NUMBER, -1, 0},
	{INSN_ARM64, "mov x0, #4112", CODE("\x00\x02\x82\xd2\xc0\x03\x5f\xd6"), 4, 0,
	 CODE_VALUE_NUMBER, 4112, 0},
	{INSN_ARM64, "movk x7, #1", CODE("\x27\x00\x80\xf2\xc0\x03\x5f\xd6"), 4, 7, CODE_VALUE_ANY,
	 0, 1},
	{INSN_ARM64, "sub sp, sp, #64", CODE("\xff\x03\x01\xd1\xc0\x03\x5f\xd6"), 4, 31,
	 CODE_VALUE_FRAME, -64, 0},
	{INSN_RISCV64, "mv a0, t2", CODE("\x1e\x85\x82\x80"), 2, 10, CODE_VALUE_POINTER, 0, 0},
	{INSN_RISCV64, "sext.w a0, t2", CODE("\x1b\x85\x03\x00\x82\x80"), 4, 10, CODE_VALUE_ANY, 0,
	 1},
	{INSN_RISCV64, "addi a0, t2, 16", CODE("\x13\x85\x03\x01\x82\x80"), 4, 10,
	 CODE_VALUE_POINTER, 16, 0},
	{INSN_RISCV64, "addi t2, t2, 16", CODE("\xc1\x03\x82\x80"), 2, 7, CODE_VALUE_POINTER, 16,
	 0},
	{INSN_RISCV64, "ld a0, 8(t2)", CODE("\x03\xb5\x83\x00\x82\x80"), 4, 10, CODE_VALUE_POINTER,
	 0, 0},
	{INSN_RISCV64, "ld a0, 16(t2)", CODE("\x03\xb5\x03\x01\x82\x80"), 4, 10, CODE_VALUE_ANY, 0,
	 1},
	{INSN_RISCV64, "lw a0, 8(t2)", CODE("\x03\xa5\x83\x00\x82\x80"), 4, 10, CODE_VALUE_ANY, 0,
	 1},
	{INSN_RISCV64, "mv a1, t2; ld a0, 8(a1)", CODE("\x9e\x85\x88\x65\x82\x80"), 4, 10,
	 CODE_VALUE_POINTER, 0, 0},
	{INSN_RISCV64, "addi sp, sp, -32; ld a0, 8(sp)", CODE("\x01\x11\x22\x65\x82\x80"), 4, 10,
	 CODE_VALUE_POINTER, 0, 0},
	{INSN_RISCV64, "addi sp, sp, -16; addi s0, sp, 16; ld a0, -24(s0)",
	 CODE("\x41\x11\x00\x08\x03\x35\x84\xfe\x82\x80"), 8, 10, CODE_VALUE_POINTER, 0, 0},
	{INSN_RISCV64, "addi sp, sp, -32; addi a1, sp, 8; ld a0, 0(a1)",
	 CODE("\x01\x11\x2c\x00\x88\x61\x82\x80"), 6, 10, CODE_VALUE_POINTER, 0, 0},
	{INSN_RISCV64, "slli a1, a1, 5; add a0, t2, a1", CODE("\x96\x05\x33\x85\xb3\x00\x82\x80"),
	 6, 10, CODE_VALUE_POINTER, 0, 32},
	{INSN_RISCV64, "slli a1, a1, 5; add a1, a1, t2", CODE("\x96\x05\x9e\x95\x82\x80"), 4, 11,
	 CODE_VALUE_POINTER, 0, 32},
	{INSN_RISCV64, "li a2, 32; mul a1, a1, a2; add a0, t2, a1",
	 CODE("\x13\x06\x00\x02\xb3\x85\xc5\x02\x33\x85\xb3\x00\x82\x80"), 12, 10,
	 CODE_VALUE_POINTER, 0, 32},
	{INSN_RISCV64, "auipc a0, 0; ld a0, 0x108(a0)",
	 CODE("\x17\x05\x00\x00\x03\x35\x85\x10\x82\x80"), 8, 10, CODE_VALUE_POINTER, 0, 0},
	{INSN_RISCV64, "slt a1, a2, a3; slli a1, a1, 3; add a0, t2, a1; ld a0, 8(a0)",
	 CODE("\xb3\x25\xd6\x00\x8e\x05\x33\x85\xb3\x00\x08\x65\x82\x80"), 12, 10,
	 CODE_VALUE_POINTER, 0, 0},
	{INSN_RISCV64, "lui a0, 2", CODE("\x09\x65\x82\x80"), 2, 10, CODE_VALUE_NUMBER, 8192, 0},
	{INSN_RISCV64, "lui a0, 0x40", CODE("\x37\x05\x04\x00\x82\x80"), 4, 10, CODE_VALUE_NUMBER,
	 262144, 0},
	{INSN_RISCV64, "li a0, -1", CODE("\x7d\x55\x82\x80"), 2, 10, CODE_VALUE_NUMBER, -1, 0},
	{INSN_RISCV64, "li a0, 1000", CODE("\x13\x05\x80\x3e\x82\x80"), 4, 10, CODE_VALUE_NUMBER,
	 1000, 0},
	{INSN_RISCV64, "add t2, zero, zero", CODE("\xb3\x03\x00\x00\x82\x80"), 4, 7,
	 CODE_VALUE_NUMBER, 0, 0},
	{INSN_RISCV64, "mv s1, t2; jal ra, 8", CODE("\x9e\x84\xef\x00\x80\x00\x82\x80"), 6, 9,
	 CODE_VALUE_POINTER, 0, 0},
	{INSN_RISCV64, "jal ra, 256", CODE("\xef\x00\x00\x10\x82\x80"), 4, 10, CODE_VALUE_POINTER,
	 0, 0},
	{INSN_RISCV64, "jal ra, 8", CODE("\xef\x00\x80\x00\x82\x80"), 4, 7, CODE_VALUE_ANY, 0, 1},
	{INSN_RISCV64, "jal ra, 8", CODE("\xef\x00\x80\x00\x82\x80"), 4, 2, CODE_VALUE_FRAME, 0, 0},
	{INSN_RISCV64, "jal t0, 8: it saves registers", CODE("\xef\x02\x80\x00\x82\x80"), 4, 2,
	 CODE_VALUE_ANY, 0, 1},
};

Test(code_values, of_arm64_and_riscv64)
{
	for (size_t i = 0; i < ARRAY_SIZE(of_others); i++) {
		const struct code_values_fns fns = fns_of(of_others[i].set, false);
		struct code_values *values =
			code_values__new(of_others[i].code, of_others[i].len, &fns);
		struct code_value v;

		cr_assert_not_null(values, "%s", of_others[i].what);
		code_values__at(values, of_others[i].at, of_others[i].reg, &v);
		cr_expect(v.kind == of_others[i].kind && v.to.at == of_others[i].off &&
				  v.to.every == of_others[i].every,
			  "%s: kind %d, at %lld, every %llu", of_others[i].what, (int)v.kind,
			  (long long)v.to.at, (unsigned long long)v.to.every);
		code_values__free(values);
	}
}

/* A register that differs by an index was made of one that points to where a node begins. */
static const struct {
	enum insn_set set;
	const char *what;
	const uint8_t *code;
	size_t len, at, until;
	unsigned reg, origin; /* INSN_NONE: nobody knows */
} origins[] = {
	{INSN_ARM64, "add x0, x7, x1, lsl #4; str x2, [x0, #16]",
	 CODE("\xe0\x10\x01\x8b\x02\x08\x00\xf9\xc0\x03\x5f\xd6"), 4, 4, 0, 7},
	{INSN_ARM64, "add x0, x7, x1, lsl #4; str x2, [x0, #16]; nop; nop",
	 CODE("\xe0\x10\x01\x8b\x02\x08\x00\xf9\x1f\x20\x03\xd5\x1f\x20\x03\xd5\xc0\x03\x5f\xd6"),
	 4, 12, 0, 7},
	{INSN_ARM64, "add x7, x7, x1, lsl #4; str x2, [x7, #16]",
	 CODE("\xe7\x10\x01\x8b\xe2\x08\x00\xf9\xc0\x03\x5f\xd6"), 4, 4, 7, INSN_NONE},
	{INSN_ARM64, "add x0, x7, x1, lsl #4; mov x7, x2; str x2, [x0, #16]",
	 CODE("\xe0\x10\x01\x8b\xe7\x03\x02\xaa\x02\x08\x00\xf9\xc0\x03\x5f\xd6"), 8, 8, 0,
	 INSN_NONE},
	{INSN_ARM64, "add x0, x7, x1, lsl #4; str x2, [x0, #16]; mov x7, x2; nop",
	 CODE("\xe0\x10\x01\x8b\x02\x08\x00\xf9\xe7\x03\x02\xaa\x1f\x20\x03\xd5\xc0\x03\x5f\xd6"),
	 4, 12, 0, INSN_NONE},
	{INSN_ARM64, "add x0, x2, x1, lsl #4; str x2, [x0, #16]",
	 CODE("\x40\x10\x01\x8b\x02\x08\x00\xf9\xc0\x03\x5f\xd6"), 4, 4, 0, INSN_NONE},
	{INSN_ARM64, "add x0, x7, x1, lsl #4; l: str x2, [x0, #16]; b.ne l",
	 CODE("\xe0\x10\x01\x8b\x02\x08\x00\xf9\xe1\xff\xff\x54\xc0\x03\x5f\xd6"), 4, 4, 0,
	 INSN_NONE},
	{INSN_RISCV64, "add a0, t2, a1; sd a2, 16(a0)", CODE("\x33\x85\xb3\x00\x10\xe9\x82\x80"), 4,
	 4, 10, 7},
};

Test(code_values, what_a_register_was_made_of)
{
	for (size_t i = 0; i < ARRAY_SIZE(origins); i++) {
		const struct code_values_fns fns = fns_of(origins[i].set, false);
		struct code_values *values =
			code_values__new(origins[i].code, origins[i].len, &fns);
		uint8_t reg = INSN_NONE;
		struct code_value v;

		cr_assert_not_null(values, "%s", origins[i].what);
		if (!code_values__origin(values, origins[i].at, origins[i].until, origins[i].reg,
					 &reg, &v))
			reg = INSN_NONE;
		cr_expect_eq(reg, origins[i].origin, "%s: %u", origins[i].what, reg);
		code_values__free(values);
	}
}
