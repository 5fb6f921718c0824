// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Probes of windows, put in and taken out: the opener does either, for the kernel may wait. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "collect/gates.h"
#include "collect/gates_left.h"
#include "collect/kernel_gates.h"
#include "collect/loading.h"
#include "opener/opener.h"

/* r: what putting the probe there said, below 0. */
static int refuse_site(const struct gates *gates, const struct window_probe *p,
		       const struct gate_site *site, int r, struct err *err)
{
	const struct window_probe *opens = gates->opens.user;
	const char *file = p->file              ? p->file :
			   opens && opens->file ? opens->file :
						  "the executable";

	if (r == -OPENER_SERVED)
		return err__cannot(err,
				   "%s: no probe is put into %s, which a process serves (FUSE): "
				   "waiting for that one, the kernel would let no other fork",
				   gates->option, file);
	if (r == -ETIMEDOUT || r == -ECONNREFUSED)
		return err__cannot(err,
				   "%s: no probe was put into %s in time: a process that has it "
				   "mapped holds a lock of its memory, or is too busy to let go "
				   "of it, or whoever has the file doesn't answer",
				   gates->option, file);
	err__cannot(err,
		    "%s: the kernel puts no probe at offset %#llx of %s (function %s): %s; another "
		    "instruction may do (FUNCTION+OFFSET)",
		    gates->option, (unsigned long long)site->file_off, file, p->name, strerror(-r));
	return r;
}

static int attach_site(const struct gates *gates, const struct gate_probe *probe,
		       const struct gate_site *site, struct bpf_program *program,
		       struct gate_user *user, struct err *err)
{
	const unsigned flags = (site->returns ? OPENER_RETURNS : 0) |
			       (user->started ? 0 : OPENER_AT_START);
	int fd = opener__uprobe(gates->opener, site->fd, site->mnt_ns, site->file_off,
				site->counter_off, 0, flags);
	struct bpf_link *link = fd < 0 ? NULL : bpf_program__attach_perf_event(program, fd);
	int r = fd < 0 ? fd : -errno;

	if (link) {
		probe_links__add(&user->links, link, fd);
		return 0;
	}
	if (fd >= 0)
		close(fd);
	return refuse_site(gates, probe->user, site, r, err);
}

static int attach_sites(const struct gates *gates, const struct gate_probe *probe,
			struct bpf_program *program, struct gate_user *user, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < probe->n_sites; i++)
		r = attach_site(gates, probe, &probe->sites[i], program, user, err);
	return r;
}

/* Where one can't be probed, calls that exceptions leave are abandoned, as longjmp's are. */
static void attach_catches(const struct gates *gates, struct gate_user *user)
{
	for (size_t i = 0; i < gates->catches.n_sites; i++)
		attach_site(gates, &gates->catches, &gates->catches.sites[i], user->catches, user,
			    NULL);
}

static void say_paused(const struct gate_user *user, __u32 paused)
{
	__u32 zero = 0;

	if (user->settle)
		run_on_cpus(user->settle, user->n_cpus);
	bpf_map_update_elem(bpf_map__fd(user->paused), &zero, &paused, BPF_ANY);
}

int gates__put_in(const struct gates *gates, struct gate_user *user, struct err *err)
{
	struct probe_links *links = &user->links;
	int r;

	if (user->late)
		return err__cannot(err, "a program holds up that they are taken out of it");
	r = attach_sites(gates, &gates->closes, user->closes, user, err);
	if (r == 0)
		r = kernel_gate__attach(gates, &gates->closes, gates__has_kernel_calls(gates),
					&user->kernel_closes, links, err);
	if (r == 0)
		attach_catches(gates, user);
	if (r == 0)
		r = attach_sites(gates, &gates->goes, user->goes, user, err);
	if (r == 0)
		r = attach_sites(gates, &gates->comes, user->comes, user, err);
	if (r == 0)
		r = attach_sites(gates, &gates->opens, user->opens, user, err);
	if (r == 0)
		r = kernel_gate__attach(gates, &gates->opens, false, &user->kernel_opens, links,
					err);
	if (r < 0)
		probe_links__close(&user->links, gates->opener);
	else if (gates->sliced)
		say_paused(user, PMB_PAUSED_NOT);
	user->started = true;
	return r;
}

int gates__take_out(const struct gates *gates, struct gate_user *user, bool over)
{
	int r;

	if (gates->sliced || over)
		say_paused(user, over ? PMB_PAUSED_OVER : PMB_PAUSED);
	r = probe_links__close(&user->links, gates->opener);
	user->late |= r < 0;
	if (gates->sliced && !over)
		gates_left__all(user);
	return r;
}
