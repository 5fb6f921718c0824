#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Data addresses, and counts that are exact: page faults and a hardware watchpoint.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

PAGES=1000

t_every_fault_at_its_address() {
	pmb_ok record -e page-faults -c 1 --addr --summary "$T/sum.json" -o "$T/folded" -- \
		"$WORKLOADS/faults" $PAGES
	expect_ledger
	known_addresses 8 | sort >"$T/known"
	sed -n 's/^.*;touch_pages\(_\[k\]\)\{0,1\};.*\[\(0x[0-9a-f]*\)\] \([0-9]*\)$/\2 \3/p;
		s/^.*;touch_pages;\[\(0x[0-9a-f]*\)\] \([0-9]*\)$/\1 \2/p' "$T/folded" | sort -u >"$T/seen"
	expect_eq "$(comm -3 "$T/known" "$T/seen" | head -n 3)" "" "addresses that differ"
}

# What the program printed, as "ADDRESS COUNT" lines.
known_addresses() { # OFFSET
	awk -v off="$1" '{ print $2, $4, $6 }' "$T/out" | while read -r base pages size; do
		for ((i = 0; i < pages; i++)); do
			printf '0x%x 1\n' $((base + i * size + $1))
		done
	done
}

t_by_page() {
	pmb_ok record -e page-faults -c 1 --addr=page -o "$T/folded" -- "$WORKLOADS/faults" $PAGES
	known_addresses 0 | sort >"$T/known"
	sed -n 's/^.*;touch_pages;.*\[\(0x[0-9a-f]*\)\] \([0-9]*\)$/\1 \2/p;
		s/^.*;touch_pages;\[\(0x[0-9a-f]*\)\] \([0-9]*\)$/\1 \2/p' "$T/folded" | sort -u >"$T/seen"
	expect_eq "$(comm -3 "$T/known" "$T/seen" | head -n 3)" "" "pages that differ"
}

t_no_address_unless_asked() {
	pmb_ok record -e page-faults -c 1 -o "$T/folded" -- "$WORKLOADS/faults" 50
	expect_match "$T/folded" ';touch_pages ' "the faults"
	expect_no_match "$T/folded" '\[0x' "an address"
}

t_events_without_an_address() {
	pmb_ok record -e cpu-clock --addr -o "$T/folded" -- "$WORKLOADS/recurse" 0.3
	expect_match "$T/folded" '^recurse;' "the stacks"
	expect_no_match "$T/folded" '\[0x' "an address"
}

watched() {
	nm "$WORKLOADS/watch" | awk '$3 == "watched" { print "0x" $1 }'
}

t_watchpoint_1000() {
	need_breakpoints
	pmb_ok record -e "mem:$(watched)/8:w" --summary "$T/sum.json" -o "$T/folded" -- \
		"$WORKLOADS/watch" 1000
	expect_eq "$(folded_sum "$T/folded")" 1000 "folded sum"
	expect_eq "$(folded_sum_of "$T/folded" ';store_all$')" 1000 "stores in store_all"
	expect_eq "$(sum_counter)" 1000 "the counter"
	expect_ledger
}

t_watchpoint_of_a_pid() {
	need_breakpoints
	mkfifo "$T/go"
	sleep 60 >"$T/go" &
	SPAWNED+=($!)
	spawn "$WORKLOADS/watch" 1000 hold <"$T/go" >"$T/ready"
	local target=$spawned
	wait_until grep -q ready "$T/ready" || fail "watch is not ready"
	pmb_start record -e "mem:$(watched)/8:w" --summary "$T/sum.json" -o "$T/folded" -p "$target"
	echo >"$T/go"
	pmb_finish
	expect_eq "$rc" 0 "exit status"
	expect_eq "$(folded_sum "$T/folded")" 1000 "folded sum"
}

t_watchpoint_period() {
	need_breakpoints
	pmb_ok record -e "mem:$(watched)/8:w/period=10/" --unit samples -o "$T/folded" -- \
		"$WORKLOADS/watch" 1000
	expect_eq "$(folded_sum "$T/folded")" 100 "samples"
	pmb_ok record -e "mem:$(watched)/8:w/period=10/" -o "$T/folded" -- "$WORKLOADS/watch" 1000
	expect_eq "$(folded_sum "$T/folded")" 1000 "events"
}

t_watchpoint_address() {
	need_breakpoints
	local addr
	addr=$(printf '0x%x' "$(watched)")
	pmb_ok record -e "mem:$(watched)/8:w" --addr -o "$T/folded" -- "$WORKLOADS/watch" 100
	expect_eq "$(folded_sum_of "$T/folded" ";store_all;\\[$addr\\]\$")" 100 \
		"stores with the address"
}

t_executed_1000() {
	need_breakpoints
	local hit
	hit=$(nm "$WORKLOADS/watch" | awk '$3 == "store_all" { print "0x" $1 }')
	pmb_ok record -e "mem:$hit:x" -o "$T/folded" -- "$WORKLOADS/watch" 10
	expect_eq "$(folded_sum "$T/folded")" 1 "calls of store_all"
}

run_tests
