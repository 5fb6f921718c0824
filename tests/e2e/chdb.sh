#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The tables of a cluster on a current ClickHouse, which can be had as a library: CHDB is a folder
# node_modules with chdb and its @chdb/lib-linux-x64-gnu, 550 MB of npm's; without it nothing is
# run. Replicas and shards aren't in it: what the statements say is parsed, and the tables are those
# of one server, with the same columns, codecs, keys, indexes and TTL.
# shellcheck source=tests/e2e/clickhouse_lib.sh
. "$(dirname "$0")/clickhouse_lib.sh"

setup() {
	need_root
	pmb_ok record -e cpu-clock --label container,tid -o "$S/window.pb.gz" -- \
		"$WORKLOADS/split" 0.5
}

need_chdb() {
	[ -d "${CHDB:-}/chdb" ] || skip "no ClickHouse as a library (CHDB=NODE_MODULES)"
	need_program node
	need_program curl
	need_program python3
	mkdir "$T/ch"
	spawn node "$TOP/tests/e2e/chdb_server.js" "$CHDB" "$T/ch" >"$T/chdb.port" 2>"$T/chdb.err"
	wait_until test -s "$T/chdb.port" || fail "chdb doesn't start: $(head -c 300 "$T/chdb.err")"
	http=$(cat "$T/chdb.port")
	U=clickhouse+http://127.0.0.1:$http/fleet
	wait_until answers || fail "chdb doesn't answer"
	sql 'CREATE DATABASE fleet' >"$T/said"
	expect_empty "$T/said" "what the server says"
	echo "    ClickHouse $(sql 'SELECT version()')"
}

of_one_server() {
	local replica="'[^']*', '\\{replica\\}'"
	grep -v 'ENGINE = Distributed' | sed -E "s/_local / /; s/ ON CLUSTER '\\{cluster\\}'//
		s/ReplicatedMergeTree\\( *$replica\\)/MergeTree/
		s/Replicated(ReplacingMergeTree)\\( *$replica(, (\\w+))?\\)/\\1(\\3)/
		s/ReplacingMergeTree\\(\\)/ReplacingMergeTree/
		s/\$/ SETTINGS non_replicated_deduplication_window = 1000/"
}

need_tables() {
	need_chdb
	pmb_ok ship --schema clickhouse-cluster
	statements >"$T/tables"
	expect_eq "$(grep -c '' "$T/tables")" 10 "statements"
	while read -r table; do
		fleet "SELECT formatQuery('${table//\'/\\\'}') FORMAT Null" >"$T/said"
		expect_empty "$T/said" "what the server says of $table"
	done <"$T/tables"
	while read -r table; do
		fleet "$table" >"$T/said"
		expect_empty "$T/said" "what the server says of $table"
	done < <(of_one_server <"$T/tables")
}

ship() { # [OPTION…]
	pmb ship --from "$T/spool" --state "$T/state" --host h1 --once "$@"
}

t_sums_are_those_of_the_files() {
	need_tables
	windows "$T/spool" 3
	ship --to "$U"
	expect_eq "$rc" 0 "exit status: $(tail -n 1 "$T/err")"
	expect_sums 3
	rm -r "$T/state" # then the server is asked for each
	ship --to "$U"
	expect_sums 3
	pmb_ok report --csv --by host,comm --label comm=split --from "$U"
	expect_match "$T/out" '^2,comm,split,' "samples that the server picks out"
}

# Rows of agents that have no columns for pods are found by them.
t_rows_of_before() {
	local whole
	need_tables
	windows "$T/spool" 2
	ship --to "$U"
	whole=$(fleet 'SELECT sum(samples) FROM samples')
	insert_as_before samples web:1
	pmb_ok report --json --limit 0 --label image=web:1 --from "$U"
	expect_eq "$(jq '.events[0].total.samples' "$T/out")" "$whole" "samples of the image"
	fleet "CREATE TABLE before (container String, labels Array(LowCardinality(String)))
		ENGINE = MergeTree ORDER BY container"
	fleet "INSERT INTO before VALUES ('a',['x=1','image=web:2']),('b',[])"
	fleet "$(new_columns before)" >"$T/said"
	expect_empty "$T/said" "what the server says of the manual's columns"
	expect_eq "$(fleet 'SELECT container,image FROM before ORDER BY container FORMAT CSV')" \
		'"a","web:2"
"b",""' "the manual's columns"
}

# After an answer that got lost, by asking; and where nobody asks, by the insert's token.
t_what_is_sent_twice_is_there_once() {
	local token
	need_tables
	windows "$T/spool" 3
	misbehave lost "$http"
	ship --to "clickhouse+http://127.0.0.1:$P/fleet"
	expect_eq "$rc" 0 "exit status: $(tail -n 1 "$T/err")"
	expect_match "$T/asked" 'insert_deduplication_token=h1' "a token"
	expect_sums 3
	for token in a b a b; do
		insert_with "$token"
	done
	expect_eq "$(fleet 'SELECT count() FROM samples WHERE window=72340172838076673')" 2 \
		"rows of two tokens"
}

# A row of 2037, which isn't too old yet.
insert_with() { # TOKEN
	local query='INSERT%20INTO%20samples%20(start,window)%20FORMAT%20RowBinary'
	local to="http://127.0.0.1:$http/?database=fleet&insert_deduplication_token=$1"
	curl -s -o "$T/said" --data-binary $'\001\001\001\177\001\001\001\001\001\001\001\001' \
		"$to&query=$query" ||
		fail "no answer"
	expect_empty "$T/said" "what the server says"
}

t_codecs_indexes_and_ages() {
	need_tables
	windows "$T/spool" 1
	ship --to "$U"
	expect_eq "$(fleet "SELECT DISTINCT compression_codec FROM system.columns
		WHERE database='fleet' AND table='samples' AND name='start'")" \
		"CODEC(DoubleDelta, ZSTD(1))" "a codec"
	expect_eq "$(fleet "SELECT count() FROM system.data_skipping_indices
		WHERE database='fleet' AND table='samples'")" 3 "indexes"
	# a month and more ago: gone with the next merge
	fleet "INSERT INTO samples SELECT * REPLACE (start - INTERVAL 40 DAY AS start) FROM samples"
	expect_ge "$(fleet 'SELECT count() FROM samples')" 1 "rows"
	fleet 'OPTIMIZE TABLE samples FINAL'
	expect_eq "$(fleet 'SELECT count() FROM samples WHERE start < now() - INTERVAL 31 DAY')" 0 \
		"rows that are too old"
	expect_ge "$(fleet 'SELECT count() FROM samples')" 1 "rows of today"
}

run_tests
