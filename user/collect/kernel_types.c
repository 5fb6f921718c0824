// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/kernel_types.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sys/kernel_symbols.h"

int cgroup_subsys_index(const char *controller)
{
	/* one controller goes by another name in mount options */
	_cleanup_free_ char *name =
		xasprintf("%s_cgrp_id", strcmp(controller, "blkio") == 0 ? "io" : controller);
	struct btf *btf = btf__load_vmlinux_btf();
	const struct btf_enum *e;
	const struct btf_type *t;
	int id, r = -ENOENT;

	if (!btf)
		return -errno;
	id = btf__find_by_name_kind(btf, "cgroup_subsys_id", BTF_KIND_ENUM);
	t = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;
	e = t ? btf_enum(t) : NULL;
	for (int i = 0; t && i < btf_vlen(t); i++) {
		if (strcmp(btf__name_by_offset(btf, e[i].name_off), name) == 0)
			r = e[i].val;
	}
	btf__free(btf);
	return r;
}

/* Of a variable that each CPU has, among all of them; false: none of that name. */
static bool cpu_variable(const struct btf *btf, const char *name, int64_t *ret)
{
	int id = btf__find_by_name_kind(btf, ".data..percpu", BTF_KIND_DATASEC);
	const struct btf_type *section = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;
	const struct btf_var_secinfo *vars = section ? btf_var_secinfos(section) : NULL;
	int var = btf__find_by_name_kind(btf, name, BTF_KIND_VAR);

	for (int i = 0; var > 0 && section && i < btf_vlen(section); i++) {
		if (vars[i].type == (__u32)var) {
			*ret = vars[i].offset;
			return true;
		}
	}
	return false;
}

/* In bytes; false: there is no such structure, or member. Some are in structures without a name. */
static bool member_of(const struct btf *btf, const struct btf_type *of, const char *name,
		      int64_t *ret)
{
	const struct btf_member *m = btf_members(of);

	for (__u32 i = 0; i < btf_vlen(of); i++) {
		const struct btf_type *type = btf__type_by_id(btf, m[i].type);
		const char *called = btf__name_by_offset(btf, m[i].name_off);
		int64_t at = btf_member_bit_offset(of, i) / 8, within = 0;

		if (strcmp(called, name) == 0 ||
		    (!*called && btf_is_composite(type) && member_of(btf, type, name, &within))) {
			*ret = at + within;
			return true;
		}
	}
	return false;
}

/* Until 6.1 and from 6.15 on it is a variable of its own, between them a member of one. */
static bool preempt_count(const struct btf *btf, int64_t *ret)
{
	int id = btf__find_by_name_kind(btf, "pcpu_hot", BTF_KIND_STRUCT);
	int64_t hot, within;

	if (cpu_variable(btf, "__preempt_count", ret))
		return true;
	if (id <= 0 || !cpu_variable(btf, "pcpu_hot", &hot) ||
	    !member_of(btf, btf__type_by_id(btf, (__u32)id), "preempt_count", &within))
		return false;
	*ret = hot + within;
	return true;
}

/* Debian's 5.10 has no variables of CPUs in its BTF, but symbols of them. */
static int64_t beside_by_symbols(void)
{
	static const char *const names[] = {"runqueues", "__preempt_count"};
	uint64_t at[ARRAY_SIZE(names)];

	return kernel_symbols_at(names, ARRAY_SIZE(names), at) < 0 ? 0 : (int64_t)(at[1] - at[0]);
}

int64_t preempt_count_beside_rq(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int64_t rq, count, r;

	if (btf && cpu_variable(btf, "runqueues", &rq) && preempt_count(btf, &count))
		r = count - rq;
	else
		r = beside_by_symbols();
	btf__free(btf);
	return r;
}
