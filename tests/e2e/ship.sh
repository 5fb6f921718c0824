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

ship() { # [OPTION…]
	pmb ship --from "$T/spool" --state "$T/state" --host h1 --once "$@"
}

t_tables() {
	pmb_ok ship --schema clickhouse-cluster
	expect_match "$T/out" 'ReplicatedMergeTree' "tables of a cluster"
	expect_match "$T/out" '^\) ENGINE = Distributed' "tables of a cluster"
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
	expect_match "$T/err" 'clickhouse.*s3.*pyroscope.*otlp' "what it may be"
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

# As of a replica that has a window's row and not yet all of its samples, or of one sent twice.
t_rows_that_do_not_add_up_are_told() {
	need_server
	windows "$T/spool" 3
	ship --to "$U"
	expect_eq "$rc" 0 "exit status"
	pmb_ok report --from "$U"
	! grep -q 'not as many rows' "$T/err" || fail "there is nothing to tell"
	fleet "INSERT INTO windows SELECT host,boot,seq+100,window+1,start,start_ns,duration_ns,
		types,default_type,period_type,period,drop_frames,keep_frames,comments,layouts,
		rows,stacks,others FROM windows LIMIT 1"
	fleet "INSERT INTO samples SELECT * FROM samples WHERE window IN
		(SELECT window FROM windows WHERE seq=2) LIMIT 1"
	pmb_ok report --from "$U" --by container
	expect_match "$T/err" 'of 2 window\(s\) the server has not as many rows' "the note"
	# of an age at which samples are removed, but not yet windows
	fleet "INSERT INTO windows SELECT host,boot,seq+200,window+2,start-31*86400,
		start_ns-31*86400*1000000000,duration_ns,types,default_type,period_type,period,
		drop_frames,keep_frames,comments,layouts,rows,stacks,others FROM windows
		WHERE seq=0"
	pmb_ok report --from "$U" --by container
	expect_match "$T/err" 'of 2 window\(s\) the server has not as many rows' "what is new"
	expect_match "$T/err" 'of 1 window\(s\) the server has no longer all rows' "what is old"
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
	end_server
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

# Behind the server: whether it had the rows isn't said, with the code of rows that are cut.
t_a_shard_that_goes_away() {
	need_server
	windows "$T/spool" 3
	misbehave shard-lost "$http"
	ship --to "clickhouse+http://127.0.0.1:$P/fleet"
	expect_eq "$rc" 0 "exit status"
	expect_match "$T/err" ' 3 sent, 0 refused, 0 expired, 0 uncertain' "the books"
	expect_sums 3
	windows "$T/spool" 6
	misbehave shard-cut "$http"
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

samples_with_a_label_twice() { # FILE
	PYTHONPATH=$TOP/tests/e2e python3 -c '
import gzip, sys
from protobuf import pairs
profile = pairs(gzip.open(sys.argv[1]).read())
labels = [[dict(pairs(label))[1] for f, label in pairs(sample) if f == 3]
          for f, sample in profile if f == 2]
assert any(labels)
print(sum(len(set(keys)) < len(keys) for keys in labels))' "$1"
}

# Before the columns were there, and after: rows and agents of before are found by them.
t_rows_of_before() {
	local column whole image
	need_server
	windows "$T/spool" 2
	ship --to "$U"
	whole=$(fleet 'SELECT sum(samples) FROM samples')
	for column in namespace workload image; do
		fleet "ALTER TABLE samples DROP COLUMN $column"
	done
	insert_as_before samples web:1
	fleet "$(new_columns samples)"
	insert_as_before samples web:2
	for image in web:1 web:2; do
		pmb_ok report --json --limit 0 --by image --label image=$image --label \
			namespace=shop --from "$U"
		expect_eq "$(jq '.events[0].total.samples' "$T/out")" "$whole" "samples of $image"
	done
	pmb_ok report --csv --by image --from "$U"
	grep -v '^#' "$T/out" | sort >"$T/server"
	pmb_ok report -o "$T/all.pb.gz" --from "$U"
	pmb_ok report --csv --by image "$T/all.pb.gz"
	grep -v '^#' "$T/out" | sort >"$T/files"
	expect_same "by image"
	expect_eq "$(grep -c 'web:[12]' "$T/server")" 2 "images"
	expect_eq "$(samples_with_a_label_twice "$T/all.pb.gz")" 0 "samples with a label twice"
}

# A server whose tables have no columns for pods: windows wait for them.
t_tables_of_before() {
	local column
	need_server
	windows "$T/spool" 2
	for column in namespace workload image; do
		fleet "ALTER TABLE samples DROP COLUMN $column"
	done
	ship --to "$U"
	expect_eq "$rc" 1 "exit status"
	expect_match "$T/err" "isn't sent: the server answers .*namespace" "why"
	fleet "$(new_columns samples)"
	ship --to "$U"
	expect_eq "$rc" 0 "exit status with the manual's columns"
	expect_sums 2
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

# In a container that has only what recording needs.
t_root_that_cannot_become_nobody() {
	need_root
	need_program setpriv
	windows "$T/spool" 1
	setpriv --bounding-set=-setuid,-setgid --inh-caps=-setuid,-setgid "$PMUBPF" ship \
		--from "$T/spool" --state "$T/state" --once --to clickhouse+http://127.0.0.1:1/x \
		>"$T/out" 2>"$T/err"
	expect_eq $? 3 "exit status"
	expect_match "$T/err" "can't become nobody: .* CAP_SETUID and CAP_SETGID" "why"
}

# Under a filter that forbids to forbid: of seccomp(2), and of Landlock's last step.
t_what_cannot_be_forbidden() {
	need_root
	need_program python3
	windows "$T/spool" 1
	python3 - "$PMUBPF" ship --from "$T/spool" --state "$T/state" --once \
		--to clickhouse+http://127.0.0.1:1/x >"$T/out" 2>"$T/err" <<-'PYTHON'
		import ctypes
		import os
		import struct
		import sys

		# seccomp(2) on x86-64 and elsewhere, landlock_restrict_self; prctl(PR_SET_SECCOMP)
		code = [(0x20, 0, 0, 0), (0x15, 7, 0, 317), (0x15, 6, 0, 277), (0x15, 5, 0, 446),
		        (0x15, 1, 0, 157), (0x15, 0, 2, 167), (0x20, 0, 0, 16), (0x15, 1, 0, 22),
		        (6, 0, 0, 0x7fff0000), (6, 0, 0, 0x50000 | 1)]
		program = b"".join(struct.pack("HBBI", *one) for one in code)
		bytes_of_it = ctypes.create_string_buffer(program)

		class Filter(ctypes.Structure):
		    _fields_ = [("n", ctypes.c_ushort), ("at", ctypes.c_void_p)]

		libc = ctypes.CDLL(None, use_errno=True)
		head = Filter(len(program) // 8, ctypes.addressof(bytes_of_it))
		if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(head), 0, 0):
		    sys.exit(9)
		os.execv(sys.argv[1], sys.argv[1:])
	PYTHON
	expect_eq $? 3 "exit status"
	expect_match "$T/err" "can't have all else forbidden to it .*: Operation not" "why"
	expect_no_match "$T/err" CAP_SETUID "what it isn't"
}

run_tests
