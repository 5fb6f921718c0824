/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which container, pod or service a cgroup is, by its path alone, as each engine composes it; both
 * drivers of Docker, Podman, containerd, CRI-O and Kubernetes (cgroupfs: folders, systemd: slices
 * and scopes), LXC, systemd-nspawn and units. Where they are nested, the innermost. Pure.
 */
#ifndef PMUBPF_PROC_CONTAINER_PATH_H
#define PMUBPF_PROC_CONTAINER_PATH_H

enum container_engine {
	ENGINE_NONE, /* no container: a unit of systemd's, or nothing known */
	ENGINE_DOCKER,
	ENGINE_PODMAN,
	ENGINE_CONTAINERD,
	ENGINE_CRIO,
	ENGINE_KUBERNETES, /* a pod's container, by an engine that the path doesn't tell */
	ENGINE_LXC,
	ENGINE_NSPAWN,
};

/* Texts are ours; NULL: not there. */
struct container_path {
	enum container_engine engine;
	char *id;      /* 64 hexadecimal digits, as a rule; of LXC and nspawn the name */
	char *pod_uid; /* "0f1e2d3c-…" */
	char *unit;    /* "redis.service", "session-3.scope": the innermost */
};

/* path: within the hierarchy, "/system.slice/docker-4f….scope". */
void container_path__parse(struct container_path *ret, const char *path);
void container_path__done(struct container_path *path);

#endif
