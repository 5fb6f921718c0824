#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# ship and agent --to pyroscope+http://…: what each window weighs arrives, and what may have arrived
# twice is counted. The server is our own (pyroscope_server.py), and no Pyroscope: none can be had
# here.
# shellcheck source=tests/e2e/push_lib.sh
. "$(dirname "$0")/push_lib.sh"

setup() {
	need_root
	need_program python3
	pmb_ok record -e cpu-clock --label container,tid -o "$S/window.pb.gz" -- \
		"$WORKLOADS/split" 0.5
}

serve() { # [MODE]
	rm -rf "$T/pushed" "$T/port"
	mkdir "$T/pushed"
	spawn python3 "$TOP/tests/e2e/pyroscope_server.py" "$T/pushed" "$@" >"$T/port" \
		2>"$T/asked"
	wait_until test -s "$T/port" || fail "no server"
	U="pyroscope+http://127.0.0.1:$(cat "$T/port")/prefix?tenant=us"
	(umask 077 && echo 'me:pass:word' >"$T/key")
}

# What functions weigh, without the event's name, which is another one there.
weights() { # FILE…
	"$PMUBPF" report --csv --by function "$@" | grep -v '^#' |
		sed 's/cpu[-_]clock//g' | sort
}

n_pushed() { find "$T/pushed" -name '*.pb.gz' | wc -l; }

expect_weights() {
	weights "$T"/spool/*.pb.gz >"$T/files"
	weights "$T"/pushed/*.pb.gz >"$T/server"
	expect_same_rows
}

t_what_was_pushed_weighs_the_same() {
	serve
	windows 3
	ship --once
	expect_eq "$rc" 0 "exit status"
	expect_weights
	expect_books 3 0 0
	ship --once
	expect_match "$T/err" '^pmubpf: 0 windows sent' "the second time"
	expect_eq "$(n_pushed)" 3 "profiles"
	# few stacks: sums stay
	rm -r "$T/state" "$T"/pushed/*
	ship --once --stacks 2
	pmb_ok report --csv --by function "$T"/pushed/*.pb.gz
	expect_match "$T/out" '\[other\]' "the rest"
	for f in spool pushed; do
		"$PMUBPF" report --json --limit 0 "$T/$f"/*.pb.gz |
			jq '.events[0].total.samples' >>"$T/totals"
	done
	expect_eq "$(sort -u "$T/totals" | wc -l)" 1 "different sums"
}

t_what_servers_do() {
	windows 2
	serve busy
	ship --once
	expect_eq "$rc" 0 "exit status, busy"
	expect_weights
	expect_books 2 0 0
	rm -r "$T/state"
	serve lost
	ship --once
	expect_eq "$rc" 0 "exit status, an answer that got lost"
	expect_eq "$(n_pushed)" 3 "profiles, one of them twice"
	expect_books 2 0 1
	rm -r "$T/state"
	serve down
	ship --once
	expect_eq "$(n_pushed)" 2 "profiles"
	expect_books 2 0 1
	rm -r "$T/state"
	serve old
	ship --once
	expect_eq "$rc" 0 "exit status, too old"
	expect_match "$T/err" '400: invalid_argument: outside of the ingestion.* "old"' "why"
	expect_books 0 2 0
}

t_who_may_not() {
	serve
	windows 1
	(umask 077 && echo 'me:wrong' >"$T/key")
	ship --once
	expect_eq "$rc" 1 "exit status"
	expect_match "$T/err" "isn't sent: the server answers 401: unauthenticated: who are" "why"
	grep -q wrong "$T/err" && fail "the password is in a message"
	U=pyroscope+http://198.51.100.7
	ship --once
	expect_eq "$rc" 2 "exit status"
	expect_match "$T/err" 'over plain http' "the way"
	U='pyroscope+http://127.0.0.1/x?region=a'
	ship --once
	expect_eq "$rc" 2 "exit status"
	pmb report --from "$U"
	[ "$rc" -ne 0 ] || fail "a report of Pyroscope"
}

# Killed amid a request: nothing is lost, and what may be there twice is counted.
t_whoever_is_killed() {
	local pid twice
	serve
	windows 20
	for _ in 1 2 3 4; do
		spawn "$PMUBPF" ship --from "$T/spool" --state "$T/state" --host h1 --to "$U" \
			--credentials "$T/key" 2>"$T/err"
		pid=$spawned
		sleep 0.4
		kill -KILL "$pid"
		wait "$pid" 2>/dev/null
	done
	ship --once
	expect_eq "$rc" 0 "exit status"
	twice=$(($(n_pushed) - 20))
	expect_ge "$twice" 0 "profiles beyond those of windows"
	expect_match "$T/err" '^pmubpf: ever: 20 sent, 0 refused' "the books"
	expect_ge "$(sed -nE 's/.* ([0-9]+) uncertain$/\1/p' "$T/err")" "$twice" "uncertain ones"
}

t_hostile_servers() {
	hostile_servers pyroscope+http random
}

t_an_agent_pushes() {
	serve
	spawn "$PMUBPF" agent --dir "$T/spool" --every 1s -e cpu-clock --to "$U" \
		--credentials "$T/key" 2>"$T/err" >/dev/null
	wait_until eval '[ "$(n_pushed)" -ge 2 ]' || fail "nothing is pushed: $(cat "$T/err")"
	kill -TERM "$spawned"
	wait "$spawned"
	expect_eq "$?" 0 "exit status"
	expect_match "$T/err" "tenant=us: [1-9][0-9]* windows sent, 0 refused" "the books"
	pmb_ok report "$T"/pushed/*.pb.gz
}

run_tests
