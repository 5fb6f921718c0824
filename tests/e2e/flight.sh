#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# long: each watches a program for some seconds
#
# record --when: of a program with a function for each second, and twice as many page faults for as
# many system calls from one of them on, what was around that is kept, whole, and nothing else.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/relation_lib.sh
. "$(dirname "$0")/relation_lib.sh"

setup() {
	need_root
}

# Exact: in rings in which all has room whenever the reader gets a CPU.
start() { # SECONDS CHANGE OPTION…
	need_tracepoints
	baseline "$T/before"
	spawn "$WORKLOADS/seconds" "$1" "$2" >"$T/known"
	program=$spawned
	pmb_start record -e page-faults -c 1 -m 16M --when "$RELATION" --baseline "$T/before" \
		--summary "$T/sum.json" -o "$T/folded" "${@:3}" -p "$program"
}

# The summary has seconds since the recording began, and the program's are some tenths older.
kept() { jq -r ".kept.$1" "$T/sum.json"; }
forgotten() { sum_get '[.events[].user.discarded.forgotten] | add'; }

faults_in() { # SECOND, as the profile has it
	folded_sum_of "$T/folded" ";second$1(;|\$)"
}

seconds_kept() { grep -oE 'second[0-9]+' "$T/folded" | sort -u; }

t_what_was_around_it_is_kept_whole() {
	start 16 7 --lookback 3 --lookahead 2s
	pmb_finish
	expect_eq "$rc" 0 "exit status"
	expect_ledger
	expect_match "$T/err" "'$RELATION': alarm, [0-9]+\.[0-9] % above what was usual, since" \
		"it"
	expect_eq "$(kept raised)" true "an alarm"
	expect_eq "$(kept relation)" "$RELATION" "which"
	expect_within "$(jq '.kept.to_s - .kept.at_s | . * 10 | round' "$T/sum.json")" 20 5 \
		"tenths of a second after it"
	expect_within "$(jq '.kept.at_s - .kept.from_s | . * 10 | round' "$T/sum.json")" 30 6 \
		"tenths of a second before it"
	wait "$program"
	local first last s whole=0
	# begun 0.2 to 3 s into the program: what is surely older, and surely newer
	first=$(jq '.kept.from_s | floor' "$T/sum.json")
	last=$(jq '.kept.to_s | floor' "$T/sum.json")
	expect_ge "$first" 3 "seconds of before that are given up"
	for s in $(seconds_kept); do
		expect_ge "$((10#${s#second}))" "$first" "the number of a second that is kept"
		expect_le "$((10#${s#second}))" "$((last + 3))" "the same"
	done
	for s in $(seconds_kept | sed -e '1,2d;$d'); do
		expect_within "$(faults_in "${s#second}")" \
			"$(awk -v s="$s" '$1 == s { print $2 }' "$T/known")" \
			"$(sum_get '.events[0].kernel.dropped.unseen')" "page faults of $s"
		whole=$((whole + 1))
	done
	expect_ge "$whole" 1 "whole seconds"
	expect_eq "$(folded_sum "$T/folded")" "$(sum_get '.events[0].user.aggregated')" \
		"the profile's sum"
	expect_ge "$(forgotten)" 1000 "samples that are forgotten"
}

# The recording's own windows are a term: those calls, as many of them. What is counted in windows
# of a program's functions is not what it was in seconds in which their probes come or go.
t_windows_are_a_term() {
	baseline "$T/before"
	spawn "$WORKLOADS/seconds" 14 5 >"$T/known"
	pmb_ok record -e cpu-clock --window syscall:getppid --when 'page-faults ~ windows' \
		--lookback 2 --lookahead 1 --baseline "$T/before" --summary "$T/sum.json" \
		-o "$T/folded" -p "$spawned"
	expect_ledger
	expect_eq "$(kept raised)" true "an alarm"
	expect_eq "$(kept relation)" 'page-faults ~ windows' "which"
	# twice as many, perhaps but for the first of three seconds, in which that began
	expect_within "$(jq '.kept.percent | round' "$T/sum.json")" 95 35 "percent more faults"
	need_x86_64
	pmb_ok record -e cpu-clock --window "u:$WORKLOADS/hot:handle" \
		--when 'page-faults ~ windows' \
		--summary "$T/sum.json" -o "$T/folded" -- "$WORKLOADS/hot" 4
	expect_eq "$(kept raised)" false "an alarm in slices"
	expect_match "$T/err" "'page-faults ~ windows': not looked at in intervals in which" \
		"that they are not looked at"
}

t_without_an_alarm_nothing_is_kept() {
	start 4 40 --alarm-exit
	pmb_finish
	expect_eq "$rc" 0 "exit status"
	expect_ledger
	expect_match "$T/err" '^pmubpf: no alarm in [0-9.]+ s: nothing is kept$' "the sentence"
	[ ! -e "$T/folded" ] || fail "there is a profile"
	expect_eq "$(kept raised)" false "an alarm"
	expect_eq "$(sum_get '.events[0].user.aggregated')" 0 "samples that are kept"
	expect_ge "$(forgotten)" 1000 "samples that are forgotten"
}

t_a_signal_ends_what_follows() {
	start 30 4 --lookback 2 --lookahead 1h --alarm-exit -q -o "$T/saved.pb.gz"
	wait_until grep -q 'kept: the ' "$T/err" || fail "no alarm: $(cat "$T/err")"
	pmb_finish INT
	expect_eq "$rc" 4 "exit status"
	expect_ledger
	expect_match "$T/err" '^pmubpf: kept: from [0-9.]+ to [0-9.]+ s, around the alarm' \
		"the sentence"
	pmb_ok report "$T/saved.pb.gz"
	expect_match "$T/out" "^# alarm +at [0-9.]+ s '$RELATION' was " "the profile's head"
	expect_eq "$(folded_sum "$T/folded")" "$(sum_get '.events[0].user.aggregated')" \
		"the profile's sum"
}

t_memory_is_bounded() {
	start 20 9 --lookback 8 --lookahead 1 --max-memory 1M --label tid,window,data_addr
	pmb_finish
	expect_eq "$rc" 0 "exit status"
	expect_ledger
	expect_ge "$(kept no_room)" 1 "seconds that found no room"
	expect_match "$T/err" 'kept: not all of the 8\.0 s before it: no room \(--max-memory\)' \
		"the sentence"
}

refused() { # WORDS OPTION…
	expect_refused 2 "$1" record -e page-faults "${@:2}"
}

t_what_is_refused() {
	refused '--lookback and --lookahead go with --when' --lookback 30s
	refused "--when 'page-faults': say 'Y ~ X'" --when page-faults
	refused 'windows are those of --window, or units' --when 'page-faults ~ windows'
	local when=(--when 'page-faults ~ task-clock')
	refused "--lookback '0s' is not a time from 1 to 3600 s" "${when[@]}" --lookback 0s
	refused "--lookahead '2h' is not a time from 1 to 3600 s" "${when[@]}" --lookahead 2h
	refused '--alarm-exit goes with --when' --alarm-exit
	refused '--passes and --when exclude each other' --passes "${when[@]}"
	expect_refused 1 'process 4194305 does not exist' record -e page-faults \
		--when 'page-faults{pid=4194305} ~ task-clock'
}

run_tests
