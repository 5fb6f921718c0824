#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# pmubpf agent: windows of a recording that goes on. They add up to all of it, the folder never
# holds more than it may, and neither a sudden end nor a full disk loses what was written.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/relation_lib.sh
. "$(dirname "$0")/relation_lib.sh"

windows_of() { # DIR
	find "$1" -maxdepth 1 -name '*-[0-9]*.pb.gz' | sort
}

n_windows() { windows_of "$1" | wc -l; }

has_windows() { # DIR N
	[ "$(n_windows "$1")" -ge "$2" ]
}

# Lines "seq key=value…" of a remark of each window.
remarks() { # DIR KEY
	local f
	windows_of "$1" | while read -r f; do
		echo "$f $(zcat "$f" | grep -aoE "$2: [ -~]*")"
	done
}

value() { # KEY: of each line
	sed -nE "s/.* $1=([0-9]+).*/\1/p"
}

sum() { awk '{ s += $1 } END { printf "%.0f\n", s }'; }

# What the agent says at its end.
said() { # REGEX
	sed -nE "s/^pmubpf: cpu-clock: .*\b([0-9]+) $1.*/\1/p" "$T/err" | tail -n 1
}

# Each window's columns add up, and what one carries out the next one carries in.
expect_columns_of() { # DIR
	local broken
	remarks "$1" 'columns cpu-clock' >"$T/columns"
	expect_eq "$(grep -c ' balanced=yes' "$T/columns")" "$(n_windows "$1")" \
		"windows that balance"
	[ -s "$T/columns" ] || fail "no window has columns"
	broken=$(awk '{
		for (i = 2; i <= NF; i++) { n = split($i, p, "="); if (n == 2) v[p[1]] = p[2] }
		if (v["seen"] != v["emitted"] + v["filtered"] + v["closed"] + v["dropped"])
			print "seen of " $1
		if (v["emitted"] + v["rings_in"] != v["decoded"] + v["rings_out"])
			print "emitted of " $1
		if (v["decoded"] + v["held_in"] != v["aggregated"] + v["discarded"] + v["held_out"])
			print "decoded of " $1
		if (v["rings_in"] != rings + 0 || v["held_in"] != held + 0)
			print "carried into " $1
		rings = v["rings_out"]; held = v["held_out"]
	} END { if (rings + held) print "carried out of the last" }' "$T/columns")
	[ -z "$broken" ] || fail "$(echo "$broken" | head -n 3 | tr '\n' ';')"
}

# One begins where the one before has ended, by the clock that isn't set.
expect_no_gap() { # DIR
	remarks "$1" window | awk '{
		for (i = 2; i <= NF; i++) { n = split($i, p, "="); if (n == 2) v[p[1]] = p[2] }
		if (NR > 1 && v["begin"] != end) print $1 " begins later"
		if (v["seq"] != NR - 1) print $1 " is number " v["seq"]
		end = v["end"]
	}' >"$T/gaps"
	expect_empty "$T/gaps" "windows side by side"
}

t_windows_add_up() {
	pmb_ok agent --dir "$T/spool" --every 1s -e cpu-clock -F 499 -- "$WORKLOADS/split" 3
	expect_ge "$(n_windows "$T/spool")" 2 "windows"
	expect_columns_of "$T/spool"
	expect_no_gap "$T/spool"
	expect_eq "$(value seen <"$T/columns" | sum)" "$(said overflows)" "overflows"
	expect_eq "$(value aggregated <"$T/columns" | sum)" "$(said 'samples in windows')" \
		"samples of windows"
	# shellcheck disable=SC2046 # several names
	"$PMUBPF" report --json --limit 0 $(windows_of "$T/spool") >"$T/report"
	expect_eq "$(jq '.events[0].total.samples' "$T/report")" \
		"$(value aggregated <"$T/columns" | sum)" "samples of the profiles"
	expect_ge "$(jq '[.rows[] | select(.name == "hot70").events[0].self.samples] | add' \
		"$T/report")" 100 "samples of hot70"
	expect_eq "$(stat -c %a "$T/spool")" 700 "mode of the folder"
	find "$T/spool" -mindepth 1 -not -perm 600 >"$T/open"
	expect_empty "$T/open" "files that others can read"
	find "$T/spool" -mindepth 1 -name '*.part' >"$T/left"
	expect_empty "$T/left" "files that aren't whole"
}

t_a_signal_writes_the_last_one() {
	local signal
	for signal in TERM INT; do
		pmb_start agent --dir "$T/$signal" --every 1h -e cpu-clock -F 199
		sleep 1
		pmb_finish "$signal"
		expect_eq "$rc" 0 "exit status after SIG$signal"
		expect_eq "$(n_windows "$T/$signal")" 1 "windows after SIG$signal"
		expect_columns_of "$T/$signal"
		expect_ge "$(value seen <"$T/columns" | sum)" 1 "overflows in it"
	done
}

t_kill_and_go_on() {
	local dir=$T/spool before last left
	pmb_start agent --dir "$dir" --every 1s -e cpu-clock
	wait_until has_windows "$dir" 2 || fail "no two windows"
	pmb_finish KILL 2>/dev/null
	last=$(windows_of "$dir" | tail -n 1)
	left=$dir/.$(basename "${last%-*}")-9999999999.pb.gz.part
	head -c 500 "$last" >"$left"
	before=$(n_windows "$dir")
	pmb_start agent --dir "$dir" --every 1s -e cpu-clock
	wait_until has_windows "$dir" $((before + 1)) || fail "no window of the second agent"
	pmb_finish TERM
	expect_eq "$rc" 0 "exit status"
	[ ! -e "$left" ] || fail "what was left is still there"
	expect_match "$T/err" '1 file.* killed: removed' "what was left"
	windows_of "$dir" | sed -E 's/.*-0*([0-9]+)[.]pb[.]gz/\1/' >"$T/numbers"
	expect_eq "$(tr '\n' ' ' <"$T/numbers")" \
		"$(seq -s ' ' 0 $(($(wc -l <"$T/numbers") - 1))) " "numbers"
	# shellcheck disable=SC2046
	pmb_ok report $(windows_of "$dir")
}

# Programs that start are looked at at once only as long as that has credit, an eighth of the
# budget. With so little of that there are a few looks, and not one for each program.
t_programs_that_start() {
	local may looks
	need_program python3
	pmb_start agent --dir "$T/spool" --every 1s -e cpu-clock --budget 0.01
	python3 - <<-'END'
		import subprocess, time
		end = time.monotonic() + 4
		while time.monotonic() < end:
		    subprocess.run(["true"])
	END
	pmb_finish TERM
	remarks "$T/spool" cost >"$T/cost"
	looks=$(value looks_ns <"$T/cost" | sum)
	expect_ge "$looks" 1 "ns of looks"
	# of a minute, more than it took; and the look that made it negative, if that took 10 ms
	may=$(awk -v cpus="$(nproc)" 'BEGIN { printf "%d", 60e9 * cpus * 1e-4 / 8 }')
	expect_le "$looks" $((may + 10000000)) "ns of looks"
}

# Whatever process it is that ends.
t_killed_writer() {
	local dir=$T/spool writer
	pmb_start agent --dir "$dir" --every 1s -e cpu-clock
	wait_until has_windows "$dir" 1 || fail "no window"
	writer=$(pgrep -P "$tool" | while read -r p; do
		find "/proc/$p/fd" -lname "$dir" 2>/dev/null | grep . >/dev/null && echo "$p"
	done)
	[ -n "$writer" ] || fail "nobody writes"
	kill -KILL "$writer"
	wait_until has_windows "$dir" 4 || fail "no window after that: $(tail -n 1 "$T/err")"
	pmb_finish TERM
	expect_eq "$rc" 0 "exit status"
	expect_columns_of "$dir"
	expect_no_gap "$dir"
}

bytes_of() { # DIR: on disk
	find "$1" -type f -printf '%b\n' 2>/dev/null | awk '{ s += $1 * 512 } END { print s + 0 }'
}

t_max_disk_is_never_exceeded() {
	local dir=$T/spool most=0 now i
	mkdir -m 700 "$dir"
	pmb_start agent --dir "$dir" --every 1s --max-disk 64K -e cpu-clock -F 499
	for ((i = 0; i < 150; i++)); do
		now=$(bytes_of "$dir")
		[ "$now" -le "$most" ] || most=$now
		[ "$i" -lt 60 ] || [ -e "$(echo "$dir"/*-0000000000.pb.gz)" ] || break
		sleep 0.1
	done
	pmb_finish TERM
	expect_le "$most" 65536 "bytes in the folder, at any time"
	expect_ge "$most" 1 "bytes in the folder"
	# windows of a busy machine may be larger than that
	expect_match "$T/err" 'removed: 0 too old, [1-9]|larger than --max-disk' "what went"
}

t_too_old() {
	local dir=$T/spool i
	mkdir -m 700 "$dir"
	for i in 0 1 2; do
		: >"$dir/ffffffffffffffffffffffffffffffff-000000000$i.pb.gz"
	done
	touch -d '-3 days' "$dir"/*-000000000[01].pb.gz
	: >"$dir/notes.txt"
	pmb_ok agent --dir "$dir" --every 1s --keep 2d -e cpu-clock -d 1
	expect_match "$T/err" 'removed: 2 too old, 0 for' "what went"
	find "$dir" -name 'ffff*' -printf '%f\n' | sed 's/f*-//' >"$T/stayed"
	expect_match "$T/stayed" '^0*2[.]pb[.]gz$' "what is younger"
	[ -e "$dir/notes.txt" ] || fail "somebody's file has gone"
}

t_a_full_disk_loses_nothing() {
	need_root
	mkdir "$T/m"
	# shellcheck disable=SC2016
	spawn unshare -m --propagation private sh -c '
		mount -t tmpfs -o size=4m,mode=700 none "$1/m" || exit
		dd if=/dev/zero of="$1/m/full" bs=4k 2>/dev/null
		shift; exec "$@"' sh "$T" "$PMUBPF" agent --dir "$T/m" --every 1s -e cpu-clock \
		>"$T/out" 2>"$T/err" </dev/null
	tool=$spawned
	wait_until grep -q 'No space left' "$T/err" || fail "it says nothing of a full disk"
	sleep 2
	expect_eq "$(grep -c 'No space left' "$T/err")" 1 "how often it is said"
	expect_match "$T/err" 'in memory, up to 17 MB' "half of 32M, beside it"
	rm "/proc/$tool/root$T/m/full"
	wait_until grep -q 'written again; 0 were lost' "$T/err" || fail "it doesn't go on"
	wait_until has_windows "/proc/$tool/root$T/m" 3 || fail "windows of before are missing"
	mkdir "$T/spool"
	cp "/proc/$tool/root$T/m"/*.pb.gz "$T/spool"
	expect_no_gap "$T/spool"
	kill -TERM "$tool"
	wait "$tool"
	expect_eq "$?" 0 "exit status"
	expect_match "$T/err" ' windows written, 0 lost' "what was lost"
}

t_two_agents() {
	pmb_start agent --dir "$T/spool" --every 1s -e cpu-clock
	"$PMUBPF" agent --dir "$T/spool" -e cpu-clock 2>"$T/second"
	expect_eq $? 1 "exit status of the second"
	expect_match "$T/second" "another agent writes to '$T/spool'" "what it says"
	pmb_finish TERM
	expect_eq "$rc" 0 "exit status of the first"
}

# A service of systemd's type notify, with a watchdog.
t_notifies() {
	need_program python3
	python3 - "$T/socket" "$T/heard" <<-'END' &
		import socket, sys
		s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		s.bind(sys.argv[1])
		s.settimeout(60)
		with open(sys.argv[2], "w") as f:
		    while True:
		        text = s.recv(4096).decode()
		        print(text, file=f, flush=True)
		        if text == "STOPPING=1":
		            break
	END
	local listener=$!
	wait_until test -S "$T/socket" || fail "no socket"
	export NOTIFY_SOCKET=$T/socket
	pmb_start agent --dir "$T/spool" --every 1s -e cpu-clock --to s3+http://127.0.0.1:1/b
	unset NOTIFY_SOCKET
	wait_until grep -q WATCHDOG=1 "$T/heard" || fail "no watchdog is fed"
	wait_until grep -q STATUS=1 "$T/heard" || fail "no status"
	kill -HUP "$tool"
	wait_until grep -q RELOADING=1 "$T/heard" || fail "it doesn't say that it reads again"
	pmb_finish TERM
	wait "$listener"
	expect_eq "$(cut -d = -f 1 "$T/heard" | sort -u | tr '\n' ' ')" \
		"MONOTONIC_USEC READY RELOADING STATUS STOPPING WATCHDOG " "what was said"
	expect_match "$T/heard" \
		'^STATUS=1 windows written, 0 lost; s3[^ ]*/b: 0 windows sent, 0 refused' \
		"the status"
	expect_eq "$(head -n 1 "$T/heard")" READY=1 "what was said first"
}

# Whoever is killed leaves nobody and holds nothing: folders, locks, the port.
t_killed_with_all_beside_it() {
	local port pid beside
	need_root
	need_program python3
	need_program curl
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
	set -- agent --dir "$T/spool" --every 1s -e cpu-clock --to s3+http://127.0.0.1:1/b \
		--metrics "$port" --textfile "$T/a.prom"
	pmb_start "$@"
	wait_until has_windows "$T/spool" 1 || fail "no window"
	beside=$(families_of "$tool")
	expect_ge "$(wc -w <<<"$beside")" 6 "processes"
	pmb_finish KILL 2>/dev/null
	for pid in $beside; do
		wait_until has_gone "$pid" || fail "$(cat "/proc/$pid/comm") is left over"
	done
	pmb_start "$@"
	wait_until curl -s -m 5 -o "$T/scraped" "http://127.0.0.1:$port/metrics" ||
		fail "the next one doesn't answer: $(cat "$T/err")"
	pmb_finish TERM
	expect_eq "$rc" 0 "exit status"
}

# The agent gives the network up, its command doesn't.
t_its_command_has_the_network() {
	need_program python3
	echo 'import socket; socket.socket(socket.AF_INET)' >"$T/net.py"
	pmb agent --dir "$T/spool" -e cpu-clock -- python3 "$T/net.py"
	expect_eq "$rc" 0 "exit status"
	expect_no_match "$T/err" 'PermissionError|Permission denied' "its sockets"
}

t_examples() {
	sed 's/^#\([a-z-]* = \)/\1/' "$TOP/examples/agent.conf" >"$T/agent.conf"
	chmod 600 "$T/agent.conf"
	expect_ge "$(grep -c '^[a-z]' "$T/agent.conf")" 7 "options of the example"
	# all are known, and only the folder is missing
	expect_refused 2 "with the options of .*: where to" agent --config "$T/agent.conf"
	need_program systemd-analyze
	sed "s,/usr/bin/pmubpf,$PMUBPF," "$TOP/examples/pmubpf-agent.service" \
		>"$T/pmubpf-agent.service"
	systemd-analyze verify --man=no "$T/pmubpf-agent.service" >"$T/out" 2>&1 ||
		fail "the unit: $(head -n 3 "$T/out")"
	expect_empty "$T/out" "what systemd says of the unit"
}

t_refused() {
	expect_refused 2 "where to" agent
	expect_refused 2 "from 1s to 1h" agent --dir "$T/x" --every 10ms
	expect_refused 2 "such as 12h" agent --dir "$T/x" --keep tomorrow
	expect_refused 2 "from 64K" agent --dir "$T/x" --max-disk 1K
	expect_refused 2 "record --data" agent --dir "$T/x" --label data_type
	mkdir -m 770 "$T/open"
	expect_refused 1 "others may write" agent --dir "$T/open" -e cpu-clock
	: >"$T/file"
	expect_refused 1 "can't open the folder" agent --dir "$T/file" -e cpu-clock
	[ "$(id -u)" -ne 0 ] || {
		mkdir -m 700 "$T/theirs"
		chown 65534 "$T/theirs"
		expect_refused 1 "belongs to user 65534" agent --dir "$T/theirs" -e cpu-clock
	}
	[ ! -e "$T/x" ] || fail "a folder was made for nothing"
}

# Its own rate is for events that have one.
t_switches() {
	pmb_ok agent --dir "$T/spool" -e off-cpu -- sleep 0.5
	expect_no_match "$T/err" '-F' "what is said of a frequency that nobody gave"
	pmb_ok report --by thread "$(windows_of "$T/spool" | head -n 1)"
	expect_match "$T/out" 'sleep' "who waited"
	expect_refused 2 "-F: switches come when they come" agent --dir "$T/x" -F 49 -e off-cpu
}

# The options of a file, which SIGHUP reads again: what can change does, the rest is named.
t_config() {
	local conf=$T/agent.conf
	cat >"$conf" <<-END
		# the events of the command line count
		dir = $T/spool
		event = no-such-event
		every = 1h
	END
	pmb_start agent --config "$conf" -e cpu-clock
	sed -i 's/1h/1s/; s/no-such/neither/' "$conf"
	echo 'keep = 2d' >>"$conf"
	kill -HUP "$tool"
	wait_until has_windows "$T/spool" 2 || fail "windows aren't shorter: $(cat "$T/err")"
	expect_eq "$(grep -c "'event' stays as it was" "$T/err")" 1 "what needs a new recording"
	expect_match "$T/err" 'was read again' "the note"
	echo 'max-disk = much' >>"$conf"
	kill -HUP "$tool"
	wait_until grep -q "nothing is changed: .*--max-disk 'much'" "$T/err" || fail "a bad file"
	sed -i 's/^max-disk.*/alarm = page-faults/' "$conf"
	kill -HUP "$tool"
	wait_until grep -q "nothing is changed: .*--alarm 'page-faults': say" "$T/err" ||
		fail "a bad relation"
	sed -i 's/^alarm.*/alarm = page-faults ~ task-clock/' "$conf"
	kill -HUP "$tool"
	wait_until grep -q "'alarm' stays as it was" "$T/err" || fail "another relation"
	sed -i 's/^alarm.*/detail-share = 200/' "$conf"
	kill -HUP "$tool"
	wait_until grep -q "nothing is changed: .*--detail-share '200'" "$T/err" ||
		fail "a bad share"
	rm "$conf"
	kill -HUP "$tool"
	wait_until grep -q "nothing is changed: can't read" "$T/err" || fail "no file"
	pmb_finish TERM
	expect_eq "$rc" 0 "exit status"
	expect_columns_of "$T/spool"
	expect_no_gap "$T/spool"
	zcat "$(windows_of "$T/spool" | head -n 1)" | grep -aq -- '--every=1h' ||
		fail "the window doesn't say what it was recorded with"
}

# That of the kernel is the end; one that is sent isn't (above).
t_a_terminal_that_closes() {
	need_program python3
	python3 - "$PMUBPF" "$T/spool" <<-'END' || fail "the agent doesn't end as it should"
		import os, pty, sys, time
		pid, fd = pty.fork()
		if pid == 0:
		    os.execv(sys.argv[1], ["pmubpf", "agent", "--dir", sys.argv[2],
		        "--every", "1h", "-e", "cpu-clock"])
		os.read(fd, 4096)
		time.sleep(0.5)
		os.close(fd)
		sys.exit(os.waitpid(pid, 0)[1] != 0)
	END
	expect_eq "$(n_windows "$T/spool")" 1 "windows"
}

# Each is refused at the start, and changes nothing later.
t_hostile_config() {
	local conf=$T/agent.conf
	mkfifo "$T/fifo"
	expect_refused 1 "no regular file" agent --config "$T/fifo"
	expect_refused 1 "No such file" agent --config "$T/none"
	echo "dir = $T/x" >"$conf"
	ln -s "$conf" "$T/link"
	expect_refused 1 "is a link" agent --config "$T/link"
	chmod 666 "$conf"
	expect_refused 1 "others may write" agent --config "$conf"
	chmod 600 "$conf"
	[ "$(id -u)" -ne 0 ] || {
		chown 65534 "$conf"
		expect_refused 1 "belongs to user 65534" agent --config "$conf"
		chown 0 "$conf"
	}
	head -c 70000 /dev/zero >>"$conf"
	expect_refused 1 "more than 64 kB" agent --config "$conf"
	head -c 100 /dev/zero >"$conf"
	expect_refused 2 "it isn't text" agent --config "$conf"
	printf 'dir = %s\nhelp\n' "$T/x" >"$conf"
	expect_refused 2 "line 2: 'help' is no option" agent --config "$conf"
	[ ! -e "$T/x" ] || fail "a folder was made for nothing"
}

alarm_lines() { # WORD: of all windows, "FILE alarm: …"
	local f
	windows_of "$T/spool" | while read -r f; do
		zcat "$f" | grep -aoE "alarm: [0-9][^ ]* $1 '[ -~]* were expected" | sed "s,^,$f ,"
	done
}

# One of several that run at the same time: as run_test has it, in a folder of its own.
as_a_part() { # FUNCTION
	local T=$T/$1
	mkdir "$T"
	SPAWNED=()
	LATER=()
	trap end_test EXIT
	"$1"
}

# Each of these waits for some twenty seconds and does next to nothing.
t_alarms_and_detail() {
	local part pids=() parts=(an_alarm detail_around_an_alarm)
	parts+=(an_end_in_detail detail_is_bounded)
	need_tracepoints
	for part in "${parts[@]}"; do
		as_a_part "$part" &
		pids+=($!)
	done
	for part in "${parts[@]}"; do
		wait "${pids[0]}" || echo "$part: $(cat "$T/$part/reason")" >>"$T/out"
		pids=("${pids[@]:1}")
	done
	[ ! -s "$T/out" ] || fail "$(head -n 1 "$T/out")"
}

# From the seventh second of the program on its relation is another one.
an_alarm() {
	baseline "$T/before"
	spawn "$WORKLOADS/seconds" 17 6 >"$T/known"
	pmb_start agent --dir "$T/spool" --every 3s -e cpu-clock --alarm "$RELATION" \
		--baseline "$T/before" --textfile "$T/a.prom" --alarm-run "$S/told" -p "$spawned"
	wait_until grep -q "'$RELATION': alarm, .* above what was usual" "$T/err" ||
		fail "no alarm: $(cat "$T/err")"
	wait_until grep -q '^pmubpf_alarm_active{relation="page.*} 1$' "$T/a.prom" ||
		fail "the gauge: $(tail -n 5 "$T/a.prom")"
	pmb_finish TERM
	expect_eq "$rc" 0 "exit status"
	expect_le "$(sed -nE "s/^pmubpf: at ([0-9]+)[.].*: alarm, .*/\1/p" "$T/err")" 15 \
		"seconds until it: not more than ten after the change"
	expect_eq "$(alarm_lines raised | wc -l)" 1 "windows that have it"
	expect_match "$T/a.prom" '^pmubpf_alarms_total{relation="page.*} 1$' "the counter"
	expect_match "$T/err" "'$S/told': alarms: 1; runs: 1$" "the caller's program"
	expect_columns_of "$T/spool"
	expect_no_gap "$T/spool"
	pmb_ok report --from "$T/spool"
	expect_match "$T/out" "^# alarm +20[^ ]*Z raised '$RELATION': [0-9.]+ % above what was" \
		"what the report says"
}

# Of each window: seconds in detail, overflows, nanoseconds that they stand for.
detail_of() { # DIR
	local f
	windows_of "$1" | while read -r f; do
		zcat "$f" >"$T/one"
		grep -aoE '(detail: [0-9.]+ s|columns cpu-clock: [ -~]* balanced)' "$T/one" | awk '
			$1 == "detail:" { detail = $2 }
			$1 == "columns" {
				for (i = 3; i <= NF; i++) { split($i, p, "="); v[p[1]] = p[2] }
			}
			END { print detail + 0, v["aggregated"], v["weight"] }'
	done
}

start_in_detail() { # LOOKAHEAD
	baseline "$T/before"
	spawn "$WORKLOADS/seconds" 22 5 >"$T/known"
	pmb_start agent --dir "$T/spool" --every 2s -e cpu-clock -F 49 --when "$RELATION" \
		--lookahead "$1" --baseline "$T/before" --textfile "$T/a.prom" -p "$spawned"
	wait_until grep -q '^pmubpf_detail_active 1$' "$T/a.prom" ||
		fail "it isn't in detail: $(cat "$T/err")"
}

# Around an alarm there are twenty times as many samples, each of which stands for a twentieth.
detail_around_an_alarm() {
	start_in_detail 6s
	wait_until grep -q '^pmubpf_detail_active 0$' "$T/a.prom" || fail "it stays in detail"
	wait_until has_windows "$T/spool" $(($(n_windows "$T/spool") + 2)) || fail "no window"
	pmb_finish TERM
	expect_eq "$rc" 0 "exit status"
	expect_columns_of "$T/spool"
	expect_no_gap "$T/spool"
	detail_of "$T/spool" >"$T/windows"
	expect_ge "$(awk '{ s += $1 } END { print int(s) }' "$T/windows")" 5 "seconds in detail"
	expect_le "$(awk '{ s += $1 } END { print int(s) }' "$T/windows")" 19 "the same"
	# of windows that are one or the other; a timer that comes late makes samples of several
	expect_eq "$(awk '$1 == 0 && $2 && ($3 / $2 < 20e6) { n++ } END { print n + 0 }' \
		"$T/windows")" 0 "windows without detail whose samples are short"
	expect_ge "$(awk '$1 > 1.99 && $2 && $3 / $2 < 4e6 { n++ } END { print n + 0 }' \
		"$T/windows")" 1 "windows in detail whose samples are short"
	remarks "$T/spool" cost >"$T/cost"
	expect_le "$(value kernel_ns <"$T/cost" | sum)" 5000000000 "ns of overflow programs"
	pmb_ok report --from "$T/spool"
	expect_match "$T/out" '^# detail +[0-9.]+ s with 20 times as many samples$' "the report"
	pmb_ok report --json --from "$T/spool"
	expect_eq "$(jq '.events[0].total.time_ns' "$T/out")" \
		"$(awk '{ s += $3 } END { printf "%.0f\n", s }' "$T/windows")" "the sum of weights"
	expect_within "$(awk '/^pmubpf_detail_seconds_total/ { print int($2) }' "$T/a.prom")" \
		"$(awk '{ s += $1 } END { print int(s) }' "$T/windows")" 1 "seconds, as a counter"
}

an_end_in_detail() {
	start_in_detail 60s
	sleep 0.5
	pmb_finish TERM
	detail_of "$T/spool" | awk '{ s += $1 } END { print int(s * 10) }' >"$T/tenths"
	expect_ge "$(cat "$T/tenths")" 4 "tenths of a second in detail"
	expect_le "$(cat "$T/tenths")" 220 "the same, of what the program ran"
}

# No more of the time than it may be.
detail_is_bounded() {
	baseline "$T/before"
	spawn "$WORKLOADS/seconds" 20 4 >"$T/known"
	pmb_start agent --dir "$T/spool" --every 1s -e cpu-clock --when "$RELATION" \
		--lookahead 1s --detail-share 0 --baseline "$T/before" -p "$spawned"
	wait_until grep -q 'alarm, ' "$T/err" || fail "no alarm: $(cat "$T/err")"
	sleep 2
	pmb_finish TERM
	detail_of "$T/spool" >"$T/windows"
	expect_le "$(awk '{ s += $1 } END { print int(s * 10) }' "$T/windows")" 61 \
		"tenths of a second in detail: five alarms' worth, to a second"
}

setup() {
	printf '#!/bin/sh\nexit 0\n' >"$S/told"
	chmod 755 "$S/told"
}

t_alarms_refused() {
	local nine=() i
	expect_refused 2 "say 'Y ~ X'" agent --dir "$T/x" --alarm page-faults
	expect_refused 2 "two different events" agent --dir "$T/x" --alarm 'a ~ a'
	expect_refused 2 "no-such-event" agent --dir "$T/x" -e cpu-clock \
		--alarm 'no-such-event ~ task-clock'
	expect_refused 2 "a target is pid=" agent --dir "$T/x" -e cpu-clock \
		--alarm 'page-faults{pod=a} ~ task-clock'
	expect_refused 2 "there are none" agent --dir "$T/x" -e cpu-clock \
		--alarm 'page-faults ~ windows'
	expect_refused 2 "more than" agent --dir "$T/x" \
		--alarm "$(head -c 5000 /dev/zero | tr '\0' a) ~ b"
	for i in 1 2 3 4 5 6 7 8 9; do nine+=(--alarm "page-faults ~ a$i"); done
	expect_refused 2 "given 8 times" agent --dir "$T/x" "${nine[@]}"
	expect_refused 2 "there twice" agent --dir "$T/x" --alarm 'a ~ b' --alarm 'a ~ b'
	expect_refused 2 "goes with --alarm" agent --dir "$T/x" --baseline "$T/none"
	expect_refused 2 "go with --when" agent --dir "$T/x" --alarm 'a ~ b' --lookahead 3s
	expect_refused 2 "from 2 to 1000" agent --dir "$T/x" --when 'a ~ b' --detail 1
	expect_refused 2 "from 1s to 1h" agent --dir "$T/x" --when 'a ~ b' --lookahead 2d
	expect_refused 2 "in percent, from 0" agent --dir "$T/x" --when 'a ~ b' \
		--detail-share 101
	expect_refused 2 "no event here has a rate" agent --dir "$T/x" \
		-e cpu-clock/period=20000000/ --when 'page-faults ~ task-clock'
	[ ! -e "$T/x" ] || fail "a folder was made for nothing"
}

run_tests
