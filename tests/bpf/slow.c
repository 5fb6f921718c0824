// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* slow FILE: attaches all programs of slow.bpf.o, says so, and waits for a signal. */
#include <stdio.h>
#include <unistd.h>

#include <bpf/libbpf.h>

int main(int argc, char **argv)
{
	struct bpf_object *object = argc == 2 ? bpf_object__open_file(argv[1], NULL) : NULL;
	struct bpf_program *prog;

	if (!object || bpf_object__load(object))
		return 1;
	bpf_object__for_each_program(prog, object) {
		if (!bpf_program__attach(prog)) {
			fprintf(stderr, "slow: %s can't be attached\n", bpf_program__name(prog));
			return 1;
		}
	}
	puts("slow");
	fflush(stdout);
	pause();
	return 0;
}
