/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What `--to s3+…` has put (ship/s3.h), the other way round: which windows are there, and what is
 * in them. */
#ifndef PMUBPF_SHIP_S3_WINDOWS_H
#define PMUBPF_SHIP_S3_WINDOWS_H

#include <stdint.h>

#include "base/err.h"
#include "ship/http_client.h"
#include "ship/s3_list.h"

/* What is sent may be listed, by the server's clock, before it ended, by the host's: so much. */
#define S3_CLOCKS_APART_NS (3600 * 1000000000LL)

struct s3_place {
	struct http_client *http;
	const struct ship_url *url;
	const struct http_secrets *secrets;
	const char *host;   /* NULL: any */
	uint64_t max_bytes; /* of all pages, and of each window */
};

/* All whose names say when they were; of others those that were put since then, less
 * S3_CLOCKS_APART_NS. The caller frees with s3_list__done. */
int s3_windows__list(const struct s3_place *place, int64_t since_ns, struct s3_list *ret,
		     struct err *err);
/*
 * What is in one, or its first bytes: so many; 0: all. A file in memory, the caller's; -ENOENT: it
 * has gone meanwhile; or another negative errno with the sentence.
 */
int s3_windows__open(const struct s3_place *place, const struct s3_object *object, size_t first,
		     struct err *err);

#endif
