// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * pmubpf doctor: what this machine and this user can record, what is missing, and what is lost by
 * that. Facts are collected into one list of findings, printed as text or JSON.
 */
#include <argp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <linux/seccomp.h>
#include <linux/types.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/library.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "collect/features.h"
#include "pmu/breakpoints.h"
#include "pmu/capacity.h"
#include "pmu/event_db.h"
#include "pmu/libpfm.h"
#include "screen/terminal.h"
#include "pmu/probe.h"
#include "pmubpf/unwind.h"
#include "render/json.h"
#include "sys/caps.h"
#include "sys/cgroup.h"
#include "sys/landlock.h"
#include "sys/pmus.h"
#include "sys/procfs.h"

struct finding {
	const char *section;
	char *what;
	char *value;
	const char *lost; /* NULL: fine */
};

struct findings {
	struct finding *list;
	size_t n, cap;
	bool can_record;
};

static void add(struct findings *f, const char *section, char *what, char *value, const char *lost)
{
	GROW(f->list, f->n, f->cap);
	f->list[f->n++] = (struct finding){section, what, value, lost};
}

static void findings__done(struct findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->list[i].what);
		free(f->list[i].value);
	}
	free(f->list);
}

static void add_kernel(struct findings *f)
{
	struct utsname name;

	uname(&name);
	add(f, "kernel", xstrdup("release"), xasprintf("%s %s", name.release, name.machine), NULL);
	add(f, "kernel", xstrdup("cgroups"), xstrdup(cgroup_layout()), NULL);
	if (procfs_nested_pid_namespace())
		add(f, "kernel", xstrdup("pid namespace"), xstrdup("nested"),
		    "other processes of the host have neither numbers nor user stacks here "
		    "(docker: --pid=host)");
	if (!procfs_is_ours())
		add(f, "kernel", xstrdup("/proc"), xstrdup("of another pid namespace"),
		    "nothing can be recorded: mount that of ours (unshare --mount-proc)");
}

static void add_setting(struct findings *f, const char *path, const char *lost_if_nonzero, bool bad)
{
	_cleanup_free_ char *text = file_read(path);
	const char *name = strrchr(path, '/') + 1;

	if (text)
		text[strcspn(text, "\n")] = '\0';
	add(f, "settings", xstrdup(name), xstrdup(text ? text : "not readable"),
	    bad ? lost_if_nonzero : NULL);
}

static void add_settings(struct findings *f)
{
	bool perfmon = cap__effective(CAP_PERFMON_NUMBER);

	add_setting(
		f, "/proc/sys/kernel/perf_event_paranoid",
		"without CAP_PERFMON, above 1 kernel code and above 2 everything is out of reach",
		!perfmon && perf_paranoid() > 1);
	add_setting(f, "/proc/sys/kernel/kptr_restrict", "kernel functions have no names",
		    !feature__has(FEATURE_SNPRINTF) &&
			    file_read_u64("/proc/sys/kernel/kptr_restrict", 0) >
				    (cap__effective(CAP_SYSLOG_NUMBER) ? 1 : 0));
	add_setting(f, "/proc/sys/kernel/perf_event_max_sample_rate", NULL, false);
	add_setting(f, "/proc/sys/kernel/perf_cpu_time_max_percent", NULL, false);
	add_setting(f, "/proc/sys/kernel/perf_event_max_stack", "kernel stacks are cut short",
		    file_read_u64("/proc/sys/kernel/perf_event_max_stack", 127) < 127);
}

static void add_privileges(struct findings *f)
{
	for (size_t i = 0; i < n_cap_infos; i++) {
		bool has = cap__effective(cap_infos[i].number);

		add(f, "privileges", xstrdup(cap_infos[i].name), xstrdup(has ? "yes" : "no"),
		    has ? NULL : cap_infos[i].lost);
	}
}

static bool add_features(struct findings *f)
{
	const char *no = cap__effective(CAP_BPF_NUMBER) ? "no" : "not tried: needs CAP_BPF";
	bool all = true;

	for (int i = 0; i < N_FEATURES; i++) {
		bool has = feature__has((enum feature)i);

		add(f, "features", xstrdup(feature_infos[i].what), xstrdup(has ? "yes" : no),
		    has ? NULL : feature_infos[i].lost);
		all &= has || !feature_infos[i].required;
	}
	return all;
}

/* "5 counters at once (of one event: cycles 5, instructions 4), 11 named events" */
static char *pmu_words(const struct pmus *pmus, const struct pmu *pmu)
{
	_cleanup_(buf__done) struct buf out = {0};
	struct pmu_capacity capacity;

	pmu__capacity(pmus, pmu, &capacity);
	if (capacity.at_once >= CAPACITY_MAX)
		buf__puts(&out, "any number at once, ");
	else if (capacity.at_once)
		buf__printf(&out, "%d counters at once%s", capacity.at_once,
			    capacity.n_alone ? " (of one event alone: " : ", ");
	else if (capacity.error)
		buf__printf(&out, "none could be tried: %s, ", strerror(-capacity.error));
	for (int i = 0; i < capacity.n_alone; i++)
		buf__printf(&out, "%s %d%s", capacity.alone[i].name, capacity.alone[i].copies,
			    i + 1 < capacity.n_alone ? ", " : "), ");
	buf__printf(&out, "%zu named events", pmu->n_events);
	return buf__take(&out);
}

static void add_libraries(struct findings *f)
{
	_cleanup_(buf__done) struct buf pmus = {0};
	bool here = libpfm__available();

	libpfm__present(&pmus);
	add(f, "libraries", xstrdup("libpfm4"),
	    here ? xasprintf("knows %s", pmus.data) : xstrdup("not here"),
	    here ? NULL :
		   "CPU makers' event names (MEM_LOAD_RETIRED:L1_MISS): raw codes do the same");
	here = terminal_available();
	add(f, "libraries", xstrdup("ncurses"), xstrdup(here ? "here" : "not here"),
	    here ? NULL : "the screen of top: it prints plain lines");
	here = library_load("libcapstone.so.4", NULL, 0) ||
	       library_load("libcapstone.so.5", NULL, 0);
	add(f, "libraries", xstrdup("capstone"), xstrdup(here ? "here" : "not here"),
	    here ? NULL : "instructions as text: annotate shows addresses and lines");
}

static void add_pmus(struct findings *f)
{
	_cleanup_(pmus__done) struct pmus pmus = {0};

	pmus__read(&pmus, NULL);
	for (size_t i = 0; i < pmus.n; i++)
		add(f, "PMUs", xstrdup(pmus.pmus[i].name), pmu_words(&pmus, &pmus.pmus[i]), NULL);
	if (!pmus__core(&pmus))
		add(f, "PMUs", xstrdup("hardware counters"), xstrdup("none"),
		    "no cycles, no cache misses: only software events and breakpoints (a VM gets "
		    "them if its host passes the PMU through)");
	else if (nmi_watchdog_is_on())
		add(f, "PMUs", xstrdup("NMI watchdog"), xstrdup("on"),
		    "it holds a cycles counter of every CPU, one less of those above (unless this "
		    "kernel has the buddy detector); sysctl kernel.nmi_watchdog=0 frees it");
}

static void add_breakpoints(struct findings *f)
{
	if (breakpoints_are_met())
		return;
	add(f, "PMUs", xstrdup("breakpoints"), xstrdup("never met"),
	    "mem:ADDR and op:CLASS: " BREAKPOINTS_NEVER_MET);
}

static void add_event_db(struct findings *f)
{
	struct event_db *db;
	struct err trouble;

	event_db__open(&db, NULL, &trouble, NULL);
	if (db)
		add(f, "PMUs", xstrdup("event database"),
		    xasprintf("%s: %zu events for %s (%s)", db->dir, db->n, db->cpu, db->about),
		    NULL);
	else
		add(f, "PMUs", xstrdup("event database"),
		    xstrdup(*trouble.text ? trouble.text : "none"), NULL);
	event_db__free(db);
}

/* How user stacks are walked here, and what it may take. */
static void add_stacks(struct findings *f)
{
	const double mb = 1024 * 1024;

	add(f, "stacks", xstrdup("user stacks"),
	    xstrdup(HAS_UNWIND_TABLES ? "by unwind tables, frame pointers where a file has none" :
					"by frame pointers"),
	    HAS_UNWIND_TABLES ? NULL : "callers of code that was built without frame pointers");
	if (HAS_UNWIND_TABLES)
		add(f, "stacks", xstrdup("memory of unwind tables"),
		    xasprintf("%.1f MB, and up to %.0f MB more, as files are sampled",
			      (double)(sizeof(struct pmb_code) + sizeof(struct pmb_mappings)) / mb,
			      PMB_CHUNKS_MAX * (double)sizeof(struct pmb_chunk) / mb),
		    NULL);
	if (!feature__has(FEATURE_TASK_REGS))
		add(f, "stacks", xstrdup("user stacks of samples in the kernel"),
		    xstrdup("by the kernel's frame-pointer walk"),
		    "callers of code without frame pointers, in samples inside system calls");
}

/* What the kernel has for the process that reads foreign files (symd/sandbox.c). */
static void add_sandbox(struct findings *f)
{
	uint32_t kill = SECCOMP_RET_KILL_PROCESS;
	bool calls = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &kill) == 0;
	int abi = landlock_abi();

	add(f, "sandbox", xstrdup("system calls (seccomp)"), xstrdup(calls ? "yes" : "no"),
	    calls ? NULL : "nothing can be named: the helper refuses to read foreign files");
	add(f, "sandbox", xstrdup("files (Landlock)"),
	    abi ? xasprintf("version %d%s", abi,
			    abi >= 6 ? "" :
			    abi >= 4 ? " (of 6: no signals, abstract sockets)" :
				       " (of 6: files only)") :
		  xstrdup("no"),
	    abi ? NULL :
		  "a second lock: without it the filter of system calls alone keeps files closed");
}

/* Opens each kind of event; any one that works makes the machine fit. */
static bool add_events(struct findings *f)
{
	static const char *const names[] = {"cycles", "cpu-clock", "page-faults"};
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_(event_list__done) struct event_list list = {0};
		struct probe_result probe;

		if (event_list__parse(&list, names[i], NULL, NULL) < 0 ||
		    event_list__set_rates(&list, &(struct rate){0}, NULL) < 0)
			continue;
		event__probe(&list.events[0], &probe);
		any |= probe.ok;
		add(f, "events", xstrdup(names[i]),
		    xstrdup(!probe.ok       ? probe.reason :
			    probe.user_only ? "user code only" :
					      "yes"),
		    NULL);
	}
	return any;
}

static void print_text(const struct findings *f)
{
	const char *section = "";

	for (size_t i = 0; i < f->n; i++) {
		const struct finding *x = &f->list[i];

		if (strcmp(section, x->section) != 0)
			printf("%s%s\n", *section ? "\n" : "", x->section);
		section = x->section;
		printf("  %-50s %s\n", x->what, x->value);
		if (x->lost)
			printf("      lost: %s\n", x->lost);
	}
	printf("\n%s\n", f->can_record ?
				 "This machine can record." :
				 "This machine can't record as it is: see what is lost above.");
}

static void print_json(const struct findings *f)
{
	_cleanup_(buf__done) struct buf text = {0};
	struct json j = {.out = &text};

	json__obj(&j, NULL);
	json__bool(&j, "can_record", f->can_record);
	json__arr(&j, "findings");
	for (size_t i = 0; i < f->n; i++) {
		json__obj(&j, NULL);
		json__str(&j, "section", f->list[i].section);
		json__str(&j, "what", f->list[i].what);
		json__str(&j, "value", f->list[i].value);
		json__str(&j, "lost", f->list[i].lost);
		json__end_obj(&j);
	}
	json__end_arr(&j);
	json__end_obj(&j);
	fputs(text.data, stdout);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	bool *json = state->input;

	(void)arg;
	if (key == 'j')
		*json = true;
	else if (key == ARGP_KEY_ARG)
		argp_error(state, "doctor takes no arguments");
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

int cmd_doctor(int argc, char **argv)
{
	static const struct argp_option options[] = {{"json", 'j', 0, 0, "For machines", 0}, {0}};
	static const struct argp argp =
		{.options = options,
		 .parser = parse,
		 .doc = "What this machine and this user can record, and what is lost without the "
			"rest.\v"
			"Exit status: 0 if any event can be recorded here, else 3."};
	_cleanup_(findings__done) struct findings f = {0};
	bool json = false;

	if (options__parse(&argp, argc, argv, 0, &json))
		return EXIT_USAGE;
	add_kernel(&f);
	add_privileges(&f);
	add_settings(&f);
	f.can_record = add_features(&f);
	add_libraries(&f);
	add_stacks(&f);
	add_sandbox(&f);
	add_pmus(&f);
	add_breakpoints(&f);
	add_event_db(&f);
	f.can_record &= add_events(&f) && procfs_is_ours();
	if (json)
		print_json(&f);
	else
		print_text(&f);
	return f.can_record ? EXIT_DONE : EXIT_CANNOT;
}
