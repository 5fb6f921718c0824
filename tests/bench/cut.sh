#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What it costs to cut a recording that goes on (part of make bench; alone: tests/bench/cut.sh): CPU
# time, in ms.
# replayed: a part of so many rows of one stack each, medians of 9. cut: the profile is frozen, what
# isn't settled carried over, the books' rows counted. build: the named profile is made of it;
# finding names and writing are apart;
# the first: where no memory is left of an earlier one.
# a minute: as root, a program that counts its own CPU time, cut every 0.1, 1 and 10 s (LIVE_S=60:
# so many seconds; QUICK=1: 5): what of its time is in no sample, in percent; the columns of each
# part add up, or it ends here.
# live: as root, all CPUs at 999 Hz, cut each second; besides, counters are read and the kernel
# side's columns settled.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
B=${O:-build}/bench W=${O:-build}/workloads
T=$(mktemp -d "${TMPDIR:-/tmp}/pmb-cut.XXXXXX")
trap 'rm -rf "$T"' EXIT

printf 'replayed\trows\theld\tcut\tbuild\tthe first\n'
for copies in 3 14 55; do
	for _ in 1 2 3 4 5 6 7 8 9; do "$B/replay" --cut --stacks tests/bench/stream.gz "$copies" | head -n 1; done >"$T/runs"
	jq -rs 'def median: sort | .[length / 2 | floor];
		["", .[0].cut_rows, .[0].held, (map(.cut_ms) | median), (map(.build_ms) | median),
			(map(.build_first_ms) | median)] | @tsv' "$T/runs"
done
[ "$(id -u)" -eq 0 ] || exit 0
printf 'a minute\tcut every ms\tparts\tcut\tmost\tnot sampled %%\n'
S=${LIVE_S:-60}
[ -z "${QUICK:-}" ] || S=5
for ms in 100 1000 10000; do
	CUT_MS=$ms CUT_REPORT=$T/minute "$B/pmubpf-cuts" record -q -e cpu-clock -F 999 \
		-o "$T/folded" --summary "$T/sum.json" -- "$W/split" "$S" >"$T/own"
	jq -e .balanced "$T/sum.json" >/dev/null || { jq -r '.remarks[]' "$T/sum.json"; exit 1; }
	own=$(awk '{ print $6 }' "$T/own")
	sampled=$(awk '/^split;/ { s += $NF } END { printf "%.0f\n", s }' "$T/folded")
	tail -n 1 "$T/minute" | jq -r --argjson own "$own" --argjson sampled "$sampled" \
		--argjson ms "$ms" \
		'["", $ms, .parts, .cut_ms, .most_cut_ms, 100 * (1 - $sampled / $own)] | @tsv'
done
CUT_MS=1000 CUT_REPORT=$T/live "$B/pmubpf-cuts" record -q -a -F 999 -e cpu-clock -o /dev/null -- \
	"$W/manypaths" 5 >/dev/null
printf 'live\tparts\trows\tcut\tmost\n'
jq -r '["", .parts, .most_rows, .cut_ms, .most_cut_ms] | @tsv' "$T/live"
