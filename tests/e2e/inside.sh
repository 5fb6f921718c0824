#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# stat --window: what of each count was inside of windows, against what the programs are known to do
# there, and against the kernel's own counters of them.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

SERVER=$WORKLOADS/server
MARKS=$WORKLOADS/marks
BETWEEN=u:$MARKS:one_unit..u:$MARKS:move_to

setup() {
	need_root
}

inside() { # WINDOW EVENTS …
	local window=$1 events=$2
	shift 2
	pmb_ok stat --budget 0 --window "$window" -e "$events" -j -o "$T/stat.json" "$@"
}

window() { # jq's FILTER of it
	jq -r ".window | $1" "$T/stat.json"
}

event() { # NAME FIELD
	window ".events[] | select(.name == \"$1\") | .$2"
}

# All that began have a fate. On some hosts not all switches are told, so how many are unsure is not
# ours; but most can be vouched for.
expect_windows() { # ENDED ABANDONED
	expect_eq "$(window .began)" $(($1 + $2)) "windows that began"
	expect_eq "$(window .abandoned)" "$2" "abandoned"
	expect_eq "$(window .open)" 0 "open"
	expect_eq "$(window '.counted + .shorter + .unsure')" "$1" "that ended or are unsure"
	expect_ge "$(window '.counted + .shorter')" $(($1 / 2)) "that ended"
}

# The parts are all that the kernel's own counter has. What is left are stretches of which the
# kernel didn't tell a switch, and as much as was counted there at most.
expect_law() { # EVENT
	expect_eq "$(event "$1" '| .inside + .other_windows + .outside + .rest - .all')" 0 "sum"
	expect_ge "$(event "$1" rest)" 0 "$1 of no known place"
	expect_le "$(event "$1" rest)" "$(event "$1" unseen)" "$1 of no known place"
	expect_ge "$(event "$1" other_windows)" 0 "$1 in other windows"
	expect_eq "$(event "$1" balanced)" true "$1 add up"
}

# Four threads, which move to another CPU in each window. Each touches a fresh page outside as well.
t_inside_and_outside() {
	local faults
	need_x86_64
	for faults in 7 20; do
		inside "$BETWEEN" page-faults,task-clock -- "$MARKS" 1000 $faults 4
		expect_windows 4000 0
		expect_eq "$(event page-faults inside)" $((faults * $(window .counted))) "inside"
		expect_eq "$(event page-faults windows)" "$(window .counted)" "windows of these"
		expect_law page-faults
		expect_ge "$(event page-faults '| .outside + .rest')" 4000 "one for each, outside"
		expect_le "$(event page-faults outside)" 4400 "and the program's beginning"
		expect_eq "$(event task-clock balanced)" true "its time adds up"
		expect_ge "$(window .duration_ns)" "$(window .on_cpu_ns)" "by the clock"
	done
}

# Of one function, by its exits; and of one that an exception leaves.
t_calls() {
	need_x86_64
	inside "u:$MARKS:one_unit" page-faults -- "$MARKS" 1000 7 4
	expect_windows 4000 0
	expect_eq "$(event page-faults inside)" $((7 * $(window .counted))) "inside"
	expect_law page-faults
	inside "u:$WORKLOADS/calls:deep" page-faults,task-clock -- "$WORKLOADS/calls" 300
	expect_windows 300 0
	expect_eq "$(window .caught)" 100 "calls that exceptions left"
	expect_eq "$(window .nested)" 1200 "calls inside of calls"
	expect_law page-faults
	expect_eq "$(event task-clock balanced)" true "its time adds up"
}

t_loop() {
	inside loop page-faults,context-switches -- "$WORKLOADS/units" 1000 7 4
	expect_windows 4000 4
	expect_eq "$(event page-faults inside)" $((7 * $(window .counted))) "faults inside"
	expect_law page-faults
	expect_eq "$(event context-switches balanced)" true "switches add up"
}

# From outside, all the time.
t_moved_by_others() {
	local i
	need_x86_64
	[ "$(nproc)" -ge 2 ] || skip "one CPU"
	spawn "$MARKS" 3000000 7 2 >/dev/null
	(for i in $(seq 200); do
		taskset -acp $((i % 2)) "$spawned"
	done >/dev/null 2>&1) &
	inside "$BETWEEN" page-faults -p "$spawned" -d 1
	wait $!
	expect_ge "$(window .counted)" 100 "windows"
	expect_eq "$(event page-faults inside)" $((7 * $(window .counted))) "faults inside"
	expect_ge "$(event page-faults '| .outside + .rest')" "$(window .counted)" "outside"
	expect_eq "$(event page-faults balanced)" true "faults add up"
}

# All is inside of runs.
t_run() {
	inside run page-faults -- "$WORKLOADS/units" 500 7 4
	expect_law page-faults
	expect_eq "$(event page-faults outside)" 0 "faults outside"
	expect_ge "$(event page-faults inside)" $((4 * 500 * 7 / 2)) "faults inside"
}

# The run in which a thread ends is one, too; a short program has no other.
t_last_run() {
	local i
	for i in 1 2 3; do
		inside run page-faults,task-clock -- sh -c 'for i in 1 2 3 4 5; do /bin/true; done'
		expect_ge "$(window .began)" 6 "runs of six processes"
		expect_law page-faults
		[ "$(window '.unsure + .stretches_not_told')" = 0 ] || continue
		expect_eq "$(event page-faults inside)" "$(event page-faults all)" "all is inside"
		return 0
	done
	skip "the kernel didn't tell of all switches, three times"
}

# A thread that execs goes by its leader's number, and has its CPU all the time.
t_exec_of_threads() {
	local i
	for i in 1 2 3 4 5 6 7 8 9 10; do
		inside run page-faults -- "$WORKLOADS/threadexec" 10
		expect_ge "$(window .began)" 20 "runs of 21 threads"
		expect_ge "$(event page-faults other_windows)" 0 "page faults in other windows"
		# who loses the CPU amid its exec is nobody's for a moment
		[ "$(event page-faults inside)" != "$(event page-faults all)" ] || return 0
	done
	fail "$(event page-faults inside) of $(event page-faults all) page faults inside"
}

# The end of a thread may be what closes its window.
t_until_the_end() {
	inside t:sched:sched_process_exec..t:sched:sched_process_exit page-faults -- \
		sh -c 'for i in 1 2 3 4 5; do /bin/true; done'
	expect_windows 6 0
	expect_law page-faults
	expect_ge "$(event page-faults inside)" $((20 * $(window .counted))) "faults of programs"
}

# The server measures itself: one request in a hundred takes 30 ms.
t_longer() {
	local requests longer us
	inside loop task-clock --longer 20ms -- "$SERVER" 400
	requests=$(awk '$1 == "requests" { print $2 }' "$T/out")
	longer=$(awk '$1 == "requests" { print $4 }' "$T/out")
	us=$(awk '$1 == "longer" { print $2 }' "$T/out")
	expect_eq "$(window .began)" "$requests" "requests"
	expect_within "$(window '.counted + .unsure')" "$longer" \
		$(($(window .unsure) + $(awk '$1 == "requests" { print $6 }' "$T/out"))) "slow ones"
	[ "$(window .unsure)" = 0 ] && [ "$(window .counted)" = "$longer" ] || return 0
	expect_within "$(event task-clock inside)" $((us * 1000)) $((us * 50)) "ns in slow ones"
	expect_ge "$(event task-clock other_windows)" "$(event task-clock inside)" "in quick ones"
}

# A hundred calls of itself: the first one opens, the innermost one's callee closes.
t_recursion() {
	local recurse=$WORKLOADS/recurse
	need_x86_64
	inside "u:$recurse:dive..u:$recurse:bottom_spin" page-faults -- "$recurse" 0.01 100
	expect_windows 1 0
	expect_eq "$(window .nested)" 99 "nested"
}

# Windows that a signal opens and waiting for a child closes, of a program that ends in one, execs
# in one, forks in one. The faults of a window that isn't counted are of other windows.
t_left_windows() {
	local w=t:signal:signal_generate..t:sched:sched_process_wait send='$SIG{USR1} = sub {};'
	need_program perl
	send="$send kill(USR1 => \$\$);"
	inside $w page-faults -- perl -e "$send my \$x = 'a' x 4000000; exit 0"
	expect_eq "$(window '"\(.began) \(.counted) \(.abandoned)"')" "1 0 1" "ended inside"
	expect_ge "$(event page-faults other_windows)" 900 "faults there"
	expect_law page-faults
	inside $w page-faults -- perl -e "$send exec 'perl', '-e', 'my \$x = q(a) x 4000000'"
	expect_eq "$(window '"\(.began) \(.counted) \(.abandoned)"')" "1 0 1" "exec inside"
	expect_ge "$(event page-faults other_windows)" 900 "faults there"
	expect_law page-faults
	inside $w page-faults -- perl -e \
		"$send if (!fork) { my \$x = 'a' x 4000000; exit 0 } sleep 1; wait"
	expect_eq "$(window '.began >= 1 and .abandoned == 0')" true "fork inside"
	expect_ge "$(event page-faults outside)" 900 "faults of the child, which is in none"
	expect_law page-faults
}

t_never_closed() {
	local w=t:signal:signal_generate..t:sched:sched_process_wait
	need_program perl
	pmb_start stat --window $w -e page-faults -j -o "$T/stat.json" -- perl -e \
		'$SIG{USR1} = sub {}; kill(USR1 => $$); my $x = "a" x 4000000; sleep 100'
	sleep 1
	pmb_finish INT
	expect_eq "$(window '"\(.began) \(.counted) \(.open)"')" "1 0 1" "still open"
	expect_ge "$(event page-faults other_windows)" 900 "faults there"
	expect_law page-faults
}

# A thread that has its CPU is asked for what it has so far, so that most short times add up though
# no switch is in them.
t_without_a_switch() {
	[ "$(nproc)" -ge 2 ] || skip "one CPU"
	spawn taskset -c 1 sh -c 'while :; do :; done'
	taskset -cp 0 "$BASHPID" >/dev/null
	local ran s
	for s in 0.5 2 8; do # beside others it runs less often
		pmb_ok stat --window loop -e task-clock -I 2 -j -o "$T/lines" -p "$spawned" -d "$s"
		ran=$(jq -s 'map(.window.events[0]) | map(select(.all > 1000000)) | length' \
			"$T/lines")
		[ "$ran" -lt 20 ] || break
	done
	expect_ge "$ran" 20 "times in which it ran"
	expect_ge "$(jq -s 'map(.window.events[0]) | map(select(.all > 1000000)) |
		(map(select(.outside - .all | fabs * 4 < 1000000)) | length) * 100 / length |
		floor' "$T/lines")" 60 "percent of them that add up"
}

t_whole_machine() {
	inside loop page-faults -a -- "$WORKLOADS/units" 1000 7 4
	expect_ge "$(window .counted)" 2000 "windows"
	expect_ge "$(event page-faults inside)" $((7 * 2000)) "faults inside"
	expect_eq "$(event page-faults balanced)" true "faults add up"
}

t_many_threads() {
	inside loop page-faults -- "$WORKLOADS/units" 3 7 2000
	expect_windows 6000 2000
	expect_eq "$(event page-faults inside)" $((7 * $(window .counted))) "faults inside"
	expect_law page-faults
}

t_intervals() {
	pmb_ok stat --window "loop" -e page-faults -I 100 -j -o "$T/lines" -- "$SERVER" 100
	expect_ge "$(wc -l <"$T/lines")" 5 "intervals"
	expect_eq "$(jq -s 'map(.window.began) | add' "$T/lines")" 100 "windows that began"
	expect_eq "$(jq -s 'map(.window.events[0].all) | add' "$T/lines")" \
		"$(jq -s 'map(.window.events[0]) |
			map(.inside + .other_windows + .outside + .rest) | add' \
			"$T/lines")" "faults"
	expect_eq "$(jq -s 'map(.window.events[0].balanced) | all' "$T/lines")" true "each adds up"
}

t_text_and_csv() {
	local int='[0-9]+' ms='-?[0-9]+\.[0-9]{3}' percent='9[0-9]\.[0-9] %'
	pmb_ok stat --window loop -e page-faults,task-clock -- "$WORKLOADS/units" 200 7 4
	expect_match "$T/out" "^  inside of loop: $int windows of 804 that began, .* on a CPU" \
		"how many"
	expect_match "$T/out" "^  page-faults +$int +$percent( +$int){4}$" "faults"
	expect_match "$T/out" "^  task-clock, ms +$ms +[0-9.]+ %( +$ms){4}$" "time"
	expect_match "$T/out" 'with nothing in it: .*opening and closing it takes' "of nothing"
	pmb_ok stat --window work=loop -e page-faults -x, -- "$WORKLOADS/units" 200 7 4
	expect_match "$T/out" '^[0-9]+,,page-faults in work,[0-9]+(,[0-9]+){4}$' "CSV"
}

t_nothing_stays() {
	expect_nothing_stays stat --window loop -e page-faults -a
}

refused() { # STATUS WORDS OPTION…
	expect_refused "$1" "$2" stat -e page-faults "${@:3}"
}

t_what_is_refused() {
	local other nine=minor-faults,major-faults,context-switches,cpu-migrations,task-clock
	nine=$nine,cpu-clock,alignment-faults,emulation-faults
	for other in '-r 2' -A '-C 0'; do
		# shellcheck disable=SC2086 # two words
		refused 2 "--window and ${other%% *} exclude each other" --window loop $other
	done
	refused 2 '--window is given twice' --window loop --window run
	refused 2 '--window and --per exclude each other' --window loop --per run
	refused 2 '--after is of samples' --window loop --after 1ms
	refused 2 '--slowest is of samples' --window loop --slowest 3
	refused 2 '--longer needs --window' --longer 3ms
	refused 2 '--longer needs --window' --per loop --longer 3ms
	refused 2 "--window 'lop': .* is neither a window nor a probe" --window lop
	refused 2 'that is a moment, and a window has two ends' --window t:signal:signal_deliver
	refused 2 'no unit can begin or end at' --window t:sched:sched_waking..t:sched:sched_switch
	refused 2 'no system call here has that name' --window syscall:opennat
	refused 2 '--window: at most 8 events' -e $nine --window loop
}

run_tests
