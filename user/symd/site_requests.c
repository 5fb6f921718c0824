// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/site_requests.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "symd/elf_branches.h"
#include "symd/elf_returns.h"
#include "symd/elf_usdt.h"
#include "symd/protocol.h"

static void put_called(struct buf *reply, const struct elf_called *c)
{
	symd_msg__put_text(reply, c->linker, SYMD_CALLED_BYTES);
	symd_msg__put_text(reply, c->written && strcmp(c->written, c->linker) ? c->written : NULL,
			   SYMD_CALLED_BYTES);
}

static void put_found(struct buf *reply, const struct elf_found *found)
{
	symd_msg__put_u32(reply, found->n);
	symd_msg__put_u8(reply, found->of_go);
	symd_msg__put_u8(reply, (uint8_t)found->n_called);
	for (size_t i = 0; i < found->n_called; i++)
		put_called(reply, &found->called[i]);
}

static int answer_near(struct elf_file *elf, struct cursor *body, struct buf *reply)
{
	size_t len = cursor__u16(body);
	const char *name = cursor__bytes(body, len);
	struct elf_near near;

	if (!cursor__done(body) || !len || len > SYMD_NAME_MAX)
		return -EPROTO;
	elf_near__find(elf, name, len, &near);
	symd_msg__put_u8(reply, (uint8_t)near.n);
	for (size_t i = 0; i < near.n; i++) {
		symd_msg__put_u32(reply, (uint32_t)near.distance[i]);
		put_called(reply, &near.called[i]);
	}
	elf_near__done(&near);
	return 0;
}

static int answer_site(struct elf_file *elf, struct cursor *body, struct buf *reply)
{
	uint64_t offset = cursor__u64(body);
	size_t len = cursor__u16(body);
	const char *name = cursor__bytes(body, len);
	struct elf_found found;
	struct elf_site site;

	if (!cursor__done(body) || !len || len > SYMD_NAME_MAX)
		return -EPROTO;
	elf_site__find(elf, name, len, offset, &found, &site);
	symd_msg__put_u8(reply, (uint8_t)site.status);
	put_found(reply, &found);
	symd_msg__put_u8(reply, site.emulated);
	symd_msg__put_u64(reply, site.file_off);
	elf_found__done(&found);
	return 0;
}

static void put_place(struct buf *reply, uint64_t file_off, uint8_t when, bool emulated)
{
	symd_msg__put_u64(reply, file_off);
	symd_msg__put_u8(reply, when);
	symd_msg__put_u8(reply, emulated);
}

static void put_places(struct buf *reply, enum symd_site_status status,
		       const struct elf_site *entry, const struct elf_exit *exits, uint32_t n)
{
	symd_msg__put_u8(reply, (uint8_t)status);
	symd_msg__put_u32(reply, status == SYMD_SITE_FOUND ? n + 1 : 0);
	if (status != SYMD_SITE_FOUND)
		return;
	put_place(reply, entry->file_off, 0, entry->emulated);
	for (uint32_t i = 0; i < n; i++)
		put_place(reply, exits[i].file_off, exits[i].when, exits[i].emulated);
}

static int answer_function(struct elf_file *elf, struct cursor *body, struct buf *reply)
{
	size_t len = cursor__u16(body);
	const char *name = cursor__bytes(body, len);
	struct elf_exit exits[SYMD_EXITS_MAX];
	enum symd_site_status status;
	struct elf_found found;
	struct elf_site entry;
	uint32_t n;

	if (!cursor__done(body) || !len || len > SYMD_NAME_MAX)
		return -EPROTO;
	status = elf_exits__find(elf, name, len, &found, &entry, exits, &n);
	put_places(reply, status, &entry, exits, n);
	symd_msg__put_u16(reply, entry.kept);
	symd_msg__put_u8(reply, entry.grows);
	put_found(reply, &found);
	elf_found__done(&found);
	return 0;
}

struct asked_for {
	struct elf_named names[SYMD_RETURNS_MAX];
	unsigned arguments[SYMD_RETURNS_MAX];
	size_t n;
};

static bool read_names(struct cursor *body, struct asked_for *ret)
{
	ret->n = cursor__u8(body);
	for (size_t i = 0; i < ret->n && i < SYMD_RETURNS_MAX; i++) {
		struct elf_named *named = &ret->names[i];

		ret->arguments[i] = cursor__u8(body);
		*named = (struct elf_named){.len = cursor__u16(body)};
		named->name = cursor__bytes(body, named->len);
		if (!named->name || !named->len || named->len > SYMD_NAME_MAX ||
		    ret->arguments[i] > SITE_ARGUMENTS)
			return false;
	}
	return ret->n <= SYMD_RETURNS_MAX && cursor__done(body);
}

/* Without the first of them nobody wants the others. */
static void put_each(struct elf_file *elf, const struct asked_for *asked, struct buf *reply)
{
	bool wanted = true;

	for (size_t i = 0; i < asked->n; i++) {
		const struct elf_named *named = &asked->names[i];
		enum symd_site_status status = SYMD_SITE_NO_FUNCTION;
		struct elf_site entry = {0};
		struct elf_exit exits[SYMD_EXITS_MAX];
		uint32_t n = 0;

		if (wanted)
			status = elf_returns__find(elf, named->name, named->len,
						   asked->arguments[i], &entry, exits, &n);
		wanted &= i || status == SYMD_SITE_FOUND;
		put_places(reply, status, &entry, exits, n);
	}
}

static int answer_returns(struct elf_file *elf, struct cursor *body, struct buf *reply)
{
	struct asked_for asked;

	if (!read_names(body, &asked))
		return -EPROTO;
	elf_file__look_for(elf, asked.names, asked.n);
	put_each(elf, &asked, reply);
	elf_file__look_for(elf, NULL, 0);
	return 0;
}

static int answer_usdt(struct elf_file *elf, struct cursor *body, struct buf *reply)
{
	struct usdt_site sites[SYMD_USDT_MAX];
	enum symd_site_status status;
	struct usdt_name name;
	uint32_t n;

	name.provider_len = cursor__u16(body);
	name.provider = cursor__bytes(body, name.provider_len);
	name.name_len = cursor__u16(body);
	name.name = cursor__bytes(body, name.name_len);
	if (!cursor__done(body))
		return -EPROTO;
	status = elf_usdt__find(elf, &name, sites, &n);
	symd_msg__put_u8(reply, (uint8_t)status);
	symd_msg__put_u32(reply, n);
	for (uint32_t i = 0; i < n; i++) {
		symd_msg__put_u64(reply, sites[i].file_off);
		symd_msg__put_u64(reply, sites[i].counter_off);
		symd_msg__put_u8(reply, sites[i].emulated);
	}
	return 0;
}

static int answer_branches(struct elf_file *elf, struct cursor *body, struct buf *reply)
{
	_cleanup_free_ struct elf_branches *found = xcalloc(1, sizeof(*found));
	size_t len = cursor__u16(body);
	const char *name = cursor__bytes(body, len);
	const uint64_t file_off = cursor__u64(body); /* where there is no name */
	const uint8_t class = cursor__u8(body);
	struct elf_found function;

	if (!cursor__done(body) || len > SYMD_NAME_MAX || class >= PMB_N_BLOCK_CLASSES)
		return -EPROTO;
	if (len)
		elf_branches__find(elf, name, len, class, &function, found);
	else
		elf_branches__at(elf, file_off, class, &function, found);
	symd_msg__put_u8(reply, (uint8_t)found->status);
	put_found(reply, &function);
	elf_found__done(&function);
	symd_msg__put_u64(reply, found->vaddr);
	symd_msg__put_u64(reply, found->file_off);
	symd_msg__put_u64(reply, found->size);
	symd_msg__put_u32(reply, found->jumps.n_all);
	symd_msg__put_u32(reply, found->jumps.n);
	for (uint32_t i = 0; i < found->jumps.n; i++) {
		symd_msg__put_u32(reply, found->jumps.of[i].at);
		symd_msg__put_u8(reply, found->jumps.of[i].condition);
		symd_msg__put_u8(reply, found->jumps.of[i].why);
	}
	return 0;
}

static int answer_same_code(struct elf_file *elf, int fd, struct cursor *body, struct buf *reply)
{
	uint64_t file_off = cursor__u64(body), addr = cursor__u64(body), size = cursor__u64(body);

	if (!cursor__done(body) || fd < 0)
		return -EPROTO;
	symd_msg__put_u8(reply, elf_branches__same(elf, fd, file_off, addr, size));
	return 0;
}

int site_requests__answer(uint16_t type, struct elf_file *elf, int fd, struct cursor *body,
			  struct buf *reply)
{
	if (!elf)
		return -EPROTO;
	switch (type) {
	case SYMD_SITE:
		return answer_site(elf, body, reply);
	case SYMD_FUNCTION:
		return answer_function(elf, body, reply);
	case SYMD_RETURNS:
		return answer_returns(elf, body, reply);
	case SYMD_USDT:
		return answer_usdt(elf, body, reply);
	case SYMD_BRANCHES:
		return answer_branches(elf, body, reply);
	case SYMD_NEAR:
		return answer_near(elf, body, reply);
	case SYMD_SAME_CODE:
		return answer_same_code(elf, fd, body, reply);
	default:
		return -EPROTO;
	}
}
