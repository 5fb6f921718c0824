#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# ship and agent --to s3+http://…: each window's file is an object, once, whoever is killed; and
# report --from it. The server is our own (s3_server.py), and checks signatures by itself;
# tests/unit/test_s3.c has those of AWS's examples.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

BOOT=0123456789abcdef0123456789abcdef

serve() { # [MODE]
	need_program python3
	mkdir -p "$T/objects"
	rm -f "$T/port"
	spawn python3 "$TOP/tests/e2e/s3_server.py" "$T/objects" "$@" >"$T/port" 2>"$T/asked"
	server=$spawned
	wait_until test -s "$T/port" || fail "no server"
	U="s3+http://127.0.0.1:$(cat "$T/port")/profiles/prod?region=eu-test-1"
	key 'wJalr/XUt+nFEMI'
}

key() {
	(umask 077 && echo "AKIDEXAMPLE:$1" >"$T/key")
}

windows() { # N: what they hold is none of S3's business
	local i
	mkdir -p "$T/spool"
	for ((i = 0; i < $1; i++)); do
		head -c $((i * 50000)) /dev/urandom | gzip \
			>"$T/spool/$BOOT-$(printf %010d "$i").pb.gz"
	done
}

ship() { # [OPTION…]
	pmb ship --from "$T/spool" --state "$T/state" --host 'h 1' --to "$U" \
		--credentials "$T/key" "$@"
}

expect_objects() { # the files, byte for byte
	diff -r -x ship "$T/spool" "$T/objects" >"$T/diff" || fail "objects: $(head -n 3 "$T/diff")"
}

t_objects_are_the_files() {
	serve
	windows 5
	ship --once
	expect_eq "$rc" 0 "exit status"
	expect_objects
	# what doesn't begin as a window doesn't say when it was
	expect_match "$T/asked" " /profiles/prod/h%201/$BOOT-0000000000[.]pb[.]gz$" "the name"
	ship --once
	expect_match "$T/err" '^pmubpf: 0 windows sent' "the second time"
	expect_eq "$(wc -l <"$T/asked")" 5 "requests"
	rm -r "$T/state"
	ship --once
	expect_objects
}

t_a_wrong_key() {
	serve
	windows 1
	key wrong
	ship --once
	expect_eq "$rc" 1 "exit status"
	expect_match "$T/err" "isn't sent: the server answers 403: SignatureDoesNotMatch" "why"
	grep -q wrong "$T/err" && fail "the key is in a message"
	U=${U/eu-test-1/us-east-1}
	key 'wJalr/XUt+nFEMI'
	ship --once
	expect_eq "$rc" 1 "exit status in another region"
	find "$T/objects" -type f >"$T/left"
	expect_empty "$T/left" "objects"
}

t_what_servers_do() {
	serve busy
	windows 2
	ship --once
	expect_eq "$rc" 0 "exit status, busy"
	expect_objects
	serve lost
	rm -rf "$T/state" "$T/objects"/*
	ship --once
	expect_eq "$rc" 0 "exit status, answers that get lost"
	expect_eq "$(wc -l <"$T/asked")" 4 "requests, of two windows"
	expect_objects
	serve refuse
	rm -rf "$T/state" "$T/objects"/*
	ship --once
	expect_eq "$rc" 0 "exit status, a window that is refused"
	expect_match "$T/err" 'left out: the server answers 400: EntityTooLarge' "the note"
	expect_match "$T/err" ' 1 sent, 1 refused' "the books"
}

has_objects() { # N
	[ "$(find "$T/objects" -type f | wc -l)" -ge "$1" ]
}

keep_shipping() {
	spawn "$PMUBPF" ship --from "$T/spool" --state "$T/state" --host 'h 1' --to "$U" \
		--credentials "$T/key" 2>>"$T/ship.err"
	pid=$spawned
}

t_whoever_is_killed() {
	local pid i
	serve
	windows 30
	keep_shipping
	wait_until has_objects 3 || fail "nothing is sent"
	for i in 1 2 3; do
		kill -KILL "$pid"
		wait "$pid" 2>/dev/null
		keep_shipping
		sleep 0.2
	done
	wait_until grep -q "^next $BOOT 30$" "$T"/state/ship-* ||
		fail "not all is sent: $(tail -n 2 "$T/ship.err")"
	expect_objects
}

t_an_agent_sends() {
	need_root
	serve
	spawn "$PMUBPF" agent --dir "$T/spool" --every 1s -e cpu-clock --to "$U" \
		--credentials "$T/key" 2>"$T/err" >/dev/null
	wait_until has_objects 2 || fail "nothing is sent: $(cat "$T/err")"
	kill -TERM "$spawned"
	wait "$spawned"
	expect_eq "$?" 0 "exit status"
	expect_match "$T/err" "eu-test-1: [1-9][0-9]* windows sent, 0 refused" "the books"
	pmb_ok report "$T"/objects/*.pb.gz
}

t_refused() {
	mkdir "$T/spool"
	U=s3+http://198.51.100.7/b
	key x
	ship --once
	expect_eq "$rc" 2 "exit status"
	expect_match "$T/err" 'over plain http' "the way"
	U=s3+http://127.0.0.1
	ship --once
	expect_eq "$rc" 2 "exit status"
	pmb report --from s3+http://127.0.0.1
	expect_eq "$rc" 2 "exit status of a report without a bucket"
}

# Windows of two hosts, of three and two seconds, on a server of that mode.
profiles() { # [MODE]
	local host
	serve "$@"
	# shellcheck disable=SC2016 # the inner shell's
	[ -d "$S/one" ] || for host in one:6 two:4; do
		pmb_ok agent --dir "$S/${host%:*}" --every 1s -e cpu-clock -F 499 -- \
			sh -c 'for i in $(seq "$1"); do "$0" 0.1; sleep 0.4; done' \
			"$WORKLOADS/split" "${host#*:}"
	done
	for host in one two; do
		pmb_ok ship --from "$S/$host" --state "$T/state-$host" --host "$host" --once \
			--to "$U" --credentials "$T/key"
	done
}

from() { # [OPTION…]
	pmb report --from "$U" --credentials "$T/key" "$@"
}

# Of the folder, and of the bucket: the same text, but for the names of both.
expect_same_report() { # OPTION…
	pmb_ok report --from "$S/one" "$@"
	grep -v '^# file' "$T/out" >"$T/folder"
	from --host one "$@"
	expect_eq "$rc" 0 "exit status of $*: $(head -n 1 "$T/err")"
	grep -v '^# file' "$T/out" >"$T/bucket"
	cmp -s "$T/folder" "$T/bucket" ||
		fail "report $*: $(diff "$T/folder" "$T/bucket" | head -n 3)"
}

samples_of() { # what report --json has printed
	jq '.events[0].total.samples' "$T/out"
}

t_reports_are_those_of_the_folder() {
	local all date
	need_root
	profiles
	expect_same_report
	expect_same_report --csv --by comm,module,line
	date=$(stat -c %Y "$(find "$S/one" -name '*-0000000001.pb.gz')")
	date=$(date -u -d "@$((date - 1))" +%FT%TZ)
	expect_same_report --csv --until "$date"
	expect_same_report --csv --since "$date"
	from --json --limit 0
	all=$(samples_of)
	expect_match "$T/out" '"title|"file' "a title"
	from --csv --by host
	expect_eq "$(grep -c '^1,host,\(one\|two\),' "$T/out")" 2 "hosts"
	expect_eq "$(awk -F, '/^1,host/ { s += $5 } END { print s + 0 }' "$T/out")" "$all" "samples"
	from --json --limit 0 --host two
	"$PMUBPF" report --json --limit 0 --from "$S/two" >"$T/two" 2>/dev/null
	expect_eq "$(samples_of)" "$(jq '.events[0].total.samples' "$T/two")" "samples of a host"
	pmb_ok diff --from "$U" --credentials "$T/key" --old "1h..$date" --new "$date..now" \
		--host one
	from --host three
	expect_eq "$rc" 1 "exit status, no such host"
	expect_match "$T/err" 'has no window that can be read, of that time and host' "why"
	from --until 2001-01-01T00:00:00Z
	expect_match "$T/err" 'no window of .* is of that range; it has [1-9]' "another time"
	grep -q "GET /profiles?list-type=2&max-keys=1000&prefix=prod%2Fone%2F" "$T/asked" ||
		fail "all hosts are listed for one"
}

# Names say when windows were: no others are asked for. What an older version has put there is.
t_only_windows_of_the_range_are_asked_for() {
	local n date lines file
	need_root
	profiles
	date=$(stat -c %Y "$(find "$S/one" -name '*-0000000001.pb.gz')")
	date=$(date -u -d "@$((date - 1))" +%FT%TZ)
	lines=$(wc -l <"$T/asked")
	from --since "$date" --host one
	expect_eq "$rc" 0 "exit status"
	n=$(sed -n 's/^# file.*: \([0-9]*\) windows\?, .*/\1/p' "$T/out")
	expect_ge "${n:-0}" 1 "windows"
	tail -n "+$((lines + 1))" "$T/asked" >"$T/now"
	expect_eq "$(grep -c '^GET /profiles/prod/one/.* all$' "$T/now")" "$n" "windows read"
	grep '^GET /profiles/prod/one/.* bytes=' "$T/now" >"$T/heads"
	expect_empty "$T/heads" "heads that were asked for"
	grep -E "^GET /profiles/prod/one/[0-9a-f]{32}-[0-9]{10}-[0-9]{13}-[0-9]{13}[.]pb[.]gz all" \
		"$T/now" >/dev/null || fail "a name: $(head -n 3 "$T/now")"
	lines=$(wc -l <"$T/asked")
	from --until 2001-01-01T00:00:00Z
	tail -n "+$((lines + 1))" "$T/asked" >"$T/now"
	expect_eq "$(grep -cv 'list-type' "$T/now")" 0 "requests for windows of another time"
	pmb_ok report --json --limit 0 --from "$S/one"
	n=$(samples_of)
	cp -r "$S/one" "$T/copy" # a copy of the bucket is a folder, too
	for file in "$T"/copy/*-0000000000.pb.gz; do
		mv "$file" "${file%.pb.gz}-1764269280123-1764269340124.pb.gz"
	done
	pmb_ok report --json --limit 0 --from "$T/copy"
	expect_eq "$(samples_of)" "$n" "samples of a copy of the bucket"
}

# A range that begins is asked for by when objects were put, an hour less.
t_what_is_older_is_not_read() {
	need_root
	profiles behind
	from --since 20h
	expect_eq "$rc" 1 "exit status"
	grep -q 'GET /profiles/prod/' "$T/asked" && fail "older ones are read"
	from --since 24h --csv
	expect_eq "$rc" 0 "exit status, within the hour"
}

t_servers_that_are_read_from() {
	local mode
	need_root
	for mode in busy whole undated; do
		profiles $mode
		expect_same_report --csv
	done
	profiles gone
	from --csv
	expect_eq "$rc" 0 "exit status, of one that has gone"
	key wrong
	from
	expect_eq "$rc" 1 "exit status, a wrong key"
	expect_match "$T/err" 'the server answers 403: SignatureDoesNotMatch' "why"
	grep -q wrong "$T/err" && fail "the key is in a message"
	key 'wJalr/XUt+nFEMI'
	U=${U/profiles/nothing}
	from
	expect_eq "$rc" 1 "exit status, an empty bucket"
}

# None makes it wait, grow or open anything.
t_hostile_servers_that_are_read_from() {
	local mode lines
	need_root
	for mode in circle no-token cut endless bomb; do
		profiles $mode
		timeout 60 "$PMUBPF" report --from "$U" --credentials "$T/key" --max-size 16M \
			>"$T/out" 2>"$T/err"
		expect_eq $? 1 "exit status, $mode"
		# of each window one, of two hosts, and why there is none
		lines=1
		[ $mode != bomb ] || lines=$((2 * $(find "$S" -name '*.pb.gz' | wc -l) + 1))
		expect_le "$(wc -l <"$T/err")" $lines "lines, $mode"
		expect_match "$T/err" '^pmubpf: (the server|passed over|no window)' "$mode"
	done
	for mode in redirect endless headers bomb random; do
		rm -f "$T/port"
		spawn python3 "$TOP/tests/e2e/ship_server.py" $mode >"$T/port" 2>"$T/asked"
		wait_until test -s "$T/port" || fail "no server"
		timeout 60 "$PMUBPF" report --from "s3+http://127.0.0.1:$(cat "$T/port")/b" \
			--max-size 16M >"$T/out" 2>"$T/err"
		expect_eq $? 1 "exit status, $mode"
		expect_eq "$(wc -l <"$T/err")" 1 "lines, $mode"
		expect_match "$T/err" '^pmubpf: .*server' "$mode"
	done
}

run_tests
