// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * types [-v] INSTRUCTIONS COMMAND [ARG…]: runs the command one instruction after the other, from
 * the first block of memory on that it tells of (told.h), and asks of each access to such a block
 * which object the tool would take it for. The truth is the type that the block was told with.
 *
 * stdout: "accesses N typed T bytes B right R wrong W outside O unknown U": of what code with
 * DWARF accesses in such blocks; of those without a type B are of one byte, of text mostly. Right
 * are objects that lie there in a block of that type, itself or a part of it, wrong others in it,
 * outside those that don't lie in the block as a whole. Unknown are objects within blocks that
 * were told without a type, or where it has bytes (room for an object) or one of several. With -v a
 * line for each instruction before it.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/search.h"
#include "sym/places.h"
#include "symd/elf_objects.h"
#include "symd/elf_place.h"
#include "symd/type_names.h"
#include "symd/type_walk.h"
#include "code_line.h"
#include "told.h"

enum { CODES = 256, PLACES = 1 << 16 };

struct code {
	uint64_t start, end, off;
	struct elf_file *elf; /* NULL: none that can be read, or without DWARF */
	struct elf_objects *objects;
	Dwarf *dwarf;
};

enum verdict { NOTHING, RIGHT, WRONG, OUTSIDE, UNKNOWN, VERDICTS };
static const char *const verdict_names[] = {"nothing", "right", "wrong", "outside", "unknown"};

struct place {
	uint64_t pc; /* 0: nobody asked */
	struct pmb_place found;
	const struct code *code;
	unsigned long seen[VERDICTS];
	uint64_t type, truth; /* of the last one that was seen */
	int64_t at, off;      /* where in them */
};

struct block {
	uint64_t from, to;
	uint64_t type; /* type_walk__number(); 0: not told */
	const struct code *code;
};

struct oracle {
	pid_t pid;
	struct code codes[CODES];
	size_t n_codes;
	struct place *places;
	struct block *blocks; /* by address, apart from each other */
	size_t n_blocks, cap_blocks;
	struct type_walk walk;
	struct type_names names;
	unsigned long n[VERDICTS];
	unsigned long bytes;
	unsigned long steps;
};

/* ---------------------------------------------------------------- code */

static void open_code(struct code *c, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (elf_file__open(open(path, O_RDONLY | O_CLOEXEC), &c->elf) < 0)
		c->elf = NULL;
	if (c->elf && !elf_file__debug_info(c->elf))
		c->elf = elf_file__free(c->elf);
	if (c->elf) {
		c->objects = elf_objects__new(c->elf);
		c->dwarf = dwarf_begin(fd, DWARF_C_READ);
	} else if (fd >= 0) {
		close(fd);
	}
}

/* False: it isn't code. */
static bool read_code(char *line, struct code *ret)
{
	const char *path;

	*ret = (struct code){0};
	if (!code_line(line, &ret->start, &ret->end, &ret->off, &path))
		return false;
	if (path)
		open_code(ret, path);
	return true;
}

/* What is there stays: a program that unloads code isn't looked at. */
static void read_codes(struct oracle *o)
{
	char path[64], line[PATH_MAX + 128];
	struct code code;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", o->pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f) && o->n_codes < CODES) {
		uint64_t start = strtoull(line, NULL, 16);
		bool known = false;

		for (size_t i = 0; i < o->n_codes; i++)
			known |= o->codes[i].start == start;
		if (!known && read_code(line, &code))
			o->codes[o->n_codes++] = code;
	}
	if (f)
		fclose(f);
}

static const struct code *code_at(struct oracle *o, uint64_t pc)
{
	for (int again = 0; again < 2; again++) {
		for (size_t i = 0; i < o->n_codes; i++) {
			if (pc >= o->codes[i].start && pc < o->codes[i].end)
				return &o->codes[i];
		}
		read_codes(o);
	}
	return NULL;
}

static struct place *place_at(struct oracle *o, uint64_t pc)
{
	size_t i = (pc * 0x9e3779b97f4a7c15ULL) >> 48;
	struct place *p;

	while (o->places[i].pc && o->places[i].pc != pc)
		i = (i + 1) % PLACES;
	p = &o->places[i];
	if (p->pc)
		return p;
	*p = (struct place){.pc = pc, .code = code_at(o, pc)};
	if (p->code && p->code->elf)
		elf_place__find(p->code->elf, p->code->objects, pc - p->code->start + p->code->off,
				PMB_SKID_EXACT, &p->found);
	return p;
}

/* ---------------------------------------------------------------- blocks */

static size_t first_behind(const struct oracle *o, uint64_t addr)
{
	return FIRST_INDEX(i, o->n_blocks, o->blocks[i].to > addr);
}

static const struct block *block_at(const struct oracle *o, uint64_t addr)
{
	size_t i = first_behind(o, addr);

	return i < o->n_blocks && o->blocks[i].from <= addr ? &o->blocks[i] : NULL;
}

/* Which type a pointer has that lies there, in the program. */
static void read_type(struct oracle *o, uint64_t pc, uint64_t witness, struct block *b)
{
	struct pointee to;
	uint64_t base;

	b->code = code_at(o, pc);
	if (!witness || !b->code || !b->code->elf ||
	    !elf_file__vaddr(b->code->elf, b->code->off, &base))
		return;
	if (debug_info__at_address(elf_file__debug_info(b->code->elf),
				   witness - b->code->start + base, &to))
		b->type = to.type;
}

/* Without bytes: what lay there has gone. */
static void tell(struct oracle *o, const struct user_regs_struct *u)
{
	struct block b = {.from = u->rdi, .to = u->rdi + u->rsi};
	size_t first = first_behind(o, u->rdi), last = first;

	while (last < o->n_blocks &&
	       (o->blocks[last].from < b.to || o->blocks[last].from == u->rdi))
		last++;
	memmove(o->blocks + first, o->blocks + last, (o->n_blocks - last) * sizeof(*o->blocks));
	o->n_blocks -= last - first;
	if (b.to <= b.from)
		return;
	read_type(o, u->rip, u->rdx, &b);
	GROW(o->blocks, o->n_blocks, o->cap_blocks);
	memmove(o->blocks + first + 1, o->blocks + first,
		(o->n_blocks++ - first) * sizeof(*o->blocks));
	o->blocks[first] = b;
}

/* ---------------------------------------------------------------- accesses */

static struct profile_access access_of(const struct user_regs_struct *u)
{
	return (struct profile_access){
		.n_regs = PMB_DATA_REGS,
		.regs = {u->rax, u->rcx, u->rdx, u->rbx, u->rsp, u->rbp, u->rsi, u->rdi, u->r8,
			 u->r9, u->r10, u->r11, u->r12, u->r13, u->r14, u->r15, u->rip, u->fs_base},
	};
}

static uint64_t address_of(const struct pmb_operand *m, const struct profile_access *a)
{
	return (m->base < 16 ? a->regs[m->base] : 0) +
	       (m->index < 16 ? a->regs[m->index] * m->scale : 0) + (uint64_t)m->disp;
}

/* Whether the type doesn't say what lies there: bytes may be anything, and what of several it is
 * stands in the data. Padding is nothing. */
static bool is_open(struct oracle *o, Dwarf_Die type, uint64_t off)
{
	struct buf member = {0};
	struct type_walk_in in;
	bool open;

	type_walk__put_member(&o->walk, &member, type, off);
	open = member.len && strstr(member.data, "(several)");
	buf__done(&member);
	return open ||
	       (type_walk__leaf(&o->walk, &type, off, &in) && type_walk__size(&o->walk, type) == 1);
}

/* Where in one of the objects of a block; what ends in an array of any length is one. */
static uint64_t within(struct oracle *o, Dwarf_Die truth, uint64_t off)
{
	const uint64_t size = type_walk__size(&o->walk, truth);

	return size && type_walk__extent(&o->walk, truth) != UINT64_MAX ? off % size : off;
}

static enum verdict judge(struct oracle *o, struct place *p, const struct pmb_operand *m,
			  const struct block *b, uint64_t addr, const struct profile_access *a)
{
	Dwarf_Die truth, claim;
	uint64_t begin, size, off;
	int64_t at;

	if (m->object == PMB_REG_NONE || m->flags & PMB_OPERAND_VARIABLE)
		return NOTHING;
	at = (int64_t)(addr - a->regs[m->object] - (uint64_t)m->start);
	if (m->every)
		at = (at % m->every + m->every) % m->every;
	if (at < 0 || !type_walk__entry(p->code->dwarf, m->type, &claim))
		return NOTHING;
	begin = addr - (uint64_t)at;
	size = type_walk__size(&o->walk, claim);
	p->type = m->type;
	p->at = at;
	if ((uint64_t)at >= size && type_walk__extent(&o->walk, claim) != UINT64_MAX)
		return NOTHING;
	if (begin < b->from || begin + size > b->to)
		return OUTSIDE;
	if (!b->type || b->code != p->code || !type_walk__entry(b->code->dwarf, b->type, &truth))
		return UNKNOWN;
	off = within(o, truth, begin - b->from);
	if (type_walk__holds(&o->walk, truth, off, claim))
		return RIGHT;
	return is_open(o, truth, off) ? UNKNOWN : WRONG;
}

static void look(struct oracle *o, const struct user_regs_struct *u)
{
	struct place *p = place_at(o, u->rip);
	const struct profile_access access = access_of(u);

	for (int i = 0; i < p->found.n; i++) {
		const struct pmb_operand *m = &p->found.operands[i];
		uint64_t addr = address_of(m, &access);
		const struct block *b = block_at(o, addr);
		enum verdict v;
		Dwarf_Die truth;

		if (!b || m->base == PMB_REG_IP || m->flags & PMB_OPERAND_LOOSE ||
		    m->segment != PMB_REG_NONE)
			continue;
		v = judge(o, p, m, b, addr, &access);
		o->n[v]++;
		o->bytes += v == NOTHING && m->size == 1;
		p->seen[v]++;
		p->truth = b->type;
		p->off = (int64_t)(addr - b->from);
		if (b->type && type_walk__entry(b->code->dwarf, b->type, &truth))
			p->off = (int64_t)within(o, truth, (uint64_t)p->off);
	}
}

static bool run_step(struct oracle *o)
{
	struct user_regs_struct u;
	uint16_t insn = 0;
	struct iovec to = {&insn, sizeof(insn)}, from;
	int status;

	if (ptrace(PTRACE_GETREGS, o->pid, 0, &u))
		return false;
	look(o, &u);
	from = (struct iovec){(void *)(uintptr_t)u.rip, sizeof(insn)};
	if (u.rax == TOLD_CALL && process_vm_readv(o->pid, &to, 1, &from, 1, 0) > 0 &&
	    insn == 0x050f)
		tell(o, &u);
	o->steps++;
	return !ptrace(PTRACE_SINGLESTEP, o->pid, 0, 0) && waitpid(o->pid, &status, 0) >= 0 &&
	       WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
}

/* Until the first block is told: what comes before is the loader's. */
static bool run_to_first(struct oracle *o)
{
	struct user_regs_struct u;
	int status;

	do {
		if (ptrace(PTRACE_SYSCALL, o->pid, 0, 0) || waitpid(o->pid, &status, 0) < 0 ||
		    !WIFSTOPPED(status) || ptrace(PTRACE_GETREGS, o->pid, 0, &u))
			return false;
	} while (u.orig_rax != TOLD_CALL);
	tell(o, &u);
	return true;
}

/* ---------------------------------------------------------------- output */

static void put_type(struct oracle *o, const struct code *code, uint64_t type, int64_t off)
{
	struct buf name = {0}, member = {0};
	Dwarf_Die die;

	if (type && code && type_walk__entry(code->dwarf, type, &die)) {
		type_names__put(&o->names, &o->walk, &name, die);
		type_walk__put_member(&o->walk, &member, die, (uint64_t)off);
		printf(" %s+%" PRId64 " (%s)", name.data, off, member.data ?: "");
	} else {
		printf(" -");
	}
	buf__done(&name);
	buf__done(&member);
}

static void print_place(struct oracle *o, const struct place *p)
{
	uint64_t base = 0;

	for (int v = 0; v < VERDICTS; v++) {
		if (!p->seen[v])
			continue;
		elf_file__vaddr(p->code->elf, p->code->off, &base);
		printf("%lu\t%s\t0x%" PRIx64 "\t", p->seen[v], verdict_names[v],
		       p->pc - p->code->start + base);
		if (v != NOTHING)
			put_type(o, p->code, p->type, p->at);
		printf("\t");
		put_type(o, p->code, p->truth, p->off);
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	struct oracle o = {.places = xcalloc(PLACES, sizeof(*o.places))};
	bool verbose = argc > 1 && !strcmp(argv[1], "-v");
	char **command = argv + verbose + 2;
	unsigned long most, all = 0;
	int status;

	if (argc < verbose + 3)
		return 2;
	most = strtoul(argv[verbose + 1], NULL, 10);
	o.pid = fork();
	if (o.pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		if (!freopen("/dev/null", "w", stdout))
			_exit(127);
		execvp(command[0], command);
		_exit(127);
	}
	if (o.pid < 0 || waitpid(o.pid, &status, 0) < 0 || !WIFSTOPPED(status)) {
		fprintf(stderr, "types: %s can't be traced: %s\n", command[0], strerror(errno));
		return 1;
	}
	if (run_to_first(&o)) {
		while (o.steps < most && run_step(&o))
			;
	}
	kill(o.pid, SIGKILL);
	waitpid(o.pid, &status, 0);
	for (size_t i = 0; verbose && i < PLACES; i++) {
		if (o.places[i].pc && o.places[i].code)
			print_place(&o, &o.places[i]);
	}
	for (int v = 0; v < VERDICTS; v++)
		all += o.n[v];
	printf("accesses %lu typed %lu bytes %lu right %lu wrong %lu outside %lu unknown %lu\n",
	       all, all - o.n[NOTHING], o.bytes, o.n[RIGHT], o.n[WRONG], o.n[OUTSIDE],
	       o.n[UNKNOWN]);
	return 0;
}
