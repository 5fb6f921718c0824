#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Debian's ClickHouse, started here: nothing of it is the host's own; and windows to send there.
# shellcheck source=tests/e2e/lib.sh disable=SC2034
. "$(dirname "$0")/lib.sh"

BOOT=0123456789abcdef0123456789abcdef

# Copies of the suite's profile.
windows() { # DIR N
	local i
	mkdir -p "$1"
	for ((i = 0; i < $2; i++)); do
		cp "$S/window.pb.gz" "$1/$BOOT-$(printf %010d "$i").pb.gz"
	done
}

server_config() { # what it is told: nothing of it is the host's own
	cat >"$T/config.xml" <<-XML
		<yandex><logger><level>error</level><log>$T/ch/log</log></logger>
		<http_port>$http</http_port><tcp_port>$tcp</tcp_port>
		<listen_host>127.0.0.1</listen_host><mark_cache_size>10000000</mark_cache_size>
		<path>$T/ch/</path><tmp_path>$T/ch/tmp/</tmp_path>
		<format_schema_path>$T/ch/</format_schema_path>
		<users_config>$T/users.xml</users_config><default_profile>default</default_profile>
		<default_database>default</default_database></yandex>
	XML
	cat >"$T/users.xml" <<-XML
		<yandex><profiles><default/></profiles><quotas><default/></quotas><users>
		<default><password></password><networks><ip>127.0.0.1</ip></networks>
		<profile>default</profile><quota>default</quota></default>
		<pmubpf><password>secret</password><networks><ip>127.0.0.1</ip></networks>
		<profile>default</profile><quota>default</quota></pmubpf></users></yandex>
	XML
}

answers() {
	[ "$(sql 'SELECT 1')" = 1 ]
}

# Not by spawn: it ends with the suite.
start_server() {
	env --default-signal=INT,QUIT clickhouse-server --config-file="$S/server/config.xml" \
		>"$S/server/out" 2>&1 </dev/null &
	server=$!
	echo $server >"$S/server/pid"
	wait_until answers || fail "the server doesn't start: $(tail -n 1 "$S/server/out")"
}

end_server() {
	local server
	server=$(cat "$S/server/pid")
	kill -KILL "$server"
	wait "$server" 2>/dev/null # where it is a child
	wait_until has_gone "$server"
}

# ClickHouse, with the tables: $U is its database, $http its port. It begins with the first test
# that needs it.
need_server() {
	need_root
	need_program clickhouse-server
	need_program curl
	need_program python3
	if [ -e "$S/server/pid" ]; then
		read -r http tcp <"$S/server/ports"
		server=$(cat "$S/server/pid")
	else
		http=$(free_port) tcp=$(free_port)
		mkdir -p "$S/server/ch/tmp"
		echo "$http $tcp" >"$S/server/ports"
		T=$S/server server_config
		at_the_end end_server
	fi
	U=clickhouse+http://127.0.0.1:$http/fleet
	answers || start_server
	sql 'DROP DATABASE IF EXISTS fleet' >/dev/null
	sql 'CREATE DATABASE fleet' >/dev/null
	pmb_ok ship --schema clickhouse
	while read -r table; do fleet "$table"; done < <(statements)
}

# Those of $T/out, a line each.
statements() {
	grep -v '^--' "$T/out" | sed 's/--.*//' | tr '\n' ' ' | tr ';' '\n' | grep '[^ ]'
}

sql() { # QUERY
	curl -s -m 20 "http://127.0.0.1:$http/?database=${database:-default}" --data-binary "$1"
}

fleet() { # QUERY
	database=fleet sql "$1"
}

has_windows() { # N
	[ "$(fleet 'SELECT count() FROM windows' | grep -E '^[0-9]+$' || echo 0)" -ge "$1" ]
}

# The manual's statement.
new_columns() { # TABLE
	sed -n '/^ALTER TABLE/,/;$/p' "$TOP/docs/man/pmubpf-ship.1" |
		sed "s/\\\\(aq/'/g; s/TABLE samples/TABLE $1/"
}

# As agents did that had no columns for pods: the samples there are, by those in that image.
insert_as_before() { # TABLE IMAGE
	local columns=start,window,part,host,container,comm
	fleet "INSERT INTO $1 ($columns,event,stack,samples,weight,time,labels)
		SELECT $columns,event,stack,samples,weight,time,
		arrayConcat(labels,['image=$2','namespace=shop']) FROM $1
		WHERE NOT arrayExists(x -> startsWith(x,'image='),labels)"
}

# In front of it: $P is the port.
misbehave() { # MODE [PORT]
	spawn python3 "$TOP/tests/e2e/ship_server.py" "$@" >"$T/port" 2>"$T/asked"
	wait_until test -s "$T/port" || fail "no server"
	P=$(cat "$T/port")
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
