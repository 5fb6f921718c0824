// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/gates.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "collect/features.h"
#include "collect/gate.skel.h"
#include "collect/gates_left.h"
#include "collect/kernel_gates.h"
#include "collect/loading.h"
#include "collect/recording.skel.h"
#include "model/ledger.h"
#include "pmu/window_event.h"
#include "pmubpf/budgets.h"
#include "sys/calls.h"
#include "sys/tracefs.h"

/* Calls in which a thread waits for work, or for its time. Not those that wait for one peer (read,
 * recv): a request's own questions to others belong to it. */
static const struct {
	const char *name;
	enum pmb_call how;
} waits[] = {
	{"epoll_wait", PMB_CALL_ANY},
	{"epoll_pwait", PMB_CALL_ANY},
	{"epoll_pwait2", PMB_CALL_ANY},
	{"poll", PMB_CALL_ANY},
	{"ppoll", PMB_CALL_ANY},
	{"select", PMB_CALL_ANY},
	{"pselect6", PMB_CALL_ANY},
	{"accept", PMB_CALL_ANY},
	{"accept4", PMB_CALL_ANY},
	{"futex", PMB_CALL_FUTEX},
	{"io_getevents", PMB_CALL_ANY},
	{"io_pgetevents", PMB_CALL_ANY},
	{"io_uring_enter", PMB_CALL_THIRD}, /* for that many completions */
	{"nanosleep", PMB_CALL_ANY},
	{"clock_nanosleep", PMB_CALL_ANY},
	{"pause", PMB_CALL_ANY},
	{"rt_sigtimedwait", PMB_CALL_ANY},
	{"rt_sigsuspend", PMB_CALL_ANY},
	{"msgrcv", PMB_CALL_ANY},
	{"mq_timedreceive", PMB_CALL_ANY},
	{"restart_syscall", PMB_CALL_ANY}, /* of one of these */
};

static void settle_loop(struct gates *g)
{
	g->windows = PMB_WINDOWS_LOOP;
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		int number = call_number(waits[i].name);

		if (number >= 0 && number < PMB_CALLS)
			g->calls[number] = (uint8_t)waits[i].how;
	}
}

static int settle_syscall(struct gates *g, const struct window_spec *spec, struct err *err)
{
	int number = spec->call ? call_number(spec->call) : 0;

	g->windows = PMB_WINDOWS_SYSCALL;
	if (number < 0 || number >= PMB_CALLS)
		return err__usage(err,
				  "%s syscall:%s: no system call here has that name; they are "
				  "called as in section 2 of the manual (`man 2 syscalls')",
				  spec->option, spec->call);
	if (spec->call)
		g->calls[number] = PMB_CALL_ANY;
	else
		memset(g->calls, PMB_CALL_ANY, sizeof(g->calls));
	return 0;
}

/* Whether the kernel can call a program there; where tracefs isn't mounted, attaching will tell. */
static int check_tracepoint(const struct window_probe *p, const struct window_spec *spec,
			    struct err *err)
{
	const char *option = spec->option, *whole = spec->name;
	uint64_t id;

	if (strcmp(p->group, "syscalls") == 0)
		return err__usage(err,
				  "%s %s: programs can't be attached to the tracepoints of "
				  "single system calls; %s syscall:NAME is the call of that name",
				  option, whole, option);
	/* the programs themselves take locks, and no lock may be taken twice in an interrupt */
	if (strcmp(p->group, "lock") == 0 || strcmp(p->group, "nmi") == 0)
		return err__usage(err,
				  "%s %s: tracepoints of %s are hit by the code that keeps track "
				  "of windows, so they can't open or close one",
				  option, whole, p->group);
	if (tracepoint_id(p->group, p->name, &id) != -ENOENT)
		return 0;
	return err__usage(err,
			  tracepoint_has_category(p->group) ?
				  "%s %s: there is no tracepoint %s:%s here; `ls "
				  "/sys/kernel/tracing/events/%s` lists those of the category" :
				  "%s %s: there is no tracepoint %s:%s here, nor a category %s; "
				  "`ls /sys/kernel/tracing/events` lists them",
			  option, whole, p->group, p->name, p->group);
}

static int settle_event(struct gate_probe *ret, const struct window_probe *p,
			const struct window_spec *spec, const struct event_names *names,
			struct err *err)
{
	int r = window_event__parse(&ret->event, p, spec, names, err);

	return r < 0 ? r : window_event__check(ret->event, spec, err);
}

static int settle_probe(struct gate_probe *ret, const struct window_probe *p,
			const struct window_spec *spec, const struct event_names *names,
			struct err *err)
{
	switch (p->kind) {
	case PROBE_TRACEPOINT:
		ret->tracepoint = p->name;
		return check_tracepoint(p, spec, err);
	case PROBE_ADDRESS:
	case PROBE_EVENT:
		return settle_event(ret, p, spec, names, err);
	case PROBE_USDT:
	case PROBE_USER:
		ret->user = p;
		return 0;
	case PROBE_KERNEL:
	case PROBE_FENTRY:
		ret->kernel = p;
		return kernel_gate__check(p, spec, err);
	case PROBE_NONE:
		break;
	}
	return 0;
}

static bool same_probe(const struct window_probe *a, const struct window_probe *b)
{
	return a->kind == b->kind && a->name && b->name && strcmp(a->name, b->name) == 0 &&
	       (!a->group || strcmp(a->group, b->group) == 0) && a->offset == b->offset &&
	       (!a->file || !b->file || strcmp(a->file, b->file) == 0);
}

static int settle_between(struct gates *g, const struct window_spec *spec,
			  const struct event_names *names, struct err *err)
{
	bool same = same_probe(&spec->from, &spec->to);
	int r = settle_probe(&g->opens, &spec->from, spec, names, err);

	g->windows = same ? PMB_WINDOWS_TOGGLE : PMB_WINDOWS_BETWEEN;
	return r < 0 || same ? r : settle_probe(&g->closes, &spec->to, spec, names, err);
}

/* As C++'s runtime libraries call it. */
static char catch_name[] = "__cxa_begin_catch";
static const struct window_probe catch_probe = {.kind = PROBE_USER, .name = catch_name};

static int settle_function(struct gates *g, const struct window_spec *spec,
			   const struct event_names *names, struct err *err)
{
	bool user = spec->from.kind == PROBE_USER;

	g->windows = user ? PMB_WINDOWS_FUNCTION : PMB_WINDOWS_KERNEL;
	g->closes.user = user ? &spec->from : NULL;
	g->catches.user = user ? &catch_probe : NULL;
	g->closes.kernel = user ? NULL : &spec->from;
	return settle_probe(&g->opens, &spec->from, spec, names, err);
}

int gates__settle(struct gates *ret, const struct window_spec *spec,
		  const struct event_names *names, uint64_t after_ns, struct err *err)
{
	*ret = (struct gates){.option = spec->option, .after_ns = after_ns};
	switch (spec->kind) {
	case WINDOW_NONE:
		return 0;
	case WINDOW_LOOP:
		settle_loop(ret);
		return 0;
	case WINDOW_SYSCALL:
		return settle_syscall(ret, spec, err);
	case WINDOW_HITS:
		ret->windows = PMB_WINDOWS_HITS;
		return settle_probe(&ret->opens, &spec->from, spec, names, err);
	case WINDOW_FUNCTION:
		return settle_function(ret, spec, names, err);
	case WINDOW_BETWEEN:
		return settle_between(ret, spec, names, err);
	case WINDOW_RUN:
		ret->windows = PMB_WINDOWS_RUN;
		return 0;
	}
	return 0;
}

static void probe_done(struct gate_probe *p)
{
	if (p->event)
		event__done(p->event);
	free(p->event);
	*p = (struct gate_probe){0};
}

void gates__done(struct gates *g)
{
	probe_done(&g->opens);
	probe_done(&g->closes);
	probe_done(&g->catches);
}

bool gates__has_kernel_calls(const struct gates *g)
{
	return g && g->windows == PMB_WINDOWS_KERNEL;
}

bool gates__by_event(const struct gates *g)
{
	return g->opens.event || g->closes.event;
}

bool gates__by_user(const struct gates *g)
{
	return g->opens.user || g->closes.user;
}

bool gates__by_kernel(const struct gates *g)
{
	return g->opens.kernel || g->closes.kernel;
}

bool gates__by_probes(const struct gates *g)
{
	return gates__by_user(g) || gates__by_kernel(g);
}

bool gates__by_nmi(const struct gates *g)
{
	return (g->opens.event && window_event__in_nmi(g->opens.event)) ||
	       (g->closes.event && window_event__in_nmi(g->closes.event));
}

int gates__set_by_process(struct gates *g, struct err *err)
{
	if (g->windows == PMB_WINDOWS_RUN)
		return err__usage(err,
				  "--window-scope process: a run is of one thread and its CPU; "
				  "leave --window-scope out, or use another kind of window");
	/* its programs delete from a map, whose lock an NMI may not wait for */
	if (gates__by_nmi(g))
		return err__usage(err, "--window-scope process: a counter of the CPU can't open or "
				       "close windows of processes; software events, breakpoints, "
				       "tracepoints and functions can");
	g->by_process = true;
	return 0;
}

int gates__set_returns(struct gates *g, struct err *err)
{
	if (g->windows != PMB_WINDOWS_FUNCTION)
		return err__usage(err, "--unsafe-return-probe is of calls of a function: --window "
				       "u:/path/of/file:FUNCTION");
	g->returns = true;
	return 0;
}

static void note_stepped(const struct gate_probe *p, uint8_t ret[PMB_EXIT_PLACES])
{
	for (size_t i = 0; i < p->n_sites; i++) {
		if (!p->sites[i].emulated)
			ret[p->sites[i].file_off % PMB_EXIT_PLACES] |= PMB_EXIT_STEPPED;
	}
}

void gates__exits(const struct gates *g, uint8_t ret[PMB_EXIT_PLACES])
{
	for (size_t i = 0; i < g->closes.n_sites; i++)
		ret[g->closes.sites[i].file_off % PMB_EXIT_PLACES] = g->closes.sites[i].when;
	note_stepped(&g->opens, ret);
	note_stepped(&g->closes, ret);
	note_stepped(&g->catches, ret);
	note_stepped(&g->comes, ret);
	note_stepped(&g->goes, ret);
}

void gates__note_skid(const struct gates *g, struct buf *notes)
{
	const struct event *opens = g->opens.event, *closes = g->closes.event;

	if (opens)
		buf__printf(notes, "%s: '%s' %s windows %s\n", g->option, opens->name,
			    g->windows == PMB_WINDOWS_BETWEEN ? "opens" : "opens and closes",
			    window_event__skid(opens));
	if (closes)
		buf__printf(notes, "%s: '%s' closes windows %s\n", g->option, closes->name,
			    window_event__skid(closes));
}

static struct kernel_programs kernel_openers(const struct gate_bpf *skel)
{
	return (struct kernel_programs){skel->progs.pmb_fentry_open, skel->progs.pmb_kprobe_open};
}

static struct kernel_programs kernel_closers(const struct gate_bpf *skel)
{
	return (struct kernel_programs){skel->progs.pmb_fentry_close, skel->progs.pmb_kprobe_close};
}

static void choose_kernel(const struct gates *gates, const struct gate_bpf *skel)
{
	static const struct gate_probe none;
	const struct kernel_programs opens = kernel_openers(skel), closes = kernel_closers(skel);

	kernel_gate__choose(gates ? &gates->opens : &none, false, &opens);
	kernel_gate__choose(gates ? &gates->closes : &none, gates__has_kernel_calls(gates),
			    &closes);
}

/* Those that probes in programs are given; gates NULL: there are none. */
static void choose_user(const struct gates *gates, const struct gate_bpf *skel)
{
	bpf_program__set_autoload(skel->progs.pmb_user_open, gates && gates->opens.user);
	bpf_program__set_autoload(skel->progs.pmb_user_close, gates && gates->closes.user);
	bpf_program__set_autoload(skel->progs.pmb_user_catch, gates && gates->catches.n_sites);
}

void gates__tell(const struct gates *gates, struct recording_bpf *samples)
{
	if (!gates)
		return;
	samples->rodata->pmb_cfg.windows = gates->windows;
	samples->rodata->pmb_cfg.after_ns = gates->after_ns;
	samples->rodata->pmb_cfg.kept = gates->kept;
	samples->rodata->pmb_cfg.of_go = gates->of_go;
	samples->rodata->pmb_cfg.sliced = gates->sliced;
	samples->rodata->pmb_cfg.by_process = gates->by_process;
	if (gates->windows != PMB_WINDOWS_RUN)
		bpf_map__set_max_entries(samples->maps.pmb_gates, BUDGET_WINDOW_THREADS);
	if (gates->by_process) {
		bpf_map__set_max_entries(samples->maps.pmb_shared, BUDGET_WINDOW_THREADS);
		bpf_map__set_max_entries(samples->maps.pmb_insiders, BUDGET_WINDOW_THREADS);
	}
}

void gates__choose(const struct gates *gates, struct gate_bpf *skel, uint32_t ring_wake)
{
	uint32_t windows = gates->windows;
	bool calls = windows == PMB_WINDOWS_LOOP || windows == PMB_WINDOWS_SYSCALL;
	bool probes = windows == PMB_WINDOWS_BETWEEN || windows == PMB_WINDOWS_TOGGLE ||
		      windows == PMB_WINDOWS_FUNCTION || windows == PMB_WINDOWS_KERNEL;

	bpf_program__set_autoload(skel->progs.pmb_call_enter, calls);
	bpf_program__set_autoload(skel->progs.pmb_call_exit, calls);
	bpf_program__set_autoload(skel->progs.pmb_gate_exit, calls || probes);
	bpf_program__set_autoload(skel->progs.pmb_gate_exec, calls || probes);
	bpf_program__set_autoload(skel->progs.pmb_probe_open, probes && gates->opens.tracepoint);
	bpf_program__set_autoload(skel->progs.pmb_probe_close, probes && gates->closes.tracepoint);
	bpf_program__set_autoload(skel->progs.pmb_gate_leave,
				  probes && (gates->sliced || gates->of_go));
	bpf_program__set_autoload(skel->progs.pmb_event_open, probes && gates->opens.event);
	bpf_program__set_autoload(skel->progs.pmb_event_close, probes && gates->closes.event);
	bpf_program__set_autoload(skel->progs.pmb_run_switch, windows == PMB_WINDOWS_RUN);
	choose_user(probes ? gates : NULL, skel);
	choose_kernel(probes ? gates : NULL, skel);
	*(struct pmb_config *)&skel->rodata->pmb_gate = gates->whose;
	skel->rodata->pmb_gate.of_go = gates->of_go;
	skel->rodata->pmb_gate.grows = gates->grows;
	skel->rodata->pmb_gate.sliced = gates->sliced;
	skel->rodata->pmb_gate.by_process = gates->by_process;
	skel->rodata->pmb_may_hold = gates__by_user(gates) && feature__has(FEATURE_HOLD_CPU);
	skel->rodata->pmb_gate.windows = gates->windows;
	skel->rodata->pmb_gate.returns = gates->returns;
	skel->rodata->pmb_gate.keep_threads = gates__by_nmi(gates);
	skel->rodata->pmb_gate.ring_wake = ring_wake;
	memcpy((void *)skel->rodata->pmb_gate_calls, gates->calls, sizeof(gates->calls));
	gates__exits(gates, (uint8_t *)skel->rodata->pmb_exit_when);
	if (gates->of_go)
		bpf_map__set_max_entries(skel->maps.pmb_ended, GATES_ENDED_MAX);
}

static int attach_tracepoint(const struct gates *gates, const char *tracepoint,
			     struct bpf_program *program, struct probe_links *links,
			     struct err *err)
{
	struct bpf_link *link = bpf_program__attach_raw_tracepoint(program, tracepoint);
	int r = -errno;

	if (link) {
		probe_links__add(links, link, -1);
		return 0;
	}
	if (r == -ENOENT)
		return err__usage(err, "%s: there is no tracepoint %s on this kernel",
				  gates->option, tracepoint);
	err__cannot(err, "%s: the kernel attaches no program to tracepoint '%s': %s", gates->option,
		    tracepoint, strerror(-r));
	return r;
}

int gates__attach_to(const struct gates *gates, const struct gate_probe *probe,
		     struct bpf_program *program, struct probe_links *links, struct err *err)
{
	return probe->tracepoint ?
		       attach_tracepoint(gates, probe->tracepoint, program, links, err) :
		       0;
}

/* Closing first: what is open must be closed. */
int gates__attach(const struct gates *gates, struct gate_bpf *skel, struct probe_links *links,
		  struct err *err)
{
	int r = gates__attach_to(gates, &gates->closes, skel->progs.pmb_probe_close, links, err);

	return r < 0 ? r :
		       gates__attach_to(gates, &gates->opens, skel->progs.pmb_probe_open, links,
					err);
}

struct gate_user gates__user(const struct gate_bpf *skel)
{
	return (struct gate_user){
		.opens = skel->progs.pmb_user_open,
		.closes = skel->progs.pmb_user_close,
		.catches = skel->progs.pmb_user_catch,
		.kernel_opens = kernel_openers(skel),
		.kernel_closes = kernel_closers(skel),
		.leave = skel->progs.pmb_gate_leave,
		.threads = skel->maps.pmb_gates,
		.ended = skel->maps.pmb_ended,
		.paused = skel->maps.pmb_paused,
	};
}

struct gate_fds gates__fds(const struct gate_bpf *skel)
{
	return (struct gate_fds){
		.open = bpf_program__fd(skel->progs.pmb_event_open),
		.close = bpf_program__fd(skel->progs.pmb_event_close),
	};
}

static uint64_t missed(const struct gate_bpf *skel)
{
	const struct bpf_program *const programs[] = {
		skel->progs.pmb_call_enter,  skel->progs.pmb_call_exit,
		skel->progs.pmb_run_switch,  skel->progs.pmb_probe_open,
		skel->progs.pmb_probe_close, skel->progs.pmb_user_open,
		skel->progs.pmb_user_close,  skel->progs.pmb_user_catch,
		skel->progs.pmb_kprobe_open, skel->progs.pmb_kprobe_close,
		skel->progs.pmb_fentry_open, skel->progs.pmb_fentry_close,
		skel->progs.pmb_event_open,  skel->progs.pmb_event_close,
	};
	uint64_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		n += program_missed(programs[i]);
	return n;
}

int gates__stats(const struct gate_bpf *skel, int n_cpus, struct pmb_window_stats *ret)
{
	_cleanup_free_ struct pmb_window_stats *per_cpu = xcalloc((size_t)n_cpus, sizeof(*per_cpu));
	__u32 key = 0;

	*ret = (struct pmb_window_stats){0};
	if (bpf_map_lookup_elem(bpf_map__fd(skel->maps.pmb_windows), &key, per_cpu) < 0)
		return -errno;
	for (int cpu = 0; cpu < n_cpus; cpu++)
		window_stats__add(ret, &per_cpu[cpu]);
	ret->missed = missed(skel);
	return 0;
}
