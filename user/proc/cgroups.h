/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The cgroups that samples came from, by the id that the kernel gave: their paths and what runs in
 * them, looked up soon after the first sample arrived, because they may be gone by the end.
 */
#ifndef PMUBPF_PROC_CGROUPS_H
#define PMUBPF_PROC_CGROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct cgroups;

/* Texts are borrowed; NULL: not known. */
struct cgroup_info {
	const char *path;      /* "/system.slice/redis.service" */
	const char *container; /* its name, or the short id, or the unit of systemd's */
	const char *pod;       /* "namespace/pod" */
	const char *image;
	const char *id; /* of the container */
};

/* Their ids are those of the hierarchy that tells containers apart: sys/cgroup.h. */
struct opener;
/* opener: who looks things up; borrowed; NULL: this process. */
struct cgroups *cgroups__new(struct opener *opener);
struct cgroups *cgroups__free(struct cgroups *c);
/* As each sample arrives, with a process in it: only notes what is to be looked up. */
void cgroups__meet(struct cgroups *c, uint64_t id, pid_t tgid);
struct cgroups_fns {
	void (*settled)(void *ctx, uint64_t id); /* all is known of it that ever will be */
	void (*between)(void *ctx);              /* one was looked up, which takes a while */
};
/* Those that were noted: new ones, and again those whose name wasn't known. fns: NULL: nobody needs
 * to hear of them. */
void cgroups__look_up(struct cgroups *c, const struct cgroups_fns *fns, void *ctx);
/* "" for v2, else a controller of v1; borrowed. */
const char *cgroups__hierarchy(const struct cgroups *c);
/* Nothing is known of one that was never met, or was swept out. */
struct cgroup_info cgroups__info(const struct cgroups *c, uint64_t id);
/* Those that are known, in the order in which they were met: *id is 0 at first, then the one
 * before. False: that was the last. Id 0 is never met. */
bool cgroups__next(const struct cgroups *c, uint64_t *id, struct cgroup_info *ret);
size_t cgroups__count(const struct cgroups *c);
/*
 * A host that starts containers all the time has cgroups without end. True if there are twice as
 * many as after the last sweep, and BUDGET_CGROUPS: then mark what is referred to, and the others
 * are forgotten. One that is met again is looked up again.
 */
bool cgroups__many(const struct cgroups *c);
void cgroups__keep(struct cgroups *c, uint64_t id); /* one that isn't known is fine */
void cgroups__sweep(struct cgroups *c, void (*forgets)(void *ctx, uint64_t id), void *ctx);
/* Whether a user means it: the container's name, or the first digits of its id, or its pod's name
 * (with or without the namespace), or the unit. */
bool cgroup_info__is(const struct cgroup_info *info, const char *wanted);
/* The same of a cgroup that was never met, by its path and a process in it (0: none).
 * *ret_container, the caller's:
 * what it is called; NULL: it is none, or only a folder within one. */
bool cgroup_path_is(struct opener *opener, const char *path, pid_t tgid, const char *wanted,
		    char **ret_container);

#endif
