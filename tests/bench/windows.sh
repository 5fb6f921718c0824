#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What windows cost (docs/design/0025-windows.md): tests/bench/windows.sh [ROUNDS], as root. A
# program makes system calls while nothing records, then without windows, then in each kind of
# them, in turn, ROUNDS times; the least of each is printed: ns for a call that does nothing, and
# for one that waits and need not. Then what the programs cost by the kernel's own account
# (run_time_ns / run_cnt, on this one run).
set -eu -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
PMUBPF=${PMUBPF:-./pmubpf}
ROUNDS=${1:-5}
W=$(mktemp -d)
trap 'rm -rf "$W"' EXIT
gcc -O2 -o "$W/calls" tests/bench/calls.c
WAYS=('nothing' 'no windows' 'loop' 'syscall' 'syscall:read' 'run')

measure() { # WAY
	local args=(record -q -e cpu-clock -F 97 -o /dev/null)
	case $1 in
	nothing) "$W/calls" 0.5 ;;
	'no windows') "$PMUBPF" "${args[@]}" -- "$W/calls" 0.5 ;;
	*) "$PMUBPF" "${args[@]}" --window "$1" -- "$W/calls" 0.5 ;;
	esac
}

for ((i = 0; i < ROUNDS; i++)); do
	for way in "${WAYS[@]}"; do
		echo "$way|$(measure "$way" | tail -n 1)"
	done
done >"$W/all"
echo "ns a call: nothing recorded, then what more each takes"
awk -F'[| ]' '{ n = NF; key = $1; for (i = 2; i <= n - 2; i++) key = key " " $i
		if (!(key in a) || $(n - 1) < a[key]) a[key] = $(n - 1)
		if (!(key in b) || $n < b[key]) b[key] = $n }
	END {
		for (key in a)
			printf "%-14s getppid %7.1f (%+.1f)  epoll_wait %7.1f (%+.1f)\n", key,
				a[key], a[key] - a["nothing"], b[key], b[key] - b["nothing"]
	}' "$W/all" | sort

echo "ns a run, by the kernel"
for window in '' loop syscall run; do
	echo "windows ${window:-none}:"
	# shellcheck disable=SC2086 # two words or none
	tests/bench/bpf_cost.py "$PMUBPF" record -q -e cpu-clock -F 4999 \
		${window:+--window $window} -a -o /dev/null -d 3 -- \
		sh -c "$W/calls 3 >/dev/null & $W/calls 3 >/dev/null & wait"
done
for unit in loop syscall run; do
	echo "stat --per $unit, with one counter:"
	tests/bench/bpf_cost.py "$PMUBPF" stat --per $unit -e page-faults -o /dev/null -- \
		"$W/calls" 3
done
