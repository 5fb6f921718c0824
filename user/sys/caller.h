/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who called this program: under sudo the user who did, else who it runs as. */
#ifndef PMUBPF_SYS_CALLER_H
#define PMUBPF_SYS_CALLER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct caller {
	bool other; /* than this process is: by sudo */
	uid_t uid;
	gid_t gid;
	gid_t *groups; /* those of /etc/group, gid among them; no server is asked. NULL: as ours */
	size_t n_groups;
};

/* -EINVAL if what sudo says isn't a user. */
int caller__find(struct caller *ret, struct err *err);
/* For good, without a capability, also for what is executed later. 0 or a negative errno. */
int caller__become(const struct caller *caller);
void caller__done(struct caller *caller);

#endif
