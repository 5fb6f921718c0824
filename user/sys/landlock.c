// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: a kernel refuses a rule set with a right that it doesn't know, and the headers of
 * the machine that this was built on may be older than the kernel. So the rights are written down
 * here by version.
 */
#include "sys/landlock.h"

#include <errno.h>
#include <fcntl.h>
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

/* 0: there is none. */
static size_t known_version(void)
{
	size_t abi = (size_t)landlock_abi();

	return abi < ARRAY_SIZE(versions) ? abi : ARRAY_SIZE(versions) - 1;
}

int landlock_deny_all(void)
{
	size_t abi = known_version();
	_cleanup_close_ int fd = -1;
	struct rule_set rules;

	if (abi == 0)
		return -ENOSYS;
	rules = (struct rule_set){lowest(versions[abi].fs), lowest(versions[abi].net),
				  lowest(versions[abi].scoped)};
	fd = (int)syscall(SYS_landlock_create_ruleset, &rules, versions[abi].size, 0);
	if (fd < 0 || syscall(SYS_landlock_restrict_self, fd, 0) < 0)
		return -errno;
	return 0;
}

/* (linux/landlock.h: LANDLOCK_RULE_PATH_BENEATH, LANDLOCK_ACCESS_FS_READ_FILE and _READ_DIR,
 * LANDLOCK_ACCESS_NET_BIND_TCP) */
enum { PATH_BENEATH = 1, READ_FILE = 1 << 2, READ_DIR = 1 << 3, BIND_TCP = 1 };
/* _WRITE_FILE, _REMOVE_FILE, _MAKE_REG, _TRUNCATE */
enum { WRITING = 1 << 1 | 1 << 5 | 1 << 8 | 1 << 14 };

static int allow(int rule_set, int folder, uint64_t allowed)
{
	struct {
		uint64_t allowed;
		int32_t parent;
	} __attribute__((packed)) rule = {allowed, folder};

	if (folder < 0)
		return 0;
	return syscall(SYS_landlock_add_rule, rule_set, PATH_BENEATH, &rule, 0) < 0 ? -errno : 0;
}

static int allow_reading(int rule_set, const char *folder)
{
	_cleanup_close_ int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return allow(rule_set, fd, READ_FILE | READ_DIR);
}

int landlock_read_only(const char *const *folders, size_t n)
{
	size_t abi = known_version();
	_cleanup_close_ int fd = -1;
	struct rule_set rules;
	int r = 0;

	if (abi == 0)
		return -ENOSYS;
	rules = (struct rule_set){lowest(versions[abi].fs), versions[abi].net ? BIND_TCP : 0,
				  lowest(versions[abi].scoped)};
	fd = (int)syscall(SYS_landlock_create_ruleset, &rules, versions[abi].size, 0);
	if (fd < 0)
		return -errno;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = allow_reading(fd, folders[i]);
	if (r == 0 && syscall(SYS_landlock_restrict_self, fd, 0) < 0)
		r = -errno;
	return r;
}

int landlock_two_folders(int read_dir, int write_dir)
{
	size_t abi = known_version();
	_cleanup_close_ int fd = -1;
	struct rule_set rules;
	int r;

	if (abi == 0)
		return -ENOSYS;
	rules = (struct rule_set){lowest(versions[abi].fs), lowest(versions[abi].net),
				  lowest(versions[abi].scoped)};
	fd = (int)syscall(SYS_landlock_create_ruleset, &rules, versions[abi].size, 0);
	if (fd < 0)
		return -errno;
	r = allow(fd, read_dir, READ_FILE | READ_DIR);
	if (r == 0)
		r = allow(fd, write_dir, rules.fs & (READ_FILE | READ_DIR | WRITING));
	if (r == 0 && syscall(SYS_landlock_restrict_self, fd, 0) < 0)
		r = -errno;
	return r;
}
