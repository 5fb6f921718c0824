// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * branches: jumps whose counts are known. Says its number, waits for a line, works, and says how
 * often each was taken, and how often not; then waits for the end of its input, or goes on for so
 * many seconds (branches SECONDS).
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __x86_64__

enum { TURNS = 4000, PAIRS = 1000, CONDITIONS = 16, FORMS = 2 };

/* A jump on each condition, short, and near. Flags stay as they are between them: what counts are
 * mov and lea. */
__asm__(".pushsection .text\n"
	".macro one form, condition, index\n"
	"	\\form j\\condition 1f\n"
	"	mov 8*(\\index)(%rdx), %rax\n"
	"	lea 1(%rax), %rax\n"
	"	mov %rax, 8*(\\index)(%rdx)\n"
	"1:\n"
	".endm\n"
	".macro all form, from\n"
	"	one \\form, o, \\from\n"
	"	one \\form, no, \\from+1\n"
	"	one \\form, b, \\from+2\n"
	"	one \\form, ae, \\from+3\n"
	"	one \\form, e, \\from+4\n"
	"	one \\form, ne, \\from+5\n"
	"	one \\form, be, \\from+6\n"
	"	one \\form, a, \\from+7\n"
	"	one \\form, s, \\from+8\n"
	"	one \\form, ns, \\from+9\n"
	"	one \\form, p, \\from+10\n"
	"	one \\form, np, \\from+11\n"
	"	one \\form, l, \\from+12\n"
	"	one \\form, ge, \\from+13\n"
	"	one \\form, le, \\from+14\n"
	"	one \\form, g, \\from+15\n"
	".endm\n"
	".globl conditions\n"
	".type conditions, @function\n"
	"conditions:\n"
	"	cmp %esi, %edi\n"
	"	all {disp8}, 0\n"
	"	all {disp32}, 16\n"
	"	ret\n"
	".size conditions, .-conditions\n"

	".macro loop_of name\n"
	".globl \\name\n"
	".type \\name, @function\n"
	"\\name:\n"
	"	mov %edi, %ecx\n"
	"	xor %eax, %eax\n"
	"1:	test $3, %cl\n"
	"	jnz 2f\n"
	"	add $1, %eax\n"
	"2:	test $1, %cl\n"
	"	jz 3f\n"
	"	add $1, %eax\n"
	"3:	sub $1, %ecx\n"
	"	jnz 1b\n"
	"	ret\n"
	".size \\name, .-\\name\n"
	".endm\n"
	"	loop_of looping\n"
	"	loop_of decoy\n"

	/* what the kernel doesn't carry out itself, what is reached by a register alone, and what
	   is data that looks like a jump */
	".globl others\n"
	".type others, @function\n"
	"others:\n"
	"	mov %rdi, %rcx\n"
	"1:	jrcxz 2f\n"
	"	loop 1b\n"
	"2:	lea 3f(%rip), %rax\n"
	"	test %rdi, %rdi\n"
	"	jz 4f\n"
	"	jmp *%rax\n"
	"	.byte 0x74, 0x00\n"
	"3:	test $1, %dil\n"
	"	jz 4f\n"
	"	nop\n"
	"4:	movzbl 3b-2(%rip), %eax\n"
	"	ret\n"
	".size others, .-others\n"

	".globl straight\n"
	".type straight, @function\n"
	"straight:\n"
	"	lea 1(%rdi), %rax\n"
	"	ret\n"
	".size straight, .-straight\n"
	".popsection\n");

void conditions(uint32_t a, uint32_t b, uint64_t *not_taken);
int looping(int n);
int decoy(int n);
int others(long n);
long straight(long n);

static void try_conditions(uint64_t not_taken[FORMS * CONDITIONS])
{
	static const uint32_t values[] = {0,    1,          2,          3,          0x7f,
					  0x80, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff};
	uint64_t random = 1;

	for (int i = 0; i < PAIRS; i++) {
		uint32_t a, b;

		random = random * 6364136223846793005u + 1442695040888963407u;
		a = values[(random >> 33) % (sizeof(values) / sizeof(*values))];
		b = values[(random >> 45) % (sizeof(values) / sizeof(*values))];
		conditions(a, b, not_taken);
	}
}

static void work(void)
{
	uint64_t not_taken[FORMS * CONDITIONS] = {0};
	int sum = looping(TURNS) + decoy(2 * TURNS), data = 0;

	try_conditions(not_taken);
	for (int i = 0; i < 10; i++)
		data += others(3);
	for (int i = 0; i < FORMS * CONDITIONS; i++)
		printf("condition %d %" PRIu64 " %" PRIu64 "\n", i, PAIRS - not_taken[i],
		       not_taken[i]);
	/* its own results: a probe must not change them */
	printf("sum %d %d %ld\n", sum, data, straight(41));
}

static void work_on(int seconds)
{
	time_t end = time(NULL) + seconds;
	uint64_t turns = 0;

	for (; time(NULL) < end; turns++)
		looping(TURNS);
	printf("turns %" PRIu64 " %" PRIu64 " ns\n", turns * TURNS,
	       (uint64_t)clock() * (1000000000 / CLOCKS_PER_SEC));
}

/* What others do that have no probes of their own. */
static void be_children(void)
{
	pid_t child = fork();

	if (child == 0) {
		looping(TURNS);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

/* Its own code, in its own memory. */
static void change_code(void)
{
	const uintptr_t page = (uintptr_t)looping & ~(uintptr_t)4095;
	uint8_t *code = (uint8_t *)looping;

	if (mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
		exit(1);
	/* mov %edi, %ecx, spelt in the other way */
	code[0] = 0x8b;
	code[1] = 0xcf;
	printf("changed 1\n");
	fflush(stdout);
}

static void *go_on(void *unused)
{
	char line[64];

	(void)unused;
	printf("left 1\n");
	fflush(stdout);
	if (fgets(line, sizeof(line), stdin))
		work();
	exit(0);
}

static void leave_the_first_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, go_on, NULL) == 0)
		pthread_exit(NULL);
}

int main(int argc, char **argv)
{
	char line[64];

	printf("pid %d\n", getpid());
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	if (strncmp(line, "fork", 4) == 0)
		be_children();
	if (strncmp(line, "change", 6) == 0) {
		change_code();
		if (!fgets(line, sizeof(line), stdin))
			return 1;
	}
	if (strncmp(line, "leave", 5) == 0)
		leave_the_first_thread();
	if (strncmp(line, "exec", 4) == 0) {
		execl("/proc/self/exe", argv[0], NULL);
		return 1;
	}
	if (argc > 1)
		work_on((int)strtol(argv[1], NULL, 10));
	else
		work();
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		;
	return 0;
}

#else

int main(void)
{
	return 77;
}

#endif
