// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* slow FILE: attaches the program of slow.bpf.o, says so, and waits for a signal. */
#include <stdio.h>
#include <unistd.h>

#include <bpf/libbpf.h>

int main(int argc, char **argv)
{
	struct bpf_object *object = argc == 2 ? bpf_object__open_file(argv[1], NULL) : NULL;
	static const char *const entries[] = {"sys_enter", "page_fault_user", "local_timer_entry"};
	struct bpf_program *prog;

	if (!object || bpf_object__load(object))
		return 1;
	prog = bpf_object__find_program_by_name(object, "slow");
	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
		if (!bpf_program__attach_raw_tracepoint(prog, entries[i])) {
			fprintf(stderr, "slow: %s can't be attached to\n", entries[i]);
			return 1;
		}
	}
	puts("slow");
	fflush(stdout);
	pause();
	return 0;
}
