/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What happened to a task, as perf's side-band records tell it. tgid and tid, never "pid". */
#ifndef PMUBPF_PROC_LIFE_H
#define PMUBPF_PROC_LIFE_H

#include <stdint.h>

enum life_kind {
	LIFE_FORK, /* tgid, tid: the child; parent_tgid; a thread when tgid == parent_tgid */
	LIFE_EXIT, /* one thread */
	LIFE_EXEC, /* all mappings are gone; those of the new program follow */
	LIFE_MMAP, /* an executable mapping */
};

struct life {
	enum life_kind kind;
	uint32_t tgid, tid;
	uint32_t parent_tgid;
	uint64_t time; /* CLOCK_MONOTONIC, ns */
	/* LIFE_MMAP */
	uint64_t start, end, file_off;
	uint32_t dev_major, dev_minor;
	uint64_t inode,
		inode_generation; /* numbers of deleted files are used again; 0: not known */
	const char *path;         /* borrowed; "" or "//anon" when anonymous */
};

#endif
