#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# stat --alarm: a program whose page faults and system calls are in one relation, and then in
# another. How both are spread over the intervals depends on what else runs; their relation doesn't.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

RELATED=$WORKLOADS/related
CALLS=syscalls:sys_enter_getppid
RELATION="page-faults ~ $CALLS"

setup() {
	need_root
}

watch() { # OPTION… -- COMMAND…
	pmb stat -I "${MS:-20}" -e "page-faults,$CALLS" --alarm "$RELATION" -j -o "$T/lines" "$@"
}

# Of all intervals.
alarms() { # jq's FILTER
	jq -s "map(.alarms[0]) | $1" "$T/lines"
}

t_what_does_not_change_is_none() {
	need_tracepoints
	watch -- "$RELATED" 6000 20
	expect_eq "$rc" 0 "exit status"
	expect_eq "$(alarms 'map(select(.raised)) | length')" 0 "intervals with an alarm"
	expect_eq "$(alarms '.[-1].watches')" true "it has learnt"
	expect_match "$T/err" "'$RELATION': has learnt what is usual, and watches$" "that it has"
	expect_no_match "$T/err" 'alarm,' "an alarm"
}

# A half more, and as before again, before the 300 intervals are over after which it is usual: the
# busier the machine, the more intervals have the same rounds.
t_a_change_and_back() {
	need_tracepoints
	watch -- "$RELATED" 6000 20 600 30 3000 20
	expect_match "$T/err" "'$RELATION': alarm, [2-7][0-9]\.[0-9] % above what was usual, " \
		"it"
	expect_match "$T/err" "'$RELATION': as usual again; it was" "its end"
	expect_ge "$(alarms 'map(select(.raised and .since_s > 0)) | length')" 5 "intervals"
	expect_eq "$(alarms '.[-1].raised')" false "raised at the end"
}

t_it_ends_the_counting() {
	need_tracepoints
	watch --alarm-exit -- "$RELATED" 6000 20 60000 10
	expect_eq "$rc" 4 "exit status"
	expect_match "$T/err" 'alarm, [0-9.]+ % below' "which way"
	expect_eq "$(alarms '.[-1].raised')" true "the last interval has it"
	expect_eq "$(alarms '.[:-1] | map(select(.raised)) | length')" 0 "and none before"
}

# A relation of before, and one that is another from the beginning: nothing could learn that.
t_a_baseline_judges_from_the_first_interval() {
	need_tracepoints
	MS=10
	watch -- "$RELATED" 6000 20
	cat "$T/lines" "$T/lines" >"$T/before"
	watch --alarm-exit --baseline "$T/before" -- "$RELATED" 60000 10
	expect_eq "$rc" 4 "exit status"
	expect_match "$T/err" 'alarm, [0-9.]+ % below' "which way"
	expect_le "$(alarms length)" 30 "intervals until then"
	expect_eq "$(alarms '.[0].watches')" true "it watches at once"
	watch --baseline "$T/before" -- "$RELATED" 3000 20
	expect_eq "$rc" 0 "exit status of the same"
	expect_no_match "$T/err" 'alarm,' "an alarm of the same"
	expect_match <(jq -rs '.[0].notes[]' "$T/lines") \
		"^alarms: what is usual is that of [0-9]+ intervals of $T/before\$" "the note"
}

refused_baseline() { # LINES-OR-NONE WORDS; standard input is the file
	cat >"$T/file"
	expect_refused 2 "--baseline $T/file$1: $2" stat -I 1000 --baseline "$T/file" \
		--alarm 'page-faults ~ context-switches'
}

line() { # FROM TO [FAULTS]
	printf '{"from_s":%s,"to_s":%s,"rows":[{"events":[' "$1" "$2"
	printf '{"name":"page-faults","status":"counted","scaled":%s,"user_only":false},' "${3:-7}"
	printf '{"name":"context-switches","status":"counted","scaled":9}]}]}\n'
}

lines() { # N
	local i
	for ((i = 0; i < $1; i++)); do line "$i" "$((i + 1))"; done
}

t_a_baseline_that_is_none() {
	: | refused_baseline '' 'it has no intervals'
	lines 599 | refused_baseline '' '599 intervals, and 600 at least are needed'
	{ lines 3 && echo x; } | refused_baseline :4 'it is not JSON, or not whole'
	{ line 0 1 && line 1 2 | cut -c -80; } | refused_baseline :2 'it is not JSON, or not whole'
	{ line 0 1 && echo '{}'; } | refused_baseline :2 "it has no 'from_s' and 'to_s'"
	line 0 1 -3 | refused_baseline :1 "event 'page-faults' has no number as 'scaled'"
	line 0 1 1e400 | refused_baseline :1 'it is not JSON'
	line 2 1 | refused_baseline :1 'it ends before it begins'
	line 0 1 | sed 's/context-switches/others/' |
		refused_baseline :1 "event 'context-switches' is not there"
	line 0 1 | sed 's/"counted"/"not supported"/' |
		refused_baseline :1 "event 'page-faults' is not counted there"
	head -c 2000 /dev/zero | tr '\0' '[' | refused_baseline :1 'more than 32 brackets'
	head -c 2000000 /dev/zero | tr '\0' ' ' | refused_baseline :1 'more than 1 MiB in a line'
	for ((i = 0; i < 130; i++)); do line "0.$((i + 100))" "0.$((i + 101))"; done |
		refused_baseline '' 'its intervals last 0.001 s'
	lines 601 >"$T/file"
	expect_refused 2 '--baseline goes with --alarm' stat -I 1000 --baseline "$T/file"
	expect_refused 2 "can't read --baseline '/dev/zero'" stat -I 1000 --baseline /dev/zero \
		--alarm 'page-faults ~ context-switches'
	expect_refused 2 "can't read --baseline '$T/nosuch': No such file" stat -I 1000 \
		--baseline "$T/nosuch" --alarm 'page-faults ~ context-switches'
	pmb_ok stat -I 1000 --baseline "$T/file" --alarm 'page-faults ~ context-switches' -- true
}

t_units_of_work() {
	pmb stat -I 20 --per loop --alarm 'page-faults ~ windows' -o "$T/table" -- \
		"$WORKLOADS/units" 200 7 4
	expect_eq "$rc" 0 "exit status"
	expect_match "$T/table" 'per loop: ' "the units"
}

# By the name that they were given, on either side.
t_units_by_their_name() {
	local relation
	for relation in 'page-faults ~ requests' 'requests ~ page-faults'; do
		pmb_ok stat -I 20 --per requests=loop -e page-faults --alarm "$relation" -j \
			-o "$T/lines" -- "$WORKLOADS/units" 200 7 4
		expect_ge "$(alarms 'map(.x) | add')" 1 "of X"
		expect_ge "$(alarms 'map(.y) | add')" 1 "of Y"
	done
	expect_eq "$(alarms 'map(.y) | add')" \
		"$(jq -s 'map(.per.ended) | add' "$T/lines")" "units, as they are counted"
	expect_refused 2 'two different events' stat -I 20 --per requests=loop \
		--alarm 'requests ~ windows'
	expect_refused 2 "event 'requests' is not known" stat -I 20 --per loop \
		--alarm 'page-faults ~ requests'
}

# Two processes that work together: $caller and $child. Begins when the tool counts.
watch_apart() { # RELATION OPTION… -- ROUNDS FAULTS…
	local options=()
	need_tracepoints
	while [ "$1" != -- ]; do options+=("$1") && shift; done
	rm -f "$T/child" "$T/child.go"
	spawn "$WORKLOADS/apart" "$T/child" "${@:2}"
	caller=$spawned
	wait_until test -s "$T/child" || fail "the workload does not begin"
	child=$(cat "$T/child")
	RELATION="page-faults{pid=$child} ~ $CALLS{pid=$caller}"
	pmb_start stat -I 20 -e page-faults --alarm "$RELATION" -j -o "$T/lines" -p "$caller" \
		"${options[@]}"
	: >"$T/child.go"
	pmb_finish
}

t_terms_of_two_processes() {
	watch_apart -- 4000 20
	expect_eq "$rc" 0 "exit status"
	expect_eq "$(alarms 'map(.x) | add')" 80000 "calls of the one"
	expect_within "$(alarms 'map(.y) | add')" 80000 100 "faults of the other"
	expect_le "$(jq -s 'map(.rows[0].events[0].scaled // 0) | add' "$T/lines")" 100 \
		"faults of the one"
	expect_eq "$(alarms 'map(select(.raised)) | length')" 0 "intervals with an alarm"
}

t_a_change_between_two_processes() {
	watch_apart --alarm-exit -- 6000 20 60000 10
	expect_eq "$rc" 4 "exit status"
	expect_match "$T/err" "'$RELATION': alarm, [0-9.]+ % below" "which way"
}

# Its terms are in the lines, by the relation's text: of the same processes.
t_a_baseline_of_two_processes() {
	RELATION="page-faults{pid=$$} ~ context-switches{pid=$$}"
	lines 601 | sed 's/,"rows":.*/,"rows":[],"alarms":[{"relation":"a ~ b","y":4,"x":2}]}/' \
		>"$T/file"
	expect_refused 2 "$T/file:1: alarm '$RELATION' has no numbers there" \
		stat -I 1000 --baseline "$T/file" --alarm "$RELATION"
	sed -i "s/a ~ b/$RELATION/" "$T/file"
	pmb_ok stat -I 1000 --baseline "$T/file" --alarm "$RELATION" -- true
}

refused() { # WORDS OPTION…
	expect_refused 2 "$1" stat "${@:2}"
}

t_what_is_refused() {
	refused 'say how long they are' --alarm 'page-faults ~ task-clock'
	refused '--alarm-exit goes with --alarm' -I 100 --alarm-exit
	refused "say 'Y ~ X'" -I 100 --alarm page-faults
	refused "say 'Y ~ X'" -I 100 --alarm 'page-faults ~ task-clock ~ cycles'
	refused 'two different events' -I 100 --alarm 'page-faults ~ page-faults'
	refused "say 'Y ~ X'" -I 100 --alarm ' ~ page-faults'
	refused 'windows are those of --window, or units of --per' -I 100 \
		--alarm 'page-faults ~ windows'
	refused 'nosuch' -I 100 --alarm 'page-faults ~ nosuch'
	refused 'nosuch' -I 100 --alarm "page-faults ~ nosuch{pid=$$}"
	refused 'a target is pid=, tid=' -I 100 --alarm 'page-faults{comm=sh} ~ task-clock'
	refused 'a target is pid=, tid=' -I 100 --alarm 'page-faults{} ~ task-clock'
	refused "'x' is not a process" -I 100 --alarm 'page-faults{pid=x} ~ task-clock'
	refused "is not one event" -I 100 --alarm "page-faults,faults{pid=$$} ~ task-clock"
	expect_refused 1 'process 4194305 does not exist' stat -I 100 \
		--alarm 'page-faults{pid=4194305} ~ task-clock'
	expect_refused 1 'none of that name is running' stat -I 100 \
		--alarm 'page-faults{container=no-such} ~ task-clock'
}

run_tests
