// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/probe_links.h"

#include <bpf/libbpf.h>
#include <stdlib.h>

#include "base/mem.h"
#include "opener/opener.h"

void probe_links__add(struct probe_links *l, struct bpf_link *link, int event)
{
	GROW(l->list, l->n, l->cap);
	l->list[l->n++] = (struct probe_link){link, event};
}

/* The program first. It is waited for whoever is amid a hit, and a program may wait there for its
 * own lock (since 6.12). */
static int keep(struct opener *opener, const struct probe_link *l)
{
	if (l->event < 0)
		return 0;
	return (opener__keep(opener, bpf_link__fd(l->link)) == 0) +
	       (opener__keep(opener, l->event) == 0);
}

int probe_links__close(struct probe_links *l, struct opener *opener)
{
	size_t kept = 0;

	for (size_t i = l->n; opener && i-- > 0;)
		kept += keep(opener, &l->list[i]);
	for (size_t i = l->n; i-- > 0;)
		bpf_link__destroy(l->list[i].link);
	free(l->list);
	*l = (struct probe_links){0};
	return kept ? opener__close_kept(opener) : 0;
}
