#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The examples run and do what their first lines say.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

EXAMPLES=$TOP/examples

t_every_example_is_tested() {
	local f
	for f in "$EXAMPLES"/*.sh; do
		grep -q "$(basename "$f")" "$0" || fail "no test runs $(basename "$f")"
	done
}

t_flamegraph() {
	[ -n "$(flamegraph_path)" ] || skip "no flamegraph.pl here"
	"$EXAMPLES/flamegraph.sh" "$T/cpu.svg" "$WORKLOADS/split" 2 >"$T/out" 2>"$T/err" || fail "flamegraph.sh failed"
	expect_match "$T/cpu.svg" 'hot70' "the flame graph"
}

t_misses() {
	spawn "$WORKLOADS/split" 20 >/dev/null
	# Any event will do for the script itself; misses need a PMU.
	EVENT=cpu-clock "$EXAMPLES/misses.sh" "$spawned" 1 >"$T/out" 2>"$T/err" || fail "misses.sh failed"
	expect_match "$T/out" 'hot70' "the functions"
}

t_hot_pages() {
	"$EXAMPLES/hot-pages.sh" "$WORKLOADS/faults" 300 >"$T/out" 2>"$T/err" || fail "hot-pages.sh failed"
	expect_match "$T/out" '0x600000' "the pages"
}

run_tests
