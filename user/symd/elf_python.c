// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Its symbols are exported, for extensions need them: so they are in .dynsym of stripped files,
 * too. Every file whose table is made is looked at: names are compared for symbols of fitting sizes
 * only.
 */
#include "symd/elf_python.h"

#include <string.h>

#include "symd/elf_cold.h"
#include "symd/elf_symbols.h"
#include "symd/python_layout.h"

enum {
	RUNTIME_LEAST = 512,      /* bytes of _PyRuntime */
	EVAL_LEAST = 8 * 1024,    /* of the function that runs everything */
	VERSION_SIZE = 8,         /* of Py_Version, an unsigned long */
	GET_VERSION_MAX = 128,    /* bytes of code of Py_GetVersion */
	SYMBOLS_MAX = 256 * 1024, /* of one table; the interpreter has 2000 */
};

struct found {
	GElf_Sym runtime, eval, cold, version, get_version; /* st_value 0: there is none */
	bool old; /* the function that runs everything is that of 3.5 and before */
};

static bool is_called(struct elf_strings *strings, const GElf_Sym *sym, const char *name)
{
	size_t len;
	const char *at = elf_strings__at(strings, sym->st_name, &len);

	return at && len == strlen(name) && memcmp(at, name, len) == 0;
}

static void look_at(struct found *f, struct elf_strings *strings, const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	if (type == STT_OBJECT && sym->st_size >= RUNTIME_LEAST) {
		if (is_called(strings, sym, "_PyRuntime"))
			f->runtime = *sym;
	} else if (type == STT_FUNC && sym->st_size >= EVAL_LEAST) {
		if (is_called(strings, sym, "_PyEval_EvalFrameDefault"))
			f->eval = *sym;
		else if (is_called(strings, sym, "PyEval_EvalFrameEx"))
			f->old = true;
	}
}

/* Only of files that have one of those above. */
static void look_again(struct found *f, struct elf_strings *strings, const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	if (type == STT_OBJECT && sym->st_size == VERSION_SIZE) {
		if (is_called(strings, sym, "Py_Version"))
			f->version = *sym;
	} else if (type == STT_FUNC && GELF_ST_BIND(sym->st_info) == STB_LOCAL) {
		if (is_called(strings, sym, "_PyEval_EvalFrameDefault.cold"))
			f->cold = *sym;
	} else if (type == STT_FUNC && sym->st_size <= GET_VERSION_MAX) {
		if (is_called(strings, sym, "Py_GetVersion"))
			f->get_version = *sym;
	} else if (type == STT_FUNC && sym->st_size < EVAL_LEAST) {
		if (is_called(strings, sym, "_PyEval_EvalFrameDefault"))
			f->eval = *sym; /* most of it is elsewhere */
	}
}

static void each(const struct elf_bytes *from, uint32_t section_type, struct found *f,
		 void (*fn)(struct found *f, struct elf_strings *strings, const GElf_Sym *sym))
{
	Elf_Scn *scn = elf_section__by_type(from->elf, section_type);
	struct elf_records records;
	struct elf_strings strings;
	GElf_Shdr shdr;
	GElf_Sym sym;

	if (!scn || !gelf_getshdr(scn, &shdr) ||
	    !elf_records__open(&records, from, scn, ELF_T_SYM, ELF_TABLE_MAX))
		return;
	if (elf_strings__open(&strings, from, elf_getscn(from->elf, shdr.sh_link), ELF_TABLE_MAX)) {
		for (size_t i = 0; i < SYMBOLS_MAX && elf_records__next_symbol(&records, &sym); i++)
			fn(f, &strings, &sym);
	}
	elf_strings__close(&strings);
	elf_records__close(&records);
}

static size_t read_at(const struct elf_bytes *from, uint64_t vaddr, void *ret, size_t size)
{
	GElf_Phdr ph;

	return vaddr && elf_segment__of(from->elf, vaddr, size, true, &ph) ?
		       elf_bytes__read(from, ph.p_offset + (vaddr - ph.p_vaddr), ret, size) :
		       0;
}

static bool is_x86(Elf *elf)
{
	GElf_Ehdr ehdr;

	return gelf_getehdr(elf, &ehdr) && ehdr.e_machine == EM_X86_64;
}

/* In some builds nearly all of it lies elsewhere. */
static void place_cold(const struct elf_bytes *from, struct found *f, struct pmb_runtime *ret)
{
	GElf_Phdr ph;
	uint64_t end;

	if (!f->cold.st_size && is_x86(from->elf) &&
	    elf_cold__find(from, f->eval.st_value, ret->eval_from, f->eval.st_size,
			   &f->cold.st_value, &end))
		f->cold.st_size = end - f->cold.st_value;
	if (f->cold.st_size &&
	    elf_segment__of(from->elf, f->cold.st_value, f->cold.st_size, true, &ph)) {
		ret->cold_from = f->cold.st_value - ph.p_vaddr + ph.p_offset;
		ret->cold_to = ret->cold_from + f->cold.st_size;
	}
	ret->tail_calls = f->eval.st_size + f->cold.st_size < EVAL_LEAST;
}

/* The code's place in the file, and (first) where the runtime lies seen from there. */
static bool place(const struct elf_bytes *from, struct found *f, struct pmb_runtime *ret)
{
	GElf_Phdr ph;

	if (!elf_segment__of(from->elf, f->eval.st_value, f->eval.st_size, true, &ph))
		return false;
	ret->eval_from = f->eval.st_value - ph.p_vaddr + ph.p_offset;
	ret->eval_to = ret->eval_from + f->eval.st_size;
	ret->runtime_from = f->runtime.st_value - (ph.p_vaddr - ph.p_offset);
	place_cold(from, f, ret);
	return true;
}

static bool is_lea_from_here(const uint8_t *code)
{
	return (code[0] & 0xfb) == 0x48 && code[1] == 0x8d && (code[2] & 0xc7) == 0x05;
}

/* Before 3.11 the only place that says which version it is: Py_GetVersion() prints a text, whose
 * address is in its code (x86-64's). 0: it can't be told. */
static uint32_t version_by_code(const struct elf_bytes *from, const GElf_Sym *fn)
{
	uint8_t code[GET_VERSION_MAX];
	size_t n = read_at(from, fn->st_value, code, fn->st_size);
	uint32_t version = 0;
	char text[16] = "";
	int32_t operand;

	for (size_t i = 0; i + 7 <= n && !version; i++) {
		bool lea = is_lea_from_here(code + i);
		uint64_t at = lea ? fn->st_value + i + 7 : 0;

		if (!lea && (code[i] & 0xf8) != 0xb8) /* mov $imm, %reg */
			continue;
		memcpy(&operand, code + i + (lea ? 3 : 1), sizeof(operand));
		if (read_at(from, at + (uint64_t)(int64_t)operand, text, sizeof(text) - 1))
			version = python_version_of_text(text);
	}
	return version;
}

static uint32_t version_of(const struct elf_bytes *from, const struct found *f)
{
	uint64_t version;

	if (read_at(from, f->version.st_value, &version, sizeof(version)) == sizeof(version))
		return (uint32_t)version;
	return version_by_code(from, &f->get_version);
}

enum pmb_runtime_state elf_python__find(const struct elf_bytes *from, struct pmb_runtime *ret)
{
	uint8_t bytes[PYTHON_RUNTIME_BYTES];
	struct found f = {0};
	uint32_t version;
	size_t n;

	*ret = (struct pmb_runtime){0};
	each(from, SHT_DYNSYM, &f, look_at);
	if (!f.runtime.st_value && !f.eval.st_value && !f.old)
		return PMB_RUNTIME_NONE;
	each(from, SHT_DYNSYM, &f, look_again);
	each(from, SHT_SYMTAB, &f, look_again);
	if (!f.version.st_value && !f.get_version.st_value)
		return PMB_RUNTIME_NONE; /* another's, of the same name */
	version = version_of(from, &f);
	n = read_at(from, f.runtime.st_value, bytes, sizeof(bytes));
	if (f.runtime.st_value && f.eval.st_value &&
	    python_layout(version, bytes, n, &ret->layout) && place(from, &f, ret))
		return PMB_RUNTIME_KNOWN;
	*ret = (struct pmb_runtime){
		.layout.version = version,
		.free_threaded = python_is_free_threaded(bytes, n),
	};
	return PMB_RUNTIME_UNKNOWN;
}
