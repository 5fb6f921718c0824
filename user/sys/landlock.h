/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Landlock: a process gives up the file system, and as much else as its kernel's version of it
 * knows. */
#ifndef PMUBPF_SYS_LANDLOCK_H
#define PMUBPF_SYS_LANDLOCK_H

#include <stddef.h>

/* The version that the kernel speaks; 0: it has none, or it isn't switched on. */
int landlock_abi(void);

/*
 * From here on no path can be opened, made, run, renamed or removed (version 1), no TCP port bound
 * or connected to (4), no abstract socket of others connected to, no process of others sent a
 * signal (6). Wants no_new_privs. 0, -ENOSYS: there is no Landlock; or another negative errno.
 */
int landlock_deny_all(void);

/* The same of the file system, but that what is beneath these folders may be read (one that isn't
 * there is none); and no port can be bound. Connecting stays. */
int landlock_read_only(const char *const *folders, size_t n);

/* The same, but that files in one folder may be read, and in the other one read, written, made and
 * removed; and that no port can be connected to. Descriptors of folders; -1: none. */
int landlock_two_folders(int read_dir, int write_dir);

#endif
