#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What it costs to cut a recording that goes on (part of make bench; alone: tests/bench/cut.sh): CPU time, in ms.
# replayed: a part of so many rows of one stack each, medians of 9. cut: the profile is frozen, what isn't settled carried
# over, the books' rows counted. build: the named profile is made of it; finding names and writing are apart.
# live: as root, all CPUs at 999 Hz, cut each second; besides, counters are read and the kernel side's columns settled.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
B=${O:-build}/bench W=${O:-build}/workloads
T=$(mktemp -d "${TMPDIR:-/tmp}/pmb-cut.XXXXXX")
trap 'rm -rf "$T"' EXIT

printf 'replayed\trows\theld\tcut\tbuild\n'
for copies in 3 14 55; do
	for _ in 1 2 3 4 5 6 7 8 9; do "$B/replay" --cut --stacks tests/bench/stream.gz "$copies" | head -n 1; done >"$T/runs"
	jq -rs 'def median: sort | .[length / 2 | floor];
		["", .[0].cut_rows, .[0].held, (map(.cut_ms) | median), (map(.build_ms) | median)] | @tsv' "$T/runs"
done
[ "$(id -u)" -eq 0 ] || exit 0
CUT_MS=1000 CUT_REPORT=$T/live "$B/pmubpf-cuts" record -q -a -F 999 -e cpu-clock -o /dev/null -- "$W/manypaths" 5 >/dev/null
printf 'live\tparts\trows\tcut\tmost\n'
jq -r '["", .parts, .most_rows, .cut_ms, .most_cut_ms] | @tsv' "$T/live"
