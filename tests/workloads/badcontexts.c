// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * badcontexts [SECONDS=1]: says what it works on (contexts.c) in ways that nobody can take.
 *
 * Known answer: it spins for SECONDS of CPU time, and points in turns of 1 ms to nothing that is
 * mapped, to an address of the kernel, to the end of a page whose record claims more than there is,
 * to a record of another kind, and to one of 65,535 bytes, which is cut.
 */
#include <string.h>
#include <sys/mman.h>
#include "spin.h"

struct record {
	uint8_t trace_id[16], span_id[8], valid, flags;
	uint16_t n_bytes;
	uint8_t bytes[65535];
};

__attribute__((visibility("default"))) __thread struct record *otel_thread_ctx_v1;

SPINS(serve)

int main(int argc, char **argv)
{
	uint64_t until = (uint64_t)(arg_num(argc, argv, 1, 1) * 1e9);
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static struct record other = {.valid = 7, .n_bytes = 4},
			     large = {.valid = 1, .n_bytes = 65535};
	struct record *at_the_end = (void *)(pages + 4096 - 32);
	struct record *const all[] = {(void *)8, (void *)-4096UL, at_the_end, &other, &large};

	if (pages == MAP_FAILED || munmap(pages + 4096, 4096) < 0)
		return 1;
	at_the_end->valid = 1;
	at_the_end->n_bytes = 100;
	for (size_t i = 0; i + 202 <= sizeof(large.bytes); i += 202) {
		large.bytes[i] = 3;
		large.bytes[i + 1] = 200;
		memset(large.bytes + i + 2, 'x', 200);
	}
	for (unsigned i = 0; thread_cpu_ns() < until; i++) {
		*(struct record *volatile *)&otel_thread_ctx_v1 = all[i % 5];
		serve(1000000);
	}
	return 0;
}
