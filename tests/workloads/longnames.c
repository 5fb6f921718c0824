// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * longnames [SECONDS=1] [PROCESSES=4]: each moment another stack of 120 frames, in functions with
 * names of 4,090 bytes.
 *
 * Known answer: none of its stacks is met twice, and each frame behind the leaf, which is
 * made_up_spin, is at another place in one of 256 functions of a perf map. The maps go when it ends
 * by itself.
 */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "spin.h"

enum { FUNCTIONS = 256, FUNCTION_BYTES = 4096, NAME_BYTES = 4090, FRAMES = 120 };

static uint64_t state;
static uintptr_t code;

static uint64_t any(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static int write_map(char *path, size_t size)
{
	char name[NAME_BYTES + 1];
	FILE *f;

	snprintf(path, size, "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "w");
	if (!f)
		return -1;
	memset(name, 'n', NAME_BYTES);
	name[NAME_BYTES] = '\0';
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		snprintf(name + NAME_BYTES - 4, 5, "%04u", i);
		fprintf(f, "%llx %x %s\n", (unsigned long long)(code + i * FUNCTION_BYTES),
			FUNCTION_BYTES, name);
	}
	return fclose(f);
}

/* Its caller, and theirs, are what the chain says, for as long as the work takes. */
WORK static void made_up_spin(uintptr_t *chain)
{
	volatile uintptr_t *frame = __builtin_frame_address(0);
	uintptr_t kept[2] = {frame[0], frame[1]};

	frame[0] = (uintptr_t)chain;
	frame[1] = code + any() % (FUNCTIONS * FUNCTION_BYTES);
	burn(20000);
	frame[0] = kept[0];
	frame[1] = kept[1];
	__asm__ volatile("" : : : "memory");
}

static int spin(double seconds)
{
	uint64_t end_ns = thread_cpu_ns() + (uint64_t)(seconds * 1e9);
	uintptr_t chain[2 * FRAMES] = {0};
	char path[64];

	state = 88172645463325252u + (uint64_t)getpid();
	code = (uintptr_t)mmap(NULL, FUNCTIONS * FUNCTION_BYTES, PROT_READ | PROT_EXEC,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if ((void *)code == MAP_FAILED || write_map(path, sizeof(path)))
		return 1;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (thread_cpu_ns() < end_ns) {
		for (int i = 0; i < FRAMES - 1; i++) {
			chain[2 * i] = (uintptr_t)&chain[2 * i + 2];
			chain[2 * i + 1] = code + any() % (FUNCTIONS * FUNCTION_BYTES);
		}
		made_up_spin(chain);
	}
	unlink(path);
	return 0;
}

int main(int argc, char **argv)
{
	int n = (int)arg_num(argc, argv, 2, 4), status, bad = 0;

	for (int i = 0; i < n; i++) {
		if (fork() == 0)
			_exit(spin(arg_num(argc, argv, 1, 1)));
	}
	while (wait(&status) > 0)
		bad |= status != 0;
	return bad;
}
