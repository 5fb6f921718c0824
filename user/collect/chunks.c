// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/chunks.h"

#include <bpf/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"

struct pmb_chunk *chunks__add(struct chunks *chunks, uint32_t index)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	const int key = (int)index;
	_cleanup_close_ int fd = -1;
	void *memory;

	if (index >= PMB_CHUNKS_MAX || chunks->of[index])
		return NULL;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "pmb_chunk", sizeof(__u32),
			    sizeof(struct pmb_chunk), 1, &opts);
	if (fd < 0)
		return NULL;
	memory = mmap(NULL, sizeof(struct pmb_chunk), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return NULL;
	if (inner_maps__put(chunks->maps, chunks->outer, &key, &fd, 1) < 0) {
		munmap(memory, sizeof(struct pmb_chunk));
		return NULL;
	}
	chunks->of[index] = memory;
	return memory;
}

uint64_t chunks__bytes(const struct chunks *chunks)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < PMB_CHUNKS_MAX; i++)
		bytes += chunks->of[i] ? sizeof(struct pmb_chunk) : 0;
	return bytes;
}

void chunks__done(struct chunks *chunks)
{
	for (size_t i = 0; i < PMB_CHUNKS_MAX; i++) {
		if (chunks->of[i])
			munmap(chunks->of[i], sizeof(struct pmb_chunk));
		chunks->of[i] = NULL;
	}
}
