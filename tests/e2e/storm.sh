#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Storms of short-lived processes: inherited per-task events lose most of them, this tool must not.
# The rates are high so that sampling scatters little. SOAK=1: twice as many under -a.
# long
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"


soak() { # LONG SHORT
	if [ "${SOAK:-0}" = 1 ]; then echo "$1"; else echo "$2"; fi
}

# Percent of child_spin in what both spins take.
known_of_spins() {
	awk '{ for (i = 1; i < NF; i += 2) v[$i] = $(i + 1)
		printf "%.3f\n", 100 * v["child_spin"] / (v["child_spin"] + v["parent_spin"]) }' "$T/out"
}

# Percent of the CPU time that the children took under their name, and that child_spin alone took.
known() { # FIELD (stormling, child_spin)
	awk -v f="$1" '{ for (i = 1; i < NF; i += 2) v[$i] = $(i + 1)
		printf "%.3f\n", 100 * v[f] / (v["children"] + v["parent"]) }' "$T/out"
}

# ns of periods whose timer came late: they count for who ran by then, so a sum may be off by so
# much.
late_ns() {
	sum_get '.events[0].kernel.late * 1e9 / 9973 | floor'
}

# The weight of all together is the CPU time of all together: no idle time is charged to anyone.
expect_total() {
	local ns
	ns=$(awk '{ printf "%.0f\n", $2 + $4 }' "$T/out")
	expect_ns "$(folded_sum "$T/folded")" "$ns" 5 "ns of CPU time, parent and children" 9973 \
		$(($(taken_ns) - TAKEN_BEFORE + $(late_ns)))
}

# At 9,973 Hz three points are five standard deviations.
expect_known() { # SHARE WHAT (a field of the program's output)
	expect_within "$1" "$(known "$2")" \
		"$(awk -v late="$(late_ns)" -v all="$(folded_sum "$T/folded")" 'BEGIN { print 3 + 100 * late / all }')" "share of $2"
}

t_500_children() {
	pmb_ok record -e cpu-clock -F 9973 -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/storm" 500 0.6
	expect_ledger
	expect_lossless
	expect_known "$(folded_share "$T/folded" '^stormling;')" stormling
	expect_total
	expect_known "$(frame_share "$T/folded" child_spin)" child_spin
}

t_1500_children_at_the_default_rate() {
	pmb_ok record -e cpu-clock -o "$T/folded" --summary "$T/sum.json" -- "$WORKLOADS/storm" \
		1500 0.6
	expect_ledger
	expect_within "$(frame_share "$T/folded" child_spin 'child_spin|parent_spin')" \
		"$(known_of_spins)" 12 "child_spin against parent_spin"
}

t_500_children_that_exec() {
	pmb_ok record -e cpu-clock -F 9973 -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/storm" 500 0.6 exec
	expect_ledger
	expect_known "$(frame_share "$T/folded" child_spin)" child_spin
	expect_total
	# In the middle of execve the saved user registers still are the replaced program's: not
	# counted.
	expect_le "$(user_share "$T/folded" ';\[unknown\]$')" 2 \
		"percent of samples in user code that has no name"
	# ld.so is built without frame pointers: what looks like its caller may be anything (1.1 to
	# 1.4 % here).
	expect_le "$(user_share "$T/folded" '\[unknown\]')" 3 \
		"percent of samples in user code with an unknown frame"
}

t_processes_under_a() {
	# at a thousand a second what repeats itself each third of a period is in step with it
	pmb_ok record -a -e cpu-clock -F 3989 --budget 0 -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/storm" "$(soak 10000 5000)" 0.05
	expect_ledger
	expect_lossless
	# the clock goes with the ticks that let others run, too: who comes then is met more often
	# (57.2 for 49.9 beside guests)
	expect_within "$(frame_share "$T/folded" child_spin 'child_spin|parent_spin')" \
		"$(known_of_spins)" 12 "child_spin against parent_spin"
}

t_programs_under_a() {
	pmb_ok record -a -e cpu-clock -o "$T/folded" --summary "$T/sum.json" -- "$WORKLOADS/storm" \
		"$(soak 3000 1500)" 0.1 exec
	expect_ledger
	expect_lossless
	expect_eq "$(sum_lost_sideband)" 0 "lost side-band records"
}

t_storm_of_an_attached_process() {
	# -p follows the children too, but short ones are short of samples there: no share is
	# promised.
	spawn "$WORKLOADS/storm" 2000 1 >/dev/null
	pmb_ok record -e cpu-clock -p "$spawned" -d 1 -o "$T/folded" --summary "$T/sum.json"
	expect_ledger
	expect_match "$T/folded" ';parent_spin' "the parent"
}

t_storm_of_an_attached_process_per_cpu() {
	spawn "$WORKLOADS/storm" 4000 0.6 >/dev/null
	pmb_ok record -e cpu-clock --per-cpu -F 9973 -p "$spawned" -d 1 -o "$T/folded" \
		--summary "$T/sum.json"
	expect_ledger
	expect_share "$T/folded" child_spin 50 'child_spin|parent_spin' 9973
}

run_tests
