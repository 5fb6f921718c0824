#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The unit tests of the unwind step (tests/unit/test_unwind_step*.c), answered by the kernel: the
# step as BPF, run by BPF_PROG_TEST_RUN, has to do what the host's does.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# One of $O/tests/bpf, with its cases counted: as many as there are in the source for the kernel.
expect_cases() { # PROGRAM
	local cases
	need_root
	"$O/tests/bpf/$1" >"$T/out" 2>"$T/err" ||
		fail "$(grep -m 1 -E '^FAIL|loaded' "$T/out" "$T/err")"
	cases=$(sed '/^#ifndef STEP_IN_KERNEL/,/^#endif/d' "$TOP/tests/unit/$1.c" |
		grep -c '^Test(')
	expect_eq "$(grep -c '^ok ' "$T/out")" "$cases" "cases"
}

t_x86_64() {
	expect_cases test_unwind_step
}

t_arm64() {
	expect_cases test_unwind_step_arm64
}

t_a_wrong_step_is_noticed() {
	need_root
	local program
	for program in test_unwind_step test_unwind_step_arm64; do
		"$O/tests/bpf/$program" wrong >"$T/out" 2>"$T/err"
		expect_eq "$?" 1 "exit status"
		expect_no_match "$T/out" '^ok ' "a case that did not notice"
	done
}

run_tests
