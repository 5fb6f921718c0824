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

need_calls() {
	[ -d /sys/kernel/tracing/events ] || { mount -t tracefs none /sys/kernel/tracing &&
		later umount /sys/kernel/tracing; } 2>/dev/null
	[ -d /sys/kernel/tracing/events/syscalls ] ||
		skip "this kernel has no tracepoints of system calls"
}

watch() { # OPTION… -- COMMAND…
	pmb stat -I 20 -e "page-faults,$CALLS" --alarm "$RELATION" -j -o "$T/lines" "$@"
}

# Of all intervals.
alarms() { # jq's FILTER
	jq -s "map(.alarms[0]) | $1" "$T/lines"
}

t_what_does_not_change_is_none() {
	need_calls
	watch -- "$RELATED" 6000 20
	expect_eq "$rc" 0 "exit status"
	expect_eq "$(alarms 'map(select(.raised)) | length')" 0 "intervals with an alarm"
	expect_eq "$(alarms '.[-1].watches')" true "it has learnt"
	expect_match "$T/err" "'$RELATION': has learnt what is usual, and watches$" "that it has"
	expect_no_match "$T/err" 'alarm,' "an alarm"
}

# A half more, and as before again.
t_a_change_and_back() {
	need_calls
	watch -- "$RELATED" 6000 20 1500 30 3000 20
	expect_match "$T/err" "'$RELATION': alarm, [2-7][0-9]\.[0-9] % above what was usual, " \
		"it"
	expect_match "$T/err" "'$RELATION': as usual again; it was" "its end"
	expect_ge "$(alarms 'map(select(.raised and .since_s > 0)) | length')" 5 "intervals"
	expect_eq "$(alarms '.[-1].raised')" false "raised at the end"
}

t_it_ends_the_counting() {
	need_calls
	watch --alarm-exit -- "$RELATED" 6000 20 60000 10
	expect_eq "$rc" 4 "exit status"
	expect_match "$T/err" 'alarm, [0-9.]+ % below' "which way"
	expect_eq "$(alarms '.[-1].raised')" true "the last interval has it"
	expect_eq "$(alarms '.[:-1] | map(select(.raised)) | length')" 0 "and none before"
}

t_units_of_work() {
	pmb stat -I 20 --per loop --alarm 'page-faults ~ windows' -o "$T/table" -- \
		"$WORKLOADS/units" 200 7 4
	expect_eq "$rc" 0 "exit status"
	expect_match "$T/table" 'per loop: ' "the units"
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
	refused 'two different events' -I 100 --alarm ' ~ page-faults'
	refused 'windows are those of --per' -I 100 --alarm 'page-faults ~ windows'
	refused 'nosuch' -I 100 --alarm 'page-faults ~ nosuch'
}

run_tests
