// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/table_client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sym/helper.h"
#include "symd/protocol.h"
#include "sys/usage.h"

enum { FORGET_MAX = 16 };

struct table_client {
	struct helper helper;
	uint64_t deadline_ns;
	bool busy;
	bool any_size;          /* what it was asked last may be however large */
	int forget[FORGET_MAX]; /* files that it is told to close when it isn't busy */
	size_t n_forget;
	bool used; /* the helper that was asked last had been asked before */
	int err;   /* of the helper that failed last */
};

struct table_client *table_client__new(int (*child)(int sock))
{
	struct table_client *c = xcalloc(1, sizeof(*c));

	helper__init(&c->helper, child);
	return c;
}

static void say_forget(struct table_client *c, int fd)
{
	struct buf word = {0};

	if (c->helper.sock < 0)
		return;
	symd_msg__begin(&word, SYMD_FORGET, 0);
	symd_msg__end(&word);
	symd_msg__send(c->helper.sock, &word, fd, MSG_DONTWAIT);
	buf__done(&word);
}

static void forget_now(struct table_client *c)
{
	while (c->n_forget) {
		_cleanup_close_ int fd = c->forget[--c->n_forget];

		say_forget(c, fd);
	}
}

struct table_client *table_client__free(struct table_client *c)
{
	if (!c)
		return NULL;
	helper__abandon(&c->helper);
	forget_now(c);
	helper__done(&c->helper);
	free(c);
	return NULL;
}

static int post(struct table_client *c, int fd, const struct table_wanted *wanted)
{
	int r = helper__spawn(&c->helper);

	if (r < 0)
		return r;
	c->used = c->helper.seq;
	helper__begin(&c->helper, SYMD_BUILD_TABLE);
	symd_msg__put_u64(&c->helper.request, wanted->from);
	symd_msg__put_u64(&c->helper.request, wanted->to);
	symd_msg__put_u64(&c->helper.request, wanted->most);
	r = helper__post(&c->helper, fd, "pmubpf-table");
	return c->helper.no_room ? 0 : r; /* finish says so */
}

void table_client__prepare(struct table_client *c)
{
	helper__spawn(&c->helper); /* if it fails, table_client__start() tries again, and says so */
}

int table_client__start(struct table_client *c, int fd, const struct table_wanted *wanted,
			uint64_t deadline_ns)
{
	int r;

	if (c->busy)
		return -EBUSY;
	r = post(c, fd, wanted);
	/* it had gone before it was asked: no fault of the file */
	if (r == -EPIPE || r == -ECONNRESET)
		r = post(c, fd, wanted);
	if (r == -EBUSY)
		return r;
	c->busy = true;
	c->any_size = wanted->most == UINT64_MAX;
	c->deadline_ns = deadline_ns;
	return 0;
}

void table_client__forget(struct table_client *c, int fd)
{
	if (!c->busy)
		return say_forget(c, fd);
	if (c->n_forget == FORGET_MAX)
		return;
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (fd >= 0)
		c->forget[c->n_forget++] = fd;
}

int table_client__poll_fd(const struct table_client *c)
{
	return c->busy && !c->helper.no_room ? c->helper.sock : -1;
}

/* table: as helper__take() gave it. */
static enum table_status status_of(const struct table_client *c, uint8_t status, int table)
{
	static const enum table_status statuses[SYMD_N_TABLE_STATUSES] = {
		[SYMD_TABLE_BUILT] = TABLE_BUILT,
		[SYMD_TABLE_BAD_FILE] = TABLE_BAD_FILE,
		[SYMD_TABLE_OTHER_MACHINE] = TABLE_OTHER_MACHINE,
		[SYMD_TABLE_TOO_LARGE] = TABLE_TOO_LARGE,
		[SYMD_TABLE_NO_MEMORY] = TABLE_NO_MEMORY,
		[SYMD_TABLE_LARGE] = TABLE_LARGE,
	};

	if (status >= SYMD_N_TABLE_STATUSES || (status == SYMD_TABLE_LARGE && c->any_size) ||
	    (status == SYMD_TABLE_BUILT && table < 0))
		return TABLE_HELPER;
	return statuses[status];
}

enum table_status table_client__finish(struct table_client *c, uint64_t now_ns, int *ret_fd)
{
	enum table_status status = TABLE_HELPER;
	_cleanup_close_ int table = -1;
	struct cursor body;
	uint8_t byte;
	int r;

	*ret_fd = -1;
	if (!c->busy)
		return TABLE_PENDING;
	if (c->helper.no_room) {
		c->busy = false;
		forget_now(c);
		return TABLE_NO_MEMORY;
	}
	r = helper__take(&c->helper, &body, &table);
	if (r == -EAGAIN && !helper__is_stuck(&c->helper) &&
	    (now_ns < c->deadline_ns || !helper__is_late(&c->helper, c->deadline_ns)))
		return TABLE_PENDING;
	c->busy = false;
	forget_now(c);
	c->err = r == -EAGAIN ? -ETIMEDOUT : r < 0 ? r : -EPROTO;
	if (r == 0) {
		byte = cursor__u8(&body);
		if (cursor__done(&body))
			status = status_of(c, byte, table);
	}
	if (status == TABLE_HELPER)
		helper__abandon(&c->helper);
	if (status == TABLE_BUILT)
		*ret_fd = TAKE_FD(table);
	return status;
}

void table_client__distrust(struct table_client *c)
{
	c->err = -EPROTO;
	helper__abandon(&c->helper);
}

bool table_client__was_stuck(const struct table_client *c)
{
	return c->helper.stuck;
}

bool table_client__was_late(const struct table_client *c)
{
	return c->err == -ETIMEDOUT && !c->helper.stuck;
}

bool table_client__was_used(const struct table_client *c)
{
	return c->used;
}

uint64_t table_client__cpu_ns(const struct table_client *c)
{
	return helper__cpu_ns(&c->helper);
}

uint64_t table_client__rss_bytes(const struct table_client *c)
{
	return c->helper.pid ? usage_rss_bytes(c->helper.pid) : 0;
}

uint64_t table_client__delayed_ns(const struct table_client *c)
{
	return c->helper.pid ? usage_delayed_ns(c->helper.pid) : 0;
}

char *table_client__trouble(const struct table_client *c)
{
	return helper__obituary(&c->helper, c->err);
}
