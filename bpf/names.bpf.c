// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel names its own addresses. Attached to nothing: user space runs it when it has some to
 * ask for. bpf_snprintf is there since 5.13.
 */
#include "lib/port.h"

#include "pmubpf/naming.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct pmb_naming pmb_naming = {0};

static const char format[] = "%pS";

SEC("raw_tp")
int pmb_name(void *ctx)
{
	(void)ctx;
	for (__u32 i = 0; i < PMB_NAMING_MAX; i++) {
		if (i >= pmb_naming.n)
			break;
		bpf_snprintf(pmb_naming.texts[i], sizeof(pmb_naming.texts[i]), format,
			     &pmb_naming.addrs[i], sizeof(pmb_naming.addrs[i]));
	}
	return 0;
}
