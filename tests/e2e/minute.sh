#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What takes most of a minute to show. SOAK=1: with as many containers as make soak-agent has.
# alone: beside others its windows are longer
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# make soak-agent, for 40 s, in which 50 containers begin: what it takes is bounded from the start,
# and windows follow each other; whether it grows takes ten minutes to tell.
t_an_agent_for_a_minute() {
	local containers=75 seconds=40 # one after the other within a minute
	[ "${SOAK:-0}" = 0 ] || containers=300 seconds=60
	SOAK_AGENT=1 SOAK_S=$seconds SOAK_STEP=5 SOAK_EVERY=8s SOAK_CONTAINERS=$containers \
		PMUBPF=$PMUBPF O=$O "$TOP/tests/bench/soak.sh" >"$T/out" 2>"$T/err"
	expect_eq $? 2 "exit status: $(head -n 1 "$T/err")"
	expect_match "$T/out" '^[4-9] windows of [0-9]+ s, 0 gaps' "the windows"
	expect_match "$T/out" '^too short to tell' "the verdict"
	awk -F'\t' '/^[0-9]+\t/ { for (i = 1; i <= 8; i++) most[i] = $i > most[i] ? $i : most[i] }
		END { print most[2], most[3], most[7] }' "$T/out" >"$T/most"
	read -r starts kb maps <"$T/most"
	expect_ge "$starts" 20 "programs that started"
	# of its own: as much as --max-memory for the profile, and once more for what it is made of
	expect_le "$kb" $((64 * 1024)) "kB of the agent's own"
	expect_le "$maps" 60 "BPF maps"
}

run_tests
