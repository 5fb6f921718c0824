/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Processes of which records tell, for tests. */
#ifndef TESTS_UNIT_PROCESSES_BY_HAND_H
#define TESTS_UNIT_PROCESSES_BY_HAND_H

#include <criterion/criterion.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fair_room.h"
#include "opener/opener.h"
#include "pmubpf/budgets.h"
#include "proc/processes.h"

static struct files *files;
static struct processes *all;

static inline void begin(void)
{
	files = files__new(NULL);
	all = processes__new(files);
}

static inline void end(void)
{
	processes__free(all);
	files__free(files);
}

TestSuite(processes, .init = begin, .fini = end);

/* Two processes that don't exist: /proc has nothing to tell about them. */
enum { A = 0x7ffffff0, B = 0x7ffffff1 };

static inline void forked(uint32_t parent, uint32_t child, uint64_t time)
{
	struct life life = {.kind = LIFE_FORK,
			    .tgid = child,
			    .tid = child,
			    .parent_tgid = parent,
			    .time = time};

	processes__life_arrived(all, &life);
	processes__life(all, &life);
}

static inline void execed(uint32_t tgid, uint64_t time)
{
	struct life life = {.kind = LIFE_EXEC, .tgid = tgid, .tid = tgid, .time = time};

	processes__life_arrived(all, &life);
	processes__life(all, &life);
}

static inline void exited(uint32_t tgid, uint32_t tid, uint64_t time)
{
	processes__life(all,
			&(struct life){.kind = LIFE_EXIT, .tgid = tgid, .tid = tid, .time = time});
}

/* A mapping of one page at 0x1000 (or of anonymous code, inode 0). */
static inline void mapped(uint32_t tgid, uint64_t time, uint64_t inode)
{
	processes__life(all, &(struct life){.kind = LIFE_MMAP,
					    .tgid = tgid,
					    .tid = tgid,
					    .time = time,
					    .start = 0x1000,
					    .end = 0x2000,
					    .file_off = 0x400,
					    .inode = inode,
					    .path = inode ? "/no/such/file" : "//anon"});
}

static inline struct frame locate(uint32_t tgid, uint64_t time, uint64_t addr)
{
	return process__locate(all, processes__get(all, tgid, time), addr);
}

static inline uint64_t generation(uint32_t tgid, uint64_t time)
{
	return process__generation(processes__get(all, tgid, time));
}

#endif
