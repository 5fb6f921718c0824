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

# 4,000 turns, by a thread of their own if the word is so; or so often.
turn() { # go|thread [TIMES]
	local i n times=${2:-1}
	n=$(grep -c '^sum ' "$T/said")
	for ((i = 0; i < times; i++)); do
		echo "$1" >&5
	done
	wait_until has_said $((n + times)) || fail "the program doesn't get on"
}

# A hit takes hundreds of times as long as a turn. The first turns are none of the tool's.
slow_turns() {
	awk -F '[ ,]+' '/^sum/ { if (!n++) first = $5; else if ($5 > 20 * first) slow++ }
		END { print slow + 0 }' "$T/said"
}

are_slow() {
	turn go
	[ "$(slow_turns)" -gt 0 ]
}

has_programs() {
	find "/proc/$tool/fd" -lname 'anon_inode:bpf[-_]prog' 2>/dev/null | grep . >/dev/null
}

# Until breakpoints are in place; those of the trial are gone when there are programs.
start_recording() { # OPTION…
	turn go
	spawn "$PMUBPF" record --budget 0 "$@" -p "$target" -o "$T/p.pb.gz" \
		--summary "$T/sum.json" >"$T/out" 2>"$T/err" 5>&- </dev/null
	tool=$spawned
	wait_until has_programs || fail "it doesn't record: $(head -n 1 "$T/err")"
	wait_until are_slow || fail "no breakpoint is met"
}

has_said() { # TIMES
	[ "$(grep -c '^sum ' "$T/said")" -ge "$1" ]
}

# Where the locked instructions of `locks` are, from its beginning.
at=(0xa 0xe 0x13 0x1e 0x29 0x31)

# "0xe=4000 …": what was met at each place.
counts() {
	sum_get '[.events[] | (.name | split("+")[1]) + "=" + (.counter.value | tostring)]
		| join(" ")'
}

# Nothing is met in the trial, so the first ones have the breakpoints; of threads, old and new.
t_each_is_counted() {
	local n
	start
	start_recording -e op:lock:locks
	turn go
	turn thread
	pmb_finish INT
	n=$(slow_turns)
	expect_ge "$n" 3 "turns with breakpoints"
	# of 4,000 numbers 62 are multiples of 64
	expect_eq "$(counts)" "$(printf '%s=%d ' "${at[0]}" $((62 * n)) "${at[1]}" $((4000 * n)) \
		"${at[2]}" $((4000 * n)) "${at[3]}" $((4000 * n)) | sed 's/ $//')" "what was met"
	expect_ledger
	expect_match "$T/err" \
		'op:lock:locks at the first 4 of 6 instructions: in a trial none of them was met$' \
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

# The class alone: a clock finds the function, and the four of six in it are those met most.
t_the_hottest() {
	start 60
	pmb_ok record -e op:lock/period=10/ --budget 0 -p "$target" -d 0.5 \
		--summary "$T/sum.json" -o "$T/p.pb.gz"
	expect_eq "$(sum_get '.events[].name' | sort | tr '\n' ' ')" \
		"$(printf 'op:lock:locks+%s\n' "${at[@]:1:4}" | sort | tr '\n' ' ')" \
		"where breakpoints are"
	expect_match "$T/err" \
		'op:lock/period=10/ at 4 of 6 instructions, which had 9[0-9]\.[0-9] % of the hits' \
		"what is said of the choice"
	# nearly all of its time is in one function
	local most="(9[0-9]\.[0-9]|100\.0) %"
	expect_match "$T/err" "samples of a clock before, in its own code, $most were in" \
		"what is said of functions that were looked through"
	expect_match "$T/err" "\([0-9]+\), $most in those with op:lock \(1\): locks$" \
		"what is said of functions with locks"
	pmb_ok record -e op:div --budget 0 -p "$target" -d 0.1 -o "$T/p.pb.gz"
	expect_match "$T/err" 'breakpoints: op:div at 1 of 1 instructions$' "the one division"
	pmb record -e op:crypto -p "$target" -o "$T/p.pb.gz"
	expect_eq "$rc" 3 "a class that it hasn't"
	expect_match "$T/err" 'no such instruction in the hottest functions' "why not"
}

# Code without a name has that of its file, and the distance in that.
t_the_hottest_of_a_stripped_file() {
	need_program strip
	cp "$WORKLOADS/ops" "$T/bare"
	strip "$T/bare"
	local WORKLOADS=$T
	mv "$T/bare" "$T/ops"
	start 60
	pmb_ok record -e op:lock --budget 0 -p "$target" -d 0.1 --summary "$T/sum.json" \
		-o "$T/p.pb.gz"
	expect_match <(sum_get '.events[].name') '^op:lock:ops\+0x[0-9a-f]+$' "what they are called"
}

# --budget is of all CPUs' time; this many % of one.
budget_of_one_cpu() {
	awk -v share="$1" -v cpus="$(getconf _NPROCESSORS_ONLN)" \
		'BEGIN { printf "%.6f", share / cpus }'
}

last_are_slow() {
	awk -F '[ ,]+' '/^sum/ { first = n++ ? first : $5; last = $5 }
		END { exit !(last > 20 * first) }' "$T/said"
}

# Hits at a stretch are more than the budget has, unless the program has nearly no CPU.
are_gone() {
	turn go 50
	! last_are_slow
}

are_back() {
	turn go
	last_are_slow
}

# Breakpoints are gone when the tool has looked, and come again, however long that takes beside
# what else runs.
t_slices() {
	local each took hits
	start
	start_recording -e op:div:locks --budget "$(budget_of_one_cpu 2)"
	wait_until are_gone || fail "they stay in place"
	wait_until are_back || fail "they don't come back"
	pmb_finish INT
	sum_get '.notes[] | select(startswith("breakpoints: in place"))' >"$T/note"
	expect_match "$T/note" ', in ([2-9]|[1-9][0-9]+) slices; [0-9]+ hits took' "slices"
	expect_no_match "$T/note" 'place for 100\.0' "it was in place all the time"
	read -r hits took each <<<"$(sed -nE \
		's/.*; ([0-9]+) hits took ([0-9.]+) s, ([0-9]+) ns each$/\1 \2 \3/p' "$T/note")"
	expect_eq "$(sum_get '[.events[].counter.value] | add')" "$hits" "hits"
	expect_eq "$took" "$(awk -v n="$hits" -v each="$each" \
		'BEGIN { printf "%.3f", n * each / 1e9 }')" "what they took"
	expect_ledger
}

build_shim() {
	need_program gcc
	gcc -std=gnu11 -D_GNU_SOURCE -O1 -shared -fPIC -o "$T/breakpoints.so" \
		"$TOP/tests/shims/breakpoints.c" || fail "no breakpoints.so"
}

# Without it the budget would have no end.
t_cost_is_assumed() {
	build_shim
	start
	LD_PRELOAD=$T/breakpoints.so SHIM_IN=main SHIM_BREAKPOINTS=taken \
		start_recording -e op:div:locks
	pmb_finish INT
	expect_match "$T/err" ' hits took [0-9.]+ s, 10000 ns each \(assumed: it could not' \
		"what is said of hits"
}

# A profile without samples would say that nothing happened.
t_a_machine_that_never_meets_one() {
	build_shim
	start
	export LD_PRELOAD=$T/breakpoints.so SHIM_IN=main SHIM_BREAKPOINTS=deaf
	local command
	for command in "record -e op:div:locks -p $target -o $T/p.pb.gz" \
		"record -e mem:0x1000:w -p $target -o $T/p.pb.gz" \
		"stat -e mem:0x1000:w -p $target -d 0.1"; do
		# shellcheck disable=SC2086
		pmb $command
		expect_eq "$rc" 3 "status of $command"
		expect_match "$T/err" "^pmubpf: event '(op|mem):.*never met.*; run it on the host" \
			"what $command says"
	done
	pmb list mem:
	expect_match "$T/out" 'mem:ADDR.*no: never met' "list"
	pmb doctor
	expect_match "$T/out" 'breakpoints  *never met' "doctor"
	unset LD_PRELOAD
	pmb doctor
	expect_no_match "$T/out" 'never met' "doctor without it"
}

t_one_division() {
	start
	start_recording -e op:div:locks@ops
	pmb_finish INT
	expect_eq "$(counts | cut -d= -f2)" $((4000 * $(slow_turns))) \
		"divisions: not beside those of the decoy"
	expect_match "$T/err" 'breakpoints: op:div:locks@ops at 1 of 1 instructions$' "the choice"
	expect_match "$T/said" '^sum 168000 2,' "what it computes"
}

t_refused() {
	start
	local event
	expect_op() { # WORDS EVENT OPTION…
		local words=$1 event=$2
		shift 2
		pmb record -e "$event" "$@" -o "$T/p.pb.gz"
		[ "$rc" -ne 0 ] || fail "$event was taken"
		expect_match "$T/err" "$words" "the sentence about $event"
	}
	expect_op 'of which function' op:lock: -p "$target"
	expect_op 'ran no code of its own' op:lock -p "$target"
	expect_op 'none of these: pause, lock, div' op:locks:locks -p "$target"
	expect_op "has a function 'no_such'" op:lock:no_such -p "$target"
	expect_op "'none' has no such instruction" op:lock:none -p "$target"
	# the process isn't looked at, nor slowed down, while something else is wrong
	expect_op '^pmubpf: --summary -' op:lock:no_such -p "$target" --summary -
	expect_op "'no-such-event'" op:lock:no_such -p "$target" -e no-such-event
	expect_op 'no code of a file' op:lock:locks@libz -p "$target"
	expect_op '-p PID, and no other' op:lock:locks -a
	expect_op '-p PID, and no other' op:lock:locks -- true
	for event in op:lock:locks,cycles cycles,op:lock:locks '{cycles,op:lock:locks}' \
		' op:lock:locks' op:lock:locks/period=10/,op:div:locks \
		op:lock:locks/period=10/,op:div:locks/period=10/; do
		expect_op 'op: stands alone in its -e' "$event" -p "$target"
	done
	expect_op "has a function 'f<int, long>\(char, int\)'" 'op:lock:f<int, long>(char, int)' \
		-p "$target"
	expect_op 'others of its group' '{cpu-clock,mem:0x1000:x/sliced/}' -p "$target"
	pmb stat -e mem:0x1000:x/sliced/ -p "$target" -d 0.1
	expect_eq "$rc" 2 "stat of one that is sliced"
	expect_match "$T/err" 'sliced is of what samples' "why stat doesn't take it"
	expect_op "takes no term 'sliced'" cpu-clock/sliced/ -p "$target"
}

run_tests
