#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Time without a CPU, as this tool and bcc's offcputime (that of libbpf-tools, which needs no
# headers of the kernel) tell it, and what each costs (docs/design/0032-off-cpu.md):
# [LOADS=waiting] [BUDGET=0] tests/bench/off_cpu_peers.sh [ROUNDS], as root, in turn. Sleepers, a
# lock and pipes beside what they measured themselves, in ms by name of thread; redis and PostgreSQL
# by what they get done. It starts servers of its own.
# perf's --off-cpu has no row: Debian 12 and 13 build perf without BPF skeletons.
set -eu -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
PMUBPF=${PMUBPF:-./pmubpf}
WAITS=${WAITS:-build/workloads/waits}
OFFCPUTIME=${OFFCPUTIME:-/usr/sbin/offcputime}
ROUNDS=${1:-3}
PORT=16399
W=$(mktemp -d)
trap 'end_servers; rm -rf "$W"' EXIT

end_servers() {
	[ ! -e "$W/redis.pid" ] || kill "$(cat "$W/redis.pid")" 2>/dev/null || true
	[ ! -e "$W/db" ] || as_postgres "$BIN/pg_ctl" -D "$W/db" -m fast stop >/dev/null 2>&1 ||
		true
}

as_postgres() {
	setpriv --reuid postgres --regid postgres --init-groups env -C / "$@"
}

# In the background, in $tool; it ends by a signal.
begin() { # WAY PID
	case $1 in
	pmubpf)
		"$PMUBPF" record -q -e off-cpu --budget "${BUDGET:-1}" -p "$2" -o "$W/p.pb.gz" \
			--summary "$W/s.json" 2>"$W/err" &
		;;
	offcputime) "$OFFCPUTIME" -m 1 --stack-storage-size 65536 -p "$2" >"$W/off" 2>"$W/err" & ;;
	esac
	tool=$!
	sleep 2
	kill -0 "$tool" || cat "$W/err"
}

end() {
	kill -INT "$tool"
	wait "$tool" || true
}

# "NAME MS" for each name of a thread; what is less than a ms is left out.
said() { # WAY
	case $1 in
	pmubpf)
		"$PMUBPF" report -j --by comm "$W/p.pb.gz" | jq -r '.rows[] | "\(.name) " +
			([.events[] | select(.event | startswith("off-cpu")).total.time_ns] | add
			/ 1e6 | floor | tostring)'
		;;
	offcputime)
		awk '/^ +-  / { name = $2 } /^ +[0-9]+$/ { us[name] += $1 }
			END { for (n in us) printf "%s %d\n", n, us[n] / 1000 }' "$W/off"
		;;
	esac | sort | awk '$2 > 0' | tr '\n' ';'
}

waiting() { # WAY
	local pid
	sh -c 'kill -STOP $$; exec "$0" 1000' "$WAITS" >"$W/truth" &
	pid=$!
	sleep 0.5
	[ "$1" = nothing ] || begin "$1" "$pid"
	kill -CONT "$pid"
	wait "$pid" || true
	[ "$1" = nothing ] || end
	echo "waits, by itself: $(awk '$1 != "all" { printf "%s %d;", $1, ($3 - $4) / 1000000 }' \
		"$W/truth")"
	[ "$1" = nothing ] || echo "waits, $1: $(said "$1")"
}

redis() { # WAY
	local rate
	[ "$1" = nothing ] || begin "$1" "$(cat "$W/redis.pid")"
	rate=$(redis-benchmark -p $PORT -t get -n 100000 -c 20 --csv |
		awk -F'"' '/GET/ { print $4 }')
	[ "$1" = nothing ] || end
	echo "redis, $1: $rate requests a second"
}

postgres() { # WAY
	local rate
	[ "$1" = nothing ] || begin_all "$1"
	rate=$(as_postgres "$BIN/pgbench" -n -S -h "$W" -c 4 -T 4 2>/dev/null |
		awk '/^tps/ { print $3 }')
	[ "$1" = nothing ] || end
	echo "postgres, $1: $rate transactions a second"
}

# Servers of several processes: the whole system.
begin_all() { # WAY
	case $1 in
	pmubpf)
		"$PMUBPF" record -q -e off-cpu --budget "${BUDGET:-1}" -a -o "$W/p.pb.gz" \
			2>"$W/err" &
		;;
	offcputime) "$OFFCPUTIME" -m 1 --stack-storage-size 65536 >"$W/off" 2>"$W/err" & ;;
	esac
	tool=$!
	sleep 2
}

redis-server --port $PORT --save '' --daemonize yes --pidfile "$W/redis.pid" >/dev/null
BIN=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
chmod 755 "$W"
install -d -o postgres "$W/db"
chown postgres "$W"
as_postgres "$BIN/initdb" -D "$W/db" >/dev/null
as_postgres "$BIN/pg_ctl" -w -D "$W/db" -o "-k $W -c listen_addresses=" -l "$W/log" start >/dev/null
as_postgres "$BIN/pgbench" -i -q -h "$W" >/dev/null 2>&1
for ((i = 0; i < ROUNDS; i++)); do
	for load in ${LOADS:-waiting redis postgres}; do
		for way in nothing pmubpf offcputime; do
			"$load" "$way"
		done
	done
done
