#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# --unsafe-return-probe: the ends of a function's calls are told by the kernel's return probes, in
# programs that survive these. What the calls are is the same as without.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

setup() {
	need_root
	need_x86_64
}

record() { # FUNCTION-WITH-FILE OPTION…
	pmb_ok record --budget 0 -e cpu-clock -o "$T/folded" --summary "$T/sum.json" \
		--unsafe-return-probe --window "u:$1" "${@:2}"
	expect_ledger
}

windows() { # jq's FILTER of them
	sum_get ".windows | $1"
}

# A file of its own, for whoever else runs it meets its probes, too.
own() { # WORKLOAD
	cp "$WORKLOADS/$1" "$T/$1"
	file=$T/$1
}

t_calls_end_at_returns() {
	local file
	own marks
	record "$file:one_unit" -- "$file" 500 40 4
	expect_eq "$(windows '"\(.began) \(.ended) \(.nested) \(.abandoned) \(.open)"')" \
		"2000 2000 0 0 0" "calls"
	expect_eq "$(windows '"\(.hits) \(.stepped)"')" "4000 0" \
		"hits, of which none is single-stepped"
	# whose caller is where the kernel's code stands meanwhile
	expect_ge "$(frame_share "$T/folded" one_unit)" 95 "percent inside"
	expect_match "$T/err" "puts another return address in place of one_unit's" "the warning"
	pmb_ok record --budget 0 -e cpu-clock -o "$T/folded" --summary "$T/sum.json" \
		--window "u:$file:one_unit" -- "$file" 50 7 1
	expect_eq "$(windows .stepped)" 50 "returns that are single-stepped, without"
	expect_no_match "$T/err" 'unsafe-return-probe' "words without"
}

t_calls_inside_of_calls() {
	local file
	own recurse
	record "$file:dive" -- "$file" 0.05 50
	expect_eq "$(windows '"\(.began) \(.ended) \(.nested) \(.abandoned)"')" "1 1 49 0" "calls"
	# the kernel remembers 64 returns of a thread, the outermost among them
	record "$file:dive" -- "$file" 0.05 100
	expect_eq "$(windows '"\(.began) \(.ended) \(.nested) \(.abandoned)"')" "1 1 99 0" "deeper"
}

# longjmp is survived, and leaves a call.
t_jumps_over_returns() {
	local file words
	own calls
	words=$("$file" 300)
	record "$file:may_jump" -- "$file" 300
	expect_eq "$(windows '"\(.began) \(.ended) \(.abandoned)"')" "300 200 100" "calls"
	expect_eq "$(cat "$T/out")" "$words" "the program's words"
}

event() { # MEMBER FIELD
	jq -r ".$1 | $2" "$T/stat.json"
}

t_counts() {
	local file counted inside
	own marks
	pmb_ok stat --budget 0 -e page-faults -j -o "$T/stat.json" --unsafe-return-probe \
		--window "u:$file:one_unit" -- "$file" 500 7 2
	expect_eq "$(event window '.began - .counted - .unsure')" 0 "calls that didn't end"
	# the first of a thread or process may need a page for the kernel's code
	counted=$(event window .counted) inside=$(event window '.events[0] | .inside')
	expect_ge "$inside" $((7 * counted)) "inside"
	expect_le "$inside" $((7 * counted + 4)) "inside"
	expect_eq "$(event window '.events[0] | .balanced')" true "it adds up"
	pmb_ok stat --budget 0 -e page-faults -j -o "$T/stat.json" --unsafe-return-probe \
		--per "u:$file:one_unit" -- "$file" 500 7 2
	expect_eq "$(event per .began)" 1000 "calls"
	expect_eq "$(event per .abandoned)" 0 "abandoned"
	# windows of processes, too
	record "$file:one_unit" --window-scope process -- "$file" 500 40 2
	expect_eq "$(windows '"\(.began - .ended) \(.began + .nested >= 1000)"')" "0 true" \
		"openings"
}

# However it ends, the program goes on.
t_no_probe_stays() {
	local file target signal before
	own marks
	spawn "$file" 100000000 7 1 >/dev/null
	target=$spawned
	for signal in INT KILL; do
		pmb_start record -e cpu-clock -o /dev/null -p "$target" --unsafe-return-probe \
			--window "u:$file:one_unit"
		wait_until grep -q '\[uprobes\]' "/proc/$target/maps" || fail "it isn't probed"
		pmb_finish $signal 2>/dev/null
		before=$(awk '{ print $14 + $15 }' "/proc/$target/stat")
		wait_until grows "$before" "$target" || fail "the program is no more, after $signal"
	done
}

grows() { # TICKS PID
	[ "$(awk '{ print $14 + $15 }' "/proc/$2/stat" 2>/dev/null || echo 0)" -gt "$1" ]
}

t_what_is_refused() {
	local of='--unsafe-return-probe is of calls of a function'
	expect_refused 2 "$of" record -e cpu-clock --unsafe-return-probe -- true
	expect_refused 2 "$of" record -e cpu-clock --unsafe-return-probe --window loop -- true
	expect_refused 2 "$of" stat --unsafe-return-probe -- true
	expect_refused 2 "$of" stat --unsafe-return-probe --per loop -- true
	expect_refused 2 "$of" stat --unsafe-return-probe --window syscall -- true
}

# Go's stacks move, with what stands in them.
t_not_of_go() {
	need_program go
	printf 'package main\n\n//go:noinline\n%s\n%s\n' 'func work(i int) int { return i + 1 }' \
		'func main() { println(work(1)) }' >"$T/main.go"
	GO111MODULE=off GOCACHE=$T/cache go build -o "$T/prog" "$T/main.go" 2>"$T/build" ||
		skip "go builds nothing here"
	expect_refused 2 "Go's functions go on on another thread.*unsafe-return-probe" \
		record -e cpu-clock --unsafe-return-probe --window "u:$T/prog:main.work"
}

run_tests
