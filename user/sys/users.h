/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of users. */
#ifndef PMUBPF_SYS_USERS_H
#define PMUBPF_SYS_USERS_H

#include <sys/types.h>

/* "postgres" as this host's /etc/passwd has it, else the number; the caller's. No server is
 * asked. */
char *users_name(uid_t uid);
/* The same with another file. */
char *users_name_in(const char *passwd, uid_t uid);

#endif
