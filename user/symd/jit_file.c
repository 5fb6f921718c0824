// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/jit_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "symd/jitdump.h"

struct jit_file {
	int fd;
	jit_offer_fn offer;
	struct asked asked;
	uint64_t at; /* of the name that was read last */
	size_t len;
	char name[PERF_MAP_NAME_MAX];
};

/* What an address is offered is told apart by its number alone; names are read in the end. */
static bool has_name(void *ctx, struct candidate *c)
{
	(void)ctx;
	return c->is_set;
}

static int compare_nothing(void *ctx, const struct candidate *a, const struct candidate *b)
{
	(void)ctx;
	(void)a;
	(void)b;
	return 0;
}

static void begin(struct jit_file *f, const uint64_t *addrs, size_t n)
{
	asked__done(&f->asked);
	asked__init(&f->asked, addrs, n);
	f->asked.name = has_name;
	f->asked.compare = compare_nothing;
}

int jit_file__open(int fd, jit_offer_fn offer, struct jit_file **ret)
{
	struct jit_file *f = xcalloc(1, sizeof(*f));
	uint64_t none = 0;
	int r;

	f->fd = fd;
	f->offer = offer;
	begin(f, &none, 0);
	r = offer(fd, &f->asked);
	if (r < 0)
		f = jit_file__free(f);
	*ret = f;
	return r;
}

struct jit_file *jit_file__free(struct jit_file *f)
{
	if (!f)
		return NULL;
	asked__done(&f->asked);
	close(f->fd);
	free(f);
	return NULL;
}

bool jit_file__asked(const struct jit_file *f, uint64_t addr)
{
	size_t i = asked__from(&f->asked, addr);

	return i < f->asked.n && f->asked.addrs[i] == addr;
}

void jit_file__ask(struct jit_file *f, const uint64_t *addrs, size_t n)
{
	begin(f, addrs, n);
	/* what could not be read has no names */
	if (f->offer(f->fd, &f->asked) == 0)
		asked__settle(&f->asked);
}

bool jit_file__code(struct jit_file *f, uint64_t addr, uint64_t *ret_start, uint64_t *ret_size,
		    uint64_t *ret_at)
{
	const struct candidate *c;

	if (f->offer != jitdump__offer)
		return false;
	if (!jit_file__asked(f, addr))
		jit_file__ask(f, &addr, 1);
	c = asked__best(&f->asked, asked__from(&f->asked, addr));
	if (!c->is_set || !c->len || c->end <= c->start)
		return false;
	*ret_start = c->start;
	*ret_size = c->end - c->start;
	*ret_at = jitdump__code_at(f->fd, c->name, *ret_size);
	return *ret_at;
}

unsigned jit_file__machine(const struct jit_file *f)
{
	return f->offer == jitdump__offer ? jitdump__machine(f->fd) : 0;
}

size_t jit_file__read(const struct jit_file *f, uint64_t at, void *ret, size_t n)
{
	ssize_t r = at <= INT64_MAX ? pread(f->fd, ret, n, (off_t)at) : 0;

	return r > 0 ? (size_t)r : 0;
}

static const char *read_name(struct jit_file *f, uint64_t at, size_t len)
{
	if (!f->len || f->at != at) {
		ssize_t n = pread(f->fd, f->name, len, (off_t)at);
		const char *end;

		f->at = at;
		f->len = n > 0 ? (size_t)n : 0;
		/* the file may be another one by now */
		end = memchr(f->name, '\n', f->len);
		if (end)
			f->len = (size_t)(end - f->name);
	}
	return f->len ? f->name : NULL;
}

const char *jit_file__find(struct jit_file *f, uint64_t addr, size_t *ret_len)
{
	const struct candidate *c;
	const char *name;

	if (!jit_file__asked(f, addr))
		return NULL;
	c = asked__best(&f->asked, asked__from(&f->asked, addr));
	if (!c->is_set || !c->len)
		return NULL;
	name = read_name(f, c->name, c->len < sizeof(f->name) ? c->len : sizeof(f->name));
	*ret_len = f->len;
	return name;
}
