/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The names that users know a container by, from its engine's own files: no socket is asked. Where
 * these lie is found from what the container has mounted (the source of its /etc/hostname, its root
 * file system), then from the daemon's command line and configuration, and only then guessed.
 */
#ifndef PMUBPF_PROC_CONTAINER_NAME_H
#define PMUBPF_PROC_CONTAINER_NAME_H

#include <sys/types.h>

#include "proc/container_path.h"

/* Texts are ours; NULL: not known. */
struct container_name {
	char *name;  /* "web-1"; of a pod's container "namespace/pod/container" */
	char *pod;   /* "namespace/pod" */
	char *image; /* "docker.io/library/redis:7" */
};

/* root: where the host's files lie, "" but for tests. tgid: a process in it, 0: none lives any
 * more. */
void container_name__find(struct container_name *ret, const char *root,
			  const struct container_path *path, pid_t tgid);
void container_name__done(struct container_name *name);

#endif
