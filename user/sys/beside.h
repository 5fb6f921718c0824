/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A file that is written beside another one and takes its place when it is whole: what was there
 * before is lost neither to a full disk nor to a sudden end. Mode and owner are the old one's.
 */
#ifndef PMUBPF_SYS_BESIDE_H
#define PMUBPF_SYS_BESIDE_H

#include <stdbool.h>

struct beside {
	int dir;    /* where both are; -1: nothing is open */
	char *name; /* the old one's */
	char *temp; /* the new one's; NULL: none yet, and nothing of it is left if we die */
	bool keep;  /* the old one is no file to be replaced: it becomes a copy of the new one */
};

/*
 * old: a descriptor of the file at path. Returns one of the new file, which is the caller's; where
 * the old one must stay what it is (it is a link or has several names) or nothing can be put beside
 * it, the new one is somewhere else until then. A negative errno if the old one is no regular file.
 */
int beside__open(struct beside *b, const char *path, int old);
/*
 * Puts the new file in the old one's place; where we may not rename (its folder is somebody else's,
 * something is mounted there), the old one becomes a copy of it, once there is room for that, and
 * keep is set. A negative errno: nothing has changed.
 */
int beside__finish(struct beside *b, int new, int old);
/*
 * For a file that is renewed again and again: there need not be an old one, and it isn't opened.
 * Returns a descriptor of the new file, which is the caller's; -EINVAL if what has the name is no
 * regular file (a link, too: whoever could change where it leads would choose what is replaced).
 * The mode is the old one's, and its group, as far as we may; 0600 if there is none.
 */
int beside__open_next(struct beside *b, const char *path);
/* Puts it in the place of whatever has the name by now. A negative errno: nothing has changed. */
int beside__put(struct beside *b, int new);
void beside__done(struct beside *b);

#endif
