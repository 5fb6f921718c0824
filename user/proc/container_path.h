/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which container, pod or service a cgroup is, by its path alone, as each engine composes it; both
 * drivers of Docker, Podman, containerd, CRI-O and Kubernetes (cgroupfs: folders, systemd: slices
 * and scopes), LXC, systemd-nspawn and units. Where they are nested, the innermost. Pure.
 */
#ifndef PMUBPF_PROC_CONTAINER_PATH_H
#define PMUBPF_PROC_CONTAINER_PATH_H

#include <stdbool.h>

/* Texts are ours; NULL: not there. */
struct container_path {
	char *id; /* 64 hexadecimal digits; of LXC and nspawn the name */
	bool id_is_name;
	char *pod_uid; /* "0f1e2d3c-…" */
	char *unit;    /* "redis.service", "session-3.scope": the innermost */
};

/* path: within the hierarchy, "/system.slice/docker-4f….scope". */
void container_path__parse(struct container_path *ret, const char *path);
void container_path__done(struct container_path *path);

#endif
