#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# -e op:CLASS:FUNC: breakpoints at the instructions of a class that are met most.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

setup() {
	need_root
	need_x86_64
	need_program jq
	need_breakpoints
}

# A program that waits for lines, in $target; it is told by a descriptor of this shell's.
start() {
	mkfifo "$T/told"
	spawn "$WORKLOADS/ops" "$@" <>"$T/told" >"$T/said"
	target=$spawned
	exec 5>"$T/told"
	wait_until grep -q '^pid ' "$T/said"
}

# What the trial opens are perf events, too: it records once there are programs.
has_programs() {
	find "/proc/$tool/fd" -lname 'anon_inode:bpf[-_]prog' 2>/dev/null | grep . >/dev/null
}

start_recording() { # OPTION…
	spawn "$PMUBPF" record "$@" --budget 0 -p "$target" -o "$T/p.pb.gz" \
		--summary "$T/sum.json" >"$T/out" 2>"$T/err" 5>&- </dev/null
	tool=$spawned
	wait_until has_programs || fail "it doesn't record: $(head -n 1 "$T/err")"
	sleep 0.5
}

has_said() { # TIMES
	[ "$(grep -c '^sum ' "$T/said")" -ge "$1" ]
}

# Where the locked instructions of `locks` are, from its beginning.
at=(0xa 0xe 0x13 0x1e 0x29 0x31)

# "0xe=4000 …": what was recorded at each place.
counts() {
	sum_get '[.events[] | (.name | split("+")[1]) + "=" + (.user.weight | tostring)]
		| join(" ")'
}

# Nothing is met in the trial, so the first ones have the breakpoints; of threads, old and new.
t_each_is_counted() {
	start
	start_recording -e op:lock:locks
	echo go >&5
	wait_until has_said 1 || fail "the program doesn't get on"
	echo thread >&5
	wait_until has_said 2 || fail "the program doesn't get on"
	pmb_finish INT
	# 62 multiples of 64 up to 4,000, by each of both
	expect_eq "$(counts)" "${at[0]}=124 ${at[1]}=8000 ${at[2]}=8000 ${at[3]}=8000" \
		"what was met"
	expect_ledger
	expect_match "$T/err" 'breakpoints: op:lock:locks at 4 of 6 instructions, the first: none' \
		"what is said of the choice"
	pmb_ok report -j --by opcode,function "$T/p.pb.gz"
	expect_eq "$(jq -c '[.rows[] | select(.key == "opcode").name] | unique' "$T/out")" \
		'["lock"]' "labels"
	pmb_ok report --by function "$T/p.pb.gz"
	expect_match "$T/out" '^# breakpoints +in place for 100.0 %' "what the profile says"
}

# Four of six: those of each turn, and of each fourth.
t_those_met_most() {
	start 60
	pmb_ok record -e op:lock:locks/period=10/ --budget 0 -p "$target" -d 0.5 \
		--summary "$T/sum.json" -o "$T/p.pb.gz"
	counts | tr ' ' '\n' | sort >"$T/counts"
	expect_eq "$(cut -d= -f1 "$T/counts" | sort | tr '\n' ' ')" \
		"$(printf '%s\n' "${at[@]:1:4}" | sort | tr '\n' ' ')" "where breakpoints are"
	expect_match "$T/err" 'op:lock:locks.* which had 9[0-9]\.[0-9] % of the hits' \
		"what is said of the choice"
}

# Without a budget hits would take nearly all of the time; how far beyond it they get until
# somebody looks depends on what else runs.
t_slices() {
	local took
	start 60
	pmb_ok record -e op:div:locks/period=1000/ --budget 2 -p "$target" -d 3 \
		--summary "$T/sum.json" -o "$T/p.pb.gz"
	sum_get '.notes[] | select(startswith("breakpoints: in place"))' >"$T/note"
	took=$(sed -nE 's/.* hits took ([0-9.]+) s.*/\1/p' "$T/note")
	[ -n "$took" ] || fail "nothing is said of slices: $(cat "$T/note")"
	awk -v t="$took" 'BEGIN { exit !(t < 1.5) }' || fail "hits took $took s of 3"
	expect_no_match "$T/note" 'place for 100\.0' "it was in place all the time"
	expect_ledger
}

t_one_division() {
	start
	start_recording -e op:div:locks@ops
	echo go >&5
	wait_until has_said 1 || fail "the program doesn't get on"
	pmb_finish INT
	expect_eq "$(counts | cut -d= -f2)" 4000 "divisions: not beside those of the decoy"
	expect_match "$T/err" 'breakpoints: op:div:locks@ops at 1 of 1 instructions$' "the choice"
	expect_match "$T/said" '^sum 168000 2$' "what it computes"
}

t_refused() {
	start
	expect_op() { # WORDS EVENT OPTION…
		local words=$1 event=$2
		shift 2
		pmb record -e "$event" "$@" -o "$T/p.pb.gz"
		[ "$rc" -ne 0 ] || fail "$event was taken"
		expect_match "$T/err" "$words" "the sentence about $event"
	}
	expect_op 'of which function' op:lock -p "$target"
	expect_op 'none of these: pause, lock, div' op:locks:locks -p "$target"
	expect_op "has a function 'no_such'" op:lock:no_such -p "$target"
	expect_op "'none' has no such instruction" op:lock:none -p "$target"
	expect_op 'no code of a file' op:lock:locks@libz -p "$target"
	expect_op '-p PID, and no other' op:lock:locks -a
	expect_op '-p PID, and no other' op:lock:locks -- true
	expect_op "takes no term 'sliced'" cpu-clock/sliced/ -p "$target"
}

run_tests
