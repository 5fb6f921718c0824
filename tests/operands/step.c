// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * step INSTRUCTIONS COMMAND [ARG…]: runs the command one instruction after the other, and compares
 * what each does with what user/symd/x86_operand.c says beforehand:
 *
 * - no register changes that it doesn't name, and by as much as it says, if it says
 * - what it addresses is mapped, and doesn't change if it is only loaded
 *
 * stdout: "instructions N operands M unknown U wrong W"; those that are wrong before, in hex.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symd/x86_operand.h"

enum { SIZE_MAX_READ = 64 };

struct totals {
	unsigned long instructions, operands, unknown, wrong;
};

static uint64_t reg_of(const struct user_regs_struct *u, uint8_t reg)
{
	const unsigned long long regs[] = {u->rax, u->rcx, u->rdx, u->rbx, u->rsp, u->rbp,
					   u->rsi, u->rdi, u->r8,  u->r9,  u->r10, u->r11,
					   u->r12, u->r13, u->r14, u->r15};

	return reg < X86_REGS ? regs[reg] : reg == INSN_IP ? u->rip : 0;
}

static uint64_t address(const struct user_regs_struct *u, const struct insn_data *o,
			const struct insn_memory *m)
{
	uint64_t at =
		reg_of(u, m->base) + reg_of(u, m->index) * m->scale + (uint64_t)(int64_t)m->disp;

	if (m->base == INSN_IP)
		at += o->len;
	return at + (m->segment == 0x64 ? u->fs_base : m->segment == 0x65 ? u->gs_base : 0);
}

static size_t read_memory(pid_t pid, uint64_t at, void *ret, size_t n)
{
	struct iovec to = {ret, n}, from = {(void *)(uintptr_t)at, n};
	ssize_t r = process_vm_readv(pid, &to, 1, &from, 1, 0);

	return r > 0 ? (size_t)r : 0;
}

struct before {
	struct user_regs_struct regs;
	struct insn_data o;
	uint8_t memory[INSN_OPERANDS][SIZE_MAX_READ];
	size_t n[INSN_OPERANDS];
};

static void complain(const struct before *b, const uint8_t *code, const char *what, int number)
{
	printf("%s %d:", what, number);
	for (uint32_t i = 0; i < b->o.len; i++)
		printf(" %02x", code[i]);
	putchar('\n');
}

static bool registers_hold(const struct before *b, const struct user_regs_struct *after,
			   const uint8_t *code)
{
	for (uint8_t reg = 0; reg < X86_REGS; reg++) {
		if (!(b->o.written & 1U << reg) && reg_of(&b->regs, reg) != reg_of(after, reg)) {
			complain(b, code, "a register changes", reg);
			return false;
		}
	}
	for (int i = 0; i < INSN_OPERANDS; i++) {
		const struct insn_step *s = &b->o.steps[i];

		if (s->reg == INSN_NONE || b->o.repeats)
			continue;
		if (reg_of(after, s->reg) !=
		    reg_of(&b->regs, s->reg) + (uint64_t)(int64_t)s->added) {
			complain(b, code, "it changes otherwise", s->reg);
			return false;
		}
	}
	return true;
}

static bool memory_holds(const struct before *b, pid_t pid, const uint8_t *code)
{
	uint8_t now[SIZE_MAX_READ];

	for (int i = 0; i < b->o.n; i++) {
		const struct insn_memory *m = &b->o.mem[i];

		/* another operand of the same instruction may store there */
		if (m->loose || b->o.n > 1 || b->o.repeats)
			continue;
		if (!b->n[i]) {
			complain(b, code, "nothing is mapped at operand", i);
			return false;
		}
		if (m->access == INSN_LOAD &&
		    (read_memory(pid, address(&b->regs, &b->o, m), now, b->n[i]) != b->n[i] ||
		     memcmp(now, b->memory[i], b->n[i]) != 0)) {
			complain(b, code, "stored to, not only loaded, is operand", i);
			return false;
		}
	}
	return true;
}

static bool step(pid_t pid, struct totals *t)
{
	struct before b;
	struct user_regs_struct after;
	uint8_t code[16];
	int status;
	size_t n;
	bool known;

	if (ptrace(PTRACE_GETREGS, pid, 0, &b.regs))
		return false;
	n = read_memory(pid, b.regs.rip, code, sizeof(code));
	known = x86_operand__read(code, n, &b.o);
	for (int i = 0; known && i < b.o.n; i++) {
		size_t size = b.o.mem[i].size < SIZE_MAX_READ ? b.o.mem[i].size : SIZE_MAX_READ;

		b.n[i] = read_memory(pid, address(&b.regs, &b.o, &b.o.mem[i]), b.memory[i], size);
	}
	if (ptrace(PTRACE_SINGLESTEP, pid, 0, 0) || waitpid(pid, &status, 0) < 0 ||
	    !WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP ||
	    ptrace(PTRACE_GETREGS, pid, 0, &after))
		return false;
	t->instructions++;
	if (!known) {
		t->unknown++;
		return true;
	}
	t->operands += b.o.n;
	if (!registers_hold(&b, &after, code) || !memory_holds(&b, pid, code))
		t->wrong++;
	return true;
}

int main(int argc, char **argv)
{
	struct totals t = {0};
	unsigned long most;
	int status;
	pid_t pid;

	if (argc < 3)
		return 2;
	most = strtoul(argv[1], NULL, 10);
	pid = fork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		if (!freopen("/dev/null", "w", stdout))
			_exit(127);
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status)) {
		fprintf(stderr, "step: %s can't be traced: %s\n", argv[2], strerror(errno));
		return 1;
	}
	while (t.instructions < most && step(pid, &t))
		;
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	printf("instructions %lu operands %lu unknown %lu wrong %lu\n", t.instructions, t.operands,
	       t.unknown, t.wrong);
	return 0;
}
