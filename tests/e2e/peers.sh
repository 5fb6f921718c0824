#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What others read out of the same data: generated cases by the hundred, with the peers themselves to compare with.
# tests/peers/ has the generators and the comparisons; where we differ on purpose stands there and in the man page.
# measures nothing
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

PEERS=$TOP/tests/peers

# A comparison prints each difference, and last how much was compared.
compare() { # AT_LEAST SCRIPT ARG…
	local least=$1 script=$2 status=0
	shift 2
	python3 "$PEERS/$script" "$@" >"$T/out" 2>"$T/err" || status=$?
	echo "    $(tail -n 1 "$T/out")"
	[ "$status" = 0 ] || fail "$script: $(cut -c -300 "$T/out" | head -n 1)$(tail -n 1 "$T/err")"
	expect_ge "$(tail -n 1 "$T/out" | awk '{ print $1 }')" "$least" "cases of $script"
}

need_go() {
	need_program go
	go tool -n pprof >/dev/null 2>&1 || skip "this Go has no pprof"
	export HOME=$T PPROF_TMPDIR=$T PPROF_BINARY_PATH=$T
}

t_profiles_beside_pprof() {
	need_go
	need_program python3
	python3 "$PEERS/profiles.py" "$T/profiles" 100 || fail "no profiles"
	compare 3000 pprof.py "$T/profiles"
}

run_tests
