#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# pmubpf list and pmubpf doctor, with and without root.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

ALIASES=$(sed -n 's/^\t{"\([a-z-]*\)", .*/\1/p' "$TOP/user/pmu/alias.c")

as_nobody() {
	need_root
	install -m 755 "$PMUBPF" "$T/pmubpf"
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all \
		"$T/pmubpf" "$@" >"$T/out" 2>"$T/err" </dev/null
	rc=$?
}

expect_list() {
	local name n=0
	expect_eq "$rc" 0 "exit status"
	for name in $ALIASES; do
		expect_match "$T/out" "^ *$name( |\$)" "the well-known events"
		n=$((n + 1))
	done
	expect_ge $n 24 "well-known events"
}

t_list() {
	pmb list
	expect_list
}

t_list_without_root() {
	as_nobody list
	expect_list
}

t_list_tells_what_is_here() {
	# Tried, not guessed: what list says is here can be recorded, what it says isn't cannot.
	pmb_ok list
	expect_match <(grep -E '^ *cpu-clock ' "$T/out") '.' "cpu-clock"
	if ! has_pmu; then
		expect_match <(grep -E '^ *cycles ' "$T/out") '[a-z]' "why cycles is not here"
	fi
}

t_doctor() {
	pmb doctor
	expect_eq "$rc" 0 "exit status: cpu-clock can be recorded here"
	local word
	for word in "$(uname -r)" btf PMU CAP_BPF paranoid; do
		expect_match "$T/out" "$word" "doctor"
	done
}

t_doctor_without_root() {
	as_nobody doctor
	expect_eq "$rc" 3 "exit status: nothing can be recorded without privilege"
	expect_match "$T/out" 'CAP_|root|privilege' "doctor"
}

t_nothing_is_left_loaded() {
	[ -n "$(bpftool_path)" ] || skip "no bpftool that works"
	pmb doctor
	pmb list
	# those of others that end just now go a moment later
	wait_until eval '[ -z "$(orphaned_programs | tee "$T/left")" ]' ||
		fail "programs in the kernel that nobody holds: $(tr '\n' ' ' <"$T/left")"
}

run_tests
