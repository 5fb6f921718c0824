// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/counters.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "opener/opener.h"
#include "pmu/branch_filter.h"
#include "pmu/explain.h"
#include "pmu/probe.h"
#include "pmu/skid.h"

/* By their numbers in asm/perf_regs.h: those that instructions address by. */
#if defined(__x86_64__)
#define GENERAL_REGISTERS UINT64_C(0x00ff03ff) /* ax to flags, r8 to r15 */
#elif defined(__aarch64__)
#define GENERAL_REGISTERS UINT64_C(0x1ffffffff) /* x0 to x29, lr, sp, pc */
#else
#define GENERAL_REGISTERS UINT64_C(0xffffffff) /* pc, x1 to x31 */
#endif

static struct perf_event_attr attr_for(const struct counters_opts *opts, bool per_task)
{
	struct perf_event_attr attr = opts->sampled ? opts->event->attr :
						      event__count_attr(opts->event);

	attr.size = sizeof(attr);
	attr.disabled = 1;
	attr.read_format = PERF_COUNT_READ_FORMAT;
	attr.inherit = per_task && opts->inherit;
	attr.enable_on_exec = per_task && opts->enable_on_exec;
	if (opts->period && !attr.freq)
		attr.sample_period = opts->period;
	if (!opts->sampled)
		return attr;
	attr.use_clockid = 1; /* one clock with the side-band ring, which it may share */
	attr.clockid = CLOCK_MONOTONIC;
	attr.sample_id_all = 1;
	if (opts->event->mode != EVENT_OVERFLOWS)
		return attr;
	attr.sample_type |= PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	/* The program walks the kernel stack; with a precise event the kernel only allows that when
	 * its own call chain is asked for, too (-EPROTO on attaching otherwise). */
	if (attr.precise_ip)
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (opts->event->has_addr)
		attr.sample_type |= PERF_SAMPLE_ADDR;
	if (opts->event->has_addr && opts->want_data)
		attr.sample_type |= PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT;
	/* a fault comes before there is a page */
	if (opts->event->has_addr && opts->want_phys && !event_is_page_fault(opts->event))
		attr.sample_type |= PERF_SAMPLE_PHYS_ADDR;
	/* else a PMU that keeps the registers of its moment hands out the interrupt's */
	if (opts->want_data && attr.precise_ip) {
		attr.sample_type |= PERF_SAMPLE_REGS_INTR;
		attr.sample_regs_intr = GENERAL_REGISTERS;
	}
	if (opts->branch_filter && event__takes_branches(opts->event))
		event_attr__want_branches(&attr, opts->branch_filter);
	return attr;
}

/* The first of an event's group there; NULL: it is in none, or is the first. */
static const struct counter *find_leader(const struct counters *c, size_t group, pid_t tid, int cpu)
{
	for (size_t i = group ? c->n : 0; i-- > 0;) { /* the latest: its CPU may have been away */
		const struct counter *at = &c->list[i];

		if (at->leads == group && at->tid == tid && at->cpu == cpu)
			return at;
	}
	return NULL;
}

static int open_one(const struct counters_opts *opts, const struct perf_event_attr *attr, pid_t tid,
		    int cpu, int group)
{
	if (tid >= 0)
		return opener__counter(opts->opener, attr, tid, cpu, group);
	return opts->late ? opener__cpu_counter(opts->opener, attr, cpu, group) :
			    perf_open_in(attr, tid, cpu, group);
}

static int explain_refusal(const struct counters_opts *opts, const struct counter *leader,
			   const struct perf_event_attr *attr, const struct counter *refused,
			   int error, struct err *err)
{
	_cleanup_close_ int fd = leader ? open_one(opts, attr, refused->tid, refused->cpu, -1) : -1;

	if (fd < 0)
		return event__explain_open(opts->event, refused->tid, refused->cpu, -error, err);
	err__cannot(err, GROUP_REFUSED "; " GROUP_REFUSED_NEXT, opts->event->name);
	return error;
}

static int attach_overflows(const struct counters_opts *opts, const struct perf_event_attr *attr,
			    int fd, struct err *err)
{
	int error;

	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, opts->program_fd) == 0)
		return 0;
	error = -errno;
	if (error == -EPROTO && attr->precise_ip)
		err__cannot(err,
			    "event '%s': to a precise event of PMU %s this kernel attaches no "
			    "program that reads stacks, since the PMU's driver takes none with "
			    "it; use it without p or P, or a newer kernel",
			    opts->event->name, opts->event->pmu);
	else
		err__cannot(err, "event '%s': the kernel does not attach BPF programs to it: %s",
			    opts->event->name, strerror(-error));
	return error;
}

/* Opens, attaches and lists one; -errno with the sentence in err. */
static int counters__add(struct counters *c, const struct counters_opts *opts, pid_t tid, int cpu,
			 struct err *err)
{
	struct perf_event_attr attr = attr_for(opts, tid >= 0);
	const struct counter *leader = find_leader(c, opts->event->group, tid, cpu);
	int group = leader ? leader->fd : -1;
	_cleanup_close_ int fd = -1;
	struct counter counter = {
		.event = opts->index,
		.leads = leader ? 0 : opts->event->group,
		.tid = tid,
		.cpu = cpu,
	};
	bool attach = opts->sampled && opts->event->mode == EVENT_OVERFLOWS;
	int r;

	/* a group goes on and off by its leader: of software events the kernel doesn't schedule a
	 * member in that is enabled after it */
	if (leader)
		attr.disabled = attr.enable_on_exec = 0;
	fd = open_one(opts, &attr, tid, cpu, group);
	if (fd < 0)
		return explain_refusal(opts, leader, &attr, &counter, fd, err);
	if (attach) {
		r = attach_overflows(opts, &attr, fd, err);
		if (r < 0)
			return r;
	}
	ioctl(fd, PERF_EVENT_IOC_ID, &counter.id);
	counter.fd = TAKE_FD(fd);
	GROW(c->list, c->n, c->cap);
	c->list[c->n++] = counter;
	return 0;
}

int counters__open_cpus(struct counters *c, const struct counters_opts *opts,
			const struct cpus *cpus, struct err *err)
{
	for (int i = 0; i < cpus->n; i++) {
		int r = counters__add(c, opts, -1, cpus->cpu[i], err);

		if (r < 0)
			return r;
	}
	return 0;
}

/* A kernel may refuse inherited events that aren't bound to a CPU (discussed for 6.18): then one
 * for each CPU does the same. */
static int add_task(struct counters *c, const struct counters_opts *opts, pid_t tid,
		    struct err *err)
{
	_cleanup_(cpus__done) struct cpus cpus = {0};
	int r = counters__add(c, opts, tid, -1, err);

	if (r != -EINVAL || !opts->inherit || cpus__online(&cpus, NULL) < 0)
		return r;
	for (int i = 0; i < cpus.n; i++) {
		r = counters__add(c, opts, tid, cpus.cpu[i], i ? NULL : err);
		if (r < 0)
			return r;
	}
	return 0;
}

int counters__open_tasks(struct counters *c, const struct counters_opts *opts, const pid_t *tids,
			 size_t n_tids, struct err *err)
{
	size_t gone = 0;

	for (size_t i = 0; i < n_tids; i++) {
		int r = add_task(c, opts, tids[i], err);

		if (r == -ESRCH)
			gone++;
		else if (r < 0)
			return r;
	}
	return gone == n_tids ? -ESRCH : 0;
}

int counters__enable(const struct counters *c, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->n; i++)
		r = perf_enable(c->list[i].fd, err);
	return r;
}

void counters__disable(const struct counters *c)
{
	for (size_t i = 0; i < c->n; i++)
		ioctl(c->list[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

void counter__set_period(const struct counter *c, uint64_t period)
{
	ioctl(c->fd, PERF_EVENT_IOC_PERIOD, &period);
}

void counters__read(struct counters *c)
{
	for (size_t i = 0; i < c->n; i++) {
		/* a pinned event that lost its counter reads as end of file: enabled, but not
		 * running */
		if (perf_read(c->list[i].fd, &c->list[i].count) == -EIO)
			c->list[i].count = (struct perf_count){.enabled_ns = 1};
	}
}

void counters__close(struct counters *c)
{
	for (size_t i = 0; i < c->n; i++)
		cleanup_close(&c->list[i].fd);
	free(c->list);
	*c = (struct counters){0};
}
