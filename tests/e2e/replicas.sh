#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The tables of --schema clickhouse-cluster on two shards of two replicas each, with ZooKeeper: the
# distribution's ClickHouse has no Keeper, and no codecs, ages or LowCardinality without a setting.
# shellcheck source=tests/e2e/clickhouse_lib.sh
. "$(dirname "$0")/clickhouse_lib.sh"

HOSTS='h1 h2 h3 h4'
ZOOKEEPER=/usr/share/java/zookeeper.jar

setup() {
	need_root
	pmb_ok record -e cpu-clock --label container,tid -o "$S/window.pb.gz" -- \
		"$WORKLOADS/split" 0.5
}

start_zookeeper() {
	local port
	[ -f "$ZOOKEEPER" ] || skip "no ZooKeeper"
	need_program java
	zookeeper=$(free_port)
	mkdir -p "$T/zookeeper"
	printf '%s\n' tickTime=500 "dataDir=$T/zookeeper" "clientPort=$zookeeper" \
		clientPortAddress=127.0.0.1 admin.enableServer=false >"$T/zoo.cfg"
	spawn java -Xmx128m -Dzookeeper.jmx.log4j.disable=true -cp "$ZOOKEEPER" \
		org.apache.zookeeper.server.ZooKeeperServerMain "$T/zoo.cfg" >"$T/zoo.out" 2>&1
	port=$(printf '%04X' "$zookeeper")
	wait_until grep -q ":$port 0*:0000 0A" /proc/net/tcp /proc/net/tcp6 ||
		fail "ZooKeeper doesn't start: $(tail -n 1 "$T/zoo.out")"
}

shards() { # the servers as two pairs
	local i
	for i in 1 3; do
		printf '<shard><internal_replication>true</internal_replication>'
		printf '<replica><host>127.0.0.1</host><port>%d</port></replica>' \
			"${tcps[i]}" "${tcps[i + 1]}"
		printf '</shard>'
	done
}

# Of server N: what a cluster's has besides.
cluster_config() { # N
	cat <<-XML
		<interserver_http_port>$(free_port)</interserver_http_port>
		<interserver_http_host>127.0.0.1</interserver_http_host>
		<zookeeper><node><host>127.0.0.1</host><port>$zookeeper</port></node></zookeeper>
		<distributed_ddl><path>/clickhouse/task_queue/ddl</path></distributed_ddl>
		<macros><cluster>fleet</cluster><shard>$((($1 + 1) / 2))</shard>
		<replica>$1</replica></macros>
		<remote_servers><fleet>$(shards)</fleet></remote_servers></yandex>
	XML
}

begin_replica() { # N
	spawn clickhouse-server --config-file="$T/server$1/config.xml" >"$T/server$1/out" 2>&1
	servers[$1]=$spawned
}

wait_for_replica() { # N
	http=${https[$1]}
	wait_until answers || fail "server $1 doesn't start: $(tail -n 1 "$T/server$1/out")"
}

# The manual's, less what 18.16 hasn't.
cluster_tables() {
	pmb_ok ship --schema clickhouse-cluster
	statements | sed -E 's/LowCardinality\((String)\)/\1/g
		s/ CODEC\([^()]*(\([^()]*\))?[^()]*\)//g
		s/,[ ]*INDEX [^,)]*TYPE set\([0-9]*\) GRANULARITY [0-9]*//g
		s/ TTL [a-z]+ \+ INTERVAL [0-9]+ [A-Z]+//
		s/currentDatabase\(\)/fleet/'
}

need_cluster() {
	local i
	need_program clickhouse-server
	need_program curl
	start_zookeeper
	for i in 1 2 3 4; do
		https[i]=$(free_port) tcps[i]=$(free_port)
	done
	for i in 1 2 3 4; do
		http=${https[i]} tcp=${tcps[i]}
		(
			T=$T/server$i
			mkdir -p "$T/ch/tmp"
			server_config
			cluster_config "$i" >"$T/more"
			sed -i -e "s|</yandex>||" -e "\$r $T/more" "$T/config.xml"
		)
		begin_replica $i
	done
	for i in 1 2 3 4; do
		wait_for_replica $i
		sql 'CREATE DATABASE fleet' >/dev/null
	done
	cluster_tables >"$T/tables"
	while read -r table; do
		fleet "$table" >"$T/said"
		! grep -q Exception "$T/said" || fail "of '$table': $(head -c 300 "$T/said")"
	done <"$T/tables"
	U=clickhouse+http://127.0.0.1:${https[1]}/fleet
	http=${https[1]}
}

# One window is 0.5 s of a program; each host sends them all, to the server that $U is.
send_all() {
	local host
	senders=()
	for host in $HOSTS; do
		spawn "$PMUBPF" ship --from "$T/spool" --state "$T/state-$host" --host "$host" \
			--to "$U" --timeout 20 2>>"$T/$host.err"
		senders+=("$spawned")
	done
}

is_sent() {
	local host
	for host in $HOSTS; do
		grep -qs "^next $BOOT 12$" "$T/state-$host"/ship-* || return 1
	done
}

has_all_rows() { # N: of the server at $http, without asking others
	[ "$(fleet 'SELECT sum(samples) FROM samples_local')" = "$1" ]
}

# The reports of server N, host by host. While a replica is away: of what only that one has they say
# that it is missing.
expect_reports() { # N [AWAY]
	local host
	for host in $HOSTS; do
		pmb_ok report --csv --by function --host "$host" \
			--from "clickhouse+http://127.0.0.1:${https[$1]}/fleet"
		[ -z "${2:-}" ] ||
			! grep -q 'the server has not as many rows as were sent' "$T/err" ||
			continue
		grep -v '^#' "$T/out" | sort >"$T/server"
		expect_same "$host, asked for at server $1"
	done
}

t_a_replica_is_killed_under_load() {
	local -a https tcps servers
	local senders i one
	need_cluster
	windows "$T/spool" 4
	send_all
	wait_for 60 has_windows 8 || fail "nothing is sent: $(cat "$T"/h?.err)"
	# however fast they are, there is something left
	kill -STOP "${senders[@]}"
	windows "$T/spool" 12
	kill -KILL "${servers[3]}"
	wait "${servers[3]}" 2>/dev/null
	kill -CONT "${senders[@]}"
	# its shard has another
	wait_for 120 is_sent || fail "not all is sent: $(grep -h ^next "$T"/state-*/ship-*)" \
		"$(tail -qn 1 "$T"/h?.err)"
	pmb_ok report --csv --by function --from "$T/spool"
	grep -v '^#' "$T/out" | sort >"$T/files"
	expect_ge "$(wc -l <"$T/files")" 3 "rows"
	# what it was sent last it may have given to nobody
	expect_reports 1 away
	# it gets what it has missed
	begin_replica 3
	wait_for_replica 3
	for i in 1 3; do
		http=${https[i + 1]}
		one=$(fleet 'SELECT sum(samples) FROM samples_local')
		http=${https[i]}
		wait_for 60 has_all_rows "$one" ||
			fail "servers $i and $((i + 1)) differ: the latter has $one samples"
		expect_ge "$one" 1 "samples of a shard"
	done
	expect_reports 3
	http=${https[3]}
	expect_eq "$(fleet 'SELECT count(),uniq(host,seq) FROM windows')" "48	48" "windows"
	expect_eq "$(cat "$T"/state-*/ship-* | grep -cE "^(refused|uncertain) 0$")" 8 \
		"hosts of which nothing is refused or uncertain"
}

run_tests
