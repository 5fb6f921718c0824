#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# --window-scope process: a window is open in all threads of a process while one of them has it
# open. The known answer stands in crew.c.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

TURNS=40 MS=8
CREW=$WORKLOADS/crew

setup() {
	need_root
}

record() { # WINDOW OPTION…
	pmb_ok record --budget 0 -e cpu-clock -F 997 -o "$T/folded" --summary "$T/sum.json" \
		--window-scope process --window "$@"
	expect_ledger
}

windows() { # jq's FILTER of them
	sum_get ".windows | $1"
}

# A file of its own: hits are everybody's.
own_crew() {
	need_x86_64
	crew=$T/crew
	cp "$CREW" "$crew"
	between=u:$crew:begin..u:$crew:end
}

# The worker opens no window; all that it does meanwhile is inside, and what it does after is not.
# Four sigmas below what it measured itself, of a throttled clock the part that came.
expect_the_workers_samples() {
	local wanted
	wanted=$(awk -v part="$(sum_ratio)" '$1 == "helped" {
		n = $2 * 997 / 1e6 * (part > 0 && part < 1 ? part : 1)
		printf "%d\n", n - 4 * sqrt(n) }' "$T/out")
	expect_ge "$(($(folded_sum_of "$T/folded" ';helped') * 997 / 1000000000))" "$wanted" \
		"samples of the worker"
	expect_eq "$(folded_sum_of "$T/folded" ';alone')" 0 "of the time when no window was open"
}

t_all_threads_are_inside() {
	local crew between
	own_crew
	record "$between" -- "$crew" $TURNS $MS
	expect_eq "$(windows '"\(.scope) \(.began) \(.ended) \(.nested) \(.open) \(.abandoned)"')" \
		"process $TURNS $TURNS $TURNS 0 0" "one for each turn"
	expect_eq "$(windows '"\(.no_room) \(.ends_lost)"')" "0 0" "what is odd"
	expect_the_workers_samples
	# each has twice so much of the worker's CPU time in it
	expect_eq "$(windows '[.by_duration[23:][]] | add')" $TURNS "windows of 8.39 ms and more"
	expect_match "$T/err" "windows $between of processes: $TURNS began" "the words"
	expect_match "$T/err" "$TURNS more were opened inside of one, by any thread" "the words"
	# by thread it is none's
	pmb_ok record --budget 0 -e cpu-clock -F 997 -o "$T/folded" --summary "$T/sum.json" \
		--window-scope thread --window "$between" -- "$crew" $TURNS $MS
	expect_eq "$(windows '"\(.scope) \(.ended) \(.nested)"')" "thread $((2 * TURNS)) 0" \
		"windows of threads"
	expect_eq "$(folded_sum_of "$T/folded" ';(helped|alone)')" 0 "of the worker, by thread"
}

# What opens never closes: until the last of the two threads ends, or its last one that has it open.
t_the_end_of_a_thread() {
	local crew between
	own_crew
	record "u:$crew:begin..u:$crew:last" -- "$crew" $TURNS $MS
	expect_eq "$(windows '"\(.began) \(.ended) \(.nested) \(.open)"')" \
		"1 1 $((2 * TURNS - 1)) 0" "windows until last() and the second thread's end"
	expect_ge "$(folded_sum_of "$T/folded" ';alone')" 1 "of alone(), inside"
}

# The parts of a recording that is cut all the time, and windows that wait for their ends.
t_slow_ones_and_cuts() {
	local crew between
	own_crew
	record "$between" --longer 1h -- "$crew" 5 $MS
	expect_eq "$(windows .kept)" 0 "of windows of an hour"
	expect_eq "$(sum_aggregated)" 0 "samples of them"
	record "$between" --slowest 3 --by window_number -- "$crew" 10 $MS
	expect_eq "$(windows .kept)" 3 "the slowest"
	expect_eq "$(cut -d ';' -f 1 "$T/folded" | sort -u | wc -l)" 3 "their numbers"
	[ -x "$O/bench/pmubpf-cuts" ] || return 0
	export PMUBPF="$O/bench/pmubpf-cuts" CUT_MS=20
	record "$between" --longer 1ms -- "$crew" $TURNS $MS
	# on a busy machine the clock is throttled, and some have no sample
	expect_eq "$(windows '"\(.ended) \(.kept + .ended - .sampled)"')" "$TURNS $TURNS" \
		"of parts, added up"
	expect_the_workers_samples
}

# No process has another's, and none of those that end stays.
t_each_process_its_own() {
	local crew between
	own_crew
	record "$between" --by pid -- sh -c \
		"'$crew' 10 4 >$T/one & '$crew' 10 4 >$T/two & '$crew' 0 >/dev/null; wait"
	expect_eq "$(windows '"\(.began) \(.ended) \(.nested) \(.open)"')" "20 20 20 0" "of two"
	cat "$T/one" "$T/two" | awk '{ sum[$1] += $2 }
		END { print "helped", sum["helped"]; print "alone", sum["alone"] }' >"$T/out"
	expect_the_workers_samples
}

# Four threads that open and close all the time, on all CPUs: nothing is left open, and the books
# balance.
t_many_at_once() {
	local marks=$T/marks
	need_x86_64
	cp "$WORKLOADS/marks" "$marks"
	record "u:$marks:one_unit..u:$marks:move_to" -- "$marks" 500 40 4
	expect_eq "$(windows '"\(.began + .nested >= 2000) \(.began - .ended) \(.open)"')" \
		"true 0 0" "all openings, those without an end, open"
	expect_ge "$(windows .began)" 1 "windows"
	expect_ge 2000 "$(windows .began)" "no more than openings"
	# and with events, by what is in no program
	record page-faults/period=1/..page-faults/period=1/ -- "$WORKLOADS/marks" 200 7 4
	expect_eq "$(windows '.began - .ended')" 0 "without an end, by faults"
}

# Probes that come and go: what was open is left, and nothing stays open for it.
t_slices() {
	local hot=$T/hot
	need_x86_64
	cp "$WORKLOADS/hot" "$hot"
	spawn "$hot" 10 >/dev/null
	pmb_ok record --budget 1 -e cpu-clock -o "$T/folded" --summary "$T/sum.json" -d 1 \
		--window-scope process --window "u:$hot:handle" -p "$spawned"
	expect_ledger
	expect_eq "$(windows '.probed_s < .span_s')" true "they went"
	expect_ge 1 "$(windows '.began - .ended - .abandoned')" "that were neither closed nor left"
}

# ---- counts (stat)

stat_inside() { # WINDOW EVENTS OPTION…
	pmb_ok stat --budget 0 --window-scope process --window "$1" -e "$2" -j \
		-o "$T/stat.json" "${@:3}"
}

window() { # jq's FILTER of it
	jq -r ".window | $1" "$T/stat.json"
}

faults() { # FIELD
	window ".events[] | select(.name == \"page-faults\") | .$1"
}

# All of it is somewhere; what is of no known place is where the kernel didn't tell of a switch.
expect_law() {
	expect_eq "$(faults '| .inside + .partly + .outside + .rest - .all')" 0 "sum"
	expect_eq "$(faults other_windows)" 0 "other windows"
	expect_ge "$(faults rest)" 0 "of no known place"
	expect_le "$(faults rest)" "$(faults unseen)" "of no known place"
	expect_eq "$(faults balanced)" true "it adds up"
}

# Each turn has twice FAULTS inside and once outside, all of them the third thread's. On one CPU it
# has lost it where the others open and close, so there is nothing that can't be told.
t_counts_of_all_threads() {
	local crew between turns=100 n=20 all
	own_crew
	stat_inside "$between" page-faults,task-clock -- taskset -c 0 "$crew" $turns 0.1 $n
	expect_eq "$(window '"\(.scope) \(.began) \(.counted) \(.nested) \(.open)"')" \
		"process $turns $turns $turns 0" "windows"
	expect_law
	all=$((2 * turns * n))
	expect_le "$(faults inside)" $all "faults inside"
	expect_ge $(($(faults inside) + $(faults unseen))) $all "the same, with those not told"
	expect_ge "$(faults outside)" $((turns * n - $(faults unseen))) "faults outside"
	expect_eq "$(window .stretches_partly)" 0 "stretches partly inside"
	# by thread they are outside
	pmb_ok stat --budget 0 --window "$between" -e page-faults -j -o "$T/stat.json" -- \
		taskset -c 0 "$crew" $turns 0.1 $n
	expect_eq "$(window .scope)" thread "the scope"
	expect_le "$(faults inside)" $turns "faults inside, by thread"
}

# Four threads on all CPUs open and close while others work: what can't be told is a column.
t_counts_of_many_at_once() {
	local marks=$T/marks units=500 all
	need_x86_64
	cp "$WORKLOADS/marks" "$marks"
	stat_inside "u:$marks:one_unit..u:$marks:move_to" page-faults -- "$marks" $units 7 4
	expect_law
	expect_ge "$(window '.began + .nested')" $((4 * units)) "openings"
	expect_eq "$(window '.began - .counted - .abandoned')" 0 "windows without an end"
	all=$((4 * units * 7))
	expect_ge $(($(faults inside) + $(faults partly) + $(faults unseen))) $all \
		"faults in units, wholly or partly inside"
	stat_inside loop page-faults -- "$WORKLOADS/units" 500 7 4
	expect_law
	expect_ge $(($(faults inside) + $(faults partly) + $(faults unseen))) $all "loop"
}

t_what_is_refused() {
	expect_refused 2 "--window-scope 'all': it is thread or process" record -e cpu-clock \
		--window loop --window-scope all
	expect_refused 2 '--window-scope needs --window' record -e cpu-clock --window-scope process
	expect_refused 2 'how long a thread has no CPU .off-cpu. is known' record -e cpu-clock \
		--off-cpu --window loop --window-scope process -- true
	expect_refused 2 '--window-scope needs --window' stat --window-scope process -- true
	expect_refused 2 "can't be given back where their window turns out to be short" \
		stat --window loop --window-scope process --longer 1ms -- true
	expect_refused 2 'a run is of one thread' stat --window run --window-scope process -- true
	expect_refused 2 'a run is of one thread' record -e cpu-clock --window run \
		--window-scope process
}

run_tests
