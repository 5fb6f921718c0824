// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/thread_context.h"

#include <errno.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/proto.h"
#include "pmubpf/thread_context.h"
#include "symd/elf_tls.h"
#include "symd/protocol.h"
#include "symd/target_memory.h"

static const char VARIABLE[] = "otel_thread_ctx_v1";
static const char KEYS[] = "threadlocal.attribute_key_map";

enum {
	READS_MAX = 64,
	PUBLISHED_MAX = 64 * 1024, /* bytes of a process's message */
	TRIES = 3,                 /* while it is written */
	MODULES_MAX = 65536,
	NOT_AN_ADDRESS = 1 << 20, /* what is below is an offset from the thread pointer */
	RISCV_BIAS = 0x800,       /* of offsets in blocks, as its loader has them */
};

/* ---------------------------------------------------------------- where */

static uint8_t put_static(struct pmb_context_place *ret, int64_t offset)
{
	ret->kind = PMB_CONTEXT_STATIC;
	ret->offset = offset;
	return SYMD_CONTEXT_FOUND;
}

/* Before the loader has been there it isn't a module's number. */
static uint8_t put_dynamic(const struct elf_tls *tls, uint64_t module, uint64_t offset,
			   struct pmb_context_place *ret)
{
	if (tls->machine == EM_RISCV)
		offset += RISCV_BIAS;
	if (!module || module > MODULES_MAX || (tls->has_value && offset != tls->value) ||
	    offset > INT32_MAX)
		return SYMD_CONTEXT_NOT_YET;
	ret->kind = PMB_CONTEXT_DYNAMIC;
	ret->module = (uint32_t)module;
	ret->offset = (int64_t)offset;
	return SYMD_CONTEXT_FOUND;
}

/* What the loader has written: an offset below 0 (x86-64) or small, else where module and offset
 * are. */
static uint8_t by_descriptor(const struct elf_tls *tls, struct target_memory *m, uint64_t slot,
			     struct pmb_context_place *ret)
{
	uint64_t words[2], at[2];

	if (!target_memory__read(m, slot, words, sizeof(words)) || !words[0])
		return SYMD_CONTEXT_NOT_YET;
	if ((int64_t)words[1] < NOT_AN_ADDRESS)
		return put_static(ret, (int64_t)words[1]);
	if (!target_memory__read(m, words[1], at, sizeof(at)))
		return SYMD_CONTEXT_NOT_YET;
	return put_dynamic(tls, at[0], at[1], ret);
}

static uint8_t place(const struct elf_tls *tls, struct target_memory *m, uint64_t bias,
		     struct pmb_context_place *ret)
{
	uint64_t words[2] = {0};

	switch (tls->kind) {
	case ELF_TLS_NONE:
		return SYMD_CONTEXT_NONE;
	case ELF_TLS_KNOWN:
		return put_static(ret, tls->offset);
	case ELF_TLS_OFFSET:
		/* 0 is no offset of any variable: what lies there is the thread's own */
		words[0] = target_memory__word(m, bias + tls->slot);
		return words[0] ? put_static(ret, (int64_t)words[0]) : SYMD_CONTEXT_NOT_YET;
	case ELF_TLS_MODULE:
		if (!target_memory__read(m, bias + tls->slot, words, sizeof(words)))
			return SYMD_CONTEXT_NOT_YET;
		/* of a module's relocation the second word isn't this variable's */
		if (tls->has_value)
			words[1] = tls->value - (tls->machine == EM_RISCV ? RISCV_BIAS : 0);
		return put_dynamic(tls, words[0], words[1], ret);
	case ELF_TLS_DESCRIPTOR:
		return by_descriptor(tls, m, bias + tls->slot, ret);
	default:
		return SYMD_CONTEXT_UNKNOWN;
	}
}

/* ---------------------------------------------------------------- what is said of the process */

static bool field_of(const struct proto_field *message, uint64_t number, struct proto_field *ret)
{
	struct cursor c = cursor__over(message->bytes, message->len);

	while (cursor__left(&c) && proto__next(&c, ret)) {
		if (ret->number == number && ret->bytes)
			return true;
	}
	return false;
}

/* A KeyValue of that key: its AnyValue. */
static bool value_of(const struct proto_field *message, const char *key, struct proto_field *ret)
{
	struct proto_field name;

	return field_of(message, 1, &name) && name.len == strlen(key) &&
	       memcmp(name.bytes, key, name.len) == 0 && field_of(message, 2, ret);
}

/* Attributes lie in the message itself, or in one that it has. */
static bool find_value(const struct proto_field *message, const char *key, int depth,
		       struct proto_field *ret)
{
	struct cursor c = cursor__over(message->bytes, message->len);
	struct proto_field at;

	while (cursor__left(&c) && proto__next(&c, &at)) {
		if (at.bytes &&
		    (value_of(&at, key, ret) || (depth && find_value(&at, key, depth - 1, ret))))
			return true;
	}
	return false;
}

void thread_context__put_keys(const void *message, size_t len, struct buf *reply)
{
	enum { ARRAY = 5, STRING = 1 };
	struct proto_field all = {.bytes = message, .len = len}, value, array, at, text = {0};
	size_t count_at = reply->len;
	uint16_t n = 0;
	struct cursor c;

	symd_msg__put_u16(reply, 0);
	if (!find_value(&all, KEYS, 1, &value) || !field_of(&value, ARRAY, &array))
		return;
	c = cursor__over(array.bytes, array.len);
	while (n < PMB_CONTEXT_KEYS && cursor__left(&c) && proto__next(&c, &at)) {
		if (at.number != 1)
			continue;
		/* one that is no text keeps its place */
		if (!at.bytes || !field_of(&at, STRING, &text))
			text.len = 0;
		if (text.len > SYMD_CONTEXT_KEY_MAX)
			text.len = SYMD_CONTEXT_KEY_MAX;
		symd_msg__put_u16(reply, (uint16_t)text.len);
		buf__add(reply, text.bytes, text.len);
		n++;
	}
	memcpy(reply->data + count_at, &n, sizeof(n));
}

struct published {
	char signature[8];
	uint32_t version, size;
	uint64_t when, message;
};

static bool is_sane(const struct published *p)
{
	return memcmp(p->signature, "OTEL_CTX", sizeof(p->signature)) == 0 && p->version >= 1 &&
	       p->version <= 2 && p->when && p->size && p->size <= PUBLISHED_MAX;
}

/* What was published there, and was not changed meanwhile; NULL: nothing, or it is being
 * written. */
static char *read_published(struct target_memory *m, uint64_t at, size_t *ret_len)
{
	struct published before, after;

	for (int i = 0; i < TRIES; i++) {
		_cleanup_free_ char *message = NULL;

		if (!target_memory__read(m, at, &before, sizeof(before)) || !is_sane(&before))
			return NULL;
		message = xcalloc(1, before.size);
		if (target_memory__read(m, before.message, message, before.size) &&
		    target_memory__read(m, at, &after, sizeof(after)) &&
		    after.when == before.when) {
			*ret_len = before.size;
			return TAKE_PTR(message);
		}
	}
	return NULL;
}

static void put_all_keys(struct target_memory *m, const uint64_t *at, size_t n, struct buf *reply)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *message = NULL;
		size_t len;

		message = read_published(m, at[i], &len);
		if (message) {
			thread_context__put_keys(message, len, reply);
			return;
		}
	}
	symd_msg__put_u16(reply, 0);
}

int thread_context__answer(struct elf_file *elf, struct cursor *body, int mem, struct buf *reply)
{
	struct target_memory m = {.fd = mem, .reads_left = READS_MAX};
	uint64_t start = cursor__u64(body), file_off = cursor__u64(body), vaddr = 0;
	uint64_t at[SYMD_CONTEXT_PUBLISHED_MAX];
	size_t n = cursor__u8(body);
	struct pmb_context_place found = {0};
	struct elf_bytes from;
	struct elf_tls tls;
	uint8_t status;

	for (size_t i = 0; i < n && i < SYMD_CONTEXT_PUBLISHED_MAX; i++)
		at[i] = cursor__u64(body);
	if (!elf || !cursor__done(body) || n > SYMD_CONTEXT_PUBLISHED_MAX)
		return -EPROTO;
	from = elf_file__bytes(elf);
	elf_tls__find(&from, VARIABLE, &tls);
	status = tls.kind == ELF_TLS_NONE || elf_file__vaddr(elf, file_off, &vaddr) ?
			 place(&tls, &m, start - vaddr, &found) :
			 (uint8_t)SYMD_CONTEXT_UNKNOWN;
	symd_msg__put_u8(reply, status);
	symd_msg__put_u32(reply, found.kind);
	symd_msg__put_u32(reply, found.module);
	symd_msg__put_u64(reply, (uint64_t)found.offset);
	if (status == SYMD_CONTEXT_NONE)
		symd_msg__put_u16(reply, 0);
	else
		put_all_keys(&m, at, n, reply);
	return 0;
}
