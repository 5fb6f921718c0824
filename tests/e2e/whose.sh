#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# stat --by: whose the counts of whole CPUs are, against what programs are known to count. Some
# hosts don't tell of each switch: what was counted then has a row of its own, and may be anybody's.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

FAULTS=$WORKLOADS/faults

setup() {
	need_root
}

by() { # KEY EVENTS … [-- COMMAND]
	local key=$1 events=$2
	shift 2
	pmb_ok stat --by "$key" -e "$events" -j -o "$T/by.json" "$@"
}

# Of a counter, by its place; 0 where there is no such row.
row() { # NAME [COUNTER]
	jq --arg name "$1" --argjson at "${2:-0}" \
		'[.by.rows[] | select(.name == $name) | .values[$at]] | add // 0' "$T/by.json"
}

# Programs', not ours.
rows() {
	jq '[.by.rows[] | select(.given | not)] | length' "$T/by.json"
}

# Rows and counters, to the last count.
expect_closed() {
	expect_eq "$(jq '[.by.counters[] | .value == .rows] | all' "$T/by.json")" true \
		"all rows are what the counters say ($(jq -c .by.counters "$T/by.json"))"
}

# It has its faults, and those of a program's start; the rest may be in what was not seen.
expect_faults() { # ROW FAULTS
	local unseen
	unseen=$(row '[switch not seen]')
	expect_ge $(($(row "$1") + unseen)) "$2" "faults of $1, and $unseen that may be anybody's"
	expect_le "$(row "$1")" $(($2 + 300)) "faults of $1"
}

t_names() {
	cp "$FAULTS" "$T/few"
	cp "$FAULTS" "$T/many"
	by comm page-faults,task-clock -a -- sh -c '"$0/few" 2000; "$0/many" 7000' "$T"
	expect_closed
	expect_faults few 2000
	expect_faults many 7000
	expect_eq "$(jq -r .by.key "$T/by.json")" comm "the key"
}

t_processes() {
	cp "$FAULTS" "$T/one"
	# shellcheck disable=SC2016 # the inner shell's
	by process page-faults -a -- sh -c '"$0/one" 3000 & echo $! >"$0/first"
		"$0/one" 5000 & echo $! >"$0/second"; wait' "$T"
	expect_closed
	expect_faults "one-$(cat "$T/first")" 3000
	expect_faults "one-$(cat "$T/second")" 5000
}

# What the core counted, and what of it was that process's: beside what the kernel counts of it.
t_a_process_against_everybody_else() {
	local pid own others
	taskset -c 0 "$WORKLOADS/inlined" 60 &
	pid=$!
	SPAWNED+=("$pid")
	by process task-clock -p "$pid" -C 0 -- sleep 1
	expect_closed
	own=$(row "inlined-$pid")
	expect_eq "$(rows)" 1 "rows of processes"
	others=$(jq '[.by.rows[] | select(.given) | .values[0]] | add' "$T/by.json")
	expect_eq $((own + others)) "$(jq '.by.counters[0].value' "$T/by.json")" "ns of all"
	# both begin and end a moment apart
	expect_ge $((own + $(row '[switch not seen]') + 100000000)) \
		"$(jq '.rows[0].events[0].value // 0' "$T/by.json")" "ns, beside the kernel's own"
}

# The numbers that are typed there are those that it has there; who is outside has none.
t_in_a_pid_namespace() {
	unshare --pid --fork --mount-proc true 2>/dev/null || skip "can't make pid namespaces here"
	spawn "$WORKLOADS/inlined" 60
	# shellcheck disable=SC2016 # the inner shell's
	unshare --pid --fork --mount-proc bash -c '"$0" 60 & echo $! >"$2/pid"
		"$1" stat -p $! --by process -e task-clock -d 0.5 -j -o "$2/by.json"
		"$1" stat -a --by process -e task-clock -d 0.5 -j -o "$2/all.json"
		kill $!' "$WORKLOADS/inlined" "$PMUBPF" "$T" || fail "pmubpf in a pid namespace"
	expect_closed
	expect_ge "$(row "inlined-$(cat "$T/pid")")" 1 "ns of it"
	expect_eq "$(rows)" 1 "rows of processes"
	mv "$T/all.json" "$T/by.json"
	expect_closed
	expect_ge "$(row "inlined-$(cat "$T/pid")")" 1 "ns of it, among all"
	expect_ge "$(row inlined-outside)" 1 "ns of the other, which is outside"
}

# Where container engines put theirs: v1's memory where there is one, else v2.
telling_hierarchy() {
	awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { print $2 }' /proc/self/mounts | grep . ||
		awk '$3 == "cgroup2" { print $2 }' /proc/self/mounts | head -n 1
}

t_cgroups_and_containers() {
	local cg unit=whose-$$.service key
	cg=$(telling_hierarchy)
	[ -n "$cg" ] || skip "no hierarchy is mounted that tells containers apart"
	mkdir "$cg/$unit" 2>/dev/null || skip "can't make cgroups here"
	later rmdir "$cg/$unit"
	for key in cgroup container; do
		# shellcheck disable=SC2016 # the inner shell's
		by $key page-faults -a -- sh -c \
			'echo $$ >"$1/cgroup.procs"; "$0" 6000; sleep 1.5' "$FAULTS" "$cg/$unit"
		expect_closed
		[ $key = container ] || unit=/$unit
		expect_faults "$unit" 6000
		unit=${unit#/}
	done
}

# Each interval and the whole.
t_intervals() {
	local faults='map(.by.rows[] | select(.name == "faults" or .name == "[switch not seen]"))'
	# shellcheck disable=SC2016 # the inner shell's
	pmb_ok stat -a --by comm -e page-faults -I 200 -j -o "$T/lines" -- \
		sh -c 'for i in 1 2 3 4 5; do "$0" 1000; sleep 0.2; done' "$FAULTS"
	expect_ge "$(wc -l <"$T/lines")" 4 "intervals"
	expect_eq "$(jq -s 'map(.by.counters[0].value) | add' "$T/lines")" \
		"$(jq -s 'map(.by.counters[0].rows) | add' "$T/lines")" "rows of all intervals"
	expect_ge "$(jq -s "$faults | map(.values[0]) | add" "$T/lines")" 5000 "faults of all"
}

# More names than there is room for, of control characters and what would be fields.
t_too_many_names() {
	need_program perl
	pmb_ok stat -a --by comm -e task-clock,context-switches -j -o "$T/by.json" -- perl -e '
		for (1 .. 20000) { $0 = "\x1b[31m$_,\""; select undef, undef, undef, 0.00001 }'
	expect_closed
	expect_le "$(rows)" 16384 "names"
	expect_ge "$(jq .by.no_room "$T/by.json")" 1 "times without a row"
	expect_ge "$(row '[other]')" 1 "ns of those"
	pmb_ok stat -a --by comm -e context-switches -- perl -e '
		for (1 .. 100) { $0 = "\x1b[31m$_,\""; select undef, undef, undef, 0.0001 }'
	expect_no_match "$T/out" $'\x1b' "an escape character"
}

# More processes than there is room for, one after the other: who comes last has a row, for those
# that have ended need none; and all of them are in the sums.
t_more_processes_than_rows() {
	cp "$WORKLOADS/split" "$T/comes-last"
	# shellcheck disable=SC2016 # the inner shell's
	pmb_ok stat -a --by process -e task-clock,page-faults -j -o "$T/by.json" -- sh -c '
		"$0" lives 18000 0; "$1" 0.01; "$1" 0.01' "$WORKLOADS/crowd" "$T/comes-last"
	expect_closed
	expect_eq "$(jq .by.no_room "$T/by.json")" 0 "times without a row"
	expect_ge "$(rows)" 16000 "processes"
	expect_eq "$(jq '[.by.rows[] | select(.name | startswith("comes-last-"))] | length' \
		"$T/by.json")" 2 "rows of those that come last"
}

t_text_and_csv() {
	cp "$FAULTS" "$T/most"
	pmb_ok stat -a --by comm --limit 1 -e page-faults -- "$T/most" 40000
	expect_match "$T/out" '^  by comm +page-faults +%$' "the head"
	expect_match "$T/out" '^  [^ ].* +[0-9]+ +[0-9]+\.[0-9][0-9]$' "a row"
	expect_match "$T/out" '^  \[[0-9]+ more\] ' "those beyond the limit"
	expect_match "$T/out" "^  page-faults: all rows are ([0-9]+), the CPUs' counters \1$" \
		"the sums"
	pmb_ok stat -a --by comm -e page-faults -x, -- "$T/most" 40000
	# some may be before the first switch that is seen
	expect_match "$T/out" '^[34][0-9]{4},,page-faults,most,[0-9]+\.[0-9]{2},100\.00$' "CSV"
	pmb_ok stat -a --by comm --limit 1 -e page-faults -x, -- "$T/most" 40000
	expect_match "$T/out" '^[0-9]+,,page-faults,\[[0-9]+ more\],' "CSV, beyond the limit"
	by comm page-faults -a --limit 1 -- "$T/most" 40000
	expect_closed
	expect_eq "$(rows)" 1 "rows of JSON within the limit"
}

# Nobody passes for what isn't a program.
t_names_in_brackets() {
	need_program perl
	local work='$0 = "[idle]"; for ($i = 0; $i < 5e6; $i++) { }'
	pmb_ok stat -a --by comm -e task-clock -- perl -e "$work"
	expect_match "$T/out" '^  \\x5bidle\] ' "a program of that name"
	pmb_ok stat -a --by comm -e task-clock -x, -- perl -e "$work"
	expect_match "$T/out" ',task-clock,\\x5bidle\],' "the same, CSV"
}

t_nothing_stays() {
	expect_nothing_stays stat -a --by process -e page-faults
}

refused() { # WORDS OPTION…
	expect_refused 2 "$1" stat -e page-faults "${@:2}"
}

t_what_is_refused() {
	refused "--by 'user' is none of process, comm, cgroup, container" -a --by user
	refused 'give -a, -C CPUS or -p PID' --by comm
	refused '--by and -A exclude each other' -a -A --by comm
	refused '--by and -G exclude each other' -G / --by comm
	refused '-p goes with --by process' -p $$ --by comm
	refused '--limit is of lines of --by' -a --limit 3
	refused "--limit 'x' is not a number of lines" -a --by comm --limit x
	by comm page-faults,mem:0x600000000008/8:w -a -- true
	expect_eq "$(jq -r '.by.not_counted[].name' "$T/by.json")" mem:0x600000000008/8:w \
		"what CPUs don't count"
}

run_tests
