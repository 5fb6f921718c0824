// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/site_requests.h"

#include <errno.h>

#include "symd/elf_returns.h"
#include "symd/elf_usdt.h"
#include "symd/protocol.h"

static int answer_site(struct elf_file *elf, struct cursor *body, struct buf *reply)
{
	uint64_t offset = cursor__u64(body);
	size_t len = cursor__u16(body);
	const char *name = cursor__bytes(body, len);
	struct elf_site site;

	if (!cursor__done(body) || !len || len > SYMD_NAME_MAX)
		return -EPROTO;
	elf_site__find(elf, name, len, offset, &site);
	symd_msg__put_u8(reply, (uint8_t)site.status);
	symd_msg__put_u8(reply, site.emulated);
	symd_msg__put_u32(reply, site.n);
	symd_msg__put_u64(reply, site.file_off);
	return 0;
}

static void put_place(struct buf *reply, uint64_t file_off, uint8_t when, bool emulated)
{
	symd_msg__put_u64(reply, file_off);
	symd_msg__put_u8(reply, when);
	symd_msg__put_u8(reply, emulated);
}

static int answer_function(struct elf_file *elf, bool returns, struct cursor *body,
			   struct buf *reply)
{
	unsigned arguments = returns ? cursor__u8(body) : 0;
	size_t len = cursor__u16(body);
	const char *name = cursor__bytes(body, len);
	struct elf_exit exits[SYMD_EXITS_MAX];
	enum symd_site_status status;
	struct elf_site entry;
	uint32_t n;

	if (!cursor__done(body) || !len || len > SYMD_NAME_MAX || arguments > SITE_ARGUMENTS)
		return -EPROTO;
	status = returns ? elf_returns__find(elf, name, len, arguments, &entry, exits, &n) :
			   elf_exits__find(elf, name, len, &entry, exits, &n);
	symd_msg__put_u8(reply, (uint8_t)status);
	symd_msg__put_u32(reply, entry.n);
	symd_msg__put_u32(reply, status == SYMD_SITE_FOUND ? n + 1 : 0);
	if (status != SYMD_SITE_FOUND)
		return 0;
	put_place(reply, entry.file_off, 0, entry.emulated);
	for (uint32_t i = 0; i < n; i++)
		put_place(reply, exits[i].file_off, exits[i].when, exits[i].emulated);
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

int site_requests__answer(uint16_t type, struct elf_file *elf, struct cursor *body,
			  struct buf *reply)
{
	if (!elf)
		return -EPROTO;
	switch (type) {
	case SYMD_SITE:
		return answer_site(elf, body, reply);
	case SYMD_FUNCTION:
	case SYMD_RETURNS:
		return answer_function(elf, type == SYMD_RETURNS, body, reply);
	case SYMD_USDT:
		return answer_usdt(elf, body, reply);
	default:
		return -EPROTO;
	}
}
