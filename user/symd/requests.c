// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/requests.h"

#include <errno.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/write.h"
#include "pmubpf/object_place.h"
#include "sym/reason.h"
#include "symd/demangle.h"
#include "symd/elf_cfi.h"
#include "symd/elf_listing.h"
#include "symd/elf_place.h"
#include "symd/site_requests.h"
#include "symd/hotspot.h"
#include "symd/jit_file.h"
#include "symd/jitdump.h"
#include "symd/perf_map.h"
#include "symd/protocol.h"
#include "symd/thread_context.h"
#include "symd/turn.h"

static void requests__close(struct requests *s)
{
	s->elf = elf_file__free(s->elf);
	s->jit = jit_file__free(s->jit);
	answerer__close(&s->answerer);
}

static void put_identity(struct buf *b, const struct elf_identity *id)
{
	size_t build_id_len = id->build_id_len <= SYMD_BUILD_ID_MAX ? id->build_id_len : 0;
	size_t link_len = id->link ? strnlen(id->link, SYMD_LINK_MAX + 1) : 0;

	if (link_len > SYMD_LINK_MAX)
		link_len = 0;
	symd_msg__put_u8(b, id->has_symtab);
	symd_msg__put_u8(b, id->has_debug_info);
	symd_msg__put_u8(b, (uint8_t)build_id_len);
	buf__add(b, id->build_id, build_id_len);
	symd_msg__put_u16(b, (uint16_t)link_len);
	buf__add(b, id->link, link_len);
	symd_msg__put_u32(b, id->link_crc);
}

static int requests__open_elf(struct requests *s, int *fd)
{
	struct elf_identity id = {0};
	int r;

	requests__close(s);
	r = elf_file__open(TAKE_FD(*fd), &s->elf);
	if (r == 0)
		elf_file__identity(s->elf, &id);
	symd_msg__put_u8(&s->reply, r == 0 ? SYM_NAMED : SYM_BAD_FILE);
	put_identity(&s->reply, &id);
	return 0;
}

static int requests__add_debug(struct requests *s, int *fd)
{
	if (!s->elf)
		return -EPROTO;
	symd_msg__put_u8(&s->reply, elf_file__add_debug(s->elf, TAKE_FD(*fd)));
	return 0;
}

static int requests__open_jit(struct requests *s, uint16_t type, int *fd)
{
	jit_offer_fn offer = type == SYMD_OPEN_JITDUMP ? jitdump__offer : perf_map__offer;
	int r;

	requests__close(s);
	r = jit_file__open(TAKE_FD(*fd), offer, &s->jit);
	s->answerer.in_parts = type == SYMD_OPEN_CODE_MAP;
	symd_msg__put_u8(&s->reply, r == 0 ? SYM_NAMED : SYM_NO_PERF_MAP);
	return 0;
}

/* What is asked for at a time is looked for in one go, where an answer that isn't there yet is
 * needed. */
static void look_for(struct requests *s, const uint64_t *offsets, size_t n)
{
	uint64_t vaddrs[ASKED_MAX], first;
	size_t found = 0;

	if (!elf_file__vaddr(s->elf, offsets[0], &first) || elf_file__asked(s->elf, first))
		return;
	for (size_t i = 0; i < n && i < ASKED_MAX; i++)
		found += elf_file__vaddr(s->elf, offsets[i], &vaddrs[found]);
	elf_file__ask(s->elf, vaddrs, found);
}

static void lookup_one(struct requests *s, const uint64_t *offsets, size_t n, bool block)
{
	if (s->jit) {
		if (!jit_file__asked(s->jit, offsets[0]))
			jit_file__ask(s->jit, offsets, n);
		answerer__jit(&s->answerer, s->jit, offsets[0], &s->reply);
		return;
	}
	look_for(s, offsets, n);
	answerer__elf(&s->answerer, s->elf, offsets[0], block, &s->reply);
}

/* Takes marks off, which says what they were. Places in code of a JIT have none: their bits mean
 * other things. */
static void take_marks(uint64_t *offsets, bool *marked, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		marked[i] = !(offsets[i] & DATA_PLACE_MARK) && (offsets[i] & SYMD_BLOCK_MARK);
		if (marked[i])
			offsets[i] &= ~SYMD_BLOCK_MARK;
	}
}

static int requests__lookup(struct requests *s, struct cursor *body)
{
	uint32_t wanted = cursor__u32(body), n = cursor__u32(body), done;
	uint64_t end = turn__end(), offsets[SYMD_LOOKUP_MAX];
	size_t count_at = s->reply.len, before;
	bool marked[SYMD_LOOKUP_MAX] = {false};

	if ((!s->elf && !s->jit) || !n || n > SYMD_LOOKUP_MAX ||
	    cursor__left(body) != n * sizeof(uint64_t))
		return -EPROTO;
	memcpy(offsets, cursor__bytes(body, n * sizeof(uint64_t)), n * sizeof(uint64_t));
	if (s->elf)
		take_marks(offsets, marked, n);
	s->answerer.wanted = wanted;
	symd_msg__put_u32(&s->reply, 0);
	for (done = 0; done < n; done++) {
		before = s->reply.len;
		lookup_one(s, offsets + done, n - done,
			   marked[done] && (wanted & SYMD_WANT_BLOCKS));
		if (s->reply.len > SYMD_MSG_MAX) {
			s->reply.len = before;
			break;
		}
		if (wanted && turn__is_over(end))
			n = done + 1;
	}
	symd_msg__set_u32(&s->reply, count_at, done);
	return 0;
}

static void put_place(struct buf *b, const struct pmb_place *place)
{
	symd_msg__put_u8(b, place->finding);
	symd_msg__put_u8(b, place->len);
	symd_msg__put_u8(b, place->described);
	symd_msg__put_u8(b, place->n);
	for (int i = 0; i < place->n; i++) {
		const struct pmb_operand *o = &place->operands[i];

		symd_msg__put_u8(b, o->base);
		symd_msg__put_u8(b, o->index);
		symd_msg__put_u8(b, o->scale);
		symd_msg__put_u8(b, o->segment);
		symd_msg__put_u8(b, o->flags);
		symd_msg__put_u16(b, o->size);
		symd_msg__put_u32(b, (uint32_t)o->insn);
		symd_msg__put_u64(b, (uint64_t)o->disp);
		symd_msg__put_u8(b, o->object);
		symd_msg__put_u32(b, o->type);
		symd_msg__put_u32(b, o->every);
		symd_msg__put_u32(b, o->at);
		symd_msg__put_u64(b, (uint64_t)o->start);
	}
}

static int requests__places(struct requests *s, struct cursor *body)
{
	enum { PLACE_MOST = 4 + 40 * PMB_PLACE_OPERANDS };
	uint8_t skid = cursor__u8(body), types = cursor__u8(body);
	uint32_t n = cursor__u32(body), done = 0;
	uint64_t end = turn__end();
	size_t count_at = s->reply.len;
	struct elf_objects *objects;

	if (!s->elf || !n || n > SYMD_LOOKUP_MAX || skid >= PMB_N_SKIDS ||
	    cursor__left(body) != n * sizeof(uint64_t))
		return -EPROTO;
	objects = types ? elf_objects__new(s->elf) : NULL;
	symd_msg__put_u32(&s->reply, 0);
	while (done < n && s->reply.len + PLACE_MOST <= SYMD_MSG_MAX) {
		struct pmb_place place;

		elf_place__find(s->elf, objects, cursor__u64(body), skid, &place);
		put_place(&s->reply, &place);
		done++;
		if (turn__is_over(end))
			break;
	}
	symd_msg__set_u32(&s->reply, count_at, done);
	elf_objects__free(objects);
	return 0;
}

static int requests__layout(struct requests *s, struct cursor *body)
{
	uint64_t offset = cursor__u64(body), vaddr;
	_cleanup_(buf__done) struct buf text = {0};
	struct debug_info *info;

	if (!s->elf || !cursor__done(body) || !(offset & DATA_PLACE_MARK))
		return -EPROTO;
	info = elf_file__debug_info(s->elf);
	if (info && is_object_place(offset))
		debug_info__object_layout(info, object_place_entry(offset), &text);
	else if (info && elf_file__vaddr(s->elf, offset, &vaddr))
		debug_info__layout(info, vaddr, &text);
	symd_msg__put_u16(&s->reply, (uint16_t)text.len);
	buf__add(&s->reply, text.data, text.len);
	return 0;
}

static void put_demangled(struct buf *reply, const char *name, size_t len)
{
	_cleanup_(buf__done) struct buf text = {0};
	bool other;

	demangle(name, len, &text);
	other = text.len <= SYMD_NAME_MAX && (text.len != len || memcmp(text.data, name, len) != 0);
	symd_msg__put_u16(reply, other ? (uint16_t)text.len : 0);
	buf__add(reply, text.data, other ? text.len : 0);
}

static int requests__demangle(struct requests *s, struct cursor *body)
{
	uint32_t n = cursor__u32(body), done;
	uint64_t end = turn__end();
	size_t count_at = s->reply.len, before;

	if (!n)
		return -EPROTO;
	symd_msg__put_u32(&s->reply, 0);
	for (done = 0; done < n; done++) {
		size_t len = cursor__u16(body);
		const char *name = cursor__bytes(body, len);

		if (!cursor__ok(body) || len > SYMD_NAME_MAX)
			return -EPROTO;
		before = s->reply.len;
		put_demangled(&s->reply, name, len);
		if (s->reply.len > SYMD_MSG_MAX) {
			s->reply.len = before;
			break;
		}
		if (turn__is_over(end))
			n = done + 1;
	}
	symd_msg__set_u32(&s->reply, count_at, done);
	return 0;
}

static int requests__objects(struct requests *s, struct cursor *body)
{
	uint32_t n = cursor__u32(body), done;
	size_t count_at = s->reply.len, before;

	if (!n || n > SYMD_LOOKUP_MAX)
		return -EPROTO;
	symd_msg__put_u32(&s->reply, 0);
	for (done = 0; done < n; done++) {
		uint32_t position = cursor__u32(body);
		size_t len = cursor__u16(body);
		const void *object = cursor__bytes(body, len);

		if (!cursor__ok(body) || len > SYMD_OBJECT_MAX)
			return -EPROTO;
		before = s->reply.len;
		answer__object(object, len, position, &s->reply);
		if (s->reply.len > SYMD_MSG_MAX) {
			s->reply.len = before;
			break;
		}
	}
	symd_msg__set_u32(&s->reply, count_at, done);
	return 0;
}

static enum symd_table_status table_status(int err)
{
	switch (err) {
	case 0:
		return SYMD_TABLE_BUILT;
	case -ENOTSUP:
		return SYMD_TABLE_OTHER_MACHINE;
	case -EFBIG:
		return SYMD_TABLE_TOO_LARGE;
	case -EDOM:
		return SYMD_TABLE_LARGE;
	default:
		return SYMD_TABLE_BAD_FILE;
	}
}

/* The file at hand makes way. Only what was learnt by going through all of a file's code is worth a
 * place. */
static void put_aside(struct requests *s)
{
	const size_t last = ARRAY_SIZE(s->kept) - 1;

	if (!s->tables_of || !elf_cfi__rest(s->tables_of)) {
		s->tables_of = elf_cfi__free(s->tables_of);
		return;
	}
	elf_cfi__free(s->kept[last]);
	memmove(&s->kept[1], &s->kept[0], last * sizeof(s->kept[0]));
	s->kept[0] = TAKE_PTR(s->tables_of);
}

/* 0; -EDOM: it is larger; another negative errno. Looked at each time, for a file may grow. */
static int requests__open_tables(struct requests *s, int *fd, uint64_t most)
{
	struct elf_cfi *found = NULL;
	struct stat st;

	if (fstat(*fd, &st) == 0 && (uint64_t)st.st_size > most)
		return -EDOM;
	if (s->tables_of && elf_cfi__is_of(s->tables_of, *fd))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(s->kept) && !found; i++) {
		if (s->kept[i] && elf_cfi__is_of(s->kept[i], *fd))
			found = TAKE_PTR(s->kept[i]);
	}
	put_aside(s);
	s->tables_of = found;
	return found ? 0 : elf_cfi__open(TAKE_FD(*fd), true, &s->tables_of);
}

static enum symd_table_status write_table(struct elf_cfi *file, struct cfi_table *t, int into)
{
	struct pmb_runtime runtime = {0};
	struct pmb_table_head head;
	int r = cfi_table__finish(t, &head);

	if (r < 0)
		return table_status(r);
	head.has_runtime = elf_cfi__runtime(file, &runtime);
	r = cfi_table__write(t, &head, &runtime, into);
	return r < 0 ? SYMD_TABLE_NO_MEMORY : SYMD_TABLE_BUILT;
}

static int requests__build_table(struct requests *s, struct cursor *body, int *fd)
{
	uint64_t from = cursor__u64(body), to = cursor__u64(body), most = cursor__u64(body);
	enum symd_table_status status;
	struct cfi_table t;
	int r;

	if (!cursor__done(body) || from > to)
		return -EPROTO;
	cfi_table__init(&t);
	r = requests__open_tables(s, fd, most);
	if (r == 0 && from < to)
		r = elf_cfi__build(s->tables_of, from, to, &t);
	status = r < 0 ? table_status(r) : write_table(s->tables_of, &t, s->into);
	cfi_table__done(&t);
	if (s->tables_of && !elf_cfi__more(s->tables_of))
		s->tables_of = elf_cfi__free(s->tables_of);
	symd_msg__put_u8(&s->reply, (uint8_t)status);
	return 0;
}

static void requests__forget(struct requests *s, int fd)
{
	if (s->tables_of && elf_cfi__is_of(s->tables_of, fd))
		s->tables_of = elf_cfi__free(s->tables_of);
	for (size_t i = 0; i < ARRAY_SIZE(s->kept); i++) {
		if (s->kept[i] && elf_cfi__is_of(s->kept[i], fd))
			s->kept[i] = elf_cfi__free(s->kept[i]);
	}
}

static int write_code_table(const struct hotspot *h, int into)
{
	struct pmb_table_head head;
	struct cfi_table t;
	int r;

	cfi_table__init(&t);
	r = hotspot__table(h, &t);
	if (r == 0)
		r = cfi_table__finish(&t, &head);
	if (r == 0)
		r = cfi_table__write(&t, &head, NULL, into);
	cfi_table__done(&t);
	return r;
}

static int requests__read_code(struct requests *s, struct cursor *body, int fd)
{
	bool only_places = cursor__u8(body);
	uint64_t structs = cursor__u64(body), types = cursor__u64(body), from, to;
	uint64_t places[SYMD_PLACES_MAX];
	const struct hotspot_place place = {structs, types};
	uint8_t status = SYMD_CODE_SAME;
	const char *missing = NULL, *text;
	size_t size = cursor__left(body);
	bool changed = false;

	if (size % sizeof(*places) || size > sizeof(places))
		return -EPROTO;
	memcpy(places, cursor__bytes(body, size), size);
	if (!cursor__done(body))
		return -EPROTO;
	if (!s->hotspot)
		s->hotspot = hotspot__new();
	if (!only_places)
		missing = hotspot__read(s->hotspot, fd, &place, &changed);
	text = missing ? missing : hotspot__release(s->hotspot);
	if (!missing && hotspot__name_places(s->hotspot, fd, places, size / sizeof(*places)))
		status = SYMD_CODE_NAMED;
	if (missing)
		status = *missing ? SYMD_CODE_UNKNOWN : SYMD_CODE_NOT_YET;
	else if (changed && write_code_table(s->hotspot, s->into) < 0)
		status = SYMD_CODE_NO_MEMORY;
	else if (changed)
		status = SYMD_CODE_READ;
	hotspot__span(s->hotspot, &from, &to);
	symd_msg__put_u8(&s->reply, status);
	symd_msg__put_u64(&s->reply, from);
	symd_msg__put_u64(&s->reply, to);
	symd_msg__put_u16(&s->reply, (uint16_t)strlen(text));
	buf__puts(&s->reply, text);
	return 0;
}

static int requests__code_names(struct requests *s)
{
	const struct buf *names, *places;
	int r;

	if (!s->hotspot)
		return 0;
	names = hotspot__names(s->hotspot);
	places = hotspot__places(s->hotspot);
	r = write_all(s->into, names->data, names->len);
	return r < 0 ? r : write_all(s->into, places->data, places->len);
}

static bool needs_no_file(uint16_t type)
{
	return type == SYMD_LOOKUP || type == SYMD_CLOSE || type == SYMD_DEMANGLE ||
	       type == SYMD_PLACES || type == SYMD_OBJECTS || type == SYMD_LAYOUT ||
	       type == SYMD_SITE || type == SYMD_USDT || type == SYMD_FUNCTION ||
	       type == SYMD_RETURNS || type == SYMD_CODE_NAMES || type == SYMD_LISTING ||
	       type == SYMD_BRANCHES || type == SYMD_NEAR;
}

static int requests__into(struct requests *s, int *fd)
{
	cleanup_close(&s->into);
	s->into = TAKE_FD(*fd);
	return 0;
}

/* What is too much for a reply. */
static int requests__write(struct requests *s, uint16_t type, struct cursor *body, int *fd)
{
	int r;

	if (s->into < 0)
		return -EPROTO;
	r = type == SYMD_BUILD_TABLE ? requests__build_table(s, body, fd) :
	    type == SYMD_READ_CODE   ? requests__read_code(s, body, *fd) :
				       requests__code_names(s);
	cleanup_close(&s->into);
	s->into = -1;
	return r;
}

/* How to unwind, what else comes with a descriptor, and where probes go. */
static int requests__others(struct requests *s, uint16_t type, struct cursor *body, int *fd)
{
	switch (type) {
	case SYMD_INTO:
		return requests__into(s, fd);
	case SYMD_BUILD_TABLE:
	case SYMD_READ_CODE:
	case SYMD_CODE_NAMES:
		return requests__write(s, type, body, fd);
	case SYMD_CONTEXT:
		return thread_context__answer(s->elf, body, *fd, &s->reply);
	case SYMD_FORGET:
		requests__forget(s, *fd);
		return 0;
	default:
		return site_requests__answer(type, s->elf, *fd, body, &s->reply);
	}
}

void requests__init(struct requests *s)
{
	*s = (struct requests){.into = -1};
}

int requests__handle(struct requests *s, const void *data, size_t len, int *fd)
{
	struct symd_header header;
	struct cursor body;
	int r = symd_msg__parse(data, len, &header, &body);

	if (r < 0)
		return r;
	if (needs_no_file(header.type) != (*fd < 0))
		return -EPROTO;
	symd_msg__begin(&s->reply, header.type, header.seq);
	switch (header.type) {
	case SYMD_OPEN_ELF:
		r = requests__open_elf(s, fd);
		break;
	case SYMD_ADD_DEBUG:
		r = requests__add_debug(s, fd);
		break;
	case SYMD_OPEN_PERF_MAP:
	case SYMD_OPEN_JITDUMP:
	case SYMD_OPEN_CODE_MAP:
		r = requests__open_jit(s, header.type, fd);
		break;
	case SYMD_CLOSE:
		requests__close(s);
		break;
	case SYMD_LOOKUP:
		r = requests__lookup(s, &body);
		break;
	case SYMD_DEMANGLE:
		r = requests__demangle(s, &body);
		break;
	case SYMD_PLACES:
		r = requests__places(s, &body);
		break;
	case SYMD_OBJECTS:
		r = requests__objects(s, &body);
		break;
	case SYMD_LAYOUT:
		r = requests__layout(s, &body);
		break;
	case SYMD_LISTING:
		r = s->jit ? jit_listing__answer(s->jit, &body, &s->reply) :
			     elf_listing__answer(s->elf, &body, &s->reply);
		break;
	default:
		r = requests__others(s, header.type, &body, fd);
	}
	if (r < 0)
		return r;
	s->silent = header.type == SYMD_FORGET || header.type == SYMD_INTO;
	symd_msg__end(&s->reply);
	return 0;
}

void requests__done(struct requests *s)
{
	requests__close(s);
	s->tables_of = elf_cfi__free(s->tables_of);
	for (size_t i = 0; i < ARRAY_SIZE(s->kept); i++)
		s->kept[i] = elf_cfi__free(s->kept[i]);
	s->hotspot = hotspot__free(s->hotspot);
	cleanup_close(&s->into);
	buf__done(&s->reply);
	answerer__done(&s->answerer);
}
