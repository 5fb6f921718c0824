/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A page of a list of objects (S3's ListObjectsV2), read: which of them are windows. The server
 * isn't trusted: what doesn't fit together is no page. Pure.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
 */
#ifndef PMUBPF_SHIP_S3_LIST_H
#define PMUBPF_SHIP_S3_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spool/window_name.h"

struct s3_object {
	char *host;
	char *name; /* without the host */
	struct window_id id;
	struct window_when when;
	int64_t modified_ns; /* since 1970, by the server's date; INT64_MAX: it doesn't say */
};

struct s3_list {
	struct s3_object *objects; /* that are windows */
	size_t n, cap;
	char *last;  /* the last name that was read */
	char *token; /* what to ask for the next page with; NULL: this was the last one */
};

/*
 * Adds those of a page; names begin with prefix ("" or "a/b/"), and rise from page to page, so that
 * a list has an end. False: it isn't such a page.
 */
bool s3_list__add(struct s3_list *list, const char *prefix, const void *xml, size_t len);
void s3_object__done(struct s3_object *o);
void s3_list__done(struct s3_list *list);

#endif
