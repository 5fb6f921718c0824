// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * From here on this process only looks: it reads counters and maps that it holds, and what the
 * kernel says of itself. What belongs to processes is opened by one that has the capabilities for
 * it (opener/), and gives up here what only counters wanted. The command has been forked before,
 * and runs with its caller's privileges.
 *
 * Which capabilities that takes was found by leaving out one at a time
 * (docs/design/0013-sandbox.md): CAP_BPF for maps, what ends a command that has become another
 * user, what hands descriptors over whatever others do, for kprobes that come and go what counters
 * take, and before 5.13 what shows addresses in /proc/kallsyms.
 */
#include <linux/capability.h>

#include "opener/opener.h"
#include "session/internal.h"
#include "sys/caps.h"
#include "sys/drop.h"

static const uint64_t looking = CAP_BIT(CAP_BPF_NUMBER) | CAP_BIT(CAP_KILL);

/* Where the kernel can't be asked for names. */
static const uint64_t reading_kallsyms = CAP_BIT(CAP_SYSLOG_NUMBER);

/* To become nobody, with a /tmp of its own (symd/fetch.c). */
static const uint64_t downloading = CAP_BIT(CAP_SETUID) | CAP_BIT(CAP_SETGID) |
				    CAP_BIT(CAP_SYS_ADMIN) | CAP_BIT(CAP_SETPCAP);

/* To read the kernel's code, and to become who called sudo (cmd/page_code.c). */
static const uint64_t showing_code = CAP_BIT(CAP_SETUID) | CAP_BIT(CAP_SETGID) |
				     CAP_BIT(CAP_SETPCAP) | CAP_BIT(CAP_SYS_RAWIO) |
				     CAP_BIT(CAP_SYSLOG_NUMBER);

void session__drop_privileges(const struct session *s)
{
	uint64_t keep = looking | caps_to_hand_over();

	if (s->opts->may_download)
		keep |= downloading;
	if (s->opts->shows_code)
		keep |= showing_code;
	if (!kernel_names__asks(s->opts->kernel))
		keep |= reading_kallsyms;
	if (session__slices_kernel(s))
		keep |= caps_to_count();
	/* it can't fail, and if it did the recording would be what it was before */
	drop_capabilities(keep);
	if (!s->opts->allocs && !session__slices_windows(s)) /* whose probes come and go */
		opener__settled(s->opts->opener);
	drop_new_privileges();
}
