// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/kernel_ask.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/types.h>
#include <string.h>

#include "base/mem.h"
#include "pmubpf/naming.h"

#include "collect/names.skel.h"

_Static_assert((int)KERNEL_ASK_MAX == (int)PMB_NAMING_MAX, "as many as fit");

struct kernel_ask {
	struct names_bpf *skel;
};

static int say_nothing(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level, (void)fmt, (void)ap;
	return 0;
}

struct kernel_ask *kernel_ask__new(void)
{
	/* a kernel that is too old refuses the program, and that's no news */
	libbpf_print_fn_t before = libbpf_set_print(say_nothing);
	struct names_bpf *skel = names_bpf__open_and_load();
	struct kernel_ask *ask = NULL;

	libbpf_set_print(before);
	if (skel && !skel->bss) {
		/* loaded, but there was no memory to map what it answers in */
		names_bpf__destroy(skel);
		skel = NULL;
	}
	if (skel) {
		ask = xcalloc(1, sizeof(*ask));
		ask->skel = skel;
	}
	return ask;
}

struct kernel_ask *kernel_ask__free(struct kernel_ask *ask)
{
	if (!ask)
		return NULL;
	names_bpf__destroy(ask->skel);
	free(ask);
	return NULL;
}

int kernel_ask__texts(struct kernel_ask *ask, const uint64_t *addrs, size_t n, const char **texts)
{
	struct pmb_naming *naming = &ask->skel->bss->pmb_naming;
	LIBBPF_OPTS(bpf_test_run_opts, run);
	int r;

	if (n > KERNEL_ASK_MAX)
		return -E2BIG;
	naming->n = (__u32)n;
	memcpy(naming->addrs, addrs, n * sizeof(*addrs));
	r = bpf_prog_test_run_opts(bpf_program__fd(ask->skel->progs.pmb_name), &run);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		naming->texts[i][PMB_NAMING_TEXT - 1] = '\0';
		texts[i] = naming->texts[i];
	}
	return 0;
}
