#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# More events than counters. Hardware breakpoints stand in for counters: there are few of them (four
# on most CPUs), they count exactly, and the kernel never multiplexes them.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# N different events, each of which counts every store to the variable of the workload.
stores() { # N
	local addr list='' size mode n=0
	addr=$(nm "$WORKLOADS/watch" | awk '$3 == "watched" { print "0x" $1 }')
	for size in 8 4 2 1; do
		for mode in w rw; do
			[ $((n++)) -lt "$1" ] && list+=",mem:$addr/$size:$mode"
		done
	done
	echo "${list#,}"
}

t_too_many_without_passes() {
	need_breakpoints
	pmb record -e "$(stores 8)" -o "$T/folded" -- "$WORKLOADS/watch" 1000
	expect_eq "$rc" 1 "exit status"
	expect_match "$T/err" '--passes' "what to do"
}

t_every_event_in_its_pass() {
	need_breakpoints
	local i lines
	pmb_ok record --passes -e "$(stores 8)" --summary "$T/sum.json" -o "$T/folded" -- \
		"$WORKLOADS/watch" 1000
	expect_ge "$(sum_get .counter_sets)" 2 "sets"
	expect_eq "$(sum_get '.passes | length')" "$(sum_get .counter_sets)" "passes"
	expect_ledger
	for ((i = 0; i < 8; i++)); do
		expect_eq "$(sum_counter $i)" 1000 "counter of event $i"
		# what overflows while another BPF program runs is dropped, and counted
		lines=$(folded_sum_of "$T/folded" "^$(sum_name $i | sed 's/[/:]/./g');")
		expect_eq "$((lines + $(sum_dropped $i)))" 1000 "stores of event $i, and dropped"
		expect_ge "$lines" 500 "stores of event $i"
		expect_eq "$(folded_sum_of "$T/folded" "^$(sum_name $i | sed 's/[/:]/./g');.*;store_all\$")" \
			"$lines" "stores of event $i in store_all"
	done
}

# Counters are found by opening events: few open files must not look like few counters, or like none
# missing.
t_few_open_files() {
	need_breakpoints
	(ulimit -Sn 7 && "$PMUBPF" record --passes -e "$(stores 8)" --summary "$T/sum.json" -o "$T/folded" -- \
		"$WORKLOADS/watch" 10 >"$T/out" 2>"$T/err")
	expect_eq $? 0 "exit status"
	expect_ge "$(sum_get .counter_sets)" 2 "sets"
}

t_what_is_counted_in_every_pass() {
	need_breakpoints
	local n
	pmb_ok record --passes -e "$(stores 8),page-faults,context-switches" \
		--summary "$T/sum.json" \
		-o "$T/folded" -- "$WORKLOADS/watch" 1000
	n=$(sum_get .counter_sets)
	expect_eq "$(sum_get '[.counted_in_every_pass[].name] | join(" ")')" \
		"task-clock page-faults context-switches" "counted"
	expect_eq "$(sum_get '[.counted_in_every_pass[].values | length] | unique | join(" ")')" \
		"$n" "values"
	# a small program faults the same pages each time
	expect_le "$(sum_get '.counted_in_every_pass[] | select(.name == "page-faults").spread')" \
		0.1 \
		"spread of page-faults"
	expect_ge "$(sum_get '.counted_in_every_pass[] | select(.name == "task-clock").values | min')" 100000 \
		"ns"
	expect_match "$T/err" 'counted in every pass: task-clock [0-9]+, [0-9]+.* \(spread [0-9.]+ %\)' \
		"the summary"
}

t_one_pass_if_all_fit() {
	pmb_ok record --passes -e cpu-clock,page-faults --summary "$T/sum.json" -o "$T/folded" -- \
		"$WORKLOADS/split" 0.3
	expect_eq "$(sum_get .counter_sets)" 1 "sets"
	expect_eq "$(sum_get '.passes | length')" 1 "passes"
	expect_eq "$(grep -c '^hot70 ' "$T/out")" 1 "runs of the command"
}

t_exit_status_of_the_command() {
	need_breakpoints
	pmb record --passes -e "$(stores 8)" -o "$T/folded" -- sh -c 'exit 7'
	expect_eq "$rc" 7 "exit status"
}

t_interrupted_between() {
	need_breakpoints
	pmb_start record --passes -e "$(stores 8),cpu-clock" --summary "$T/sum.json" \
		-o "$T/folded" -- \
		"$WORKLOADS/split" 30
	# the planning opens events, too
	wait_until pgrep -P "$tool" split >/dev/null || fail "the command does not run"
	sleep 0.5
	pmb_finish INT
	expect_eq "$rc" 0 "exit status"
	expect_eq "$(sum_get '.passes | length')" 1 "passes"
	expect_match "$T/err" 'ended after 1 of [2-8] passes' "the summary"
	expect_match "$T/folded" ';hot70 ' "the stacks so far"
}

t_needs_a_command() {
	pmb record --passes -e cpu-clock -a -d 0.1
	expect_eq "$rc" 2 "exit status"
	expect_match "$T/err" '--passes needs a COMMAND' "the error"
}

run_tests
