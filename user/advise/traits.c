// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is what to leave out: a wait on a futex is a lock's only if a lock's function is
 * in the stack, for a thread that waits for work looks the same; memory that is given back is an
 * allocator's doing only if free() is.
 */
#include "advise/traits.h"

#include <linux/types.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "pmubpf/hotspot.h"
#include "prof/language.h"
#include "prof/sharing.h"

/* Groups of names. */
enum {
	G_FAULT = 1 << 0,
	G_ENTRY = 1 << 1,
	G_GIVE_BACK = 1 << 2,
	G_START = 1 << 3,
	G_SWITCH = 1 << 4,
	G_SPIN = 1 << 5,
	G_KERNEL_COPY = 1 << 6,
	G_FREE = 1 << 7,
	G_LOCK = 1 << 8,
	G_COPY = 1 << 9,
	G_ACCESSOR = 1 << 10,
	G_RECLAIM = 1 << 11,
	G_STRING = 1 << 12,
};

/* Functions of the kernel, by the beginning of their names: x86-64, arm64, riscv64. */
static const struct {
	const char *begins;
	uint32_t group;
} of_kernel[] = {
	{"asm_exc_page_fault", G_FAULT},
	{"exc_page_fault", G_FAULT},
	{"do_user_addr_fault", G_FAULT},
	{"do_mem_abort", G_FAULT},
	{"do_page_fault", G_FAULT},
	{"handle_page_fault", G_FAULT},
	{"do_syscall_64", G_ENTRY},
	{"entry_SYSCALL_64", G_ENTRY},
	{"do_int80_", G_ENTRY},
	{"do_fast_syscall_32", G_ENTRY},
	{"do_el0_svc", G_ENTRY},
	{"el0_svc", G_ENTRY},
	{"do_trap_ecall_u", G_ENTRY},
	{"__schedule", G_SWITCH},
	{"schedule", G_SWITCH},
	{"finish_task_switch", G_SWITCH},
	{"preempt_schedule", G_SWITCH},
	{"try_to_wake_up", G_SWITCH},
	{"wake_up_", G_SWITCH},
	{"do_exit", G_START},
	{"begin_new_exec", G_START},
	{"bprm_execve", G_START},
	{"kernel_clone", G_START},
	{"ret_from_fork", G_START},
	{"native_queued_spin_lock_slowpath", G_SPIN},
	{"queued_spin_lock_slowpath", G_SPIN},
	{"queued_read_lock_slowpath", G_SPIN},
	{"queued_write_lock_slowpath", G_SPIN},
	{"rwsem_spin_on_owner", G_SPIN},
	{"mutex_spin_on_owner", G_SPIN},
	{"osq_lock", G_SPIN},
	{"try_to_free_pages", G_RECLAIM},
	{"try_to_free_mem_cgroup_pages", G_RECLAIM},
	{"shrink_node", G_RECLAIM},
	{"shrink_lruvec", G_RECLAIM},
	{"shrink_slab", G_RECLAIM},
	{"copy_", G_KERNEL_COPY},
	{"_copy_", G_KERNEL_COPY},
	{"__copy_", G_KERNEL_COPY},
	{"__arch_copy_", G_KERNEL_COPY},
	{"rep_movs", G_KERNEL_COPY},
	{"rep_stos", G_KERNEL_COPY},
	{"clear_page", G_KERNEL_COPY},
	{"memcpy", G_KERNEL_COPY},
	{"memset", G_KERNEL_COPY},
	{"csum_", G_KERNEL_COPY},
	{"crc32", G_KERNEL_COPY},
};

/* System calls, behind __x64_sys_ and its like. */
static const struct {
	const char *call;
	uint32_t group;
} of_calls[] = {
	{"munmap", G_GIVE_BACK}, {"brk", G_GIVE_BACK}, {"madvise", G_GIVE_BACK},
	{"mremap", G_GIVE_BACK}, {"execve", G_START},  {"execveat", G_START},
	{"exit", G_START},       {"clone", G_START},   {"clone3", G_START},
	{"exit_group", G_START}, {"fork", G_START},    {"vfork", G_START},
	{"sched_yield", G_SPIN},
};

/* Functions of libraries and runtimes: whole names, after any underscores and before parameters. */
static const struct {
	const char *name;
	uint32_t group;
} of_programs[] = {
	{"free", G_FREE},
	{"cfree", G_FREE},
	{"libc_free", G_FREE},
	{"int_free", G_FREE},
	{"systrim", G_FREE},
	{"munmap_chunk", G_FREE},
	{"realloc", G_FREE},
	{"libc_realloc", G_FREE},
	{"operator delete", G_FREE},
	{"operator delete[]", G_FREE},
	{"pthread_mutex_lock", G_LOCK},
	{"pthread_mutex_lock_full", G_LOCK},
	{"pthread_mutex_timedlock", G_LOCK},
	{"pthread_mutex_clocklock", G_LOCK},
	{"pthread_mutex_cond_lock", G_LOCK},
	{"pthread_rwlock_rdlock", G_LOCK},
	{"pthread_rwlock_wrlock", G_LOCK},
	{"pthread_rwlock_timedrdlock", G_LOCK},
	{"pthread_rwlock_timedwrlock", G_LOCK},
	{"lll_lock_wait", G_LOCK},
	{"lll_lock_wait_private", G_LOCK},
	{"take_gil", G_LOCK},
	{"std::mutex::lock", G_LOCK},
	{"ObjectMonitor::enter", G_LOCK},
	{"ObjectMonitor::EnterI", G_LOCK},
	{"std::sys::sync::mutex::futex::Mutex::lock_contended", G_LOCK},
	{"parking_lot::raw_mutex::RawMutex::lock_slow", G_LOCK},
	{"pthread_spin_lock", G_SPIN},
	{"memcpy", G_COPY},
	{"memmove", G_COPY},
	{"memset", G_COPY},
	{"mempcpy", G_COPY},
	{"strlen", G_STRING},
	{"strnlen", G_STRING},
	{"strcat", G_STRING},
	{"strncat", G_STRING},
	{"strcpy", G_STRING},
	{"stpcpy", G_STRING},
	{"strcmp", G_STRING},
	{"strncmp", G_STRING},
	{"strcasecmp", G_STRING},
	{"strchr", G_STRING},
	{"strchrnul", G_STRING},
	{"strrchr", G_STRING},
	{"strstr", G_STRING},
	{"strspn", G_STRING},
	{"strcspn", G_STRING},
};

/* Any optimising compiler inlines these of C++'s headers; behind std:: or __gnu_cxx::, without
 * parameters. */
static const char *const accessors[] = {
	"::operator[]", "::operator*", "::operator++", "::operator->", "::operator+",
	"::base",       "::begin",     "::end",        "::size",       "::__normal_iterator",
};
static const char *const accessor_templates[] = {
	"__gnu_cxx::operator!=<", "__gnu_cxx::operator==<", "__gnu_cxx::operator-<", "std::move<",
	"std::forward<",          "std::__get_helper<",
};

static uint32_t group_of_kernel(const char *name)
{
	const char *call = strstr(name, "_sys_");
	uint32_t group = 0;

	for (size_t i = 0; i < ARRAY_SIZE(of_kernel); i++) {
		if (starts_with(name, of_kernel[i].begins))
			group |= of_kernel[i].group;
	}
	for (size_t i = 0; call && starts_with(name, "__") && i < ARRAY_SIZE(of_calls); i++) {
		if (strcmp(call + strlen("_sys_"), of_calls[i].call) == 0)
			group |= of_calls[i].group;
	}
	return group;
}

/* "__memmove_avx_unaligned_erms", "__strlen_evex": the C library's, for this CPU. */
static uint32_t group_of_variant(const char *bare, const char *name)
{
	for (size_t i = 0; bare != name && i < ARRAY_SIZE(of_programs); i++) {
		size_t len = strlen(of_programs[i].name);

		if (of_programs[i].group & (G_COPY | G_STRING) && bare[len] == '_' &&
		    strncmp(bare, of_programs[i].name, len) == 0)
			return of_programs[i].group;
	}
	return 0;
}

static bool is_accessor(const char *name)
{
	if (!starts_with(name, "std::") && !starts_with(name, "__gnu_cxx::"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(accessors); i++) {
		if (ends_with(name, accessors[i]))
			return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(accessor_templates); i++) {
		if (starts_with(name, accessor_templates[i]))
			return true;
	}
	return false;
}

static uint32_t group_of_program(const char *name)
{
	const char *bare = name + strspn(name, "_");
	uint32_t group = 0;

	for (size_t i = 0; i < ARRAY_SIZE(of_programs); i++) {
		size_t len = strlen(of_programs[i].name);

		if (starts_with(bare, of_programs[i].name) &&
		    (!bare[len] || strchr("(@.", bare[len])))
			group |= of_programs[i].group;
	}
	group |= group_of_variant(bare, name);
	if (is_accessor(name))
		group |= G_ACCESSOR;
	return group;
}

/* Of the frame's function; each name is looked at once. */
static uint32_t group_of(struct traits *t, const struct prof_frame *frame)
{
	enum { KNOWN = 1 << 30, OF_KERNEL = 1 << 29 };
	bool kernel = frame->kind == PROF_KERNEL;
	uint32_t *known = &t->groups[frame->function];
	const char *name;

	if (!frame->function || frame->kind == PROF_ARTIFICIAL)
		return 0;
	if (*known & KNOWN && kernel == !!(*known & OF_KERNEL))
		return *known;
	name = prof__text(t->prof, prof__function_name(t->prof, frame->function));
	*known = KNOWN | (kernel ? OF_KERNEL | group_of_kernel(name) : group_of_program(name));
	return *known;
}

size_t traits__first_of_program(const struct traits *t)
{
	size_t i = 0;

	while (i < t->frames.n && t->frames.list[i].kind == PROF_KERNEL)
		i++;
	return i;
}

/* What an interpreter runs there: its own functions may have no names. */
static size_t behind_interpreter(const struct traits *t, size_t from)
{
	size_t i = from;

	for (; i < t->frames.n && t->frames.list[i].kind == PROF_USER; i++) {
		const char *module = prof_frame__module(&t->frames.list[i], t->prof);

		if (!prof_is_python(module) && !prof_is_libc(module))
			return from;
	}
	return i < t->frames.n && t->frames.list[i].kind == PROF_PYTHON ? i : from;
}

size_t traits__first_behind_lock(struct traits *t)
{
	size_t ret = traits__first_of_program(t);

	for (size_t i = ret; i < t->frames.n; i++) {
		if (group_of(t, &t->frames.list[i]) & G_LOCK)
			ret = i + 1;
	}
	ret = behind_interpreter(t, ret);
	return ret < t->frames.n ? ret : traits__first_of_program(t);
}

const char *traits__call_name(const struct traits *t, uint32_t function)
{
	const char *name = prof__text(t->prof, prof__function_name(t->prof, function));
	const char *call = starts_with(name, "__") ? strstr(name, "_sys_") : NULL;

	return call ? call + strlen("_sys_") : NULL;
}

uint32_t traits__call(const struct traits *t)
{
	for (size_t i = 0; i < t->frames.n && t->frames.list[i].kind == PROF_KERNEL; i++) {
		uint32_t function = t->frames.list[i].function;

		if (traits__call_name(t, function))
			return function;
	}
	return 0;
}

static uint32_t mapping_of(const struct traits *t, size_t frame)
{
	return t->prof->locations[t->frames.list[frame].location].mapping;
}

/*
 * The interpreter's own work: a frame of Python innermost, or functions of the file that runs
 * Python between it and the CPU; not those of a module in C. A method of Java that is interpreted
 * has a word of its own for an address.
 */
static bool is_interpreted(const struct traits *t, size_t first)
{
	const struct prof_frames *f = &t->frames;
	size_t python = first, runner;

	if (f->list[first].kind == PROF_JIT)
		return PMB_IS_METHOD(t->prof->locations[f->list[first].location].address);
	while (python < f->n && f->list[python].kind != PROF_PYTHON)
		python++;
	runner = python;
	while (runner < f->n && f->list[runner].kind == PROF_PYTHON)
		runner++;
	if (python == f->n)
		return false;
	for (size_t i = first; i < python; i++) {
		if (runner == f->n || mapping_of(t, i) != mapping_of(t, runner))
			return false;
	}
	return true;
}

/* All groups of the kernel's frames, and of the program's. */
static void gather(struct traits *t, size_t first, uint32_t *kernel, uint32_t *program)
{
	for (size_t i = 0; i < t->frames.n; i++)
		*(i < first ? kernel : program) |= group_of(t, &t->frames.list[i]);
}

static uint32_t traits_in_kernel(uint32_t kernel, uint32_t program, uint32_t leaf)
{
	uint32_t ret = 0;

	if (kernel & G_FAULT)
		ret |= TRAIT_FAULTS;
	if (kernel & G_GIVE_BACK && program & G_FREE)
		ret |= TRAIT_GIVES_BACK;
	if (kernel & G_START)
		ret |= TRAIT_STARTS;
	else if (kernel & G_ENTRY && !(kernel & G_FAULT) && !(leaf & G_KERNEL_COPY))
		ret |= TRAIT_CALLS;
	if (kernel & G_SWITCH)
		ret |= TRAIT_SWITCHES;
	if (kernel & G_RECLAIM)
		ret |= TRAIT_RECLAIMS;
	return ret;
}

static uint32_t traits_of_leaf(const struct traits *t, uint32_t leaf)
{
	const struct prof_frame *frame = &t->frames.list[0];
	uint32_t ret = 0;

	if (leaf & G_COPY)
		ret |= TRAIT_COPIES;
	if (leaf & G_STRING)
		ret |= TRAIT_STRINGS;
	if (leaf & G_ACCESSOR && !frame->inlined && frame->kind == PROF_USER)
		ret |= TRAIT_UNINLINED;
	if (!prof__function_name(t->prof, frame->function))
		ret |= TRAIT_NAMELESS;
	if (is_interpreted(t, 0))
		ret |= TRAIT_INTERPRETED;
	return ret;
}

static uint32_t traits_of_wait(const char *state, uint32_t program)
{
	static const char *const disk[] = {"io", "fsync", "fdatasync", "msync", "sync", "syncfs"};
	uint32_t ret = TRAIT_WAITS;

	if (strcmp(state, "preempted") == 0 || strcmp(state, "waiting") == 0)
		ret |= TRAIT_QUEUE;
	if ((strcmp(state, "futex") == 0 && program & G_LOCK) || strcmp(state, "gil") == 0 ||
	    strcmp(state, "monitor") == 0)
		ret |= TRAIT_LOCK;
	for (size_t i = 0; i < ARRAY_SIZE(disk); i++) {
		if (strcmp(state, disk[i]) == 0)
			ret |= TRAIT_IO;
	}
	return ret;
}

static uint32_t traits_of_data(const struct prof *p, uint32_t labels)
{
	const struct prof_label *sharing = prof__label(p, labels, PROF_SHARING);
	const struct prof_label *source = prof__label(p, labels, "data_source");
	const char *text = sharing ? prof__text(p, sharing->text) : "";
	uint32_t ret = prof__label(p, labels, "cache_line") ? TRAIT_ADDRESS : 0;

	if (source)
		ret |= TRAIT_SOURCE;
	if (source && strstr(prof__text(p, source->text), "remote"))
		ret |= TRAIT_REMOTE;
	/* candidates are guesses: no finding stands on them */
	if (strcmp(text, PROF_SHARING_PROVEN) == 0 || strcmp(text, PROF_SHARING_SUSPECT) == 0)
		ret |= TRAIT_FALSE_SHARING;
	return ret;
}

uint32_t traits__of(struct traits *t, const struct prof_sample *sample)
{
	const struct prof *p = t->prof;
	const struct prof_label *state = prof__label(p, sample->labels, "off_state");
	uint32_t kernel = 0, program = 0, leaf, ret;
	size_t first;

	if (!t->groups)
		t->groups = xcalloc(p->n_functions, sizeof(*t->groups));
	prof_frames__expand(&t->frames, p, sample->stack, true);
	first = traits__first_of_program(t);
	gather(t, first, &kernel, &program);
	ret = traits_of_data(p, sample->labels);
	if (state)
		return ret | traits_of_wait(prof__text(p, state->text), program);
	if (!t->frames.n)
		return ret | TRAIT_RUNS;
	if (t->frames.list[0].kind == PROF_ARTIFICIAL)
		return ret;
	leaf = group_of(t, &t->frames.list[0]);
	ret |= TRAIT_RUNS |
	       (first ? traits_in_kernel(kernel, program, leaf) : traits_of_leaf(t, leaf));
	return ret | ((leaf | kernel) & G_SPIN ? TRAIT_SPINS : 0);
}

void traits__done(struct traits *t)
{
	prof_frames__done(&t->frames);
	free(t->groups);
	t->groups = NULL;
}
