/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names and numbers of this architecture's system calls. */
#ifndef PMUBPF_SYS_CALLS_H
#define PMUBPF_SYS_CALLS_H

/* -ENOENT: there is none of that name, here or anywhere. */
int call_number(const char *name);
/* The caller's; "#400" if the library is older than the call. */
char *call_name(int number);

#endif
