#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# pmubpf top: parts of a recording that goes on add up to all of it, and are what is known of the
# programs.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# One line of JSON a part.
batch_ok() { # ARGS…
	pmb_ok top -b -j -e cpu-clock "$@"
	[ -s "$T/out" ] || fail "no part"
}

# shellcheck disable=SC2016
part_laws='
def law(name; a; b): if a == b then empty else "\(name): \(a) != \(b)" end;
. as $parts |
($parts[] | .part as $p | .imbalance // empty | "part \($p): \(.)"),
($parts[] | [.rows[].events[0].self] as $rows | .books[0] | (
	law("seen"; .seen; .emitted + .filtered + .closed + .dropped),
	law("emitted"; .emitted + .carried_in.rings; .decoded + .carried_out.rings),
	law("decoded"; .decoded + .carried_in.held;
		.aggregated + .discarded + .carried_out.held),
	law("in the rows"; .aggregated; [$rows[].samples] | add // 0),
	law("weight in the rows"; .weight; [$rows[].time_ns] | add // 0))),
(range(1; $parts | length) | law("carried from part \(.)";
	$parts[. - 1].books[0].carried_out; $parts[.].books[0].carried_in)),
law("parts in order"; [$parts[].part]; [range(1; ($parts | length) + 1)]),
law("one is the last"; [$parts[] | select(.last) | .part]; [$parts | length]),
law("into the first"; $parts[0].books[0].carried_in; {rings: 0, held: 0}),
law("out of the last"; $parts[-1].books[0].carried_out; {rings: 0, held: 0})
'

expect_part_laws() {
	local broken
	broken=$(jq -rs "$part_laws" "$T/out") || fail "the parts cannot be read by jq"
	[ -z "$broken" ] || fail "$(echo "$broken" | head -n 3 | tr '\n' ';')"
}

# Samples of a function of its own in all parts.
samples_in() { # FUNCTION
	jq -rs --arg f "$1" \
		'[.[].rows[] | select(.name == $f).events[0].self.samples] | add // 0' "$T/out"
}

t_parts_add_up() {
	batch_ok -I 400 -F 999 -- bash -c '"$WORKLOADS/split" 2 >"$0"' "$T/own"
	expect_part_laws
	expect_ge "$(wc -l <"$T/out")" 3 "parts"
	local a b own
	a=$(samples_in hot70) b=$(samples_in hot30)
	own=$(awk '{ for (i = 1; i < NF; i += 2) v[$i] = $(i + 1)
		printf "%.3f\n", 100 * v["hot70"] / (v["hot70"] + v["hot30"]) }' "$T/own")
	expect_ge "$((a + b))" 100 "samples in both"
	expect_within "$(awk -v a="$a" -v b="$b" 'BEGIN { print 100 * a / (a + b) }')" "$own" \
		"$(points_of 70 $((a + b)))" "hot70 in $((a + b)) samples"
}

# Nothing is left out between parts, nor what is asked of the helper: each part has its names.
t_every_part_is_named() {
	batch_ok -I 300 -F 999 -- "$WORKLOADS/split" 1
	expect_part_laws
	jq -rs '.[:-1][] | select([.rows[].name] | index("hot70") | not).part' \
		"$T/out" >"$T/without"
	expect_empty "$T/without" "a part without hot70"
	expect_eq "$(jq -rs 'all(.cost.process_ns > 0 and .cost.percent > 0)' "$T/out")" \
		true "parts have a price"
}

t_lines() {
	spawn "$WORKLOADS/split" 20 >/dev/null
	local pid=$spawned
	local with
	pmb_ok top -b -n 2 -I 300 -e cpu-clock -F 999 --by process,function --limit 3 -p "$pid"
	local head='^[0-9:]{8}  0\.[0-9]+ s  cost [0-9.]+ [+] [0-9.]+ % of [0-9]+ CPUs?'
	head+='  samples: cpu-clock [0-9]+'
	expect_eq "$(grep -cE "$head" "$T/out")" 2 "heads"
	# beside others an interval may have none
	with=$(grep -cE '  samples: cpu-clock [1-9]' "$T/out")
	expect_ge "$with" 1 "intervals with samples"
	expect_eq "$(grep -cE "  split $pid\$" "$T/out")" "$with" "rows of the process"
	expect_ge "$(grep -cE '  hot70  split$' "$T/out")" 1 "rows of hot70"
	expect_no_match "$T/out" "$(printf '\033')" "colours without a terminal"
}

t_sorted_and_filtered() {
	batch_ok -n 1 -I 400 -F 999 --sort total --focus '^hot30$' -- "$WORKLOADS/split" 2
	expect_eq "$(jq -r '.rows[0].events[0].total_percent' "$T/out")" 100 \
		"the outermost function"
	expect_eq "$(samples_in hot70)" 0 "samples of hot70"
	expect_ge "$(samples_in hot30)" 1 "samples of hot30"
}

# Several events, and their ratios, are columns.
t_several_events() {
	pmb_ok top -b -n 1 -I 500 -e cpu-clock -e page-faults/period=1/ --limit 0 -- \
		"$WORKLOADS/faults" 20000
	expect_match "$T/out" '^cpu-clock +page-faults' "events above the columns"
	expect_match "$T/out" 'touch_pages' "the function that faults"
}

t_whole_system() {
	spawn "$WORKLOADS/split" 20 >/dev/null
	pmb_ok top -b -n 1 -I 400 -e cpu-clock --by process --limit 0
	expect_match "$T/out" "  split $spawned\$" "the process without a target"
}

# A name is never a command for the terminal, nor a line of its own.
t_hostile_names() {
	local name=$'\033[2J\nevil'
	cp "$WORKLOADS/split" "$T/$name"
	pmb_ok top -b -n 1 -I 400 -e cpu-clock --by process,module -- "$T/$name" 2
	expect_match "$T/out" '\\x1b\[2J\\x0aevil' "the name"
	expect_eq "$(tr -d '\n\40-\176\200-\377' <"$T/out" | wc -c)" 0 "control characters"
	expect_no_match "$T/out" '^evil' "a line of its own"
}

t_status_of_the_command() {
	pmb top -b -e cpu-clock -- sh -c 'exit 7'
	expect_eq "$rc" 7 "exit status"
	expect_eq "$(grep -c '  cost ' "$T/out")" 1 "parts"
}

t_signal() {
	spawn "$WORKLOADS/split" 20 >/dev/null
	pmb_start top -b -j -I 10s -e cpu-clock -p "$spawned"
	pmb_finish INT
	expect_eq "$rc" 0 "exit status"
	expect_part_laws
	expect_ge "$(samples_in hot70)" 1 "samples of what was not a whole interval"
}

t_reader_goes() {
	"$PMUBPF" top -b -I 200 -e cpu-clock -q 2>"$T/err" | head -n 1 >"$T/out"
	expect_eq "${PIPESTATUS[0]}" 0 "exit status"
	expect_match "$T/out" 'cpu-clock' "the first line"
}

t_refused() {
	expect_refused 2 "neither self, nor total" top -b -e cpu-clock --sort nothing
	expect_refused 2 "nor a label" top -b -e cpu-clock --by nothing
	expect_refused 2 "record --data" top -b -e cpu-clock --by data_type
	expect_refused 2 "regular expression" top -b -e cpu-clock --focus '('
	expect_refused 2 "from 100" top -b -e cpu-clock -I 1
	expect_refused 2 "above 0" top -b -e cpu-clock -n 0
}

run_tests
