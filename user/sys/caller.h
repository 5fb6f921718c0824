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

/* SUDO_UID, SUDO_GID; negative: nobody says, or not a number of a user or group. */
int caller_id(const char *variable);
/* -EINVAL if what sudo says isn't a user. */
int caller__find(struct caller *ret, struct err *err);
/* For good, without a capability, also for what is executed later. 0 or a negative errno. */
int caller__become(const struct caller *caller);
/* For what is opened from here on: its rights, and of its groups that of its own alone. Nothing if
 * nobody called sudo. 0 or a negative errno. */
int caller_open_as(void);
void caller__done(struct caller *caller);

#endif
