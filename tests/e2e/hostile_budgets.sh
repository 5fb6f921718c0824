#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What programs can have too much of, each alone within its limit: names, files that take time, rules of unwind tables.
# There is a budget for all of it together. After each the same is asked as in hostile.sh, and that the others are seen
# as without.
# shellcheck source=tests/e2e/hostile_lib.sh
. "$(dirname "$0")/hostile_lib.sh"

OUTPUT_BYTES=20000000

expect_within_budgets() {
	expect_unhurt 98304
	expect_le "$(figure main_anon_kb)" 65536 "kB, the main process's own memory at its peak"
	expect_le "$(stat -c %s "$T/folded")" "$OUTPUT_BYTES" "bytes of output"
}

children() { # PID
	cat "/proc/$1/task/$1/children"
}

has_children() { # PID N
	[ "$(children "$1" | wc -w)" = "$2" ]
}

# ---------------------------------------------------------------- names and output

# 4 × 256 names of 4,090 bytes, in stacks of 120 frames that are met once.
t_names_of_4090_bytes() {
	local pid
	spawn "$WORKLOADS/longnames" 60 4
	wait_until has_children "$spawned" 4 || fail "it does not start"
	for pid in $(children "$spawned"); do
		later rm -f "/tmp/perf-$pid.map"
	done
	hurt -a --max-memory 32M -F 3999 -d 2
	expect_within_budgets
	expect_ge "$(sum_get .output.lines_in_other)" 1 "lines that did not fit"
	expect_match "$T/folded" '^longnames;\[other\] ' "where they went"
	expect_match "$T/folded" ';nnn[^;]*\[cut:[0-9a-f]*\]_\[j\];' "names that were cut"
	expect_le "$(awk '{ n = split($0, f, ";"); for (i = 1; i <= n; i++) if (length(f[i]) > m) m = length(f[i]) }
		END { print m }' "$T/folded")" 1100 "bytes of a frame"
}

run_tests
