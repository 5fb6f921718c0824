#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# pmubpf ship, and report --from a server: what was sent is what the files say, each window once,
# whoever is killed and whatever a server does. The server is Debian's ClickHouse, started here.
# shellcheck source=tests/e2e/clickhouse_lib.sh
. "$(dirname "$0")/clickhouse_lib.sh"
# shellcheck source=tests/e2e/relation_lib.sh
. "$(dirname "$0")/relation_lib.sh"

# A profile whose copies are the windows.
setup() {
	need_root
	pmb_ok record -e cpu-clock --label container,tid -o "$S/window.pb.gz" -- \
		"$WORKLOADS/split" 0.5
}

has_windows() { # N
	[ "$(fleet 'SELECT count() FROM windows' | grep -E '^[0-9]+$' || echo 0)" -ge "$1" ]
}

# In front of it: $P is the port.
misbehave() { # MODE [PORT]
	spawn python3 "$TOP/tests/e2e/ship_server.py" "$@" >"$T/port" 2>"$T/asked"
	wait_until test -s "$T/port" || fail "no server"
	P=$(cat "$T/port")
}

ship() { # [OPTION…]
	pmb ship --from "$T/spool" --state "$T/state" --host h1 --once "$@"
}

expect_same() { # WHAT
	cmp -s "$T/files" "$T/server" ||
		fail "$1: $(diff "$T/files" "$T/server" | head -n 3)"
}

# Of the server as of the folder, but for commands that take addresses.
advises_alike() {
	pmb_ok advise -j --all --from "$T/spool"
	jq '[.findings[], .others[] | del(.look)]' "$T/out" >"$T/files"
	pmb_ok advise -j --all --from "$U"
	jq '[.findings[], .others[] | del(.look)]' "$T/out" >"$T/server"
	expect_same "the advice"
}

# The sums of the windows' files are those of the server.
expect_sums() { # N of windows
	local by
	for by in function comm,module,line; do
		pmb_ok report --csv --by $by --from "$T/spool"
		grep -v '^#' "$T/out" | sort >"$T/files"
		pmb_ok report --csv --by $by --from "$U"
		grep -v '^#' "$T/out" | sort >"$T/server"
		expect_same "by $by"
	done
	[ "$(wc -l <"$T/files")" -ge 3 ] || fail "no rows"
	# what is said of the recordings, too
	pmb_ok report --from "$T/spool"
	grep -v '^# file' "$T/out" >"$T/files"
	pmb_ok report --from "$U" --since 2000-01-01T00:00:00Z --until now
	grep -v '^# file' "$T/out" >"$T/server"
	expect_same "the report"
	expect_match "$T/out" "^# file .*/fleet: $1 windows?, " "the title"
	expect_eq "$(fleet 'SELECT count() FROM windows')" "$1" "rows of windows"
	advises_alike
}

t_tables() {
	pmb_ok ship --schema clickhouse-cluster
	expect_match "$T/out" 'ReplicatedMergeTree' "tables of a cluster"
	expect_match "$T/out" '^  ENGINE = Distributed' "tables of a cluster"
	mv "$T/out" "$T/ships"
	pmb_ok agent --schema clickhouse-cluster
	expect_eq "$(cmp "$T/out" "$T/ships" 2>&1)" "" "what the agent says otherwise"
	pmb agent --schema oracle
	expect_eq "$rc" 2 "exit status of agent --schema oracle"
	pmb ship --schema oracle
	expect_eq "$rc" 2 "exit status"
}

t_what_is_refused_before_anything_is_sent() {
	mkdir -p "$T/spool"
	echo user:secret >"$T/secret"
	chmod 644 "$T/secret"
	ship --to http://127.0.0.1/x
	expect_eq "$rc" 2 "exit status"
	ship --to clickhouse+http://user:secret@127.0.0.1/x
	expect_eq "$rc" 2 "exit status"
	grep -q secret "$T/err" && fail "the password is repeated"
	ship --to clickhouse+http://127.0.0.1:1/x --credentials "$T/secret"
	expect_match "$T/err" 'can be read by others' "a file for all"
	chmod 600 "$T/secret"
	ship --to clickhouse+http://198.51.100.7:1/x --credentials "$T/secret"
	expect_match "$T/err" 'over plain http' "the way"
	expect_eq "$rc" 2 "exit status"
	grep -qE 'secret' "$T/err" && fail "the password is in a message"
	mkdir -m 777 "$T/open"
	pmb ship --from "$T/spool" --to clickhouse+http://127.0.0.1:1/x --state "$T/open" --once
	expect_match "$T/err" 'others may write' "the folder"
}

t_sums_are_those_of_the_files() {
	need_server
	windows "$T/spool" 3
	echo pmubpf:secret >"$T/secret"
	chmod 600 "$T/secret"
	ship --to "$U" --credentials "$T/secret"
	expect_eq "$rc" 0 "exit status"
	expect_match "$T/err" '^pmubpf: 3 windows sent' "the note"
	expect_sums 3
	ship --to "$U"
	expect_match "$T/err" '^pmubpf: 0 windows sent' "the second time"
	rm -r "$T/state" # then the server is asked for each
	ship --to "$U"
	expect_sums 3
	pmb_ok report --csv --by host,comm --from "$U"
	expect_match "$T/out" '^1,host,h1,' "the host"
	pmb report --from "$U" --until 2000-01-01T00:00:00Z
	expect_eq "$rc" 1 "exit status"
	pmb report --from "$T/spool" --host h1
	expect_eq "$rc" 2 "exit status"
	pmb report --from "$U" --host other
	expect_eq "$rc" 1 "exit status"
	expect_match "$T/err" 'no window of that time and host' "another host"
	rest_is_other
}

# Few stacks: the sum stays.
rest_is_other() {
	local whole
	whole=$(fleet 'SELECT sum(samples) FROM samples')
	pmb_ok ship --from "$T/spool" --state "$T/state2" --host h2 --once --to "$U" --stacks 1
	expect_eq "$(fleet "SELECT sum(samples) FROM samples WHERE host='h2'")" "$whole" "samples"
	expect_eq "$(fleet "SELECT uniq(stack) FROM samples WHERE host='h2'")" 2 "stacks"
	pmb_ok report --csv --by function --host h2 --from "$U"
	expect_match "$T/out" '\[other\]' "the rest"
}

# One window of four counts for all of them, and it is said.
t_a_share_of_the_windows() {
	local whole part n
	need_server
	windows "$T/spool" 40
	pmb_ok ship --from "$T/spool" --state "$T/state2" --host h2 --once --to "$U"
	ship --to "$U" --share 25%
	expect_eq "$rc" 0 "exit status"
	expect_match "$T/err" '^pmubpf: 40 windows sent' "the note"
	whole=$(fleet "SELECT sum(samples) FROM samples WHERE host='h2'")
	part=$(fleet "SELECT sum(samples) FROM samples WHERE host='h1'")
	n=$(fleet "SELECT uniq(window) FROM samples WHERE host='h1'")
	expect_ge "$n" 1 "windows with samples"
	expect_le "$n" 30 "windows with samples"
	expect_eq $((part * 40)) $((whole * n * 4)) "what they count for, by what they are"
	expect_eq "$(fleet "SELECT count() FROM windows WHERE host='h1'")" 40 "rows of windows"
	pmb_ok report --from "$U" --host h1 --since 2000-01-01T00:00:00Z --until now
	expect_match "$T/out" '^# file .*/fleet: 40 windows, ' "the title"
	expect_match "$T/out" '^# WARNING .*of h1 one window of 4 was sent.*estimates' \
		"what is said"
	pmb_ok report --from "$U" --host h2
	expect_no_match "$T/out" 'estimates' "what is said of who sends all"
	ship --to "$U" --share 30%
	expect_eq "$rc" 2 "exit status of 30 %"
	ship --to s3+http://127.0.0.1:1/x --share 10%
	expect_eq "$rc" 2 "exit status of S3"
}

keep_shipping() {
	spawn "$PMUBPF" ship --from "$T/spool" --state "$T/state" --host h1 --to "$U" \
		2>>"$T/ship.err"
	pid=$spawned
}

t_whoever_is_killed() {
	local i n=40 pid
	need_server
	windows "$T/spool" $n
	keep_shipping
	wait_until has_windows 3 || fail "nothing is sent"
	kill -KILL "$server"
	wait "$server" 2>/dev/null
	sleep 0.5
	start_server
	for i in 1 2 3; do
		sleep 0.2
		kill -KILL "$pid"
		wait "$pid" 2>/dev/null
		keep_shipping
	done
	wait_until grep -q "^next $BOOT $n$" "$T"/state/ship-* ||
		fail "not all is sent: $(tail -n 2 "$T/ship.err")"
	expect_sums $n
}

t_answers_that_get_lost() {
	need_server
	windows "$T/spool" 3
	misbehave lost "$http"
	ship --to "clickhouse+http://127.0.0.1:$P/fleet"
	expect_eq "$rc" 0 "exit status"
	expect_ge "$(grep -c 'INTO%20samples' "$T/asked")" 3 "inserts"
	expect_sums 3
	windows "$T/spool" 6
	misbehave cut "$http"
	rm -r "$T/state"
	ship --to "clickhouse+http://127.0.0.1:$P/fleet"
	expect_eq "$rc" 0 "exit status"
	expect_sums 6
}

alarms_of() { # DIR|URL
	pmb_ok report --from "$1"
	grep '^# alarm ' "$T/out"
}

# Once, whatever becomes of answers; and a server without the table takes windows that have none.
t_alarms_are_rows() {
	need_server
	need_tracepoints
	baseline "$T/before"
	spawn "$WORKLOADS/seconds" 20 3 >"$T/known"
	pmb_start agent --dir "$T/spool" --every 1h -e cpu-clock --alarm "$RELATION" \
		--baseline "$T/before" -p "$spawned"
	wait_until grep -q ': alarm, ' "$T/err" || fail "no alarm: $(cat "$T/err")"
	pmb_finish TERM
	misbehave lost "$http"
	ship --to "clickhouse+http://127.0.0.1:$P/fleet"
	expect_eq "$rc" 0 "exit status"
	expect_ge "$(grep -c 'INTO%20alarms' "$T/asked")" 1 "inserts"
	rm -r "$T/state"
	ship --to "$U"
	expect_eq "$(fleet 'SELECT count(),any(news),any(relation),min(percent>50),
		min(observed>expected),min(since_ns<at_ns) FROM alarms')" \
		"1	raised	$RELATION	1	1	1" "rows"
	alarms_of "$T/spool" | sed 's/$/, on h1/' >"$T/files"
	alarms_of "$U" >"$T/server"
	expect_same "alarms"
	fleet 'DROP TABLE alarms'
	rm -r "$T/state" "$T/spool"
	windows "$T/spool" 2
	ship --to "$U"
	expect_eq "$rc" 0 "exit status without the table"
}

t_what_servers_ask_for() {
	need_server
	windows "$T/spool" 2
	misbehave small "$http"
	ship --to "clickhouse+http://127.0.0.1:$P/fleet"
	expect_eq "$rc" 0 "exit status"
	expect_sums 2
	windows "$T/spool" 4
	misbehave busy "$http"
	ship --to "clickhouse+http://127.0.0.1:$P/fleet" --timeout 20
	expect_eq "$rc" 0 "exit status"
	fleet 'TRUNCATE TABLE samples'
	fleet 'TRUNCATE TABLE windows'
	misbehave refuse "$http"
	rm -r "$T/state"
	ship --to "clickhouse+http://127.0.0.1:$P/fleet"
	expect_eq "$rc" 0 "exit status"
	expect_match "$T/err" 'is left out: the server answers 400' "the note"
	expect_match "$T/err" ' 3 sent, 1 refused' "the books"
	expect_eq "$(fleet 'SELECT count() FROM windows')" 3 "windows"
}

# None makes it wait, grow or open anything.
t_hostile_servers() {
	local mode
	need_program python3
	windows "$T/spool" 1
	for mode in redirect endless headers bomb random slow; do
		misbehave $mode
		U=clickhouse+http://127.0.0.1:$P/fleet
		if [ $mode != slow ]; then
			timeout 60 "$PMUBPF" report --from "$U" --max-size 16M >"$T/out" 2>"$T/err"
			expect_eq $? 1 "exit status of report, $mode"
			expect_match "$T/err" '^pmubpf: .*server' "$mode"
			expect_eq "$(wc -l <"$T/err")" 1 "lines of report, $mode"
		fi
		timeout 60 "$PMUBPF" ship --from "$T/spool" --state "$T/$mode" --once --to "$U" \
			--timeout 1 >"$T/out" 2>"$T/err"
		expect_eq $? 1 "exit status of ship, $mode"
		expect_match "$T/err" "isn't sent: " "$mode"
	done
}

t_certificates_are_checked() {
	need_server
	need_program openssl
	windows "$T/spool" 1
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
		-subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 \
		-keyout "$T/key" -out "$T/ca" 2>/dev/null || skip "openssl makes no certificate"
	cat "$T/key" "$T/ca" >"$T/both"
	export CERTIFICATE=$T/both
	misbehave forward "$http"
	ship --to "clickhouse+https://127.0.0.1:$P/fleet"
	expect_eq "$rc" 1 "exit status"
	expect_match "$T/err" 'certificate' "who signed it"
	ship --to "clickhouse+https://localhost:$P/fleet" --ca "$T/ca"
	expect_eq "$rc" 1 "exit status"
	expect_match "$T/err" 'certificate' "whose it is"
	ship --to "clickhouse+https://127.0.0.1:$P/fleet" --ca "$T/ca"
	expect_eq "$rc" 0 "exit status"
	pmb_ok report --from "clickhouse+https://127.0.0.1:$P/fleet" --ca "$T/ca"
	expect_sums 1
}

# The process that has the network is nobody, and can neither read nor start anything.
t_who_has_the_network() {
	local pid
	need_root
	need_program python3
	windows "$T/spool" 1
	misbehave slow
	spawn "$PMUBPF" ship --from "$T/spool" --state "$T/state" --host h1 \
		--to "clickhouse+http://127.0.0.1:$P/fleet" 2>"$T/err"
	wait_until grep -q . "$T/asked" || fail "nothing is asked"
	pid=$(cat "/proc/$spawned/task/$spawned/children")
	pid=${pid%% *}
	expect_eq "$(awk '/^Uid:/ { print $2 "," $3 }' "/proc/$pid/status")" 65534,65534 "users"
	expect_eq "$(awk '/^Cap(Eff|Prm|Bnd):/ { print $2 }' "/proc/$pid/status" | sort -u)" \
		0000000000000000 "capabilities"
	expect_eq "$(awk '/^(NoNewPrivs|Seccomp):/ { print $2 }' "/proc/$pid/status" | tr '\n' ,)" \
		1,2, "what holds it"
	tr '\0' ' ' <"/proc/$spawned/cmdline" | grep -q secret && fail "a secret"
	find "/proc/$pid/fd" -regex '.*/[3-9]' -lname "$T/*" | grep -q . && fail "it holds a file"
	return 0
}

# Below the agent: processes of that name.
has_other() { # NAME PID…: not those
	local pid
	for pid in $(named_in "$agent" "$1"); do
		[[ " ${*:2} " = *" $pid "* ]] || return 0
	done
	return 1
}

has_gone() { # PID
	! grep -q '^State:.[^ZX]' "/proc/$1/status" 2>/dev/null
}

n_files() { find "$T/spool" -maxdepth 1 -name '*.pb.gz' | wc -l; }

start_agent() { # [OPTION…]
	spawn "$PMUBPF" agent --dir "$T/spool" --every 1s -e cpu-clock --host h1 "$@" 2>"$T/err" \
		>/dev/null
	agent=$spawned
}

expect_bits() { # PID LINE VALUE WHAT: of its status
	expect_eq "$(awk -v l="$2:" '$1 == l { print $2 }' "/proc/$1/status")" "$3" "$4"
}

# To a server, and to one that isn't there; who sends is killed.
t_an_agent_sends() {
	local old n pid
	need_server
	start_agent --to "$U" --to clickhouse+http://127.0.0.1:1/fleet
	wait_until has_windows 2 || fail "nothing is sent: $(cat "$T/err")"
	expect_bits "$agent" Seccomp 2 "the agent's sockets"
	expect_eq "$(named_in "$agent" pmubpf-send | wc -l)" 2 "senders"
	for pid in $(named_in "$agent" pmubpf-send); do
		expect_bits "$pid" CapPrm 0000000000000000 "what a sender may"
		expect_bits "$pid" Seccomp 2 "a sender's calls"
		find "/proc/$pid/fd" -lname "$T/spool/*.pb.gz" | grep -q . && fail "a window"
	done
	for pid in $(named_in "$agent" pmubpf-http); do
		expect_bits "$pid" Uid 65534 "who has the network"
	done
	old=$(named_in "$agent" pmubpf-send)
	# shellcheck disable=SC2086
	kill -KILL $old
	# shellcheck disable=SC2086
	wait_until has_other pmubpf-send $old || fail "no other sender takes its place"
	n=$(fleet 'SELECT count() FROM windows')
	wait_until has_windows $((n + 2)) || fail "nothing is sent any more: $(cat "$T/err")"
	old=$(named_in "$agent" pmubpf-http)
	# shellcheck disable=SC2086
	kill -KILL $old
	# shellcheck disable=SC2086
	wait_until has_other pmubpf-http $old || fail "nobody has the network any more"
	n=$(fleet 'SELECT count() FROM windows')
	wait_until has_windows $((n + 2)) || fail "nothing is sent at last: $(cat "$T/err")"
	old=$(families_of "$agent")
	kill -TERM "$agent"
	wait "$agent"
	expect_eq "$?" 0 "exit status"
	expect_match "$T/err" "/fleet: [1-9][0-9]* windows sent, 0 refused, 0 expired" "the books"
	expect_match "$T/err" ':1/fleet: 0 windows sent' "those of the other one"
	for pid in $old; do wait_until has_gone "$pid" || fail "$pid is left over"; done
	# what is left is sent by whoever comes next
	pmb_ok ship --from "$T/spool" --state "$T/spool/ship" --host h1 --once --to "$U"
	expect_sums "$(n_files)"
}

kill_both_keepers() {
	# shellcheck disable=SC2046
	kill -KILL $(named_in "$agent" pmubpf-keep) $(named_in "$agent" pmubpf-spare)
}

t_who_keeps_senders_is_killed() {
	need_program python3
	need_root
	misbehave refuse 1
	start_agent --to "clickhouse+http://127.0.0.1:$P/fleet"
	wait_until has_other pmubpf-send || fail "no sender"
	expect_eq "$(named_in "$agent" pmubpf-keep | wc -l)" 1 "those that keep senders"
	for _ in 1 2; do
		wait_until eval '[ "$(named_in "$agent" pmubpf-spare | wc -l)" = 1 ]' ||
			fail "no spare one"
		sender=$(named_in "$agent" pmubpf-send)
		# all of that name
		# shellcheck disable=SC2046
		kill -KILL $(named_in "$agent" pmubpf-keep)
		wait_until has_other pmubpf-send "$sender" || fail "nobody takes its place"
		expect_eq "$(named_in "$agent" pmubpf-send | wc -l)" 1 "senders after that"
		expect_eq "$(named_in "$agent" pmubpf-keep | wc -l)" 1 "keepers after that"
	done
	kill_both_keepers
	wait_until grep -q 'restart the agent' "$T/err" || fail "nothing is said"
	wait_until eval '[ -z "$(named_in "$agent" pmubpf-send)" ]' || fail "a sender without it"
	n=$(n_files)
	wait_until eval "[ \$(n_files) -gt $n ]" || fail "the recording doesn't go on"
	kill -TERM "$agent"
	wait "$agent"
	expect_eq "$?" 0 "exit status"
	expect_match "$T/err" 'nobody sends any more' "the books"
}

# A service ends then, with all that it has recorded, and is started again.
t_both_keepers_of_a_service_are_killed() {
	need_program python3
	need_root
	misbehave refuse 1
	spawn python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
while True: s.recv(4096)' "$T/socket"
	wait_until test -S "$T/socket" || fail "no socket"
	export NOTIFY_SOCKET=$T/socket
	start_agent --to "clickhouse+http://127.0.0.1:$P/fleet"
	unset NOTIFY_SOCKET
	wait_until has_other pmubpf-send || fail "no sender"
	wait_until eval '[ "$(n_files)" -ge 1 ]' || fail "no window"
	kill_both_keepers
	wait "$agent"
	expect_eq "$?" 1 "exit status"
	expect_match "$T/err" 'the recording ends, so that the service is started again' "why"
	expect_match "$T/err" ' [1-9][0-9]* windows written, 0 lost' "the books"
}

# Whichever it is, and the agent at last: nothing that was written is lost, or there twice.
t_each_process_is_killed() {
	local pid n round file
	need_server
	for round in 1 2; do
		start_agent --to "$U" --metrics 0 --textfile "$T/a.prom"
		wait_until has_windows "$((round * 2))" || fail "nothing is sent: $(cat "$T/err")"
		for pid in $(families_of "$agent"); do
			n=$(n_files)
			kill -KILL "$pid" 2>/dev/null
			[ "$pid" = "$agent" ] ||
				wait_until eval "[ \$(n_files) -gt $n ]" || fail "no window"
		done
		wait "$agent" 2>/dev/null
	done
	start_agent --to "$U"
	n=$(n_files)
	wait_until has_windows "$n" || fail "not all is sent: $(cat "$T/err")"
	kill -TERM "$agent"
	wait "$agent"
	expect_match "$T/err" '[1-9][0-9]* windows sent, 0 refused, 0 expired, 0 uncer' "the books"
	pmb_ok ship --from "$T/spool" --state "$T/spool/ship" --host h1 --once --to "$U"
	expect_sums "$(n_files)"
	# one that was cut short may have no sample
	n=0
	for file in "$T"/spool/*.pb.gz; do
		pmb_ok report --json --limit 0 "$file"
		[ "$(jq '.events[0].total.samples' "$T/out")" = 0 ] || n=$((n + 1))
	done
	expect_ge "$n" 4 "windows that have samples"
	expect_eq "$(fleet 'SELECT count() FROM (SELECT window, part, count(), max(stack)
		FROM samples GROUP BY window, part)')" "$n" "windows, of one part each"
}

t_agent_options_refused() {
	echo user:secret >"$T/secret"
	chmod 644 "$T/secret"
	pmb agent --dir "$T/spool" --credentials "$T/secret" --to clickhouse+http://127.0.0.1:1/x
	expect_eq "$rc" 2 "exit status"
	expect_match "$T/err" 'belongs behind its --to' "of which server"
	pmb agent --dir "$T/spool" --host h1
	expect_eq "$rc" 2 "exit status"
	pmb agent --dir "$T/spool" --to http://127.0.0.1:1/x
	expect_eq "$rc" 2 "exit status"
	pmb agent --dir "$T/spool" --to clickhouse+http://127.0.0.1:1/x \
		--to clickhouse+http://127.0.0.1:1/x
	expect_match "$T/err" 'is there twice' "twice"
	pmb agent --dir "$T/spool" -e cpu-clock --to clickhouse+http://127.0.0.1:1/x \
		--credentials "$T/secret"
	expect_eq "$rc" 1 "exit status"
	expect_match "$T/err" 'can be read by others' "a file for all"
}

run_tests
