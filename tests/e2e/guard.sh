#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What the user side costs does not slip by more than 10 %: instructions and allocations for a recorded stream
# (tests/bench/stream.gz), from decoding to folded stacks, held against the figures of this compiler and libc in
# tests/bench/guard.txt. Both are exact, whatever else runs. If more is meant: UPDATE=1 tests/e2e/guard.sh
# writes the new figures down; a new stream: see tests/bench/stream.c.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

REPLAY=$O/bench/replay
FIGURES=$TOP/tests/bench/guard.txt
HERE="gcc-$(gcc -dumpfullversion) $(getconf GNU_LIBC_VERSION | tr ' ' '-') $(uname -m)"

measured() { # → "instructions N" and "allocations N"
	valgrind --tool=callgrind --collect-atstart=no --toggle-collect=play_all --toggle-collect=fold \
		--callgrind-out-file="$T/callgrind" "$REPLAY" "$TOP/tests/bench/stream.gz" >"$T/replay" 2>"$T/valgrind" ||
		fail "replay: $(tail -n 3 "$T/valgrind")"
	sed -n 's/.*Collected : \([0-9]*\).*/instructions \1/p' "$T/valgrind"
	sed -n 's/.*"allocations": \([0-9]*\).*/allocations \1/p' "$T/replay"
}

write_down() { # the new figures in the place of the old
	grep -v "^$HERE " "$FIGURES" >"$T/figures"
	sed "s/^/$HERE /" "$T/measured" >>"$T/figures"
	cp "$T/figures" "$FIGURES"
}

t_user_side() {
	local what now before
	command -v valgrind >/dev/null || skip "no valgrind here"
	[ -x "$REPLAY" ] || fail "no $REPLAY: make build/bench/replay"
	measured >"$T/measured"
	expect_eq "$(wc -l <"$T/measured")" 2 "figures that were measured"
	[ -z "${UPDATE:-}" ] || write_down
	grep -q "^$HERE " "$FIGURES" || skip "no figures for $HERE in tests/bench/guard.txt"
	while read -r what now; do
		before=$(sed -n "s/^$HERE $what //p" "$FIGURES")
		echo "$what: $now, written down $before"
		[ $((now * 10)) -le $((before * 11)) ] || fail "$what: $now, more than 10 % above the $before of tests/bench/guard.txt"
	done <"$T/measured"
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
