// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A file is looked up where a target would find it: in its root, once for each of several. Of a
 * command, and where there are no processes, that is ours. Roots may share it, as mount namespaces
 * of services and containers of one image do: it is probed once, or each hit would be two.
 */
#include "session/gate_sites.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "collect/canary.h"
#include "model/duration.h"
#include "opener/opener.h"
#include "sym/site_client.h"

enum { ROOTS_MAX = 16 };

struct finder {
	const struct gates *gates;
	struct opener *opener;
	struct site_client *client;
	struct canary canary;
	struct buf *notes;
	struct err *err;
};

static void put_note(struct finder *f, const struct window_probe *p, const struct site *site)
{
	uint64_t ns = site->emulated ? f->canary.emulated_ns : f->canary.stepped_ns;
	char text[DURATION_TEXT];

	duration_text(ns, text);
	buf__printf(f->notes,
		    "%s: a probe at offset %#" PRIx64 " of %s (%s), where the kernel %s: about %s "
		    "each time, as a child of our own had it\n",
		    f->gates->option, site->file_off, p->file, p->name,
		    site->emulated ? "carries the instruction out itself" :
				     "single-steps the instruction",
		    text);
}

static bool is_there(const struct gate_probe *probe, const struct opener_file_id *file,
		     uint64_t file_off)
{
	for (size_t i = 0; i < probe->n_sites; i++) {
		const struct gate_site *site = &probe->sites[i];

		if (site->file_off == file_off && memcmp(&site->file, file, sizeof(*file)) == 0)
			return true;
	}
	return false;
}

static int add(struct finder *f, struct gate_probe *probe, int file,
	       const struct opener_file_id *id, const struct site *site)
{
	int fd;

	if (is_there(probe, id, site->file_off))
		return 0;
	if (probe->n_sites == GATE_SITES_MAX)
		return err__usage(f->err, "%s: there are more than %d places to probe in %s",
				  f->gates->option, GATE_SITES_MAX, probe->user->file);
	fd = fcntl(file, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return err__set(f->err, -errno, "%s: %s", f->gates->option, strerror(errno));
	put_note(f, probe->user, site);
	probe->sites[probe->n_sites++] = (struct gate_site){
		.fd = fd,
		.file = *id,
		.file_off = site->file_off,
		.counter_off = site->counter_off,
	};
	return 0;
}

static int ask(struct finder *f, const struct window_probe *p, int lent, const char *what,
	       struct site *sites, size_t *ret_n)
{
	*ret_n = 1;
	if (p->kind == PROBE_USDT)
		return site_client__find_usdt(f->client, lent, p->group, p->name, what, sites,
					      ret_n, f->err);
	return site_client__find(f->client, lent, p->name, p->offset, what, sites, f->err);
}

static int find_in(struct finder *f, struct gate_probe *probe, int root_fd, uint64_t mnt_ns)
{
	const struct window_probe *p = probe->user;
	_cleanup_free_ char *what =
		p->kind == PROBE_USDT ? xasprintf("%s usdt:%s:%s:%s", f->gates->option, p->file,
						  p->group, p->name) :
					xasprintf("%s u:%s:%s", f->gates->option, p->file, p->name);
	_cleanup_close_ int found = opener__path(f->opener, root_fd, mnt_ns, 0, p->file);
	_cleanup_close_ int lent = -1;
	struct opener_file_id id;
	struct site sites[SITES_MAX];
	size_t n = 0;
	int r;

	if (found < 0)
		return err__usage(f->err, "%s: there is no such file%s: %s", what,
				  root_fd < 0 ? "" : " in a target's root",
				  found == -EINVAL ? "it isn't a regular file" : strerror(-found));
	r = opener__which(f->opener, found, mnt_ns, &id);
	lent = r < 0 ? r : opener__lend(f->opener, found, mnt_ns, 0);
	if (lent < 0)
		return err__set(f->err, lent, "%s: the file can't be read: %s", what,
				strerror(-lent));
	r = ask(f, p, lent, what, sites, &n);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add(f, probe, found, &id, &sites[i]);
	return r;
}

/* In the roots of these processes, each once. */
static int find_of(struct finder *f, struct gate_probe *probe, const pid_t *pids, size_t n)
{
	struct opener_root_id seen[ROOTS_MAX];
	size_t n_seen = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		struct opener_process process = {.root_fd = -1};
		_cleanup_close_ int root = -1;
		bool known = false;

		r = opener__process(f->opener, pids[i], &process);
		root = process.root_fd;
		for (size_t k = 0; k < n_seen; k++)
			known |= memcmp(&seen[k], &process.root_id, sizeof(seen[k])) == 0;
		if (r < 0)
			return err__set(f->err, r, "%s: process %d can't be looked at: %s",
					f->gates->option, pids[i], strerror(-r));
		if (known)
			continue;
		if (n_seen == ROOTS_MAX)
			return err__usage(f->err,
					  "%s: the targets have more than %d roots, in each of "
					  "which the file would have to be probed",
					  f->gates->option, ROOTS_MAX);
		seen[n_seen++] = process.root_id;
		r = find_in(f, probe, root, process.root_id.mnt_ns);
	}
	return r;
}

static int find(struct finder *f, struct gate_probe *probe, const struct target *whom)
{
	if (!probe->user)
		return 0;
	if (whom->n_pids)
		return find_of(f, probe, whom->pids, whom->n_pids);
	if (whom->n_tids)
		return find_of(f, probe, whom->tids, whom->n_tids);
	return find_in(f, probe, -1, 0);
}

int gate_sites__find(struct gates *gates, const struct target *whom, struct opener *opener,
		     struct buf *notes, struct err *err)
{
	struct finder f = {.gates = gates, .opener = opener, .notes = notes, .err = err};
	int r;

	if (!gates__by_user(gates))
		return 0;
	r = canary__try(&f.canary, gates->option, err);
	if (r < 0)
		return r;
	f.client = site_client__new(NULL);
	r = find(&f, &gates->opens, whom);
	if (r == 0)
		r = find(&f, &gates->closes, whom);
	site_client__free(f.client);
	return r;
}

static void close_all(struct gate_probe *probe)
{
	while (probe->n_sites)
		cleanup_close(&probe->sites[--probe->n_sites].fd);
}

void gate_sites__close(struct gates *gates)
{
	close_all(&gates->opens);
	close_all(&gates->closes);
}
