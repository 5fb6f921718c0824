#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What a sample costs does not slip by more than 10 %, held against the figures of tests/bench/guard.txt:
# - the user side: instructions and allocations for a recorded stream (tests/bench/stream.gz), from decoding to
#   folded stacks, with this compiler and libc. Both are exact, whatever else runs.
# - the overflow program: its time by that of a reference program on the same threads (tests/bench/reference.bpf.c),
#   with this compiler, kernel and CPU. What disturbs makes it dearer, never cheaper, and each start has its own place
#   in the caches: the usual ratio (the median of the starts) is written down, and the smallest of as many is held
#   against it.
# If more is meant: UPDATE=1 tests/e2e/guard.sh writes the new figures down; a new stream: see tests/bench/stream.c.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

MEASURED='overflow_by_frame_pointers overflow_by_tables'
REPLAY=$O/bench/replay
REFERENCE=$O/bench/reference
FIGURES=$TOP/tests/bench/guard.txt
STARTS=8 RATE=30011 REFERENCE_RATE=28001

user_side_here() {
	echo "gcc-$(gcc -dumpfullversion) $(getconf GNU_LIBC_VERSION | tr ' ' '-') $(uname -m)"
}

overflow_here() {
	local cpu
	# hypervisors call all generations the same
	cpu=$(lscpu | awk -F': *' '$1 ~ /^(Model name|CPU family|Model|Stepping)$/ { printf "%s%s", n++ ? "-" : "", $2 }')
	echo "$("${CLANG:-clang}" --version | sed -n 's/.*clang version \([0-9.]*\).*/clang-\1/p')" \
		"linux-$(uname -r | grep -Eo '^[0-9]+\.[0-9]+') ${cpu// /-}"
}

written_down() { # HERE WHAT → the figure, or nothing
	awk -v key="$1 $2 " 'index($0, key) == 1 { print substr($0, length(key) + 1) }' "$FIGURES"
}

write_down() { # HERE WHAT FIGURE, in the place of the old
	awk -v key="$1 $2 " 'index($0, key) != 1' "$FIGURES" >"$T/figures"
	echo "$1 $2 $3" >>"$T/figures"
	cp "$T/figures" "$FIGURES"
}

within() { # NOW BEFORE
	[ $(($1 * 10)) -le $(($2 * 11)) ]
}

hold() { # HERE WHAT NOW
	local before
	[ -z "${UPDATE:-}" ] || write_down "$@"
	before=$(written_down "$1" "$2")
	[ -n "$before" ] || skip "no figures for $1 in tests/bench/guard.txt"
	echo "$2: $3, written down $before"
	within "$3" "$before" || fail "$2: $3, more than 10 % above the $before of tests/bench/guard.txt"
}

measured() { # → "instructions N" and "allocations N"
	valgrind --tool=callgrind --collect-atstart=no --toggle-collect=play_all --toggle-collect=fold \
		--callgrind-out-file="$T/callgrind" "$REPLAY" "$TOP/tests/bench/stream.gz" >"$T/replay" 2>"$T/valgrind" ||
		fail "replay: $(tail -n 3 "$T/valgrind")"
	"$REPLAY" "$TOP/tests/bench/stream.gz" >"$T/replay" # valgrind has not all system calls: another way, other allocations
	sed -n 's/.*Collected : \([0-9]*\).*/instructions \1/p' "$T/valgrind"
	sed -n 's/.*"allocations": \([0-9]*\).*/allocations \1/p' "$T/replay"
}

t_user_side() {
	local what now
	command -v valgrind >/dev/null || skip "no valgrind here"
	[ -x "$REPLAY" ] || fail "no $REPLAY: make build/bench/replay"
	measured >"$T/measured"
	expect_eq "$(wc -l <"$T/measured")" 2 "figures that were measured"
	while read -r what now; do
		hold "$(user_side_here)" "$what" "$now"
	done <"$T/measured"
}

# One start → the ratio in thousandths, or nothing if samples were dropped: those cost less.
ratio_of_a_start() { # RECORD-OPTION LOAD…
	local load reference option=$1
	shift
	spawn "$@" >/dev/null
	load=$spawned
	sleep 0.2
	pmb_start record -q -e cpu-clock -F "$RATE" -m 4M "$option" -p "$load" -o /dev/null --summary "$T/sum.json"
	spawn "$REFERENCE" "$REFERENCE_RATE" "$load" >"$T/reference"
	reference=$spawned
	wait_until test -s "$T/reference" || fail "the reference program does not run"
	sleep 0.5
	"$TOP/tests/bench/bpf_ratio.py" "$tool" "$reference" 1.5 >"$T/ratio" || fail "no ratio"
	kill "$reference" "$load"
	pmb_finish INT
	[ "$(($(sum_dropped) * 100))" -gt "$(sum_seen)" ] || awk '{ printf "%d\n", $1 * 1000 + 0.5 }' "$T/ratio"
}

hold_overflow() { # WHAT RECORD-OPTION LOAD…
	local what=$1 here before ratio smallest='' all=() i
	need_root
	need_program python3
	[ -x "$REFERENCE" ] || fail "no $REFERENCE: make build/bench/reference"
	[ "$(cat /proc/sys/kernel/perf_event_max_sample_rate)" -ge "$RATE" ] || skip "this kernel allows no $RATE Hz"
	shift
	here=$(overflow_here)
	before=$(written_down "$here" "$what")
	for ((i = 0; i < STARTS; i++)); do
		ratio_of_a_start "$@" >"$T/thousandths"
		ratio=$(cat "$T/thousandths")
		echo "$what: start $i: ${ratio:-samples were dropped} $(cut -d ' ' -f 2- "$T/ratio") ns"
		[ -z "$ratio" ] || all+=("$ratio")
		[ -z "$ratio" ] || [ "$ratio" -ge "${smallest:-$((ratio + 1))}" ] || smallest=$ratio
		[ -n "${UPDATE:-}" ] || [ -z "$before" ] || [ -z "$smallest" ] || ! within "$smallest" "$before" || break
	done
	[ -n "$smallest" ] || skip "the machine is too busy: samples were dropped at each of $STARTS starts"
	[ -z "${UPDATE:-}" ] || smallest=$(printf '%s\n' "${all[@]}" | sort -n | sed -n "$(((${#all[@]} + 1) / 2))p")
	hold "$here" "$what" "$smallest"
}

t_overflow_by_frame_pointers() {
	hold_overflow overflow-fp --call-graph=fp "$WORKLOADS/recurse" 60 30
}

t_overflow_by_tables() {
	hold_overflow overflow-tables --user-only "$WORKLOADS/frameless" deep 60
}

# What is replayed is the recording: no sample of it may be missing from the stacks.
t_replay_is_whole() {
	[ -x "$REPLAY" ] || fail "no $REPLAY: make build/bench/replay"
	"$REPLAY" --folded "$T/folded" "$TOP/tests/bench/stream.gz" >"$T/replay"
	[ "$(jq .samples "$T/replay")" -gt 300 ] || fail "few samples: $(cat "$T/replay")"
	expect_eq "$(awk '{ n += $NF } END { printf "%d", n / 1001001 + 0.5 }' "$T/folded")" "$(jq .samples "$T/replay")" "intervals in the folded stacks"
	[ "$(wc -l <"$T/folded")" -gt 200 ] || fail "few stacks: $(wc -l <"$T/folded")"
}

run_tests
