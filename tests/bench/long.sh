#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What a long recording costs: memory over time, and CPU time of the tool per sample, for one or several
# builds of it, alternating. Figures: docs/design/0006-bounded-memory.md.
#   tests/bench/long.sh [SECONDS=20] [ROUNDS=3] [TOOL…]     as root; OPTS: further options of record
#
# Four clock events at $HZ (5,000) on every CPU over two loads: few paths (threads, syscalls) and many
# (manypaths, 40,000 of them). RSS is read each 100 ms.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-20} rounds=${2:-3}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- ./pmubpf
events='cpu-clock,cpu-clock/name=second/,cpu-clock/name=third/,task-clock'
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Reads of VmRSS, kB, one a line, and the CPU time so far, while it records.
watch_tool() { # PID
	while [ -r "/proc/$1/status" ]; do
		sleep 0.1
		find "/proc/$1/fd" -lname '*perf_event*' | grep -q . || continue
		awk '/^VmRSS/ { print $2 }' "/proc/$1/status" >>"$dir/rss"
		awk '{ sub(/^.*\) /, ""); print $12 * 10, $13 * 10 }' "/proc/$1/stat" >"$dir/cpu.new" &&
			[ -s "$dir/cpu.new" ] && mv "$dir/cpu.new" "$dir/cpu"
	done 2>/dev/null
	:
}

measure() { # TOOL LOAD…
	local tool=$1 pid load
	shift
	: >"$dir/rss"
	"$@" >/dev/null &
	load=$!
	# shellcheck disable=SC2086
	/usr/bin/env time -f %M -o "$dir/peak" "$tool" record -q -a -F "${HZ:-5000}" -e "$events" -d "$seconds" \
		${OPTS:-} -o "$dir/folded" --summary "$dir/json" &
	pid=$!
	until grep -q . "/proc/$pid/task/$pid/children"; do sleep 0.05; done
	watch_tool "$(tr -d ' ' <"/proc/$pid/task/$pid/children")"
	wait $pid
	kill $load && wait $load 2>/dev/null || true
	jq -r --arg tool "$tool" --arg cpu "$(cat "$dir/cpu")" --arg peak "$(tail -n 1 "$dir/peak")" --slurpfile rss "$dir/rss" '
		([.events[].user.aggregated] | add) as $n | ($cpu | split(" ") | map(tonumber)) as $ms |
		[$tool, $n, ([.events[].kernel.dropped[]] | add), .memory.rows, .memory.trims, .memory.stacks_dropped,
		 ($ms[0] * 1e6 / $n | floor), ($ms[1] * 1e6 / $n | floor),
		 $rss[$rss | length / 10 | floor], $rss[-1], ($peak | tonumber)] | @tsv' "$dir/json"
}

make -s workloads >&2
printf 'load\ttool\tsamples\tdropped\trows\ttrims\tstacks dropped\tuser ns/sample\tsystem ns/sample\tRSS kB at a tenth\tat the end\tpeak with output\n'
for ((i = 0; i < rounds; i++)); do
	for tool; do printf 'few\t%s\n' "$(measure "$tool" build/workloads/threads 100000)"; done
	for tool; do printf 'many\t%s\n' "$(measure "$tool" build/workloads/manypaths 100000)"; done
done
