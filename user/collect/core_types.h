/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The types of the kernel that BPF programs name, with what lies in them, as BTF of their own.
 * libbpf looks for each name that programs have in all types that it is given: the kernel's are
 * 127,000, these are some hundreds.
 */
#ifndef PMUBPF_COLLECT_CORE_TYPES_H
#define PMUBPF_COLLECT_CORE_TYPES_H

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Adds to `ret` those of `kernel` (BTF, as the kernel shows it) whose names `programs` has. False:
 * it isn't understood, and nothing is added. */
bool core_types__of(struct buf *ret, const void *kernel, size_t size, const struct btf *programs);

struct core_types;

struct core_types *core_types__new(void);
struct core_types *core_types__free(struct core_types *types);
static inline void core_types__done(struct core_types **types)
{
	core_types__free(*types);
}
/* For objects that are opened, as btf_custom_path: a file that is filled before they are loaded.
 * NULL: libbpf has to look by itself. */
const char *core_types__path(const struct core_types *types);
/* With what those programs name; once. -errno: it can't be written, and there is no path now. */
int core_types__fill(struct core_types *types, const struct btf *programs);

/* skel = name##__open(), to be loaded with those types; NULL with errno. All instances are of the
 * same object. */
#define CORE_TYPES_OPEN(types, skel, name)                                                 \
	do {                                                                               \
		LIBBPF_OPTS(bpf_object_open_opts, with_,                                   \
			    .btf_custom_path = core_types__path(types));                   \
		(skel) = name##__open_opts(&with_);                                        \
		if ((skel) && core_types__fill(types, bpf_object__btf((skel)->obj)) < 0) { \
			name##__destroy(skel);                                             \
			(skel) = name##__open();                                           \
		}                                                                          \
	} while (0)

#endif
