// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * jit [SECONDS=1]: code without a file, named by /tmp/perf-PID.map.
 *
 * Known answer: nearly all time is spent in jit_loop, a loop in anonymous executable memory; every
 * stack is main → call_jit → jit_loop (frameless, so call_jit may be missing). With a second argument
 * "nomap" no map is written.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "spin.h"

/* void jit_loop(uint64_t rounds): counts its argument down to zero. */
#if defined(__x86_64__)
static const unsigned char code[] = {
	0x48, 0xff, 0xcf, /* dec %rdi */
	0x75, 0xfb,       /* jnz -5 */
	0xc3,             /* ret */
};
#elif defined(__aarch64__)
static const unsigned char code[] = {
	0x00, 0x04, 0x00, 0xf1, /* subs x0, x0, #1 */
	0xe1, 0xff, 0xff, 0x54, /* b.ne -4 */
	0xc0, 0x03, 0x5f, 0xd6, /* ret */
};
#elif defined(__riscv)
static const unsigned char code[] = {
	0x13, 0x05, 0xf5, 0xff, /* addi a0, a0, -1 */
	0xe3, 0x1e, 0x05, 0xfe, /* bnez a0, -4 */
	0x67, 0x80, 0x00, 0x00, /* ret */
};
#else
#error "no machine code for this architecture"
#endif

typedef void (*jit_fn)(uint64_t rounds);

WORK static void call_jit(jit_fn fn)
{
	fn(1000000);
	__asm__ volatile("");
}

static jit_fn make_code(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return NULL;
	memcpy(page, code, sizeof(code));
	if (mprotect(page, 4096, PROT_READ | PROT_EXEC))
		return NULL;
	__builtin___clear_cache((char *)page, (char *)page + sizeof(code));
	return (jit_fn)page;
}

static int write_map(jit_fn fn, char *path, size_t size)
{
	snprintf(path, size, "/tmp/perf-%d.map", (int)getpid());
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	fprintf(f, "%llx %zx jit_loop\n", (unsigned long long)(uintptr_t)fn, sizeof(code));
	return fclose(f);
}

int main(int argc, char **argv)
{
	uint64_t end_ns = thread_cpu_ns() + (uint64_t)(arg_num(argc, argv, 1, 1) * 1e9);
	int named = !(argc > 2 && strcmp(argv[2], "nomap") == 0);
	char path[64];
	jit_fn fn = make_code();

	if (!fn || (named && write_map(fn, path, sizeof(path))))
		return 1;
	while (thread_cpu_ns() < end_ns)
		call_jit(fn);
	return 0; /* the map stays: names are asked for after the recording; the test removes it */
}
