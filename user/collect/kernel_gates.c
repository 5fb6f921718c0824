// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/kernel_gates.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "collect/loading.h"
#include "sys/kernel_functions.h"

/* What programs that keep track of windows call themselves: there the kernel lets them out, now and
 * then, so that windows would be missing. */
static const char *const ours[] = {"bpf_",       "__bpf_", "htab_",   "__htab_",
				   "_raw_spin_", "ktime_", "migrate_"};

/* Nobody is meant: whether the kernel takes a program for that function. 0 or -errno. */
static int try_fentry(int btf_id)
{
	static const struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY,
		    .attach_btf_id = (__u32)btf_id);
	_cleanup_close_ int fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "pmb_try", "GPL", nothing,
					       ARRAY_SIZE(nothing), &opts);

	return fd < 0 ? fd : 0;
}

static int check_fentry(const struct window_probe *p, const struct window_spec *spec,
			struct err *err)
{
	struct loading loading;
	int id, r = 0;

	if (access("/sys/kernel/btf/vmlinux", R_OK) < 0)
		return err__cannot(err,
				   "%s %s: this kernel doesn't describe its functions "
				   "(/sys/kernel/btf/vmlinux, CONFIG_DEBUG_INFO_BTF); k:%s may do",
				   spec->option, spec->name, p->name);
	loading__begin(&loading);
	id = libbpf_find_vmlinux_btf_id(p->name, BPF_TRACE_FENTRY);
	if (id > 0) /* or else it may be a module's */
		r = try_fentry(id);
	loading__end(&loading);
	if (r == -EPERM || r == -EACCES)
		return err__cannot(
			err,
			"%s %s: this kernel lets nobody attach programs to its functions "
			"(%s; is it locked down, or are capabilities missing?)",
			spec->option, spec->name, strerror(-r));
	if (r < 0)
		return err__cannot(err,
				   "%s %s: the kernel attaches no program to %s (%s); the function "
				   "that calls it, or k:%s, may do",
				   spec->option, spec->name, p->name, strerror(-r), p->name);
	return 0;
}

static int check_kprobe(const struct window_probe *p, const struct window_spec *spec,
			struct err *err)
{
	if (access("/sys/bus/event_source/devices/kprobe", F_OK) == 0 ||
	    access("/sys/kernel/tracing/kprobe_events", F_OK) == 0 ||
	    access("/sys/kernel/debug/tracing/kprobe_events", F_OK) == 0)
		return 0;
	return err__cannot(err,
			   "%s %s: this kernel has no kprobes (CONFIG_KPROBES); f:%s is the same "
			   "function, by the kernel's own calls of programs",
			   spec->option, spec->name, p->name);
}

int kernel_gate__check(const struct window_probe *p, const struct window_spec *spec,
		       struct err *err)
{
	int n;

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++) {
		if (starts_with(p->name, ours[i]))
			return err__usage(err,
					  "%s %s: functions %s… are called by what keeps track of "
					  "windows, so they can't open or close one",
					  spec->option, spec->name, ours[i]);
	}
	n = kernel_functions_called(p->name);
	if (n == 0)
		return err__usage(err,
				  "%s %s: this kernel has no function %s: another has that name "
				  "elsewhere, or the compiler has inlined all of it; `grep %s "
				  "/proc/kallsyms' has what is there",
				  spec->option, spec->name, p->name, p->name);
	if (n > 1)
		return err__usage(err,
				  "%s %s: %d functions of this kernel are called %s, and the name "
				  "doesn't say which: take one that calls it",
				  spec->option, spec->name, n, p->name);
	return p->kind == PROBE_FENTRY ? check_fentry(p, spec, err) : check_kprobe(p, spec, err);
}

static bool by_fentry(const struct gate_probe *probe)
{
	return probe->kernel && probe->kernel->kind == PROBE_FENTRY;
}

void kernel_gate__choose(const struct gate_probe *probe, bool at_exit,
			 const struct kernel_programs *programs)
{
	bool fentry = by_fentry(probe);

	bpf_program__set_autoload(programs->kprobe, probe->kernel && !fentry);
	bpf_program__set_autoload(programs->fentry, fentry);
	bpf_program__set_autoattach(programs->fentry, false);
	if (!fentry)
		return;
	bpf_program__set_expected_attach_type(programs->fentry,
					      at_exit ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY);
	bpf_program__set_attach_target(programs->fentry, 0, probe->kernel->name);
}

int kernel_gate__attach(const struct gates *gates, const struct gate_probe *probe, bool at_exit,
			const struct kernel_programs *programs, struct probe_links *links,
			struct err *err)
{
	struct bpf_link *link;
	int r;

	if (!probe->kernel)
		return 0;
	link = by_fentry(probe) ?
		       bpf_program__attach_trace(programs->fentry) :
		       bpf_program__attach_kprobe(programs->kprobe, at_exit, probe->kernel->name);
	if (link) {
		probe_links__add(links, link, -1);
		return 0;
	}
	r = -errno;
	err__cannot(err, "%s: the kernel attaches no program to its function %s: %s", gates->option,
		    probe->kernel->name, strerror(-r));
	return r;
}
