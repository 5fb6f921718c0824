// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/cfi_entry.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

enum {
	/* A hostile file could make every FDE run a long one; real ones have a dozen bytes. */
	CIE_PROGRAM_MAX = 1024,
	HEADER_MAX = 4 + 8 + 8, /* of an entry: its length, and where its CIE is */
	POINTER_FORM = 0x0f,
	POINTER_BASE = 0x70,
};

static struct cursor cursor_at(const struct cfi_section *s, size_t at)
{
	return cursor__over(s->data + at, s->len - at);
}

static void need(const struct cfi_section *s, size_t at, size_t len)
{
	if (s->paged)
		paged__load(s->paged, at, len);
}

/* How far back (.eh_frame, from the field on) or where (.debug_frame) the CIE is. */
static void read_id(const struct cfi_section *s, struct cursor *c, bool wide, struct cfi_entry *ret)
{
	size_t field = (size_t)(c->pos - s->data);
	uint64_t id = wide ? cursor__u64(c) : cursor__u32(c);

	if (s->is_debug) {
		ret->is_cie = id == (wide ? UINT64_MAX : UINT32_MAX);
		ret->cie_at = id < s->len ? (size_t)id : SIZE_MAX;
	} else {
		ret->is_cie = id == 0;
		ret->cie_at = id <= field ? field - (size_t)id : SIZE_MAX;
	}
}

int cfi_entry__read(const struct cfi_section *s, size_t at, struct cfi_entry *ret)
{
	struct cursor c;
	uint64_t len;
	bool wide;

	if (at > s->len || s->len - at < 4)
		return 0;
	need(s, at, HEADER_MAX);
	c = cursor_at(s, at);
	len = cursor__u32(&c);
	if (!len)
		return 0;
	wide = len == UINT32_MAX;
	if (wide)
		len = cursor__u64(&c);
	else if (len >= 0xfffffff0)
		return -EINVAL;
	if (!cursor__ok(&c) || len > cursor__left(&c))
		return -EINVAL;
	ret->at = at;
	ret->next = (size_t)(c.pos - s->data) + (size_t)len;
	need(s, at, ret->next - at);
	c.end = c.pos + len;
	read_id(s, &c, wide, ret);
	ret->body = c;
	return 1;
}

/* Linkers leave terminators in the middle: there's more behind. */
int cfi_entry__next(const struct cfi_section *s, size_t at, struct cfi_entry *ret)
{
	static const uint8_t terminator[4];

	while (!s->is_open && s->len >= 4 && at <= s->len - 4) {
		need(s, at, sizeof(terminator));
		if (memcmp(s->data + at, terminator, sizeof(terminator)) != 0)
			break;
		at += sizeof(terminator);
	}
	return cfi_entry__read(s, at, ret);
}

/* A zero is a null pointer in whatever encoding. */
bool cfi_pointer__read(const struct cfi_section *s, struct cursor *c, uint8_t encoding,
		       uint64_t *ret)
{
	uint64_t field = s->vaddr + (uint64_t)(c->pos - s->data), value;

	switch (encoding & POINTER_FORM) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		value = cursor__u64(c);
		break;
	case DW_EH_PE_uleb128:
		value = cursor__uleb(c);
		break;
	case DW_EH_PE_sleb128:
		value = (uint64_t)cursor__sleb(c);
		break;
	case DW_EH_PE_udata2:
		value = cursor__u16(c);
		break;
	case DW_EH_PE_sdata2:
		value = (uint64_t)(int16_t)cursor__u16(c);
		break;
	case DW_EH_PE_udata4:
		value = cursor__u32(c);
		break;
	case DW_EH_PE_sdata4:
		value = (uint64_t)(int32_t)cursor__u32(c);
		break;
	default:
		return false;
	}
	if (encoding & DW_EH_PE_indirect)
		return false;
	if ((encoding & POINTER_BASE) == DW_EH_PE_pcrel && value)
		value += field;
	else if ((encoding & POINTER_BASE) == DW_EH_PE_datarel && s->data_base && value)
		value += s->data_base;
	else if ((encoding & POINTER_BASE) != DW_EH_PE_absptr && value)
		return false;
	*ret = value;
	return cursor__ok(c);
}

static bool skip_pointer(const struct cfi_section *s, struct cursor *c)
{
	uint8_t encoding = cursor__u8(c);
	uint64_t unused;

	if (encoding == DW_EH_PE_omit)
		return true;
	if ((encoding & POINTER_BASE) == DW_EH_PE_aligned)
		return false;
	/* only its size matters */
	return cfi_pointer__read(s, c, encoding & POINTER_FORM, &unused);
}

/* What the letters stand for. Of an unknown one, even the place of the next letter's data is
 * unknown. */
static bool read_augmentation(const struct cfi_section *s, struct cursor *c, const char *letters,
			      struct cfi_cie *cie)
{
	if (!*letters)
		return true;
	if (*letters++ != 'z')
		return false;
	cie->sized = true;
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			cie->encoding = cursor__u8(c);
			break;
		case 'P':
			if (!skip_pointer(s, c))
				return false;
			break;
		case 'L':
			cursor__u8(c);
			break;
		case 'S':
			cie->is_signal = true;
			break;
		case 'B': /* arm64: signed with the other key */
		case 'G': /* arm64: tagged stack */
			break;
		default:
			return false;
		}
	}
	return cursor__ok(c);
}

static uint32_t read_ra_column(struct cursor *c, uint8_t version)
{
	uint64_t column = version == 1 ? cursor__u8(c) : cursor__uleb(c);

	if (column > UINT32_MAX)
		c->bad = true;
	return (uint32_t)column;
}

/* Reads what stands between the augmentation's letters and its data. */
static void read_factors(struct cursor *c, uint8_t version, struct cfi_cie *cie)
{
	if (version >= 4) {
		uint8_t address_size = cursor__u8(c), segment_size = cursor__u8(c);

		if (address_size != 8 || segment_size)
			c->bad = true;
	}
	cie->code_factor = cursor__uleb(c);
	cie->data_factor = cursor__sleb(c);
	cie->ra_column = read_ra_column(c, version);
}

bool cfi_cie__read(const struct cfi_section *s, size_t at, struct cfi_cie *ret)
{
	struct cfi_entry entry;
	struct cursor c, data;
	const char *letters;
	uint8_t version;

	*ret = (struct cfi_cie){.at = at, .encoding = DW_EH_PE_absptr};
	if (cfi_entry__read(s, at, &entry) <= 0 || !entry.is_cie)
		return false;
	c = entry.body;
	version = cursor__u8(&c);
	letters = cursor__string(&c);
	if (!letters || (version != 1 && version != 3 && (version != 4 || !s->is_debug)))
		return false;
	read_factors(&c, version, ret);
	data = c;
	if (*letters == 'z') {
		size_t len = cursor__uleb(&c);
		const void *bytes = cursor__bytes(&c, len);

		if (!bytes)
			return false;
		data = cursor__over(bytes, len);
	}
	if (!read_augmentation(s, &data, letters, ret) || cursor__left(&c) > CIE_PROGRAM_MAX)
		return false;
	ret->program = c;
	return cursor__ok(&c);
}

bool cfi_fde__read(const struct cfi_section *s, const struct cfi_entry *entry,
		   const struct cfi_cie *cie, struct cfi_fde *ret)
{
	struct cursor c = entry->body;
	uint64_t size;

	if (!cfi_pointer__read(s, &c, cie->encoding, &ret->start) ||
	    !cfi_pointer__read(s, &c, cie->encoding & POINTER_FORM, &size) ||
	    __builtin_add_overflow(ret->start, size, &ret->end))
		return false;
	if (cie->sized)
		cursor__skip(&c, cursor__uleb(&c));
	ret->program = c;
	return cursor__ok(&c);
}
