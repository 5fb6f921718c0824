// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: the profiled program chose the names, and this is the privileged side. A
 * candidate is only ever opened inside the root it was found in, and what it contains goes to the
 * helper, which accepts it by build id or CRC. Beside the program's file we look only in the
 * program's own root: a path of a container means nothing here, and would let it point us at files
 * of the host.
 */
#include "sym/debug_file.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "opener/opener.h"

#define DEBUG_DIR "/usr/lib/debug"

struct search {
	const struct debug_wanted *wanted;
	debug_offer_fn offer;
	void *ctx;
};

/* Takes path over. dev: where it lies, 0: who knows. */
static bool try_path(const struct search *s, int root_fd, uint64_t dev, char *path)
{
	_cleanup_free_ char *owned = path;
	int fd = opener__path(s->wanted->opener, root_fd, root_fd >= 0 ? s->wanted->mnt_ns : 0, dev,
			      owned);

	return fd >= 0 && s->offer(s->ctx, fd);
}

static bool try_build_id(const struct search *s, int root_fd)
{
	char hex[2 * 64 + 1];
	const struct debug_wanted *w = s->wanted;

	if (!w->build_id || w->build_id_len < 2 || w->build_id_len > 64)
		return false;
	for (size_t i = 0; i < w->build_id_len; i++)
		snprintf(hex + 2 * i, 3, "%02x", w->build_id[i]);
	return try_path(s, root_fd, 0,
			xasprintf(DEBUG_DIR "/.build-id/%.2s/%s.debug", hex, hex + 2));
}

/* A plain file name, as the section is specified; anything else would be a path of its choosing. */
static bool is_file_name(const char *name)
{
	return name && *name && !strchr(name, '/') && strcmp(name, ".") && strcmp(name, "..");
}

/* Of a path as the kernel prints them, the directory, "" for the root; NULL for any other. */
static char *directory_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	if (!slash || path[0] != '/' || strstr(path, "/../"))
		return NULL;
	return xstrndup(path, (size_t)(slash - path));
}

static bool try_link(const struct search *s, int root_fd, bool beside_file)
{
	const char *link = s->wanted->link;
	_cleanup_free_ char *dir = is_file_name(link) ? directory_of(s->wanted->path) : NULL;
	uint64_t dev = s->wanted->dev;

	if (!dir)
		return false;
	if (beside_file && (try_path(s, root_fd, dev, xasprintf("%s/%s", dir, link)) ||
			    try_path(s, root_fd, dev, xasprintf("%s/.debug/%s", dir, link))))
		return true;
	return try_path(s, root_fd, 0, xasprintf(DEBUG_DIR "%s/%s", dir, link));
}

bool debug_file__search(const struct debug_wanted *wanted, debug_offer_fn offer, void *ctx)
{
	struct search s = {.wanted = wanted, .offer = offer, .ctx = ctx};

	if (try_build_id(&s, wanted->root_fd) || try_link(&s, wanted->root_fd, true))
		return true;
	if (wanted->root_fd < 0)
		return false;
	return try_build_id(&s, -1) || try_link(&s, -1, false);
}
