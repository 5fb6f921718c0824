// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * All goroutines go on by runtime.gogo. They leave their threads by runtime.mcall, which they call
 * themselves; but where the runtime finds, amid making their stack larger, that they have had their
 * time, it goes by two functions of its own. Where one of these isn't there, goroutines that leave
 * by it are seen when their thread gets another one, and aren't counted.
 */
#include "session/goroutine_sites.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "collect/canary.h"
#include "collect/gates.h"
#include "model/duration.h"
#include "opener/opener.h"
#include "sym/site_client.h"

static char comes_name[] = "runtime.gogo", goes_name[] = "runtime.mcall";
static const struct window_probe comes = {.kind = PROBE_USER, .name = comes_name};
static const struct window_probe goes = {.kind = PROBE_USER, .name = goes_name};

/* Go's compiler has two ways of calling, and the linker tells them apart. */
static const char *const comes_names[] = {"runtime.gogo.abi0", comes_name};
static const char *const goes_names[] = {goes_name, "runtime.goschedImpl", "runtime.preemptPark"};

struct look {
	const struct gate_site *in;
	struct site_client *client;
	int lent; /* the file, for the client */
	struct err *err;
};

static int add(const struct look *l, struct gate_probe *probe, const struct site *site)
{
	int fd = fcntl(l->in->fd, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	probe->sites[probe->n_sites++] = (struct gate_site){
		.fd = fd,
		.file = l->in->file,
		.mnt_ns = l->in->mnt_ns,
		.file_off = site->file_off,
		.emulated = site->emulated,
	};
	return 0;
}

/* Its end is a jump, which the kernel carries out itself; there all is as at its beginning. In Go
 * up to 1.16 it has none. */
static int add_comes(const struct look *l, struct gate_probe *probe)
{
	struct site sites[SITES_MAX];
	struct site_entry entry;
	size_t n = 0;
	int r = -ENOENT;

	for (size_t i = 0; r < 0 && i < ARRAY_SIZE(comes_names); i++)
		r = site_client__find_function(l->client, l->lent, comes_names[i], "", sites, &n,
					       &entry, NULL);
	for (size_t i = 0; r < 0 && i < ARRAY_SIZE(comes_names); i++, n = 1)
		r = site_client__find(l->client, l->lent, comes_names[i], 0, "", sites, NULL);
	if (r < 0)
		return r;
	return add(l, probe, &sites[n == 2 && sites[1].emulated && !sites[1].when]);
}

static int add_goes(const struct look *l, struct gate_probe *probe)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(goes_names); i++) {
		struct site site;

		r = site_client__find(l->client, l->lent, goes_names[i], 0, "", &site, NULL);
		if (r == 0)
			r = add(l, probe, &site);
		else if (i)
			r = 0;
	}
	return r;
}

static int add_of_file(struct gates *gates, struct look *l)
{
	int r;

	if (gates->goes.n_sites + ARRAY_SIZE(goes_names) > GATE_SITES_MAX)
		return err__usage(l->err, "%s: there are more than %d places to probe",
				  gates->option, GATE_SITES_MAX);
	r = add_comes(l, &gates->comes);
	if (r == 0)
		r = add_goes(l, &gates->goes);
	if (r == -EMFILE)
		return err__set(l->err, r, "%s: %s", gates->option, strerror(-r));
	if (r == 0)
		return r;
	return err__cannot(l->err,
			   "%s: what a goroutine counts is known where it gets and loses its "
			   "threads, and the functions of Go's runtime that do that (%s, %s) "
			   "aren't found in the file; `pmubpf record --window` needs none of them",
			   gates->option, comes_name, goes_name);
}

static void put_note(const struct gates *gates, const struct probe_costs *each, struct buf *notes)
{
	char text[DURATION_TEXT];
	bool stepped = false;

	for (size_t i = 0; i < gates->goes.n_sites; i++)
		stepped |= !gates->goes.sites[i].emulated;
	for (size_t i = 0; i < gates->comes.n_sites; i++)
		stepped |= !gates->comes.sites[i].emulated;
	duration_text(stepped ? each->stepped_ns : each->emulated_ns, text);
	buf__printf(notes,
		    "%s: %s is Go's: whenever any goroutine of the program gets a thread or loses "
		    "it there is a probe, too (runtime.gogo, runtime.mcall and two more): about %s "
		    "each time\n",
		    gates->option, gates->opens.user->name, text);
}

int goroutine_sites__find(struct gates *gates, struct site_client *client,
			  const struct probe_costs *each, struct buf *notes, struct err *err)
{
	int r = 0;

	gates->comes.user = &comes;
	gates->goes.user = &goes;
	for (size_t i = 0; r == 0 && i < gates->opens.n_sites; i++) {
		const struct gate_site *in = &gates->opens.sites[i];
		_cleanup_close_ int lent = opener__lend(gates->opener, in->fd, in->mnt_ns, 0);
		struct look l = {.in = in, .client = client, .lent = lent, .err = err};

		r = lent < 0 ? err__set(err, lent, "%s: the file can't be read: %s", gates->option,
					strerror(-lent)) :
			       add_of_file(gates, &l);
	}
	if (r == 0)
		put_note(gates, each, notes);
	return r;
}
