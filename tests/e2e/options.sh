#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Which part of a stack, which events, and names that want to forge lines.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

t_user_only() {
	pmb_ok record -e cpu-clock --user-only --unit samples -o "$T/folded" \
		--summary "$T/sum.json" -- \
		"$WORKLOADS/syscalls" 0.4
	expect_no_match "$T/folded" '_\[k\]' "a kernel frame"
	expect_eq "$(folded_sum "$T/folded")" "$(sum_aggregated)" "samples stay"
	expect_match "$T/folded" ';kernel_half' \
		"samples taken in the kernel stay, with their user frames"
}

t_kernel_only() {
	pmb_ok record -e cpu-clock --kernel-only --unit samples -o "$T/folded" \
		--summary "$T/sum.json" -- \
		"$WORKLOADS/syscalls" 0.4
	expect_no_match "$T/folded" ';(main|user_half|kernel_half)' "a user frame"
	expect_match "$T/folded" '_\[k\] ' "kernel frames"
	expect_eq "$(folded_sum "$T/folded")" "$(sum_aggregated)" "samples stay"
}

t_modifier_user() {
	pmb_ok record -e cpu-clock:u -o "$T/folded" -- "$WORKLOADS/syscalls" 0.4
	expect_no_match "$T/folded" '_\[k\]' "a kernel frame: :u selects samples"
	expect_match "$T/folded" ';user_half' "user samples"
}

t_modifier_kernel() {
	pmb_ok record -e cpu-clock:k -o "$T/folded" -- "$WORKLOADS/syscalls" 0.4
	expect_ge "$(folded_share "$T/folded" '_\[k\]$')" 99 \
		"percent of samples taken in the kernel"
}

t_max_depth_counts_inlined_calls() {
	pmb_ok record -e cpu-clock --inline --max-depth 2 --user-only -o "$T/folded" -- \
		"$WORKLOADS/inlined" 0.5
	expect_ge "$(user_share "$T/folded" '^inlined;inner_\[i\];leaf_spin$')" 90 \
		"percent with the last two frames"
	expect_no_match "$T/folded" ';.*;.*;' "a line of more than two frames"
}

t_event_name_first() {
	pmb_ok record -e cpu-clock,page-faults -o "$T/folded" -- "$WORKLOADS/faults" 20000
	expect_match "$T/folded" '^cpu-clock;faults;' "event, then comm"
	expect_match "$T/folded" '^page-faults;faults;.*touch_pages' "event, then comm"
	expect_no_match "$T/folded" '^faults;' "a line without its event"
}

t_one_event_has_no_name() {
	pmb_ok record -e cpu-clock -o "$T/folded" -- "$WORKLOADS/recurse" 0.3
	expect_match "$T/folded" '^recurse;' "its stacks"
	expect_no_match "$T/folded" '^cpu-clock;' "the only event's name"
}

t_repeated_e() {
	pmb_ok record -e cpu-clock -e page-faults:u -e context-switches -o "$T/folded" \
		--summary "$T/sum.json" \
		-- "$WORKLOADS/storm" 50 1
	expect_eq "$(sum_get '.events | length')" 3 "events"
	expect_ledger
}

t_rates() {
	pmb_ok record -e cpu-clock/freq=500/ -e task-clock/period=5000000/ -e page-faults -c 3 \
		-o "$T/folded" \
		--summary "$T/sum.json" -- "$WORKLOADS/recurse" 0.5
	expect_eq "$(sum_get '.events[1].rate.period')" 5000000 "period of the second"
	expect_eq "$(sum_get '.events[2].rate.period')" 3 "period of the third, from -c"
	# by weight: a timer that comes late makes fewer overflows that stand for more
	expect_ns "$(sum_get '.events[1].user.weight')" 500000000 2 "weight of the second" 200
}

t_default_rate_is_about_a_millisecond() {
	pmb_ok record -e cpu-clock -o "$T/folded" --summary "$T/sum.json" -- "$WORKLOADS/split" 1
	expect_eq "$(sum_get '.events[0].rate.period')" 1013009 "period, ns"
	expect_ns "$(sum_get '.events[0].user.weight')" 1000000000 10 "weight of 1 s" 987
}

t_hostile_name() {
	pmb_ok record -e cpu-clock -o "$T/folded" -- "$WORKLOADS/hostile" 0.4
	expect_folded "$T/folded"
	expect_no_match "$T/folded" '^root|[[:cntrl:]]' "a forged line or a control byte"
	expect_eq "$(grep -c ';hostile_spin ' "$T/folded")" 1 "lines of hostile_spin"
	# One field is the name: main stands where it stands in any program.
	grep ';hostile_spin ' "$T/folded" | awk -F';' '{ for (i = 2; i <= NF; i++) if ($i == "main") n = i; exit n > 5 || !n }' ||
		fail "the name is more than one field: $(grep -m1 ';hostile_spin ' "$T/folded")"
}

t_hostile_file_name() {
	local dir
	dir="$T/x;y 9"$'\n'"root;z"
	mkdir "$dir"
	cp "$WORKLOADS/split" "$dir/a;b 7"$'\n'"root;c"
	strip "$dir/"*
	pmb_ok record -e cpu-clock -o "$T/folded" -- "$dir/a;b 7"$'\n'"root;c" 1
	expect_folded "$T/folded"
	expect_no_match "$T/folded" '^root' "a forged line"
}

t_same_stack_same_line() {
	# Address space randomisation must not make each process its own set of stacks.
	pmb_ok record -m 16M -e page-faults -c 1 -o "$T/folded" -- \
		"$WORKLOADS/storm" 20 0.1 exec
	# Each writes to the page that all share.
	expect_ge "$(folded_sum_of "$T/folded" '^stormling;.*;(main|spin_by_name)$')" 15 \
		"faults of one leaf in 20 processes"
	expect_le "$(grep -cE '^stormling;.*;(main|spin_by_name) ' "$T/folded")" 5 "lines of that"
}

# The most that the kernel allows of a clock leaves no time between two overflows.
t_a_program_gets_on_at_the_most() {
	# shellcheck disable=SC2016
	local few work='i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'
	pmb_ok record -q -F 999 -e task-clock -o "$T/folded" --summary "$T/sum.json" -- \
		sh -c "$work"
	few=$(sum_get '.events[0].counter.value')
	pmb_ok record -q -F max -e task-clock -o "$T/folded" --summary "$T/sum.json" -- \
		timeout 60 sh -c "$work"
	expect_le "$(sum_get '.events[0].counter.value')" "$((10 * few))" "ns that it took"
}

# What fingers know from perf.
t_perfs_idioms() {
	local max
	spawn "$WORKLOADS/split" 30 >/dev/null
	pmb_ok record -g -e cpu-clock -p "$spawned" -o "$T/folded" --summary "$T/sum.json" -- \
		sleep 0.7
	expect_ge "$(folded_share "$T/folded" '^split;')" 100 "percent of the process"
	expect_le "$(sum_get .duration_s)" 5 "seconds: the command sets the duration"
	pmb record -q -e cpu-clock -t "$spawned" -o "$T/folded" -- sh -c 'exit 5'
	expect_eq "$rc" 5 "the command's exit status"
	pmb stat -j -e task-clock -p "$spawned" -- sh -c 'sleep 0.5; exit 3'
	expect_eq "$rc" 3 "the command's exit status, of stat"
	expect_ge "$(jq '.rows[0].events[0].scaled' "$T/out")" 10000000 \
		"ns of the process, not of the command that slept"
	expect_match "$T/out" "process $spawned" "whom"
	pmb_ok record -q -F max -e cpu-clock --call-graph dwarf,16384 -p "$spawned" -d 100ms \
		-o "$T/folded" --summary "$T/sum.json"
	max=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
	expect_eq "$(sum_get '.events[0].rate.freq')" "$((max < 10000 ? max : 10000))" \
		"overflows per second of a clock"
	expect_le "$(sum_get .duration_s)" 5 "seconds: 100ms"
	pmb record --call-graph dwarf,0 -- true
	expect_eq "$rc" 2 "exit status"
	expect_match "$T/err" "dwarf,0.*from 1 to" "the message"
	pmb_ok stat -j -I 0.2s -e task-clock -- sleep 0.5
	expect_ge "$(jq -s 'map(select(.rows)) | length' "$T/out")" 2 "intervals of 0.2 s"
}

# Here, or what the machine has no records of.
t_branches() {
	need_root
	if ls /sys/bus/event_source/devices/*/caps/branches >/dev/null 2>&1; then
		pmb_ok record -b -e cycles:u -o "$T/b.pb.gz" -- "$WORKLOADS/syscalls" 0.4
		pmb_ok report --branches "$T/b.pb.gz"
		return
	fi
	pmb record -b -- true
	expect_eq "$rc" 3 "exit status without branch records"
	grep -q "branch records come with overflows of the CPU's own counters" "$T/err" ||
		fail "stderr: $(cat "$T/err")"
	expect_match "$T/err" 'annotate --branches' "what to do instead"
}

t_groups() {
	pmb_ok record -e '{cpu-clock,page-faults}:u' -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/faults" 3000
	expect_ledger
	expect_eq "$(sum_get '[.events[].name] | join(" ")')" "cpu-clock:u page-faults:u" "events"
	expect_match "$T/folded" 'faults;.*' "samples"
}

# Software events that are enabled one after the other are together in the kernel's order some of
# the times.
t_groups_count_together() {
	local i
	for i in 1 2 3 4 5; do
		pmb_ok stat -a -j -e '{cpu-clock,page-faults,context-switches}' -d 0.1
		expect_eq "$(jq -c '[.rows[].events[] | select(.value == null)]' "$T/out")" '[]' \
			"events of a group that were not counted"
	done
}

run_tests
