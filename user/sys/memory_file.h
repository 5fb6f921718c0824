/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Files in memory that go to another process and come back. Who is to write into one gets it from
 * here, and sends none of its own: the kernel refuses messages with descriptors of a process that
 * has a low limit of descriptors (RLIMIT_NOFILE) and no capability, as long as all processes of its
 * user together have more in flight than that limit, and anybody can see to that.
 */
#ifndef PMUBPF_SYS_MEMORY_FILE_H
#define PMUBPF_SYS_MEMORY_FILE_H

/* A new one, empty, the caller's; or a negative errno. */
int memory_file__new(const char *name);
/* From then on nobody can change it, whoever else has it. It may wait for all CPUs, a second where
 * they have much to do: not while samples come. -EBUSY: somebody could, without a
 * descriptor (by a mapping); or another negative errno. */
int memory_file__seal(int fd);

#endif
