// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "sym/kallsyms.h"

/* Cut from kernels 6.1 and 6.18; modules as the former lists them: not sorted. */
static const char symbols[] = "0000000000000000 A fixed_percpu_data\n"
			      "0000000000001000 a irq_stack\n"
			      "ffffffff81000000 T srso_alias_untrain_ret\n"
			      "ffffffff81000000 T _stext\n"
			      "ffffffff81000000 T _text\n"
			      "ffffffff81000040 t __x64_sys_read.cold\n"
			      "ffffffff81000080 T entry_SYSCALL_64\n"
			      "ffffffff81000100 W weak_one\n"
			      "ffffffff81000100 t local_a\n"
			      "ffffffff81000100 T __global_b\n"
			      "ffffffff81001000 T last_function\n"
			      "ffffffff8220bb08 T _etext\n"
			      "ffffffff82300000 R some_table\n"
			      "ffffffff83783000 T _sinittext\n"
			      "ffffffff83783000 t do_init\n"
			      "ffffffff837f8910 T _einittext\n"
			      "ffffffff838f8910 D data\n"
			      "ffffffffc0301000 t nf_b\t[nf_tables]\n"
			      "ffffffffc0300100 t nf_a\t[nf_tables]\n"
			      "ffffffffc0305000 d nf_data\t[nf_tables]\n"
			      "ffffffffc0201000 t ftrace_trampoline\t[__builtin__ftrace]\n"
			      "ffffffffc0400000 t bpf_prog_6deef7357e7b4530_pmb_sample\t[bpf]\n"
			      "garbage\n"
			      "zz T x\n"
			      "ffffffffc0500000\n"
			      "ffffffffc0500000 T\n"
			      "ffffffffc0500000 T ";

static const char modules[] = "nf_tables 24576 0 - Live 0xffffffffc0300000\n"
			      "ext4 8192 2 jbd2,mbcache, Live 0xffffffffc0310000 (OE)\n"
			      "hidden 8192 0 - Live 0x0000000000000000\n"
			      "broken\n";

static struct kallsyms *ks;

static void load(const char *text, size_t len, const char *modules_text)
{
	char path[64], modules_path[64];
	int fd = memfd_create("kallsyms", 0), modules_fd = memfd_create("modules", 0);

	cr_assert_eq(write(fd, text, len), (ssize_t)len);
	cr_assert_eq(write(modules_fd, modules_text, strlen(modules_text)),
		     (ssize_t)strlen(modules_text));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	snprintf(modules_path, sizeof(modules_path), "/proc/self/fd/%d", modules_fd);
	lseek(fd, 0, SEEK_SET);
	cr_assert_eq(kallsyms__load_from(path, modules_path, &ks, NULL), 0);
	close(fd);
	close(modules_fd);
}

static void load_recorded(void)
{
	load(symbols, strlen(symbols), modules);
}

static void done(void)
{
	ks = kallsyms__free(ks);
}

static void expect(uint64_t addr, const char *name, const char *module)
{
	struct kernel_name got;

	kallsyms__find(ks, addr, &got);
	cr_expect_eq(got.reason, name ? SYM_NAMED : SYM_NO_SYMBOL, "%#lx", (unsigned long)addr);
	cr_expect(name ? got.name && !strcmp(got.name, name) : !got.name, "%#lx is %s, not %s",
		  (unsigned long)addr, got.name ? got.name : "-", name ? name : "-");
	cr_expect(module ? got.module && !strcmp(got.module, module) : !got.module,
		  "%#lx is in %s, not %s", (unsigned long)addr, got.module ? got.module : "-",
		  module ? module : "-");
}

TestSuite(kallsyms, .fini = done);

Test(kallsyms, functions_of_the_kernel, .init = load_recorded)
{
	expect(0xffffffff81000040, "__x64_sys_read.cold", NULL);
	expect(0xffffffff8100007f, "__x64_sys_read.cold", NULL);
	expect(0xffffffff81000080, "entry_SYSCALL_64", NULL);
	expect(0xffffffff81001abc, "last_function", NULL);
}

Test(kallsyms, aliases_are_chosen_the_same_way, .init = load_recorded)
{
	expect(0xffffffff81000000, "srso_alias_untrain_ret", NULL);
	expect(0xffffffff81000108, "weak_one", NULL);
	expect(0xffffffff83783000, "_sinittext", NULL);
}

Test(kallsyms, nothing_owns_what_lies_outside, .init = load_recorded)
{
	expect(0x10, NULL, NULL);
	expect(0xffffffff80ffffff, NULL, NULL);
	expect(0xffffffff81000000 + (8 << 20), NULL, NULL);
	expect(0xffffffff8220bb08, NULL, NULL);
	expect(0xffffffff82300004, NULL, NULL);
	expect(0xffffffff837f8920, NULL, NULL);
	expect(0xffffffff838f8914, NULL, NULL);
	expect(UINT64_MAX, NULL, NULL);
}

Test(kallsyms, modules_and_bpf_programs, .init = load_recorded)
{
	struct kernel_name got;

	expect(0xffffffffc0300104, "nf_a", "nf_tables");
	expect(0xffffffffc0301004, "nf_b", "nf_tables");
	expect(0xffffffffc0201010, "ftrace_trampoline", "__builtin__ftrace");
	expect(0xffffffffc0400010, "bpf_prog_6deef7357e7b4530_pmb_sample", "bpf");
	/* Before a module's first symbol: the offset, and never the previous module's last
	 * function. */
	expect(0xffffffffc0300010, NULL, "nf_tables");
	expect(0xffffffffc0310040, NULL, "ext4");
	kallsyms__find(ks, 0xffffffffc0310040, &got);
	cr_assert_eq(got.offset, 0x40);
	kallsyms__find(ks, 0xffffffff81001abc, &got);
	cr_assert_eq(got.offset, 0xabc);
}

Test(kallsyms, hidden_addresses)
{
	static const char hidden[] = "0000000000000000 T _stext\n0000000000000000 T vfs_read\n";
	struct kernel_name got;

	load(hidden, strlen(hidden), "");
	kallsyms__find(ks, 0xffffffff81000080, &got);
	cr_assert_eq(got.reason, SYM_NO_KALLSYMS);
	kallsyms__find(NULL, 0xffffffff81000080, &got);
	cr_assert_eq(got.reason, SYM_NO_KALLSYMS);
}

Test(kallsyms, names_of_511_bytes)
{
	char line[600] = "ffffffff81000000 T ";
	char name[512];

	memset(name, 'n', sizeof(name) - 1);
	name[511] = '\0';
	snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s\t[m]\n", name);
	load(line, strlen(line), "");
	expect(0xffffffff81000001, name, "m");
}

Test(kallsyms, a_missing_file_says_so)
{
	struct err err = {0};

	cr_assert_eq(kallsyms__load("/nonexistent/kallsyms", &ks, &err), -ENOENT);
	cr_assert_not_null(strstr(err.text, "/nonexistent/kallsyms"));
}

Test(kallsyms, this_kernel_loads)
{
	if (access("/proc/kallsyms", R_OK))
		cr_skip_test("no /proc/kallsyms");
	cr_assert_eq(kallsyms__load(NULL, &ks, NULL), 0);
}

/* A line of /proc/modules has the count of users, too: that may change. */
Test(kallsyms, other_modules_are_seen, .init = load_recorded)
{
	static const char *const now[] = {
		"nf_tables 24576 9 - Live 0xffffffffc0300000\n"
		"ext4 8192 0 - Live 0xffffffffc0310000 (OE)\n",
		"nf_tables 24576 0 - Live 0xffffffffc0300000\n"
		"ext4 8192 0 - Live 0xffffffffc0320000 (OE)\n",
		"nf_tables 24576 0 - Live 0xffffffffc0300000\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(now); i++) {
		char path[64];
		int fd = memfd_create("modules", 0);

		cr_assert_eq(write(fd, now[i], strlen(now[i])), (ssize_t)strlen(now[i]));
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		cr_expect_eq(kallsyms__same_modules(ks, path), i == 0, "%zu", i);
		close(fd);
	}
}
