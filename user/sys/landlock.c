// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: a kernel refuses a rule set with a right that it doesn't know, and the headers of
 * the machine that this was built on may be older than the kernel. So the rights are written down
 * here by version.
 */
#include "sys/landlock.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"

/* struct landlock_ruleset_attr, as of version 6. */
struct rule_set {
	uint64_t fs, net, scoped;
};

/* What each version has brought: bits of each, from the lowest on. */
static const struct {
	uint8_t fs, net, scoped;
	size_t size; /* of the rule set */
} versions[] = {
	{0, 0, 0, 0},
	{13, 0, 0, offsetof(struct rule_set, net)},    /* 5.13 */
	{14, 0, 0, offsetof(struct rule_set, net)},    /* 5.19: moving between folders */
	{15, 0, 0, offsetof(struct rule_set, net)},    /* 6.2: truncating */
	{15, 2, 0, offsetof(struct rule_set, scoped)}, /* 6.7: TCP */
	{16, 2, 0, offsetof(struct rule_set, scoped)}, /* 6.10: ioctl on devices */
	{16, 2, 2, sizeof(struct rule_set)},           /* 6.12: abstract sockets, signals */
};

/* (linux/landlock.h: LANDLOCK_CREATE_RULESET_VERSION) */
enum { ASK_VERSION = 1 };

int landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION);

	return abi > 0 ? (int)abi : 0;
}

static uint64_t lowest(unsigned bits)
{
	return (1ULL << bits) - 1;
}

int landlock_deny_all(void)
{
	size_t abi = (size_t)landlock_abi();
	_cleanup_close_ int fd = -1;
	struct rule_set rules;

	if (abi == 0)
		return -ENOSYS;
	if (abi >= ARRAY_SIZE(versions))
		abi = ARRAY_SIZE(versions) - 1;
	rules = (struct rule_set){lowest(versions[abi].fs), lowest(versions[abi].net),
				  lowest(versions[abi].scoped)};
	fd = (int)syscall(SYS_landlock_create_ruleset, &rules, versions[abi].size, 0);
	if (fd < 0 || syscall(SYS_landlock_restrict_self, fd, 0) < 0)
		return -errno;
	return 0;
}
