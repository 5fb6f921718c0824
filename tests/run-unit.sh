#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Runs the unit tests: tests/run-unit.sh DIR — every program test_* in DIR (they are Criterion's).
#
# One line per program; what a failing one said follows in full. At the end exactly "N passed,
# N failed, N skipped"; the exit status is 0 if nothing failed and something passed. A program fails
# that dies, runs out of time, or runs no test.
#
# Environment: UNIT_TIMEOUT (seconds per program), UNIT_TEST_TIMEOUT (seconds per test), UNIT_ARGS
# (given to each program).
set -u -o pipefail

UNIT_TIMEOUT=${UNIT_TIMEOUT:-60}
UNIT_TEST_TIMEOUT=${UNIT_TEST_TIMEOUT:-20}

if [ $# -ne 1 ] || [ ! -d "$1" ]; then
	echo "usage: $0 DIR (a folder of test_* programs; \`make unit' builds them)" >&2
	exit 2
fi

WORK=$(mktemp -d "${TMPDIR:-/tmp}/pmb-unit.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
passed=0 failed=0 skipped=0

count() { # REGEX: lines of the TAP report that match
	grep -cE "$1" "$WORK/tap"
}

run_program() { # FILE
	: >"$WORK/tap"
	# shellcheck disable=SC2086 # UNIT_ARGS is a list of words
	timeout --kill-after=5 "$UNIT_TIMEOUT" "$1" --tap="$WORK/tap" --verbose=1 --color=never \
		--timeout="$UNIT_TEST_TIMEOUT" ${UNIT_ARGS:-} </dev/null >"$WORK/out" 2>&1
}

run_one() { # FILE
	local file=$1 name ok bad skip status reason=""
	name=$(basename "$file")
	run_program "$file"
	status=$?
	# these are about deadlines of other processes, which a busy machine may keep waiting
	if [ "$status" -ne 0 ] && [[ $name == test_sym_client || $name == test_table_client ]]; then
		echo "     again: $name: $(grep -m 1 'FAIL' "$WORK/out")"
		run_program "$file"
		status=$?
	fi

	skip=$(count '^ok .*# (SKIP|skip)')
	ok=$(($(count '^ok ') - skip))
	bad=$(count '^not ok ')
	if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
		reason="not done after $UNIT_TIMEOUT s"
	elif [ $((ok + bad + skip)) -eq 0 ]; then
		reason="no test ran (status $status)"
	elif [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
		reason="ended with status $status"
	fi
	[ -z "$reason" ] || bad=$((bad + 1))
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
	if [ "$bad" -eq 0 ]; then
		printf 'ok   %-22s %4d passed%s\n' "$name" "$ok" "$([ "$skip" -eq 0 ] || echo ", $skip skipped")"
		grep -E '^ok .*# (SKIP|skip)' "$WORK/tap" | sed "s/^ok - /     skipped: /; s/test was skipped/disabled in its source, which says why/"
		return
	fi
	printf 'FAIL %-22s %4d passed, %d failed%s\n' "$name" "$ok" "$bad" "${reason:+: $reason}"
	grep -vE '^\[(RUN |PASS|SKIP)\]' "$WORK/out" | sed 's/^/     | /'
}

for file in "$1"/test_*; do
	[ -f "$file" ] && [ -x "$file" ] && run_one "$file"
done
[ $((passed + failed + skipped)) -ne 0 ] || echo "no test_* program in $1: run \`make unit'"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -ne 0 ]
