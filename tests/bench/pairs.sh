#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What windows between probes of a program cost, beside programs that do nothing at the same place
# (docs/design/0036-windows-shown.md): tests/bench/pairs.sh [ROUNDS], as root. All in turn, in one
# run; of each what a call takes more of the program's own CPU time, the least of ROUNDS, and how
# much that is of what is empty. A hit: of a probe where the kernel carries the instruction out. A
# pair: the same and a return probe, and with a counter that is read at both ends.
set -eu -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
PMUBPF=${PMUBPF:-./pmubpf}
HOT=${HOT:-build/workloads/hot}
ROUNDS=${1:-5}
SECONDS_EACH=${2:-1}
W=$(mktemp -d)
trap 'rm -rf "$W"' EXIT
gcc -O2 -o "$W/empty" tests/bench/empty.c -lbpf
cp "$HOT" "$W/hot"
WAYS=(nothing 'hit: empty' 'hit: record' 'hit: stat, a counter'
	'pair: empty' 'pair: record' 'pair: stat, a counter')

run() { # COMMAND…: behind -- the program
	"$@" "$W/hot" "$SECONDS_EACH"
}

# Where this tool's own probe goes.
offset=$(run "$PMUBPF" record -e cpu-clock --budget 0 -o "$W/out" \
	--window "u:$W/hot:handle" -- 2>&1 |
	sed -n 's/.*a probe at offset \(0x[0-9a-f]*\) of.*carries.*/\1/p')
[ "$offset" ] || {
	echo "pairs: 'handle' has no instruction that the kernel carries out itself" >&2
	exit 1
}
record=("$PMUBPF" record -q -e page-faults --budget 0 -o "$W/out")
stat=("$PMUBPF" stat --budget 0 -o "$W/out")
toggle=u:$W/hot:handle..u:$W/hot:handle
call=(u:"$W"/hot:handle --unsafe-return-probe)

measure() { # WAY
	case $1 in
	nothing) run ;;
	'hit: empty') run "$W/empty" "$W/hot" "$offset" single ;;
	'hit: record') run "${record[@]}" --window "$toggle" -- ;;
	'hit: stat, a counter') run "${stat[@]}" -e page-faults --per "$toggle" -- ;;
	'pair: empty') run "$W/empty" "$W/hot" "$offset" pair ;;
	'pair: record') run "${record[@]}" --window "${call[@]}" -- ;;
	'pair: stat, a counter') run "${stat[@]}" -e page-faults --per "${call[@]}" -- ;;
	esac
}

for ((i = 0; i < ROUNDS; i++)); do
	for way in "${WAYS[@]}"; do
		measure "$way" 2>"$W/err" |
			awk -v way="$way" '/ calls .* ns$/ { print way "|" $3 / $1 }' ||
			sed "s/^/pairs: $way: /" "$W/err" >&2
	done
done | awk -F'|' '!($1 in least) || $2 < least[$1] { least[$1] = $2 }
	!($1 in seen) { seen[$1] = ++n; order[n] = $1 }
	END {
		for (i = 2; i <= n; i++) {
			way = order[i]
			split(way, kind, ":")
			more = least[way] - least["nothing"]
			if (way ~ /: empty$/)
				empty[kind[1]] = more
			printf "%-24s %7.0f ns  %.2f\n", way, more, more / empty[kind[1]]
		}
	}'
