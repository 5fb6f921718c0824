#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What a sample costs does not slip by more than 10 % from one commit to the next. The commit before
# is built here (GUARD_BASE=COMMIT: that one; beside changes that aren't committed: HEAD), and both
# run in turn or at once:
# - the user side: instructions and allocations for a recorded stream (tests/bench/stream.gz), from
#   decoding to folded stacks. Both are exact, whatever else runs.
# - the overflow program: its time by that of the commit before, on the same threads at the same
#   time. What disturbs slows both, each start has its own place in the caches, and who comes first
#   finds them colder: the smallest of the starts in each order, and of these the mean.
# Nothing is built where neither the tool's sources nor the rules that build it differ.
# alone: it compares what samples cost
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

REPLAY=$O/bench/replay
STARTS=8 RATE=30011

in_git() {
	git -C "$TOP" -c safe.directory='*' "$@" 2>/dev/null
}

# What makes the tool what it is.
SOURCES=(Makefile mk bpf user vmlinux include tests/bench/stream.gz tests/bench/replay.c)

find_base() {
	if [ -n "${GUARD_BASE:-}" ]; then
		in_git rev-parse --verify "$GUARD_BASE^{commit}" ||
			fail "GUARD_BASE=$GUARD_BASE is no commit here"
	elif in_git diff --quiet HEAD -- "${SOURCES[@]}"; then
		in_git rev-parse --verify 'HEAD~1^{commit}'
	else
		in_git rev-parse --verify HEAD
	fi
}

# What is alike in both is built once: an archive's files are as old as the commit, older than all
# that was built here; only what differs is newer. Not if the rules themselves differ.
lend_objects() { # COMMIT
	local file
	[ "$O" = "$TOP/build" ] && in_git diff --quiet "$1" -- Makefile mk/build.mk || return 0
	mkdir "$S/base/build"
	cp -a "$O"/{bpf,gen,user,tools-checked} "$S/base/build/"
	while read -r file; do
		[ ! -e "$S/base/$file" ] || touch "$S/base/$file"
	done < <(in_git diff --name-only "$1" -- "${SOURCES[@]}")
}

setup() {
	local base
	if ! base=$(find_base); then
		echo "the commit before is not here" >"$S/no_base"
	elif in_git diff --quiet "$base" -- "${SOURCES[@]}"; then
		echo "nothing that the tool is built from differs from commit ${base:0:12}" >"$S/no_base"
	else
		echo "${base:0:12}" >"$S/name"
		mkdir "$S/base"
		in_git archive "$base" | tar -x -C "$S/base" || fail "git archive $base"
		lend_objects "$base"
		make -C "$S/base" -s -j"$(nproc)" O=build all build/bench/replay >"$S/make" 2>&1 ||
			fail "commit $base cannot be built: $(grep -m 1 -i error "$S/make")"
	fi
}

need_base() {
	[ ! -s "$S/no_base" ] || skip "$(cat "$S/no_base")"
	[ -s "$S/name" ] || fail "the commit before has not been built"
}

hold() { # WHAT NOW BEFORE
	echo "$1: $2, in commit $(cat "$S/name") $3"
	[ $(($2 * 10)) -le $(($3 * 11)) ] ||
		fail "$1: $2, more than 10 % above the $3 of commit $(cat "$S/name")"
}

measured() { # REPLAY → "instructions N" and "allocations N"
	valgrind --tool=callgrind --collect-atstart=no --toggle-collect=play_all \
		--toggle-collect=fold \
		--callgrind-out-file="$T/callgrind" "$1" \
		"$TOP/tests/bench/stream.gz" >"$T/replay" 2>"$T/valgrind" ||
		fail "replay: $(tail -n 3 "$T/valgrind")"
	"$1" "$TOP/tests/bench/stream.gz" >"$T/replay" # valgrind has not all system calls: another way, other allocations
	sed -n 's/.*Collected : \([0-9]*\).*/instructions \1/p' "$T/valgrind"
	sed -n 's/.*"allocations": \([0-9]*\).*/allocations \1/p' "$T/replay"
}

t_user_side() {
	local what now before
	need_base
	command -v valgrind >/dev/null || skip "no valgrind here"
	cmp -s "$TOP/tests/bench/stream.gz" "$S/base/tests/bench/stream.gz" ||
		skip "the recorded stream is another"
	[ -x "$REPLAY" ] || fail "no $REPLAY: make build/bench/replay"
	measured "$REPLAY" >"$T/now"
	measured "$S/base/build/bench/replay" >"$T/before"
	expect_eq "$(wc -l <"$T/now") $(wc -l <"$T/before")" "2 2" "figures that were measured"
	while read -r what now before; do
		hold "$what" "$now" "$before"
	done < <(join "$T/now" "$T/before")
}

start_recording() { # TOOL LOAD RECORD-OPTION SUMMARY
	spawn "$1" record -q -e cpu-clock -F "$RATE" -m 4M "$3" -p "$2" -o /dev/null \
		--summary "$4" </dev/null
	wait_until has_perf_events "$spawned" || fail "$1 does not record"
}

# One start → the ratio in thousandths, or nothing if samples were dropped: those cost less.
ratio_of_a_start() { # FIRST(now|before) RECORD-OPTION LOAD…
	local load now before option=$2 first=$1
	shift 2
	spawn "$@" >/dev/null
	load=$spawned
	sleep 0.2
	[ "$first" = now ] || { start_recording "$S/base/pmubpf" "$load" "$option" \
		"$T/before.json"; before=$spawned; }
	start_recording "$PMUBPF" "$load" "$option" "$T/sum.json"
	now=$spawned
	[ "$first" != now ] ||
		{ start_recording "$S/base/pmubpf" "$load" "$option" \
		"$T/before.json"; before=$spawned; }
	sleep 0.5
	"$TOP/tests/bench/bpf_ratio.py" "$now" "$before" 1.5 >"$T/ratio" || fail "no ratio"
	kill "$load"
	kill -INT "$now" "$before"
	wait "$now" "$before"
	[ "$(($(sum_dropped) * 100))" -gt "$(sum_seen)" ] ||
		awk '{ printf "%d\n", $1 * 1000 + 0.5 }' "$T/ratio"
}

# Thousandths: the mean of the smallest in each order.
least_ratio() {
	awk '!($1 in least) || $2 < least[$1] { least[$1] = $2 }
		END { if ("now" in least && "before" in least) printf "%d\n", (least["now"] + least["before"]) / 2 }' "$T/ratios"
}

hold_overflow() { # WHAT RECORD-OPTION LOAD…
	local what=$1 ratio least='' first i
	need_root
	need_program python3
	need_base
	[ "$(cat /proc/sys/kernel/perf_event_max_sample_rate)" -ge "$RATE" ] ||
		skip "this kernel allows no $RATE Hz"
	shift
	: >"$T/ratios"
	for ((i = 0; i < STARTS; i++)); do
		first=$([ $((i % 2)) = 0 ] && echo now || echo before)
		ratio_of_a_start "$first" "$@" >"$T/thousandths"
		ratio=$(cat "$T/thousandths")
		echo "$what: start $i: ${ratio:-samples were dropped} $(cut -d ' ' -f 2- "$T/ratio") ns"
		[ -z "$ratio" ] || echo "$first $ratio" >>"$T/ratios"
		least=$(least_ratio)
		[ -z "$least" ] || [ "$least" -gt 1100 ] || break
	done
	[ -n "$least" ] ||
		skip "the machine is too busy: samples were dropped at each of $STARTS starts"
	hold "$what" "$least" 1000
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
	expect_eq "$(awk '{ n += $NF } END { printf "%d", n / 1001001 + 0.5 }' "$T/folded")" \
		"$(jq .samples "$T/replay")" "periods in the folded stacks"
	[ "$(wc -l <"$T/folded")" -gt 200 ] || fail "few stacks: $(wc -l <"$T/folded")"
}

run_tests
