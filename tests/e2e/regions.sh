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
			".regions[] | select(.segment == \"$segment\") | .pages")" 100 \
			"$segment: pages"
	done
	# each page has its fault, but for the few that are written to after they were read
	expect_eq "$(regions page-faults '[.regions[] | select(.ratio > 1.2 or .ratio < 0.8)] |
		length')" 0 "regions with another share of faults than of pages"
	expect_eq "$(regions page-faults '.samples - .with_page')" 0 "samples without a page"
	expect_eq "$(regions page-faults '[.regions[] | select(.delinquent)] | length')" 0 \
		"delinquent ones"
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
