#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Classes of the basic blocks that samples were taken in: known loops, and what has no code.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

setup() {
	pmb_ok record -e task-clock -F 997 --label blockclass --by blockclass -o "$S/p.pb.gz" \
		-o "$S/folded" --summary "$S/sum.json" -- "$WORKLOADS/blocks" 6
	expect_ledger "$S/sum.json"
	mv "$T/out" "$S/told"
}

# Samples of a class, of all classes without one: of the workload's loops.
samples() { # CLASS
	jq "[.rows[] | select(.name == \"$1\") | .events[0].self.samples] | add // 0" "$T/out"
}

samples_of_loops() {
	jq '[.rows[] | select(.name | IN("[kernel]", "[no code]", "system") | not)
		| .events[0].self.samples] | add' "$T/out"
}

# Each loop's class has its part of the time, by as many samples.
t_known_loops() {
	local n class want
	pmb_ok report --by blockclass --json "$S/p.pb.gz"
	n=$(samples_of_loops)
	expect_ge "$n" 3000 "samples"
	awk '{ n[$1] += $3; all += $3 }
		END { for (c in n) printf "%s %.3f\n", c, 100 * n[c] / all }' "$S/told" >"$T/want"
	[ "$(uname -m)" != x86_64 ] || expect_ge "$(wc -l <"$T/want")" 12 "classes"
	while read -r class want; do
		expect_within "$(jq -n "100 * $(samples "$class") / $n")" "$want" \
			"$(points_of "$want" "$n")" "$class in $n samples"
	done <"$T/want"
}

# Whose loop it is says which class it has.
t_each_loop_has_its_class() {
	local class name ns
	while read -r class name ns; do
		[ "$ns" -gt 50000000 ] || continue # of few samples
		# but for one in twenty, which are on the way in or out
		awk -F ';' -v name="^$name " '
			$NF ~ name && $1 != "[kernel]" {
				split($NF, w, " "); n[$1] += w[2]; all += w[2]
			}
			END { for (c in n) if (n[c] > all / 20) print c }' "$S/folded" >"$T/seen"
		expect_eq "$(cat "$T/seen")" "$class" "class of $name"
	done <"$S/told"
}

# With other keys, compared, and of a part; rows add up to all.
t_as_a_key() {
	pmb_ok report --by function,blockclass --csv "$S/p.pb.gz"
	expect_ge "$(grep -c 'adds_locked.*lock' "$T/out")" 1 "rows of a function's class"
	pmb_ok report --by blockclass --json "$S/p.pb.gz"
	expect_eq "$(jq '[.rows[].events[0].self.samples] | add' "$T/out")" \
		"$(sum_get '.events[0].user.aggregated' "$S/sum.json")" "samples of all classes"
	pmb_ok diff --by blockclass "$S/p.pb.gz" "$S/p.pb.gz"
	grep -q lock "$T/out" || fail "no class in the comparison"
}

# Live, with what the parts before have found.
t_top() {
	pmb_ok top --by blockclass -e task-clock -F 499 --batch -n 3 -I 500 -- "$WORKLOADS/blocks" 2
	grep -q ' lock$' "$T/out" || fail "no class in the live view"
}

# What has no code to look at: the kernel's, and what was written into memory.
t_remainders() {
	pmb_ok record -e task-clock -F 997 --by blockclass -o "$T/folded" -- "$WORKLOADS/jit" 1
	expect_eq "$(grep '_\[k\] [0-9]*$' "$T/folded" | grep -vc '^\[kernel\];')" 0 \
		"kernel's lines of a class"
	expect_ge "$(grep -c '^\[no code\];' "$T/folded")" 1 "lines without code"
}

# Faults are exact: all of a function that only stores are stores. Clocks are not.
t_opcodes() {
	pmb_ok record -e page-faults -c 1 --by opcode -o "$T/folded" -- "$WORKLOADS/objects"
	expect_eq "$(grep -E ';touch [0-9]+$' "$T/folded" | grep -vc '^store;')" 0 "lines of others"
	expect_eq "$(folded_sum_of "$T/folded" '^store;.*;touch$')" 400 "faults of stores"
	pmb record -e cpu-clock,page-faults --label opcode -o "$T/p.pb.gz" -- true
	expect_eq "$rc" 2 "exit status"
	expect_match "$T/err" 'cpu-clock interrupts .* later .* blockclass' "why, and what else"
}

# A profile that was made without it says so; a word more would be one with all in a remainder.
t_must_be_asked_for() {
	pmb_ok record -e task-clock -o "$T/p.pb.gz" -- "$WORKLOADS/blocks" 0.2
	pmb report --by blockclass "$T/p.pb.gz"
	expect_eq "$rc" 2 "exit status"
	expect_match "$T/err" 'record --label blockclass' "how it is asked for"
}

run_tests
