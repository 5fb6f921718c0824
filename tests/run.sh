#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Runs the end-to-end suites: tests/run.sh [SUITE.sh…] (default: all in tests/e2e).
#
# One line per test, and at the end exactly "N passed, N failed, N skipped"; the exit status is 0 if
# nothing failed. A suite fails that dies, runs out of time, runs no test, or skips everything. After each
# suite the kernel is looked at: no BPF program of this tool may be left, no new BUG, WARNING or Oops
# in its log.
#
# Environment: UNIT_DIR (a folder of unit tests, run and counted too), GUESTS (of tests/vm/guests, the same),
# NEST=0 leaves nest.sh out,
# QUICK=1 shortens the recordings, SUITE_TIMEOUT (seconds),
# SUITE_DIR (another folder of suites), KEEP_LOG=FILE (all output), MINUTES (guests that are left after so many
# are skipped; default 40).
set -u -o pipefail

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export TOP
SUITE_DIR=${SUITE_DIR:-$TOP/tests/e2e}
SUITE_TIMEOUT=${SUITE_TIMEOUT:-600}
WORK=$(mktemp -d "${TMPDIR:-/tmp}/pmb-run.XXXXXX")
export RESULTS=$WORK/results
trap 'rm -rf "$WORK"' EXIT
: >"$RESULTS"

# How long a suite may take: a line "# timeout: SECONDS" in it says so if the usual is not enough.
suite_timeout() {
	local t
	t=$(sed -n 's/^# timeout: \([0-9]*\)$/\1/p' "$1" | head -n 1)
	echo "${t:-$SUITE_TIMEOUT}"
}

count() { # WORD FILE
	grep -c "^$1 " "$2"
}

fail_suite() { # SUITE REASON
	echo "FAIL $1: $2" | tee -a "$RESULTS"
}

# Kernel messages that must not appear, if the log can be read.
kernel_complaints() {
	dmesg 2>/dev/null | grep -E '(BUG|WARNING|Oops|general protection fault|soft lockup|hung task)[: ]'
}

# Programs of this tool that no process holds.
left_programs() {
	bash -c '. "$TOP/tests/e2e/lib.sh"; [ -z "$(bpftool_path)" ] || orphaned_programs'
}

# Programs of a killed process go a moment later.
settled() {
	local i
	for ((i = 0; i < 30; i++)); do
		[ -z "$(left_programs)" ] && return 0
		sleep 0.1
	done
	return 1
}

run_suite() { # FILE
	local file=$1 name limit before after status
	name=$(basename "$file" .sh)
	limit=$(suite_timeout "$file")
	before=$(wc -l <"$RESULTS")
	kernel_complaints >"$WORK/dmesg.before"
	timeout --kill-after=10 "$limit" bash "$file" </dev/null
	status=$?

	tail -n "+$((before + 1))" "$RESULTS" >"$WORK/mine"
	if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
		fail_suite "$name" "not done after $limit s"
	elif [ "$status" -ne 0 ]; then
		fail_suite "$name" "the suite itself ended with status $status"
	elif [ ! -s "$WORK/mine" ]; then
		fail_suite "$name" "no test ran"
	elif [ "$(count skip "$WORK/mine")" -eq "$(wc -l <"$WORK/mine")" ]; then
		fail_suite "$name" "everything is skipped"
	fi
	settled || fail_suite "$name" "left in the kernel: BPF programs $(left_programs | tr '\n' ' ')"
	kernel_complaints >"$WORK/dmesg.after"
	after=$(diff "$WORK/dmesg.before" "$WORK/dmesg.after" | grep -m 1 '^>')
	[ -z "$after" ] || fail_suite "$name" "the kernel complained: ${after#> }"
}

# The unit tests of UNIT_DIR, if asked for: their counts go into the last line.
unit_passed=0 unit_failed=0 unit_skipped=0
unit_dir=${UNIT_DIR:-}
unset UNIT_DIR # the runner's own test runs it again, without them
unit_tests() {
	[ -n "$unit_dir" ] || return 0
	"$TOP/tests/run-unit.sh" "$unit_dir" | tee "$WORK/unit" | sed '$d'
	if ! read -r unit_passed _ unit_failed _ unit_skipped _ < <(tail -n 1 "$WORK/unit" | tr -d ,); then
		fail_suite unit "the unit tests did not end"
	fi
}

# The emulated machines of GUESTS come last, and count like suites.
guest_names=${GUESTS:-}
unset GUESTS # as above
# With MINUTES (from the start of this run) gone, guests that are left are skipped.
START=$(date +%s)
MINUTES=${MINUTES:-36}
guests() {
	[ -n "$guest_names" ] || return 0
	# shellcheck disable=SC2086
	DEADLINE=$((START + MINUTES * 60)) "$TOP/tests/vm/run.sh" $guest_names 2>&1 | tee "$WORK/guests"
	grep -E '^(ok|FAIL|skip) ' "$WORK/guests" >>"$RESULTS" || fail_suite vm "no test ran"
}

main() {
	local suites=("$@") file
	if [ ${#suites[@]} -eq 0 ]; then
		for file in "$SUITE_DIR"/*.sh; do
			case $(basename "$file") in
			lib.sh) ;;
			nest.sh) [ "${NEST:-1}" = 0 ] || suites+=("$file") ;;
			*) suites+=("$file") ;;
			esac
		done
	fi
	for file in "${suites[@]}"; do
		run_suite "$file"
	done
	unit_tests
	guests
	local passed failed skipped
	passed=$(($(count ok "$RESULTS") + unit_passed))
	failed=$(($(count FAIL "$RESULTS") + unit_failed))
	skipped=$(($(count skip "$RESULTS") + unit_skipped))
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ]
}

if [ -n "${KEEP_LOG:-}" ]; then
	main "$@" 2>&1 | tee "$KEEP_LOG"
else
	main "$@"
fi
