#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The 70/30 program: shares, weights against the counter, names, main in every stack.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"


seconds=5

# One recording at 999 Hz, inside one of perf, for most of the tests.
setup() {
	local perf outer=() before
	perf=$(perf_path) && "$perf" record -e cpu-clock -o "$T/probe" true >/dev/null 2>&1 &&
		outer=("$perf" record -q -F 999 -e cpu-clock -o "$S/perf.data" --)
	before=$(taken_ns)
	${outer[@]+"${outer[@]}"} "$PMUBPF" record -F 999 -o "$S/folded" --summary "$S/sum.json" \
		-- "$WORKLOADS/split" "$seconds" >"$S/split.out" 2>"$T/err" </dev/null
	expect_eq $? 0 "exit status"
	echo $(($(taken_ns) - before)) >"$S/taken"
	expect_folded "$S/folded"
}

# What the program's own clock says: percent of hot70, of hot30.
own_share() {
	awk -v n="$1" '{ for (i = 1; i < NF; i += 2) v[$i] = $(i + 1)
		printf "%.3f\n", 100 * v[n] / (v["hot70"] + v["hot30"]) }' "$S/split.out"
}

# Of both functions' time alone: what reading its clock costs the program is neither's, and is dear
# on some kernels.
expect_own_share() { # FUNCTION
	expect_share "$S/folded" "$1" "$(own_share "$1")" '^split;.*;hot[37]0(;|$)' 999
}

t_share_hot70() {
	expect_within "$(own_share hot70)" 70 3 "what the program itself measured"
	expect_own_share hot70
}

t_share_hot30() {
	expect_own_share hot30
}

t_same_as_perf() {
	[ -s "$S/perf.data" ] || skip "perf cannot record here"
	"$(perf_path)" script -i "$S/perf.data" --comm split -F period,ip,sym 2>/dev/null |
		awk '$3 ~ /^hot[37]0$/ { s[$3] += $1; n++ }
			END { both = s["hot70"] + s["hot30"]; if (both) printf "%.3f %d\n", 100 * s["hot70"] / both, n }' >"$T/perf"
	local share n
	read -r share n <"$T/perf" || fail "perf has no samples of them"
	# both scatter
	expect_within "$(leaf_share "$S/folded" hot70 ';hot[37]0$')" "$share" \
		"$(awk -v p="$(points_of 70 "$n")" 'BEGIN { print p * sqrt(2) }')" \
		"hot70, perf's, in $n samples"
}

t_main_in_the_stacks() {
	# Samples in user code have no kernel frame as their leaf. The loader's have no main.
	user_code "$S/folded" |
		grep -Ev ';(_dl_|dl_|rtld|do_lookup|\[ld)|;_start [0-9]*$' >"$T/user"
	expect_ge "$(frame_share "$T/user" main)" 99 "percent of user samples under main"
}

# A PMU's interrupt may come amid of the kernel's entry code, when what user space had in its
# registers isn't saved yet: of those in the kernel a few have no names.
expect_frames_have_names() { # FOLDED
	grep -v '_\[k\]' "$1" >"$T/of_user_code"
	expect_no_match "$T/of_user_code" '\[unknown\]|\]\+0x' "a frame has no name"
	expect_le "$(folded_share "$1" '\[unknown\]|\]\+0x')" 0.5 "percent with a nameless frame"
}

t_frames_named() {
	local name
	grep -E ';(hot70|hot30|spin_mix|main)' "$S/folded" >"$T/mine"
	for name in hot70 hot30 main; do
		expect_match "$T/mine" ";$name(;| [0-9]+\$)" "frames of $name"
	done
	expect_frames_have_names "$T/mine"
	expect_le "$(folded_share "$S/folded" '\[unknown\]|\]\+0x')" 0.5 \
		"percent with a nameless frame"
}

t_weights_near_counter() {
	cp "$S/sum.json" "$T/sum.json"
	expect_weight_near_counter 2
}

t_ledger() {
	expect_ledger "$S/sum.json"
	cp "$S/sum.json" "$T/sum.json"
	expect_lossless
}

t_time_is_right() {
	# The unit is time: the program's weight is its CPU time in ns.
	local total
	total=$(awk '{ print $6 }' "$S/split.out")
	expect_ns "$(folded_sum_of "$S/folded" '^split;')" "$total" 2 "ns of CPU time" 999 \
		"$(cat "$S/taken")"
}

t_attached_to_a_pid() {
	local pid before after
	spawn "$WORKLOADS/split" 25 >/dev/null
	pid=$spawned
	sleep 0.2
	# it stands still while the recording begins and ends
	kill -STOP "$pid"
	before=$(cpu_time_ns "$pid")
	pmb_ok record -F 999 -p "$pid" -o "$T/folded" --summary "$T/sum.json" -- \
		sh -c "kill -CONT $pid; sleep 5; kill -STOP $pid"
	after=$(cpu_time_ns "$pid")
	kill -CONT "$pid"
	expect_folded "$T/folded"
	expect_share "$T/folded" hot70 70 ';hot[37]0(;|$)'
	expect_ledger
	expect_eq "$(sum_scope)" per-task "scope"
	expect_eq "$(sum_filtered)" 0 "filtered: -p does not see other programs"
	expect_weight_near_counter 2
	expect_ns "$(folded_sum "$T/folded")" "$((after - before))" 20 "ns that the process used"
	expect_frames_have_names "$T/folded"
}

run_tests
