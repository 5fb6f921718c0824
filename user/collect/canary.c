// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is to know that it was probed: its own memory has the breakpoints then, and the
 * kernel has counted them.
 */
#include "collect/canary.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "collect/canary_code.h"
#include "sys/clock.h"
#include "sys/perf.h"
#include "sys/usage.h"

#if CANARY_CODE

enum { TIMES = 500, WAIT_MS = 5000 };

enum { SITES = 4 };

/* The last is the beginning of a function, for a return probe, where that is wanted. */
static const struct {
	const uint8_t *at;
	bool returns;
} sites[SITES] = {
	{pmb_canary_site_emulated, false},
	{pmb_canary_site_stepped, false},
	{pmb_canary_site_left, false},
	{pmb_canary_site_entered, true},
};

static int n_sites(bool returns)
{
	return returns ? SITES : SITES - 1;
}

struct report {
	uint64_t ns[2];
	uint32_t broken; /* calls that returned something else */
	uint32_t probed; /* sites that have a breakpoint */
};

static uint64_t call(uint64_t (*fn)(uint64_t), uint32_t *broken)
{
	uint64_t before = usage_thread_ns(); /* whatever else runs here */

	for (uint64_t i = 1; i <= TIMES; i++)
		*broken += fn(i << 32) != 3 * (i << 32);
	return (usage_thread_ns() - before) / TIMES;
}

/* The second time without a system call but those that strict seccomp allows. */
static void sing(int go, int told)
{
	struct report report = {0};
	uint8_t byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(go, &byte, 1) != 1)
		syscall(SYS_exit, 1);
	for (int i = 0; i < SITES; i++)
		report.probed += canary_is_probed(sites[i].at);
	report.ns[0] = call(pmb_canary_emulated, &report.broken);
	report.ns[1] = call(pmb_canary_stepped, &report.broken);
	call(pmb_canary_left, &report.broken);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) < 0)
		syscall(SYS_exit, 1);
	for (uint64_t i = 1; i <= TIMES; i++)
		report.broken += pmb_canary_emulated(i) != 3 * i ||
				 pmb_canary_stepped(i) != 3 * i || pmb_canary_left(i) != 3 * i;
	if (write(told, &report, sizeof(report)) != (ssize_t)sizeof(report))
		syscall(SYS_exit, 1);
	syscall(SYS_exit, 0);
}

struct place {
	uint64_t addr, file_off;
};

static int find_place(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct place *place = ctx;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD || place->addr < start ||
		    place->addr - start >= p->p_filesz)
			continue;
		place->file_off = p->p_offset + (place->addr - start);
		return 1;
	}
	return 0;
}

static int probe(pid_t pid, int site)
{
	struct place place = {.addr = (uint64_t)(uintptr_t)sites[site].at};

	if (!dl_iterate_phdr(find_place, &place))
		return -ENOENT;
	return perf_open_uprobe(&(struct perf_uprobe){.path = "/proc/self/exe",
						      .file_off = place.file_off,
						      .returns = sites[site].returns},
				pid);
}

static bool read_report(int fd, struct report *ret)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint64_t deadline = now_ns() + (uint64_t)WAIT_MS * 1000000;

	while (now_ns() < deadline) {
		int r = poll(&p, 1, 100);

		if (r > 0)
			return read(fd, ret, sizeof(*ret)) == (ssize_t)sizeof(*ret);
		if (r < 0 && errno != EINTR)
			return false;
	}
	return false;
}

static int no_probes(const char *option, int r, struct err *err)
{
	err__cannot(err, "%s: the kernel puts no probes into programs: %s%s", option, strerror(-r),
		    r == -ENOENT                ? " (CONFIG_UPROBE_EVENTS)" :
		    r == -EPERM || r == -EACCES ? "; run as root, or with CAP_BPF and CAP_PERFMON" :
						  "");
	return r;
}

static int broken(const char *option, const char *how, struct err *err)
{
	return err__cannot(err,
			   "%s: a child of our own was probed first, and %s: no program is probed "
			   "on this kernel",
			   option, how);
}

/* What the child says, and what the kernel has counted of it. */
static int judge(const struct report *report, const int fds[SITES], int n, const char *option,
		 struct err *err)
{
	struct perf_count counts[SITES] = {0};
	bool told = report->probed == (uint32_t)n;

	for (int i = 0; i < n; i++) {
		perf_read(fds[i], &counts[i]);
		told &= counts[i].value == 2 * TIMES;
	}
	if (report->broken)
		return broken(option, "what it kept on its stack was lost", err);
	if (!told)
		return broken(option, "not each time that it met a probe was told", err);
	return 0;
}

/* -1 for each that isn't open. */
static void close_sites(int fds[SITES])
{
	for (int i = 0; i < SITES; i++)
		cleanup_close(&fds[i]);
}

static int probe_all(pid_t child, int ret[SITES], int n)
{
	for (int i = 0; i < n; i++) {
		ret[i] = probe(child, i);
		if (ret[i] < 0)
			return ret[i];
	}
	return 0;
}

/* go, told: of the child. */
static int watch(struct probe_costs *ret, pid_t child, int go, int told, int n, const char *option,
		 struct err *err)
{
	struct report report = {0};
	int fds[SITES] = {-1, -1, -1, -1};
	int r = probe_all(child, fds, n);

	if (r < 0)
		r = no_probes(option, r, err);
	else if (write(go, "", 1) != 1 || !read_report(told, &report))
		r = broken(option, "it did not survive that", err);
	else
		r = judge(&report, fds, n, option, err);
	close_sites(fds);
	ret->emulated_ns = report.ns[0];
	ret->stepped_ns = report.ns[1];
	return r;
}

int canary__try(struct probe_costs *ret, bool returns, const char *option, struct err *err)
{
	int go[2], told[2], r;
	pid_t child;

	if (pipe2(go, O_CLOEXEC) < 0)
		return err__set(err, -errno, "%s: no pipe: %s", option, strerror(errno));
	if (pipe2(told, O_CLOEXEC) < 0) {
		r = err__set(err, -errno, "%s: no pipe: %s", option, strerror(errno));
		close(go[0]), close(go[1]);
		return r;
	}
	child = fork();
	if (child == 0)
		sing(go[0], told[1]);
	close(go[0]), close(told[1]);
	r = child < 0 ? err__set(err, -errno, "%s: no child: %s", option, strerror(errno)) :
			watch(ret, child, go[1], told[0], n_sites(returns), option, err);
	close(go[1]), close(told[0]);
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	return r;
}

#else

int canary__try(struct probe_costs *ret, bool returns, const char *option, struct err *err)
{
	(void)ret;
	(void)returns;
	return err__cannot(err,
			   "%s: probes are put into programs of x86-64 and arm64 only in this "
			   "version",
			   option);
}

#endif
