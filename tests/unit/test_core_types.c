// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <bpf/btf.h>
#include <criterion/criterion.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/buf.h"
#include "base/mem.h"
#include "collect/core_types.h"

/* A kernel, whose task has two nodes, and points to an mm. */
static struct btf *a_kernel(void)
{
	struct btf *btf = btf__new_empty();
	int word = btf__add_int(btf, "long", 8, BTF_INT_SIGNED), mm, to_mm, node, nodes, kept;

	btf__add_struct(btf, "other", 8);
	btf__add_field(btf, "task", word, 0, 0);
	mm = btf__add_struct(btf, "mm", 8);
	btf__add_field(btf, "x", word, 0, 0);
	to_mm = btf__add_ptr(btf, mm);
	node = btf__add_struct(btf, "node", 8);
	btf__add_field(btf, "key", word, 0, 0);
	nodes = btf__add_array(btf, word, btf__add_typedef(btf, "node_t", node), 2);
	kept = btf__add_const(btf, nodes);
	btf__add_struct(btf, "task", 24);
	btf__add_field(btf, "mm", to_mm, 0, 0);
	btf__add_field(btf, "nodes", kept, 64, 0);
	btf__add_func_proto(btf, word);
	btf__add_enum(btf, "color", 4);
	btf__add_enum_value(btf, "RED", 7);
	return btf;
}

/* Programs that name these. */
static struct btf *programs_of(const char *const *names, size_t n)
{
	struct btf *btf = btf__new_empty();

	for (size_t i = 0; i < n; i++)
		btf__add_struct(btf, names[i], 8);
	btf__add_enum(btf, "color", 4);
	return btf;
}

/* What is left of a kernel for programs that name `name`, and its colours. */
static struct btf *selected(const char *name)
{
	struct btf *kernel = a_kernel(), *programs = programs_of(&name, 1), *few;
	struct buf buf = {0};
	const void *data;
	uint32_t size;

	data = btf__raw_data(kernel, &size);
	cr_assert(core_types__of(&buf, data, size, programs));
	few = btf__new(buf.data, (uint32_t)buf.len);
	cr_assert(few);
	buf__done(&buf);
	btf__free(kernel);
	btf__free(programs);
	return few;
}

static bool has(const struct btf *btf, const char *name, unsigned kind)
{
	return btf__find_by_name_kind(btf, name, kind) > 0;
}

static const struct btf_type *found(const struct btf *btf, const char *name, unsigned kind)
{
	return btf__type_by_id(btf, (uint32_t)btf__find_by_name_kind(btf, name, kind));
}

static void expect_member(const struct btf *btf, const struct btf_type *of, unsigned i,
			  const char *name, unsigned at, unsigned kind)
{
	const struct btf_member *m = &btf_members(of)[i];

	cr_expect_str_eq(btf__name_by_offset(btf, m->name_off), name);
	cr_expect_eq(btf_member_bit_offset(of, i), at);
	cr_expect_eq(btf_kind(btf__type_by_id(btf, m->type)), kind);
}

Test(core_types, what_is_named_and_what_lies_in_it)
{
	struct btf *few = selected("task___v2");
	const struct btf_type *task;

	cr_assert(has(few, "task", BTF_KIND_STRUCT));
	task = found(few, "task", BTF_KIND_STRUCT);
	cr_assert_eq(btf_vlen(task), 2);
	cr_expect_eq(task->size, 24);
	expect_member(few, task, 0, "mm", 0, BTF_KIND_PTR);
	expect_member(few, task, 1, "nodes", 64, BTF_KIND_CONST);
	cr_expect_eq(btf__resolve_size(few, btf_members(task)[1].type), 16);
	expect_member(few, found(few, "node", BTF_KIND_STRUCT), 0, "key", 0, BTF_KIND_INT);
	cr_expect_str_eq(
		btf__name_by_offset(few, btf_enum(found(few, "color", BTF_KIND_ENUM))->name_off),
		"RED");
	cr_expect(!has(few, "other", BTF_KIND_STRUCT));
	cr_expect(!has(few, "mm", BTF_KIND_STRUCT), "it is only pointed to");
	btf__free(few);
}

Test(core_types, what_the_kernel_lacks)
{
	struct btf *few = selected("tas");

	cr_expect(!has(few, "task", BTF_KIND_STRUCT));
	cr_expect(has(few, "color", BTF_KIND_ENUM));
	btf__free(few);
}

/* Each cut, and each word that isn't what it was, is understood or refused. */
Test(core_types, what_is_broken)
{
	static const char *const names[] = {"task", "mm"};
	struct btf *kernel = a_kernel(), *programs = programs_of(names, ARRAY_SIZE(names));
	uint32_t size, *copy;
	const void *data = btf__raw_data(kernel, &size);
	struct buf buf = {0};
	bool all;

	for (uint32_t n = 0; n < size; n++) {
		copy = xmemdup(data, n + 1);
		cr_expect(!core_types__of(&buf, copy, n, programs), "%u bytes", n);
		cr_expect_eq(buf.len, 0);
		free(copy);
	}
	all = true;
	for (uint32_t i = 0; i < size / 4; i++) {
		copy = xmemdup(data, size);
		copy[i] = 0xfffffff0;
		all &= core_types__of(&buf, copy, size, programs);
		free(copy);
	}
	cr_expect(!all);
	buf__done(&buf);
	btf__free(kernel);
	btf__free(programs);
}

/* A part of them would be as wrong as none: who opens the programs again has no path. */
Test(core_types, what_can_not_be_written_is_not_used)
{
	const char *const names[] = {"task_struct"};
	struct btf *programs = programs_of(names, 1);
	struct core_types *types = core_types__new();

	if (!core_types__path(types))
		cr_skip_test("this kernel shows no types");
	sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096});
	cr_expect_lt(core_types__fill(types, programs), 0);
	cr_expect_null(core_types__path(types));
	core_types__free(types);
	btf__free(programs);
}
