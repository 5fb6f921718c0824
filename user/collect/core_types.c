// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/core_types.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/write.h"
#include "sys/memory_file.h"

/* Of what isn't looked into. */
enum { POINTER = 1 };

struct name {
	const char *text;
	uint32_t len;
};

struct selection {
	const char *types, *strings;
	uint32_t types_len, strings_len;
	uint32_t *at; /* where each type begins, by its id; [0] is void */
	size_t n, cap;
	struct name *names; /* of programs: open addressing, a power of two of places */
	uint32_t n_places;
	uint32_t *new_ids; /* by id; 0: not taken */
	uint32_t *taken;   /* ids, in the order of the new ones after POINTER */
	size_t n_taken, taken_cap;
	struct buf new_types, new_strings;
	bool broken;
};

static void selection__done(struct selection *s)
{
	free(s->at);
	free(s->names);
	free(s->new_ids);
	free(s->taken);
	buf__done(&s->new_types);
	buf__done(&s->new_strings);
}

/* Behind struct btf_type; -1: no such kind is known. */
static int more_bytes(const struct btf_type *t)
{
	int n = btf_vlen(t);

	switch (btf_kind(t)) {
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	case BTF_KIND_INT:
		return sizeof(__u32);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return n * (int)sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return n * (int)sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return n * (int)sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return n * (int)sizeof(struct btf_param);
	case BTF_KIND_VAR:
		return sizeof(struct btf_var);
	case BTF_KIND_DATASEC:
		return n * (int)sizeof(struct btf_var_secinfo);
	case BTF_KIND_DECL_TAG:
		return sizeof(struct btf_decl_tag);
	}
	return -1;
}

/* What programs may name, and what may lie in it. */
static bool is_named_kind(const struct btf_type *t)
{
	switch (btf_kind(t)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
		return t->name_off != 0;
	}
	return false;
}

static const struct btf_type *type_at(const struct selection *s, uint32_t id)
{
	return (const struct btf_type *)(s->types + s->at[id]);
}

static bool find_parts(struct selection *s, const void *kernel, size_t size)
{
	const struct btf_header *h = kernel;
	uint64_t types, strings;

	if (size < sizeof(*h) || h->magic != BTF_MAGIC || h->hdr_len < sizeof(*h))
		return false;
	types = (uint64_t)h->hdr_len + h->type_off;
	strings = (uint64_t)h->hdr_len + h->str_off;
	if (types % 4 || types + h->type_len > size || !h->str_len || strings + h->str_len > size)
		return false;
	s->types = (const char *)kernel + types;
	s->types_len = h->type_len;
	s->strings = (const char *)kernel + strings;
	s->strings_len = h->str_len;
	return s->strings[s->strings_len - 1] == '\0';
}

/* Where the kernel's types begin. */
static bool find_types(struct selection *s)
{
	uint32_t at = 0;

	GROW(s->at, s->n, s->cap);
	s->at[s->n++] = 0;
	while (at < s->types_len) {
		const struct btf_type *t = (const struct btf_type *)(s->types + at);
		int more = s->types_len - at < sizeof(*t) ? -1 : more_bytes(t);

		if (more < 0 || s->types_len - at - sizeof(*t) < (uint32_t)more ||
		    t->name_off >= s->strings_len)
			return false;
		GROW(s->at, s->n, s->cap);
		s->at[s->n++] = at;
		at += sizeof(*t) + (uint32_t)more;
	}
	s->new_ids = xcalloc(s->n, sizeof(*s->new_ids));
	return true;
}

/* Without what tells several shapes of a type apart, as in task_struct___cpu. */
static uint32_t essential_len(const char *name)
{
	const char *sep = strstr(name, "___");

	return (uint32_t)(sep && sep > name ? (size_t)(sep - name) : strlen(name));
}

static struct name *place_of(const struct selection *s, const char *text, uint32_t len)
{
	uint32_t i = (uint32_t)hash_bytes(text, len);

	for (;; i++) {
		struct name *place = &s->names[i & (s->n_places - 1)];

		if (!place->text || (place->len == len && memcmp(place->text, text, len) == 0))
			return place;
	}
}

static void collect_names(struct selection *s, const struct btf *programs)
{
	uint32_t n = btf__type_cnt(programs);

	for (s->n_places = 64; s->n_places < 2 * n; s->n_places *= 2)
		;
	s->names = xcalloc(s->n_places, sizeof(*s->names));
	for (uint32_t id = 1; id < n; id++) {
		const struct btf_type *t = btf__type_by_id(programs, id);

		if (is_named_kind(t)) {
			const char *text = btf__name_by_offset(programs, t->name_off);
			uint32_t len = essential_len(text);

			*place_of(s, text, len) = (struct name){text, len};
		}
	}
}

/* The new id of a type that is taken. Who follows a pointer names what it points to. */
static uint32_t take(struct selection *s, uint32_t id)
{
	if (id >= s->n) {
		s->broken = true;
		return 0;
	}
	if (!id)
		return 0;
	switch (btf_kind(type_at(s, id))) {
	case BTF_KIND_PTR:
		return POINTER;
	case BTF_KIND_FUNC:
	case BTF_KIND_FUNC_PROTO:
	case BTF_KIND_VAR:
	case BTF_KIND_DATASEC:
	case BTF_KIND_DECL_TAG:
		return 0;
	}
	if (!s->new_ids[id]) {
		GROW(s->taken, s->n_taken, s->taken_cap);
		s->taken[s->n_taken++] = id;
		s->new_ids[id] = POINTER + (uint32_t)s->n_taken;
	}
	return s->new_ids[id];
}

static void take_named(struct selection *s)
{
	for (uint32_t id = 1; id < s->n; id++) {
		const struct btf_type *t = type_at(s, id);
		const char *text = s->strings + t->name_off;

		if (is_named_kind(t) && place_of(s, text, (uint32_t)strlen(text))->text)
			take(s, id);
	}
}

static uint32_t new_string(struct selection *s, uint32_t at)
{
	uint32_t new_at = (uint32_t)s->new_strings.len;

	if (!at)
		return 0;
	if (at >= s->strings_len) {
		s->broken = true;
		return 0;
	}
	buf__add(&s->new_strings, s->strings + at, strlen(s->strings + at) + 1);
	return new_at;
}

/* What it refers to is taken, too. */
static void put_type(struct selection *s, uint32_t id)
{
	const struct btf_type *from = type_at(s, id);
	size_t size = sizeof(*from) + (size_t)more_bytes(from);
	_cleanup_free_ struct btf_type *t = xmemdup(from, size);
	int n = btf_vlen(t);

	t->name_off = new_string(s, t->name_off);
	switch (btf_kind(t)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		for (int i = 0; i < n; i++) {
			btf_members(t)[i].name_off = new_string(s, btf_members(t)[i].name_off);
			btf_members(t)[i].type = take(s, btf_members(t)[i].type);
		}
		break;
	case BTF_KIND_ENUM:
		for (int i = 0; i < n; i++)
			btf_enum(t)[i].name_off = new_string(s, btf_enum(t)[i].name_off);
		break;
	case BTF_KIND_ENUM64:
		for (int i = 0; i < n; i++)
			btf_enum64(t)[i].name_off = new_string(s, btf_enum64(t)[i].name_off);
		break;
	case BTF_KIND_ARRAY:
		btf_array(t)->type = take(s, btf_array(t)->type);
		btf_array(t)->index_type = take(s, btf_array(t)->index_type);
		break;
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		t->type = take(s, t->type);
		break;
	}
	buf__add(&s->new_types, t, size);
}

static void put_all(struct selection *s, struct buf *ret)
{
	const struct btf_header h = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(h),
		.type_len = (uint32_t)s->new_types.len,
		.str_off = (uint32_t)s->new_types.len,
		.str_len = (uint32_t)s->new_strings.len,
	};

	buf__add(ret, &h, sizeof(h));
	buf__add(ret, s->new_types.data, s->new_types.len);
	buf__add(ret, s->new_strings.data, s->new_strings.len);
}

bool core_types__of(struct buf *ret, const void *kernel, size_t size, const struct btf *programs)
{
	const struct btf_type pointer = {.info = BTF_KIND_PTR << 24};
	_cleanup_(selection__done) struct selection s = {0};

	if (!find_parts(&s, kernel, size) || !find_types(&s))
		return false;
	collect_names(&s, programs);
	take_named(&s);
	buf__putc(&s.new_strings, '\0');
	buf__add(&s.new_types, &pointer, sizeof(pointer));
	for (size_t i = 0; i < s.n_taken; i++)
		put_type(&s, s.taken[i]);
	if (s.broken)
		return false;
	put_all(&s, ret);
	return true;
}

struct core_types {
	void *kernel; /* mapped */
	size_t size;
	int fd;
	bool filled;
	char path[32];
};

/* Kernels before 6.16 let it be read alone. */
static void *map_kernel(int fd, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	size_t done = 0;

	if (p != MAP_FAILED)
		return p;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	while (p != MAP_FAILED && done < size) {
		ssize_t n = read(fd, (char *)p + done, size - done);

		if (n <= 0 && !(n < 0 && errno == EINTR)) {
			munmap(p, size);
			return MAP_FAILED;
		}
		done += n > 0 ? (size_t)n : 0;
	}
	return p;
}

struct core_types *core_types__new(void)
{
	struct core_types *types = xcalloc(1, sizeof(*types));
	_cleanup_close_ int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC);
	struct stat st;

	types->kernel = MAP_FAILED;
	types->fd = -1;
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
		types->size = (size_t)st.st_size;
		types->kernel = map_kernel(fd, types->size);
	}
	if (types->kernel != MAP_FAILED)
		types->fd = memory_file__new("types");
	snprintf(types->path, sizeof(types->path), "/proc/self/fd/%d", types->fd);
	return types;
}

struct core_types *core_types__free(struct core_types *types)
{
	if (!types)
		return NULL;
	if (types->kernel != MAP_FAILED)
		munmap(types->kernel, types->size);
	cleanup_close(&types->fd);
	free(types);
	return NULL;
}

const char *core_types__path(const struct core_types *types)
{
	return types->fd >= 0 && access(types->path, R_OK) == 0 ? types->path : NULL;
}

static int write_few(const struct core_types *types, const struct btf *programs)
{
	_cleanup_(buf__done) struct buf few = {0};

	if (core_types__of(&few, types->kernel, types->size, programs))
		return write_all(types->fd, few.data, few.len);
	return write_all(types->fd, types->kernel, types->size);
}

int core_types__fill(struct core_types *types, const struct btf *programs)
{
	int r = 0;

	if (types->fd >= 0 && !types->filled)
		r = write_few(types, programs);
	if (r < 0)
		cleanup_close(&types->fd);
	types->filled = true;
	return r;
}
