#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A relation that breaks: tests/workloads/seconds has as many page faults as system calls, then
# twice as many.

CALLS=syscalls:sys_enter_getppid
# shellcheck disable=SC2034 # of who sources this
RELATION="page-faults ~ $CALLS"

# What is usual: intervals of a second, in which faults and calls are as many, but for 2 %.
baseline() { # FILE
	awk -v calls="$CALLS" '
	function event(name, n) {
		return sprintf("{\"name\":\"%s\",\"status\":\"counted\",", name) \
			sprintf("\"scaled\":%d,\"user_only\":false}", n)
	}
	BEGIN {
		for (i = 0; i < 700; i++) {
			x = 1000 + (i * 7919) % 2000
			printf "{\"from_s\":%d,\"to_s\":%d,\"rows\":", i, i + 1
			printf "[{\"events\":[%s,%s]}],\"per\":{\"ended\":%d}}\n",
				event("page-faults", x + (i * 31) % 41 - 20), event(calls, x), x
		}
	}' >"$1"
}
