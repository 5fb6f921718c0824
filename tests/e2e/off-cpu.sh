#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# -e off-cpu: time that threads have no CPU. What is compared with a program's own words is what it
# measured of itself in the same run.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

WAITS=$WORKLOADS/waits
TIMES=40

setup() {
	need_root
}

record() { # OPTION…
	pmb_ok record --budget 0 -o "$T/off.pb.gz" -o "$T/folded" --summary "$T/sum.json" "$@"
	expect_ledger
	"$PMUBPF" report --csv --limit 0 --by comm,off_state,waker "$T/off.pb.gz" |
		awk -F , '{ gsub(" ", "_"); key[$1] = $3 }
			$1 == 3 { print key[1], key[2], key[3], $5, $7 }' \
			>"$T/rows"
}

# Of the rows whose command, state and waker are these (regular expressions).
samples() { # COMM STATE [WAKER]
	awk -v comm="^($1)$" -v state="^($2)$" -v waker="^(${3:-.*})$" \
		'$1 ~ comm && $2 ~ state && $3 ~ waker { sum += $4 }
		END { print sum + 0 }' "$T/rows"
}
without_cpu() { # COMM STATE [WAKER]
	awk -v comm="^($1)$" -v state="^($2)$" -v waker="^(${3:-.*})$" \
		'$1 ~ comm && $2 ~ state && $3 ~ waker { sum += $5 }
		END { printf "%.0f\n", sum }' "$T/rows"
}

# What waits measured: NAME times|wall|cpu|most
measured() {
	awk -v name="$1" -v field="$2" \
		'BEGIN { at["times"] = 2; at["wall"] = 3; at["cpu"] = 4; at["most"] = 5 }
		$1 == name { sum += $at[field] } END { printf "%.0f\n", sum }' "$T/out"
}

# A switch that this host didn't tell of would take a sample away.
expect_all_seen() {
	local unseen
	unseen=$(sum_get .off_cpu.not_seen)
	[ "$unseen" = 0 ] || skip "$unseen switches not seen"
}

# What the program measured around its waiting has some of its own code in it, and what an
# interrupt takes on the way; less can't be.
expect_measured() { # NS NAME
	expect_le "$1" "$(measured "$2" wall)" "ns of $2 without a CPU, of what it measured"
	expect_ge "$(($1 * 100))" "$(($(measured "$2" wall) * 90))" "the same, a hundred times"
}

# Once its unwind tables have been made, which takes a busy machine a while.
record_whole_stacks() {
	record -e off-cpu -- sh -c '"$0" 0; sleep 1; exec "$0" "$1"' "$WAITS" $TIMES
}

t_sleeps() {
	record_whole_stacks
	expect_all_seen
	expect_eq "$(samples sleeper sleep)" $TIMES "times that it slept"
	expect_eq "$(samples sleeper sleep '\[interrupt\]')" $TIMES "that a timer ended"
	expect_ge "$(without_cpu sleeper sleep)" $((TIMES * 3800000)) "ns of sleep"
	expect_measured "$(folded_sum_of "$T/folded" '^sleeper;.*;nap;')" sleeper
}

t_locks_and_pipes() {
	record_whole_stacks
	expect_all_seen
	expect_measured "$(folded_sum_of "$T/folded" ';wait_for_lock;')" contender
	expect_measured "$(folded_sum_of "$T/folded" ';wait_for_word;')" reader
	expect_ge "$(without_cpu contender futex owner)" $((TIMES / 4 * 3000000)) \
		"ns until owner woke it"
	expect_eq "$(samples reader read)" "$(samples reader read writer)" "reads that writer ended"
	expect_ge "$(samples reader read)" $((TIMES / 2)) "reads that waited"
	expect_eq "$(without_cpu reader 'futex|sleep')" 0 "ns of reader in anything else"
}

# Who wants a CPU and has none is preempted: all of its time but what it ran.
t_preempted() {
	local want
	record -e off-cpu -- "$WAITS" $TIMES
	expect_all_seen
	want=$(($(measured busy wall) - $(measured busy cpu)))
	expect_within "$(without_cpu busy preempted)" "$want" $((want / 10 + 5000000)) \
		"ns without a CPU"
	expect_eq "$(samples busy preempted)" "$(samples busy preempted '\[no_waker\]')" \
		"of them, nobody woke"
}

# on + off + what isn't known = the threads' time, as they measured it themselves from their first
# switch on.
t_the_law() {
	local on off unknown all most
	record -e off-cpu -- "$WAITS" $TIMES
	on=$(sum_get .off_cpu.on_ns)
	off=$(sum_get .off_cpu.off_ns)
	unknown=$(sum_get .off_cpu.not_known_ns)
	all=$(sum_get .off_cpu.thread_ns)
	expect_eq $((on + off + unknown)) "$all" "ns of threads"
	expect_ge "$all" "$(measured all wall)" "ns of threads, of what they measured"
	# the first thread is there for as long as the recording
	most=$(sum_get '.duration_s * 1e9 | ceil')
	expect_le "$all" $(($(measured all most) + most)) "ns of threads, of what they can have"
	expect_all_seen
	expect_within "$on" "$(measured all cpu)" $(($(measured all cpu) / 10 + 5000000)) \
		"ns with a CPU"
	expect_eq "$(sum_weight)" "$off" "ns without, in the profile"
}

# What the windows lasted is what their samples stand for, with a CPU and without.
t_windows() {
	local weight='.events[%s].kernel.weight_emitted' lasted on off parts
	record -e cpu-clock -c 200000 --off-cpu --budget 0 --window loop -- "$WORKLOADS/server" 100
	lasted=$(sum_get .windows.ended_ns)
	# shellcheck disable=SC2059 # the filter
	on=$(sum_get "$(printf "$weight" 0)") off=$(sum_get "$(printf "$weight" 1)")
	expect_eq "$(sum_get .windows.ended)" 100 "windows"
	expect_within $((on + off)) "$lasted" $((lasted / 20 + 100 * 200000)) "ns of windows"
	expect_eq "$(sum_get .off_cpu.off_ns)" "$off" "ns without a CPU in them, of threads"
	parts='.on_ns + .off_ns + .waiting_for_work_ns + .not_known_ns'
	expect_eq "$(sum_get ".off_cpu | $parts")" "$(sum_get .off_cpu.thread_ns)" "ns of threads"
}

# A shell that reads waits for what it has started outside of its reads.
t_waiting_for_work() {
	record -e off-cpu --window syscall:read -- sh -c \
		'(sleep 0.3; printf "\n\n\n\n\n") | while read -r x; do sleep 0.02; done'
	expect_all_seen
	expect_ge "$(sum_get .off_cpu.waiting_for_work_ns)" 50000000 "ns between windows"
	expect_match "$T/err" ' s without, in no window .waiting for work. ' "the summary's words"
}

t_min() {
	record -e off-cpu/min=1ms/ -- "$WAITS" $TIMES
	expect_all_seen
	expect_ge "$(sum_get .off_cpu.brief)" 1 "that were shorter"
	expect_eq $(($(sum_weight) + $(sum_get .off_cpu.brief_ns))) "$(sum_get .off_cpu.off_ns)" \
		"ns, with those that were shorter"
	expect_ge "$(sum_weight)" $(($(samples '.*' '.*' '\[no_waker\]') * 1000000)) "ns of samples"
	expect_eq "$(samples sleeper sleep)" $TIMES "times that it slept"
}

# That of those that have no CPU when all is over, too.
t_min_at_the_end() {
	pmb_ok record -e off-cpu/min=60s/ -o "$T/none" --summary "$T/sum.json" -- \
		sh -c 'sleep 1 & sleep 0.2'
	expect_ledger
	expect_ge "$(sum_get .off_cpu.brief)" 1 "that were shorter"
	expect_eq "$(sum_get .off_cpu.brief_ns)" "$(sum_get .off_cpu.off_ns)" "ns of them"
	expect_eq "$(sum_weight)" 0 "ns in the profile"
}

# Of those that have no CPU when all is over, nobody else would tell.
t_until_the_end() {
	local sleeper
	spawn sleep 60
	pmb_ok record -e off-cpu -p $spawned -d 1 -o "$T/none"
	expect_eq "$(folded_sum "$T/none")" 0 "ns of a switch before all began"
	spawn sh -c 'kill -STOP $$; exec sleep 60'
	sleeper=$spawned
	until grep -q '^State:.T' "/proc/$sleeper/status"; do sleep 0.01; done
	pmb_start record -e off-cpu -p $sleeper -d 1.5 -o "$T/one" --summary "$T/sum.json"
	kill -CONT $sleeper
	pmb_finish
	expect_ledger
	expect_ge "$(folded_sum_of "$T/one" 'nanosleep')" 300000000 "ns of sleep up to the end"
	expect_le "$(folded_sum "$T/one")" "$(sum_get '.duration_s * 1e9 | ceil')" \
		"ns of one thread"
}

# Where most switches aren't recorded, who left its CPU unseen has it no more.
t_no_more_than_the_cpus_have() {
	local i
	for ((i = 0; i < 20; i++)); do
		spawn perl -e 'select undef, undef, undef, 0.01 while 1'
	done
	pmb_ok record -a -e off-cpu -c 40 -d 2 -o "$T/p.pb.gz" --summary "$T/sum.json"
	expect_ledger
	expect_ge "$(sum_get .off_cpu.recorded)" 20 "switches that were recorded"
	expect_le "$(sum_get .off_cpu.on_ns)" \
		"$(sum_get ".duration_s * $(nproc --all) * 1e9 | ceil")" "ns with a CPU"
	expect_ge "$(sum_get .off_cpu.not_known_ns)" 1 "ns that aren't known"
	head -n 1 "$T/err" >"$T/first"
	expect_match "$T/first" "of [0-9]+ % of threads' time it isn't known" "the first line"
	"$PMUBPF" report "$T/p.pb.gz" >"$T/report" || fail "report: status $?"
	expect_match "$T/report" "^# WARNING +of [0-9]+ % of threads' time it isn't known" \
		"a report"
}

# Any number of switches makes no other event's periods longer: what is dear here are they.
t_switches_pay_for_themselves() {
	local i budget
	# of all CPUs' time, however many there are
	budget=$(awk -v n="$(nproc --all)" 'BEGIN { print 2 / n }')
	for ((i = 0; i < 4; i++)); do
		spawn perl -e 'pipe A, B; pipe C, D;
			if (fork) { while (1) { syswrite B, "x"; sysread C, $x, 1 } }
			else { while (1) { sysread A, $x, 1; syswrite D, "x" } }'
	done
	pmb_ok record -a --no-symbols -e cpu-clock,off-cpu --budget "$budget" -d 5 -o "$T/none" \
		--summary "$T/sum.json"
	expect_ledger
	expect_ge "$(sum_get .cost.budget.highest_switches_factor)" 2 \
		"of how many switches one was recorded"
	# the same without them, for what else is dear here
	pmb_ok record -a --no-symbols -e cpu-clock --budget "$budget" -d 5 -o "$T/none" \
		--summary "$T/alone.json"
	expect_le "$(sum_get .cost.budget.highest_factor)" \
		"$(jq '.cost.budget.highest_factor * 3' "$T/alone.json")" \
		"how long the clock's periods were"
}

t_beside_others() {
	record --off-cpu -e task-clock -- "$WAITS" 10
	expect_eq "$(sum_name 0) $(sum_name 1)" "task-clock off-cpu" "events"
	expect_ge "$(sum_weight 1)" 100000000 "ns without a CPU"
}

# Of what else runs here nothing is recorded.
t_named_targets() {
	spawn sh -c 'while :; do sleep 0.02; done'
	spawn sh -c 'while :; do sleep 0.02; done'
	pmb_ok record -e off-cpu -p $spawned -d 0.5 --summary "$T/sum.json" -o "$T/folded"
	expect_ledger
	expect_eq "$(sum_scope)" per-task "scope"
	expect_ge "$(folded_sum_of "$T/folded" '^sleep;')" 100000000 "ns of its sleeps"
	expect_le "$(folded_sum "$T/folded")" "$(sum_get '.duration_s * 2e9 | ceil')" \
		"ns of it and of its child"
}

t_calls_that_wait() {
	record -e off-cpu --window syscall:read -- "$WAITS" $TIMES
	expect_all_seen
	expect_ge "$(without_cpu reader 'read|waiting')" "$(($(measured reader wall) * 9 / 10))" \
		"ns of reader inside of read"
	expect_eq "$(without_cpu '.*' 'sleep|futex')" 0 "ns outside of it"
	expect_ge "$(sum_get '.events[0].kernel.closed')" 1 "switches outside"
}

t_nobody_had_a_cpu() {
	spawn sleep 60
	sleep 0.5 # until it does
	pmb_ok record -e off-cpu -d 0.3 -p "$spawned" -o "$T/folded"
	expect_match "$T/err" "where each waits is in /proc/$spawned/task/" "what to look at"
}

# Two threads want the interpreter; the first waits for both, by a lock of Python's own.
t_lock_of_python() {
	need_program python3
	record -e off-cpu -- /usr/bin/python3 -c 'import threading, time
end = time.time() + 1
def spin():
    while time.time() < end: sum(range(1000))
threads = [threading.Thread(target=spin) for _ in "12"]
for t in threads: t.start()
for t in threads: t.join()'
	expect_ge "$(samples '.*' gil)" 5 "times that a thread waited for the interpreter"
	expect_ge "$(without_cpu '.*' futex)" 500000000 "ns that the first one waited for them"
	record -e off-cpu -- /usr/bin/python3 -c 'sum(range(5000000))'
	expect_eq "$(samples '.*' gil)" 0 "times that one that is alone waited for it"
}

t_locks_of_java() {
	local comm
	need_program javac
	[ "$(uname -m)" = x86_64 ] || skip "HotSpot is read on x86-64 only"
	javac -d "$T" "$TOP/tests/workloads/java/Monitors.java" || fail "javac"
	record -e off-cpu -- java -XX:+UseSerialGC -cp "$T" Monitors
	for comm in enters:monitor is-told:notify parks:park; do
		expect_ge "$(without_cpu "${comm%:*}" "${comm#*:}")" 900000000 "ns of $comm"
	done
}

t_refused() {
	local text
	for text in off-cpu:u off-cpu/min/ off-cpu/min=5xy/ off-cpu/freq=99/ off-cpu/config=1/; do
		pmb record -e "$text" -- true
		expect_eq "$rc" 2 "exit status of $text"
	done
	pmb record -F 99 -e off-cpu -- true
	expect_eq "$rc" 2 "exit status of a frequency of it"
	pmb_ok record -F 99 -e cpu-clock,off-cpu -o "$T/folded" -- true
	expect_match "$T/err" '-F is for the other events' "what is said of a frequency beside it"
	pmb stat -e off-cpu -- true
	expect_eq "$rc" 2 "exit status of stat"
	pmb record -e cpu-clock --window off-cpu/period=1/..off-cpu/period=1/ -- true
	expect_eq "$rc" 2 "exit status of a window of it"
}

run_tests
