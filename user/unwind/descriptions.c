// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/descriptions.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sym/table.h"
#include "sym/table_client.h"
#include "sys/clock.h"
#include "unwind/parts.h"

/* A program begins with some dozens. */
enum { QUEUE_MAX = 256 };

/* Numbers are used again: by its serial a file is still the same. */
struct which {
	uint32_t file;
	uint64_t serial;
};

struct descriptions {
	struct files *files;
	struct runtimes *runtimes;
	struct silent *silent;
	uint64_t asked[PART_FIRST]; /* by number: of which file */
	struct which queue[QUEUE_MAX];
	uint32_t first, end; /* numbers in all; modulo QUEUE_MAX they are places */
	struct which at;     /* what the lane was asked about */
};

struct descriptions *descriptions__new(struct files *files, struct runtimes *runtimes,
				       struct silent *silent)
{
	struct descriptions *d = xcalloc(1, sizeof(*d));

	d->files = files;
	d->runtimes = runtimes;
	d->silent = silent;
	return d;
}

struct descriptions *descriptions__free(struct descriptions *d)
{
	free(d);
	return NULL;
}

static const struct file *file_of(const struct descriptions *d, const struct which *which)
{
	const struct file *f = files__get(d->files, which->file);

	return f && f->serial == which->serial ? f : NULL;
}

void descriptions__want(struct descriptions *d, uint32_t file)
{
	const struct file *f = file < PART_FIRST ? files__get(d->files, file) : NULL;

	if (!f || d->asked[file] == f->serial || d->end - d->first == QUEUE_MAX)
		return;
	d->asked[file] = f->serial;
	d->queue[d->end++ % QUEUE_MAX] = (struct which){file, f->serial};
}

bool descriptions__wait(const struct descriptions *d)
{
	return d->first != d->end;
}

void descriptions__start(struct descriptions *d, struct lane *lane)
{
	while (descriptions__wait(d)) {
		const struct which *next = &d->queue[d->first % QUEUE_MAX];
		const struct file *f = file_of(d, next);
		bool may = f && !silent__refuses(d->silent, (struct silent_fs){f->dev, f->mnt_ns},
						 now_ns());
		_cleanup_close_ int fd = may ? files__lend_any(d->files, next->file) : -1;
		int r = fd < 0 ? -ENOENT : lane__describe(lane, fd);

		if (r == -EBUSY)
			return;
		d->at = *next;
		d->first++;
		if (r == 0)
			return;
	}
}

void descriptions__take(struct descriptions *d, const struct lane *lane,
			const struct lane_answer *a)
{
	const struct file *f = file_of(d, &d->at);
	struct unwind_table table;

	if (f && a->status == TABLE_HELPER && !a->again && table_client__was_stuck(lane->client))
		silent__add(d->silent, (struct silent_fs){f->dev, f->mnt_ns}, now_ns());
	if (a->status != TABLE_BUILT)
		return;
	if (unwind_table__read(a->fd, &table) < 0)
		return table_client__distrust(lane->client);
	/* whose version isn't known is told of those that samples hit */
	if (f && table.head.has_runtime != PMB_RUNTIME_UNKNOWN)
		runtimes__note(d->runtimes, d->at.file, &table);
	unwind_table__done(&table);
}
