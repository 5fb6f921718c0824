#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Runs the unit tests: tests/run-unit.sh DIR — every program test_* in DIR (they are Criterion's).
#
# One line per program; what a failing one said follows in full. At the end exactly "N passed,
# N failed, N skipped"; the exit status is 0 if nothing failed and something passed. A program fails
# that dies, runs out of time, or runs no test. One that failed runs once more after the others,
# alone, and that verdict counts; a line "second try, alone: …" names it.
#
# Environment: UNIT_TIMEOUT (seconds per program), UNIT_TEST_TIMEOUT (seconds per test), UNIT_ARGS
# (given to each program).
set -u -o pipefail

UNIT_TIMEOUT=${UNIT_TIMEOUT:-180}
UNIT_TEST_TIMEOUT=${UNIT_TEST_TIMEOUT:-60}

if [ $# -ne 1 ] || [ ! -d "$1" ]; then
	echo "usage: $0 DIR (a folder of test_* programs; \`make unit' builds them)" >&2
	exit 2
fi

WORK=$(mktemp -d "${TMPDIR:-/tmp}/pmb-unit.XXXXXX")
trap 'rm -rf "$WORK"' EXIT

count() { # REGEX TAP: lines of the report that match
	grep -cE "$1" "$2"
}

run_program() { # FILE TAP OUT
	: >"$2"
	# shellcheck disable=SC2086 # UNIT_ARGS is a list of words
	timeout --kill-after=5 "$UNIT_TIMEOUT" "$1" --tap="$2" --verbose=1 --color=never \
		--timeout="$UNIT_TEST_TIMEOUT" ${UNIT_ARGS:-} </dev/null >"$3" 2>&1
}

# What is to be said of it goes to stdout, its counts to $WORK/NAME.counts.
run_one() { # FILE
	local name tap out ok bad skip status reason=""
	name=$(basename "$1")
	tap=$WORK/$name.tap out=$WORK/$name.out
	run_program "$1" "$tap" "$out"
	status=$?

	skip=$(count '^ok .*# (SKIP|skip)' "$tap")
	ok=$(($(count '^ok ' "$tap") - skip))
	bad=$(count '^not ok ' "$tap")
	if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
		reason="not done after $UNIT_TIMEOUT s"
	elif [ $((ok + bad + skip)) -eq 0 ]; then
		reason="no test ran (status $status)"
	elif [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
		reason="ended with status $status"
	fi
	[ -z "$reason" ] || bad=$((bad + 1))
	echo "$ok $bad $skip" >"$WORK/$name.counts"
	if [ "$bad" -eq 0 ]; then
		printf 'ok   %-22s %4d passed%s\n' "$name" "$ok" \
			"$([ "$skip" -eq 0 ] || echo ", $skip skipped")"
		grep -E '^ok .*# (SKIP|skip)' "$tap" | sed "s/^ok - /     skipped: /; s/test was skipped/disabled in its source, which says why/"
		return
	fi
	printf 'FAIL %-22s %4d passed, %d failed%s\n' "$name" "$ok" "$bad" "${reason:+: $reason}"
	grep -vE '^\[(RUN |PASS|SKIP)\]' "$out" | sed 's/^/     | /'
}

# As many at a time as there are CPUs; what they said comes in the order of their names.
programs=()
running=0
for file in "$1"/test_*; do
	[ -f "$file" ] && [ -x "$file" ] || continue
	programs+=("$(basename "$file")")
	if [ "$running" -ge "$(nproc)" ]; then
		wait -n
		running=$((running - 1))
	fi
	run_one "$file" >"$WORK/${file##*/}.said" &
	running=$((running + 1))
done
wait

for name in ${programs[@]+"${programs[@]}"}; do
	grep -q '^FAIL ' "$WORK/$name.said" || continue
	{
		sed -n 's/^FAIL /second try, alone: /p' "$WORK/$name.said"
		run_one "$1/$name"
	} >"$WORK/again"
	mv "$WORK/again" "$WORK/$name.said"
done

passed=0 failed=0 skipped=0
for name in ${programs[@]+"${programs[@]}"}; do
	cat "$WORK/$name.said"
	if read -r ok bad skip <"$WORK/$name.counts"; then
		passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
	else
		failed=$((failed + 1))
	fi
done
[ ${#programs[@]} -ne 0 ] || echo "no test_* program in $1: run \`make unit'"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -ne 0 ]
