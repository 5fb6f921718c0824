// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Why perf_event_open refused. One errno has many causes (EINVAL above all), so the event is opened
 * again in a simpler way (no sampling, no precision) and what then works tells which demand was
 * one too many.
 */
#include "pmu/explain.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/hw_breakpoint.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmu/probe.h"
#include "pmu/skid.h"
#include "sys/pmus.h"

/* What was asked for. */
struct ask {
	const struct event *event;
	pid_t tid;
	int cpu;
	int errnum;
};

static void brief(struct refusal *ret, const char *text)
{
	snprintf(ret->brief, sizeof(ret->brief), "%s", text);
}

__attribute__((format(printf, 2, 3))) static void why(struct refusal *ret, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(ret->why, sizeof(ret->why), fmt, ap);
	va_end(ap);
}

__attribute__((format(printf, 2, 3))) static void next(struct refusal *ret, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(ret->next, sizeof(ret->next), fmt, ap);
	va_end(ap);
}

/* Of the generic events, which any core PMU may implement. */
static bool needs_core_pmu(const struct event *event)
{
	return event->attr.type == PERF_TYPE_HARDWARE || event->attr.type == PERF_TYPE_HW_CACHE ||
	       event->attr.type == PERF_TYPE_RAW;
}

static bool has_core_pmu(void)
{
	_cleanup_(pmus__done) struct pmus pmus = {0};

	return pmus__read(&pmus, NULL) == 0 && pmus__core(&pmus);
}

/* Whether the event opens with other demands; on the CPU as a whole if no task may have it. Not
 * on another's task, which may keep whoever looks at it waiting: what the demands are about is
 * the same with ours. */
static bool opens(const struct ask *ask, const struct perf_event_attr *attr)
{
	_cleanup_close_ int fd = attr__try_open(attr, ask->tid > 0 ? 0 : ask->tid, ask->cpu, -1);

	return fd >= 0;
}

static bool opens_uncounted(const struct ask *ask, bool whole_cpu)
{
	struct ask other = {.tid = whole_cpu ? -1 : ask->tid, .cpu = whole_cpu ? 0 : ask->cpu};
	struct perf_event_attr attr = event__count_attr(ask->event);

	return opens(&other, &attr);
}

static bool opens_unprecise(const struct ask *ask)
{
	struct perf_event_attr attr = ask->event->attr;

	if (!attr.precise_ip)
		return false;
	attr.disabled = 1;
	attr.precise_ip = 0;
	return opens(ask, &attr);
}

static bool explain_precise(const struct ask *ask, struct refusal *ret)
{
	if (!opens_unprecise(ask))
		return false;
	ret->cannot = true;
	brief(ret, "not precise here");
	why(ret, "the CPU can't count it as precisely as asked (precise_ip %u)",
	    (unsigned)ask->event->attr.precise_ip);
	next(ret, "use fewer p, or P for the best there is");
	return true;
}

static bool explain_no_interrupt(const struct ask *ask, struct refusal *ret)
{
	if (!opens_uncounted(ask, false) && !opens_uncounted(ask, true))
		return false;
	ret->cannot = true;
	brief(ret, "counts only, no overflow interrupt");
	why(ret, "PMU %s counts it but has no overflow interrupt, so it can't be sampled",
	    ask->event->pmu);
	next(ret, "pmubpf stat -e counts it");
	return true;
}

static void explain_lacking(const struct ask *ask, struct refusal *ret)
{
	const char *what = ask->event->attr.type == PERF_TYPE_SOFTWARE ? "kernel" : "CPU";

	ret->cannot = true;
	snprintf(ret->brief, sizeof(ret->brief), "this %s lacks it", what);
	why(ret, "this %s has no event for %s", what, ask->event->maps_to);
	next(ret, "`pmubpf list` shows what it has");
}

static void explain_enoent(const struct ask *ask, struct refusal *ret)
{
	ret->cannot = true;
	if (needs_core_pmu(ask->event) && !has_core_pmu()) {
		brief(ret, "no PMU in this machine");
		why(ret,
		    "this machine has no hardware PMU (a VM whose host does not pass it on, or a "
		    "kernel without the CPU's driver)");
		next(ret, event_counts_accesses(ask->event) ?
				  "cpu-clock samples time without one, and with --data says which "
				  "data it may have been spent on; page-faults say what is touched "
				  "first" :
				  "cpu-clock samples time without one");
		return;
	}
	explain_lacking(ask, ret);
}

static void explain_unsupported(const struct ask *ask, struct refusal *ret)
{
	if (explain_precise(ask, ret) || explain_no_interrupt(ask, ret))
		return;
	ret->cannot = true;
	brief(ret, "not supported here");
	why(ret, "PMU %s does not support it in this form: %s", ask->event->pmu,
	    strerror(ask->errnum));
	next(ret, "try it without modifiers");
}

/* The highest level at which a user may do this, by the kernel's documentation of the sysctl. */
static int wanted_paranoid(const struct ask *ask)
{
	if (ask->cpu >= 0 && ask->tid < 0)
		return 0;
	return ask->event->attr.exclude_kernel ? 2 : 1;
}

/*
 * The kernel checks privilege before it looks for the event. Without the kernel's side it may get
 * further: then the missing event is the reason, and root would be no help.
 */
static bool is_missing_anyway(const struct ask *ask)
{
	struct perf_event_attr attr = ask->event->attr;
	int fd;

	attr.disabled = 1;
	attr.exclude_kernel = attr.exclude_hv = 1;
	fd = attr__try_open(&attr, 0, -1, -1);
	if (fd >= 0)
		close(fd);
	return fd == -ENOENT;
}

static void explain_privilege(const struct ask *ask, struct refusal *ret)
{
	int level = perf_paranoid(), wanted = wanted_paranoid(ask);

	if (is_missing_anyway(ask)) {
		explain_enoent(ask, ret);
		return;
	}
	ret->cannot = true;
	brief(ret, "no permission");
	if (geteuid() == 0 && ask->errnum == EPERM) {
		why(ret,
		    "permission denied even to root (EPERM): a seccomp filter, as containers have one, a "
		    "security module, or kernel lockdown");
		next(ret, "run it on the host, or allow perf_event_open in the container's seccomp "
			  "profile");
	} else if (geteuid() == 0) {
		why(ret,
		    "permission denied to a root without CAP_PERFMON (EACCES; "
		    "perf_event_paranoid is %d): "
		    "a container, or a user namespace",
		    level);
		next(ret, "run it on the host, or add CAP_PERFMON and CAP_BPF to the container");
	} else if (level > wanted) {
		snprintf(ret->brief, sizeof(ret->brief), "no permission (paranoid %d)", level);
		why(ret,
		    "permission denied: kernel.perf_event_paranoid is %d and pmubpf has no "
		    "CAP_PERFMON",
		    level);
		next(ret,
		     "run as root (or with CAP_PERFMON and CAP_BPF), or sysctl "
		     "kernel.perf_event_paranoid=%d",
		     wanted);
	} else if (ask->tid > 0) {
		why(ret,
		    "permission denied: the task is another user's or protected from ptrace "
		    "(perf_event_paranoid is %d)",
		    level);
		next(ret, "run as root or as that user");
	} else {
		why(ret, "permission denied (perf_event_paranoid is %d)", level);
		next(ret, "run as root, or with CAP_PERFMON");
	}
}

static void explain_breakpoint(const struct ask *ask, struct refusal *ret)
{
	const struct perf_event_attr *attr = &ask->event->attr;

	brief(ret, "not watchable");
	if (attr->bp_type != HW_BREAKPOINT_X && attr->bp_addr & (attr->bp_len - 1)) {
		why(ret, "the address 0x%" PRIx64 " is not a multiple of the length %" PRIu64,
		    (uint64_t)attr->bp_addr, (uint64_t)attr->bp_len);
		next(ret, "write mem:0x%" PRIx64 "/1 for one byte", (uint64_t)attr->bp_addr);
	} else if (attr->bp_addr >> 63 && attr->exclude_kernel) {
		why(ret, "the address lies in the kernel, which :u excludes");
	} else if (attr->bp_type == HW_BREAKPOINT_R) {
		ret->cannot = true;
		why(ret, "the CPU can't watch reads alone");
		next(ret, "write :rw");
	} else {
		why(ret, "the kernel can't watch 0x%" PRIx64 " this way", (uint64_t)attr->bp_addr);
	}
}

static bool explain_freq(const struct ask *ask, struct refusal *ret)
{
	const struct perf_event_attr *attr = &ask->event->attr;
	int max = sysctl__read("/proc/sys/kernel/perf_event_max_sample_rate", INT_MAX);

	if (!attr->freq || attr->sample_freq <= (uint64_t)max)
		return false;
	brief(ret, "frequency too high");
	why(ret, "%" PRIu64 " Hz is more than kernel.perf_event_max_sample_rate allows (%d)",
	    (uint64_t)attr->sample_freq, max);
	next(ret, "use at most %d Hz, or raise that sysctl", max);
	return true;
}

static bool explain_cpu(const struct ask *ask, struct refusal *ret)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	if (n <= 0 || ask->cpu < n)
		return false;
	brief(ret, "no such CPU");
	why(ret, "there is no CPU %d", ask->cpu);
	next(ret, "see /sys/devices/system/cpu/online");
	return true;
}

static void explain_einval(const struct ask *ask, struct refusal *ret)
{
	if (explain_freq(ask, ret) || explain_cpu(ask, ret))
		return;
	if (ask->event->is_breakpoint) {
		explain_breakpoint(ask, ret);
		return;
	}
	if (explain_precise(ask, ret) || explain_no_interrupt(ask, ret))
		return;
	ret->cannot = true;
	if (ask->event->attr.type == PERF_TYPE_HARDWARE ||
	    ask->event->attr.type == PERF_TYPE_HW_CACHE) {
		explain_lacking(ask, ret);
		return;
	}
	brief(ret, "refused by its PMU");
	why(ret,
	    "PMU %s refuses it in this form (%s: no such event, or it does not count for tasks, "
	    "users and kernel apart)",
	    ask->event->pmu, ask->event->maps_to);
	next(ret, "try it without modifiers, or see the CPU's manual");
}

static void explain_emfile(struct refusal *ret)
{
	struct rlimit limit = {0};

	(void)getrlimit(RLIMIT_NOFILE, &limit);
	brief(ret, "too many open files");
	why(ret, "too many open files: the limit is %llu, and each event needs one per CPU or task",
	    (unsigned long long)limit.rlim_cur);
	next(ret, "raise it with ulimit -n, or name fewer events or tasks");
}

static void explain_busy(const struct ask *ask, struct refusal *ret)
{
	brief(ret, "in use");
	if (ask->event->is_breakpoint) {
		why(ret,
		    "all hardware breakpoints are in use (a debugger, or too many mem: events)");
		next(ret, "name fewer of them, run a command with --passes, or end the "
			  "debugger");
		return;
	}
	why(ret, "the PMU's counters are in use (another profiler, exclusively)");
	next(ret, "end it and try again");
}

static void explain_enodev(const struct ask *ask, struct refusal *ret)
{
	ret->cannot = true;
	brief(ret, "no such device");
	if (ask->cpu >= 0) {
		why(ret, "CPU %d is offline or does not exist", ask->cpu);
		next(ret, "see /sys/devices/system/cpu/online");
		return;
	}
	why(ret, "PMU %s is not there", ask->event->pmu);
}

static void explain_other(const struct ask *ask, struct refusal *ret)
{
	if (ask->errnum == ENOSYS) {
		ret->cannot = true;
		brief(ret, "kernel without perf events");
		why(ret,
		    "the kernel has no perf events (CONFIG_PERF_EVENTS), or a sandbox hides them");
		return;
	}
	snprintf(ret->brief, sizeof(ret->brief), "%.40s", strerror(ask->errnum));
	why(ret, "perf_event_open: %s", strerror(ask->errnum));
}

static void refusal__fill(struct refusal *ret, const struct ask *ask)
{
	switch (ask->errnum) {
	case ENOENT:
		explain_enoent(ask, ret);
		break;
	case EOPNOTSUPP:
		explain_unsupported(ask, ret);
		break;
	case EACCES:
	case EPERM:
		explain_privilege(ask, ret);
		break;
	case EINVAL:
		explain_einval(ask, ret);
		break;
	case ESRCH:
		brief(ret, "task gone");
		why(ret, "the task has ended");
		break;
	case ETIMEDOUT:
	case ECONNREFUSED:
		brief(ret, "not in time");
		why(ret,
		    "the task does not answer in time (it may be in an exec that waits for a file "
		    "server)");
		break;
	case EMFILE:
		explain_emfile(ret);
		break;
	case EBUSY:
	case ENOSPC:
		explain_busy(ask, ret);
		break;
	case ENODEV:
	case ENXIO:
		explain_enodev(ask, ret);
		break;
	default:
		explain_other(ask, ret);
	}
}

void refusal__find(struct refusal *ret, const struct event *event, pid_t tid, int cpu, int errnum)
{
	const struct ask ask = {.event = event, .tid = tid, .cpu = cpu, .errnum = errnum};

	*ret = (struct refusal){0};
	refusal__fill(ret, &ask);
}
