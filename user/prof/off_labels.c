// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A thread that could have run is "preempted", or "waiting" once it was woken. One that could not
 * is named after what it waited for: its system call tells that best, where it was in one.
 */
#include "prof/off_labels.h"

#include <linux/types.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmubpf/record.h"
#include "pmubpf/off_cpu.h"
#include "sys/calls.h"

/* Several calls that wait for the same. */
static const struct {
	const char *call, *word;
} words[] = {
	{"nanosleep", "sleep"},  {"clock_nanosleep", "sleep"}, {"epoll_wait", "poll"},
	{"epoll_pwait", "poll"}, {"epoll_pwait2", "poll"},     {"poll", "poll"},
	{"ppoll", "poll"},       {"select", "poll"},           {"pselect6", "poll"},
	{"futex_wait", "futex"}, {"futex_waitv", "futex"},     {"wait4", "child"},
	{"waitid", "child"},     {"accept4", "accept"},
};

static char *call_word(uint32_t call)
{
	_cleanup_free_ char *name = call_name((int)call - 1);

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(name, words[i].call) == 0)
			return xstrdup(words[i].word);
	}
	return TAKE_PTR(name);
}

char *off_state_text(uint32_t off_state)
{
	uint32_t call = off_state >> 8;

	switch ((enum pmb_off_state)(off_state & 0xff)) {
	case PMB_OFF_PREEMPTED:
		return xstrdup("preempted");
	case PMB_OFF_WAITING:
		return xstrdup("waiting");
	case PMB_OFF_IO:
		return xstrdup("io");
	case PMB_OFF_STOPPED:
		return xstrdup("stopped");
	case PMB_OFF_UNBROKEN:
		return call ? call_word(call) : xstrdup("uninterruptible");
	default:
		return call ? call_word(call) : xstrdup("blocked");
	}
}
