#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What a recording costs, and that it stays within its budget where nobody gave a rate.
# alone: it measures what recordings cost
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"


cost() { # KEY
	sum_get ".cost.$1"
}

# Two CPUs at most, or the one that we may use: a budget is a part of the time of all that are
# recorded, and on a large machine nothing that two programs do would be beyond it.
two_cpus() {
	taskset -cp $$ | awk '{ n = split($NF, parts, ",")
		for (i = 1; i <= n; i++) {
			m = split(parts[i], ends, "-")
			for (cpu = ends[1]; cpu <= ends[m] && k < 2; cpu++)
				list = list (k++ ? "," : "") cpu
		}
		print list }'
}

# CPU for split, and page faults by the hundred thousand: the default periods are too short for
# that.
busy() { # SECONDS
	cpus=$(two_cpus)
	spawn taskset -c "$cpus" sh -c "while :; do '$WORKLOADS/faults' 200000; done" >/dev/null
	spawn taskset -c "$cpus" "$WORKLOADS/split" "$1" >"$T/split"
}

t_periods_follow_cost() {
	busy 60
	pmb_ok record -C "$cpus" -e cpu-clock,page-faults --budget 0.2 -d 6 -o "$T/folded" \
		--summary "$T/sum.json"
	expect_ge "$(cost budget.highest_factor)" 1.5 "periods were lengthened"
	expect_ge "$(sum_get '.events[0].period')" 1500000 "the clock's longest period"
	expect_match "$T/err" 'periods were up to [0-9.]+ times' "the summary says so"
	# What no period changes (how many programs start here, meanwhile) comes on top. A quarter
	# more is
	# allowed: what was overspent before it was seen is paid back over the seconds to come.
	expect_le "$(jq '.cost.budget | .settled_percent - .fixed_percent' "$T/sum.json")" 0.25 \
		"the cost of samples, percent"
	expect_ledger
	expect_weight_near_counter 5
	expect_weight_near_counter 5 1
	expect_share "$T/folded" hot70 70 '^cpu-clock;split;.*;hot[37]0' \
		"$(jq '1e9 / .events[0].period' "$T/sum.json")"
}

t_inherited_children_keep_their_weights() {
	# Per task: a child that was forked before a change keeps its period, one that came later
	# has the new one.
	spawn sh -c "'$WORKLOADS/split' 60 >/dev/null & while :; do '$WORKLOADS/split' 0.1; done" >/dev/null
	wait_until grep -q . "/proc/$spawned/task/$spawned/children"
	pmb_ok record -e cpu-clock --budget 0.02 -p "$spawned" -d 5 -o "$T/folded" \
		--summary "$T/sum.json"
	expect_ge "$(cost budget.changes)" 1 "changes"
	expect_ledger
	expect_weight_near_counter 5
}

t_a_rate_that_was_given_is_kept() {
	local rate
	for rate in '-e cpu-clock -F 4999' '-e cpu-clock -c 200000' '-e cpu-clock/period=200000/'; do
		# shellcheck disable=SC2086
		pmb_ok record $rate --budget 0.01 -o "$T/folded" --summary "$T/sum.json" -- \
			"$WORKLOADS/split" 1.5
		expect_eq "$(cost budget.changes)" 0 "changes with $rate"
		expect_eq "$(cost budget.adaptive)" false "adaptive with $rate"
		expect_match "$T/err" 'OVER the budget of 0.01 %; rates that were given are kept' \
			"the report with $rate"
	done
}

t_exact_counts_stay_exact() {
	pmb_ok record -m 16M -e page-faults/period=1/,major-faults -o "$T/folded" \
		--summary "$T/sum.json" -- "$WORKLOADS/faults" 20000
	expect_eq "$(sum_get '.events[0].rate.adaptive')" false "adaptive"
	expect_eq "$(folded_sum_of "$T/folded" '^page-faults;.*;touch_pages$')" 20000 "page faults"
}

t_no_budget() {
	busy 60
	pmb_ok record -a -e cpu-clock,page-faults --budget 0 -d 0.5 -o "$T/folded" \
		--summary "$T/sum.json"
	expect_eq "$(cost budget.percent)" null "the budget"
	expect_eq "$(cost budget.changes)" 0 "changes"
	expect_no_match "$T/err" 'budget' "the report"
}

# Stacks that never repeat, from a ring of one page. What makes them ends with the recording: it
# does not go on while the rest is read.
lagging() { # BUDGET
	pmb_ok record -a -m 1 --budget "$1" -e cpu-clock -o "$T/folded" --summary "$T/sum.json" \
		-- sh -c "'$WORKLOADS/manypaths' 2 & '$WORKLOADS/manypaths' 2 & wait"
}

t_a_reader_that_lags() {
	local lost
	lagging 0
	lost=$(cost lost)
	jq -e '.cost.lost > 0' "$T/sum.json" >/dev/null ||
		skip "nothing is lost from a ring of one page here"
	lagging 100
	expect_ge "$(cost budget.highest_factor)" 2 "periods were lengthened"
	# they get lost in bursts: how much less is the host's affair as well
	expect_le "$(cost lost)" "$((lost * 4 / 5))" "overflows that were lost"
	expect_ledger
}

# Of five recordings together: one overflow in sixteen is timed, and some of these are held up by
# the host. In one recording the ratio is anything from 0.4 to 1.7.
t_own_figure_and_the_kernels() {
	local runs ns i
	need_root
	need_program python3
	spawn "$WORKLOADS/split" 60 >/dev/null
	for i in 1 2 3 4 5; do
		"$(dirname "$0")/bpf_stats.py" \
			"$PMUBPF" record -q -C 0 -e cpu-clock -F 3000 -d 0.4 \
			-o "$T/folded" --summary "$T/sum.json" \
			>"$T/stats" 2>"$T/err" || skip "$(tail -n 1 "$T/err")"
		read -r runs ns <"$T/stats"
		expect_ge "$runs" 100 "runs of the program"
		echo "$(cost kernel_ns) $(cost overflows) $ns $runs" >>"$T/sums"
	done
	# Means of each: the kernel's begin before the program's first instruction, and what that
	# takes is up to the CPU (0.1 of it here).
	awk '{ own += $1; n += $2; its += $3; runs += $4 } END { print own / n / (its / runs) }' \
		"$T/sums" >"$T/ratio"
	expect_within "$(cat "$T/ratio")" 1.2 0.8 "own figure / the kernel's"
}

t_all_of_it_is_told() {
	pmb_ok record -e cpu-clock -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/split" 0.3
	local key
	for key in user_ns start_ns end_ns rss_bytes helper_rss_bytes map_bytes overflows_timed; do
		expect_ge "$(cost $key)" 1 "$key"
	done
	expect_match <(tail -n 3 "$T/err") '^  cost: [0-9.]+ % of [0-9]+ CPU' "the summary's end"
	expect_match <(tail -n 1 "$T/err") 'lost 0 of [0-9]+' "the summary's last line"
}

t_bad_budgets() {
	local bad
	for bad in x -1 101 ''; do
		pmb record -e cpu-clock --budget="$bad" -- true
		expect_eq "$rc" 2 "exit status of --budget '$bad'"
		expect_match "$T/err" "--budget '$bad'" "why"
	done
}

run_tests
