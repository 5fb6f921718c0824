#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Many hosts in ClickHouse: two shards with Distributed tables of which one is killed under load; a
# rollout, seen by the pods' workload and image, of real containers.
# shellcheck source=tests/e2e/docker_lib.sh
. "$(dirname "$0")/docker_lib.sh"
# shellcheck source=tests/e2e/clickhouse_lib.sh
. "$(dirname "$0")/clickhouse_lib.sh"

HOSTS='h1 h2 h3 h4 h5 h6'

setup() {
	need_root
	pmb_ok record -e cpu-clock --label container,tid -o "$S/window.pb.gz" -- \
		"$WORKLOADS/split" 0.5
}

# Two of them, which know each other as the cluster "fleet": the first has Distributed tables. They
# begin with the first test that needs them.
need_shards() {
	local -a https
	local i
	need_program clickhouse-server
	need_program curl
	[ -e "$S/shards" ] || begin_shards
	read -ra https <"$S/shards"
	for i in 1 2; do
		http=${https[i - 1]}
		wait_for_shard $i
		database=default sql 'DROP DATABASE IF EXISTS fleet' >/dev/null
		database=default sql 'CREATE DATABASE fleet' >/dev/null
		shard_tables | while read -r table; do fleet "$table"; done
	done
	http=${https[0]}
	for i in samples:host stacks:hash names:build_id alarms:host windows:host; do
		fleet "CREATE TABLE ${i%:*} AS ${i%:*}_local ENGINE = Distributed(fleet, fleet,
			${i%:*}_local, cityHash64(${i#*:}))"
	done
	second=${https[1]}
	U=clickhouse+http://127.0.0.1:$http/fleet
}

begin_shards() {
	local -a https tcps
	local i
	for i in 1 2; do
		https[i]=$(free_port)
		tcps[i]=$(free_port)
	done
	for i in 1 2; do
		mkdir -p "$S/shard$i/ch/tmp"
		http=${https[i]} tcp=${tcps[i]} T=$S/shard$i server_config
		sed -i "s|</yandex>|<remote_servers><fleet>$(shards "${tcps[@]}")</fleet>\
</remote_servers></yandex>|" "$S/shard$i/config.xml"
		begin_shard $i
		at_the_end end_shard $i
	done
	echo "${https[*]}" >"$S/shards"
}

shards() { # TCP-PORT…
	printf '<shard><replica><host>127.0.0.1</host><port>%d</port></replica></shard>' "$@"
}

shard_tables() {
	pmb_ok ship --schema clickhouse
	statements | sed -E 's/(NOT EXISTS [a-z]+)/\1_local/'
}

# Not by spawn: it ends with the suite.
begin_shard() { # N
	env --default-signal=INT,QUIT clickhouse-server --config-file="$S/shard$1/config.xml" \
		>"$S/shard$1/out" 2>&1 </dev/null &
	echo $! >"$S/shard$1/pid"
}

wait_for_shard() { # N, at $http
	wait_until answers || fail "shard $1 doesn't start: $(tail -n 1 "$S/shard$1/out")"
}

end_shard() { # N
	local pid
	pid=$(cat "$S/shard$1/pid")
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null # where it is a child
	wait_until has_gone "$pid"
}

# One window is 0.5 s of a program; each host sends them all, at once.
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
		grep -qs "^next $BOOT 30$" "$T/state-$host"/ship-* || return 1
	done
}

t_a_shard_is_killed_under_load() {
	local whole second senders
	need_shards
	windows "$T/spool" 10
	send_all
	wait_until has_windows 20 || fail "nothing is sent: $(cat "$T"/h?.err)"
	# however fast they are, there is something left
	kill -STOP "${senders[@]}"
	windows "$T/spool" 30
	end_shard 2
	kill -CONT "${senders[@]}"
	wait_until grep -q 'the server answers' "$T"/h?.err || fail "nobody meets its end"
	is_sent && fail "all was sent without a shard"
	begin_shard 2
	http=$second wait_for_shard 2
	wait_for 120 is_sent || fail "not all is sent: $(tail -qn 1 "$T"/h?.err)"
	# each host's sums are those of the files
	pmb_ok report --csv --by function --from "$T/spool"
	grep -v '^#' "$T/out" | sort >"$T/files"
	expect_ge "$(wc -l <"$T/files")" 3 "rows"
	for host in $HOSTS; do
		pmb_ok report --csv --by function --from "$U" --host "$host"
		grep -v '^#' "$T/out" | sort >"$T/server"
		expect_same "$host"
	done
	expect_eq "$(fleet 'SELECT count(),uniq(host,seq) FROM windows')" "180	180" "windows"
	# both shards have some, neither all
	for port in "$http" "$second"; do
		http=$port expect_ge "$(http=$port fleet \
			'SELECT uniq(host) FROM samples_local')" 1 "hosts of a shard"
	done
	whole=$(fleet 'SELECT sum(samples) FROM samples')
	expect_eq "$(($(fleet 'SELECT sum(samples) FROM samples_local') +
		$(http=$second fleet 'SELECT sum(samples) FROM samples_local')))" "$whole" "samples"
	expect_eq "$(cat "$T"/state-*/ship-* | grep -cE "^(refused|uncertain) 0$")" 12 \
		"hosts of which nothing is refused or uncertain"
}

# The manual's columns, on each shard and where they are asked for: rows of before are found.
t_new_columns_on_shards() {
	local whole second host port column image
	need_shards
	windows "$T/spool" 1
	for host in $HOSTS; do
		pmb_ok ship --from "$T/spool" --state "$T/state" --host "$host" --once --to "$U"
		rm -r "$T/state"
	done
	whole=$(fleet 'SELECT sum(samples) FROM samples')
	expect_match "$TOP/docs/man/pmubpf-ship.1" 'ALTER TABLE samples_local ON CLUSTER' "the page"
	for column in namespace workload image; do
		fleet "ALTER TABLE samples DROP COLUMN $column"
	done
	for port in "$http" "$second"; do
		for column in namespace workload image; do
			http=$port fleet "ALTER TABLE samples_local DROP COLUMN $column"
		done
		http=$port insert_as_before samples_local web:1
		http=$port fleet "$(new_columns samples_local)"
	done
	fleet "$(new_columns samples)"
	for port in "$http" "$second"; do
		http=$port insert_as_before samples_local web:2
	done
	for image in web:1 web:2; do
		pmb_ok report --json --limit 0 --label image=$image --from "$U"
		expect_eq "$(jq '.events[0].total.samples' "$T/out")" "$whole" "samples of $image"
	done
	pmb_ok ship --from "$T/spool" --state "$T/state" --host h7 --once --to "$U"
	expect_eq "$(fleet "SELECT count()>0 FROM samples WHERE host='h7'")" 1 "another host's"
}

# A pod's container of that image, as kubelet has Docker start it.
pod() { # POD IMAGE
	docker run -d --name "k8s_$1" --network none --label io.kubernetes.pod.namespace=shop \
		--label "io.kubernetes.pod.name=$1" --label io.kubernetes.container.name=app \
		"$2" /bin/app 60 2 >/dev/null || fail "docker run $1"
	wait_for_work_of docker "k8s_$1" app
}

# A program, and the same after its functions have changed places: hot70 is what hot30 was.
images() {
	local n
	cp "$TOP/tests/workloads/split.c" "$T/1.c"
	sed 's/hot70/hotXX/g; s/hot30/hot70/g; s/hotXX/hot30/g' "$T/1.c" >"$T/2.c"
	for n in 1 2; do
		mkdir -p "$T/root$n/bin"
		gcc -O2 -g -static -iquote "$TOP/tests/workloads" -o "$T/root$n/bin/app" \
			"$T/$n.c" 2>"$T/gcc.err" ||
			skip "no static libc: $(head -n 1 "$T/gcc.err")"
		tar -C "$T/root$n" -c . | docker import - web:$n >/dev/null || fail "docker import"
	done
}

# So many that 70 of 100 and 30 of 100 are told apart (four sigmas are 13 of 100).
has_samples_of() { # IMAGE
	local n
	n=$(fleet "SELECT sum(samples) FROM samples WHERE image='$1'")
	[ "${n:-0}" -ge 200 ]
}

t_a_rollout() {
	local began
	need_dockerd
	need_server
	images
	pod web-66b6c48dd5-x7k2p web:1
	began=$(date -u +%FT%TZ)
	pmb_start agent --dir "$T/spool" --every 2s -e cpu-clock -F 499 --to "$U" --host n1
	wait_for 60 has_samples_of web:1 || fail "none of the old image: $(cat "$T/err")"
	docker rm -f k8s_web-66b6c48dd5-x7k2p >/dev/null 2>&1
	pod web-7d4f9c8b5d-9fnxl web:2
	wait_for 60 has_samples_of web:2 || fail "none of the new image: $(cat "$T/err")"
	pmb_finish TERM
	expect_eq "$(fleet "SELECT DISTINCT namespace,workload,image FROM samples
		WHERE image!='' ORDER BY image")" "shop	web	web:1
shop	web	web:2" "columns"
	expect_eq "$(fleet "SELECT count() FROM samples ARRAY JOIN labels AS l
		WHERE l LIKE 'image=%' OR l LIKE 'workload=%'")" 0 "labels that have columns"
	pmb_ok report --csv --by namespace,workload,image --from "$U"
	expect_eq "$(grep -cE '^(1,namespace,shop|2,workload,web|3,image,web:[12]),' "$T/out")" 4 \
		"rows of the keys"
	pmb_ok report --json --limit 0 --label image=web:1 --label image=web:2 \
		--label workload=web --label host=n1 --from "$U"
	expect_eq "$(jq '.events[0].total.samples' "$T/out")" \
		"$(fleet "SELECT sum(samples) FROM samples WHERE workload='web'")" "samples"
	rollout_of "$U"
	rollout_of "$T/spool"
	pmb diff --from "$U" --old "image=web:1" --new "$began..now"
	expect_eq "$rc" 2 "exit status without a range"
	pmb diff --from "$U" --old "$began..now,1h..now" --new "$began..now"
	expect_eq "$rc" 2 "exit status of two ranges"
}

# What was 70 % of the one is 30 % of the other.
rollout_of() { # DIR|URL
	pmb_ok diff --json --from "$1" --old "image=web:1,$began..now" \
		--new "$began..now,image=web:2" --total
	expect_eq "$(jq -r '[.rows[] | select(.name | test("^hot[37]0")) |
		(.name[:5] + (if .new_scaled > .old then " more" else " less" end))] | sort |
		join(",")' "$T/out")" "hot30 more,hot70 less" "the rollout by $1"
}

# Sums that a server makes are those of all rows: of six hosts, by each key.
t_what_is_not_told_apart() {
	local by host
	need_server
	windows "$T/spool" 2
	for host in $HOSTS; do
		pmb_ok ship --from "$T/spool" --state "$T/state-$host" --host "$host" --once \
			--to "$U"
	done
	pmb_ok report -o "$T/all.pb.gz" --from "$U"
	for by in function comm host,function image,module,line event,address; do
		pmb_ok report --csv --by $by "$T/all.pb.gz"
		grep -v '^#' "$T/out" | sort >"$T/files"
		pmb_ok report --csv --by $by --from "$U"
		grep -v '^#' "$T/out" | sort >"$T/server"
		expect_same "by $by"
	done
	expect_ge "$(wc -l <"$T/files")" 3 "rows"
	pmb_ok diff --json --by comm --old 1h..,host=h1,host=h2 \
		--new host=h3,1h.. --from "$U"
	expect_eq "$(jq '[.rows[] | .old_samples == 2 * .new_samples] | all' "$T/out")" true \
		"twice as many of two hosts"
}

run_tests
