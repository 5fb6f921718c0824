/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* /proc/PID/mountinfo: what is mounted where, and how to get at it from here. */
#ifndef PMUBPF_PROC_MOUNTINFO_H
#define PMUBPF_PROC_MOUNTINFO_H

#include <stddef.h>

struct mount_line {
	char *device; /* "8:1" */
	char *root;   /* the folder or file of that file system that is mounted… */
	char *point;  /* …and where */
};

struct mountinfo {
	char *text; /* what the lines point into */
	struct mount_line *lines;
	size_t n, cap;
};

/* Empty if the file can't be read. Takes text over. */
void mountinfo__parse(struct mountinfo *ret, char *text);
void mountinfo__done(struct mountinfo *info);

/* The last mount on a mount point, or NULL. */
const struct mount_line *mountinfo__at(const struct mountinfo *info, const char *point);
/* Where a folder or file of a file system can be reached by these mounts; NULL: nowhere. The
 * caller's. */
char *mountinfo__reach(const struct mountinfo *info, const char *device, const char *path);

#endif
