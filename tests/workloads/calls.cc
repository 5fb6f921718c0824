// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * calls [CALLS=300] [MS=100]: functions that are left in all ways that there are.
 *
 * Known answer: each of these is called CALLS times, on one thread, and what the program prints is
 * that without probes as well.
 *
 *	may_throw	a third by an exception, else by a return
 *	may_jump	a third by longjmp, else by a return
 *	branches	half by a jump to callee that is taken if equal, half by a return, when
 *			callee was called
 *	tails		all by a jump to another function
 *	deep		a call has four inside of it; the third of each three CALLS is left by an
 *			exception from the innermost, which nobody on the way catches
 *	keeps		below its stack pointer; 0 are lost
 *	leaves		half by the end of its thread (pthread_exit), half by a return
 *
 * Never called, and refused: `never` has no return, `again` jumps to its own beginning, `odd` has
 * data in it.
 *
 * MS of CPU time lie in each: inside of these in `inside`, and between their calls in `outside`.
 */
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <time.h>

#define FN extern "C" __attribute__((noipa, used))

static int calls;
static uint64_t ns_of_each = 100000000;
static jmp_buf back;

static uint64_t cpu_ns()
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

FN void inside(uint64_t ns)
{
	for (uint64_t end = cpu_ns() + ns; cpu_ns() < end;)
		;
}

FN void outside(uint64_t ns)
{
	for (uint64_t end = cpu_ns() + ns; cpu_ns() < end;)
		;
}

static uint64_t part()
{
	return ns_of_each / (uint64_t)calls;
}

FN int inner(int i)
{
	inside(part());
	if (i % 3 == 0)
		throw i;
	return i;
}

FN int may_throw(int i)
{
	int r = inner(i);

	asm volatile("");
	return r + 1;
}

FN int jumper(int i)
{
	inside(part());
	if (i % 3 == 0)
		longjmp(back, 1);
	return i;
}

FN int may_jump(int i)
{
	int r = jumper(i);

	asm volatile("");
	return r + 1;
}

FN int deep(int depth, int i)
{
	int r = depth ? deep(depth - 1, i) : inner(i);

	asm volatile("");
	return r + 1;
}

FN int callee(int i)
{
	inside(part());
	return i + 2;
}

FN void *leaves(void *arg)
{
	inside(part());
	if ((uintptr_t)arg % 2)
		pthread_exit(arg);
	return arg;
}

extern "C" int branches(int i), tails(int i);
extern "C" uint64_t keeps(uint64_t x);
#ifdef __x86_64__
#define FUNCTION(name, code)                                                                     \
	".globl " name "\n.type " name ", @function\n" name ":\n" code ".size " name ", .-" name \
	"\n"

asm(".pushsection .text\n" /**/
    FUNCTION("branches", "testl $1, %edi\nje callee\nsubq $8, %rsp\ncall callee\n"
			 "addq $8, %rsp\nret\n")      /**/
    FUNCTION("tails", "addl $1, %edi\njmp onwards\n") /**/
    FUNCTION("keeps", "mov %rdi, -8(%rsp)\nmov %rdi, -128(%rsp)\nnop\n"
		      "mov -8(%rsp), %rax\nadd -128(%rsp), %rax\nret\n") /**/
    FUNCTION("onwards", "jmp callee\n")                                  /**/
    FUNCTION("never", "ud2\n")                                           /**/
    FUNCTION("again", "subl $1, %edi\njne again\nret\n")                 /**/
    FUNCTION("odd", "ret\n.byte 6, 6\nret\n")                            /**/
    ".popsection\n");
#else
FN int branches(int i)
{
	return i % 2 ? i + 2 : callee(i);
}
FN int tails(int i)
{
	return callee(i + 1);
}
FN uint64_t keeps(uint64_t x)
{
	return 2 * x;
}
#endif

static void catching(int *caught, long *sum, int i, bool is_deep)
{
	try {
		*sum += is_deep ? deep(4, i) : may_throw(i);
	} catch (int) {
		++*caught;
	}
}

int main(int argc, char **argv)
{
	int caught = 0;
	volatile int jumped = 0, lost = 0;
	volatile long sum = 0;
	long all = 0;
	void *ended;

	calls = argc > 1 ? (int)strtol(argv[1], nullptr, 10) : 300;
	if (argc > 2)
		ns_of_each = strtoull(argv[2], nullptr, 10) * 1000000;
	for (volatile int i = 0; i < calls; i = i + 1) {
		catching(&caught, &all, i, false);
		if (setjmp(back))
			jumped = jumped + 1;
		else
			sum = sum + may_jump(i);
		sum = sum + branches(i) + tails(i);
		lost = lost + (keeps((uint64_t)i << 32) != (uint64_t)i << 33);
		outside(part());
		catching(&caught, &all, i, true);
	}
	for (int i = 0; i < calls; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, leaves, (void *)(uintptr_t)i) != 0)
			return 1;
		pthread_join(thread, &ended);
		lost = lost + ((uintptr_t)ended != (uintptr_t)i);
	}
	printf("caught %d jumped %d lost %d sum %ld\n", caught, jumped, lost, all + sum);
	return 0;
}
