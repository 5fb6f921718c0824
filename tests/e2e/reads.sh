#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Counters that can't interrupt (the time stamp counter), counters that belong to a place and not to
# a program (the same, in a sysfs that says so), and the idle task.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"


seconds=3
points=4

need_tsc() {
	"$PMUBPF" list tsc 2>/dev/null | grep -q '^msr/tsc/ .*read at clock overflows' ||
		skip "no msr/tsc/ here that only counts"
}

# Ticks per second by the counter itself: value / time enabled, both over all CPUs.
tsc_hz() { # EVENT [FILE]
	sum_get ".events[$1].counter | .value / .enabled_ns * 1e9" "${2:-$T/sum.json}"
}

# Number of the event of that name.
event_of() { # NAME
	sum_get "[.events[].name] | index(\"$1\")"
}

t_list_says_how_it_is_counted() {
	need_tsc
	pmb_ok list --json tsc
	expect_eq "$(jq -r '.[] | "\(.available) \(.collection_mode)"' "$T/out")" "true read" \
		"available, mode"
}

t_a_command() {
	local own
	need_tsc
	pmb_ok record -e msr/tsc/ -o "$T/folded" --summary "$T/sum.json" -- "$WORKLOADS/split" \
		"$seconds"
	expect_ledger
	expect_folded "$T/folded"
	expect_eq "$(sum_name 0) $(sum_name 1)" "msr/tsc/ cpu-clock" "events"
	expect_eq "$(sum_get '[.events[] | .added] | join(" ")')" "false true" "the clock is ours"
	# the clock has no lines: all that is printed is the counter's
	expect_eq "$(folded_sum "$T/folded")" "$(sum_weight 0)" "Σ of the lines against the summary"
	expect_ge "$(sum_ratio 0)" 0.95 "readings against the counter"
	expect_le "$(sum_ratio 0)" 1 "readings against the counter"
	expect_within "$(frame_share "$T/folded" hot70 ';hot[37]0(;|$)')" 70 "$points" "of hot70"
	# the program's own CPU time, in ticks
	own=$(awk '{ print $NF }' "$T/out")
	expect_ns "$(awk -v t="$(folded_sum "$T/folded")" -v hz="$(tsc_hz 0)" 'BEGIN { printf "%.0f", t / hz * 1e9 }')" "$own" 2 \
		"ticks, as ns, against the program's own CPU time" 987
}

# A sample has the readings, the data, and the window in which it fell.
t_with_other_parts() {
	local options none='[.events[1].user.data.classes[]] | add'
	need_tsc
	for options in '' '--window run'; do
		# shellcheck disable=SC2086
		pmb_ok record --data $options -e cpu-clock,msr/tsc/ -o "$T/folded" \
			--summary "$T/sum.json" -- "$WORKLOADS/split" 0.5
		expect_ledger
		expect_eq "$(sum_get '.events[0].user.data | .with_address + .without_address')" \
			"$(sum_get '.events[0].user.decoded')" "$options: samples of data"
		expect_ge "$(sum_get '.events[1].user.weight')" 1 "$options: ticks"
		expect_eq "$(sum_get "$none")" 0 "$options: readings of data"
	done
}

t_beside_a_clock_of_the_user() {
	local ticks ns
	need_tsc
	pmb_ok record -e msr/tsc/,cpu-clock -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/split" 0.5
	expect_ledger
	expect_eq "$(sum_get '.events | length')" 2 "no clock is added"
	ticks=$(folded_sum_of "$T/folded" '^msr/tsc/;split;')
	ns=$(folded_sum_of "$T/folded" '^cpu-clock;split;')
	expect_within "$(awk -v t="$ticks" -v n="$ns" 'BEGIN { print t / n * 1e9 }')" \
		"$(tsc_hz 0)" \
		"$(awk -v hz="$(tsc_hz 0)" 'BEGIN { print hz * 0.03 }')" "ticks per second of split"
}

# The counter goes on while a CPU is idle and its clock isn't heard: who wakes it must not be
# charged for that.
t_idle_time_is_not_charged_to_who_wakes() {
	local ticks ns
	need_tsc
	pmb_ok record -e cpu-clock,msr/tsc/ -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/storm" 500 0.6
	expect_columns
	ticks=$(folded_sum_of "$T/folded" '^msr/tsc/;')
	ns=$(folded_sum_of "$T/folded" '^cpu-clock;')
	expect_within "$(awk -v t="$ticks" -v n="$ns" 'BEGIN { print t / n * 1e9 }')" \
		"$(tsc_hz 1)" \
		"$(awk -v hz="$(tsc_hz 1)" 'BEGIN { print hz * 0.05 }')" "ticks per second of storm"
}

t_a_process() {
	need_tsc
	spawn "$WORKLOADS/split" 20 >/dev/null
	pmb_ok record -e cpu-clock,msr/tsc/ -p "$spawned" -d 1 -o "$T/folded" \
		--summary "$T/sum.json"
	expect_ledger
	expect_eq "$(sum_get '[.events[] | "\(.name) \(.scope) \(.added)"] | join(", ")')" \
		"cpu-clock per-task false, msr/tsc/ per-cpu false, cpu-clock per-cpu true" "events"
	expect_no_match "$T/folded" '^(cpu-clock|msr/tsc/);[^s]' "another program"
	expect_within "$(folded_share "$T/folded" ';hot70(;|$)' '^msr/tsc/;.*;hot[37]0(;|$)')" 70 \
		"$(points_of 70 "$(sum_aggregated 1)")" "share of hot70"
	expect_ge "$(sum_get '.events[1].kernel.weight_filtered')" 1 \
		"what other CPUs counted is filtered"
}

t_all_cpus() {
	need_tsc
	spawn "$WORKLOADS/split" 20 >/dev/null
	pmb_ok record -a -e msr/tsc/ -d 1 -o "$T/folded" --summary "$T/sum.json"
	expect_ledger
	expect_eq "$(folded_sum "$T/folded")" "$(sum_weight 0)" "Σ of the lines against the summary"
	expect_share "$T/folded" hot70 70 '^split;.*;hot[37]0(;|$)' \
		"$(awk -v hz="$(tsc_hz 0)" 'BEGIN { print 1e12 / hz }')"
}

t_how_often() {
	need_tsc
	pmb_ok record -F 100 -a -e msr/tsc/ -d 1 -o "$T/folded" --summary "$T/sum.json"
	expect_le "$(sum_seen 0)" $((100 * $(nproc) * 3 / 2)) "readings of a second at 100 Hz"
	pmb_ok record -c 77 -a -e msr/tsc/ -d 0.3 -o "$T/folded" --summary "$T/sum.json"
	expect_eq "$(sum_get '.events[1].rate.period')" 1013009 "-c is not the clock's"
	pmb record -e msr/tsc,period=77/ -a -d 1
	expect_eq "$rc" 2 "exit status"
	expect_match "$T/err" 'no overflow interrupt.*-F' "the message"
}

# The same counter N times over, under names of its own.
tsc_times() { # N
	local i s=
	for ((i = 0; i < $1; i++)); do
		s+="${s:+,}msr/event=0,name=t$i/"
	done
	echo "$s"
}

t_how_many() {
	local i
	need_tsc
	pmb_ok record -e "$(tsc_times 8)" -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/split" 0.5
	expect_ledger
	for i in 1 7; do
		expect_within "$(folded_sum_of "$T/folded" "^t$i;")" \
			"$(folded_sum_of "$T/folded" '^t0;')" \
			"$(awk -v n="$(folded_sum_of "$T/folded" '^t0;')" 'BEGIN { print n / 100 }')" "t$i against t0"
	done
	pmb record -e "$(tsc_times 9)" -a -d 1
	expect_eq "$rc" 2 "exit status"
	expect_match "$T/err" "at most 8 .*'t8'" "the message"
}

# Runs the tool where sysfs says that msr belongs to a place, read through CPU 0, with a unit of its
# own.
with_place() { # ARGUMENT…
	need_root
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	cat >"$T/place.sh" <<-'END'
		devices=/sys/bus/event_source/devices
		mkdir -p "$1/tree/software" && cp -rL $devices/msr "$1/tree/" 2>/dev/null
		cp $devices/software/type "$1/tree/software/"
		echo 0 >"$1/tree/msr/cpumask"
		echo 0.5 >"$1/tree/msr/events/tsc.scale"
		echo halves >"$1/tree/msr/events/tsc.unit"
		mount -t tmpfs none $devices && cp -r "$1"/tree/* $devices/ || exit 99
		shift
		exec "$@"
	END
	unshare -m bash "$T/place.sh" "$T" "$PMUBPF" "$@" >"$T/out" 2>"$T/err" </dev/null
	rc=$?
	[ "$rc" -ne 99 ] || skip "sysfs cannot be mounted over"
}

t_a_place() {
	need_tsc
	with_place record -a -e msr/tsc/ -d 0.5 -o "$T/folded" --summary "$T/sum.json"
	expect_eq "$rc" 0 "exit status"
	expect_ledger
	expect_eq "$(sed 's/ [0-9]*$//' "$T/folded")" 'cpu0;[not-program-related]' "the only line"
	expect_eq "$(folded_sum "$T/folded")" "$(sum_counter)" "Σ against the counter"
	expect_ge "$(sum_counter)" 1 "counted"
	expect_eq "$(sum_get '.events | length')" 1 "no clock is needed"
	expect_eq "$(sum_get '.events[0] | "\(.collection_mode) \(.way) \(.total.unit)"')" \
		"system place halves" "mode, by its name before, too, and unit"
	expect_eq "$(sum_get '.events[0] | .total.value * 2 - .counter.value | round')" 0 "total"
	expect_match "$T/err" 'not for a program' "the note"
}

t_a_place_beside_a_command() {
	need_tsc
	with_place record -e cpu-clock,msr/tsc/ -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/split" 0.5
	expect_eq "$rc" 0 "exit status"
	expect_ledger
	expect_eq "$(folded_sum_of "$T/folded" '^msr/tsc/;cpu0;\[not-program-related\]$')" \
		"$(sum_counter 1)" \
		"Σ against the counter"
	expect_ge "$(folded_sum_of "$T/folded" '^cpu-clock;split;.*;hot70')" 1 "the clock's lines"
}

t_a_place_that_is_left_out() {
	need_tsc
	[ "$(nproc)" -ge 2 ] || skip "needs two CPUs"
	with_place record -C 1 -e msr/tsc/ -d 1
	expect_eq "$rc" 2 "exit status"
	expect_match "$T/err" 'counts on CPU 0 only' "the message"
	with_place list tsc
	expect_match "$T/out" 'counts a part of the machine' "list"
}

t_idle() {
	local idle
	pmb_ok record -a -e cpu-clock -d 2 -o "$T/folded" --summary "$T/sum.json"
	expect_ledger
	[ "$(sum_get '.events[0].kernel.weight_idle')" \
		-gt $((20 * $(sum_get '.events[0].rate.period'))) ] ||
		skip "hardly a CPU was idle when the clock overflowed"
	expect_no_match "$T/folded" '^swapper/' "the idle task of one CPU"
	expect_eq "$(folded_sum_of "$T/folded" '^swapper(;|$)')" \
		"$(sum_get '.events[0].kernel.weight_idle')" \
		"weight of the idle task"
	grep -q '[1-9].* [tT] ' /proc/kallsyms || skip "kernel symbols are hidden"
	idle=$(folded_sum_of "$T/folded" '^swapper;\[idle\]$')
	expect_ge "$idle" 1 "idle time"
	expect_no_match "$T/folded" ';(do_idle|default_idle|default_idle_call|cpu_do_idle|[a-z_]*safe_halt)_\[k\] [0-9]+$' \
		"a stack that ends where the CPU waits"
}

run_tests
