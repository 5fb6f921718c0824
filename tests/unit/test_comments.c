// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "prof/pprof_read.h"

/* A type "a" of unit "b", and n comments that are "b" and "a" in turn. */
static int read_comments(struct prof **ret, size_t n, struct err *err)
{
	static const char head[] = "\x0a\x04\x08\x01\x10\x02\x32\x00\x32\x01"
				   "a\x32\x01"
				   "b";
	static const struct pprof_limits limits = {0};
	_cleanup_close_ int fd = memfd_create("profile", MFD_CLOEXEC);
	_cleanup_(buf__done) struct buf b = {0};

	buf__add(&b, head, sizeof(head) - 1);
	for (size_t i = 0; i < n; i++)
		buf__add(&b, i % 2 ? "\x68\x01" : "\x68\x02", 2);
	cr_assert_eq(pwrite(fd, b.data, b.len, 0), (ssize_t)b.len);
	return pprof__read(ret, fd, "'it'", &limits, err);
}

/* A file of 2 kB said one of 100 kB so often that its report was 1 GB. */
Test(comments, each_is_kept_once)
{
	struct prof *p = NULL;
	struct err err = {0};

	cr_assert_eq(read_comments(&p, PROF_MAX_COMMENTS, &err), 0, "%s", err.text);
	cr_assert_eq(p->n_comments, 2);
	cr_expect_str_eq(prof__text(p, p->comments[0]), "b");
	cr_expect_str_eq(prof__text(p, p->comments[1]), "a");
	prof__free(p);
}

Test(comments, too_many_in_a_file)
{
	struct prof *p = NULL;
	struct err err = {0};

	cr_assert_eq(read_comments(&p, PROF_MAX_COMMENTS + 1, &err), -EBADMSG);
	cr_expect_str_eq(err.text, "'it' is damaged: comment 8192 is one too many");
}

/* As when many recordings are added up: what is written can be read again. */
Test(comments, too_many_in_all)
{
	struct prof *p = prof__new();
	char text[16];

	for (int i = 0; i < PROF_MAX_COMMENTS + 10; i++) {
		snprintf(text, sizeof(text), "%d", i);
		prof__comment(p, text);
	}
	cr_expect_eq(p->n_comments, PROF_MAX_COMMENTS);
	prof__free(p);
}
