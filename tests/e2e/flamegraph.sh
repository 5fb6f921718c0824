#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The output feeds a real flamegraph.pl, and the SVG contains the functions.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

flamegraph() {
	perl "$(flamegraph_path)" "$@"
}

t_pipe() {
	[ -n "$(flamegraph_path)" ] || skip "no flamegraph.pl here"
	spawn "$WORKLOADS/split" 20 >/dev/null
	"$PMUBPF" record -e cpu-clock -p "$spawned" -d 0.7 2>"$T/err" | flamegraph >"$T/svg" ||
		fail "pmubpf or flamegraph.pl failed"
	local f
	for f in hot70 hot30 main; do
		expect_match "$T/svg" "<title>$f \\(" "the flame graph"
	done
}

t_file() {
	[ -n "$(flamegraph_path)" ] || skip "no flamegraph.pl here"
	pmb_ok record -e cpu-clock -o "$T/folded" -- "$WORKLOADS/split" 0.5
	flamegraph "$T/folded" >"$T/svg" 2>"$T/complaints" || fail "flamegraph.pl failed"
	expect_no_match "$T/complaints" '[Ii]gnored' "flamegraph.pl did not understand all lines"
	local width # of all its frames: each caller has one above
	width=$(sed -nE 's/.*<title>hot70 \([0-9,]+ samples, ([0-9.]+)%.*/\1/p' "$T/svg" |
		awk '{ sum += $1 } END { print sum }')
	expect_within "$width" "$(frame_share "$T/folded" hot70)" 0.06 "% of the width in hot70"
}

t_cxx_and_kernel() {
	[ -n "$(flamegraph_path)" ] || skip "no flamegraph.pl here"
	pmb_ok record -a -e cpu-clock -o "$T/folded" -- "$WORKLOADS/cxxnames" 0.6
	flamegraph --colors=java "$T/folded" >"$T/svg" 2>"$T/complaints" ||
		fail "flamegraph.pl failed"
	expect_no_match "$T/complaints" '[Ii]gnored' "flamegraph.pl did not understand all lines"
	expect_match "$T/svg" 'outer::inner::spin\(int, 3\)' \
		"a C++ name (flamegraph.pl makes parentheses of its brackets)"
}

t_hostile() {
	[ -n "$(flamegraph_path)" ] || skip "no flamegraph.pl here"
	pmb_ok record -e cpu-clock -o "$T/folded" -- "$WORKLOADS/hostile" 0.4
	flamegraph "$T/folded" >"$T/svg" 2>"$T/complaints" || fail "flamegraph.pl failed"
	expect_no_match "$T/complaints" '[Ii]gnored' "flamegraph.pl did not understand all lines"
	expect_match "$T/svg" '<title>hostile_spin \(' "the flame graph"
}

run_tests
