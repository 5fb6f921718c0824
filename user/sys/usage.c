// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/usage.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "sys/clock.h"
#include "sys/procfs.h"

uint64_t usage_cpu_ns(pid_t pid)
{
	clockid_t clock = CLOCK_PROCESS_CPUTIME_ID;

	return pid && clock_getcpuclockid(pid, &clock) != 0 ? 0 : clock_ns(clock);
}

uint64_t usage_thread_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* The number in the line "\nkey:   number". */
static uint64_t number_in(const char *path, const char *key)
{
	_cleanup_free_ char *text = file_read(path);
	const char *at = text ? strstr(text, key) : NULL;
	uint64_t value;

	if (!at)
		return 0;
	at += strlen(key);
	at += strspn(at, " \t");
	return num__take_u64(&at, &value) ? value : 0;
}

uint64_t usage_rss_bytes(pid_t pid)
{
	_cleanup_free_ char *path = pid ? xasprintf("/proc/%d/status", pid) :
					  xstrdup("/proc/self/status");

	return number_in(path, "\nVmHWM:") * 1024;
}

uint64_t usage_delayed_ns(pid_t pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/schedstat", pid);
	_cleanup_free_ char *text = file_read(path);
	const char *at = text;
	uint64_t ran, delayed;

	if (!at || !num__take_u64(&at, &ran) || *at++ != ' ' || !num__take_u64(&at, &delayed))
		return 0;
	return delayed;
}

bool usage_sleeps(pid_t pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/stat", pid);
	_cleanup_free_ char *text = file_read(path);
	const char *comm_end = text ? strrchr(text, ')') : NULL;

	return comm_end && comm_end[1] == ' ' && (comm_end[2] == 'D' || comm_end[2] == 'S');
}

uint64_t usage_map_bytes(int map_fd)
{
	_cleanup_free_ char *path = xasprintf("/proc/self/fdinfo/%d", map_fd);

	return number_in(path, "\nmemlock:");
}
