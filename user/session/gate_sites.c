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
#include "collect/kernel_gates.h"
#include "model/duration.h"
#include "opener/opener.h"
#include "session/command.h"
#include "session/goroutine_sites.h"
#include "sym/site_client.h"

enum {
	ROOTS_MAX = 16,
	RUNTIMES_MAX = 16, /* that are mapped, of all targets: each takes a look at its symbols */
};

struct finder {
	const struct gates *gates;
	struct gate_probe *catches; /* of these */
	struct opener *opener;
	struct site_client *client;
	struct probe_costs each;
	bool has_entry, of_go;
	struct site_entry entry; /* of all files */
	struct buf *notes;
	struct err *err;
};

/* One probe that is looked for, in one file. */
struct look {
	struct gate_probe *probe;
	const char *function; /* NULL: as the probe calls it */
	const char *called;   /* how else; NULL: it is called so */
	const char *path;     /* of the file, as its root has it */
	const char *what;     /* for sentences */
	struct opener_file_id id;
	uint64_t mnt_ns;
	int found;
	size_t n_single_stepped, n_added;
};

static bool is_function(const struct finder *f)
{
	return f->gates->windows == PMB_WINDOWS_FUNCTION;
}

static void put_note(struct finder *f, const struct look *l, const struct site *site)
{
	const char *asked = l->function ? l->function : l->probe->user->name;
	char text[DURATION_TEXT];

	duration_text(site->emulated ? f->each.emulated_ns : f->each.stepped_ns, text);
	buf__printf(f->notes,
		    "%s: a probe at offset %#" PRIx64 " of %s (%s), where the kernel %s: about %s "
		    "each time, as a child of our own had it\n",
		    f->gates->option, site->file_off, l->path, l->called ? l->called : asked,
		    site->emulated ? "carries the instruction out itself" :
				     "single-steps the instruction",
		    text);
}

/* There may be dozens: one line for all. */
static void put_note_of_exits(struct finder *f, const struct look *l)
{
	char stepped[DURATION_TEXT], emulated[DURATION_TEXT];

	if (!l->n_added)
		return;
	duration_text(f->each.stepped_ns, stepped);
	duration_text(f->each.emulated_ns, emulated);
	buf__printf(f->notes,
		    "%s: %s is left in %zu place%s, of which the kernel single-steps %zu: about %s "
		    "each time, and %s at others\n",
		    f->gates->option, l->probe->user->name, l->n_added, l->n_added == 1 ? "" : "s",
		    l->n_single_stepped, stepped, emulated);
}

/* It is put where the entry's is. */
static bool site_returns(const struct finder *f, const struct gate_probe *probe)
{
	return f->gates->returns && probe == &f->gates->closes;
}

static void put_note_of_returns(struct finder *f, const struct look *l)
{
	buf__printf(
		f->notes,
		"--unsafe-return-probe: the kernel puts another return address in place of %s's "
		"in %s: where an exception passes through it, or stacks are changed, the "
		"program may crash\n",
		l->probe->user->name, l->path);
}

/* One of two probes. */
static void put_note_of_go(struct finder *f, const struct look *l)
{
	buf__printf(f->notes,
		    "%s: %s is Go's: where a goroutine changes its thread between the two probes "
		    "its window goes on, and ends with another goroutine's\n",
		    f->gates->option, l->probe->user->name);
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

/* Programs tell exits by where in a page they are. */
static bool is_taken_for_another(const struct gate_probe *probe, const struct site *site)
{
	for (size_t i = 0; i < probe->n_sites; i++) {
		if (probe->sites[i].file_off % PMB_EXIT_PLACES ==
			    site->file_off % PMB_EXIT_PLACES &&
		    probe->sites[i].when != site->when)
			return true;
	}
	return false;
}

static int add(struct finder *f, struct look *l, const struct site *site)
{
	struct gate_probe *probe = l->probe;
	int fd;

	if (is_there(probe, &l->id, site->file_off))
		return 0;
	if (probe->n_sites == GATE_SITES_MAX)
		return err__usage(f->err, "%s: there are more than %d places to probe",
				  f->gates->option, GATE_SITES_MAX);
	if (is_taken_for_another(probe, site))
		return err__cannot(f->err,
				   "%s: two of the places where the function is left can't be told "
				   "apart",
				   l->what);
	fd = fcntl(l->found, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return err__set(f->err, -errno, "%s: %s", f->gates->option, strerror(errno));
	if (site_returns(f, probe))
		put_note_of_returns(f, l);
	else if (is_function(f) && probe == &f->gates->closes)
		l->n_single_stepped += !site->emulated;
	else
		put_note(f, l, site);
	l->n_added++;
	probe->sites[probe->n_sites++] = (struct gate_site){
		.fd = fd,
		.file = l->id,
		.mnt_ns = l->mnt_ns,
		.file_off = site->file_off,
		.counter_off = site->counter_off,
		.when = site->when,
		.emulated = site->emulated || site_returns(f, probe),
		.returns = site_returns(f, probe),
	};
	return 0;
}

/* Programs know one place, and one kind of calls. */
static int take_entry(struct finder *f, const struct look *l, const struct site_entry *entry)
{
	bool of_go = site_client__of_go(f->client), first = !f->has_entry;

	if (!first && (of_go != f->of_go || entry->grows != f->entry.grows))
		return err__cannot(f->err,
				   "%s: the targets' files differ in how calls of it begin: take "
				   "one of the targets",
				   l->what);
	f->entry.kept = !first && f->entry.kept != entry->kept ? PMB_KEPT_UNKNOWN : entry->kept;
	f->entry.grows = entry->grows;
	f->of_go = of_go;
	f->has_entry = true;
	if (!of_go || (!f->gates->by_process && !f->gates->returns))
		return 0;
	return err__usage(f->err,
			  "%s: calls of Go's functions go on on another thread than they began on, "
			  "and on a copy of their stack: their windows are goroutines', which "
			  "leaves out --window-scope process and --unsafe-return-probe",
			  l->what);
}

static int ask_for_function(struct finder *f, const struct look *l, int lent, struct site *sites,
			    size_t *ret_n)
{
	struct site_entry entry;
	int r = site_client__find_function(f->client, lent, l->probe->user->name, l->what, sites,
					   ret_n, &entry, f->err);

	return r < 0 ? r : take_entry(f, l, &entry);
}

static int ask(struct finder *f, const struct look *l, int lent, struct site *sites, size_t *ret_n)
{
	const struct window_probe *p = l->probe->user;

	*ret_n = 1;
	if (p->kind == PROBE_USDT)
		return site_client__find_usdt(f->client, lent, p->group, p->name, l->what, sites,
					      ret_n, f->err);
	if (is_function(f) && l->probe != f->catches)
		return ask_for_function(f, l, lent, sites, ret_n);
	return site_client__find(f->client, lent, p->name, p->offset, l->what, sites, f->err);
}

/* Of a function the first place is its entry, and all others are its exits. */
static int add_all(struct finder *f, struct look *l, const struct site *sites, size_t n)
{
	bool exits = is_function(f) && l->probe == &f->gates->closes && !f->gates->returns;
	size_t end = is_function(f) && !exits && n ? 1 : n;
	int r = 0;

	for (size_t i = exits; r == 0 && i < end; i++)
		r = add(f, l, &sites[i]);
	if (r == 0 && exits)
		put_note_of_exits(f, l);
	return r;
}

static char *in_words(const struct finder *f, const struct window_probe *p, const char *path)
{
	if (p->kind == PROBE_USDT)
		return xasprintf("%s usdt:%s:%s:%s", f->gates->option, path, p->group, p->name);
	return xasprintf("%s u:%s:%s", f->gates->option, path, p->name);
}

static int find_in(struct finder *f, struct gate_probe *probe, int root_fd, uint64_t mnt_ns,
		   const char *path)
{
	_cleanup_free_ char *what = in_words(f, probe->user, path);
	_cleanup_close_ int found = opener__path(f->opener, root_fd, mnt_ns, 0, path);
	_cleanup_close_ int lent = -1;
	struct look l = {.probe = probe,
			 .path = path,
			 .what = what,
			 .mnt_ns = mnt_ns,
			 .found = found};
	struct site sites[SITES_MAX];
	size_t n = 0;
	int r;

	if (found < 0)
		return err__usage(f->err, "%s: there is no such file%s: %s", what,
				  root_fd < 0 ? "" : " in a target's root",
				  found == -EINVAL ? "it isn't a regular file" : strerror(-found));
	r = opener__which(f->opener, found, mnt_ns, &l.id);
	lent = r < 0 ? r : opener__lend(f->opener, found, mnt_ns, 0);
	if (lent < 0)
		return err__set(f->err, lent, "%s: the file can't be read: %s", what,
				strerror(-lent));
	r = ask(f, &l, lent, sites, &n);
	l.called = site_client__called(f->client);
	if (r == 0 && !is_function(f) && probe == &f->gates->opens && site_client__of_go(f->client))
		put_note_of_go(f, &l);
	return r < 0 ? r : add_all(f, &l, sites, n);
}

static int no_file(const struct finder *f, const struct window_probe *p)
{
	return err__usage(f->err, "%s u:%s: say which file has the function: u:/path/of/file:%s",
			  f->gates->option, p->name, p->name);
}

struct roots {
	struct opener_root_id seen[ROOTS_MAX];
	size_t n;
};

/* -EINVAL: there are too many. */
static int roots__add(struct roots *roots, const struct opener_root_id *id, bool *ret_known)
{
	*ret_known = true;
	for (size_t i = 0; i < roots->n; i++) {
		if (memcmp(&roots->seen[i], id, sizeof(*id)) == 0)
			return 0;
	}
	*ret_known = false;
	if (roots->n == ROOTS_MAX)
		return -EINVAL;
	roots->seen[roots->n++] = *id;
	return 0;
}

/* In its root, unless that was looked at; without a file in what it runs. */
static int find_of_one(struct finder *f, struct gate_probe *probe, struct roots *roots, pid_t pid)
{
	_cleanup_free_ char *exe = probe->user->file ? NULL : opener__exe(f->opener, pid);
	struct opener_process process = {.root_fd = -1};
	int r = opener__process(f->opener, pid, &process);
	_cleanup_close_ int root = process.root_fd;
	bool known;

	if (r == -ETIMEDOUT)
		return err__cannot(
			f->err,
			"%s: process %d can't be looked at: it doesn't let go of the lock "
			"of its memory (what it has mapped is perhaps a server's that "
			"doesn't answer)",
			f->gates->option, pid);
	if (r < 0)
		return err__set(f->err, r, "%s: process %d can't be looked at: %s",
				f->gates->option, pid, strerror(-r));
	if (roots__add(roots, &process.root_id, &known) < 0)
		return err__usage(f->err,
				  "%s: the targets have more than %d roots, in each of which the "
				  "file would have to be probed",
				  f->gates->option, ROOTS_MAX);
	if (!probe->user->file && !exe)
		return no_file(f, probe->user);
	if (known && !exe)
		return 0;
	return find_in(f, probe, root, process.root_id.mnt_ns, exe ? exe : probe->user->file);
}

static int find_of(struct finder *f, struct gate_probe *probe, const pid_t *pids, size_t n)
{
	struct roots roots = {.n = 0};
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = find_of_one(f, probe, &roots, pids[i]);
	return r;
}

static int find_here(struct finder *f, struct gate_probe *probe, const struct target *whom)
{
	_cleanup_free_ char *exe = NULL;

	if (!probe->user->file && target__is_command(whom))
		exe = command__file(whom->command[0]);
	if (!probe->user->file && !exe)
		return no_file(f, probe->user);
	return find_in(f, probe, -1, 0, exe ? exe : probe->user->file);
}

static int find(struct finder *f, struct gate_probe *probe, const struct target *whom)
{
	if (!probe->user)
		return 0;
	if (whom->n_pids)
		return find_of(f, probe, whom->pids, whom->n_pids);
	if (whom->n_tids)
		return find_of(f, probe, whom->tids, whom->n_tids);
	return find_here(f, probe, whom);
}

/* --- where exceptions are caught: a call that one leaves is over there --- */

static const char *const cxx_runtimes[] = {"libstdc++.so.6", "libc++abi.so.1"};
static const char *const library_folders[] = {
	"/usr/lib/x86_64-linux-gnu",
	"/lib/x86_64-linux-gnu",
	"/usr/lib64",
	"/lib64",
	"/usr/lib",
	"/lib",
	"/usr/local/lib64",
	"/usr/local/lib",
};

/* Rust's, of 1.95 and before: it is linked into what catches panics, as a rule. */
static const char *const catches_of_rust[] = {
	"std::panicking::catch_unwind::cleanup",
	"std::panicking::try::cleanup",
};

static int find_catch(struct finder *f, struct look *l, int lent, const char *function)
{
	struct site site;
	int r = site_client__find(f->client, lent, function, 0, "", &site, NULL);

	l->function = function;
	if (r == 0)
		add(f, l, &site);
	return r;
}

static bool uses(struct finder *f, int lent, const char *function)
{
	struct site site;
	int r = site_client__find(f->client, lent, function, 0, "", &site, NULL);

	return r == 0 || r == -ENOLINK;
}

/* True: a file of C++ that uses exceptions; who catches them may be in another one. What catches
 * them is taken if it is in this one, which is linked statically then. */
static bool look_for_catches(struct finder *f, const struct gate_site *in)
{
	_cleanup_close_ int lent = opener__lend(f->opener, in->fd, in->mnt_ns, 0);
	const char *file = f->gates->opens.user->file;
	struct look l = {.probe = f->catches,
			 .path = file ? file : "the executable",
			 .what = "",
			 .id = in->file,
			 .mnt_ns = in->mnt_ns,
			 .found = in->fd};
	int r;

	if (lent < 0)
		return false;
	r = find_catch(f, &l, lent, f->catches->user->name);
	if (uses(f, lent, "rust_eh_personality")) {
		for (size_t i = 0; i < ARRAY_SIZE(catches_of_rust); i++)
			find_catch(f, &l, lent, catches_of_rust[i]);
	}
	return r == 0 || r == -ENOLINK || uses(f, lent, "__gxx_personality_v0") ||
	       uses(f, lent, "__cxa_throw");
}

static void find_libraries(struct finder *f, int root_fd, uint64_t mnt_ns)
{
	for (size_t i = 0; i < ARRAY_SIZE(cxx_runtimes); i++) {
		int r = -ENOENT;

		for (size_t j = 0; r < 0 && j < ARRAY_SIZE(library_folders); j++) {
			_cleanup_free_ char *path =
				xasprintf("%s/%s", library_folders[j], cxx_runtimes[i]);

			r = find_in(f, f->catches, root_fd, mnt_ns, path);
		}
	}
}

/* What targets have mapped by such a name, each file once: a program may have brought its own. */
struct mapped_runtimes {
	struct runtime {
		uint64_t dev, inode;
		char *path;
	} list[RUNTIMES_MAX];
	size_t n;
};

static void take_runtime(void *ctx, const struct map_line *line)
{
	struct mapped_runtimes *m = ctx;
	uint64_t dev = (uint64_t)line->dev_major << 32 | line->dev_minor;
	const char *name = strrchr(line->path, '/');

	if (!name || m->n == RUNTIMES_MAX ||
	    (strncmp(name, "/libstdc++.so", strlen("/libstdc++.so")) != 0 &&
	     strncmp(name, "/libc++abi.so", strlen("/libc++abi.so")) != 0))
		return;
	for (size_t i = 0; i < m->n; i++) {
		if (m->list[i].inode == line->inode && m->list[i].dev == dev)
			return;
	}
	m->list[m->n++] = (struct runtime){dev, line->inode, xstrdup(line->path)};
}

static void find_catches_of(struct finder *f, struct roots *roots, struct mapped_runtimes *m,
			    pid_t pid)
{
	struct opener_process process = {.root_fd = -1};
	int r = opener__process(f->opener, pid, &process);
	_cleanup_close_ int root = process.root_fd;
	size_t old = m->n;
	bool known;

	if (r < 0 || roots__add(roots, &process.root_id, &known) < 0)
		return;
	if (!known)
		find_libraries(f, root, process.root_id.mnt_ns);
	opener__maps(f->opener, pid, take_runtime, m);
	/* not before: the opener answers one question at a time */
	for (size_t i = old; i < m->n; i++)
		find_in(f, f->catches, root, process.root_id.mnt_ns, m->list[i].path);
}

/* Without a sentence: what isn't found is abandoned, as longjmp's are. */
static void find_catches(struct finder *f, const struct target *whom)
{
	const pid_t *pids = whom->n_pids ? whom->pids : whom->tids;
	size_t n = whom->n_pids ? whom->n_pids : whom->n_tids;
	const struct gate_probe *opens = &f->gates->opens;
	struct mapped_runtimes mapped = {.n = 0};
	struct roots roots = {.n = 0};
	bool wanted = false;

	if (!f->catches->user || f->gates->returns)
		return;
	f->err = NULL;
	for (size_t i = 0; i < opens->n_sites; i++)
		wanted |= look_for_catches(f, &opens->sites[i]);
	for (size_t i = 0; wanted && i < n; i++)
		find_catches_of(f, &roots, &mapped, pids[i]);
	if (wanted && !n)
		find_libraries(f, -1, 0);
	while (mapped.n)
		free(mapped.list[--mapped.n].path);
}

/* The hits of both are counted as one. */
static void add_costs(struct probe_costs *to, const struct probe_costs *user)
{
	if (to->emulated_ns < user->emulated_ns)
		to->emulated_ns = user->emulated_ns;
	to->stepped_ns = user->stepped_ns;
}

int gate_sites__find(struct gates *gates, const struct target *whom, struct opener *opener,
		     struct probe_costs *ret_each, struct buf *notes, struct err *err)
{
	struct finder f = {
		.gates = gates,
		.catches = &gates->catches,
		.opener = opener,
		.notes = notes,
		.err = err,
	};
	int r;

	r = kernel_gate__measure(gates, &ret_each->emulated_ns, notes, err);
	if (r < 0 || !gates__by_user(gates))
		return r;
	gates->opener = opener;
	r = canary__try(&f.each, gates->returns, gates->option, err);
	if (r < 0)
		return r;
	add_costs(ret_each, &f.each);
	f.client = site_client__new(NULL);
	r = find(&f, &gates->opens, whom);
	if (r == 0)
		r = find(&f, &gates->closes, whom);
	if (r == 0)
		find_catches(&f, whom);
	f.err = err;
	if (r == 0 && f.of_go && gates->counted)
		r = goroutine_sites__find(gates, f.client, &f.each, notes, err);
	site_client__free(f.client);
	gates->kept = f.entry.kept;
	gates->grows = f.entry.grows;
	gates->of_go = f.of_go;
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
	close_all(&gates->catches);
	close_all(&gates->comes);
	close_all(&gates->goes);
}
