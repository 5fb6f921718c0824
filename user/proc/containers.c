// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "proc/containers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "proc/cgroups.h"
#include "sys/procfs.h"

enum {
	LEVELS_MAX = 32,
	SHOWN_MAX = 8, /* of what is there, where nothing has the name */
};

struct search {
	struct opener *opener;
	const char *wanted;
	struct cgroup_ref **list;
	size_t *n, *cap;
	struct buf others;
	size_t n_others;
};

/* A process in it; 0: none, or it may not be read. */
static pid_t any_process(const struct cgroup_ref *ref)
{
	_cleanup_free_ char *path = xasprintf("%s/cgroup.procs", ref->dir);
	_cleanup_free_ char *text = file_read_line(path);
	int tgid;

	return !text || num__parse_int(text, 1, INT32_MAX, &tgid) < 0 ? 0 : tgid;
}

static void note_other(struct search *s, const char *container)
{
	if (!container || s->n_others == SHOWN_MAX)
		return;
	buf__puts(&s->others, s->n_others++ ? ", " : "; these are there: ");
	/* folders have any names */
	for (const char *p = container; *p; p++)
		buf__putc(&s->others, *p < ' ' || *p == 0x7f ? '?' : *p);
}

static int search_below(struct search *s, const struct cgroup_ref *ref, unsigned level,
			struct err *err);

/* Whether it is wanted, or else what is below it; ref is taken. */
static int search_in(struct search *s, struct cgroup_ref *ref, unsigned level, struct err *err)
{
	_cleanup_free_ char *container = NULL;
	int r = 0;

	if (cgroup_path_is(s->opener, cgroup__path(ref), any_process(ref), s->wanted, &container)) {
		GROW(*s->list, *s->n, *s->cap);
		(*s->list)[(*s->n)++] = *ref;
		return 0;
	}
	note_other(s, container);
	if (level < LEVELS_MAX)
		r = search_below(s, ref, level + 1, err);
	cgroup__done(ref);
	return r;
}

/* A folder that went meanwhile has nothing below it. */
static int search_below(struct search *s, const struct cgroup_ref *ref, unsigned level,
			struct err *err)
{
	_cleanup_free_ struct cgroup_ref *below = NULL;
	size_t n = 0;

	if (cgroup__children(ref, &below, &n, level ? NULL : err) < 0)
		return level ? 0 : -EACCES;
	for (size_t i = 0; i < n; i++)
		(void)search_in(s, &below[i], level, err);
	return 0;
}

/* record tells containers apart by another hierarchy than the one that counts: on a hybrid host
 * without v1's perf_event nothing of theirs may be in it. */
static char *elsewhere(const struct cgroup_ref *root)
{
	_cleanup_free_ char *telling = cgroup_telling_hierarchy();

	if (!root->v2 || !*telling)
		return xstrdup("");
	return xasprintf(" (looked for in v2, under %s, where this kernel counts by cgroup; record "
			 "knows containers by the hierarchy of %s)",
			 root->dir, telling);
}

int containers__find(struct opener *opener, const char *wanted, struct cgroup_ref **list, size_t *n,
		     size_t *cap, struct err *err)
{
	struct search s = {.opener = opener, .wanted = wanted, .list = list, .n = n, .cap = cap};
	_cleanup_(cgroup__done) struct cgroup_ref root = {0};
	size_t before = *n;
	int r = cgroup__counted_root(&root, err);

	if (r == 0)
		r = search_below(&s, &root, 0, err);
	if (r == 0 && *n == before) {
		_cleanup_free_ char *note = elsewhere(&root);

		r = err__set(err, -ENOENT, "--container %s: none of that name is running%s%s",
			     wanted, s.others.data ? s.others.data : "", note);
	}
	buf__done(&s.others);
	return r;
}
