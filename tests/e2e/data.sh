#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# --data: what overflows with an address are about. Objects and segments are known beforehand.
# measures nothing
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# Of folded lines that begin with the label: "VALUE NUMBER", of those with FUNCTION.
by_label() { # FOLDED FUNCTION
	grep ";$2[;_ ]" "$1" | awk '{ split($0, part, ";"); n[part[1]] += $NF }
		END { for (value in n) print value, n[value] }' | sort
}

objects() { # LABEL
	pmb_ok record --data -e page-faults -c 1 --by "$1" -o "$T/folded" \
		--summary "$T/sum.json" -- "$WORKLOADS/objects"
	expect_ledger
	by_label "$T/folded" touch >"$T/seen"
}

t_objects() {
	objects data_object
	awk '$3 > 0 { print $1, $3 }' "$T/out" | sort >"$T/known"
	expect_eq "$(comm -3 "$T/known" "$T/seen")" "" "faults by object that differ"
}

t_segments() {
	objects data_segment
	printf '%s 100\n' heap mapped program stack >"$T/known"
	expect_eq "$(comm -3 "$T/known" "$T/seen")" "" "faults by segment that differ"
}

t_pages_and_lines() {
	local label
	for label in data_page cache_line; do
		objects "$label"
		awk '$3 > 0 { print $2, $3, $4 }' "$T/out" | while read -r base pages size; do
			for ((i = 0; i < pages; i++)); do
				printf '0x%x 1\n' $((base + i * size))
			done
		done | sort >"$T/known"
		expect_eq "$(comm -3 "$T/known" "$T/seen" | head -n 3)" "" "$label: these differ"
	done
}

# Every sample of the event is in one of two columns.
t_the_law() {
	objects data_object
	local with without
	with=$(sum_get '.events[0].user.data.with_address')
	without=$(sum_get '.events[0].user.data.without_address')
	expect_eq $((with + without)) "$(sum_aggregated)" "with + without"
	expect_eq "$without" 0 "faults without an address"
}

# The same parts, added up, of a recording that is cut all the time.
t_cut() {
	[ -x "$O/bench/pmubpf-cuts" ] || skip "build/bench/pmubpf-cuts is not built"
	export PMUBPF="$O/bench/pmubpf-cuts" CUT_MS=5
	objects data_object
	awk '$3 > 0 { print $1, $3 }' "$T/out" | sort >"$T/known"
	expect_eq "$(comm -3 "$T/known" "$T/seen")" "" "faults by object that differ"
}

t_a_watched_variable() {
	local addr
	need_breakpoints
	addr=$(nm "$WORKLOADS/watch" | awk '$3 == "watched" { print "0x" $1 }')
	pmb_ok record --data -e "mem:$addr/8:w" \
		--by data_object,data_segment -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/watch" 1000
	expect_ledger
	expect_eq "$(folded_sum_of "$T/folded" '^watched;program;')" 1000 "stores to it"
	expect_eq "$(folded_sum "$T/folded")" 1000 "all samples"
}

# A variable of a library, by .dynsym where there is no more.
t_a_variable_of_a_library() {
	pmb_ok record --data -e page-faults -c 1 --by data_object -o "$T/folded" -- /bin/true
	expect_match "$T/folded" '^(_IO_|_nl_|__|_rtld_|std)[^;]*;true;' "a variable of libc"
}

t_saved_and_reported() {
	pmb_ok record --data -e page-faults -c 1 -o "$T/p.pb.gz" -- "$WORKLOADS/objects"
	pmb_ok report --by data_object,data_segment "$T/p.pb.gz"
	expect_match "$T/out" '100 +100 +in_bss$' "the object"
	expect_match "$T/out" '100 +100 +program$' "its segment"
	pmb_ok report --by data_source "$T/p.pb.gz"
}

t_nothing_unless_asked() {
	pmb_ok record -e page-faults -c 1 -o "$T/p.pb.gz" --summary "$T/sum.json" -- \
		"$WORKLOADS/objects"
	expect_eq "$(sum_get '.events[0].user.data.with_address')" 0 "with an address"
	pmb report --by data_object "$T/p.pb.gz"
	expect_match "$T/out" 'no data_object' "there is no such label"
}

t_events_without_data() {
	pmb record --data -e cpu-clock -- /bin/true
	expect_eq "$rc" 2 "exit status"
	expect_match "$T/err" 'page-faults, alignment-faults and breakpoints' "which ones do"
}

# With --addr the address itself stands beside.
t_with_addresses() {
	pmb_ok record --data --addr -e page-faults -c 1 --by data_object -o "$T/folded" -- \
		"$WORKLOADS/objects"
	expect_eq "$(grep -c '^in_bss;objects;.*;touch;\[0x[0-9a-f]*\] 1$' "$T/folded")" 100 \
		"faults of in_bss with an address"
}

run_tests
