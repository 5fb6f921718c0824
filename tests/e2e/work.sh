#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# stat --per: what one unit of work costs, against what the programs are known to do in one.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

SERVER=$WORKLOADS/server

setup() {
	need_root
}

per() { # UNIT EVENTS …
	local unit=$1 events=$2
	shift 2
	pmb_ok stat --budget 0 --per "$unit" -e "$events" -j -o "$T/stat.json" "$@"
}

units() { # jq's FILTER of them
	jq -r ".per | $1" "$T/stat.json"
}

series() { # NAME FIELD
	units ".series[] | select(.series == \"$1\") | .$2"
}

# All that began have ended, are unsure, abandoned or open. On some hosts not all switches are
# told, so how many are unsure is not ours; but most can be vouched for.
expect_units() { # ENDED ABANDONED
	expect_eq "$(units .began)" $(($1 + $2)) "units that began"
	expect_eq "$(units .abandoned)" "$2" "abandoned"
	expect_eq "$(units .open)" 0 "open"
	expect_eq "$(units '.ended + .unsure')" "$1" "that ended or are unsure"
	expect_ge "$(units .ended)" $(($1 / 2)) "that ended"
	expect_eq "$(units '.by_duration | add')" "$(units .ended)" "by duration"
}

# Times are parts of the duration.
expect_times() {
	expect_eq $(($(series on_cpu sum) + $(series run_queue sum) + $(series blocked sum))) \
		"$(series duration sum)" "on a CPU, ready and blocked"
}

# Four threads, each on another CPU after half of each unit.
t_faults_of_each_unit() {
	local faults whole
	for faults in 7 20; do
		per loop page-faults,task-clock -- "$WORKLOADS/units" 1000 $faults 4
		expect_units 4000 4
		expect_eq "$(series page-faults mean)" $faults "faults of each"
		expect_eq "$(series page-faults sd)" 0 "their spread"
		expect_eq "$(series page-faults units)" "$(units .ended)" "units that have them"
		expect_eq "$(series page-faults sum)" $((faults * $(units .ended))) "faults of all"
		whole=$(jq -r '.rows[0].events[0].value' "$T/stat.json")
		expect_ge "$whole" "$(series page-faults sum)" "faults of the program"
		expect_times
	done
}

# A request is 5 ms of CPU time, or 30. The last one ends with the program.
t_requests() {
	per loop task-clock -- "$SERVER" 100
	expect_units 99 1
	expect_times
	expect_ge "$(series on_cpu p50)" 4300000 "ns of CPU time" # of its class
	expect_ge "$(series duration mean)" "$(series on_cpu mean)" "duration, beside CPU time"
	expect_within "$(series task-clock sum)" "$(series on_cpu sum)" \
		"$(($(series on_cpu sum) / 50))" "the CPU's clock, against switches"
	expect_eq "$(units '.by_duration[:22] | add')" 0 "below 4.19 ms"
}

# One in ten takes 30 ms, and none once its cause is mended.
t_before_and_after() {
	per loop page-faults -- "$SERVER" 100 20 20
	expect_ge "$(series on_cpu p99)" 26000000 "ns of CPU time, of the slowest"
	per loop page-faults -- "$SERVER" 100 20 0
	expect_le "$(series on_cpu p99)" 16000000 "ns of CPU time, of the slowest, after"
	expect_le "$(series on_cpu mean)" 6000000 "ns of CPU time, mended"
}

t_blocked() {
	per syscall:clock_nanosleep page-faults -- \
		sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.02; done'
	expect_units 10 0
	expect_times
	expect_ge "$(series duration mean)" 20000000 "ns a sleep"
	expect_ge "$(series blocked sum)" $((18000000 * $(units .ended))) "ns blocked"
	expect_eq "$(series io sum)" 0 "ns of that for I/O"
}

# Reads around the page cache wait for the disk and for nothing else.
t_blocked_by_io() {
	dd if=/dev/zero of="$T/file" bs=1M count=4 2>/dev/null
	dd if="$T/file" of=/dev/null bs=64k count=1 iflag=direct 2>/dev/null ||
		skip "files here can't be read around the page cache"
	per syscall:read page-faults -I 10s -- dd if="$T/file" of=/dev/null bs=4k iflag=direct
	expect_times
	expect_ge "$(series io sum)" 1 "ns for I/O"
	expect_ge "$(series io sum)" $(($(series blocked sum) * 8 / 10)) "of those blocked"
	expect_eq "$(units '.verdict | .bound == "blocked"')" false "bound by something else"
}

# Each begins with a switch and ends before the next.
t_runs() {
	per run context-switches -- "$WORKLOADS/units" 500 7 4
	expect_ge "$(units .ended)" 500 "runs"
	expect_eq "$(units '.ended + .unsure')" "$(units .began)" "that ended or are unsure"
	expect_eq "$(series context-switches mean)" 1 "switches in each"
	expect_eq "$(series context-switches sd)" 0 "their spread"
}

t_tracepoints() {
	local send='$SIG{USR1} = sub {}; kill(USR1 => $$) for 1 .. 500'
	local sent=t:signal:signal_generate met=t:signal:signal_deliver
	need_program perl
	per $sent..$met page-faults -- perl -e "$send"
	expect_units 500 0
	expect_eq "$(units .nested)" 0 "nested"
	per turn=$met..$met page-faults -- perl -e "$send"
	expect_units 250 0
	expect_eq "$(units .unit)" turn "its name"
	per $sent..t:sched:sched_process_wait page-faults -- perl -e "$send"
	expect_eq "$(units '"\(.began) \(.ended) \(.nested) \(.abandoned)"')" "1 0 499 1" \
		"without an end"
	# from each to the next
	per $met page-faults -- perl -e "$send"
	expect_units 499 1
}

BEGIN_MARK=mem:0x600000000000/1:w END_MARK=mem:0x600000000040/1:w

# Each of four threads causes so many faults between two writes, and moves; and one more until the
# next unit.
t_units_between_writes() {
	need_breakpoints
	for faults in 7 20; do
		per $BEGIN_MARK..$END_MARK page-faults -- "$WORKLOADS/marks" 500 $faults 4
		expect_units 2000 0
		expect_eq "$(series page-faults mean)" $faults "faults of each"
		expect_eq "$(series page-faults sd)" 0 "their spread"
	done
	per $BEGIN_MARK page-faults -- "$WORKLOADS/marks" 500 7 4
	expect_units 1996 4
	expect_eq "$(series page-faults mean)" 8 "faults from one to the next"
	expect_eq "$(series page-faults sd)" 0 "their spread"
	per $BEGIN_MARK..$BEGIN_MARK page-faults -- "$WORKLOADS/marks" 500 7 4
	expect_units 1000 0
	expect_eq "$(series page-faults mean)" 8 "faults of every other one"
}

# From a function of the program to another. The first probe that the kernel single-steps in a
# process costs it a fault; these it carries out itself.
t_units_between_functions() {
	local marks=$WORKLOADS/marks
	need_x86_64
	per unit=u:$marks:one_unit..u:$marks:move_to page-faults -- "$marks" 500 7 4
	expect_units 2000 0
	expect_eq "$(series page-faults mean)" 7 "faults of each"
	expect_eq "$(series page-faults sd)" 0 "their spread"
	jq -e '.notes[] | select(test("out itself: about [0-9.]+(ns|us)"))' "$T/stat.json" \
		>/dev/null || fail "no word of what a probe costs"
	per u:$marks:one_unit..u:$marks:one_unit page-faults -- "$marks" 500 7 4
	expect_units 1000 0
	expect_eq "$(series page-faults mean)" 8 "faults of every other one"
}

# From a probe of the program's own to another, which is off unless somebody waits for it.
t_units_between_own_probes() {
	local marks=usdt:$WORKLOADS/marks:marks
	need_x86_64
	per unit=$marks:begin..$marks:end page-faults -- "$WORKLOADS/marks" 500 7 4
	expect_units 2000 0
	expect_eq "$(series page-faults mean)" 7 "faults of each"
	expect_eq "$(series page-faults sd)" 0 "their spread"
}

# Every fifth fault of a thread begins a unit. What the program's end and beginning fault is not
# ours.
t_units_of_so_many_faults() {
	per page-faults/period=5/ page-faults -- "$WORKLOADS/marks" 2000 9 1
	expect_eq "$(series page-faults mean)" 5 "faults of each"
	expect_eq "$(series page-faults sd)" 0 "their spread"
	expect_ge "$(units .began)" 4000 "units"
	jq -e '.notes[]? , .notes? | strings | select(test("at the event itself"))' \
		"$T/stat.json" >/dev/null || fail "no word of the skid"
}

# Another one beside is none of ours: no request takes less than 5 ms of CPU time.
t_units_of_targets_only() {
	local most
	spawn "$SERVER" 100000 >/dev/null
	spawn "$SERVER" 100000 >/dev/null
	per loop page-faults -p "$spawned" -d 1
	most=$(jq '(.to_s - .from_s) * 1000 / 5 + 2 | floor' "$T/stat.json")
	expect_ge "$(units .ended)" 1 "units"
	expect_le "$(units .began)" "$most" "units of one server"
}

t_intervals() {
	pmb_ok stat --per loop -e page-faults -I 100 -j -o "$T/lines" -- "$SERVER" 100
	expect_ge "$(wc -l <"$T/lines")" 5 "intervals"
	expect_eq "$(jq -s 'map(.per.began) | add' "$T/lines")" 100 "units that began"
	expect_eq "$(jq -s 'map(.per | .ended + .unsure + .abandoned) | add' "$T/lines")" 100 \
		"what became of them"
	expect_eq "$(jq -s 'map(.per.by_duration | add) == map(.per.ended)' "$T/lines")" true \
		"by duration, of each"
}

t_what_nothing_costs() {
	per loop page-faults,task-clock -- "$SERVER" 5
	expect_ge "$(units .pair_ns)" 1 "ns for both ends"
	expect_ge "$(units .pair_ns)" "$(series duration empty)" "the same, beside what is in it"
	expect_eq "$(series page-faults empty)" 0 "page faults of nothing"
	expect_ge "$(series task-clock empty)" 1 "ns by the counter"
}

t_text_and_csv() {
	pmb_ok stat --per loop -e page-faults -- "$WORKLOADS/units" 200 7 4
	expect_match "$T/out" '^  per loop: [0-9]+ of 804 that began, .*4 abandoned \(' "how many"
	expect_match "$T/out" '^  page-faults +7\.00 +0\.00 +7\.00 +7\.00 +7\.00$' "faults"
	expect_match "$T/out" '^ +[0-9.]+us\.\.[0-9.]+(us|ms) +[0-9]+ \|#+$' "the histogram"
	expect_match "$T/out" 'with nothing in it: .*opening and closing it takes' "of nothing"
	pmb_ok stat --per loop -e page-faults -x, -- "$WORKLOADS/units" 200 7 4
	expect_match "$T/out" '^7\.000,,page-faults per loop,[0-9]+,0,0\.000,7\.0,7\.0,7\.0$' "CSV"
}

t_what_does_not_count_in_units() {
	per loop page-faults,mem:0x600000000008/8:w -- "$WORKLOADS/units" 10 7 1
	expect_eq "$(units '.not_counted[].name')" mem:0x600000000008/8:w "what doesn't"
	expect_units 10 1
}

t_nothing_stays() {
	expect_nothing_stays stat --per loop -e page-faults -a
}

refused() { # STATUS WORDS OPTION…
	expect_refused "$1" "$2" stat -e page-faults "${@:3}"
}

t_what_is_refused() {
	local other nine=minor-faults,major-faults,context-switches,cpu-migrations,task-clock
	nine=$nine,cpu-clock,alignment-faults,emulation-faults
	for other in '-r 2' -A '-C 0'; do
		# shellcheck disable=SC2086 # two words
		refused 2 "--per and ${other%% *} exclude each other" --per loop $other
	done
	refused 2 '--per is given twice' --per loop --per run
	refused 2 "--per 'lop': .* is neither a window nor a probe" --per lop
	refused 2 'there is no tracepoint (sched:)?no' --per t:sched:no
	refused 2 'no unit can begin or end at' --per t:sched:sched_switch
	refused 2 'no unit can begin or end at' --per t:sched:sched_waking..t:sched:sched_switch
	refused 2 'no system call here has that name' --per syscall:opennat
	refused 2 "has no function 'nosuch' by itself" --per u:nosuch
	refused 2 "uses 'setlocale' of another file: name that one" --per u:setlocale
	refused 2 'no unit can begin or end at' --per context-switches/period=1/
	refused 2 'tracepoints are not counters' --per sched:sched_wakeup/period=1/
	refused 2 '--per: at most 8 events' -e $nine --per loop
	pmb stat -a -e page-faults --per u:main -d 0.1
	expect_eq "$rc" 2 "exit status where no program is named"
	expect_match "$T/err" 'say which file has the function' "the sentence"
}

run_tests
