// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A PMU whose silicon is played: what a CPU would put into a sample stands in the event or in the
 * module's parameters, and a timer of each CPU says when. All behind it is the kernel's own: the
 * perf core delivers the overflow of a running task to its BPF programs.
 *
 * The event's words: config is the data source (enum perf_mem_data_src), config1 the data address,
 * config2 the weight (union perf_sample_weight). Each 200 us of a running event are a period.
 *
 *	ip, di       what the sample has as instruction, and in the register of a first argument
 *	             (0: what they had), if its event asks for registers or isn't precise. The
 *	             task runs on with its own.
 *	precise      the highest precise_ip that is granted; more is refused (EOPNOTSUPP)
 *	no_source, no_weight, no_address   the sample has none, as from a PMU without
 *	branch       FROM,TO,FLAGS,… of branch records (FLAGS: struct perf_branch_entry's bits)…
 *	branches     …of which each sample has so many, the list again and again; 0: there are none,
 *	             and an event that wants some is refused, as by a CPU without (EOPNOTSUPP)
 *	silent       it counts, and its interrupt doesn't arrive
 *	refuse       an errno with which every event is refused
 *	counters     how many events each CPU counts at once; 0: as many as there are
 *	hybrid       Y makes two more PMUs, cpu_core of CPU 0 and cpu_atom of CPU 1, that have
 *	             cycles and instructions by their generic numbers, as Intel's; N takes them
 *	             away
 *	rates        a list makes one more, "cpu", with raw events as Intel's: that of event=0x10
 *	             has so many counts each us as the list's first number says, 0x11 the
 *	             second…; the PMU stays, and without a number an event isn't there
 *	overflow     where perf_event_overflow is, of /proc/kallsyms: it isn't exported
 *
 * played_uncore is one that counts for a part of the machine: microseconds, on CPU 0, for nobody,
 * without interrupts.
 */
#include <asm/irq_regs.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/version.h>

#define PERIOD_NS 200000
#ifdef CONFIG_ARM64
#define FIRST_ARGUMENT(r) ((r)->regs[0])
#else
#define FIRST_ARGUMENT(r) ((r)->di)
#endif
/* PERF_SAMPLE_WEIGHT, and since 5.12 PERF_SAMPLE_WEIGHT_STRUCT */
#define WEIGHTS (1U << 14 | 1U << 24)

typedef int (*overflow_fn)(struct perf_event *event, struct perf_sample_data *data,
			   struct pt_regs *regs);

static unsigned long overflow;
static unsigned long long ip, di;
static unsigned int precise = 3;
static unsigned int refuse, counters;
static unsigned long long branch[3 * 32];
static unsigned int n_branch, branches;
static bool no_source, no_weight, no_address, silent, no_chain;

module_param(overflow, ulong, 0400);
module_param(ip, ullong, 0600);
module_param(di, ullong, 0600);
module_param(precise, uint, 0600);
module_param(no_source, bool, 0600);
module_param(no_weight, bool, 0600);
module_param(no_address, bool, 0600);
module_param(silent, bool, 0600);
module_param(no_chain, bool, 0600);
module_param(refuse, uint, 0600);
module_param(counters, uint, 0600);
module_param_array(branch, ullong, &n_branch, 0600);
module_param(branches, uint, 0600);
static unsigned int rates[32], n_rates;

/* ---- one sample */

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
/* The driver says that it takes the call chain itself, in the moment of a precise event; else no
 * BPF program that reads stacks is let at it. This one does as Intel's. */
static void promise_chain(struct perf_event *event)
{
	if (event->attr.precise_ip && event->attr.sample_type & PERF_SAMPLE_CALLCHAIN && !no_chain)
		event->attr.sample_type |= __PERF_SAMPLE_CALLCHAIN_EARLY;
}

static void take_chain(struct perf_sample_data *data, struct pt_regs *regs)
{
	static DEFINE_PER_CPU(u64[3], chains);
	u64 *chain = *this_cpu_ptr(&chains);

	chain[0] = 2;
	chain[1] = user_mode(regs) ? PERF_CONTEXT_USER : PERF_CONTEXT_KERNEL;
	chain[2] = instruction_pointer(regs);
	data->callchain = (struct perf_callchain_entry *)chain;
}
#else
static void promise_chain(struct perf_event *event)
{
}

static void take_chain(struct perf_sample_data *data, struct pt_regs *regs)
{
}
#endif

/* More than any CPU has. */
enum { MOST_BRANCHES = 100 };
struct branch_list {
	u64 nr, hw_idx;
	u64 words[3 * MOST_BRANCHES];
};

static void take_branches(struct perf_event *event, struct perf_sample_data *data, u64 *flags)
{
	static DEFINE_PER_CPU(struct branch_list, lists);
	struct branch_list *list = this_cpu_ptr(&lists);
	unsigned int i, n = n_branch / 3 * 3;

	if (!(event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK) || !n)
		return;
	list->nr = min_t(u64, branches, MOST_BRANCHES);
	list->hw_idx = -1;
	for (i = 0; i < 3 * list->nr; i++)
		list->words[i] = branch[i % n];
	data->br_stack = (struct perf_branch_stack *)list;
	*flags |= PERF_SAMPLE_BRANCH_STACK;
}

/* Which members there are, and whether flags say so, changed with the years. */
static void fill_in(struct perf_event *event, struct perf_sample_data *data)
{
	u64 flags = 0, *weight;

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 12, 0)
	weight = &data->weight.full;
#else
	weight = &data->weight;
#endif
	perf_sample_data_init(data, no_address ? 0 : event->attr.config1, event->hw.last_period);
	if (!no_address)
		flags |= PERF_SAMPLE_ADDR;
	if (!no_source) {
		data->data_src.val = event->attr.config;
		flags |= PERF_SAMPLE_DATA_SRC;
	}
	if (!no_weight) {
		*weight = event->attr.config2;
		flags |= event->attr.sample_type & WEIGHTS;
	}
	take_branches(event, data, &flags);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
	data->sample_flags |= flags;
#else
	(void)flags;
#endif
}

static u64 period_of(const struct perf_event *event)
{
	return event->hw.sample_period ?: 1000;
}

static unsigned int rate_of(const struct perf_event *event)
{
	const unsigned int i = (event->attr.config & 0xff) - 0x10;

	return event->attr.type == PERF_TYPE_RAW && i < n_rates ? rates[i] : 0;
}

/* How long a period takes. */
static ktime_t time_of(const struct perf_event *event)
{
	const unsigned int rate = rate_of(event);

	return ns_to_ktime(rate ? max(div_u64(period_of(event) * 1000, rate), 20000ULL) :
				  PERIOD_NS);
}

/* Of a precise event a CPU keeps the registers of its moment, and Intel's driver hands them out to
 * whoever asks for registers; others get those of the interrupt. */
static bool keeps_registers(const struct perf_event *event)
{
	return !event->attr.precise_ip || event->attr.sample_type & PERF_SAMPLE_REGS_INTR;
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct perf_event *event = container_of(timer, struct perf_event, hw.hrtimer);
	u64 period = period_of(event), passed;
	struct pt_regs regs, *now = get_irq_regs();
	struct perf_sample_data data;

	if (event->state != PERF_EVENT_STATE_ACTIVE)
		return HRTIMER_NORESTART;
	passed = hrtimer_forward_now(timer, time_of(event));
	/* where interrupts are late a counter goes on, or the fastest would count too little */
	if (rate_of(event))
		period *= passed;
	if (!now || (event->attr.exclude_kernel && !user_mode(now)))
		return HRTIMER_RESTART;
	regs = *now;
	if (user_mode(now)) {
		instruction_pointer_set(&regs, ip ? ip : instruction_pointer(&regs));
		FIRST_ARGUMENT(&regs) = di && keeps_registers(event) ? di : FIRST_ARGUMENT(&regs);
	}
	local64_add(period, &event->count);
	event->hw.last_period = period;
	if (silent || !is_sampling_event(event))
		return HRTIMER_RESTART;
	fill_in(event, &data);
	take_chain(&data, &regs);
	if (((overflow_fn)overflow)(event, &data, &regs) || event->hw.state & PERF_HES_STOPPED)
		return HRTIMER_NORESTART; /* throttled: it is started again */
	return HRTIMER_RESTART;
}

/* ---- what the perf core asks of a PMU */

static void start(struct perf_event *event, int flags)
{
	event->hw.state = 0;
	hrtimer_start(&event->hw.hrtimer, time_of(event), HRTIMER_MODE_REL_PINNED_HARD);
}

/* Perhaps amid its own overflow, so nobody waits for the timer's end. */
static void stop(struct perf_event *event, int flags)
{
	hrtimer_try_to_cancel(&event->hw.hrtimer);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static DEFINE_PER_CPU(unsigned int, running);

static int add(struct perf_event *event, int flags)
{
	if (counters && __this_cpu_read(running) >= counters)
		return -EAGAIN;
	__this_cpu_inc(running);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		start(event, flags);
	return 0;
}

static void del(struct perf_event *event, int flags)
{
	stop(event, flags);
	__this_cpu_dec(running);
}

/* It counts periods, at the moment when they are over. */
static void read(struct perf_event *event)
{
}

static void init_timer(struct perf_event *event)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(&event->hw.hrtimer, tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
#else
	hrtimer_init(&event->hw.hrtimer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	event->hw.hrtimer.function = tick;
#endif
}

static struct pmu played;

static int event_init(struct perf_event *event)
{
	if (event->attr.type != played.type)
		return -ENOENT;
	if (refuse)
		return -(int)refuse;
	if (event->attr.precise_ip > precise)
		return -EOPNOTSUPP;
	if (event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK && !branches)
		return -EOPNOTSUPP;
	promise_chain(event);
	init_timer(event);
	return 0;
}

PMU_FORMAT_ATTR(data_src, "config:0-63");
PMU_FORMAT_ATTR(addr, "config1:0-63");
PMU_FORMAT_ATTR(weight, "config2:0-63");
static struct attribute *format[] = {
	&format_attr_data_src.attr,
	&format_attr_addr.attr,
	&format_attr_weight.attr,
	NULL,
};
static const struct attribute_group format_group = {.name = "format", .attrs = format};
static const struct attribute_group *groups[] = {&format_group, NULL};

/* Each claims the context of hardware; kernels before 6.2 want to be told that it may. */
#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS
#define OF_SEVERAL PERF_PMU_CAP_HETEROGENEOUS_CPUS
#else
#define OF_SEVERAL 0
#endif
/* 5.13: the number of one in the upper half of a generic event. */
#ifdef PERF_PMU_CAP_EXTENDED_HW_TYPE
#define BY_UPPER_HALF PERF_PMU_CAP_EXTENDED_HW_TYPE
#else
#define BY_UPPER_HALF 0
#endif

static struct pmu played = {
	.module = THIS_MODULE,
	.task_ctx_nr = perf_hw_context,
	.capabilities = OF_SEVERAL,
	.attr_groups = groups,
	.event_init = event_init,
	.add = add,
	.del = del,
	.start = start,
	.stop = stop,
	.read = read,
};

/* ---- two PMUs of cores */

static struct pmu cores[2]; /* of CPU 0, and of CPU 1 */

static int cpu_of(const struct pmu *pmu)
{
	return (int)(pmu - cores);
}

/* Generic events: the core looks the PMU up by the upper half, and takes that away; before 5.13 it
 * asks one after the other. */
static int core_init(struct perf_event *event)
{
	const bool generic = event->attr.type == PERF_TYPE_HARDWARE;
	const u32 type = generic ? event->attr.config >> 32 : event->attr.type;

	if (event->pmu != &cores[0] && event->pmu != &cores[1])
		return -ENOENT;
	if (type != event->pmu->type && (!generic || type))
		return -ENOENT;
	if (event->cpu >= 0 && event->cpu != cpu_of(event->pmu))
		return -ENOENT;
	if (generic && (u32)event->attr.config > PERF_COUNT_HW_INSTRUCTIONS)
		return -ENOENT;
	if (event->attr.precise_ip || event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
		return -EOPNOTSUPP;
	init_timer(event);
	return 0;
}

/* Of a task, where it runs just now. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
static bool core_filter(struct pmu *pmu, int cpu)
{
	return cpu != cpu_of(pmu);
}
#define FILTER .filter = core_filter
#else
static int core_matches(struct perf_event *event)
{
	return smp_processor_id() == cpu_of(event->pmu);
}
#define FILTER .filter_match = core_matches
#endif

static ssize_t cpus_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%d\n", cpu_of(dev_get_drvdata(dev)));
}

static DEVICE_ATTR_RO(cpus);
PMU_FORMAT_ATTR(code, "config:0-7");
static struct attribute *core_format[] = {&format_attr_code.attr, NULL};
static struct attribute *core_cpus[] = {&dev_attr_cpus.attr, NULL};
static const struct attribute_group core_format_group = {.name = "format", .attrs = core_format},
				    core_cpus_group = {.attrs = core_cpus};
static const struct attribute_group *core_groups[] = {&core_format_group, &core_cpus_group, NULL};

static const struct pmu core = {
	.module = THIS_MODULE,
	.task_ctx_nr = perf_hw_context,
	.capabilities = OF_SEVERAL | BY_UPPER_HALF,
	.attr_groups = core_groups,
	.event_init = core_init,
	.add = add,
	.del = del,
	.start = start,
	.stop = stop,
	.read = read,
	FILTER,
};

static bool hybrid;

static int make_hybrid(void)
{
	static const char *const names[] = {"cpu_core", "cpu_atom"};
	int i, r;

	for (i = 0; i < 2; i++) {
		cores[i] = core;
		r = perf_pmu_register(&cores[i], names[i], -1);
		if (r && i)
			perf_pmu_unregister(&cores[0]);
		if (r)
			return r;
	}
	return 0;
}

static void end_hybrid(void)
{
	int i;

	for (i = 0; i < 2; i++) {
		perf_pmu_unregister(&cores[i]);
		cores[i].type = 0;
	}
}

static int set_hybrid(const char *text, const struct kernel_param *param)
{
	bool want;
	int r = kstrtobool(text, &want);

	if (r || want == hybrid)
		return r;
	if (want)
		r = make_hybrid();
	else
		end_hybrid();
	hybrid = r ? hybrid : want;
	return r;
}

static const struct kernel_param_ops hybrid_ops = {.set = set_hybrid, .get = param_get_bool};
module_param_cb(hybrid, &hybrid_ops, &hybrid, 0600);

/* ---- one of raw events */

static int raw_init(struct perf_event *event)
{
	if (event->attr.type != PERF_TYPE_RAW)
		return -ENOENT;
	if (!rate_of(event))
		return -EINVAL;
	if (event->attr.precise_ip || event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
		return -EOPNOTSUPP;
	init_timer(event);
	return 0;
}

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(umask, "config:8-15");
static struct attribute *raw_format[] = {&format_attr_event.attr, &format_attr_umask.attr, NULL};
static const struct attribute_group raw_format_group = {.name = "format", .attrs = raw_format};
static const struct attribute_group *raw_groups[] = {&raw_format_group, NULL};

static struct pmu raw = {
	.module = THIS_MODULE,
	.task_ctx_nr = perf_hw_context,
	.capabilities = OF_SEVERAL,
	.attr_groups = raw_groups,
	.event_init = raw_init,
	.add = add,
	.del = del,
	.start = start,
	.stop = stop,
	.read = read,
};
static bool has_raw;

static int set_rates(const char *text, const struct kernel_param *param)
{
	int r = param_array_ops.set(text, param);

	if (r || has_raw)
		return r;
	r = perf_pmu_register(&raw, "cpu", PERF_TYPE_RAW);
	has_raw = !r;
	return r;
}

static const struct kernel_param_ops rates_ops = {.set = set_rates, .get = NULL};
static const struct kparam_array rates_array = {
	.max = ARRAY_SIZE(rates),
	.elemsize = sizeof(rates[0]),
	.num = &n_rates,
	.ops = &param_ops_uint,
	.elem = rates,
};
module_param_cb(rates, &rates_ops, &rates_array, 0200);

/* ---- a PMU of no program */

static struct pmu uncore;

static int uncore_init(struct perf_event *event)
{
	if (event->attr.type != uncore.type)
		return -ENOENT;
	return is_sampling_event(event) || event->cpu != 0 ? -EINVAL : 0;
}

static void uncore_read(struct perf_event *event)
{
	u64 now = ktime_get_ns(), before = local64_xchg(&event->hw.prev_count, now);

	local64_add((now - before) / 1000, &event->count);
}

static void uncore_start(struct perf_event *event, int flags)
{
	local64_set(&event->hw.prev_count, ktime_get_ns());
}

static void uncore_stop(struct perf_event *event, int flags)
{
	uncore_read(event);
}

static int uncore_add(struct perf_event *event, int flags)
{
	if (flags & PERF_EF_START)
		uncore_start(event, flags);
	return 0;
}

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "0\n");
}

PMU_EVENT_ATTR_STRING(time, event_time, "event=0x1");
static DEVICE_ATTR_RO(cpumask);
static struct attribute *uncore_format[] = {&format_attr_event.attr, NULL};
static struct attribute *uncore_events[] = {&event_time.attr.attr, NULL};
static struct attribute *uncore_masks[] = {&dev_attr_cpumask.attr, NULL};
static const struct attribute_group uncore_format_group = {.name = "format",
							   .attrs = uncore_format},
				    uncore_events_group = {.name = "events",
							   .attrs = uncore_events},
				    uncore_masks_group = {.attrs = uncore_masks};
static const struct attribute_group *uncore_groups[] = {&uncore_format_group, &uncore_events_group,
							&uncore_masks_group, NULL};

static struct pmu uncore = {
	.module = THIS_MODULE,
	.task_ctx_nr = perf_invalid_context,
	.capabilities = PERF_PMU_CAP_NO_EXCLUDE,
	.attr_groups = uncore_groups,
	.event_init = uncore_init,
	.add = uncore_add,
	.del = uncore_stop,
	.start = uncore_start,
	.stop = uncore_stop,
	.read = uncore_read,
};

static int __init played_init(void)
{
	int r = overflow ? perf_pmu_register(&played, "played", -1) : -EINVAL;

	if (r)
		return r;
	r = perf_pmu_register(&uncore, "played_uncore", -1);
	if (r)
		perf_pmu_unregister(&played);
	return r;
}

static void __exit played_exit(void)
{
	if (hybrid)
		end_hybrid();
	if (has_raw)
		perf_pmu_unregister(&raw);
	perf_pmu_unregister(&uncore);
	perf_pmu_unregister(&played);
}

module_init(played_init);
module_exit(played_exit);
MODULE_DESCRIPTION("a PMU whose silicon is played, for pmubpf's tests");
MODULE_LICENSE("Dual BSD/GPL");
