// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * jit [SECONDS=1]: code without a file, named by /tmp/perf-PID.map.
 *
 * Known answer: nearly all time is spent in jit_loop, a loop in anonymous executable memory; every
 * stack is main → call_jit → jit_loop (frameless, so call_jit may be missing). With a second
 * argument "nomap" no map is written; with "dump" /tmp/jit-PID.dump instead, in which the function
 * is called dumped_loop and was moved to where it runs; its bytes are there, too.
 */
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "spin.h"

/* void jit_loop(uint64_t rounds): counts its argument down to zero. */
#if defined(__x86_64__)
#define MACHINE EM_X86_64
static const unsigned char code[] = {
	0x48, 0xff, 0xcf, /* dec %rdi */
	0x75, 0xfb,       /* jnz -5 */
	0xc3,             /* ret */
};
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
static const unsigned char code[] = {
	0x00, 0x04, 0x00, 0xf1, /* subs x0, x0, #1 */
	0xe1, 0xff, 0xff, 0x54, /* b.ne -4 */
	0xc0, 0x03, 0x5f, 0xd6, /* ret */
};
#elif defined(__riscv)
#define MACHINE EM_RISCV
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

struct dump {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
	struct {
		uint32_t id, size;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t vma, addr, code_size, index;
		char name[16];
		unsigned char code[16];
	} load;
	struct {
		uint32_t id, size;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t vma, from, to, code_size, index;
	} move;
};

/* Mapping a page of it executable is how a JIT says where it lies. */
static int write_dump(jit_fn fn)
{
	uint32_t pid = (uint32_t)getpid();
	uint64_t addr = (uint64_t)(uintptr_t)fn;
	struct dump dump = {
		.magic = 0x4a695444,
		.version = 1,
		.size = 40,
		.machine = MACHINE,
		.pid = pid,
		.load = {.size = sizeof(dump.load),
			 .pid = pid,
			 .tid = pid,
			 .vma = addr + 4096,
			 .addr = addr + 4096,
			 .code_size = sizeof(code),
			 .index = 1,
			 .name = "dumped_loop"},
		.move = {.id = 1,
			 .size = sizeof(dump.move),
			 .pid = pid,
			 .tid = pid,
			 .vma = addr,
			 .from = addr + 4096,
			 .to = addr,
			 .code_size = sizeof(code),
			 .index = 1},
	};
	char path[64];
	int fd;

	memcpy(dump.load.code + sizeof(dump.load.code) - sizeof(code), code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/jit-%u.dump", pid);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, &dump, sizeof(dump)) != sizeof(dump))
		return -1;
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED ? -1 : 0;
}

int main(int argc, char **argv)
{
	uint64_t end_ns = thread_cpu_ns() + (uint64_t)(arg_num(argc, argv, 1, 1) * 1e9);
	int named = argc<3, dumped = argc> 2 && strcmp(argv[2], "dump") == 0;
	char path[64];
	jit_fn fn = make_code();

	if (!fn || (named && write_map(fn, path, sizeof(path))) || (dumped && write_dump(fn)))
		return 1;
	while (thread_cpu_ns() < end_ns)
		call_jit(fn);
	return 0; /* the map stays: names are asked for after the recording; the test removes it */
}
