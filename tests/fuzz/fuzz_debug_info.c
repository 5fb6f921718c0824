// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as sections of DWARF: for each a byte that says which, two that say how long, and so
 * many of its own. They are put into an ELF file of the target's making, so that what is mutated is
 * DWARF and not ELF.
 */
#include <elf.h>
#include <libelf.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "fuzz.h"
#include "model/type_layout.h"
#include "symd/debug_info.h"
#include "symd/elf_symbols.h"

static const char *const names[] = {".debug_info",        ".debug_abbrev",   ".debug_line",
				    ".debug_str",         ".debug_ranges",   ".debug_line_str",
				    ".debug_rnglists",    ".debug_addr",     ".debug_aranges",
				    ".debug_str_offsets", ".debug_loclists", ".debug_loc",
				    ".debug_types"};
enum { N = ARRAY_SIZE(names) };

struct section {
	const uint8_t *bytes;
	size_t len;
};

static void split(struct section *sections, const uint8_t *data, size_t len)
{
	while (len >= 3) {
		struct section *s = &sections[data[0] % N];

		s->len = data[1] | (size_t)data[2] << 8;
		s->bytes = data + 3;
		if (s->len > len - 3)
			s->len = len - 3;
		len -= 3 + s->len;
		data = s->bytes + s->len;
	}
}

static void compose(struct buf *file, const struct section *sections)
{
	Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				       EV_CURRENT},
			   .e_type = ET_EXEC,
			   .e_machine = EM_X86_64,
			   .e_version = EV_CURRENT,
			   .e_ehsize = sizeof(head),
			   .e_shentsize = sizeof(Elf64_Shdr),
			   .e_shnum = N + 2,
			   .e_shstrndx = N + 1};
	Elf64_Shdr headers[N + 2] = {0};
	struct buf strings = {0};

	buf__add(file, &head, sizeof(head));
	buf__putc(&strings, '\0');
	for (size_t i = 0; i < N; i++) {
		headers[i + 1] = (Elf64_Shdr){.sh_name = (Elf64_Word)strings.len,
					      .sh_type = SHT_PROGBITS,
					      .sh_offset = file->len,
					      .sh_size = sections[i].len,
					      .sh_addralign = 1};
		buf__add(&strings, names[i], strlen(names[i]) + 1);
		buf__add(file, sections[i].bytes, sections[i].len);
	}
	headers[N + 1] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
				      .sh_offset = file->len,
				      .sh_size = strings.len,
				      .sh_addralign = 1};
	buf__add(file, strings.data, strings.len);
	while (file->len % 8)
		buf__putc(file, '\0');
	head.e_shoff = file->len;
	memcpy(file->data, &head, sizeof(head));
	buf__add(file, headers, sizeof(headers));
	buf__done(&strings);
}

/* What the helper says of a type passes with those who take it. */
static void look_at_layout(bool (*ask)(struct debug_info *d, uint64_t where, struct buf *ret),
			   struct debug_info *d, uint64_t where)
{
	struct type_layout layout;
	struct buf text = {0};

	if (ask(d, where, &text)) {
		if (!type_layout__parse(&layout, text.data, text.len))
			abort();
		type_layout__done(&layout);
	}
	buf__done(&text);
}

/* Variables in the frame: with their entries they are found again. */
static void look_at_frames(struct debug_info *d, uint64_t vaddr)
{
	struct data_part part = {0};

	for (int64_t at = -64; at < 64; at += 5) {
		const struct frame_place place = {.at = at, .by = {0, -40, -16}};
		const struct frame_slot *slot =
			debug_info__frame_variable(d, vaddr, &place, (uint64_t)at % 9);

		if (!slot)
			continue;
		if (!slot->size || vaddr < slot->lo || vaddr >= slot->hi)
			abort();
		debug_info__object(d, slot->variable, 0, &part);
	}
	data_part__done(&part);
}

/* What registers point to, and what lies there. */
static void look_at_objects(struct debug_info *d)
{
	struct data_part part = {0};
	struct pointee found;

	for (uint64_t vaddr = 0x400000; vaddr < 0x400400; vaddr += 7) {
		look_at_frames(d, vaddr);
		for (unsigned reg = 0; reg < 16; reg++) {
			if (!debug_info__pointee(d, vaddr, reg, &found))
				continue;
			if (!found.size || found.size > INT32_MAX)
				abort();
			if (debug_info__object(d, found.type, vaddr % found.size, &part) &&
			    (!part.type.len || part.type.len > 1 << 16))
				abort();
		}
	}
	for (uint64_t type = 0; type < 0x400; type++) {
		debug_info__object(d, type, 8, &part);
		look_at_layout(debug_info__object_layout, d, type);
	}
	data_part__done(&part);
}

static void look(Elf *elf)
{
	static struct debug_frame frames[DEBUG_INFO_FRAMES];
	struct debug_info *d = debug_info__open(elf);
	struct data_part part = {0};

	for (uint64_t vaddr = 0x400000; d && vaddr < 0x400400; vaddr += 0x17) {
		size_t n = debug_info__find(d, vaddr, frames);

		if (n > DEBUG_INFO_FRAMES)
			abort();
		for (size_t i = 0; i < n; i++) {
			if ((frames[i].name && strlen(frames[i].name) > 1 << 20) ||
			    (frames[i].file && strlen(frames[i].file) > 1 << 20))
				abort();
		}
	}
	for (uint64_t vaddr = 0x400000; d && vaddr < 0x400400; vaddr += 0x17) {
		if (debug_info__data(d, vaddr, &part) &&
		    (!part.type.len || part.type.len > 1 << 16))
			abort();
		look_at_layout(debug_info__layout, d, vaddr);
	}
	data_part__done(&part);
	if (d)
		look_at_objects(d);
	debug_info__free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct section sections[N] = {{0}};
	struct buf file = {0};
	Elf *elf;

	elf_version(EV_CURRENT);
	split(sections, data, len);
	compose(&file, sections);
	elf = elf_memory(file.data, file.len);
	if (elf && elf_sections__sane(elf) && debug_info__exists(elf))
		look(elf);
	elf_end(elf);
	buf__done(&file);
	return 0;
}
