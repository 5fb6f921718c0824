// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * cost: loads every BPF program in each configuration that leaves other code alive, and prints what
 * the verifier says it took:
 *
 *     pmb_overflow/tasks 12345
 *
 * The log_level that gives only this line is 4. A program that is refused: the end of the log.
 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/programs.h" /* what the objects are made of */

#include "collect/counting.skel.h"
#include "collect/features.h"
#include "collect/gate.skel.h"
#include "collect/recording.skel.h"

static char log_text[1 << 20];

static int print(struct bpf_program *program, const char *config, int r)
{
	const char *text = strstr(log_text, "processed ");
	size_t len = strlen(log_text);

	if (r == 0 && text) {
		printf("%s%s%s %ld\n", bpf_program__name(program), *config ? "/" : "", config,
		       strtol(text + strlen("processed "), NULL, 10));
		return 0;
	}
	fprintf(stderr, "%s/%s: %s\n%s\n", bpf_program__name(program), config, strerror(-r),
		log_text + (len > 3000 ? len - 3000 : 0));
	return 1;
}

/* That program of an object alone, with what the verifier says of it. */
static struct bpf_program *choose(struct bpf_object *obj, const char *name)
{
	struct bpf_program *program = bpf_object__find_program_by_name(obj, name), *other;

	bpf_object__for_each_program(other, obj)
		bpf_program__set_autoload(other, other == program);
	memset(log_text, 0, sizeof(log_text));
	bpf_program__set_log_buf(program, log_text, sizeof(log_text));
	bpf_program__set_log_level(program, 4);
	return program;
}

/* Of those of a recording. */
static int cost(const char *name, const char *config, const struct pmb_config *cfg)
{
	struct recording_bpf *skel = recording_bpf__open();
	struct bpf_program *program;
	int r;

	if (!skel)
		return 1;
	*(struct pmb_config *)&skel->rodata->pmb_cfg = *cfg;
	skel->rodata->pmb_pidns = 1;
	program = choose(skel->obj, name);
	r = print(program, config, recording_bpf__load(skel));
	recording_bpf__destroy(skel);
	return r;
}

/* Of those that open and close windows. */
static int gate_cost(const char *name, const struct pmb_config *cfg)
{
	struct gate_bpf *skel = gate_bpf__open();
	struct bpf_program *program;
	int r;

	if (!skel)
		return 1;
	*(struct pmb_config *)&skel->rodata->pmb_gate = *cfg;
	program = choose(skel->obj, name);
	r = print(program, "", gate_bpf__load(skel));
	gate_bpf__destroy(skel);
	return r;
}

/* Of those that count units of work. */
static int work_cost(const char *name, const char *config, const struct pmb_config *cfg)
{
	struct counting_bpf *skel = counting_bpf__open();
	struct bpf_program *program;
	int r;

	if (!skel)
		return 1;
	*(struct pmb_config *)&skel->rodata->pmb_work = *cfg;
	program = choose(skel->obj, name);
	r = print(program, config, counting_bpf__load(skel));
	counting_bpf__destroy(skel);
	return r;
}

static const char *const lives[] = {"pmb_fork",    "pmb_exec",    "pmb_exit", "pmb_fork_ns",
				    "pmb_exec_ns", "pmb_exit_ns", NULL};
static const char *const gates[] = {"pmb_call_enter", "pmb_call_exit", "pmb_gate_exit",
				    "pmb_gate_exec", NULL};

static int costs(const char *const *programs, const struct pmb_config *cfg)
{
	int failed = 0;

	for (; *programs; programs++)
		failed += cost(*programs, "", cfg);
	return failed;
}

static int gate_costs(const struct pmb_config *cfg)
{
	int failed = 0;

	for (const char *const *program = gates; *program; program++)
		failed += gate_cost(*program, cfg);
	return failed;
}

static int work_costs(const struct pmb_config *config)
{
	static const struct {
		const char *name;
		enum pmb_windows windows;
	} programs[] = {
		{"pmb_work_enter", PMB_WINDOWS_SYSCALL}, {"pmb_work_exit", PMB_WINDOWS_SYSCALL},
		{"pmb_work_open", PMB_WINDOWS_HITS},     {"pmb_work_close", PMB_WINDOWS_BETWEEN},
		{"pmb_work_switch", PMB_WINDOWS_LOOP},   {"pmb_work_run", PMB_WINDOWS_RUN},
		{"pmb_work_gone", PMB_WINDOWS_LOOP},     {"pmb_work_renamed", PMB_WINDOWS_LOOP},
		{"pmb_work_empty", PMB_WINDOWS_LOOP},
	};
	struct pmb_config cfg = *config;
	int failed = 0;

	cfg.n_cpus = 1;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		cfg.windows = programs[i].windows;
		cfg.n_reads = PMB_MAX_READS;
		failed += work_cost(programs[i].name, "", &cfg);
	}
	cfg.windows = PMB_WINDOWS_HITS;
	cfg.n_reads = 0;
	cfg.pidns = 1;
	return failed + work_cost("pmb_work_open", "nested", &cfg);
}

__attribute__((format(printf, 2, 0))) static int say(enum libbpf_print_level level, const char *fmt,
						     va_list ap)
{
	return level == LIBBPF_WARN && getenv("V") ? vfprintf(stderr, fmt, ap) : 0;
}

int main(void)
{
	struct pmb_config cfg = {.max_frames = PMB_MAX_FRAMES,
				 .ring_wake = 65536,
				 .user_mask = ~0ull,
				 .cgroup_subsys = -1,
				 .want_user = 1,
				 .want_kernel = 1,
				 .want_addr = 1,
				 .weight = PMB_WEIGHT_CLOCK_TASK};
	int failed = 0;

	libbpf_set_print(say);
	cfg.has_task_regs = feature__has(FEATURE_TASK_REGS);
	cfg.filter = PMB_FILTER_TASKS;
	failed += cost("pmb_overflow", "tasks", &cfg);
	cfg.by_table = 1;
	failed += cost("pmb_overflow", "table", &cfg);
	cfg.want_context = 1;
	failed += cost("pmb_overflow", "contexts", &cfg);
	cfg.want_branches = 1;
	failed += cost("pmb_overflow", "branches", &cfg);
	cfg.want_context = cfg.want_branches = 0;
	cfg.want_data = 1;
	failed += cost("pmb_overflow", "data", &cfg);
	cfg.windows = PMB_WINDOWS_LOOP;
	failed += cost("pmb_overflow", "windows", &cfg);
	failed += gate_costs(&cfg);
	cfg.windows = PMB_WINDOWS_BETWEEN;
	failed += gate_cost("pmb_probe_open", &cfg);
	failed += gate_cost("pmb_probe_close", &cfg);
	cfg.windows = PMB_WINDOWS_RUN;
	failed += cost("pmb_overflow", "runs", &cfg);
	failed += gate_cost("pmb_run_switch", &cfg);
	cfg.windows = PMB_WINDOWS_NONE;
	cfg.want_data = 0;
	cfg.pidns = 1;
	cfg.live_period = 1;
	failed += cost("pmb_overflow", "nested", &cfg);
	cfg.pidns = cfg.live_period = 0;
	cfg.by_table = 0;
	cfg.weight = PMB_WEIGHT_COUNT;
	failed += cost("pmb_overflow", "freq", &cfg);
	cfg.weight = PMB_WEIGHT_CLOCK_CPU;
	cfg.n_reads = PMB_MAX_READS;
	failed += cost("pmb_overflow", "reads", &cfg);
	cfg.want_lines = 1;
	failed += cost("pmb_overflow", "lines", &cfg);
	cfg.want_lines = 0;
	cfg.weight = PMB_WEIGHT_COUNT;
	cfg.n_reads = 0;
	cfg.filter = PMB_FILTER_CGROUP;
	failed += cost("pmb_overflow", "cgroup2", &cfg);
	cfg.cgroup_subsys = 1;
	failed += cost("pmb_overflow", "cgroup1", &cfg);
	cfg.has_task_regs = 0;
	failed += cost("pmb_overflow", "old", &cfg);
	failed += costs(lives, &cfg);
	cfg.filter = PMB_FILTER_TASKS;
	cfg.cgroup_subsys = -1;
	failed += work_costs(&cfg);
	return failed ? 1 : 0;
}
