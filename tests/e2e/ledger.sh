#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The ledger: the columns add up, for every kind of target, in the numbers and in the words.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"


expect_books() {
	expect_ledger
	expect_lossless
	# Σ weights in the output = Σ weights aggregated (clocks: the weight is the time).
	expect_eq "$(folded_sum "$T/folded")" "$(sum_weight)" \
		"Σ of the folded file against the summary"
	expect_ge "$(sum_aggregated)" 1 "samples"
}

t_command() {
	pmb_ok record -e cpu-clock -o "$T/folded" --summary "$T/sum.json" -- "$WORKLOADS/split" 0.7
	expect_books
	expect_eq "$(sum_scope)" per-cpu "scope"
	expect_ge "$(sum_filtered)" 1 "filtered: the idle CPU's and other programs'"
}

t_command_per_task() {
	pmb_ok record -e cpu-clock --per-task -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/split" 0.7
	expect_books
	expect_eq "$(sum_scope)" per-task "scope"
	expect_eq "$(sum_filtered)" 0 "filtered"
}

t_pid() {
	spawn "$WORKLOADS/split" 20 >/dev/null
	pmb_ok record -e cpu-clock -p "$spawned" -d 0.7 -o "$T/folded" --summary "$T/sum.json"
	expect_books
}

t_pid_per_cpu() {
	spawn "$WORKLOADS/split" 20 >/dev/null
	pmb_ok record -e cpu-clock --per-cpu -p "$spawned" -d 0.7 -o "$T/folded" \
		--summary "$T/sum.json"
	expect_books
	expect_eq "$(sum_scope)" per-cpu "scope"
}

t_all_cpus() {
	spawn "$WORKLOADS/split" 20 >/dev/null
	pmb_ok record -a -e cpu-clock -d 0.7 -o "$T/folded" --summary "$T/sum.json"
	expect_books
	expect_eq "$(sum_filtered)" 0 "filtered"
}

# As long as the others: of 10 ms one timer that comes late is a tenth.
t_two_events() {
	# room for what else faults meanwhile
	pmb_ok record -a -m 16M -e cpu-clock,page-faults -o "$T/folded" --summary "$T/sum.json" \
		-- sh -c "'$WORKLOADS/faults' 3000; '$WORKLOADS/split' 0.7"
	expect_ledger
	expect_lossless 0
	expect_lossless 1
	expect_eq "$(sum_name 0) $(sum_name 1)" "cpu-clock page-faults" "names"
}

t_user_only_clock_has_no_ratio() {
	# The kernel's cpu-clock counts on while the CPU is in the kernel, :u or not.
	pmb_ok record -e cpu-clock:u -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/syscalls" 0.5
	expect_ledger
	expect_eq "$(sum_ratio)" null "ratio"
	expect_match <(sum_ratio_why) '.' "why there is none"
}

t_high_rate() {
	pmb_ok record -e cpu-clock -F 10000 -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/split" 1
	expect_ledger
	expect_eq "$(sum_dropped)" 0 "dropped"
	expect_ge "$(sum_aggregated)" 5000 "samples in 1 s at 10 kHz"
}

t_never_repeated_stacks() {
	pmb_ok record -e cpu-clock -F 5000 -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/manypaths" 1
	expect_books
}

# Some kernels count switches out of an idle task and call no program for them. They are in the
# books to the unit.
t_overflows_that_passed_unseen() {
	local period unseen lost last=$(($(nproc) - 1))
	for period in 1 7; do
		pmb_ok record -a -e context-switches -c $period -m 8M -o "$T/folded" \
			--summary "$T/sum.json" \
			-- taskset -c $last sh -c 'for i in $(seq 200); do sleep 0.002; done'
		expect_ledger
		expect_within "$(sum_get '.events[0].kernel.weight_seen')" \
			"$(sum_get ".events[0] | .counter.value - .counter.instances * ($period - 1) / 2")" \
			"$(sum_get ".events[0].counter.instances * ($period - 1) / 2")" \
			"Σ weights: the counter but for less than a period on each CPU"
		unseen=$(sum_get '.events[0].kernel.dropped.unseen')
		[ "$unseen" -gt 0 ] || skip "this kernel calls the program for every switch"
		expect_eq "$(sum_get '.events[0].kernel.weight_dropped.unseen')" \
			$((unseen * period)) "their weight"
		# the whole host's switches: what else runs may fill the ring
		lost=$((unseen + $(sum_get '.events[0].kernel.dropped.ring_full')))
		expect_eq "$(sum_dropped)" "$lost" "dropped for no other reason"
		expect_match "$T/err" "^pmubpf: .* $lost lost; the books balance" "the first line"
		expect_match "$T/err" "dropped $unseen .*called no program" "the reason"
	done
}

# Nobody empties the ring for a second: what finds no room is in the books, too.
t_a_reader_that_stands_still() {
	spawn "$WORKLOADS/split" 60 >/dev/null
	pmb_start record -e cpu-clock -F 2000 -m 1 -p "$spawned" -o "$T/folded" \
		--summary "$T/sum.json"
	kill -STOP "$tool"
	sleep 1
	kill -CONT "$tool"
	sleep 0.3
	pmb_finish INT
	expect_eq "$rc" 0 "exit status"
	expect_columns
	expect_ge "$(sum_get '.events[0].kernel.dropped.ring_full')" 10 \
		"overflows that found no room"
	expect_eq "$(folded_sum "$T/folded")" "$(sum_weight)" \
		"Σ of the folded file against the summary"
	expect_match "$T/err" ' [1-9][0-9]* lost' "the first line"
}

t_words() {
	pmb_ok record -e cpu-clock -o "$T/folded" --summary "$T/sum.json" -- "$WORKLOADS/split" 1
	local word
	for word in seen emitted filtered dropped decoded aggregated counter named; do
		expect_match "$T/err" "$word" "the closing summary on stderr"
	done
	expect_match "$T/err" "$(sum_seen)" "overflows seen, on stderr"
}

run_tests
