#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A recording that is cut all the time and added up again (tests/bench/cuts.c) is the same
# recording: the columns of each part add up (else it ends with 99), and what is known of the whole
# is true of the sum.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"


setup() {
	PMUBPF=$O/bench/pmubpf-cuts
	[ -x "$PMUBPF" ] || fail "no $PMUBPF: make build/bench/pmubpf-cuts"
}

cut_ok() { # MS ARGS…
	export CUT_MS=$1 CUT_REPORT=$T/cuts CUT_NAMES=$NAMES
	shift
	PMUBPF=$O/bench/pmubpf-cuts pmb_ok record -o "$T/folded" --summary "$T/sum.json" "$@"
	expect_ledger
}

parts() { jq -r .parts "$T/cuts"; }

NAMES=
own_ns() { # FUNCTION…: CPU time by the program's own clock
	awk -v names=" $* " '{ for (i = 1; i < NF; i += 2) if (index(names, " " $i " ")) s += $(i + 1) } END { printf "%.0f\n", s }' "$T/out"
}

# What the program's own clock says it ran is what was sampled: no part of the time is missing
# between two parts.
expect_all_time() { # HZ
	local f
	expect_eq "$(folded_sum "$T/folded")" "$(sum_weight)" \
		"Σ of the folded file against the summary"
	for f in hot70 hot30; do
		expect_ns "$(folded_sum_of "$T/folded" "^split;.*;$f( |\$|;)")" "$(own_ns "$f")" 4 \
			"time in $f" "$1"
	done
}

t_every_100_ms() {
	cut_ok 100 -e cpu-clock -F 999 -- "$WORKLOADS/split" 2
	expect_ge "$(parts)" 10 "parts"
	expect_all_time 999
}

t_every_10_ms() {
	cut_ok 10 -e cpu-clock -F 999 -- "$WORKLOADS/split" 2
	expect_ge "$(parts)" 40 "parts"
	expect_all_time 999
}

t_every_second() {
	cut_ok 1000 -e cpu-clock -F 999 -- "$WORKLOADS/split" 3
	expect_ge "$(parts)" 3 "parts"
	expect_all_time 999
}

t_counts_are_exact() {
	# a ring in which all of them have room, whenever the reader gets a CPU
	cut_ok 50 -m 16M -e page-faults -c 1 -- "$WORKLOADS/faults" 5000
	local unseen
	# what the kernel counts and calls no program for
	unseen=$(sum_get '.events[0].kernel.dropped.unseen')
	expect_within "$(folded_sum_of "$T/folded" ';touch_pages(;|$)')" 5000 $((2 + unseen)) \
		"page faults in touch_pages"
	expect_eq "$(sum_dropped)" "$unseen" "dropped for any other reason"
}

# Samples that wait for a table wait on, over the cuts.
t_tables_that_come_late() {
	cut_ok 10 -e cpu-clock -F 999 -- "$WORKLOADS/frameless" deep 1
	expect_ge "$(user_share "$T/folded" ';(main|thread);deep01;' '^frameless;')" 95 \
		"percent that was walked"
}

# The second part asks for what is new alone, and goes on being recorded while it asks.
t_names_are_kept() {
	NAMES=1 cut_ok 100 -e cpu-clock -F 999 -- "$WORKLOADS/split" 2
	expect_ge "$(jq -r .known "$T/cuts")" 10 "places that were known"
	# once each, or a second time where the helper was put off
	expect_le "$(jq -r .asked "$T/cuts")" $((2 * $(jq -r .kept "$T/cuts"))) "places asked for"
	expect_ge "$(jq -r .steps "$T/cuts")" 1 "steps of the recording while a helper was asked"
	expect_lossless
}

run_tests
