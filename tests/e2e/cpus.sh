#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# CPUs that the kernel says are possible, are here, or come: as it would say them, in files that lie over its own.
# What becomes of real ones is in tests/vm/guest/hotplug.sh.
# measures nothing
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

CPU_DIR=/sys/devices/system/cpu

# A recording to which the kernel says what lies in $T/possible and $T/online, as far as they are there.
record_where() { # ARG…
	unshare -m sh -c 'for f in possible online; do
			[ ! -e "$1/$f" ] || mount --bind "$1/$f" '$CPU_DIR'/$f || exit 99
		done; shift; exec "$@"' - "$T" "$PMUBPF" record -o "$T/folded" --summary "$T/sum.json" "$@" \
		>"$T/out" 2>"$T/err" </dev/null
	rc=$?
	[ $rc != 99 ] || skip "no mounts of one's own here"
}

t_memory_is_for_cpus_that_are_here() {
	local here
	need_root
	record_where -e cpu-clock -- "$WORKLOADS/split" 0.2
	expect_eq "$rc" 0 "exit status"
	here=$(sum_get .cost.map_bytes)
	echo 0-1023 >"$T/possible"
	record_where -e cpu-clock -- "$WORKLOADS/split" 0.2
	expect_ledger
	expect_le "$(sum_get .cost.map_bytes)" $((here + (4 << 20))) "bytes of maps, of 1,024 possible CPUs"
}

run_tests
