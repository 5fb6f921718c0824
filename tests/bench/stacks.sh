#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Whole stacks and named frames on real loads, beside perf's dwarf mode in the same run:
#
#     tests/bench/stacks.sh [LOAD…]        (default: all that can run here)
#
# One line a load: percent of the weight in whole stacks, percent of user frames with a name, for
# each tool. Whole: it begins at _start, main's caller in libc, clone or a thread's start (or one
# before, if that has no name). Loads talk to loopback only; what isn't installed is skipped by
# name. SECONDS_EACH (5) of recording; RATE (999) per second, all CPUs. NO_PERF=1 leaves perf out.
set -u
export LC_ALL=C
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PMUBPF=${PMUBPF:-$TOP/pmubpf}
WORKLOADS=${WORKLOADS:-$TOP/build/workloads}
SECONDS_EACH=${SECONDS_EACH:-5}
RATE=${RATE:-999}
T=$(mktemp -d "${TMPDIR:-/tmp}/pmb-stacks.XXXXXX")
PIDS=()

# shellcheck disable=SC2317
finish() {
	local pid
	for pid in ${PIDS[@]+"${PIDS[@]}"}; do kill "$pid" 2>/dev/null; done
	wait
	rm -rf --one-file-system "$T"
}
trap finish EXIT

spawn() {
	"$@" >/dev/null 2>&1 &
	PIDS+=($!)
}

# Where whole stacks begin.
WHOLE='_start|_dl_start_user|__libc_start_main.*|__libc_start_call_main|(__)?clone3?|start_thread|main|_start_main|runtime.goexit.*'

# Of the comms of a load: percent whole, percent of user frames named, samples.
of_folded() { # FILE COMMS
	awk -v comms="^($2)$" -v whole="^($WHOLE)$" '
		{ n = $NF; sub(/ [0-9]+$/, ""); k = split($0, f, ";") }
		f[1] !~ comms { next }
		{ user = 0; for (i = 2; i <= k && f[i] !~ /_\[k\]$/; i++) { user++; if (f[i] !~ /^\[/) named += n }
		  if (!user) next
		  frames += user * n; all += n; if (f[2] ~ whole || f[3] ~ whole) w += n }
		END { if (all) printf "%.2f %.2f %d", 100 * w / all, 100 * named / frames, all / '"$((1000000000 / RATE))"'; else printf "- - 0" }' "$1"
}

of_perf() { # DATA COMMS
	perf script -i "$1" -F comm,ip,sym,dso 2>/dev/null |
		awk -v comms="^($2)$" -v whole="^($WHOLE)$" '
		function end() {
			if (user && comm ~ comms) { all++; frames += user; named += nn; if (last ~ whole || before ~ whole) w++ }
			user = nn = 0
		}
		/^[^ \t]/ { end(); comm = $1; for (i = 2; i < NF; i++) comm = comm " " $i; sub(/ +$/, "", comm); comm = $1; next }
		NF { if ($NF ~ /kernel.kallsyms|\.ko\)$|^\(\[bpf/) next
		     user++; sym = $2; sub(/\+0x.*/, "", sym); if (sym !~ /^\[/) nn++; before = last; last = sym }
		END { end(); if (all) printf "%.2f %.2f %d", 100 * w / all, 100 * named / frames, all; else printf "- - 0" }'
}

measure() { # NAME COMMS
	local perf=() ours theirs='- - -'
	if [ "${NO_PERF:-0}" = 0 ]; then
		perf record -q -a -e cpu-clock -F "$RATE" --call-graph dwarf -o "$T/perf.data" -- \
			sleep "$SECONDS_EACH" >/dev/null 2>&1 &
		perf=($!)
	fi
	"$PMUBPF" record -q -a -e cpu-clock -F "$RATE" -d "$SECONDS_EACH" -o "$T/folded" \
		--summary "$T/sum.json" 2>"$T/err"
	[ ${#perf[@]} = 0 ] || { wait "${perf[0]}"; theirs=$(of_perf "$T/perf.data" "$2"); }
	ours=$(of_folded "$T/folded" "$2")
	# shellcheck disable=SC2086
	printf '%-10s pmubpf %6s whole %6s named (%s)   perf %6s whole %6s named (%s)\n' "$1" \
		$ours $theirs
	[ "${VERBOSE:-0}" = 0 ] || jq -c '.unwind, (.stacks.ended_early[:6][])' "$T/sum.json"
	[ -z "${KEEP:-}" ] || cp "$T/folded" "$KEEP/$1.folded"
}

stop_loads() {
	local pid
	for pid in ${PIDS[@]+"${PIDS[@]}"}; do kill "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; done
	PIDS=()
}

need() { # LOAD PROGRAM…
	local load=$1 p
	shift
	for p in "$@"; do
		command -v "$p" >/dev/null || { echo "$load: skipped, no $p here"; return 1; }
	done
}

load_deep() {
	spawn "$WORKLOADS/frameless" deep $((SECONDS_EACH + 3))
	sleep 0.5
	measure deep frameless
}

load_python() {
	need python /usr/bin/python3 || return 0
	spawn /usr/bin/python3 -c '
import json, re, time
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
class P:
    def __init__(self, x): self.x = x
    def __lt__(self, o): return self.x < o.x
end = time.time() + '$((SECONDS_EACH + 3))'
while time.time() < end:
    fib(18); sorted(P(i * 7919 % 1009) for i in range(1000)); json.loads(json.dumps({str(i): [i] * 5 for i in range(500)})); re.findall(r"(\w+)-(\d+)", "ab-12 " * 500)'
	sleep 0.5
	measure python 'python3.*'
}

load_redis() {
	need redis redis-check-rdb redis-benchmark || return 0
	ln -s "$(readlink -f "$(command -v redis-check-rdb)")" "$T/redis-server"
	spawn "$T/redis-server" --port 16399 --bind 127.0.0.1 --save '' --appendonly no
	sleep 0.5
	spawn redis-benchmark -p 16399 -q -n 100000000 -c 20 -t set,get,lpush,lrange_100
	sleep 0.5
	measure redis 'redis-server'
}

load_postgres() {
	local bin
	bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
	need postgres "${bin:-/none}/postgres" pgbench runuser || return 0
	mkdir "$T/pg" && chown nobody "$T/pg" && chmod 755 "$T"
	runuser -u nobody -- "$bin/initdb" -A trust -U postgres "$T/pg/data" >/dev/null 2>&1
	spawn runuser -u nobody -- "$bin/postgres" -D "$T/pg/data" -p 16398 -k "$T/pg" -h 127.0.0.1
	sleep 2
	pgbench -h 127.0.0.1 -p 16398 -U postgres -i -q postgres >/dev/null 2>&1
	spawn pgbench -h 127.0.0.1 -p 16398 -U postgres -c 4 -j 2 -T $((SECONDS_EACH + 5)) \
		-S postgres
	sleep 0.5
	measure postgres 'postgres'
}

load_nginx() {
	need nginx nginx wrk || return 0
	mkdir -p "$T/www" "$T/ngx"
	head -c 4096 /dev/zero | tr '\0' x >"$T/www/index.html"
	cat >"$T/nginx.conf" <<-CONF
		daemon off; worker_processes 1; pid $T/ngx/pid; error_log $T/ngx/err; user root;
		events { worker_connections 512; }
		http { access_log off; client_body_temp_path $T/ngx/a; proxy_temp_path $T/ngx/b; fastcgi_temp_path $T/ngx/c;
			uwsgi_temp_path $T/ngx/d; scgi_temp_path $T/ngx/e;
			server { listen 127.0.0.1:16397; root $T/www; gzip on; gzip_types *; } }
	CONF
	spawn nginx -c "$T/nginx.conf" -e "$T/ngx/err"
	sleep 0.5
	spawn wrk -t1 -c20 -d $((SECONDS_EACH + 3))s -H 'Accept-Encoding: gzip' \
		http://127.0.0.1:16397/index.html
	sleep 0.5
	measure nginx 'nginx'
}

load_openssl() {
	need openssl openssl || return 0
	spawn sh -c 'while :; do openssl speed -seconds 1 -bytes 1024 sha256 aes-128-cbc ecdsap256 rsa2048; done'
	sleep 0.5
	measure openssl 'openssl'
	pkill_children
}

pkill_children() {
	local pid
	for pid in ${PIDS[@]+"${PIDS[@]}"}; do
		for child in $(cat /proc/"$pid"/task/*/children 2>/dev/null); do kill "$child" 2>/dev/null; done
	done
}

load_xz() {
	need xz xz || return 0
	spawn sh -c "while :; do tar -c -C '$TOP' user tests bpf | xz -9 >/dev/null; done"
	sleep 0.5
	measure xz 'xz'
	pkill_children
}

load_compile() {
	need compile cc make || return 0
	git -C "$TOP" archive HEAD | (mkdir "$T/src" && tar -x -C "$T/src")
	cp "$TOP/build/tools-checked" "$T/" 2>/dev/null
	spawn make -s -C "$T/src" -j2 all
	sleep 3
	measure compile 'cc1|as|ld|collect2|cc|gcc|make|sh|clang|bpftool'
}

load_storm() {
	spawn sh -c "while :; do '$WORKLOADS/frameless' deep 0.003 >/dev/null; done"
	sleep 0.3
	measure storm 'frameless'
}

for load in ${*:-deep python redis postgres nginx openssl xz compile storm}; do
	"load_$load"
	stop_loads
done
