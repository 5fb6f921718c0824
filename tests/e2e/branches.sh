#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# pmubpf annotate --branches: how often each conditional jump of a function is taken, exactly.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

setup() {
	need_root
	need_x86_64
	need_program jq
	[ -e /sys/bus/event_source/devices/uprobe/type ] || skip "this kernel has no uprobes"
}

# A program that waits for a line, in $target; it is told by a descriptor of this shell's.
start() { # PROGRAM [ARG…]
	mkfifo "$T/told"
	spawn "$@" <>"$T/told" >"$T/said"
	target=$spawned
	exec 5>"$T/told"
}

has_probes() { # PID
	# shellcheck disable=SC2012
	ls -l "/proc/$1/fd" 2>/dev/null >"$T/fds"
	grep -Eq "bpf[-_]prog" "$T/fds" && grep -Eq "bpf[-_]link|perf_event" "$T/fds"
}

# Probes the target's function, in $tool.
probe() { # FUNCTION OPTION…
	spawn "$PMUBPF" annotate -j --branches "$1" -p "$target" "${@:2}" >"$T/out" 2>"$T/err" \
		5>&- </dev/null
	tool=$spawned
	wait_until has_probes "$tool" ||
		fail "no probe: $(head -n 1 "$T/err")"
}

has_said() { # WORD
	grep -q "^$1 " "$T/said"
}

# It works, and is left alone then: the tool tells what it has counted.
let_work() { # WORD [LINE]
	echo "${2:-go}" >&5
	wait_until has_said "$1" || fail "the program doesn't get on"
	kill -INT "$tool"
	wait "$tool"
	expect_eq "$?" 0 "exit status of annotate: $(head -n 1 "$T/err")"
}

jumps() { # FIELDS
	jq -r "[.jumps[] | \"$1\"] | join(\" \")" "$T/out"
}

t_a_loop_is_exact() {
	start "$WORKLOADS/branches"
	probe looping --budget 0
	let_work sum
	expect_eq "$(jumps '\(.taken)/\(.not_taken)')" "3000/1000 2000/2000 3999/1" \
		"taken and not: not beside what the decoy does"
	expect_eq "$(jq .exact "$T/out")" true "exact"
	expect_eq "$(grep '^sum' "$T/said")" "sum 9000 1160 42" "what the program computes"
	expect_eq "$(jumps '\(.taken_percent)')" "75 50 99.975" "shares"
}

# Of cmp of all kinds of numbers; as counted by the program itself.
t_all_conditions() {
	local want
	start "$WORKLOADS/branches"
	probe conditions --budget 0
	let_work sum
	want=$(awk '/^condition/ { printf "%s%d/%d", n++ ? " " : "", $3, $4 }' "$T/said")
	expect_eq "$(wc -w <<<"$want")" 32 "jumps"
	expect_eq "$(jumps '\(.taken)/\(.not_taken)')" "$want" "taken and not"
}

t_what_is_not_probed() {
	start "$WORKLOADS/branches"
	probe others --budget 0
	let_work sum
	expect_eq "$(jumps '\(.not_probed)')" "stepped stepped null not_reached not_reached" "why"
	expect_eq "$(jumps '\(.taken)/\(.not_taken)')" "0/0 0/0 0/10 0/0 0/0" "taken and not"
	# its code has a number that would be another one beside a probe
	expect_eq "$(grep '^sum' "$T/said")" "sum 9000 1160 42" "what the program computes"
}

t_text() {
	start "$WORKLOADS/branches"
	"$PMUBPF" annotate --branches looping -p "$target" -d 200ms --all >"$T/out" 2>"$T/err" \
		5>&- || fail "$(head -n 1 "$T/err")"
	expect_match "$T/out" '^# function  looping$' "the header"
	expect_match "$T/out" '^# jumps     3 on a condition, 3 probed$' "the header"
	expect_match "$T/out" 'counts are exact$' "the header"
	expect_match "$T/out" '^ +0 +0 +- .* jne 0x' "a jump that was not met"
}

t_children_and_execs() {
	start "$WORKLOADS/branches"
	probe looping --budget 0
	let_work sum fork
	expect_eq "$(jumps '\(.taken)/\(.not_taken)')" "3000/1000 2000/2000 3999/1" \
		"of the child none"
}

has_begun_anew() {
	[ "$(grep -c '^pid' "$T/said")" = 2 ]
}

# In a program that is begun anew the function lies elsewhere.
t_an_exec_and_the_end() {
	start "$WORKLOADS/branches"
	probe looping --budget 0
	echo exec >&5
	wait_until has_begun_anew || fail "the program doesn't execute itself"
	echo go >&5
	wait_until has_said sum || fail "the program doesn't get on"
	exec 5>&-
	kill -KILL "$target"
	wait "$tool"
	expect_eq "$?" 0 "exit status of annotate"
	expect_eq "$(jq .ended "$T/out")" true "that it ended"
	expect_eq "$(grep '^sum' "$T/said")" "sum 9000 1160 42" "what the program computes"
	expect_eq "$(jq '.elsewhere + ([.jumps[] | .taken + .not_taken] | add)' "$T/out")" 12000 \
		"times that jumps were met"
}

t_changed_code_is_left_alone() {
	start "$WORKLOADS/branches"
	echo change >&5
	wait_until has_said changed || fail "the program doesn't get on"
	refused 3 "has changed the code of 'looping'" annotate --branches looping -p "$target" \
		-d 100ms
	pmb_ok annotate --branches decoy -p "$target" -d 100ms
	echo go >&5
	wait_until has_said sum || fail "the program doesn't get on"
}

t_without_its_first_thread() {
	start "$WORKLOADS/branches"
	echo leave >&5
	wait_until has_said left || fail "the program doesn't get on"
	refused 3 "the first thread of process $target has ended" \
		annotate --branches looping -p "$target" -d 100ms
}

t_beyond_the_budget() {
	start "$WORKLOADS/branches" 3
	echo go >&5
	pmb_ok annotate -j --branches looping -p "$target" -d 2 --budget 0.2
	expect_eq "$(jq .exact "$T/out")" false "exact"
	expect_eq "$(jq '.probed_s < .span_s * 0.7' "$T/out")" true \
		"the time that they are in place: $(jq -c '[.probed_s, .span_s]' "$T/out")"
	# shares are those of all the time
	expect_within "$(jq '.jumps[0].taken_percent | floor' "$T/out")" 75 2 "% taken of the first"
}

# Nothing stays behind, and the program goes on.
t_the_tool_is_killed() {
	start "$WORKLOADS/branches"
	probe looping --budget 0
	kill -KILL "$tool"
	wait "$tool"
	echo go >&5
	wait_until has_said sum || fail "the program doesn't get on"
	expect_eq "$(grep '^sum' "$T/said")" "sum 9000 1160 42" "what the program computes"
	no_breakpoint() {
		pmb annotate -j --branches looping -p "$target" -d 100ms 5>&-
		python3 - "$target" "$T/out" <<'END'
import json, sys
pid, out = sys.argv[1:]
jumps = json.load(open(out))["jumps"]
name = json.load(open(out))["module"]
start = next(int(l.split("-")[0], 16) - int(l.split()[2], 16)
             for l in open(f"/proc/{pid}/maps") if l.rstrip().endswith(name) and "r-xp" in l)
with open(f"/proc/{pid}/mem", "rb") as mem:
    for j in jumps:
        mem.seek(start + j["address"])
        if mem.read(1) == b"\xcc":
            sys.exit(1)
END
	}
	wait_until no_breakpoint || fail "a breakpoint stays"
}

t_two_at_once() {
	start "$WORKLOADS/branches"
	probe looping --budget 0
	local first=$tool
	cp "$T/out" "$T/none"
	spawn "$PMUBPF" annotate -j --branches looping -p "$target" --budget 0 >"$T/second" \
		2>"$T/err2" 5>&- </dev/null
	local second=$spawned
	wait_until has_probes "$second" || fail "no second one: $(head -n 1 "$T/err2")"
	tool=$first
	let_work sum
	kill -INT "$second"
	wait "$second"
	expect_eq "$(jumps '\(.taken)/\(.not_taken)')" "3000/1000 2000/2000 3999/1" "the first"
	cp "$T/second" "$T/out"
	expect_eq "$(jumps '\(.taken)/\(.not_taken)')" "3000/1000 2000/2000 3999/1" "the second"
}

t_exceptions_survive() {
	start "$WORKLOADS/throwing"
	probe _ZN3app5riskyEi --budget 0
	let_work caught
	expect_eq "$(cat "$T/said")" "caught 1000 sum 3000 3" "what the program computes"
	expect_eq "$(jq -c '[.jumps[] | [.taken, .not_taken] | sort] | .[0]' "$T/out")" \
		"[1000,3000]" "taken and not, of 4,000 calls"
}

t_names_as_they_are_written() {
	start "$WORKLOADS/throwing"
	pmb_ok annotate -j --branches app::pick -d 100ms -p "$target" --file throwing
	expect_ge "$(jq '.jumps | length' "$T/out")" 0 "jumps of app::pick<int>"
	refused 2 "2 functions of the file are called 'app::risky'" \
		annotate --branches app::risky -p "$target"
}

t_go_survives() {
	need_program go
	cat >"$T/main.go" <<'END'
package main

import (
	"fmt"
	"sync"
)

//go:noinline
func work(i int) int {
	if i%4 == 0 {
		return 7
	}
	return i
}

func main() {
	var line string
	fmt.Scanln(&line)
	var wg sync.WaitGroup
	for g := 0; g < 4; g++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 1000; i++ {
				work(i)
			}
		}()
	}
	wg.Wait()
	fmt.Println("done all")
	fmt.Scanln(&line)
}
END
	GO111MODULE=off GOCACHE=$T/cache go build -o "$T/prog" "$T/main.go" 2>"$T/build" ||
		skip "go builds nothing here"
	start "$T/prog"
	probe main.work --budget 0
	let_work done
	expect_eq "$(jq '[.jumps[] | [.taken, .not_taken] | sort] | index([[1000, 3000]]) != null' \
		"$T/out")" true "taken and not of 4,000 calls: $(jumps '\(.taken)/\(.not_taken)')"
}

refused() { # STATUS WORDS COMMAND…
	pmb "${@:3}"
	expect_eq "$rc" "$1" "exit status of ${*:3}"
	expect_match "$T/err" "$2" "the sentence about ${*:3}"
}

t_what_is_refused() {
	start "$WORKLOADS/branches"
	refused 2 "has no conditional jump" annotate --branches straight -p "$target"
	refused 2 "has a function 'no_such'" annotate --branches no_such -p "$target"
	refused 2 "or it is the kernel's" annotate --branches do_syscall_64 -p "$target"
	refused 2 "no code of a file 'libno.so'" annotate --branches looping --file libno.so \
		-p "$target"
	refused 2 "of which process" annotate --branches looping
	refused 2 "are of --branches" annotate -p 1 looping "$T/p.pb.gz"
	refused 1 "does not exist" annotate --branches looping -p 4194303
}

run_tests
