#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# agent --textfile and --metrics: what Prometheus reads is what the windows have, and whoever asks
# holds nobody up.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# Its port is $port; of port 0 it says which it has.
start_agent() { # [OPTION…]
	pmb_start agent --dir "$T/spool" --every 1s -e cpu-clock --metrics 0 "$@"
	port=$(sed -n 's/.*answers on port //p' "$T/err")
	[ -n "$port" ] || fail "no port: $(cat "$T/err")"
}

scrape() {
	curl -s -m 15 "http://127.0.0.1:$port/metrics"
}

# The value of a line of a text.
value() { # FILE SERIES
	awk -v s="$2" 'index($0, s " ") == 1 { print $NF }' "$1"
}

has_windows() { # N
	scrape >"$T/now"
	[ "$(value "$T/now" pmubpf_spool_windows_written_total || echo 0)" -ge "$1" ] 2>/dev/null
}

t_text() {
	local column pid
	need_program curl
	start_agent --textfile "$T/file.prom" --when 'task-clock ~ page-faults{pid=1}'
	wait_until has_windows 2 || fail "no windows: $(head -n 3 "$T/now")"
	if command -v promtool >/dev/null; then
		promtool check metrics <"$T/now" >"$T/lint" 2>&1 ||
			fail "promtool: $(cat "$T/lint")"
		expect_empty "$T/lint" "what promtool says"
	fi
	pid=$(named_in "$tool" pmubpf-metrics)
	expect_eq "$(awk '/^Cap(Eff|Prm):/ { print $2 }' "/proc/$pid/status" | sort -u)" \
		0000000000000000 "capabilities of who answers"
	expect_eq "$(awk '/^Seccomp:/ { print $2 }' "/proc/$pid/status")" 2 "what holds it"
	pmb_finish TERM
	expect_eq "$rc" 0 "exit status"
	# the last text has all windows
	for column in seen aggregated; do
		expect_eq "$(value "$T/file.prom" \
			"pmubpf_overflows_total{column=\"$column\",event=\"cpu-clock\"}")" \
			"$(zcat "$T"/spool/*.pb.gz | grep -aoE 'columns cpu-clock: [ -~]*' |
				sed -nE "s/.* $column=([0-9]+).*/\1/p" |
				awk '{ s += $1 } END { print s }')" "$column"
	done
	expect_eq "$(awk '/^pmubpf_samples_total/ { s += $NF } END { print s }' "$T/file.prom")" \
		"$(value "$T/file.prom" \
			'pmubpf_overflows_total{column="aggregated",event="cpu-clock"}')" "samples"
	expect_ge "$(value "$T/file.prom" pmubpf_spool_windows)" 2 "windows in the folder"
	expect_eq "$(value "$T/file.prom" \
		'pmubpf_alarm_active{relation="task-clock ~ page-faults{pid=1}"}')" 0 "an alarm"
	expect_eq "$(stat -c %a "$T/file.prom")" 644 "mode of the file"
	find "$T" -maxdepth 1 -name '.*prom*' >"$T/left"
	expect_empty "$T/left" "files that aren't whole"
}

is_scraped() {
	curl -s -m 15 "http://127.0.0.1:$http/api/v1/query?query=pmubpf_cpu_seconds_total" >"$T/q"
	jq -e '.data.result[] | select(.metric.container == "[host]") | .value[1] | tonumber > 0' \
		"$T/q" >/dev/null 2>&1
}

t_a_real_prometheus() {
	need_program curl
	need_program prometheus
	need_program python3
	start_agent
	http=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
	cat >"$T/prometheus.yml" <<-END
		global: {scrape_interval: 1s}
		scrape_configs:
		- {job_name: pmubpf, static_configs: [{targets: ['127.0.0.1:$port']}]}
	END
	spawn prometheus --config.file="$T/prometheus.yml" --storage.tsdb.path="$T/tsdb" \
		--web.listen-address="127.0.0.1:$http" >"$T/prometheus.log" 2>&1
	wait_until is_scraped ||
		fail "it has no series: $(cat "$T/q"; tail -n 2 "$T/prometheus.log")"
	curl -s -m 15 "http://127.0.0.1:$http/api/v1/targets" >"$T/q"
	expect_eq "$(jq -r '.data.activeTargets[0].health' "$T/q")" up "the target"
	pmb_finish TERM
	expect_eq "$rc" 0 "exit status"
}

# Some never read, some never end their headers, some say nothing, some say anything.
t_hostile_clients() {
	local pid
	need_program curl
	need_program python3
	start_agent
	wait_until has_windows 1 || fail "no window"
	pid=$(named_in "$tool" pmubpf-metrics)
	cat >"$T/clients.py" <<-'END'
		import os, socket, sys
		def ask(text):
		    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
		    s.settimeout(15)
		    s.sendall(text)
		    return s
		def answer(text):
		    with ask(text) as s:
		        got = b""
		        while True:
		            try:
		                more = s.recv(65536)
		            except ConnectionResetError:
		                break
		            if not more:
		                break
		            got += more
		    return got.split(b"\r\n")[0]
		whole = b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"
		idle = [ask(b"") for _ in range(40)]
		deaf = [ask(whole) for _ in range(40)]
		open_ended = [ask(b"GET /metrics HTTP/1.1\r\n") for _ in range(40)]
		assert answer(whole) == b"HTTP/1.1 200 OK"
		assert answer(b"GET /metricsx HTTP/1.1\r\n\r\n") == b"HTTP/1.1 404 Not Found"
		assert answer(b"POST /metrics HTTP/1.1\r\n\r\n") == b"HTTP/1.1 404 Not Found"
		assert answer(b"\0\r\n\r\n" + b"x" * 8187) in (b"", b"HTTP/1.1 431 Request "
		    b"Header Fields Too Large")
		try:
		    with ask(b"GET /metrics HTTP/1.1\r\n") as s:
		        for i in range(100000):
		            s.sendall(b"X-A: " + b"b" * 1000 + b"\r\n")
		    sys.exit("headers without end are taken")
		except OSError:
		    pass
		assert answer(whole) == b"HTTP/1.1 200 OK"
	END
	timeout 60 python3 "$T/clients.py" "$port" >"$T/said" 2>&1 ||
		fail "$(tail -n 3 "$T/said")"
	expect_eq "$(named_in "$tool" pmubpf-metrics)" "$pid" "who answers"
	expect_le "$(awk '/^VmHWM/ { print $2 }' "/proc/$pid/status")" 16384 "kB of memory"
	# killed, another one takes its place, with what the one before said
	kill -KILL "$pid"
	scrape >"$T/again"
	expect_ge "$(value "$T/again" pmubpf_windows_total)" 1 "windows, of the next one"
	pmb_finish TERM
	expect_eq "$rc" 0 "exit status"
}

t_a_file_that_cant_be_written() {
	need_root
	mkdir "$T/m"
	# shellcheck disable=SC2016
	spawn unshare -m --propagation private sh -c '
		mount -t tmpfs -o size=64k,mode=700 none "$1/m" || exit
		shift; exec "$@"' sh "$T" "$PMUBPF" agent --dir "$T/spool" --every 1s -e cpu-clock \
		--textfile "$T/m/a.prom" >"$T/out" 2>"$T/err" </dev/null
	tool=$spawned
	wait_until test -s "/proc/$tool/root$T/m/a.prom" || fail "no file: $(cat "$T/err")"
	head -c 100000 /dev/zero >"/proc/$tool/root$T/m/full" 2>/dev/null
	wait_until grep -q "can't renew --textfile" "$T/err" ||
		fail "it says nothing of a full disk"
	[ -s "/proc/$tool/root$T/m/a.prom" ] || fail "the old one is lost"
	sleep 2
	expect_eq "$(grep -c "can't renew" "$T/err")" 1 "how often it is said"
	kill -TERM "$tool"
	wait "$tool"
	expect_eq "$?" 0 "exit status"
}

t_refused() {
	expect_refused 2 "no port" agent --dir "$T/x" --metrics localhost
	expect_refused 2 "not an address" agent --dir "$T/x" --metrics example.com:94
	expect_refused 2 "no port" agent --dir "$T/x" --metrics 127.0.0.1:70000
	mkfifo "$T/fifo"
	expect_refused 1 "no regular file" agent --dir "$T/x" -e cpu-clock --textfile "$T/fifo"
	expect_refused 1 "No such file" agent --dir "$T/x" -e cpu-clock --textfile "$T/none/a.prom"
}

run_tests
