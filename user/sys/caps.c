// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/caps.h"

#include <linux/capability.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "sys/drop.h"
#include "sys/procfs.h"

const struct cap_info cap_infos[] = {
	{"CAP_BPF", CAP_BPF_NUMBER, "BPF programs can't be loaded"},
	{"CAP_PERFMON", CAP_PERFMON_NUMBER,
	 "counters of other users and of the kernel can't be opened"},
	{"CAP_SYS_PTRACE", CAP_SYS_PTRACE, "programs of other users can't be named"},
	{"CAP_DAC_READ_SEARCH", CAP_DAC_READ_SEARCH,
	 "files that only others may read have no names, containers no labels"},
	{"CAP_CHECKPOINT_RESTORE", CAP_CHECKPOINT_RESTORE_NUMBER,
	 "deleted and replaced files can't be opened"},
	{"CAP_SYS_ADMIN", CAP_SYS_ADMIN,
	 "only --debuginfod wants it: a folder of its downloads stays in /tmp"},
	{"CAP_SYS_RESOURCE", CAP_SYS_RESOURCE,
	 "who has many descriptors in flight, as the same user, can take all names away"},
	{"CAP_SYSLOG", CAP_SYSLOG,
	 "before Linux 5.13 kernel functions may have no names (kptr_restrict)"},
};
const size_t n_cap_infos = ARRAY_SIZE(cap_infos);

uint64_t caps_to_count(void)
{
	/* of some distributions: at 3, a level of their own, CAP_PERFMON isn't enough */
	bool stricter = file_read_u64("/proc/sys/kernel/perf_event_paranoid", 0) == 3;

	return CAP_BIT(CAP_PERFMON_NUMBER) | (stricter ? CAP_BIT(CAP_SYS_ADMIN) : 0);
}

uint64_t caps_to_hand_over(void)
{
	return CAP_BIT(CAP_SYS_RESOURCE);
}

bool cap__effective(unsigned number)
{
	_cleanup_free_ char *status = file_read("/proc/self/status");
	const char *line = status ? strstr(status, "\nCapEff:\t") : NULL;
	uint64_t mask;

	if (!line)
		return false;
	line += strlen("\nCapEff:\t");
	if (!num__take_hex(&line, &mask))
		return false;
	/* which it was a part of before 5.9, and is one of still */
	if (number == CAP_CHECKPOINT_RESTORE_NUMBER && (mask >> CAP_SYS_ADMIN & 1))
		return true;
	return mask >> number & 1;
}
