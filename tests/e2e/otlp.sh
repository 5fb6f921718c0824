#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# ship and agent --to otlp+http://…: what each window weighs arrives, by a server of our own
# (otlp_server.py), by protoc, and with OTELCOL=/path/to/otelcol through OpenTelemetry's Collector,
# which has to be one with an OTLP receiver and an otlphttp exporter.
# shellcheck source=tests/e2e/push_lib.sh
. "$(dirname "$0")/push_lib.sh"

setup() {
	need_root
	need_program python3
	pmb_ok record -e cpu-clock -F 999 --label container,tid -o "$S/window.pb.gz" -- \
		"$WORKLOADS/split" 0.5
}

serve() { # [MODE]
	rm -rf "$T/taken" "$T/port"
	mkdir "$T/taken"
	spawn python3 "$TOP/tests/e2e/otlp_server.py" "$T/taken" "$@" >"$T/port" 2>"$T/asked"
	wait_until test -s "$T/port" || fail "no server"
	U=otlp+http://127.0.0.1:$(cat "$T/port")/prefix
	(umask 077 && echo 'me:pass:word' >"$T/key")
}

# Self weights by function, of those that have names (two modules may have one of a name); and the
# sum of all.
of_files() {
	"$PMUBPF" report --json --limit 0 --by function "$@" | jq -r '
		(.events[0] | .total | to_entries[] | "all \(.key) \(.value)"),
		([.rows[] | select(.name[:1] != "[" and .events[0].self.samples > 0)] |
			group_by(.name)[] |
			"\(.[0].name) \([.[].events[0].self.samples] | add)")' |
		sort
}

of_server() {
	awk -F'\t' '
		/^cpu-clock_sample/ { all["samples"] += $4; if ($2 != "-") n[$2] += $4 }
		/^cpu-clock_time/ { all["time_ns"] += $4 }
		END {
			for (k in all) print "all", k, all[k]
			for (f in n) if (f !~ /^\[/) print f, n[f]
		}' CONVFMT=%.0f OFMT=%.0f "$T/taken/weights" | sort
}

expect_weights() {
	of_files "$T"/spool/*.pb.gz >"$T/files"
	of_server >"$T/server"
	expect_same_rows
}

t_what_was_sent_weighs_the_same() {
	serve
	windows 3
	ship --once
	expect_eq "$rc" 0 "exit status"
	expect_weights
	expect_books 3 0 0
	ship --once
	expect_match "$T/err" '^pmubpf: 0 windows sent' "the second time"
	expect_eq "$(find "$T/taken" -name '*.pb' | wc -l)" 3 "messages"
}

t_protoc_reads_it() {
	need_program protoc
	serve
	windows 1
	ship --once
	protoc --proto_path "$TOP/tests/e2e" --decode Request otlp.proto <"$T/taken/0.pb" \
		>"$T/text" 2>"$T/protoc.err" || fail "protoc: $(cat "$T/protoc.err")"
	expect_no_match "$T/text" '^ *[0-9]+[ :]' "fields that nobody knows"
	expect_match "$T/text" 'string_table: "hot70"' "a function"
	expect_eq "$(grep -c '^ *values: ' "$T/text")" \
		"$(grep -c '' "$T/taken/weights")" "values"
}

t_what_servers_do() {
	windows 2
	serve busy
	ship --once
	expect_eq "$rc" 0 "exit status, busy"
	expect_weights
	expect_books 2 0 0
	rm -r "$T/state"
	serve lost # and tells the same window by its profiles' ids
	ship --once
	expect_eq "$rc" 0 "exit status, an answer that got lost"
	expect_eq "$(find "$T/taken" -name '*.pb' | wc -l)" 3 "messages, one of them twice"
	expect_weights
	expect_books 2 0 1
	rm -r "$T/state"
	serve part
	ship --once
	expect_eq "$rc" 0 "exit status of what is rejected"
	expect_match "$T/err" 'left out: the server has rejected 2 profiles: no' "why"
	expect_books 0 2 0
	rm -r "$T/state"
	serve
	echo 'me:wrong' >"$T/key"
	ship --once
	expect_eq "$rc" 1 "exit status"
	expect_match "$T/err" "isn't sent: the server answers 401: who are you" "why"
}

# Adds so many samples of one stack to a window, each with a label of 3 kB of its own.
add_samples() { # FILE N
	PYTHONPATH=$TOP/tests/e2e python3 - "$1" "$2" <<-'PYTHON'
		import gzip
		import sys

		from protobuf import pairs

		def number(n):
		    out = b""
		    while n > 127:
		        out += bytes([n & 127 | 128])
		        n >>= 7
		    return out + bytes([n])

		def field(n, data):
		    return bytes([n << 3 | 2]) + number(len(data)) + data

		name, n = sys.argv[1], int(sys.argv[2])
		profile = gzip.decompress(open(name, "rb").read())
		fields = list(pairs(profile))
		types = sum(f == 1 for f, _ in fields)
		texts = sum(f == 6 for f, _ in fields)
		sample = next(value for f, value in fields if f == 2)
		stack = b"".join(field(1, value) for f, value in pairs(sample) if f == 1)
		more = [field(6, b"request")]
		for i in range(n):
		    label = b"\x08" + number(texts) + b"\x10" + number(texts + 1 + i)
		    more.append(field(2, stack + field(2, b"\1" * types) + field(3, label)))
		    more.append(field(6, b"%d" % i + b"x" * 3000))
		open(name, "wb").write(gzip.compress(profile + b"".join(more)))
	PYTHON
}

t_too_large_a_body() {
	local size
	windows 1
	serve
	ship --once
	size=$(stat -c %s "$T/taken/0.pb")
	rm -r "$T/state"
	serve limit $((size - 1))
	ship --once
	expect_eq "$rc" 0 "exit status"
	expect_match "$T/asked" '^refused http: request body too large' "what the server says"
	expect_weights
	expect_books 1 0 0
	rm -r "$T/state"
	add_samples "$T/spool/$BOOT-0000000000.pb.gz" 8500
	serve limit $((20 << 20)) # the Collector's own
	ship --once
	expect_eq "$rc" 0 "exit status of what is larger than a Collector takes"
	expect_no_match "$T/asked" refused "what is sent is bounded"
	expect_ge "$(find "$T/taken" -name '*.pb' | wc -l)" 2 "messages"
	expect_weights
	expect_books 1 0 0
}

t_hostile_servers() {
	hostile_servers otlp+http
}

t_an_agent_sends() {
	serve
	spawn "$PMUBPF" agent --dir "$T/spool" --every 1s -e cpu-clock --to "$U" \
		--credentials "$T/key" 2>"$T/err" >/dev/null
	wait_until test -s "$T/taken/1.pb" || fail "nothing is sent: $(cat "$T/err")"
	kill -TERM "$spawned"
	wait "$spawned"
	expect_eq "$?" 0 "exit status"
	expect_match "$T/err" "prefix: [1-9][0-9]* windows sent, 0 refused" "the books"
}

# Through a real Collector, and on to our server by its own encoding: the same weights.
t_a_collector() {
	local port
	[ -x "${OTELCOL:-}" ] || skip "no OpenTelemetry Collector (OTELCOL=PATH)"
	serve collector
	port=$(free_port)
	cat >"$T/config.yaml" <<-YAML
		receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:$port"}}}}
		exporters:
		  otlphttp: {endpoint: "${U#otlp+}", compression: none}
		service:
		  telemetry: {metrics: {level: none}}
		  pipelines: {profiles: {receivers: [otlp], exporters: [otlphttp]}}
	YAML
	spawn "$OTELCOL" --config "$T/config.yaml" --feature-gates=+service.profilesSupport \
		>"$T/otelcol.log" 2>&1
	wait_until curl -s -o "$T/reply" "http://127.0.0.1:$port/" ||
		fail "the Collector doesn't start: $(tail -n 2 "$T/otelcol.log")"
	U=otlp+http://127.0.0.1:$port
	windows 5
	add_samples "$T/spool/$BOOT-0000000004.pb.gz" 8500 # more than it takes at once
	ship --once
	expect_eq "$rc" 0 "exit status: $(cat "$T/err")"
	expect_books 5 0 0
	of_files "$T"/spool/*.pb.gz >"$T/files"
	all_there() { of_server 2>/dev/null | cmp -s "$T/files"; }
	wait_until all_there || fail "not all came through: $(tail -n 2 "$T/otelcol.log")"
	expect_weights
	echo "    $("$OTELCOL" --version)"
}

run_tests
