#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Probes of windows obey the budget: of what is called millions of times a second they are in place
# for slices of time. What a program is slowed down is told by its own CPU time.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

HOT=$WORKLOADS/hot
HANDLE=u:$HOT:handle

setup() {
	need_root
	need_x86_64
	[ -e /sys/bus/event_source/devices/uprobe/type ] || skip "this kernel has no uprobes"
}

count() { # OPTIONS… -- COMMAND
	pmb_ok stat -e task-clock,page-faults -j -o "$T/stat.json" "$@"
}

of_work() { # KIND(per|window) FILTER
	jq -r ".$1 | $2" "$T/stat.json"
}

# What it says of itself, as ps of CPU time for each call.
ps_a_call() { # FILE
	awk '/ calls / { printf "%d\n", $3 * 1000 / $1 }' "$1"
}

calls() { # FILE
	awk '/ calls / { print $1 }' "$1"
}

middle() { # FIGURE…
	printf '%s\n' "$@" | sort -n | sed -n "$(($# / 2 + 1))p"
}

# Every window has a fate, and every count a place.
expect_fates() { # KIND COUNTED
	expect_eq "$(of_work "$1" .began)" \
		"$(of_work "$1" ".$2 + .unsure + .abandoned + .open")" "$1: windows that began"
}

# In turn, so that whatever else runs is met by all three.
t_a_program_that_is_always_in_it() {
	local alone=() within=() beyond=() may=() i
	for i in 1 2 3; do
		"$HOT" 0.3 >"$T/out"
		alone+=("$(ps_a_call "$T/out")")
		count --per "$HANDLE" --budget 1 -- "$HOT" 2
		within+=("$(ps_a_call "$T/out")")
		# 1 % of all CPUs, which is more of what it gets beside others
		may+=("$(awk -v n="$(nproc)" '/ calls / { printf "%d\n", n * 0.02e12 / $1 }' \
			"$T/out")")
		expect_eq "$(of_work per .all_the_time)" false "with a budget, all the time"
		expect_ge "$(of_work per .ended)" 100 "calls that were seen"
		# probes take most of its time: no more is known than how many at least
		expect_eq "$(of_work per .estimated)" null "in all"
		expect_ge "$(of_work per .estimated_least)" "$(of_work per '.ended * 2')" "at least"
		expect_le "$(of_work per .estimated_least)" "$(calls "$T/out")" "at least"
		expect_fates per ended
		count --per "$HANDLE" --budget 0 -- "$HOT" 0.3
		beyond+=("$(ps_a_call "$T/out")")
		expect_eq "$(of_work per .all_the_time)" true "without a budget, all the time"
		expect_eq "$(of_work per '.ended + .unsure')" "$(calls "$T/out")" \
			"calls, without a budget"
	done
	echo "ps a call: alone ${alone[*]}; 1 %: ${within[*]}; any: ${beyond[*]}"
	expect_le "$(middle "${within[@]}")" \
		$(($(middle "${alone[@]}") * 3 / 2 + 2 * $(middle "${may[@]}"))) "ps a call, 1 %"
	expect_ge "$(middle "${beyond[@]}")" $(($(middle "${alone[@]}") * 3)) "ps a call, any"
}

IN_WORDS='.* there were about ([0-9]+), an estimate: ([0-9]+) to ([0-9]+), .*'

# With less of a CPU in its eight seconds its probes are within the budget, or slices are too few.
has_half_a_cpu() { # WHAT-IT-SAID
	[ "$(awk '/ calls / { printf "%d\n", $3 / 1e6 }' "$1")" -ge 4000 ] ||
		skip "it had less than half a CPU's time"
}

# Calls that are longer than a probe, of a program that is slow while they are in place: by the time
# there would be two thirds of them. An estimate takes four slices, each of which is paid for by a
# second of the budget: it can't be shorter.
t_how_many_there_were() {
	local all likely least most
	count --per "$HANDLE" --budget 1 -- "$HOT" 8 0 /dev/null 200000
	has_half_a_cpu "$T/out"
	all=$(calls "$T/out")
	expect_eq "$(of_work per .all_the_time)" false "all the time"
	expect_within "$(of_work per .estimated)" "$all" $((all / 4)) "calls, estimated"
	expect_le "$(of_work per .estimated_least)" "$(of_work per .estimated)" "at least"
	expect_ge "$(of_work per .estimated_most)" "$(of_work per .estimated)" "at most"
	pmb_ok stat --per "$HANDLE" --budget 1 -e page-faults -- "$HOT" 8 0 /dev/null 200000
	all=$(calls "$T/err")
	has_half_a_cpu "$T/err"
	read -r likely least most < <(sed -En "s/$IN_WORDS/\1 \2 \3/p" "$T/out")
	expect_within "${likely:-none}" "$all" $((all / 4)) "calls, estimated"
	expect_le "$least" "$likely" "at least"
	expect_ge "$most" "$likely" "at most"
	pmb_ok stat --per "$HANDLE" -e page-faults -- "$HOT" 1
	expect_match "$T/out" "if all of it was like that there were at least [0-9]+" "hot"
}

all_run_it() {
	local pid
	for pid in "${SPAWNED[@]}"; do
		[ "$(<"/proc/$pid/comm")" = hot ] || return 1
	done
}

# Each process that has the file mapped is gone through when they are put in and taken out: that is
# paid for, too.
t_what_it_takes_to_put_them_in() {
	local few many i
	count --per "$HANDLE" -- "$HOT" 2.5 100000
	few=$(of_work per '.probes_changes_s / .slices')
	for ((i = 0; i < 200; i++)); do
		"$HOT" 600 1 >/dev/null &
		SPAWNED+=("$!")
	done
	wait_until all_run_it || fail "not all of them run"
	kill -STOP "${SPAWNED[@]}" # they have it mapped, and that is all
	count --per "$HANDLE" -- "$HOT" 2.5 100000
	many=$(of_work per '.probes_changes_s / .slices')
	echo "s to put probes in and take them out: $few, in 200 processes $many"
	# 2 to 8 times as much, by what else ran
	expect_ge "$(awk -v a="$few" -v b="$many" 'BEGIN { print (b > 1.3 * a) }')" 1 \
		"$many s in 200 processes, $few s in one"
}

# Probes leave one after the other, which takes some 10 ms each. A call that was seen to begin is
# seen to end.
t_the_end_abandons_no_call() {
	spawn "$HOT" 60 >/dev/null
	pmb_ok stat --budget 0 --per "$HANDLE" -e page-faults -j -o "$T/stat.json" -p "$spawned" \
		-d 0.5
	expect_ge "$(of_work per .ended)" 100 "calls that were seen"
	expect_eq "$(of_work per .abandoned)" 0 "abandoned"
	expect_fates per ended
}

# The same calls, but few.
t_a_program_that_is_seldom_in_it() {
	count --per "$HANDLE" -- "$HOT" 1 20
	expect_eq "$(of_work per .all_the_time)" true "all the time"
	expect_eq "$(of_work per .slices)" 1 "slices"
	expect_eq "$(of_work per '.ended + .unsure')" "$(calls "$T/out")" "calls"
	expect_eq "$(of_work per .estimated)" "$(calls "$T/out")" "calls, in all"
	pmb_ok stat --per "$HANDLE" -e page-faults -- "$HOT" 0.5 20
	expect_no_match "$T/out" 'the budget took|an estimate' "no word of slices"
	expect_match "$T/out" 'the probes took those that met them .* and us [0-9.]+[mu]s to put' \
		"what they took"
}

# What is outside of the slices is neither inside nor outside of windows.
t_sums_of_slices() {
	count --window "$HANDLE" -- "$HOT" 2
	expect_eq "$(of_work window .all_the_time)" false "all the time"
	expect_fates window counted
	expect_eq "$(of_work window '.events | map(select(.inside + .other_windows + .outside +
		.unwatched + .rest != .all)) | length')" 0 "events that don't add up"
	expect_eq "$(of_work window '.events | map(.balanced) | all')" true "balanced"
	expect_ge "$(of_work window '.events[0] | .unwatched * 100 / .all | floor')" 50 \
		"percent of the time without probes"
	expect_ge "$(of_work window '.events[0].estimated')" \
		"$(of_work window '.events[0].inside * 2')" "inside of all, estimated"
	pmb_ok stat --window "$HANDLE" -e task-clock,page-faults -- "$HOT" 1.5
	expect_match "$T/out" 'task-clock, ms .* ~[0-9.]+ % .*# [0-9.]+ while no probe was in' \
		"what is an estimate"
	pmb_ok stat --window "$HANDLE" -e task-clock -x, -- "$HOT" 1
	expect_match "$T/out" '^[0-9.]+,%,probes of .* in place$' "in CSV"
}

# Windows that are longer than a slice: those that are open when the probes go are abandoned.
t_open_ones_are_abandoned() {
	count --per "$HANDLE..u:$HOT:now_and_then" -- "$HOT" 2
	expect_ge "$(of_work per .abandoned)" 1 "abandoned"
	expect_le "$(of_work per .open)" 0 "open at the end"
	expect_fates per ended
	pmb_ok record -e cpu-clock -F 997 --window "$HANDLE..u:$HOT:now_and_then" \
		-o "$T/folded" --summary "$T/sum.json" -- "$HOT" 4
	expect_ledger
	expect_ge "$(sum_get .windows.abandoned)" 1 "abandoned, recorded"
	# each lies within a slice, and in between are seconds
	expect_le "$(sum_get '.windows | ([.by_duration | to_entries[] | .value * pow(2; .key)] |
		add // 0) / 1e8 - .probed_s * 10 | floor')" 5 "tenths of a second beyond slices"
	expect_le "$(sum_get '.windows | .began - .ended - .abandoned')" 0 "without a fate"
}

# Samples of the slices are inside as ever; of others it isn't known, and the books say how many.
t_samples_of_slices() {
	pmb_ok record -e cpu-clock -F 997 --window "$HANDLE" -o "$T/folded" \
		--summary "$T/sum.json" -- "$HOT" 3
	expect_ledger
	expect_ge "$(sum_get .windows.unwatched)" 100 "overflows without probes"
	expect_ge "$(sum_get '.events[0].kernel.closed')" "$(sum_get .windows.unwatched)" "closed"
	expect_ge "$(sum_get '.windows | (.span_s - .probed_s) * 10 | floor')" 10 \
		"tenths of a second without probes"
	expect_ge "$(sum_get .windows.slices)" 1 "slices"
	expect_eq "$(folded_sum_of "$T/folded" now_and_then)" 0 "samples outside"
	expect_match "$T/err" 'the budget took the probes out for a while' "in words"
	expect_match "$T/err" 'the probes took those that met them about' "what they took"
	pmb_ok record -e cpu-clock -F 997 --budget 0 --window "$HANDLE" -o "$T/folded" \
		--summary "$T/sum.json" -- "$HOT" 0.5
	expect_eq "$(sum_get '.windows | .span_s == .probed_s')" true "all the time"
	expect_eq "$(sum_get .windows.ended)" "$(calls "$T/out")" "calls, without a budget"
}

# Programs come and go meanwhile, by fork, exec and exit.
t_programs_that_come_and_go() {
	count --per "$HANDLE" -- sh -c \
		"for i in 1 2 3 4 5; do '$HOT' 0.2 & '$HOT' 0.3; done; wait; exec '$HOT' 0.5"
	expect_fates per ended
	expect_eq "$(of_work per .all_the_time)" false "all the time"
	pmb_ok record -e cpu-clock --window "$HANDLE" -o "$T/folded" --summary "$T/sum.json" -- \
		sh -c "for i in 1 2 3 4 5; do '$HOT' 0.2 & '$HOT' 0.3; done; wait; exec '$HOT' 0.5"
	expect_ledger
	expect_le "$(sum_get '.windows | .began - .ended - .abandoned')" 0 "without a fate"
}

is_code() { # PID ADDRESS CODE
	[ "$(code_at "$1" "$2")" = "$3" ]
}

code_at() { # PID ADDRESS
	dd if="/proc/$1/mem" bs=1 skip=$(($2)) count=16 2>/dev/null | od -An -tx1
}

code_differs() {
	! is_code "$@"
}

# One that is stopped amid a slice, and the tool, killed: no probe stays. What is met while the
# kernel takes the probes out, which on a busy machine lasts, is paid for before they come again: a
# second of that takes 5 of a budget of a fifth of a CPU, and 50 of one of 1 % of two CPUs.
t_no_probe_stays() {
	local pid at before tool
	spawn "$HOT" 600 0 "$T/begun" >/dev/null
	pid=$spawned
	wait_until test -s "$T/begun" || fail "it doesn't run"
	at=$(cat "$T/begun")
	before=$(code_at "$pid" "$at")
	pmb_start record -e cpu-clock -o /dev/null -p "$pid" --window "$HANDLE" \
		--budget "$(awk -v n="$(nproc)" 'BEGIN { print 20 / n }')"
	wait_until code_differs "$pid" "$at" "$before" || fail "it isn't probed"
	wait_until is_code "$pid" "$at" "$before" || fail "the probes never go"
	wait_until code_differs "$pid" "$at" "$before" || fail "the probes don't come again"
	kill -STOP "$pid"
	pmb_finish KILL 2>/dev/null
	wait_until is_code "$pid" "$at" "$before" || fail "a probe stays"
	kill -CONT "$pid"
	kill "$pid"
}

t_what_is_refused() {
	expect_refused 2 'a percentage of the CPUs, from 0 to 100' stat --budget 200 -- true
	expect_refused 2 'a percentage of the CPUs, from 0 to 100' stat --budget x -- true
}

run_tests
