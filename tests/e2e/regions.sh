#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Regions of memory: whose pages, and which are missed more often than their size explains.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

regions() { # EVENT FILTER
	jq -r ".events[] | select(.event == \"$1\") | $2" "$T/json"
}

# Of each segment a hundred pages are touched once, besides what a program's start touches.
t_segments() {
	pmb_ok record --data -e page-faults -c 1 -o "$T/p.pb.gz" -- "$WORKLOADS/objects"
	pmb_ok report --regions --json "$T/p.pb.gz"
	mv "$T/out" "$T/json"
	local segment
	for segment in heap program stack mapped; do
		expect_ge "$(regions page-faults \
			"[.regions[] | select(.segment == \"$segment\") | .pages] | add")" 100 \
			"$segment: pages"
	done
	# each page has its fault, but for the few that are written to after they were read
	expect_eq "$(regions page-faults '[.regions[] | select(.pages > 50) |
		select(.ratio > 1.2 or .ratio < 0.8)] | length')" 0 \
		"regions with another share of faults than of pages"
	expect_eq "$(regions page-faults '.samples - .with_page')" 0 "samples without a page"
	expect_eq "$(regions page-faults '[.regions[] | select(.delinquent)] | length')" 0 \
		"delinquent ones"
}

# What the program says, and by the label; a page of the stack may be touched there besides. Of the
# C library's function alone nobody knows whose it was: as long as there is no unwind table.
t_who_touched_first() {
	local function pages seen
	pmb_ok record --data -e page-faults -c 1 --by alloc_site -o "$T/folded" \
		--summary "$T/sum.json" -- "$WORKLOADS/touchers"
	expect_ledger
	while read -r function pages; do
		seen=$(folded_sum_of "$T/folded" "^$function;")
		expect_ge "$((pages + 4))" "$seen" "at most, pages of $function"
		[ "$function" != touch_set ] || seen=$((seen +
			$(folded_sum_of "$T/folded" '^\[no alloc_site\];touchers;[^;]*$')))
		expect_ge "$seen" "$pages" "pages of $function"
	done <"$T/out"
	expect_eq "$(wc -l <"$T/out")" 5 "functions"
	expect_no_match "$T/folded" '^__mem.*;touchers;[^;]*$' "memset, by itself"
}

# Of two sites with 70 and 30 % of the faults, by one fault in seven: four standard deviations.
t_shares_of_samples() {
	pmb_ok record --data -e page-faults -c 7 -o "$T/p.pb.gz" -- "$WORKLOADS/touchers"
	pmb_ok report --regions --json "$T/p.pb.gz"
	mv "$T/out" "$T/json"
	regions page-faults '[.regions[] |
		select(.site | . == "touch_most" or . == "touch_rest")] |
		map({ key: .site, value: .samples }) | from_entries |
		"\(.touch_most) \(.touch_rest)"' >"$T/shares"
	awk '{ n = $1 + $2; exit !(n > 50 && ($1 / n - 0.7)^2 < 16 * 0.7 * 0.3 / n) }' \
		"$T/shares" || fail "samples of the two sites: $(cat "$T/shares")"
}

# A clock's candidates, on pages that faults have told of: of a fifth of them nearly all.
t_delinquent() {
	[ "$(uname -m)" = x86_64 ] || skip "instructions are decoded on x86-64 only"
	pmb_ok record --data -e page-faults/period=1/,cpu-clock -o "$T/p.pb.gz" -- \
		"$WORKLOADS/touchers" 500
	pmb_ok report --regions --json "$T/p.pb.gz"
	cp "$T/out" "$T/json"
	expect_eq "$(regions cpu-clock '[.regions[] | select(.delinquent) | .site] |
		join(" ")')" touch_rest "delinquent with a clock"
	expect_eq "$(regions cpu-clock '.regions[0] | "\(.segment) \(.pages)"')" "mapped 300" \
		"the region"
	expect_eq "$(regions cpu-clock '.candidates - .with_page')" 0 "unchecked samples"
	expect_eq "$(regions page-faults '[.regions[] | select(.delinquent)] | length')" 0 \
		"delinquent with page faults"
	pmb_ok report --regions "$T/p.pb.gz"
	expect_match "$T/out" 'delinquent .*  mapped  touch_rest$' "the row"
	expect_match "$T/out" '^# WARNING .*nothing has checked' "what they are"
	# a fifth of the bytes: at most 5
	pmb_ok report --regions --factor 6 -e cpu-clock "$T/p.pb.gz"
	expect_no_match "$T/out" ']  *delinquent' "with a larger factor"
}

# A program that touches a million pages: all are counted, those of rows that there was no room for
# as such, and memory stays within bounds; a row of each would take 400 MB.
t_many_pages() {
	pmb_ok record --data -e page-faults -c 1 --max-memory 8M -o "$T/p.pb.gz" \
		--summary "$T/sum.json" -- "$WORKLOADS/touchers" 0 1000000
	expect_ledger
	pmb_ok report --regions --json "$T/p.pb.gz"
	mv "$T/out" "$T/json"
	local all known
	all=$(regions page-faults .samples)
	known=$(regions page-faults .with_page)
	expect_eq "$all" "$(sum_get '.events[0].user.aggregated')" "samples"
	expect_ge "$all" 100000 "of a million pages, as many as rings had room for"
	expect_ge "$((all / 2))" "$known" "beyond the room"
	expect_ge "$known" 1000 "within it"
	expect_eq "$(regions page-faults '[.regions[].samples] | add')" "$known" "of regions"
	expect_ge 300000000 "$(jq .cost.rss_bytes "$T/sum.json")" "memory"
}

t_refused() {
	pmb_ok record -e page-faults -c 1 -o "$T/p.pb.gz" -- "$WORKLOADS/objects"
	pmb report --regions "$T/p.pb.gz"
	expect_eq "$rc" 2 "exit status without data"
	expect_match "$T/err" 'record --data' "what to do"
	for option in --by=member --tree --folded --csv --layout=a --confidence; do
		pmb report --regions "$option" "$T/p.pb.gz"
		expect_eq "$rc" 2 "exit status with $option"
	done
	pmb report --factor 3 "$T/p.pb.gz"
	expect_match "$T/err" '--factor is of --regions' "a factor of nothing"
	pmb report --regions --factor 0 "$T/p.pb.gz"
	expect_eq "$rc" 2 "exit status of no factor"
}

run_tests
