#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Real programs under real load: the columns add up, the functions that work are seen. Loopback
# only.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

t_redis() {
	need_program redis-benchmark
	local server port=26379 client
	# Debian's redis-check-rdb is redis-server under another name, and comes without a service.
	server=$(command -v redis-server || command -v redis-check-rdb) ||
		skip "redis-server is not installed"
	cp "$server" "$T/redis-server"
	spawn "$T/redis-server" --port $port --bind 127.0.0.1 --save '' --appendonly no \
		--dir "$T" >"$T/log"
	server=$spawned
	wait_until redis-cli -p $port ping >/dev/null 2>&1 || fail "redis-server does not answer"
	spawn redis-benchmark -p $port -q -t set,get,lpush -n 100000000 -c 20 >/dev/null
	client=$spawned
	pmb_ok record -e cpu-clock -F 2000 -p "$server" -d 1.5 -o "$T/folded" \
		--summary "$T/sum.json"
	kill "$client"
	expect_honest_ledger
	expect_ge "$(folded_share "$T/folded" '^redis-server;')" 90 \
		"percent of the server's main thread"
	expect_match "$T/folded" 'tcp_|sock_' "the kernel's network code"
	expect_ge "$(sum_named)" 1000 "frames with names"
}

t_redis_with_client_as_command() {
	need_program redis-benchmark
	local server port=26380
	server=$(command -v redis-server || command -v redis-check-rdb) ||
		skip "redis-server is not installed"
	cp "$server" "$T/redis-server"
	spawn "$T/redis-server" --port $port --bind 127.0.0.1 --save '' --appendonly no \
		--dir "$T" >"$T/log"
	wait_until redis-cli -p $port ping >/dev/null 2>&1 || fail "redis-server does not answer"
	pmb_ok record -a -e cpu-clock,context-switches -o "$T/folded" --summary "$T/sum.json" -- \
		redis-benchmark -p $port -q -t ping,set -n 100000 -c 20
	expect_honest_ledger
	expect_match "$T/folded" '^cpu-clock;redis-server;' "the server"
	expect_match "$T/folded" '^cpu-clock;redis-benchmar' "the client"
	expect_match "$T/folded" '^context-switches;redis' "its context switches"
}

postgres_bin() {
	local d
	d=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
	[ -x "$d/postgres" ] && [ -x "$d/initdb" ] && [ -x "$d/pgbench" ] && echo "$d"
}

as_postgres() {
	setpriv --reuid postgres --regid postgres --init-groups env -C / "$@"
}

t_postgres() {
	need_root
	local bin port=25432
	bin=$(postgres_bin) || skip "postgresql is not installed"
	[ -n "$bin" ] || skip "postgresql is not installed"
	install -d -m 700 -o postgres "$T/pg"
	as_postgres "$bin/initdb" -D "$T/pg/data" -A trust >"$T/log" 2>&1 ||
		fail "initdb: $(tail -n 1 "$T/log")"
	spawn setpriv --reuid postgres --regid postgres --init-groups "$bin/postgres" \
		-D "$T/pg/data" -p $port \
		-c listen_addresses=127.0.0.1 -c unix_socket_directories= \
		-c fsync=off >"$T/log" 2>&1
	wait_until "$bin/pg_isready" -q -h 127.0.0.1 -p $port || fail "postgres does not answer"
	as_postgres "$bin/pgbench" -q -i -s 2 -h 127.0.0.1 -p $port postgres >"$T/log" 2>&1 ||
		fail "pgbench -i: $(tail -n 1 "$T/log")"
	# The postmaster forks a process for each client: followed, as children of a process that -p
	# names.
	local server=$spawned
	pmb_start record -e cpu-clock --per-cpu -F 2000 -p "$server" -d 3 \
		-o "$T/folded" \
		--summary "$T/sum.json"
	as_postgres "$bin/pgbench" -S -c 4 -T 2 -h 127.0.0.1 -p $port \
		postgres >"$T/log" 2>&1
	pmb_finish
	kill -INT "$server" && wait "$server"
	expect_eq "$rc" 0 "exit status"
	expect_honest_ledger
	expect_match "$T/folded" '^postgres;' "postgres"
	expect_ge "$(sum_aggregated)" 500 "samples"
}

t_compiler() {
	need_program gcc
	echo '#include <stdio.h>
	int main(void) { puts("x"); return 0; }' >"$T/x.c"
	pmb_ok record -e cpu-clock -F 2000 -o "$T/folded" --summary "$T/sum.json" -- \
		sh -c 'for i in 1 2 3 4 5 6 7 8; do gcc -O2 -o "$0/x" "$0/x.c"; done' "$T"
	expect_honest_ledger
	expect_match "$T/folded" '^cc1;' "the compiler proper"
	expect_match "$T/folded" '^ld;|^collect2;|^as;' "the processes after it"
}

run_tests
