#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# make bench: what pmubpf costs beside other profilers, on the same loads, tool by tool in turn.
#
#     tests/bench/bench.sh [PEER…]       (default: all of tests/bench/peers)
#
# Tables on stdout (medians), all runs in build/bench/bench.json and felt.json, one line each.
# Environment: QUICK=1 (two loads, two rates, once: under three minutes, however busy the machine),
# ROUNDS (5), RATES, LOADS ('': none, only what is felt), FELT=0 (that is left out), SECONDS_EACH
# (2), LIMIT (180 s: a tool that takes longer is cut off), KEEP=1 (runs are added to those of
# before, and the tables are made of all). A full run takes about 85 minutes on two CPUs
# (extrapolated), and can be done in parts: `for load in paths redis; do make bench KEEP=1
# LOADS=$load FELT=0; done; make bench KEEP=1 LOADS=`. What isn't installed, can't run, was cut off
# or found no time any more is named. As root, on a machine that does nothing else. Loads talk to
# loopback only.
# start: to the first sample. fold: from the end of the recording to the last byte of folded stacks,
# while the load stands still. CPU-s/1k: user and system time of all its processes in 1,000 samples.
# user: largest Pss. maps: memlock of its BPF maps. captured: of CPUs x rate x time. whole, named:
# of the load's samples and user frames.
# ns/run: of the BPF program. In bench.json besides: meter_s, CPU time of the meter until the first
# sample; cell_s, what all of the run took.
set -u
export LC_ALL=C
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
B=$TOP/${O:-build}/bench W=$TOP/${O:-build}/workloads
export PMUBPF=$TOP/pmubpf PEERS=$TOP/tests/bench/peers
if [ "${QUICK:-0}" != 0 ]; then
	: "${ROUNDS:=1}" "${RATES:=999 9999}" "${LOADS=paths pathsnofp}" "${SECONDS_EACH:=1}" \
		"${LIMIT:=35}" "${FELT_SECONDS:=0.25}"
	: "${RUNS_END:=115}" "${FELT_END:=165}" # seconds from the start
fi
: "${ROUNDS:=5}" "${RATES:=99 999 9999}" "${LOADS=paths pathsnofp python compile redis storm}" \
	"${SECONDS_EACH:=2}" "${LIMIT:=180}"
: "${RUNS_END:=1000000}" "${FELT_END:=1000000}" "${FELT:=1}" "${FELT_SECONDS:=0.5}"
CPUS=$(getconf _NPROCESSORS_ONLN)
[ -x "$B/meter" ] && [ -x "$B/felt" ] && [ -x "$B/pathsnofp" ] || {
	echo "bench: $B has not all of its programs: make bench builds them" >&2
	exit 1
}
T=$(mktemp -d "${TMPDIR:-/tmp}/pmb-bench.XXXXXX")
export T
LOAD_PIDS=()
mkdir -p "$B"
[ "${KEEP:-0}" != 0 ] || rm -f "$B/bench.json" "$B/felt.json"

spawn() {
	setsid "$@" >/dev/null 2>&1 &
	LOAD_PIDS+=($!)
}

# Each load is a session of its own: its whole group ends with it.
stop_load() {
	local pid
	for pid in ${LOAD_PIDS[@]+"${LOAD_PIDS[@]}"}; do kill -- "-$pid" 2>/dev/null; kill -CONT -- "-$pid" 2>/dev/null; done
	wait ${LOAD_PIDS[@]+"${LOAD_PIDS[@]}"} 2>/dev/null
	LOAD_PIDS=()
}

load_lives() {
	local pid
	for pid in "${LOAD_PIDS[@]}"; do kill -0 "$pid" 2>/dev/null || return 1; done
}

# shellcheck disable=SC2317
finish() {
	stop_load
	rm -rf --one-file-system "$T"
}
trap finish EXIT
trap 'exit 1' INT TERM

# Loads run until they are stopped. What each one's commands are called, for whole stacks: COMMS.
load_paths() { COMMS=manypaths; for _ in 1 2; do spawn "$W/manypaths" 100000; done; }
load_pathsnofp() { COMMS=pathsnofp; for _ in 1 2; do spawn "$B/pathsnofp" 100000; done; }
load_python() {
	COMMS='python3.*'
	for _ in 1 2; do spawn /usr/bin/python3 -c '
import json
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
while True: fib(18); json.loads(json.dumps({str(i): [i] * 5 for i in range(500)}))'; done
}
load_compile() {
	COMMS='cc1|as|gcc|cc|make|sh'
	mkdir -p "$T/cc"
	spawn sh -c "cd '$TOP' && while :; do ls user/*/*.c | xargs -P 2 -I{} gcc -std=gnu11 -O2 -D_GNU_SOURCE -iquote user -iquote include \
		-iquote '${O:-build}/gen' -c {} -o '$T/cc/x.o'; done"
}
load_redis() {
	command -v redis-check-rdb >/dev/null && command -v redis-benchmark >/dev/null ||
		{ echo 'no redis-tools'; return 1; }
	COMMS=redis-server
	ln -sf "$(readlink -f "$(command -v redis-check-rdb)")" "$T/redis-server"
	spawn "$T/redis-server" --port 16399 --bind 127.0.0.1 --save '' --appendonly no
	sleep 0.5
	spawn redis-benchmark -p 16399 -q -n 100000000 -c 20 -t set,get,lpush,lrange_100
}
load_storm() { COMMS=stormling; spawn sh -c "while :; do '$W/storm' 2000 1.2 exec; done"; }

WHOLE='_start|_dl_start_user|__libc_start_main.*|__libc_start_call_main|(__)?clone3?|start_thread|main|_dl_start'

# Of folded stacks: samples of all, percent whole and percent of user frames named of the load's
# commands.
of_folded() { # FILE UNIT RATE
	awk -v unit="$2" -v rate="$3" -v comms="^($COMMS)$" -v whole="^($WHOLE)$" '
		BEGIN { one = unit == "ns" ? 1e9 / rate : 1 }
		{ n = $NF / one; sub(/ [0-9]+$/, ""); k = split($0, f, ";"); total += n }
		f[1] !~ comms { next }
		{ user = 0; for (i = 2; i <= k && f[i] !~ /_\[k\]$/; i++) { user++; if (f[i] !~ /^\[|^0x/) named += n }
		  all += n; frames += user * n; if (f[2] ~ whole || f[3] ~ whole) w += n }
		END { printf "{\"samples\": %.0f, \"lines\": %d, \"whole\": %.1f, \"named\": %.1f}\n", total, NR,
			all ? 100 * w / all : 0, frames ? 100 * named / frames : 0 }' "$1"
}

# Seconds that something may take which has to end so many seconds after the start: LIMIT at most.
time_left() { # END
	local left=$(($1 - SECONDS))
	if [ "$left" -lt "$LIMIT" ]; then echo "$left"; else echo "$LIMIT"; fi
}

declare -A TOOK # by peer and rate, and by peer: seconds, last time

measure() { # PEER LOAD RATE
	local begin=$SECONDS cost what limit status pid need=${TOOK[$1 $3]:-$((2 * ${TOOK[$1]:-2}))}
	limit=$(time_left "$RUNS_END")
	[ "$limit" -gt "$need" ] || { echo "$1, $2, $3 Hz: left out, no time"; return; }
	(
		# shellcheck disable=SC1090
		. "$PEERS/$1.sh"
		export OUT=$T/out RATE=$3
		rm -f "$T"/out*
		cost=$(timeout -k 1 "$limit" "$B/meter" "$SECONDS_EACH" "$RECORD" "$FOLD" "${LOAD_PIDS[@]}" 2>"$T/err")
		status=$?
		for pid in "${LOAD_PIDS[@]}"; do kill -CONT -- "-$pid" 2>/dev/null; done
		case $status in
		0) ;;
		124 | 137) echo "$1, $2, $3 Hz: cut off after $limit s"; return ;;
		*) echo "$1, $2, $3 Hz: failed: $(tail -n 1 "$T/err")"; return ;;
		esac
		load_lives || { echo "$1, $2, $3 Hz: the load ended meanwhile"; return; }
		what=$(of_folded "$OUT" "$UNIT" "$3")
		jq -c -n --arg peer "$1" --arg load "$2" --argjson rate "$3" --argjson cpus \
			"$CPUS" --argjson cell_s "$((SECONDS - begin))" \
			--argjson cost "$cost" --argjson what "$what" \
			'{peer: $peer, load: $load, rate: $rate, cpus: $cpus, cell_s: $cell_s} + $cost + $what' >>"$B/bench.json"
	)
	TOOK[$1 $3]=$((SECONDS - begin)) TOOK[$1]=$((SECONDS - begin))
}

table() {
	printf '%-10s %-10s %5s %8s %8s %9s %8s %8s %9s %7s %7s %7s\n' load tool Hz start,s fold,s \
		CPU-s/1k user,MB maps,MB captured whole named 'ns/run'
	jq -rs 'def median: sort | if length == 0 then 0 elif length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
		group_by([.load, .rate, .peer])[] | . as $runs | .[0] as $r |
		[$r.load, $r.peer, $r.rate, ([$runs[].start_s] | median), ([$runs[].folded_s] | median),
		 ([$runs[] | if .samples > 0 then .cpu_s * 1000 / .samples else 0 end] | median),
		 ([$runs[].user_mb] | median), ([$runs[].maps_mb] | median),
		 ([$runs[] | 100 * .samples / (.recorded_s * .rate * .cpus)] | median),
		 ([$runs[].whole] | median), ([$runs[].named] | median),
		 ([$runs[] | if .runs > 0 then .run_ns / .runs else 0 end] | median)] | @tsv' "$B/bench.json" |
		awk -F'\t' '{ printf "%-10s %-10s %5d %8.3f %8.3f %9.4f %8.1f %8.1f %8.1f%% %6.1f%% %6.1f%% %7s\n", $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 ? int($12) : "-" }'
}

# shellcheck source=tests/bench/felt.sh
. "$TOP/tests/bench/felt.sh"
RUN=
for peer in ${*:-pmubpf $(cd "$PEERS" && ls -- *.sh | sed '/^pmubpf/d; s/\.sh$//')}; do
	# shellcheck disable=SC1090
	. "$PEERS/$peer.sh"
	have >"$T/why" # not in a subshell: what it exports is for the peer
	if [ -s "$T/why" ]; then echo "$peer: skipped, $(cat "$T/why")"; else RUN+=" $peer"; felt_ways; fi
done
for load in $LOADS; do
	"load_$load" >"$T/why" || { echo "$load: skipped, $(cat "$T/why")"; continue; }
	sleep 1
	for ((i = 0; i < ROUNDS; i++)); do
		for rate in $RATES; do
			for peer in $RUN; do measure "$peer" "$load" "$rate"; done
		done
	done
	stop_load
done
[ "$FELT" = 0 ] || felt
[ ! -s "$B/bench.json" ] || table
[ ! -s "$B/felt.json" ] || felt_table
