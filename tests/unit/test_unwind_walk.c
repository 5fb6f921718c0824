// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tables and step together, against the truth: this program runs functions of the C library one
 * instruction at a time and walks its own stack at each, from the registers that the kernel's
 * signal frame has (as the overflow handler has them). The caller that it comes to must be the one
 * that it left.
 */
#include <criterion/criterion.h>

#ifdef __x86_64__

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <linux/types.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/mem.h"
#include "pmubpf/unwind_find.h"
#include "symd/elf_cfi.h"

struct unwind_memory {
	const greg_t *regs;
};

static const uint64_t STACK_BYTES = 1 << 20;
static uint64_t anchor_ip, anchor_sp; /* where each walk must come to */

static bool unwind_read(struct unwind_memory *mem, __u64 addr, __u64 *ret)
{
	(void)mem;
	if ((addr & 7) || addr < anchor_sp - STACK_BYTES || addr > anchor_sp)
		return false;
	*ret = *(const uint64_t *)addr;
	return true;
}

static bool unwind_reg(struct unwind_memory *mem, unsigned index, __u64 *ret)
{
	static const int words[] = {REG_R15, REG_R14, REG_R13, REG_R12, REG_RBP,
				    REG_RBX, REG_R11, REG_R10, REG_R9,  REG_R8,
				    REG_RAX, REG_RCX, REG_RDX, REG_RSI, REG_RDI};

	if (index >= ARRAY_SIZE(words))
		return false;
	*ret = (__u64)mem->regs[words[index]];
	return true;
}

#include "pmubpf/unwind_step.h"
#include "whole_table.h"

struct mapped {
	uint64_t start, size, file_off;
	size_t table;
};

static struct {
	struct mapped maps[128];
	size_t n_maps;
	struct cfi_table tables[64];
	size_t n_tables;
} known;

static struct {
	unsigned steps, frames, by_status[PMB_N_UNWIND_STATUSES], lost;
	uint64_t first_ip;
	unsigned first_status;
	bool stop;
} seen;

static const struct pmb_unwind_rule *find_rule(uint64_t pc)
{
	for (size_t i = 0; i < known.n_maps; i++) {
		const struct mapped *m = &known.maps[i];
		const struct cfi_table *t = &known.tables[m->table];
		uint64_t off = pc - m->start + m->file_off, page;

		if (pc < m->start || pc - m->start >= m->size)
			continue;
		page = (off >> PMB_PAGE_SHIFT) - t->first_page;
		if (page >= t->n_pages || !t->pages[page].n)
			return NULL;
		return &t->rules[PMB_ROW_RULE(unwind_find(t->rows, t->pages[page].first, ~0U,
							  t->pages[page].n, off & 0xffff))];
	}
	return NULL;
}

/* PMB_END_NONE: it came to the anchor. */
static unsigned walk(const greg_t *regs)
{
	struct unwind_memory mem = {.regs = regs};
	struct pmb_frame f = {
		.ip = (uint64_t)regs[REG_RIP],
		.sp = (uint64_t)regs[REG_RSP],
		.fp = (uint64_t)regs[REG_RBP],
		.exact = 1,
		.has_regs = 1,
	};

	for (int i = 0; i < 64; i++) {
		const struct pmb_unwind_rule *rule = find_rule(f.ip - !f.exact);
		__u8 end;

		if (f.ip == anchor_ip && f.sp == anchor_sp)
			return PMB_END_NONE;
		if (f.sp > anchor_sp)
			return PMB_END_CORRUPT;
		if (!rule)
			return PMB_END_NO_TABLE;
		end = unwind_step(rule, &f, &mem);
		if (end != PMB_END_NONE)
			return end;
		seen.frames++;
	}
	return PMB_END_TRUNCATED;
}

/* int3 switches stepping on, or off; each step in between comes here, too. */
static void trapped(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	unsigned end;

	(void)sig;
	if (info->si_code != TRAP_TRACE) {
		if (seen.stop)
			uc->uc_mcontext.gregs[REG_EFL] &= ~0x100;
		else
			uc->uc_mcontext.gregs[REG_EFL] |= 0x100;
		return;
	}
	end = walk(uc->uc_mcontext.gregs);
	seen.steps++;
	seen.by_status[end]++;
	if (end != PMB_END_NONE && !seen.lost++) {
		seen.first_ip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
		seen.first_status = end;
	}
}

static void add_table(int fd, uint64_t base, const ElfW(Phdr) * phdrs, size_t n)
{
	struct cfi_table *t = &known.tables[known.n_tables];
	struct pmb_table_head head;

	cfi_table__init(t);
	cr_assert_eq(table_of_all(fd, true, t), 0);
	cr_assert_eq(cfi_table__finish(t, &head), 0);
	for (size_t i = 0; i < n; i++) {
		if (phdrs[i].p_type != PT_LOAD || !(phdrs[i].p_flags & PF_X))
			continue;
		cr_assert_lt(known.n_maps, ARRAY_SIZE(known.maps));
		known.maps[known.n_maps++] = (struct mapped){
			.start = base + phdrs[i].p_vaddr,
			.size = phdrs[i].p_filesz,
			.file_off = phdrs[i].p_offset,
			.table = known.n_tables,
		};
	}
	known.n_tables++;
}

static int add_object(struct dl_phdr_info *info, size_t size, void *ctx)
{
	const char *path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	(void)size, (void)ctx;
	if (fd < 0) { /* the vDSO */
		const Elf64_Ehdr *ehdr = (const void *)getauxval(AT_SYSINFO_EHDR);
		size_t len = ehdr->e_shoff + (size_t)ehdr->e_shnum * ehdr->e_shentsize;

		fd = memfd_create("vdso", MFD_CLOEXEC);
		cr_assert_eq(write(fd, ehdr, len), (ssize_t)len);
	}
	cr_assert_lt(known.n_tables, ARRAY_SIZE(known.tables));
	add_table(fd, info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum);
	close(fd);
	return 0;
}

/* Steps through fn. The anchor is this function's caller. */
static __attribute__((noinline)) void step_through(void (*fn)(void))
{
	anchor_ip = (uint64_t)__builtin_return_address(0);
	anchor_sp = (uint64_t)__builtin_frame_address(0) + 16;
	memset(&seen, 0, sizeof(seen));
	__asm__ volatile("int3" ::: "memory");
	fn();
	seen.stop = true;
	__asm__ volatile("int3" ::: "memory");
}

static void setup(void)
{
	struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO};

	dl_iterate_phdr(add_object, NULL);
	cr_assert_eq(sigaction(SIGTRAP, &action, NULL), 0);
}

static void done(void)
{
	for (size_t i = 0; i < known.n_tables; i++)
		cfi_table__done(&known.tables[i]);
}

TestSuite(unwind_walk, .init = setup, .fini = done, .timeout = 60);

static void complain(void)
{
	Dl_info info = {0};

	dladdr((void *)seen.first_ip, &info);
	cr_expect(false, "%u of %u walks are lost, first at %s+%lx near %s: status %u", seen.lost,
		  seen.steps, info.dli_fname ? info.dli_fname : "?",
		  seen.first_ip - (uint64_t)info.dli_fbase, info.dli_sname ? info.dli_sname : "?",
		  seen.first_status);
}

static void report(unsigned min_steps)
{
	cr_log_info("%u steps, %.1f frames each, %u lost", seen.steps,
		    (double)seen.frames / seen.steps, seen.lost);
	cr_expect_geq(seen.steps, min_steps);
}

static void expect_walks(void (*fn)(void), unsigned min_steps)
{
	fn(); /* see resolver */
	step_through(fn);
	report(min_steps);
	if (seen.lost)
		complain();
}

static char text[256];
static volatile double number = 1.25e-17;

static void print_numbers(void)
{
	snprintf(text, sizeof(text), "%.17g %d %-30s|%llx", number, -12345, "text", ~0ULL);
	number = strtod(text, NULL);
}

Test(unwind_walk, printing)
{
	expect_walks(print_numbers, 2000);
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, 8);
}

static void sort(void)
{
	static uint64_t items[80];

	for (size_t i = 0; i < ARRAY_SIZE(items); i++)
		items[i] = (i * 0x9e3779b97f4a7c15ULL) >> 3;
	qsort(items, ARRAY_SIZE(items), sizeof(*items), compare);
}

Test(unwind_walk, callbacks)
{
	expect_walks(sort, 5000);
}

static void call_all_sorts(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now); /* the vDSO */
	number = sin(number) + cos(number) + pow(number, 1.5) + cbrt(number);
	snprintf(text, sizeof(text), "%s", strerror(2));
}

Test(unwind_walk, mathematics_and_the_linker)
{
	expect_walks(call_all_sorts, 1000);
}

/*
 * What glibc's linker does at the first call of a function. Its _dl_runtime_resolve keeps the CFA
 * in rbx, which is known in the innermost frame only: whatever it calls has no way past it, and
 * says so.
 */
Test(unwind_walk, resolver)
{
	step_through(call_all_sorts);
	report(1000);
	if (seen.lost != seen.by_status[PMB_END_NO_RULE])
		complain();
}

enum { ALIGNED_CALLS = 40 };

/* Where gcc aligns a stack whose size it doesn't know, it keeps the arguments' address in r10, then
 * below rbp. */
static __attribute__((noinline)) void aligned(int a, int b, int c, int d, int e, int f, int g,
					      int h)
{
	char on_stack[64] __attribute__((aligned(64)));
	char *more = __builtin_alloca((size_t)h + 1);

	memset(on_stack, a + b + c + d + e + f, sizeof(on_stack));
	memset(more, g, (size_t)h + 1);
	__asm__ volatile("" : : "r"(on_stack), "r"(more) : "memory");
}

static void align(void)
{
	for (int i = 1; i <= ALIGNED_CALLS; i++)
		aligned(i, 1, 2, 3, 4, 5, 6, i);
}

/*
 * gcc says of the two instructions after `leave` that the caller's rbp is still where rbp points
 * to. It is in rbp again, so the next function that needs it is not found: bug for bug, as every
 * unwinder does.
 */
Test(unwind_walk, realigned_stacks)
{
	align(); /* see resolver */
	step_through(align);
	report(500);
	if (seen.lost > 2 * ALIGNED_CALLS || seen.lost != seen.by_status[PMB_END_CORRUPT])
		complain();
}

/* The kernel calls it without the flag that steps. */
static void handler(int sig)
{
	__asm__ volatile("int3" ::: "memory");
	snprintf(text, sizeof(text), "%d", sig);
}

static void interrupt_itself(void)
{
	raise(SIGUSR1);
}

/* Through the frame that the kernel made for the handler. */
Test(unwind_walk, signal_handlers)
{
	struct sigaction action = {.sa_handler = handler};

	cr_assert_eq(sigaction(SIGUSR1, &action, NULL), 0);
	step_through(interrupt_itself); /* see resolver */
	step_through(interrupt_itself);
	report(500);
	if (seen.lost)
		complain();
}

#endif
