// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* This program says that it is V8, and has much code that no table describes. */
#include <criterion/criterion.h>
#include <elf.h>
#include <fcntl.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "symd/elf_gap.h"
#include "symd/elf_v8.h"
#include "../workloads/says_v8.h"

#ifdef __x86_64__

SAYS(class_JSFunction__shared__Tagged_SharedFunctionInfo_, 24)
SAYS(class_SharedFunctionInfo__name_or_scope_info__Object, 16)
SAYS(class_SharedFunctionInfo__script__Object, 40)
SAYS(class_SharedFunctionInfo__raw_function_token_offset__int16_t, 52)
SAYS(type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE, 300)
SAYS(type_ScopeInfo__SCOPE_INFO_TYPE, 301)
SAYS(type_Script__SCRIPT_TYPE, 302)

/* Between two functions that tables describe. */
__attribute__((noipa, used)) static int before(int x)
{
	return x + 1;
}

__asm__(".text\n"
	".globl undescribed, undescribed_end\n"
	"undescribed: .skip 600000, 0x90\n"
	"undescribed_end: ret\n"
	".type described, @function\n"
	"described: .cfi_startproc\n"
	"ret\n"
	".cfi_endproc\n");

extern const char undescribed[], undescribed_end[];

static struct elf_bytes self;
static uint8_t *bytes;
static size_t length;

static void begin(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct stat st;

	cr_assert(fd >= 0 && fstat(fd, &st) == 0);
	length = (size_t)st.st_size;
	bytes = malloc(length);
	cr_assert(bytes && pread(fd, bytes, length, 0) == (ssize_t)length);
	close(fd);
	elf_version(EV_CURRENT);
	self = (struct elf_bytes){.elf = elf_memory((char *)bytes, length),
				  .fd = -1,
				  .memory = bytes,
				  .len = length};
	cr_assert(self.elf);
}

static void end(void)
{
	elf_end(self.elf);
	free(bytes);
}

TestSuite(elf_v8, .init = begin, .fini = end);

/* Where an address of this program is in its file. */
static uint64_t offset_of(const void *what)
{
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)bytes;
	const Elf64_Phdr *ph = (const Elf64_Phdr *)(bytes + eh->e_phoff);
	extern const char __executable_start[];
	uint64_t at = (uint64_t)((const char *)what - __executable_start);

	for (int i = 0; i < eh->e_phnum; i++) {
		if (ph[i].p_type == PT_LOAD && at >= ph[i].p_vaddr &&
		    at - ph[i].p_vaddr < ph[i].p_filesz)
			return at - ph[i].p_vaddr + ph[i].p_offset;
	}
	cr_assert(false, "not in the file");
	return 0;
}

static void say(const int *what, int value)
{
	memcpy(bytes + offset_of(what), &value, sizeof(value));
}

Test(elf_v8, what_it_says)
{
	const struct pmb_v8 want = {
		.function_shared = 24,
		.shared_size = 56,
		.shared_name = 16,
		.shared_script = 40,
		.shared_place = 48,
		.scope_locals = 24,
		.scope_first = 32,
		.map_type = 12,
		.string_length = 12,
		.string_chars = 16,
		.string_other = 16,
		.string_resource = 16,
		.script_name = 16,
		.script_source = 8,
		.type_shared = 300,
		.type_scope = 301,
		.type_script = 302,
		.type_string_end = 128,
		.bytecode_data = 56,
		.bytecode_table = 32,
		.type_bytecode = 310,
		.type_bytes = 311,
		.version = 13,
		.script_lines_before = 24,
		.type_code = 313,
		.code_bytecode = 16,
		.code_table = 24,
		.code_start = 40,
		.code_size = 56,
		.deopt_literals = 32,
		.deopt_inlined = 72,
		.stream_start = 16,
		.sizes = {[0] = 1, 1, 1, 1,         1, 2, 3, [256] = 1, 1, 1, 1,
			  1,       3, 5, [512] = 1, 1, 1, 1, 1,         5, 9},
	};
	struct pmb_runtime runtime;

	cr_assert_eq(elf_v8__find(&self, &runtime), PMB_RUNTIME_V8);
	cr_expect_arr_eq(&runtime.v8, &want, sizeof(want));
	cr_expect_leq(runtime.eval_from, offset_of(undescribed));
	cr_expect_geq(runtime.eval_to, offset_of(undescribed_end));
	cr_expect_lt(runtime.eval_to - runtime.eval_from, 700000);
}

/* What isn't so, each alone: V8, but none that is understood. */
Test(elf_v8, what_is_not_as_it_has_to_be)
{
	static const struct {
		const int *what;
		int value;
	} lies[] = {
		{&v8dbg_off_fp_function, -24},
		{&v8dbg_SmiShiftSize, 0}, /* compressed pointers */
		{&v8dbg_SmiValueShift, 32},
		{&v8dbg_HeapObjectTagMask, 1},
		{&v8dbg_ThinStringTag, 4},
		{&v8dbg_class_JSFunction__shared__Tagged_SharedFunctionInfo_, 0},
		{&v8dbg_class_JSFunction__shared__Tagged_SharedFunctionInfo_, 7},
		{&v8dbg_class_JSFunction__shared__Tagged_SharedFunctionInfo_, -8},
		{&v8dbg_class_JSFunction__shared__Tagged_SharedFunctionInfo_, 1 << 20},
		{&v8dbg_class_SharedFunctionInfo__script__Object, 256},
		{&v8dbg_class_Map__instance_type__uint16_t, 13},
		{&v8dbg_scopeinfo_idx_first_vars, 60000},
	};
	struct pmb_runtime runtime, none = {.is_v8 = 1};

	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		int honest = *lies[i].what;

		say(lies[i].what, lies[i].value);
		cr_expect_eq(elf_v8__find(&self, &runtime), PMB_RUNTIME_UNKNOWN, "lie %zu", i);
		cr_expect_arr_eq(&runtime, &none, sizeof(none), "lie %zu", i);
		say(lies[i].what, honest);
		cr_expect_eq(elf_v8__find(&self, &runtime), PMB_RUNTIME_V8, "after lie %zu", i);
	}
}

/* Functions have names nevertheless, but not the line that ran. */
Test(elf_v8, what_only_lines_need)
{
	static const struct {
		const int *what;
		int value;
	} lies[] = {
		{&v8dbg_off_fp_bytecode_array, -40},
		{&v8dbg_off_fp_bytecode_offset, -32},
		{&v8dbg_InterpreterBytecodeArrayRegister, 13},
		{&v8dbg_InterpreterBytecodeOffsetRegister, 8},
		{&v8dbg_class_BytecodeArray__data__uintptr_t, 40},
		{&v8dbg_class_BytecodeArray__data__uintptr_t, -56},
		{&v8dbg_type_BytecodeArray__BYTECODE_ARRAY_TYPE, 1 << 16},
		{&v8dbg_type_ByteArray__BYTE_ARRAY_TYPE, -1},
		{&_ZN2v88internal7Version6major_E, 1 << 20},
	};
	struct pmb_runtime runtime;

	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		int honest = *lies[i].what;

		say(lies[i].what, lies[i].value);
		cr_expect_eq(elf_v8__find(&self, &runtime), PMB_RUNTIME_V8, "lie %zu", i);
		cr_expect_eq(runtime.v8.bytecode_data, 0, "lie %zu", i);
		cr_expect_neq(runtime.v8.function_shared, 0, "lie %zu", i);
		say(lies[i].what, honest);
	}
	say(&v8dbg_class_Script__line_ends__Object, 48);
	cr_expect_eq(elf_v8__find(&self, &runtime), PMB_RUNTIME_V8);
	cr_expect_eq(runtime.v8.script_lines_before, 0);
	cr_expect_eq(runtime.v8.bytecode_data, 56);
	say(&_ZN2v88internal7Version6major_E, 14);
	cr_expect_eq(elf_v8__find(&self, &runtime), PMB_RUNTIME_V8);
	cr_expect_eq(runtime.v8.bytecode_data, 56);
	cr_expect_eq(runtime.v8.newer_table, 1);
}

/* Of the interpreter's code lines are known nevertheless. */
Test(elf_v8, what_only_lines_of_baseline_code_need)
{
	static const struct {
		const int *what;
		int value;
	} lies[] = {
		{&v8dbg_type_Code__CODE_TYPE, 1 << 16},
		{&v8dbg_class_Code__bytecode_offset_table__ByteArray, 32},
		{&v8dbg_class_Code__bytecode_offset_table__ByteArray, -24},
	};
	struct pmb_runtime runtime;

	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		int honest = *lies[i].what;

		say(lies[i].what, lies[i].value);
		cr_expect_eq(elf_v8__find(&self, &runtime), PMB_RUNTIME_V8, "lie %zu", i);
		cr_expect_eq(runtime.v8.code_table, 0, "lie %zu", i);
		cr_expect_eq(runtime.v8.bytecode_data, 56, "lie %zu", i);
		say(lies[i].what, honest);
	}
}

/* Of other code they are known nevertheless. */
Test(elf_v8, what_only_optimised_code_needs)
{
	static const struct {
		const int *what;
		int value;
	} lies[] = {
		{&v8dbg_DeoptimizationDataLiteralArrayIndex, 0},
		{&v8dbg_DeoptimizationDataLiteralArrayIndex, 65},
		{&v8dbg_DeoptimizationDataInliningPositionsIndex, -1},
		{&v8dbg_DeoptimizationDataInliningPositionsIndex, 65},
		{&v8dbg_class_InstructionStream__instruction_start__uintptr_t, 0},
		{&v8dbg_class_InstructionStream__instruction_start__uintptr_t, 17},
		{&v8dbg_type_Code__CODE_TYPE, 1 << 16},
		{&v8dbg_off_fp_bytecode_array, -40},
	};
	struct pmb_runtime runtime;

	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		int honest = *lies[i].what;

		say(lies[i].what, lies[i].value);
		cr_expect_eq(elf_v8__find(&self, &runtime), PMB_RUNTIME_V8, "lie %zu", i);
		cr_expect_eq(runtime.v8.deopt_literals, 0, "lie %zu", i);
		cr_expect_eq(runtime.v8.deopt_inlined, 0, "lie %zu", i);
		say(lies[i].what, honest);
	}
}

/* Whatever is where: an end, and nothing outside of the file. */
Test(elf_v8, any_bytes)
{
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)bytes;
	struct pmb_runtime runtime;
	struct elf_bytes cut = self;

	srand(1);
	for (int i = 0; i < 300; i++) {
		uint64_t at = eh->e_phoff + (uint64_t)rand() % (eh->e_phnum * sizeof(Elf64_Phdr));
		uint8_t was = bytes[at];

		bytes[at] = (uint8_t)rand();
		cut.elf = elf_memory((char *)bytes, length);
		elf_v8__find(&cut, &runtime);
		if (runtime.eval_to)
			cr_expect(runtime.eval_from < runtime.eval_to);
		elf_end(cut.elf);
		bytes[at] = was;
	}
}

/* A table of another kind, and one without entries. */
Test(elf_v8, no_gap)
{
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)bytes;
	Elf64_Phdr *ph = (Elf64_Phdr *)(bytes + eh->e_phoff);
	uint64_t from, to;

	cr_assert(elf_gap__largest(&self, &from, &to));
	for (int i = 0; i < eh->e_phnum; i++) {
		if (ph[i].p_type != PT_GNU_EH_FRAME)
			continue;
		bytes[ph[i].p_offset] ^= 2;
		cr_expect(!elf_gap__largest(&self, &from, &to), "another version");
		bytes[ph[i].p_offset] ^= 2;
		cr_expect(elf_gap__largest(&self, &from, &to));
		bytes[ph[i].p_offset + 8] = bytes[ph[i].p_offset + 9] = 0;
		bytes[ph[i].p_offset + 10] = bytes[ph[i].p_offset + 11] = 0;
		cr_expect(!elf_gap__largest(&self, &from, &to), "no entries");
	}
}

Test(elf_v8, a_gap_between_sections)
{
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)bytes;
	Elf64_Shdr *sh = (Elf64_Shdr *)(bytes + eh->e_shoff);
	uint64_t from, to;

	cr_assert(elf_gap__largest(&self, &from, &to));
	for (int i = 0; i < eh->e_shnum; i++) {
		if (sh[i].sh_flags & SHF_EXECINSTR)
			sh[i].sh_size = 1;
	}
	elf_end(self.elf);
	self.elf = elf_memory((char *)bytes, length);
	cr_expect(!elf_gap__largest(&self, &from, &to));
}

#else

Test(elf_v8, x86_64_only)
{
	cr_skip("its frames are known on x86-64 only");
}

#endif
