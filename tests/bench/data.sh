#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# tests/bench/data.sh [ROUNDS=7]: what a run of the overflow program costs without --data and with
# it, by the kernel's own count: page faults, each a sample, of mapped memory (of which it looks the
# mapping up), in turn. As root. Prints ns a run: least, median, most; BEFORE: another pmubpf, that
# is run beside.
set -eu
TOP=$(cd "$(dirname "$0")/../.." && pwd)
FAULTS=$TOP/${O:-build}/workloads/faults
ROUNDS=${1:-7}
D=$(mktemp -d)
trap 'rm -rf "$D"' EXIT

run() { # NAME PMUBPF OPTION…
	"$TOP/tests/e2e/bpf_stats.py" "$2" record -q -e page-faults -c 1 --per-task \
		--call-graph fp -o /dev/null "${@:3}" -- "$FAULTS" 20000 |
		awk 'NF == 2 { runs += $1; ns += $2 } END { printf "%.0f\n", ns / runs }' >>"$D/$1"
}

for ((i = 0; i < ROUNDS; i++)); do
	for pmubpf in "$TOP/pmubpf" ${BEFORE:+"$BEFORE"}; do
		before=${pmubpf##"$TOP/pmubpf"}
		run "${before:+before }without" "$pmubpf"
		run "${before:+before }with --data" "$pmubpf" --data
	done
done
for name in "$D"/*; do
	sort -n "$name" | awk -v name="${name##*/}" '{ ns[NR] = $1 }
		END { printf "%-20s %5d %5d %5d\n", name, ns[1], ns[int((NR + 1) / 2)], ns[NR] }'
done
