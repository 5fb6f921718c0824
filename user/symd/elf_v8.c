// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * V8 describes itself for debuggers of its core dumps: variables that are called v8dbg_… and hold
 * offsets and numbers, exported, so that stripped files have them, too.
 */
#include "symd/elf_v8.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "symd/elf_gap.h"
#include "symd/elf_symbols.h"
#include "symd/elf_v8_sizes.h"

enum {
	WORD = 4,
	SYMBOLS_MAX = 256 * 1024, /* of the table; node has 110,000 */
	TYPE_MAX = 0xffff,
	BYTECODE_TABLE = 32, /* up to Node 20 */
	NEWER_TABLE = 14,    /* of V8's versions the first one */
	/* In a script, behind its name: how many lines are before its text; columns, a context and
	 * a type; then the table of lines, which has a name. */
	LINE_ENDS = 40,
	/* A code object's table is behind its bytecode; these are where no number says so. */
	CODE_TABLE = 24,
	CODE_START = 40,
	CODE_SIZE = 56,
	/* Where no number says it, in what deoptimisation needs: functions that are inlined, and
	 * their places. */
	DEOPT_LITERALS = 2,
	DEOPT_INLINED = 7,
	DEOPT_MAX = 64,
	ARRAY_DATA = 16,
};

#define AT(member) offsetof(struct pmb_v8, member)

/* What a member of the layout is called; where versions differ, each name that there is. A name
 * ends at what says of which type the member is. Offsets are multiples of `unit`. */
static const struct wanted {
	const char *name;
	uint16_t to;
	uint16_t unit;
	bool for_lines; /* functions have names without it */
} wanted[] = {
	{"class_JSFunction__shared", AT(function_shared), 8, false},
	{"class_SharedFunctionInfo__name_or_scope_info", AT(shared_name), 8, false},
	{"class_SharedFunctionInfo__script_or_debug_info", AT(shared_script), 8, false},
	{"class_SharedFunctionInfo__script", AT(shared_script), 8, false},
	{"class_SharedFunctionInfo__raw_function_token_offset", AT(shared_place), 1, false},
	{"class_Map__instance_type", AT(map_type), 2, false},
	{"class_String__length", AT(string_length), 4, false},
	{"class_SeqOneByteString__chars", AT(string_chars), 4, false},
	{"class_ThinString__actual", AT(string_other), 8, false},
	{"class_ExternalString__resource", AT(string_resource), 8, false},
	{"class_Script__name", AT(script_name), 8, false},
	{"class_Script__source", AT(script_source), 8, false},
	{"type_SharedFunctionInfo", AT(type_shared), 1, false},
	{"type_ScopeInfo", AT(type_scope), 1, false},
	{"type_Script", AT(type_script), 1, false},
	{"FirstNonstringType", AT(type_string_end), 1, false},
	{"scopeinfo_idx_ncontextlocals", AT(scope_locals), 1, false},
	{"scopeinfo_idx_first_vars", AT(scope_first), 1, false},
	{"class_Script__line_ends", AT(script_lines_before), 8, true},
	{"class_BytecodeArray__data", AT(bytecode_data), 1, true},
	{"type_BytecodeArray", AT(type_bytecode), 1, true},
	{"type_ByteArray", AT(type_bytes), 1, true},
	{"major_E", AT(version), 1, true},
	{"class_BytecodeArray__wrapper", AT(bytecode_table), 8, true}, /* newer ones have it */
	{"type_TrustedByteArray", AT(type_trusted), 1, true},          /* as this */
	{"type_Code", AT(type_code), 1, true},
	{"class_Code__bytecode_offset_table", AT(code_table), 8, true},
	{"class_Code__wrapper", AT(code_bytecode), 8, true},
	{"class_Code__instruction_start", AT(code_start), 8, true},
	{"class_Code__instruction_size", AT(code_size), 4, true},
	{"DeoptimizationDataLiteralArrayIndex", AT(deopt_literals), 1, true},
	{"DeoptimizationDataInliningPositionsIndex", AT(deopt_inlined), 1, true},
	{"class_InstructionStream__instruction_start", AT(stream_start), 8, true},
};

/* What the overflow program takes for granted. */
static const struct {
	const char *name;
	int32_t value;
	bool for_lines;
} fixed[] = {
	{"off_fp_function", PMB_V8_FUNCTION, false},
	{"off_fp_context", PMB_V8_CONTEXT, false},
	{"HeapObjectTag", 1, false},
	{"HeapObjectTagMask", 3, false},
	{"SmiShiftSize", 31, false}, /* words aren't compressed */
	{"SmiValueShift", 1, false},
	{"StringRepresentationMask", PMB_V8_STRING_KIND, false},
	{"SeqStringTag", PMB_V8_STRING_PLAIN, false},
	{"ConsStringTag", PMB_V8_STRING_CONS, false},
	{"ExternalStringTag", PMB_V8_STRING_EXTERNAL, false},
	{"ThinStringTag", PMB_V8_STRING_THIN, false},
	{"StringEncodingMask", PMB_V8_STRING_ONE_BYTE, false},
	{"OneByteStringTag", PMB_V8_STRING_ONE_BYTE, false},
	{"off_fp_bytecode_array", PMB_V8_BYTECODE, true},
	{"off_fp_bytecode_offset", PMB_V8_BYTECODE_AT, true},
	{"InterpreterBytecodeArrayRegister", 12, true}, /* r12 */
	{"InterpreterBytecodeOffsetRegister", 9, true},
};

struct reader {
	const struct elf_bytes *from;
	struct pmb_v8 *layout;
	bool is_v8;
	bool has[sizeof(struct pmb_v8)];
	bool is_fixed[ARRAY_SIZE(fixed)];
};

/* What is beyond the file's bytes is 0. */
static bool read_value(const struct reader *r, uint64_t vaddr, int32_t *ret)
{
	GElf_Phdr ph;
	uint64_t off;

	*ret = 0;
	if (!elf_segment__of(r->from->elf, vaddr, WORD, false, &ph))
		return false;
	off = vaddr - ph.p_vaddr;
	if (off >= ph.p_filesz)
		return true;
	return ph.p_filesz - off >= WORD &&
	       elf_bytes__read(r->from, ph.p_offset + off, ret, WORD) == WORD;
}

/* Of "class_Script__name__Object" that is "class_Script__name", of "type_Script__SCRIPT_TYPE"
 * "type_Script". */
static bool is_called(const char *name, size_t len, const char *want)
{
	size_t n = strlen(want);

	return len >= n && memcmp(name, want, n) == 0 &&
	       (len == n || (len > n + 2 && memcmp(name + n, "__", 2) == 0));
}

static void take(struct reader *r, const char *name, size_t len, uint64_t vaddr)
{
	int32_t value;

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		if (!is_called(name, len, wanted[i].name) || r->has[wanted[i].to] ||
		    !read_value(r, vaddr, &value) || value < 0 || value > TYPE_MAX ||
		    value % wanted[i].unit)
			continue;
		r->has[wanted[i].to] = true;
		*(__u16 *)((char *)r->layout + wanted[i].to) = (__u16)value;
	}
	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++) {
		if (len == strlen(fixed[i].name) && memcmp(name, fixed[i].name, len) == 0)
			r->is_fixed[i] = read_value(r, vaddr, &value) && value == fixed[i].value;
	}
}

/* How long each bytecode is: so many bytes for each width of their operands. */
static void take_sizes(struct reader *r, const GElf_Sym *sym)
{
	uint64_t n = sym->st_size / V8_WIDTHS;
	uint8_t sizes[V8_WIDTHS * V8_BYTECODES_MAX];
	GElf_Phdr ph;

	if (!n || n > V8_BYTECODES_MAX || sym->st_size % V8_WIDTHS ||
	    !elf_segment__of(r->from->elf, sym->st_value, sym->st_size, true, &ph) ||
	    elf_bytes__read(r->from, ph.p_offset + (sym->st_value - ph.p_vaddr), sizes,
			    sym->st_size) != sym->st_size)
		return;
	for (size_t i = 0; i < V8_WIDTHS; i++)
		memcpy(r->layout->sizes + i * V8_BYTECODES_MAX, sizes + i * n, n);
	r->has[AT(sizes)] = true;
}

/* In which its numbers are called what `wanted` says; or its version's, in C++. NULL: none. */
static const char *own_name(const char *name, size_t *len, bool *ret_is_for_debuggers)
{
	static const char *const prefixes[] = {"v8dbg_", "_ZN2v88internal7Version6"};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		size_t n = strlen(prefixes[i]);

		*ret_is_for_debuggers = i == 0;
		if (*len <= n || memcmp(name, prefixes[i], n) != 0)
			continue;
		*len -= n;
		return name + n;
	}
	return NULL;
}

static void look(struct reader *r, struct elf_records *symbols, struct elf_strings *strings)
{
	static const char sizes[] = "_ZN2v88internal11interpreter9Bytecodes14kBytecodeSizesE";
	GElf_Sym sym;

	for (size_t i = 0; i < SYMBOLS_MAX && elf_records__next_symbol(symbols, &sym); i++) {
		bool is_for_debuggers;
		const char *name;
		size_t len;

		if (GELF_ST_TYPE(sym.st_info) != STT_OBJECT || !sym.st_size ||
		    sym.st_size > V8_WIDTHS * V8_BYTECODES_MAX ||
		    (sym.st_size != WORD && sym.st_size % V8_WIDTHS))
			continue;
		name = elf_strings__at(strings, sym.st_name, &len);
		if (name && len == sizeof(sizes) - 1 && memcmp(name, sizes, len) == 0)
			take_sizes(r, &sym);
		name = name && sym.st_size == WORD ? own_name(name, &len, &is_for_debuggers) : NULL;
		if (!name)
			continue;
		r->is_v8 |= is_for_debuggers;
		take(r, name, len, sym.st_value);
	}
}

static bool is_whole(const struct reader *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		if (!r->has[wanted[i].to] && !wanted[i].for_lines)
			return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++) {
		if (!r->is_fixed[i] && !fixed[i].for_lines)
			return false;
	}
	return true;
}

/* What else has to be there for the line that the interpreter runs. */
static bool has_lines(const struct reader *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++) {
		if (!r->is_fixed[i])
			return false;
	}
	return r->has[AT(bytecode_data)] && r->has[AT(type_bytecode)] && r->has[AT(type_bytes)] &&
	       r->has[AT(version)] && r->has[AT(bytecode_table)] == r->has[AT(type_trusted)] &&
	       r->layout->bytecode_data > BYTECODE_TABLE + 8;
}

/* Where the table is has no name. Objects that say what stands for them have it behind that, and
 * it is of another type. */
static void finish_lines(struct pmb_v8 *l)
{
	l->bytecode_table = l->bytecode_table ? l->bytecode_table + 8U : BYTECODE_TABLE;
	l->newer_table = l->version >= NEWER_TABLE;
}

/* Where code has what: newer ones say it, but for what is right before the wrapper; in the oldest
 * the instructions are in it. Others say where one table is. */
static void finish_code(const struct reader *r, struct pmb_v8 *l)
{
	uint16_t wrapper = l->code_bytecode;
	bool says = r->has[AT(code_start)] && r->has[AT(code_size)];

	if (r->has[AT(code_bytecode)] && says && wrapper > 2 * 8) {
		l->code_bytecode = wrapper - 2 * 8;
		l->code_table = wrapper - 8;
	} else if (says || (r->has[AT(code_table)] && l->code_table == CODE_TABLE)) {
		l->code_inline = says;
		l->code_table = CODE_TABLE;
		l->code_bytecode = CODE_TABLE - 8;
		l->code_start = says ? l->code_start : CODE_START;
		l->code_size = says ? l->code_size : CODE_SIZE;
	} else {
		l->code_table = 0;
	}
	if (!r->has[AT(type_code)])
		l->code_table = 0;
	/* without it no line of baseline code is told */
	if (l->code_table && !r->has[AT(sizes)])
		elf_v8_sizes__find(r->from, l->sizes);
}

/* Where optimised code has what is inlined in it. The oldest says nothing of that, and has no
 * object around its instructions. */
static void finish_optimised(struct pmb_v8 *l)
{
	if (l->code_inline) {
		l->deopt_literals = DEOPT_LITERALS;
		l->deopt_inlined = DEOPT_INLINED;
		l->stream_start = 0;
	}
	if (!l->code_table || !l->bytecode_data || (!l->code_inline && !l->stream_start) ||
	    !l->deopt_literals || l->deopt_literals > DEOPT_MAX || !l->deopt_inlined ||
	    l->deopt_inlined > DEOPT_MAX) {
		l->deopt_literals = l->deopt_inlined = l->stream_start = 0;
		return;
	}
	l->deopt_literals = ARRAY_DATA + 8 * l->deopt_literals;
	l->deopt_inlined = ARRAY_DATA + 8 * l->deopt_inlined;
}

static uint16_t most(uint16_t a, uint16_t b)
{
	return a > b ? a : b;
}

/* What follows from the numbers: indices become offsets, behind the map. */
static bool finish(struct pmb_v8 *l)
{
	l->shared_place &= ~7U;
	l->script_lines_before =
		l->script_lines_before == l->script_name + LINE_ENDS ? l->script_name + 8U : 0;
	l->shared_size = most(most(l->shared_name, l->shared_script), l->shared_place) + 8U;
	if (l->scope_locals >= TYPE_MAX / 16 || l->scope_first >= TYPE_MAX / 16)
		return false;
	l->scope_locals = 8 + 8 * l->scope_locals;
	l->scope_first = 8 + 8 * l->scope_first;
	return l->shared_size > 8 && l->shared_size <= PMB_V8_SHARED_MAX && l->function_shared;
}

/* Its own code, of which parts are frames of JavaScript. */
static void place_builtins(const struct elf_bytes *from, struct pmb_runtime *ret)
{
	uint64_t start, end;
	GElf_Phdr ph;

	if (!elf_gap__largest(from, &start, &end) ||
	    !elf_segment__of(from->elf, start, WORD, false, &ph) || end - ph.p_vaddr > ph.p_filesz)
		return;
	ret->eval_from = start - ph.p_vaddr + ph.p_offset;
	ret->eval_to = end - ph.p_vaddr + ph.p_offset;
}

enum pmb_runtime_state elf_v8__find(const struct elf_bytes *from, struct pmb_runtime *ret)
{
	Elf_Scn *scn = elf_section__by_type(from->elf, SHT_DYNSYM);
	struct reader r = {.from = from, .layout = &ret->v8};
	struct elf_records symbols;
	struct elf_strings strings;
	GElf_Ehdr ehdr;
	GElf_Shdr shdr;

	*ret = (struct pmb_runtime){0};
	if (!scn || !gelf_getehdr(from->elf, &ehdr) || ehdr.e_machine != EM_X86_64 ||
	    !gelf_getshdr(scn, &shdr) ||
	    !elf_records__open(&symbols, from, scn, ELF_T_SYM, ELF_TABLE_MAX))
		return PMB_RUNTIME_NONE;
	if (elf_strings__open(&strings, from, elf_getscn(from->elf, shdr.sh_link), ELF_TABLE_MAX))
		look(&r, &symbols, &strings);
	elf_strings__close(&strings);
	elf_records__close(&symbols);
	if (r.is_v8 && is_whole(&r) && finish(&ret->v8)) {
		if (has_lines(&r))
			finish_lines(&ret->v8);
		else
			ret->v8.bytecode_data = 0;
		finish_code(&r, &ret->v8);
		finish_optimised(&ret->v8);
		place_builtins(from, ret);
		return PMB_RUNTIME_V8;
	}
	*ret = (struct pmb_runtime){.is_v8 = r.is_v8};
	return r.is_v8 ? PMB_RUNTIME_UNKNOWN : PMB_RUNTIME_NONE;
}
