#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# How long calls of a function last, as this tool, bpftrace and perf tell it
# (docs/design/0025-windows.md): tests/bench/window_peers.sh [ROUNDS], as root, all in turn. What a
# call takes more (the least of all rounds), how many of 20,000 were told, and whether a program
# whose functions are left by exceptions, longjmp and the end of a thread says the same as without.
# This tool has no budget, but for "1 %"; "returns": by --unsafe-return-probe, as the others do it.
# bcc's funclatency needs a kernel's headers, of any that is near enough (BCC_KERNEL_SOURCE and
# BCC_LINUX_VERSION_CODE, 393472 for 6.1): where it can't be started there is no row.
set -eu -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
PMUBPF=${PMUBPF:-./pmubpf}
CALLS=${CALLS:-build/workloads/calls}
ROUNDS=${1:-3}
W=$(mktemp -d)
trap 'perf probe -q --del "probe_work:*" --del "probe_calls:*" 2>/dev/null; rm -rf "$W"' EXIT
gcc -O2 -o "$W/work" tests/bench/work.c
cp "$CALLS" "$W/calls"
"$W/calls" 300 >"$W/right"
WAYS=(nothing 'stat --per' 'stat, returns' 'record --window' 'record, returns' 'record, 1 %'
	bpftrace 'perf probe' funclatency)

probes_of_perf() { # PROGRAM FUNCTION
	perf probe -q -x "$W/$1" --add "$2" --add "$2%return" >/dev/null 2>&1
}

# What the tool says goes to $W/said, what the program says to stdout.
under() { # WAY PROGRAM FUNCTION ARG
	local function=u:$W/$2:$3 pid budget=0 how=()
	case $1 in
	*returns) how=(--unsafe-return-probe) ;;
	*1\ %) budget=1 ;;
	esac
	case $1 in
	nothing) "$W/$2" "$4" ;;
	stat*)
		"$PMUBPF" stat --budget 0 --per "$function" "${how[@]}" -e page-faults \
			-o "$W/said" -- "$W/$2" "$4"
		;;
	record*)
		"$PMUBPF" record -q --budget $budget --window "$function" "${how[@]}" \
			-e cpu-clock -F 97 -o /dev/null --summary "$W/said" -- "$W/$2" "$4"
		;;
	bpftrace)
		bpftrace -o "$W/said" -c "$W/$2 $4" -e "uprobe:$W/$2:$3 { @s[tid] = nsecs }
			uretprobe:$W/$2:$3 /@s[tid]/ {
				@h = hist(nsecs - @s[tid]); @n = count(); delete(@s[tid]) }"
		;;
	'perf probe')
		probes_of_perf "$2" "$3"
		perf stat -o "$W/said" -e "probe_$2:*" "$W/$2" "$4"
		perf probe -q --del "probe_$2:*"
		;;
	funclatency)
		# what a script starts in the background ignores it
		env --default-signal=INT funclatency-bpfcc "$W/$2:$3" >"$W/said" 2>/dev/null &
		pid=$!
		until grep -q Tracing "$W/said" || ! kill -0 $pid 2>/dev/null; do
			sleep 0.1
		done
		kill -0 $pid 2>/dev/null || return 1
		"$W/$2" "$4"
		kill -INT $pid
		wait $pid || true
		;;
	esac
}

told() { # WAY
	case $1 in
	nothing) echo - ;;
	stat*) sed -n 's/.*: \([0-9]*\) of [0-9]* that began.*/\1/p' "$W/said" ;;
	record*) jq '.windows.ended' "$W/said" ;;
	bpftrace) sed -n 's/^@n: //p' "$W/said" ;;
	'perf probe') awk '/__return/ { gsub(",", ""); print $1 }' "$W/said" ;;
	funclatency) awk '$2 == "->" { n += $5 } END { print n }' "$W/said" ;;
	esac
}

for ((i = 0; i < ROUNDS; i++)); do
	for way in "${WAYS[@]}"; do
		ns=$(under "$way" work work_unit 20000 2>/dev/null |
			grep -x '[0-9.]*[0-9]' | tail -n 1) || continue
		echo "$way|$ns|$(told "$way")"
	done
done >"$W/all"
for function in may_throw may_jump leaves; do
	for way in "${WAYS[@]}"; do
		under "$way" calls $function 300 >"$W/out" 2>/dev/null || true
		grep -qxFf "$W/right" "$W/out" && lives=1 || lives=0
		echo "$way|$function|$lives"
	done
done >"$W/lives"
printf '%-16s %10s %8s  %s\n' way 'ns a call' told 'survived'
for way in "${WAYS[@]}"; do
	awk -F'|' -v way="$way" '
		FILENAME ~ /lives$/ && $1 == way { said = said " " $2 ":" ($3 ? "yes" : "no") }
		FILENAME ~ /lives$/ { next }
		$1 == "nothing" && (!n || $2 < base) { base = $2; n = 1 }
		$1 == way && (!seen || $2 < least) { least = $2; told = $3; seen = 1 }
		END { if (seen) printf "%-16s %+10.1f %8s %s\n", way, least - base, told, said }' \
		"$W/lives" "$W/all"
done
