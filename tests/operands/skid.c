// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * skid SKIP INSTRUCTIONS COMMAND [ARG…]: runs the command one instruction after the other, so
 * that it is known what each addresses, and asks of some of them what the tool would say of a
 * sample that came so many instructions later.
 *
 * stdout, a line for each of
 *
 * 	exact          at the instruction, with its address: a fault
 * 	after          behind it, with its address: a watchpoint of x86
 * 	address N      N instructions later, with its address: a counter's, not precise
 * 	clock N        the same, without: a clock's
 *
 * "CASE: samples N validated V wrong W candidate C right R elsewhere E contradicted X": wrong are
 * those validated whose instruction wasn't the one that was sampled; right are candidates whose
 * instruction it was, elsewhere those whose computed address wasn't its.
 */
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
#include "sym/places.h"
#include "symd/elf_place.h"
#include "code_line.h"
#include "symd/insn_data.h"

enum { FARTHEST = 8, EVERY = 23, PLACES = 1 << 18, CODES = 256 };

struct code {
	uint64_t start, end, off;
	struct elf_file *elf; /* NULL: none that can be read */
};

struct place {
	uint64_t pc; /* 0: nobody asked */
	struct pmb_place found[PMB_N_SKIDS];
	bool asked[PMB_N_SKIDS];
};

/* What one instruction did. */
struct truth {
	uint64_t pc, addr; /* addr 0: it isn't looked at */
	uint8_t kind;      /* INSN_LOAD, INSN_STORE */
};

struct verdicts {
	unsigned long samples, validated, wrong, candidates, right, elsewhere, contradicted;
};

struct oracle {
	pid_t pid;
	struct code codes[CODES];
	size_t n_codes;
	struct place *places;
	struct truth last[FARTHEST + 1]; /* of step i at i % (FARTHEST + 1) */
	unsigned long step;
	struct verdicts exact, after, address[FARTHEST + 1], clock[FARTHEST + 1];
};

/* ---------------------------------------------------------------- code */

/* False: it isn't code. */
static bool read_code(char *line, struct code *ret)
{
	const char *path;

	*ret = (struct code){0};
	if (!code_line(line, &ret->start, &ret->end, &ret->off, &path))
		return false;
	if (path && elf_file__open(open(path, O_RDONLY | O_CLOEXEC), &ret->elf) < 0)
		ret->elf = NULL;
	return true;
}

static void read_codes(struct oracle *o)
{
	char path[64], line[PATH_MAX + 128];
	FILE *f;

	for (size_t i = 0; i < o->n_codes; i++)
		elf_file__free(o->codes[i].elf);
	o->n_codes = 0;
	snprintf(path, sizeof(path), "/proc/%d/maps", o->pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f) && o->n_codes < CODES)
		o->n_codes += read_code(line, &o->codes[o->n_codes]);
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

static const struct pmb_place *place_at(struct oracle *o, uint64_t pc, enum pmb_skid skid)
{
	static const struct pmb_place nowhere = {.finding = PMB_PLACE_UNKNOWN};
	struct place *p = &o->places[pc * 0x9e3779b97f4a7c15ULL >> 46];
	const struct code *code;

	if (p->pc != pc)
		*p = (struct place){.pc = pc};
	if (!p->asked[skid]) {
		code = code_at(o, pc);
		p->asked[skid] = true;
		p->found[skid] = nowhere;
		if (code && code->elf)
			elf_place__find(code->elf, NULL, pc - code->start + code->off, skid,
					&p->found[skid]);
	}
	return &p->found[skid];
}

/* ---------------------------------------------------------------- samples */

static struct profile_access access_of(const struct user_regs_struct *u, uint64_t addr)
{
	return (struct profile_access){
		.addr = addr,
		.n_regs = PMB_DATA_REGS,
		.regs = {u->rax, u->rcx, u->rdx, u->rbx, u->rsp, u->rbp, u->rsi, u->rdi, u->r8,
			 u->r9, u->r10, u->r11, u->r12, u->r13, u->r14, u->r15, u->rip, u->fs_base},
	};
}

static void judge(struct oracle *o, struct verdicts *v, const struct truth *t, enum pmb_skid skid,
		  const struct user_regs_struct *now, bool with_address)
{
	struct profile_access access = access_of(now, with_address ? t->addr : 0);
	const struct pmb_place *place = place_at(o, now->rip, skid);
	struct data_finding f;
	const struct pmb_operand *at;
	bool is_it;

	/* a PMU that has an address says which of the two it is; of both it says one */
	if (with_address && t->kind != (INSN_LOAD | INSN_STORE))
		access.kind = t->kind;
	f = data_finding(place, skid, &access);
	at = f.operand ?: f.candidate;
	is_it = at && now->rip + (uint64_t)(int64_t)at->insn == t->pc;
	v->samples++;
	v->contradicted += f.class == DATA_CONTRADICTED;
	if (f.class == DATA_VALIDATED) {
		v->validated++;
		v->wrong += !is_it;
	}
	if (f.class == DATA_CANDIDATE || f.candidate) {
		v->candidates++;
		v->right += is_it;
		v->elsewhere += f.size && t->addr - f.from >= f.size;
	}
}

static size_t read_memory(pid_t pid, uint64_t at, void *ret, size_t n)
{
	struct iovec to = {ret, n}, from = {(void *)(uintptr_t)at, n};
	ssize_t r = process_vm_readv(pid, &to, 1, &from, 1, 0);

	return r > 0 ? (size_t)r : 0;
}

/* Of an operand that is spelled out, or pushed and popped; the first byte of it. */
static struct truth truth_of(struct oracle *o, const struct user_regs_struct *u)
{
	const struct profile_access access = access_of(u, 0);
	struct truth t = {.pc = u->rip};
	const struct insn_memory *m;
	struct insn_data d;
	uint8_t code[16];
	size_t n;

	if (o->step % EVERY)
		return t;
	n = read_memory(o->pid, u->rip, code, sizeof(code));
	if (!insn_data__read(INSN_X86_64, code, n, &d) || d.n != 1 || d.repeats ||
	    d.flow != INSN_GOES_ON)
		return t;
	m = &d.mem[0];
	if (m->loose || m->segment == 0x65)
		return t;
	t.kind = m->access;
	t.addr = (uint64_t)(int64_t)m->disp + (m->segment ? access.regs[PMB_DATA_FS] : 0);
	t.addr += m->base == INSN_IP ? u->rip + d.len : m->base < 16 ? access.regs[m->base] : 0;
	t.addr += m->index < 16 ? access.regs[m->index] * m->scale : 0;
	return t;
}

static void look(struct oracle *o, const struct user_regs_struct *u)
{
	for (unsigned k = 0; k <= FARTHEST && k <= o->step; k++) {
		const struct truth *t = &o->last[(o->step - k) % (FARTHEST + 1)];

		if (!t->addr)
			continue;
		if (k == 0) {
			judge(o, &o->exact, t, PMB_SKID_EXACT, u, true);
			continue;
		}
		if (k == 1)
			judge(o, &o->after, t, PMB_SKID_AFTER, u, true);
		judge(o, &o->address[k], t, PMB_SKID_NEAR, u, true);
		judge(o, &o->clock[k], t, PMB_SKID_SOME, u, false);
	}
}

static bool run_step(struct oracle *o, bool looks)
{
	struct user_regs_struct u;
	int status;

	if (looks) {
		if (ptrace(PTRACE_GETREGS, o->pid, 0, &u))
			return false;
		o->last[o->step % (FARTHEST + 1)] = truth_of(o, &u);
		look(o, &u);
		o->step++;
	}
	return !ptrace(PTRACE_SINGLESTEP, o->pid, 0, 0) && waitpid(o->pid, &status, 0) >= 0 &&
	       WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
}

static void print(const char *what, unsigned skid, const struct verdicts *v)
{
	printf("%s", what);
	if (skid)
		printf(" %u", skid);
	printf(": samples %lu validated %lu wrong %lu candidate %lu right %lu elsewhere %lu "
	       "contradicted %lu\n",
	       v->samples, v->validated, v->wrong, v->candidates, v->right, v->elsewhere,
	       v->contradicted);
}

int main(int argc, char **argv)
{
	struct oracle o = {.places = xcalloc(PLACES, sizeof(*o.places))};
	unsigned long skip, most;
	int status;

	if (argc < 4)
		return 2;
	skip = strtoul(argv[1], NULL, 10);
	most = strtoul(argv[2], NULL, 10);
	o.pid = fork();
	if (o.pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		if (!freopen("/dev/null", "w", stdout))
			_exit(127);
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	if (o.pid < 0 || waitpid(o.pid, &status, 0) < 0 || !WIFSTOPPED(status)) {
		fprintf(stderr, "skid: %s can't be traced: %s\n", argv[3], strerror(errno));
		return 1;
	}
	while (skip && run_step(&o, false))
		skip--;
	while (o.step < most && run_step(&o, true))
		;
	kill(o.pid, SIGKILL);
	waitpid(o.pid, &status, 0);
	print("exact", 0, &o.exact);
	print("after", 0, &o.after);
	for (unsigned k = 1; k <= FARTHEST; k *= 2) {
		print("address", k, &o.address[k]);
		print("clock", k, &o.clock[k]);
	}
	return 0;
}
