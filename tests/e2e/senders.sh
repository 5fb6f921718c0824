#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# pmubpf agent --to a server: what its senders are and may, and that nothing is lost or there twice
# whoever is killed. The server is Debian's ClickHouse, started here.
# shellcheck source=tests/e2e/clickhouse_lib.sh
. "$(dirname "$0")/clickhouse_lib.sh"

# Below the agent: processes of that name.
has_other() { # NAME PID…: not those
	local pid
	for pid in $(named_in "$agent" "$1"); do
		[[ " ${*:2} " = *" $pid "* ]] || return 0
	done
	return 1
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

# The agent stands still meanwhile: it would have another spare one between the two.
kill_both_keepers() {
	wait_until eval '[ "$(named_in "$agent" pmubpf-spare | wc -l)" = 1 ]' ||
		fail "no spare one"
	kill -STOP "$agent"
	# shellcheck disable=SC2046
	kill -KILL $(named_in "$agent" pmubpf-keep) $(named_in "$agent" pmubpf-spare)
	kill -CONT "$agent"
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
	wait_until has_gone "$agent" || fail "the service goes on"
	wait "$agent"
	expect_eq "$?" 1 "exit status"
	expect_match "$T/err" 'the recording ends, so that the service is started again' "why"
	expect_match "$T/err" ' [1-9][0-9]* windows written, 0 lost' "the books"
}

# Whichever it is, and the agent at last: nothing that was written is lost, or there twice.
t_each_process_is_killed() {
	local pid pids n round file
	need_server
	for round in 1 2; do
		start_agent --to "$U" --metrics 0 --textfile "$T/a.prom"
		wait_until has_windows "$((round * 2))" || fail "nothing is sent: $(cat "$T/err")"
		# of the second one only the agent: it goes on from what the others' ends have left
		pids=$agent
		[ $round = 2 ] || pids=$(families_of "$agent")
		for pid in $pids; do
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
