/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of users, and their groups. */
#ifndef PMUBPF_SYS_USERS_H
#define PMUBPF_SYS_USERS_H

#include <stddef.h>
#include <sys/types.h>

/* "postgres" as this host's /etc/passwd has it, else the number; the caller's. No server is
 * asked. */
char *users_name(uid_t uid);
/* The same with another file. */
char *users_name_in(const char *passwd, uid_t uid);
/* gid, and the groups that a file such as /etc/group has that user in; the caller's. */
gid_t *users_groups_in(const char *group, const char *name, gid_t gid, size_t *ret_n);

#endif
