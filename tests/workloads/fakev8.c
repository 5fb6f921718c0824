// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What says of itself that it is V8, and has functions like it (x86-64): fakev8 SECONDS
 * [lies|ran|lost|compiled|uncompiled|optimised|pessimised]. Each runs for as long in code of its
 * own. With "lies" all
 * of its objects are wrong: lengths, kinds, addresses, rings. With "ran" each says that it is
 * interpreted, and its name on which line it is, and so does who calls it; with "lost" it can't be
 * told, and the name is that of the first. "compiled" and "uncompiled" are the same of baseline
 * code, "optimised" and "pessimised" of code with others inlined in it.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "says_v8.h"

enum { SHARED = 300, SCOPE, SCRIPT, FUNCTION, MAP };

SAYS(class_JSFunction__shared__Tagged_SharedFunctionInfo_, 8)
SAYS(class_SharedFunctionInfo__name_or_scope_info__Object, 16)
SAYS(class_SharedFunctionInfo__script__Object, 24)
SAYS(class_SharedFunctionInfo__raw_function_token_offset__int16_t, 36)
SAYS(type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE, SHARED)
SAYS(type_ScopeInfo__SCOPE_INFO_TYPE, SCOPE)
SAYS(type_Script__SCRIPT_TYPE, SCRIPT)

#include "v8_objects.h"

/* push %rbp; mov %rsp, %rbp; push %rsi; push %rdi; mov $5000000, %rcx; 1: dec %rcx; jnz 1b; leave;
 * ret */
static const uint8_t code[] = {0x55, 0x48, 0x89, 0xe5, 0x56, 0x57, 0x48, 0xc7, 0xc1, 0x40,
			       0x4b, 0x4c, 0x00, 0x48, 0xff, 0xc9, 0x75, 0xfb, 0xc9, 0xc3};

typedef void (*run_fn)(uint64_t function, uint64_t context);

/* What one calls that is interpreted. */
struct call {
	uint64_t function, context, bytecode, slot, at, code;
};

typedef void (*call_fn)(uint64_t function, uint64_t context, uint64_t bytecode, uint64_t slot,
			const struct call *callee);

/* The interpreter's frame, and its registers: r12 has the bytecode, r9 the byte of it (here both
 * are given). Who calls has behind it what the interpreter has there. */
#ifdef __x86_64__
__asm__(".text\n"
	"ran: push %rbp; mov %rsp, %rbp; push %rsi; push %rdi; push $0; push %rdx; push %rcx\n"
	"push %r12; mov %rdx, %r12; mov %r8, %r9; mov $5000000, %rcx\n"
	"1: dec %rcx; jnz 1b; mov -0x30(%rbp), %r12; leave; ret\n"
	"caller: push %rbp; mov %rsp, %rbp; push %rsi; push %rdi; push $0; push %rdx; push %rcx\n"
	"push %r12; mov (%r8), %rdi; mov 8(%r8), %rsi; mov 16(%r8), %rdx; mov 24(%r8), %rcx\n"
	"mov 40(%r8), %rax; mov 32(%r8), %r8; call *%rax\n"
	"mov -0x20(%rbp), %r12; mov -0x24(%rbp), %r9d; mov -0x30(%rbp), %r12; leave; ret\n"
	"compiled: push %rbp; mov %rsp, %rbp; push %rsi; push %rdi; push $0; push %rdx; push %rdx\n"
	"mov $5000000, %rcx\n"
	"compiled_loop: dec %rcx; jnz compiled_loop; leave; ret\n"
	"interpreter_end:\n");
extern const uint8_t ran[], caller[], compiled[], compiled_loop[], interpreter_end[];
#else /* it builds */
static const uint8_t ran[1], caller[1], compiled[1], compiled_loop[1], interpreter_end[1];
#endif

static uint64_t slot_of(uint64_t at)
{
	return (at + BYTECODE_DATA - 1) << 32;
}

/* Places of all lines: before the first byte of the code on line 3, from it on on 11, then 21, 6,
 * 90001. */
static uint64_t bytecode(void)
{
	struct positions p = {.n = 0};

	put_place(&p, 0, 3); /* one more than the place, which is one less than the line */
	put_place(&p, 1, 8);
	put_place(&p, 4, 10);
	put_place(&p, 5, -15);
	put_place(&p, 3991, 89995);
	return bytecode_with(table_of(TABLE, p.n, p.bytes, p.n), CODE_SIZE);
}

static char lines[100000];

static uint64_t interpreted(const char *name)
{
	return function_in(placed(name, 1, 99999), string(8, 7, "fake.js"),
			   external(10, sizeof(lines), lines));
}

static size_t known_lines(struct call *ret)
{
	const uint64_t code = bytecode();

	ret[0] = (struct call){interpreted("at_11"), 0, code, slot_of(3), 0, 0};
	ret[1] = (struct call){interpreted("at_21"), 0, code, slot_of(8), 4, 0};
	ret[2] = (struct call){interpreted("at_6"), 0, code, slot_of(3999), 9, 0};
	ret[3] = (struct call){interpreted("at_90001"), 0, code, slot_of(4000), 4999, 0};
	ret[4] = (struct call){interpreted("at_6"), 0, code, slot_of(9), 3999, 0};
	ret[5] = (struct call){interpreted("at_11"), 0, code, slot_of(0), 3, 0};
	return 6;
}

/* None is where its first word says. */
static size_t no_lines(struct call *ret)
{
	static uint8_t endless[8700];
	const uint64_t kernel = 0xffffffff81000001, code = bytecode();
	const struct {
		uint64_t bytecode, at;
	} of[] = {
		{code, CODE_SIZE},
		{code, UINT32_MAX},
		{code, (uint64_t)-BYTECODE_DATA},
		{kernel, 0},
		{5, 0},
		{string(8, 5, "hello"), 0},
		{bytecode_with(kernel, CODE_SIZE), 0},
		{bytecode_with(string(8, 5, "\x02\x04\x02\x04"), CODE_SIZE), 0},
		{bytecode_with(table_of(TABLE, 0, "", 0), CODE_SIZE), 0},
		{bytecode_with(table_of(TABLE, 8600, endless, 8600), CODE_SIZE), 9},
		{bytecode_with(table_of(TABLE, UINT32_MAX, endless, 8600), CODE_SIZE), 9},
		{bytecode_with(table_of(TABLE, 4, "\x03\xff\xff\x7f", 4), CODE_SIZE), 9},
		{bytecode_with(table_of(TABLE, 4, "\x03\x05\x03\x05", 4), CODE_SIZE), 9},
	};
	const size_t n = sizeof(of) / sizeof(*of);

	memset(endless, 0xff, sizeof(endless));
	for (size_t i = 0; i < n; i++)
		ret[i] = (struct call){interpreted("first_2"), 0,        of[i].bytecode,
				       slot_of(of[i].at),      of[i].at, 0};
	return n;
}

/* Baseline code made of that bytecode, whose instructions are there. */
static uint64_t code_of(uint64_t bytecode, uint64_t table, const uint8_t *start, uint64_t size)
{
	const uint64_t at = (uint64_t)(uintptr_t)start;
#ifdef NEWER
	const uint64_t words[] = {bytecode, table, 0, 0, at, size << 32};
#else
	const uint64_t words[] = {0, bytecode, table, 0, at, 0, size};
#endif

	return object(CODE, words, sizeof(words) / sizeof(*words));
}

/* Five, at bytes 0, 3, 7, 8 and 18, on lines 11, 21, 21, 6 and 90001: the second one is wide, the
 * fourth wider. What is behind them is of no line of its own. */
enum { BYTECODES_SIZE = 32 };
static uint64_t bytecodes(const char *bytes)
{
	struct positions p = {.n = 0};
	uint64_t words[6 + BYTECODES_SIZE / 8], before;

	put_place(&p, 0, 3);
	put_place(&p, 1, 8);
	put_place(&p, 3, 10);
	put_place(&p, 5, -15);
	put_place(&p, 10, 89995);
	before = bytecode_with(table_of(TABLE, p.n, p.bytes, p.n), BYTECODES_SIZE) - 1;
	memcpy(words, (const uint64_t *)(uintptr_t)before + 1, 6 * sizeof(*words));
	memcpy(words + 6, bytes, BYTECODES_SIZE);
	return object(BYTECODE, words, sizeof(words) / sizeof(*words));
}

/* Of code whose loop belongs to the bytecode of that number, from 0 on. */
static uint64_t lengths(uint64_t number)
{
	struct positions p = {.n = 0};

	put_number(&p, (uint64_t)(compiled_loop - compiled) - number);
	while (number--)
		put_number(&p, 1);
	put_number(&p, 5); /* the loop */
	put_number(&p, 300);
	put_number(&p, 0);
	return table_of(TABLE, p.n, p.bytes, p.n);
}

static uint64_t compiled_function(const char *name, uint64_t code)
{
	return function_of(code, 0, placed(name, 1, 99999), string(8, 7, "fake.js"),
			   external(10, sizeof(lines), lines));
}

static const char five[BYTECODES_SIZE] = "\6..\0\5..\4\1\6........\4\4\4\4\4";
static const char prefixes[BYTECODES_SIZE];

static size_t compiled_lines(struct call *ret, const uint8_t *code)
{
	static const char *const names[] = {"at_11", "at_21", "at_21", "at_6", "at_90001"};
	const uint64_t bytecode = bytecodes(five);

	for (uint64_t i = 0; i < 5; i++)
		ret[i] = (struct call){
			.function = compiled_function(names[i],
						      code_of(bytecode, lengths(i), code, 100)),
			.bytecode = bytecode,
		};
	return 5;
}

/* None is where its table says. */
static size_t compiled_lies(struct call *ret, const uint8_t *code)
{
	static uint8_t endless[8700], naught[8700];
	const uint64_t kernel = 0xffffffff81000001, good = bytecodes(five),
		       prefix = bytecodes(prefixes);
	const struct {
		uint64_t bytecode, code;
	} of[] = {
		{good, code_of(prefix, lengths(1), code, 100)},
		{good, code_of(good, lengths(1), code, 0)},
		{good, code_of(good, lengths(1), (const uint8_t *)(uintptr_t)kernel, 100)},
		{good, code_of(good, kernel, code, 100)},
		{good, code_of(good, string(8, 5, "\7\7\7\7\7"), code, 100)},
		{good, code_of(good, table_of(TABLE, 0, "", 0), code, 100)},
		{good, code_of(good, table_of(TABLE, 8600, endless, 8600), code, 100)},
		{good, code_of(good, table_of(TABLE, UINT32_MAX, naught, 8600), code, 100)},
		{good, code_of(good, table_of(TABLE, 9, "\377\377\377\377\377\377\377\377\177", 9),
			       code, 100)},
		{good, code_of(good, table_of(TABLE, 1, "\177", 1), code, 100)},
		{good, code_of(good, lengths(20), code, 100)},
		{prefix, code_of(prefix, lengths(3), code, 100)},
		{good, kernel},
		{good, 5},
		{string(8, 5, "hello"), code_of(good, lengths(1), code, 100)},
	};
	const size_t n = sizeof(of) / sizeof(*of);

	memset(endless, 0xff, sizeof(endless));
	for (size_t i = 0; i < n; i++)
		ret[i] = (struct call){.function = compiled_function("first_2", of[i].code),
				       .bytecode = of[i].bytecode};
	return n;
}

/* Optimised code: what it stands in has 128 bytes each, and begins in front of its instructions. */
enum { STREAM = 128, STREAMS_SIZE = 1 << 16, FAR = 20096, NONE = -1, INLINED_MAX = 70 };

/* What is inlined: which function, and where it is called: on which line, of which other one. */
struct inlined {
	const char *name;
	int64_t line, in;
};

static int64_t place_of(int64_t line, int64_t in)
{
	return line * 2 | (in + 1) << 31;
}

static void put_raw(struct positions *p, uint64_t code, int64_t on)
{
	put_number(p, NEWER_BITS ? code << 2 : code << 1);
	put_number(p, on < 0 ? (uint64_t)(-on * 2 - 1) : (uint64_t)on * 2);
}

/* Of code whose loop is at that place. */
static uint64_t optimised_table(uint64_t before, int64_t place)
{
	const uint64_t loop = before + (uint64_t)(compiled_loop - compiled);
	struct positions p = {.n = 0};

	put_raw(&p, 1, place_of(3, NONE));
	put_raw(&p, loop - 1, place - place_of(3, NONE));
	put_raw(&p, 5, place_of(21, NONE) - place);
	return table_of(TABLE, p.n, p.bytes, p.n);
}

static uint64_t shared_of(const char *name)
{
	return ((const uint64_t *)(uintptr_t)(interpreted(name) - 1))[1];
}

static uint64_t deopt_with(uint64_t literals, uint64_t inlined)
{
	uint64_t words[11] = {10ULL << 32};
	const size_t first = NEWER_BITS ? 4 : 3, second = NEWER_BITS ? 9 : 8;

	words[first] = literals;
	words[second] = inlined;
	return object(FUNCTION, words, 11);
}

static uint64_t inlined_table(const struct inlined *of, size_t n)
{
	uint64_t words[2 * INLINED_MAX] = {0};

	for (size_t i = 0; i < n; i++) {
		words[2 * i] = (uint64_t)place_of(of[i].line, of[i].in);
		words[2 * i + 1] = of[i].name ? i : UINT32_MAX; /* what it is inlined in */
	}
	return table_of(TABLE, n * 16, words, n * 16);
}

static uint64_t literals_of(const struct inlined *of, size_t n)
{
	uint64_t words[1 + INLINED_MAX] = {n << 32};

	for (size_t i = 0; i < n; i++)
		words[1 + i] = of[i].name ? shared_of(of[i].name) | (i % 2 ? 2 : 0) :
					    0; /* weak ones, too */
	return object(FUNCTION, words, 1 + n);
}

static uint64_t deopt_of(const struct inlined *of, size_t n)
{
	return deopt_with(literals_of(of, n), inlined_table(of, n));
}

/* The number of its own in `streams`; `before` bytes in front of what is run. */
static void place_stream(uint8_t *streams, size_t number, uint64_t before, struct call *ret,
			 const char *name, uint64_t deopt, uint64_t table)
{
	uint8_t *start = streams + STREAM * number + STREAM / 2;
	const uint64_t size = (uint64_t)(interpreter_end - compiled),
		       code = code_of(deopt, table, start, before + size);

	memcpy(start + before, compiled, size);
	memcpy(start - (NEWER_BITS ? 32 : 16) + 8, &code, sizeof(code));
	*ret = (struct call){.function = interpreted(name),
			     .code = (uint64_t)(uintptr_t)start + before};
}

static size_t optimised_lines(struct call *ret, uint8_t *streams)
{
	static const struct inlined one[] = {{"at_21", 6, NONE}}, self[] = {{NULL, 6, NONE}},
				    two[] = {{"at_11", 6, NONE}, {"at_90001", 11, 0}};

	place_stream(streams, 0, 0, ret, "at_11", deopt_of(NULL, 0),
		     optimised_table(0, place_of(11, NONE)));
	place_stream(streams, 1, 0, ret + 1, "at_6", deopt_of(one, 1),
		     optimised_table(0, place_of(21, 0)));
	place_stream(streams, 2, 0, ret + 2, "at_6", deopt_of(two, 2),
		     optimised_table(0, place_of(90001, 1)));
	place_stream(streams, 3, FAR, ret + 3, "at_21", deopt_of(one, 1),
		     optimised_table(FAR, place_of(21, NONE)));
	place_stream(streams, 4, 0, ret + 4, "at_6", deopt_of(self, 1),
		     optimised_table(0, place_of(6, 0)));
	return 5;
}

/* None has inlined what it says, and none says where it is. */
static size_t optimised_lies(struct call *ret, uint8_t *streams)
{
	static const struct inlined one[] = {{"lie", 6, NONE}}, ring[] = {{"lie", 6, 0}},
				    later[] = {{"lie", 6, 1}, {"lie", 7, NONE}};
	static uint8_t endless[8700];
	struct inlined deep[INLINED_MAX];
	const uint64_t kernel = 0xffffffff81000001, table = optimised_table(0, place_of(21, 0)),
		       inlined = inlined_table(one, 1), text = string(8, 5, "hello");
	uint64_t none[] = {1ULL << 32, 3}, number[] = {1ULL << 32, text};

	memset(endless, 0xff, sizeof(endless));
	for (int i = 0; i < INLINED_MAX; i++)
		deep[i] = (struct inlined){"lie", 6, i - 1};

	const struct {
		uint64_t deopt, table;
	} of[] = {
		{kernel, table},
		{5, table},
		{text, table},
		{deopt_of(ring, 1), table},
		{deopt_of(later, 2), table},
		{deopt_of(one, 1), optimised_table(0, place_of(21, 9))},
		{deopt_of(one, 1), optimised_table(0, place_of(21, 0xfffe))},
		{deopt_of(deep, INLINED_MAX), optimised_table(0, place_of(21, INLINED_MAX - 1))},
		{deopt_with(kernel, inlined), table},
		{deopt_with(object(FUNCTION, none, 1), inlined), table},
		{deopt_with(object(FUNCTION, none, 2), inlined), table},
		{deopt_with(object(FUNCTION, number, 2), inlined), table},
		{deopt_with(literals_of(one, 1), table_of(TABLE, 15, "", 0)), table},
		{deopt_of(one, 1), kernel},
		{deopt_of(one, 1), text},
		{deopt_of(one, 1), table_of(TABLE, 0, "", 0)},
		{deopt_of(one, 1), table_of(TABLE, 8600, endless, 8600)},
		{deopt_of(one, 1), table_of(TABLE, UINT32_MAX, endless, 8600)},
	};
	const size_t n = sizeof(of) / sizeof(*of);

	for (size_t i = 0; i < n; i++)
		place_stream(streams, i, 0, ret + i, "first_2", of[i].deopt, of[i].table);
	return n;
}

static size_t honest(uint64_t *ret)
{
	static const uint16_t wide[] = {'\n', 0x0a00, 0x0a0a, '\n', '\n', 0x200a, 'f', 'g', 'h'};
	const uint64_t file = string(8, 7, "fake.js"), text = string(8, 12, "\n\r\n\n\v\t*\nf()");
	static char many[4100000];

	memset(many, '\n', sizeof(many));
	ret[0] = function(string(8, 5, "plain"), file);
	ret[1] = function(scoped(1, string(8, 8, "of_scope")), file);
	ret[2] = function_in(placed("on_5", 8, 12), file, text);
	ret[3] = function_in(placed("on_1", 0, 12), file, text);
	ret[4] = function_in(placed("on_4", 7, 9), file, external(2, 9, wide));
	ret[5] = function_in(placed("on_99990", 99989, 99999), file, external(10, 100000, many));
	ret[6] = function_in(placed("on_514", 513, 600), file, external(10, 100000, many));
	ret[7] = function_in(placed("on_4000001", 4000000, 4000009), file,
			     external(10, sizeof(many), many));
	ret[8] = function(joined(11, joined(4, string(8, 3, "Ob\xe9"), string(8, 1, ".")),
				 joined(7, thin(5, string(8, 5, "inner")),
					joined(2, string(8, 0, ""), string(8, 2, ".f")))),
			  joined(7, thin(7, file), string(8, 0, "")));
	ret[9] = function(joined(8, string(8, 5, "start"), string(0, 3, "w\0i\0d\0")), file);
	ret[10] = function_below(1000ULL << 32, placed("on_1005", 8, 12), file, text);
	ret[11] = function_below((uint64_t)-3 << 32, placed("on_2", 8, 12), file, text);
	return 12;
}

static size_t lies(uint64_t *ret)
{
	const uint64_t file = string(8, 7, "fake.js"), ring = string(1, 5, ""), good = 5;
	const uint64_t kernel = 0xffffffff81000001, names[] = {string(8, UINT32_MAX, "endless"),
							       string(8, 0, ""),
							       string(2, 5, "outside"),
							       kernel,
							       1,
							       good,
							       scoped(UINT32_MAX, kernel),
							       scoped(74, 1),
							       string(0, 0x7fffffff, "wide"),
							       ring};
	const uint64_t text = string(8, 12, "\n\r\n\n\v\t*\nf()");
	uint64_t high = string(8, 4, "high"), wide = string(8, 4, "wide");
	size_t n = 0;

	((uint64_t *)(uintptr_t)(ring - 1))[2] = ring;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		ret[n++] = function(names[i], file);
		ret[n++] = function(string(8, 4, "file"), names[i]);
	}
	/* a pile that is too high, and more pieces than are looked at */
	for (int i = 0; i < 40; i++) {
		high = joined(50, high, good);
		wide = joined(50, string(8, 1, "w"), wide);
	}
	ret[n++] = function(high, file);
	ret[n++] = function(wide, file);
	ret[n++] = function_in(placed("lie", 100, 200), file, string(8, 99, "short"));
	ret[n++] = function_in(placed("lie", 1 << 28, 1 << 29), file, string(8, UINT32_MAX, ""));
	ret[n++] = function_in(placed("lie", 250000, 260000), file, external(10, 300000, NULL));
	ret[n++] = function_in(placed("lie", 5, 9), file,
			       external(10, 99, (const void *)(uintptr_t)kernel));
	ret[n++] = function_in(placed("lie", 5, 9), file, external(26, 99, "\n\n\n\n\n\n"));
	ret[n++] = function_in(placed("lie", 9, 5), file, string(8, 10, "\n\n\n\n\n\n\n\n\n"));
	ret[n++] = function_in(placed("lie", 2, 4), file, ring);
	/* less than no line, more than there are; what is no number is none */
	ret[n++] = function_below((uint64_t)-5 << 32, placed("lie", 8, 12), file, text);
	ret[n++] = function_below((uint64_t)INT32_MAX << 32, placed("lie", 8, 12), file, text);
	ret[n++] = function_below(kernel, placed("first", 0, 9), file, text);
	ret[n++] = kernel;
	ret[n++] = 3;
	ret[n++] = ring;
	return n;
}

static bool is_over(double until)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9 >= until;
}

/* The code on its page; returns where `entry` of it is now. */
static uint8_t *place_code(uint8_t *page, const uint8_t *entry, call_fn *ret)
{
	uint8_t *at = page + (entry - ran);

	memset(lines, '\n', sizeof(lines));
	memcpy(page, ran, (size_t)(interpreter_end - ran));
	memcpy(ret, &at, sizeof(*ret));
	return at;
}

static void make_executable(uint8_t *page)
{
	if (mprotect(page, 4096, PROT_READ | PROT_EXEC))
		exit(1);
}

/* Each calls the next one. */
static void interpret(uint8_t *page, uint64_t context, bool known, double until)
{
	struct call calls[32];
	call_fn call;
	size_t n;

	place_code(page, caller, &call);
	n = known ? known_lines(calls) : no_lines(calls);
	for (size_t i = 0; i < n; i++) {
		calls[i].context = context;
		calls[i].code = (uint64_t)(uintptr_t)page;
		calls[i].at += BYTECODE_DATA - 1;
	}
	make_executable(page);
	do {
		for (size_t i = 0; i < n; i++)
			call(calls[i].function, context, calls[i].bytecode, calls[i].slot,
			     &calls[(i + 1) % n]);
	} while (!is_over(until));
	exit(0);
}

/* One after the other. */
static void run_compiled(uint8_t *page, uint64_t context, bool known, double until)
{
	struct call calls[32];
	call_fn call;
	uint8_t *at = place_code(page, compiled, &call);
	size_t n = known ? compiled_lines(calls, at) : compiled_lies(calls, at);

	make_executable(page);
	do {
		for (size_t i = 0; i < n; i++)
			call(calls[i].function, context, calls[i].bytecode, 0, NULL);
	} while (!is_over(until));
	exit(0);
}

/* Each in code of its own. */
static void run_optimised(uint64_t context, bool known, double until)
{
	uint8_t *streams = mmap(NULL, STREAMS_SIZE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct call calls[32];
	call_fn call;
	size_t n;

	if (streams == MAP_FAILED)
		exit(1);
	memset(lines, '\n', sizeof(lines));
	n = known ? optimised_lines(calls, streams) : optimised_lies(calls, streams);
	if (mprotect(streams, STREAMS_SIZE, PROT_READ | PROT_EXEC))
		exit(1);
	do {
		for (size_t i = 0; i < n; i++) {
			memcpy(&call, &calls[i].code, sizeof(call));
			call(calls[i].function, context, 0, 0, NULL);
		}
	} while (!is_over(until));
	exit(0);
}

int main(int argc, char **argv)
{
	double until = argc > 1 ? strtod(argv[1], NULL) : 1;
	uint64_t functions[64], context;
	const char *what = argc > 2 ? argv[2] : "";
	uint8_t *page;
	run_fn run;
	size_t n;

	objects = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (objects == MAP_FAILED || page == MAP_FAILED)
		return 1;
	context = object(FUNCTION, (const uint64_t[]){0}, 1);
	if (strcmp(what, "ran") == 0 || strcmp(what, "lost") == 0)
		interpret(page, context, what[0] == 'r', until);
	if (strcmp(what, "compiled") == 0 || strcmp(what, "uncompiled") == 0)
		run_compiled(page, context, what[0] == 'c', until);
	if (strcmp(what, "optimised") == 0 || strcmp(what, "pessimised") == 0)
		run_optimised(context, what[0] == 'o', until);
	memcpy(page, code, sizeof(code));
	if (mprotect(page, 4096, PROT_READ | PROT_EXEC))
		return 1;
	memcpy(&run, &page, sizeof(run));
	n = strcmp(what, "lies") == 0 ? lies(functions) : honest(functions);
	do {
		for (size_t i = 0; i < n; i++)
			run(functions[i], context);
	} while (!is_over(until));
	return 0;
}
