/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opening files whose names, or whose folders, belong to somebody who isn't trusted. */
#ifndef PMUBPF_SYS_OPEN_H
#define PMUBPF_SYS_OPEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Opens a regular file for reading, without ever blocking on or waking a FIFO or device: what it is
 * gets asked before it is opened. With a root_fd, path is looked up inside that root, which
 * symbolic links and ".." can't leave; with -1 it is any path of ours. Returns a descriptor, or a
 * negative errno (-EINVAL: not a regular file).
 */
int open_regular(int root_fd, const char *path);
/*
 * A regular file in the same way, but not opened: O_PATH, which keeps the inode and asks no server
 * of anything when it is closed. open_found() opens it for reading.
 */
int find_regular(int root_fd, const char *path);
int open_found(int found);
/*
 * As find_regular for a path of ours that somebody else has chosen: nothing is mounted and no
 * server is asked on its way. Only what the kernel has at hand is found, as what runs is; before
 * 5.12 only what is on the root's own file system.
 */
int find_at_hand(const char *path);
/* As open_regular; a symbolic link in the file's place (not in that of its folders) is no regular
 * file. */
int open_no_link(int root_fd, const char *path);

/*
 * As find_regular for a file that anyone could have put there: a folder that all may write to.
 * -EPERM if it isn't a regular file of that user's with this one name, or is a symbolic link,
 * wherever that leads.
 */
int find_owned(int root_fd, const char *path, uid_t owner);

/* O_PATH: what a process has mapped at [start, end), whatever its name, by the kernel's own link
 * to it. It may be a device, and another one by now than when that was learnt: the caller
 * compares. */
int find_mapping(int tgid, uint64_t start, uint64_t end);

/* The root folder of a process, for open_regular; a negative errno if it has gone. */
int open_root_of(int tgid);

#endif
