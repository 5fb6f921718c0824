// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: the library's struct of an instruction is another one in each of its versions,
 * and to build this tool none should be needed. So where its texts are is looked for once, in an
 * instruction that is known: "push %rax".
 */
#include "symd/disassembler.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/library.h"
#include "base/mem.h"
#include "symd/x86_insn.h"

/* Of capstone/capstone.h. */
enum {
	CS_ARCH_ARM64 = 1,
	CS_ARCH_X86 = 3,
	CS_MODE_LITTLE_ENDIAN = 0,
	CS_MODE_32 = 4,
	CS_MODE_64 = 8,
	CS_OPT_SYNTAX = 1,
	CS_OPT_SYNTAX_ATT = 2,
	CS_MNEMONIC_SIZE = 32,
	CS_OPERANDS_SIZE = 160,
	/* of the struct, what is before the mnemonic: number, address, length, bytes */
	CS_BEFORE_MIN = 8,
	CS_BEFORE_MAX = 64,
};

typedef size_t csh;

static struct {
	bool tried, loaded;
	int (*open)(int arch, int mode, csh *ret);
	int (*close)(csh *handle);
	int (*option)(csh handle, int type, size_t value);
	void *(*new_insn)(csh handle);
	void (*free)(void *insn, size_t n);
	bool (*next)(csh handle, const uint8_t **code, size_t *size, uint64_t *address, void *insn);
	size_t mnemonic; /* where it is in the struct; the operands are behind it */
} lib;

struct disassembler {
	unsigned machine;
	bool is_64, has_text;
	csh handle;
	void *insn;
};

static bool open_engine(struct disassembler *d, int arch, int mode)
{
	if (lib.open(arch, mode, &d->handle) != 0)
		return false;
	if (arch == CS_ARCH_X86)
		lib.option(d->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	d->insn = lib.new_insn(d->handle);
	d->has_text = d->insn != NULL;
	if (!d->has_text)
		lib.close(&d->handle);
	return d->has_text;
}

static void close_engine(struct disassembler *d)
{
	if (!d->has_text)
		return;
	lib.free(d->insn, 1);
	lib.close(&d->handle);
}

static bool find_texts(void)
{
	static const uint8_t push[] = {0x50};
	struct disassembler d = {0};
	const uint8_t *code = push;
	size_t left = sizeof(push), found = 0;
	uint64_t address = 0;

	if (!open_engine(&d, CS_ARCH_X86, CS_MODE_64))
		return false;
	if (lib.next(d.handle, &code, &left, &address, d.insn)) {
		for (size_t at = CS_BEFORE_MIN; at < CS_BEFORE_MAX && !found; at++) {
			const char *text = (const char *)d.insn + at;

			if (memcmp(text, "pushq", 5) != 0 && memcmp(text, "push", 5) != 0)
				continue;
			if (strcmp(text + CS_MNEMONIC_SIZE, "%rax") == 0)
				found = at;
		}
	}
	close_engine(&d);
	lib.mnemonic = found;
	return found;
}

bool disassembler_load(void)
{
	static const struct library_function functions[] = {
		{"cs_open", &lib.open},     {"cs_close", &lib.close},
		{"cs_option", &lib.option}, {"cs_malloc", &lib.new_insn},
		{"cs_free", &lib.free},     {"cs_disasm_iter", &lib.next},
	};

	if (lib.tried)
		return lib.loaded;
	lib.tried = true;
	lib.loaded = (library_load("libcapstone.so.4", functions, ARRAY_SIZE(functions)) ||
		      library_load("libcapstone.so.5", functions, ARRAY_SIZE(functions))) &&
		     find_texts();
	return lib.loaded;
}

struct disassembler *disassembler__new(unsigned machine, bool is_64)
{
	struct disassembler *d;

	if (!(machine == EM_X86_64 || machine == EM_AARCH64 || (machine == EM_386 && lib.loaded)))
		return NULL;
	d = xcalloc(1, sizeof(*d));
	d->machine = machine;
	d->is_64 = is_64;
	if (lib.loaded && machine == EM_AARCH64)
		open_engine(d, CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN);
	else if (lib.loaded)
		open_engine(d, CS_ARCH_X86, machine == EM_386 ? CS_MODE_32 : CS_MODE_64);
	return d;
}

struct disassembler *disassembler__free(struct disassembler *d)
{
	if (!d)
		return NULL;
	close_engine(d);
	free(d);
	return NULL;
}

bool disassembler__has_text(const struct disassembler *d)
{
	return d->has_text;
}

/* ---- where the program goes on */

static void flow_of_x86(const uint8_t *bytes, size_t len, uint64_t vaddr, struct insn *ret)
{
	struct x86_insn insn;

	if (!x86_insn__read(bytes, len, vaddr, &insn) || !insn.len)
		return;
	ret->len = insn.len;
	if (insn.kind == X86_BRANCH || insn.kind == X86_JUMP)
		ret->flow = INSN_JUMP;
	else if (insn.kind == X86_CALL)
		ret->flow = INSN_CALL;
	else if (insn.kind == X86_RET)
		ret->flow = INSN_RETURN;
	if (ret->flow == INSN_JUMP || ret->flow == INSN_CALL)
		ret->target = insn.target;
}

/* A signed field of the instruction, in words, from vaddr on. */
static uint64_t words_from(uint64_t vaddr, uint32_t word, unsigned shift, unsigned bits)
{
	uint64_t field = (word >> shift) & ((1u << bits) - 1), sign = 1ULL << (bits - 1);

	return vaddr + 4 * ((field ^ sign) - sign);
}

/* Arm ARM, C4.1.65: branches, exception generating and system instructions. */
static void flow_of_arm64(const uint8_t *bytes, size_t len, uint64_t vaddr, struct insn *ret)
{
	uint32_t word;

	if (len < sizeof(word))
		return;
	memcpy(&word, bytes, sizeof(word));
	ret->len = sizeof(word);
	if ((word & 0x7c000000) == 0x14000000) { /* b, bl */
		ret->flow = word >> 31 ? INSN_CALL : INSN_JUMP;
		ret->target = words_from(vaddr, word, 0, 26);
	} else if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000) {
		ret->flow = INSN_JUMP; /* b.cond, cbz, cbnz */
		ret->target = words_from(vaddr, word, 5, 19);
	} else if ((word & 0x7e000000) == 0x36000000) { /* tbz, tbnz */
		ret->flow = INSN_JUMP;
		ret->target = words_from(vaddr, word, 5, 14);
	} else if ((word & 0xfffffc1f) == 0xd65f0000) {
		ret->flow = INSN_RETURN;
	}
}

/* ---- */

/* Control bytes have no place in it; the library makes none. */
static void put_text(const struct disassembler *d, struct insn *ret)
{
	const char *mnemonic = (const char *)d->insn + lib.mnemonic;
	const char *operands = mnemonic + CS_MNEMONIC_SIZE;
	int m = (int)strnlen(mnemonic, CS_MNEMONIC_SIZE - 1);
	int o = (int)strnlen(operands, CS_OPERANDS_SIZE - 1);

	snprintf(ret->text, sizeof(ret->text), "%.*s%s%.*s", m, mnemonic, o ? " " : "", o,
		 operands);
}

void disassembler__read(struct disassembler *d, const uint8_t *bytes, size_t len, uint64_t vaddr,
			struct insn *ret)
{
	const uint8_t *code = bytes;
	size_t left = len;
	uint64_t address = vaddr;

	*ret = (struct insn){0};
	if (d->machine == EM_X86_64 && d->is_64)
		flow_of_x86(bytes, len, vaddr, ret);
	else if (d->machine == EM_AARCH64)
		flow_of_arm64(bytes, len, vaddr, ret);
	if (d->has_text && lib.next(d->handle, &code, &left, &address, d->insn) && left < len) {
		ret->len = (uint32_t)(len - left);
		put_text(d, ret);
		return;
	}
	if (!ret->len)
		ret->len = 1;
	if (d->has_text)
		snprintf(ret->text, sizeof(ret->text), "(not known)");
}
