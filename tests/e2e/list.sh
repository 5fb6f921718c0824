#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# pmubpf list -v EVENT, and the event database: what is said of one event is so.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

DB=$TOP/tests/perfmon
export PMUBPF_CPUID=GenuineIntel-6-55-4

need_json_library() {
	"$PMUBPF" list --event-db "$DB" cycles >/dev/null 2>"$T/err" || skip "$(cat "$T/err")"
}

# A key of the only card in $T/out.
card() { # FILTER
	jq -er ".[0]$1" "$T/out" 2>&1
}

t_a_clock() {
	pmb_ok list -v cpu-clock
	expect_match "$T/out" '^cpu-clock: time' "title"
	expect_match "$T/out" 'software, type 1, config 0x0' "mapping"
	expect_match "$T/out" '987 a second of a busy CPU' "1e9 / 1013009"
	expect_match "$T/out" '1013009 \(--rate on: 10130093, lo: 101300923\)' "periods"
	expect_match "$T/out" 'any number' "software has no counters to run out of"
	expect_no_match "$T/out" 'task-clock' "one event"
}

t_measured_just_now() {
	need_root
	need_program jq
	pmb_ok list -v -j cpu-clock
	# A timer on each CPU: all of them, all the time.
	expect_within "$(card .overflows_now)" "$(awk -v n="$(getconf _NPROCESSORS_ONLN)" \
		'BEGIN { print 1e9 / 1013009 * n }')" 100 "overflows a second"
}

t_a_breakpoint() {
	need_program jq
	pmb_ok list -v -j mem:0x1000:w:u
	[ "$(card .available)" = true ] || skip "no breakpoints here"
	expect_eq "$(card .address)" always "a breakpoint knows its address"
	local n
	n=$(card .at_once)
	expect_ge "$n" 1 "breakpoints at once"
	expect_le "$n" 16 "breakpoints at once"
	# What doctor says of the PMU is the same number, and the kernel keeps to it.
	expect_match <("$PMUBPF" doctor) "breakpoint +$n counters at once" "doctor"
}

t_as_written() {
	need_program jq
	pmb_ok list -v -j page-faults/period=7/u
	expect_eq "$(card .period)" 101 "the default period"
	expect_eq "$(card .name)" page-faults:u "the name"
	expect_match <(card .overflows_basis) 'every 7 faults' "the period that was asked for"
	pmb_ok list -v page-faults/freq=99/
	expect_match "$T/out" '99 a second as asked for' "a frequency"
	pmb_ok list -v -j cpu-clock,page-faults
	expect_eq "$(jq -r '[.[].name] | join(" ")' "$T/out")" "cpu-clock page-faults" \
		"a card for each"
}

t_patterns_still_list() {
	pmb_ok list -v 'cpu-*'
	expect_match "$T/out" 'WELL-KNOWN EVENT' "a table"
	pmb_ok list cpu-clock
	expect_match "$T/out" 'WELL-KNOWN EVENT' "without -v, a table"
	pmb list -v no-such-event
	expect_eq "$rc" 1 "exit status"
	expect_match "$T/err" "no event matches 'no-such-event'" "why"
}

t_not_here() {
	need_program jq
	if has_pmu; then skip "this machine has a PMU"; fi
	pmb_ok list -v cycles
	expect_match "$T/out" 'here +no: ' "that it is not here"
	pmb_ok list -v -j cycles
	expect_eq "$(jq -r '.[0] | [.available, .at_once, (.precise | length)] | @csv' "$T/out")" \
		'false,,0' "not tried"
	expect_match <(card .reason) 'PMU' "why"
}

t_without_root() {
	need_root
	install -m 755 "$PMUBPF" "$T/pmubpf"
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all \
		"$T/pmubpf" list -v cpu-clock >"$T/out" 2>"$T/err" || fail "exit status $?"
	expect_match "$T/out" 'here ' "the card"
}

t_database() {
	need_json_library
	need_program jq
	pmb_ok list --event-db "$DB" -v -j mem_load_retired.l1_miss
	expect_eq "$(card '| [.list, .period, .counters, .errata, .address, .config] | join(" ")')" \
		'database 100003 0,1,2,3 EXA021, EXA022 precise 0x8d1' "what the database says"
	pmb_ok list --event-db "$DB" -v r1c6
	expect_no_match "$T/out" 'database' "other words than FRONTEND_RETIRED.L1I_MISS"
	pmb_ok list --event-db "$DB" -v FRONTEND_RETIRED.L1I_MISS:pp
	expect_match "$T/out" 'frontend=0x12' "terms"
	expect_match "$T/out" 'counters 0,1,2,3, alone' "must be counted alone"
	PMUBPF_EVENT_DB=$DB pmb_ok list l1_miss
	expect_match "$T/out" '^MEM_LOAD_RETIRED.L1_MISS +100003 ' "by pattern"
	PMUBPF_EVENT_DB=$DB pmb_ok list
	expect_no_match "$T/out" '^MEM_LOAD_RETIRED' "hundreds more make no readable list"
	expect_match "$T/out" 'event database .*/tests/perfmon names 11 more' "but they are there"
}

t_database_in_record() {
	need_root
	need_json_library
	pmb record --event-db "$DB" -e MEM_LOAD_RETIRED.L1_MIS -- true
	expect_eq "$rc" 2 "exit status"
	expect_match "$T/err" 'nearest: MEM_LOAD_RETIRED.L1_MISS' "its names are offered"
	# The option may stand behind the event.
	pmb record -e cpu-clock --event-db "$T" -- true
	expect_eq "$rc" 2 "exit status"
	expect_match "$T/err" 'mapfile.csv' "no database there"
	pmb_ok record -e cpu-clock --event-db "$DB" -o "$T/folded" -- true
}

t_database_of_another_cpu() {
	need_json_library
	PMUBPF_CPUID=AuthenticAMD-25-1-1 pmb list --event-db "$DB"
	expect_eq "$rc" 3 "exit status"
	expect_match "$T/err" 'no core events for this CPU \(AuthenticAMD-25-1-1\)' "why"
	PMUBPF_CPUID=GenuineIntel-6-66-1 pmb list --event-db "$DB"
	expect_match "$T/err" 'broken_core.json, line 2' "where it is broken"
	PMUBPF_EVENT_DB=$DB PMUBPF_CPUID=GenuineIntel-6-97-2 pmb doctor
	expect_match "$T/out" 'event database +.*3 events for GenuineIntel-6-97-2' "doctor"
}

run_tests
