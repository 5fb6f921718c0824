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

/* (linux/landlock.h: LANDLOCK_RULE_PATH_BENEATH, LANDLOCK_ACCESS_FS_READ_FILE and _READ_DIR,
 * LANDLOCK_ACCESS_NET_BIND_TCP) */
enum { PATH_BENEATH = 1, READ_FILE = 1 << 2, READ_DIR = 1 << 3, BIND_TCP = 1 };
/* _WRITE_FILE, _REMOVE_FILE, _MAKE_REG, _TRUNCATE */
enum { WRITING = 1 << 1 | 1 << 5 | 1 << 8 | 1 << 14 };

/* Of files all that this kernel can forbid, and of the network these bits. A descriptor, or a
 * negative errno. */
static int make_rules(uint64_t net)
{
	size_t abi = known_version();
	struct rule_set rules = {lowest(versions[abi].fs), lowest(versions[abi].net) & net,
				 lowest(versions[abi].scoped)};
	int fd;

	if (abi == 0)
		return -ENOSYS;
	fd = (int)syscall(SYS_landlock_create_ruleset, &rules, versions[abi].size, 0);
	return fd < 0 ? -errno : fd;
}

static int obey_rules(int rule_set)
{
	return syscall(SYS_landlock_restrict_self, rule_set, 0) < 0 ? -errno : 0;
}

static int allow(int rule_set, int folder, uint64_t allowed)
{
	struct {
		uint64_t allowed;
		int32_t parent;
	} __attribute__((packed)) rule = {allowed & lowest(versions[known_version()].fs), folder};

	if (folder < 0)
		return 0;
	return syscall(SYS_landlock_add_rule, rule_set, PATH_BENEATH, &rule, 0) < 0 ? -errno : 0;
}

static int allow_reading(int rule_set, const char *folder)
{
	_cleanup_close_ int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return allow(rule_set, fd, READ_FILE | READ_DIR);
}

int landlock_deny_all(void)
{
	_cleanup_close_ int fd = make_rules(UINT64_MAX);

	return fd < 0 ? fd : obey_rules(fd);
}

int landlock_read_only(const char *const *folders, size_t n)
{
	_cleanup_close_ int fd = make_rules(BIND_TCP);
	int r = fd < 0 ? fd : 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = allow_reading(fd, folders[i]);
	return r < 0 ? r : obey_rules(fd);
}

int landlock_two_folders(int read_dir, int write_dir)
{
	_cleanup_close_ int fd = make_rules(UINT64_MAX);
	int r = fd < 0 ? fd : allow(fd, read_dir, READ_FILE | READ_DIR);

	if (r == 0)
		r = allow(fd, write_dir, READ_FILE | READ_DIR | WRITING);
	return r < 0 ? r : obey_rules(fd);
}
