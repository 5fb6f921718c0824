// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * returning plain|probed [SECONDS=2]: spins below three functions, which "probed" sets return
 * probes on: the kernel's trampoline stands then where their return addresses were.
 *
 * Known answer, the same for both: stacks are
 *
 * 	main → nested → outer → inner → spin
 * 	main → jumped → inner → spin      after a longjmp out of outer and middle, still waited for
 * 	main → tail → inner → spin        middle, probed too, has jumped to inner
 *
 * in equal parts. With "probed", exit status 77: this kernel has no uprobes, or we may not.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "spin.h"

static uint64_t part_ns;
static jmp_buf back;

WORK static void spin(uint64_t ns)
{
	uint64_t end = thread_cpu_ns() + ns;

	while (thread_cpu_ns() < end)
		burn(20000);
}

WORK static int inner(int x)
{
	spin(part_ns);
	return x + 1;
}

WORK static int middle(int x)
{
	if (x > 1)
		longjmp(back, 1);
	return inner(x); /* the last thing that it does: a jump */
}

WORK static int outer(int x)
{
	int ret = x > 1 ? middle(x) : inner(x);

	return ret + 1;
}

WORK static int nested(int x)
{
	return outer(x) + 1;
}

WORK static int jumped(int x)
{
	if (!setjmp(back))
		outer(2);
	return inner(x) + 1;
}

WORK static int tail(int x)
{
	return middle(x) + 1;
}

/* Where in the program's file an instruction is: what the kernel wants to know. */
static uint64_t file_offset(uintptr_t at)
{
	unsigned long start, end, off, ret = 0;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096], *word;

	while (maps && fgets(line, sizeof(line), maps)) {
		start = strtoul(line, &word, 16);
		end = strtoul(word + 1, &word, 16);
		off = strtoul(word + 6, NULL, 16); /* " r-xp " */
		if (at >= start && at < end)
			ret = off + (at - start);
	}
	if (maps)
		fclose(maps);
	return ret;
}

static void probe(int (*function)(int))
{
	struct perf_event_attr attr = {.size = sizeof(attr), .config = 1 /* at its return */};
	FILE *type = fopen("/sys/bus/event_source/devices/uprobe/type", "r");
	char text[16] = "";

	if (!type || !fgets(text, sizeof(text), type))
		exit(77);
	fclose(type);
	attr.type = (uint32_t)strtoul(text, NULL, 10);
	attr.config1 = (uintptr_t) "/proc/self/exe";
	attr.config2 = file_offset((uintptr_t)function);
	if (syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0)
		exit(77);
}

int main(int argc, char **argv)
{
	uint64_t end;

	if (argc > 1 && strcmp(argv[1], "probed") == 0) {
		probe(outer);
		probe(middle);
		probe(inner);
	}
	part_ns = 20000000;
	end = thread_cpu_ns() + (uint64_t)(arg_num(argc, argv, 2, 2) * 1e9);
	while (thread_cpu_ns() < end) {
		nested(1);
		jumped(1);
		tail(1);
	}
	return 0;
}
