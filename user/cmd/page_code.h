/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The hottest functions' code for a picture's page, as `annotate` finds it: by a process of its
 * own, which takes the rights of who called sudo, whatever this one goes on to need.
 */
#ifndef PMUBPF_CMD_PAGE_CODE_H
#define PMUBPF_CMD_PAGE_CODE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "prof/prof.h"

enum { PAGE_CODE_FUNCTIONS = 20, PAGE_CODE_FUNCTIONS_MAX = 200 };

struct page_code_opts {
	unsigned functions;  /* 0: none are wanted */
	const char *symbols; /* where files with code are; NULL: where they were */
	const char *source;  /* where sources are; NULL: none are put into the page */
};

/* --code's argument, NULL: none. */
int page_code__parse(struct page_code_opts *opts, const char *text, struct err *err);
/* Whether they go with that: a page is made or not. */
int page_code__check(const struct page_code_opts *opts, bool has_page, struct err *err);

/* Appends what html__write() takes; standard error says how large it is unless quiet, and what
 * failed in any case: then it is empty. stop_fd: readable when nobody wants to wait any more; -1:
 * none. */
void page_code__find(struct buf *ret, const struct prof *prof, const struct page_code_opts *opts,
		     int stop_fd, bool quiet);

#endif
