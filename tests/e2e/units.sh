#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What the number at the end of a line is.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"


t_samples() {
	pmb_ok record -e cpu-clock --unit samples -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/split" 0.4
	expect_eq "$(folded_sum "$T/folded")" "$(sum_aggregated)" "Σ of the folded file"
}

t_clock_is_time_already() {
	pmb_ok record -e task-clock -o "$T/time" -- "$WORKLOADS/split" 0.5
	expect_ns "$(folded_sum_of "$T/time" '^split;')" 500000000 2 "ns" 987
	pmb_ok record -e task-clock --unit time -o "$T/time" -- "$WORKLOADS/split" 0.5
	expect_ns "$(folded_sum_of "$T/time" '^split;')" 500000000 2 "ns with --unit time" 987
}

t_events_by_default() {
	pmb_ok record -e page-faults -c 1 -o "$T/folded" -- "$WORKLOADS/faults" 500
	expect_eq "$(frame_sum "$T/folded" touch_pages)" 500 "page faults in touch_pages"
}

frame_sum() {
	folded_sum_of "$1" ";$2(;|\$)"
}

t_weight_is_the_period() {
	# Every 10th fault of a CPU is sampled and stands for ten; beside others' faults each of
	# ours is sampled by a chance of a tenth: four sigmas are 4 * 10 * sqrt(5000 * 0.1 * 0.9).
	pmb_ok record -e page-faults -c 10 -o "$T/folded" -- "$WORKLOADS/faults" 5000
	expect_within "$(frame_sum "$T/folded" touch_pages)" 5000 850 "page faults in touch_pages"
	pmb_ok record -e page-faults/period=10/ -o "$T/folded" -- "$WORKLOADS/faults" 5000
	expect_within "$(frame_sum "$T/folded" touch_pages)" 5000 850 "with period= in the event"
}

t_frequency_of_a_software_event() {
	# The kernel is slow to find the period, and coarse: no exact sum can be promised.
	pmb_ok record -e page-faults -F 1000 -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/faults" 150000
	expect_ledger
	expect_ge "$(frame_sum "$T/folded" touch_pages)" 100 "page faults in touch_pages"
}

t_time_refused() {
	pmb record -e page-faults --unit time -- true
	expect_eq "$rc" 2 "exit status"
	expect_match "$T/err" 'page-faults' "the event is named"
	expect_match "$T/err" 'time' "the unit is named"
	expect_empty "$T/out" "stdout"
}

t_time_refused_as_one_of_several() {
	pmb record -e cpu-clock,page-faults --unit time -- true
	expect_eq "$rc" 2 "exit status"
	expect_match "$T/err" 'page-faults' "the event is named"
}

t_cycles_to_time() {
	has_pmu || skip "no hardware PMU"
	pmb_ok record -e cycles -o "$T/folded" --summary "$T/sum.json" -- "$WORKLOADS/split" 1
	# the rate is one for all of the recording, the clock's may change meanwhile: 10 %
	local own hz
	own=$(sed 's/.* total //' "$T/out")
	hz=$(awk -v n="$(sum_aggregated)" -v ns="$(folded_sum "$T/folded")" \
		'BEGIN { print (ns > 0) ? n / ns * 1e9 : 0 }')
	expect_ns "$(folded_sum_of "$T/folded" '^split;')" "$own" 10 "ns" "$hz"
}

run_tests
