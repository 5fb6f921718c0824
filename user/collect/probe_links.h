/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs that are attached, some of them to probes in programs. All goes with this process,
 * however it ends. */
#ifndef PMUBPF_COLLECT_PROBE_LINKS_H
#define PMUBPF_COLLECT_PROBE_LINKS_H

#include <stddef.h>

struct bpf_link;
struct opener;

struct probe_links {
	struct probe_link {
		struct bpf_link *link;
		int event; /* of a probe in programs, in the link; -1: it is none */
	} * list;
	size_t n, cap;
};

/* Takes the link over. */
void probe_links__add(struct probe_links *links, struct bpf_link *link, int event);
/*
 * The last one first: what opens windows is put in last, and while that is met what closes them has
 * to be there. Afterwards no program is called any more. The kernel takes a probe out of all
 * processes that have its file mapped, and waits for a lock of each, and for those that are amid a
 * hit: the opener does that. -ETIMEDOUT: one makes it wait, it goes on without us, and programs may
 * still be called. NULL: this process does.
 */
int probe_links__close(struct probe_links *links, struct opener *opener);

#endif
