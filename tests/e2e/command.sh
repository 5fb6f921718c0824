#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A command as target: its status is ours, it counts from its exec, its children are followed.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

t_exit_status() {
	pmb record -e cpu-clock -- "$WORKLOADS/sleepy" exit 7
	expect_eq "$rc" 7 "exit status"
	pmb record -e cpu-clock -- "$WORKLOADS/sleepy" exit 0
	expect_eq "$rc" 0 "exit status"
}

t_killed_by_signal() {
	pmb record -e cpu-clock -- "$WORKLOADS/sleepy" signal 9
	expect_eq "$rc" 137 "exit status"
	pmb record -e cpu-clock -- "$WORKLOADS/sleepy" signal 15
	expect_eq "$rc" 143 "exit status"
}

# Whoever started it ignores its children, and so do they unless they care.
t_a_parent_that_ignores_children() {
	local cmd
	for cmd in "record -o $T/folded" stat; do
		rc=0
		# shellcheck disable=SC2086 # words
		timeout -k 1 30 env --ignore-signal=CHLD "$PMUBPF" $cmd -e cpu-clock -- \
			sh -c 'exit 7' >"$T/out" 2>"$T/err" </dev/null || rc=$?
		expect_eq "$rc" 7 "exit status of $cmd"
	done
	timeout -k 1 30 env --ignore-signal=CHLD "$PMUBPF" stat -r 2 -e cpu-clock -- true \
		>"$T/out" 2>"$T/err" || fail "several runs: exit status $?"
}

t_counts_from_exec() {
	# Nothing of pmubpf itself: not before the exec, not by name.
	pmb_ok record -e cpu-clock -F 5000 -o "$T/folded" -- "$WORKLOADS/split" 0.4
	expect_no_match "$T/folded" '^pmubpf' "samples from before the exec"
}

t_exact_from_exec() {
	pmb_ok record -e minor-faults -c 1 -o "$T/folded" -- "$WORKLOADS/faults" 700
	expect_eq "$(folded_sum_of "$T/folded" ';touch_pages(;|$)')" 700 "faults"
}

t_stdio_is_the_commands() {
	"$PMUBPF" record -e cpu-clock -o "$T/folded" -- cat <<<"hello" >"$T/out" 2>"$T/err"
	expect_eq "$(cat "$T/out")" hello "what cat wrote"
}

t_folded_on_stdout() {
	pmb_ok record -e cpu-clock -- "$WORKLOADS/recurse" 0.3
	expect_folded "$T/out"
}

t_child_processes() {
	pmb_ok record -e cpu-clock -o "$T/folded" -- sh \
		-c "'$WORKLOADS/split' 0.5; '$WORKLOADS/recurse' 0.5"
	expect_ge "$(folded_sum_of "$T/folded" '^split;')" 400000000 "ns of split"
	expect_ge "$(folded_sum_of "$T/folded" '^recurse;')" 400000000 "ns of recurse"
}

t_threads() {
	pmb_ok record -e cpu-clock -F 2000 -o "$T/folded" -- "$WORKLOADS/threads" 1
	expect_share "$T/folded" spin_a 40 ';spin_' 2000
	expect_share "$T/folded" spin_b 30 ';spin_' 2000
	expect_share "$T/folded" spin_c 20 ';spin_' 2000
	expect_share "$T/folded" spin_d 10 ';spin_' 2000
	expect_match "$T/folded" '^worker-a;.*;spin_a' "the thread's own name"
	expect_no_match "$T/folded" '^worker-a;.*;spin_[bcd]' "another thread's function"
}

t_no_inherit() {
	pmb_ok record -e cpu-clock --no-inherit -o "$T/folded" -- "$WORKLOADS/storm" 50 5
	expect_match "$T/folded" ';parent_spin' "the parent"
	expect_no_match "$T/folded" ';child_spin' "a child"
}

t_duration_ends_the_command() {
	local start=$SECONDS
	pmb record -e cpu-clock -d 1 -o "$T/folded" -- "$WORKLOADS/split" 60
	expect_le "$((SECONDS - start))" 59 "seconds: less than the command takes"
	expect_eq "$rc" 143 "exit status: the command got SIGTERM"
	expect_ge "$(folded_sum_of "$T/folded" '^split;')" 1 \
		"ns: however little it got of a busy CPU"
}

t_command_is_a_duration_under_a() {
	spawn "$WORKLOADS/recurse" 20
	pmb_ok record -a -e cpu-clock -o "$T/folded" -- sleep 1
	expect_match "$T/folded" '^recurse;' "a program that is not the command's"
}

t_no_such_command() {
	pmb record -e cpu-clock -- /nonexistent/program
	expect_ge "$rc" 1 "exit status"
	expect_match "$T/err" '/nonexistent/program' "the program is named"
	expect_empty "$T/out" "stdout"
}

run_tests
