#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What threads say they work on (--label context): against programs that know how long they did.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

setup() {
	need_root
}

state() { # of how many samples the summary says that of their contexts
	jq -r ".contexts | $1" "$T/sum.json"
}

samples() { # REGEX
	folded_sum_of "$T/folded" "$1"
}

# NS by the program's own clocks.
had() { # KIND
	awk -v kind="$1" '$1 == kind { print $2 }' "$T/out"
}

had_of_all() { # KIND
	awk "BEGIN { print $(had "$1") / ($(had cart) + $(had search) + $(had nobody)) }"
}

# That many of the samples are within four standard deviations of a share of them.
expect_part() { # SAMPLES OF-SO-MANY SHARE WHAT
	awk -v n="$1" -v all="$2" -v p="$3" 'BEGIN {
		off = n - all * p
		exit !(all > 100 && off * off <= 16 * all * p * (1 - p))
	}' || fail "$4: $1 of $2 samples, and its share of time is $3"
}

# COMMAND … whose threads are those of contexts.c.
expect_contexts() {
	local cart search nobody known
	pmb_ok record -e cpu-clock -F 1000 --budget 0 --by context --unit samples -o "$T/folded" \
		--summary "$T/sum.json" -- "$@"
	expect_eq "$(jq .balanced "$T/sum.json")" true "the books balance"
	cart=$(samples '^http_route=/cart http_method=GET;')
	search=$(samples '^http_route=/search http_method=GET( user=ann)?;')
	nobody=$(samples '^[[]no context];.*;serve(;|$)')
	expect_eq "$(state .read)" $((cart + search)) "contexts that were read"
	expect_eq "$(state '.unreadable + .invalid + .not_found + .lost')" 0 "others"
	expect_part "$cart" $((cart + search)) \
		"$(awk "BEGIN { print $(had cart) / ($(had cart) + $(had search)) }")" "/cart"
	# these include those that came before it was known where to look
	known=$((cart + search + nobody))
	[ "$(state .unseen)" -gt 200 ] || expect_part "$nobody" $known "$(had_of_all nobody)" nobody
	expect_ge "$(samples '^http_route=/search http_method=GET;')" 20 "/search without a user"
	expect_ge "$(samples '^http_route=/search http_method=GET user=ann;')" 20 \
		"with a key that came later"
}

t_of_a_program() {
	expect_contexts "$WORKLOADS/contexts" 1
}

t_of_a_library() {
	expect_contexts "$WORKLOADS/contextlib" 1 "$WORKLOADS/published-gnu.so"
}

t_of_a_library_with_descriptors() {
	expect_contexts "$WORKLOADS/contextlib" 1 "$WORKLOADS/published-descriptors.so"
}

# By frame pointers, and of a program that was there before.
t_of_a_process() {
	spawn "$WORKLOADS/contexts" 30
	pmb_ok record -e cpu-clock -F 1000 --call-graph fp --budget 0 --label context \
		-p "$spawned" -d 2 -o "$T/p.pb.gz" --summary "$T/sum.json"
	expect_ge "$(state .read)" 100 "contexts that were read"
	pmb_ok report --by context --csv "$T/p.pb.gz"
	grep -q 'http_route=/cart http_method=GET' "$T/out" || fail "report has no /cart"
	pmb_ok report --by function --label 'context=http_route=/cart http_method=GET' --csv \
		"$T/p.pb.gz"
	grep -q 'serve\|spin_for' "$T/out" || fail "report of a context has no function"
}

# Nothing is read where nobody asks, and there is nothing in most programs.
t_of_no_program() {
	pmb_ok record -e cpu-clock --summary "$T/sum.json" -o "$T/folded" -- \
		"$WORKLOADS/contexts" 0.1
	expect_eq "$(state 'add')" 0 "states where nobody asks"
	pmb_ok record -e cpu-clock --by context --summary "$T/sum.json" -o "$T/folded" -- \
		"$WORKLOADS/split" 1
	expect_eq "$(state .read)" 0 "contexts of a program that has none"
	expect_ge "$(state .unpublished)" 100 "samples of it"
}

t_of_a_hostile_program() {
	pmb_ok record -e cpu-clock -F 1000 --budget 0 --by context --summary "$T/sum.json" \
		-o "$T/folded" -- "$WORKLOADS/badcontexts" 1.5
	expect_eq "$(jq .balanced "$T/sum.json")" true "the books balance"
	expect_ge "$(state .unreadable)" 50 "what can't be read"
	expect_ge "$(state .invalid)" 20 "what is none"
	expect_ge "$(state .read)" 20 "what is too large"
	expect_eq "$(state .lost)" 0 "what found no room"
	grep -q "^#3=x\{200\};" "$T/folded" || fail "what is too large isn't cut"
}

run_tests
