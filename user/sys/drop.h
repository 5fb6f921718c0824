/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Giving up privileges, for good. */
#ifndef PMUBPF_SYS_DROP_H
#define PMUBPF_SYS_DROP_H

#include <stdint.h>

#define CAP_BIT(number) (1ULL << (number))

enum { NOBODY = 65534 }; /* user and group */

/*
 * Leaves this process with those of its capabilities that are in keep, in every set: nothing that
 * it executes later gets more. (The bounding set needs CAP_SETPCAP; without, it stays, and
 * no_new_privs is what holds.) 0 or a negative errno; then nothing may be relied on.
 */
int drop_capabilities(uint64_t keep);

/* The bounding set alone: what this process has stays, for now. */
void drop_bounding_set(uint64_t keep);

/* Neither this process nor what it executes ever gets a privilege by a file's bits. 0 or a negative
 * errno. */
int drop_new_privileges(void);

/* All of it at once: root becomes nobody, capabilities go, of the bounding set, too. 0 or a
 * negative errno. What was asked for by PR_SET_PDEATHSIG has to be asked for again. */
int drop_to_nobody(void);

#endif
