// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/kernel_gates.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "collect/loading.h"
#include "model/duration.h"
#include "sys/kernel_symbols.h"
#include "sys/perf.h"
#include "sys/usage.h"

/* What programs that keep track of windows call themselves: there the kernel lets them out, now and
 * then, so that windows would be missing. */
static const char *const ours[] = {"bpf_",       "__bpf_", "htab_",   "__htab_",
				   "_raw_spin_", "ktime_", "migrate_"};

/* A program that does nothing; btf_id: of the function that it is for. Or -errno. */
static int load_nothing(enum bpf_prog_type type, int btf_id, enum bpf_attach_type attach)
{
	static const struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach,
		    .attach_btf_id = (__u32)btf_id);

	return bpf_prog_load(type, "pmb_try", "GPL", nothing, ARRAY_SIZE(nothing), &opts);
}

/* Nobody is meant: whether the kernel takes a program for that function. 0 or -errno. */
static int try_fentry(int btf_id)
{
	_cleanup_close_ int fd = load_nothing(BPF_PROG_TYPE_TRACING, btf_id, BPF_TRACE_FENTRY);

	return fd < 0 ? fd : 0;
}

/* A call that does nothing of note, and is there whoever runs. With an argument: others have two
 * names, of which the kernel describes the other one. */
#if defined(__x86_64__)
#define IDLE_CALL "__x64_sys_getpgid"
#elif defined(__aarch64__)
#define IDLE_CALL "__arm64_sys_getpgid"
#else
#define IDLE_CALL "__riscv_sys_getpgid"
#endif

enum { TIMES = 1000, ROUNDS = 5 };

/* The CPU time of TIMES such calls; others that run here may only make it longer. */
static uint64_t calls_take_ns(void)
{
	uint64_t least = UINT64_MAX;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t before = usage_thread_ns(), took;

		for (int i = 0; i < TIMES; i++)
			syscall(SYS_getpgid, 0);
		took = usage_thread_ns() - before;
		least = took < least ? took : least;
	}
	return least;
}

/* Until both are closed. */
struct idle_probe {
	int program, event;
};

static void idle_probe__done(struct idle_probe *p)
{
	cleanup_close(&p->event);
	cleanup_close(&p->program);
}

static int idle_fentry(struct idle_probe *p, bool at_exit)
{
	int id = libbpf_find_vmlinux_btf_id(IDLE_CALL, BPF_TRACE_FENTRY);

	p->program = id < 0 ? id :
			      load_nothing(BPF_PROG_TYPE_TRACING, id,
					   at_exit ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY);
	if (p->program < 0)
		return p->program;
	p->event = bpf_raw_tracepoint_open(NULL, p->program);
	return p->event < 0 ? p->event : 0;
}

static int idle_kprobe(struct idle_probe *p, bool at_exit)
{
	p->program = load_nothing(BPF_PROG_TYPE_KPROBE, 0, 0);
	if (p->program < 0)
		return p->program;
	p->event = perf_open_kprobe(IDLE_CALL, at_exit);
	if (p->event < 0)
		return p->event;
	return ioctl(p->event, PERF_EVENT_IOC_SET_BPF, p->program) < 0 ? -errno : 0;
}

static int idle_probe(struct idle_probe *p, bool fentry, bool at_exit)
{
	struct loading loading;
	int r;

	loading__begin(&loading);
	r = fentry ? idle_fentry(p, at_exit) : idle_kprobe(p, at_exit);
	loading__end(&loading);
	return r;
}

static bool is_kprobe(const struct gate_probe *probe)
{
	return probe->kernel && probe->kernel->kind == PROBE_KERNEL;
}

int kernel_gate__measure(const struct gates *gates, uint64_t *ret_ns, struct buf *notes,
			 struct err *err)
{
	_cleanup_(idle_probe__done) struct idle_probe entry = {-1, -1}, exit = {-1, -1};
	const struct window_probe *p = gates->opens.kernel ? gates->opens.kernel :
							     gates->closes.kernel;
	bool fentry = !is_kprobe(&gates->opens) && !is_kprobe(&gates->closes);
	bool calls = gates->windows == PMB_WINDOWS_KERNEL;
	uint64_t without_ns, with_ns;
	char text[DURATION_TEXT];
	int r;

	*ret_ns = 0;
	if (!p)
		return 0;
	without_ns = calls_take_ns();
	r = idle_probe(&entry, fentry, false);
	if (r == 0 && calls)
		r = idle_probe(&exit, fentry, true);
	if (r < 0)
		return err__cannot(
			err,
			"%s: what a probe at a function of the kernel costs can't be "
			"measured, which is done first: no program is attached to %s: %s",
			gates->option, IDLE_CALL, strerror(-r));
	with_ns = calls_take_ns();
	if (with_ns > without_ns)
		*ret_ns = (with_ns - without_ns) / TIMES / (calls ? 2 : 1);
	*ret_ns += !*ret_ns;
	duration_text(*ret_ns, text);
	buf__printf(notes,
		    "%s: a probe at %s takes each caller on this host about %s each time, as calls "
		    "of our own had it (%s), beside our program\n",
		    gates->option, p->name, text, IDLE_CALL);
	return 0;
}

static bool describes_functions(void)
{
	return access("/sys/kernel/btf/vmlinux", R_OK) == 0;
}

bool has_kprobes(void)
{
	return access("/sys/bus/event_source/devices/kprobe", F_OK) == 0 ||
	       access("/sys/kernel/tracing/kprobe_events", F_OK) == 0 ||
	       access("/sys/kernel/debug/tracing/kprobe_events", F_OK) == 0;
}

/* 0; or how the kernel refuses a program for it, if that can be said beforehand. */
static int try_function(const char *name)
{
	struct loading loading;
	int id, r = 0;

	loading__begin(&loading);
	id = libbpf_find_vmlinux_btf_id(name, BPF_TRACE_FENTRY);
	if (id > 0) /* or else it may be a module's */
		r = try_fentry(id);
	loading__end(&loading);
	return r;
}

/* What goes on this kernel in place of it. */
static char *instead_of(const struct window_probe *p)
{
	bool fentry = p->kind == PROBE_FENTRY;

	if (fentry ? has_kprobes() : describes_functions() && try_function(p->name) == 0)
		return xasprintf("%s:%s may do", fentry ? "k" : "f", p->name);
	return xstrdup("calls of it can't be met here; what can are tracepoints (t:CATEGORY:NAME; "
		       "`pmubpf list tracepoint' has them all), system calls (syscall:NAME) and "
		       "programs' functions (u:FILE:FUNCTION)");
}

static int check_fentry(const struct window_probe *p, const struct window_spec *spec,
			struct err *err)
{
	bool described = describes_functions();
	int r = described ? try_function(p->name) : -ENOENT;
	_cleanup_free_ char *instead = r < 0 ? instead_of(p) : NULL;

	if (!described)
		return err__cannot(err,
				   "%s %s: this kernel doesn't describe its functions "
				   "(/sys/kernel/btf/vmlinux, CONFIG_DEBUG_INFO_BTF); %s",
				   spec->option, spec->name, instead);
	if (r == -EPERM || r == -EACCES)
		return err__cannot(
			err,
			"%s %s: this kernel attaches no programs to its functions (%s; is it "
			"locked down, or are capabilities missing?); %s",
			spec->option, spec->name, strerror(-r), instead);
	if (r < 0)
		return err__cannot(err, "%s %s: the kernel attaches no program to %s (%s); %s",
				   spec->option, spec->name, p->name, strerror(-r), instead);
	return 0;
}

static int check_kprobe(const struct window_probe *p, const struct window_spec *spec,
			struct err *err)
{
	_cleanup_free_ char *instead = has_kprobes() ? NULL : instead_of(p);

	if (!instead)
		return 0;
	return err__cannot(err, "%s %s: this kernel has no kprobes (CONFIG_KPROBES); %s",
			   spec->option, spec->name, instead);
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
	if (r == -ENOENT && by_fentry(probe))
		err__cannot(err,
			    "%s: this kernel attaches a program to its function %s only once, as "
			    "those before 5.13 do%s%s",
			    gates->option, probe->kernel->name,
			    has_kprobes() ? "; as k:FUNCTION it can be put in again: k:" : "",
			    has_kprobes() ? probe->kernel->name : "");
	else
		err__cannot(err, "%s: the kernel attaches no program to its function %s: %s",
			    gates->option, probe->kernel->name, strerror(-r));
	return r;
}
