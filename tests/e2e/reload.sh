#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Where an agent sends, and what it tells Prometheus, changed by SIGHUP: the recording has no gap,
# and a file with anything wrong in it changes nothing. Servers are our own (s3_server.py).
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

setup() {
	need_root
	need_program python3
	need_program curl
}

# $T/NAME has its objects; its URL is $U.
serve() { # NAME
	mkdir -p "$T/$1"
	spawn python3 "$TOP/tests/e2e/s3_server.py" "$T/$1" >"$T/$1.port" 2>"$T/$1.asked"
	wait_until test -s "$T/$1.port" || fail "no server"
	U="s3+http://127.0.0.1:$(cat "$T/$1.port")/b?region=eu-test-1"
}

conf() { # LINE…
	printf '%s\n' "dir = $T/spool" 'every = 1s' 'event = cpu-clock' "$@" >"$T/agent.conf"
}

start() {
	(umask 077 && echo 'AKIDEXAMPLE:wJalr/XUt+nFEMI' >"$T/key")
	pmb_start agent --config "$T/agent.conf"
}

reload() { # REGEX: until that is said once more
	local n
	n=$(grep -cE "$1" "$T/err")
	kill -HUP "$tool"
	wait_until eval "[ \$(grep -cE '$1' '$T/err') -gt $n ]" || fail "$1: $(tail -n 2 "$T/err")"
}

has_objects() { # NAME N
	[ "$(find "$T/$1" -type f | wc -l)" -ge "$2" ]
}

scrape() { # PORT
	curl -s -m 5 "http://127.0.0.1:$1/metrics" >"$T/scraped"
}

expect_no_gap() {
	local f
	for f in "$T"/spool/*.pb.gz; do
		zcat "$f" | grep -aoE 'window: boot=[ -~]*'
	done | sed -E 's/.*seq=([0-9]+) begin=([0-9]+) end=([0-9]+).*/\1 \2 \3/' |
		awk 'NR > 1 && $2 != end { print } { end = $3 }' >"$T/gaps"
	expect_empty "$T/gaps" "windows side by side"
}

t_servers_come_and_go() {
	local a b n object
	serve one
	a=$U
	serve two
	b=$U
	conf
	start
	conf "to = $a" "credentials = $T/key"
	reload 'was read again'
	wait_until has_objects one 2 || fail "nothing is sent to the first: $(cat "$T/err")"
	conf "to = $a" "credentials = $T/key" "to = $b" "credentials = $T/key"
	reload 'was read again'
	wait_until has_objects two 2 || fail "nothing is sent to the second: $(cat "$T/err")"
	conf "to = $b" "credentials = $T/key"
	reload 'was read again'
	n=$(wc -l <"$T/one.asked")
	wait_until has_objects two "$(($(find "$T/two" -type f | wc -l) + 2))" || fail "not sent"
	expect_le "$(wc -l <"$T/one.asked")" $((n + 1)) "requests to the one that went"
	grep -q 'stays as it was' "$T/err" && fail "something is refused"
	pmb_finish TERM
	expect_eq "$rc" 0 "exit status"
	expect_no_gap
	# names of objects say when windows were, too
	for object in "$T"/two/*.pb.gz; do
		mv "$object" "${object%-*-*}.pb.gz"
	done
	# all but the last ones, for which there was no time
	diff -r -x ship -x .turn "$T/spool" "$T/two" >"$T/diff"
	n=$(wc -l <"$T/diff")
	expect_eq "$(sed -n 's/^Only in .*spool: //p' "$T/diff" | sort)" \
		"$(find "$T/spool" -name '*.pb.gz' -printf '%f\n' | sort | tail -n "$n")" \
		"windows that the second hasn't"
	expect_match "$T/err" ": [1-9][0-9]* windows sent, 0 refused, 0 expired, 0 unc" "the books"
}

# The sender of what stays goes on, and so does that of a file that is wrong.
t_what_is_wrong_changes_nothing() {
	local sender p bad
	serve one
	p=$(free_port)
	conf "to = $U" "credentials = $T/key" "metrics = $p"
	start
	wait_until has_objects one 1 || fail "nothing is sent"
	sender=$(named_in "$tool" pmubpf-send)
	spawn python3 -c 'import socket, time; s = socket.socket(); s.bind(("127.0.0.1", 0))
s.listen(); print(s.getsockname()[1], flush=True); time.sleep(600)' >"$T/taken"
	wait_until test -s "$T/taken" || fail "no port"
	for bad in "to = ftp://x" "credentials = $T/none" "metrics = $(cat "$T/taken")" \
		"textfile = $T/none/x" "ca = $T/none"; do
		conf "to = $U" "credentials = $T/key" "metrics = $p" "keep = 3d" "$bad"
		case $bad in metrics*) sed -i "/metrics = $p/d" "$T/agent.conf" ;; esac
		reload 'nothing is changed'
	done
	conf "to = $U" "credentials = $T/key" "metrics = $p" "keep = 3d"
	reload 'was read again'
	expect_eq "$(named_in "$tool" pmubpf-send)" "$sender" "the sender"
	scrape "$p" || fail "nobody answers any more"
	expect_match "$T/scraped" '^pmubpf_destination_sender_starts_total[^ ]* 1$' "its starts"
	pmb_finish TERM
	expect_eq "$rc" 0 "exit status"
}

t_ports_and_files_change() {
	local p q
	p=$(free_port)
	conf
	start
	conf "metrics = $p" "textfile = $T/a.prom"
	reload 'answers on port'
	scrape "$p" || fail "nobody answers"
	expect_match "$T/scraped" '^pmubpf_windows_total ' "what is answered"
	wait_until test -s "$T/a.prom" || fail "no file"
	q=$(free_port)
	conf "metrics = $q" "textfile = $T/b.prom"
	reload "answers on port $q"
	scrape "$p" && fail "the old port answers"
	scrape "$q" || fail "the new one doesn't"
	wait_until test -s "$T/b.prom" || fail "no other file"
	# who answers there is started again as ever
	kill -KILL "$(named_in "$tool" pmubpf-metrics)"
	wait_until scrape "$q" || fail "nobody answers any more"
	conf
	reload 'was read again'
	scrape "$q" && fail "it answers still"
	expect_eq "$(named_in "$tool" pmubpf-metrics)" "" "who answered"
	pmb_finish TERM
	expect_eq "$rc" 0 "exit status"
	expect_no_gap
}

run_tests
