#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# pmubpf symbolize: names that were missing when it was recorded come later, by build-id, into an
# agent's folder and to ClickHouse; no sum changes.
# shellcheck source=tests/e2e/clickhouse_lib.sh
. "$(dirname "$0")/clickhouse_lib.sh"

# A program without symbols, and a folder that has its debug file: $S/bare, $S/debug. A profile of
# it, whose copies are the windows.
setup() {
	local id
	need_root
	cp "$WORKLOADS/inlined" "$S/bare"
	id=$(readelf -n "$S/bare" | sed -n 's/ *Build ID: //p')
	[ -n "$id" ] || return 0
	mkdir -p "$S/debug/.build-id/${id:0:2}"
	objcopy --only-keep-debug "$S/bare" "$S/debug/.build-id/${id:0:2}/${id:2}.debug"
	strip "$S/bare"
	pmb_ok record -e cpu-clock --label container,tid -o "$S/window.pb.gz" -- "$S/bare" 0.5
}

need_names() {
	[ -d "$S/debug" ] || skip "gcc writes no build-id here"
}

# What there is by command, which names don't change.
sums() { # FROM
	pmb_ok report --csv --by comm,module --from "$1"
	grep -v '^#' "$T/out"
}

expect_names() { # FROM [OPTION…]
	pmb_ok report --csv --by function --from "$@"
	grep -q ',leaf_spin,' "$T/out" || fail "no function leaf_spin: $(head -n 12 "$T/out")"
	grep -q ',inner,' "$T/out" || fail "no function that was inlined"
}

expect_no_names() { # FROM
	pmb_ok report --csv --by function --from "$1"
	expect_no_match "$T/out" 'leaf_spin' "names"
}

refused() { # STATUS WORDS COMMAND…
	local status=$1 words=$2
	shift 2
	pmb "$@"
	expect_eq "$rc" "$status" "exit status of $*"
	expect_match "$T/err" "$words" "the sentence about $*"
}

t_a_folder() {
	need_names
	windows "$T/spool" 3
	touch -d '2026-01-02 03:04:05.678' "$T/spool/$BOOT-0000000001.pb.gz"
	chmod 640 "$T/spool/$BOOT-0000000001.pb.gz"
	expect_no_names "$T/spool"
	sums "$T/spool" >"$T/before"
	pmb_ok symbolize --from "$T/spool"
	expect_match "$T/err" '0 of 3 windows' "without files that have names"
	expect_match "$T/err" 'no names for [0-9]+ addresses of .*/bare \(build-id [0-9a-f]+\)' \
		"what has none"
	pmb_ok symbolize --from "$T/spool" --symbols "$S/debug"
	expect_match "$T/err" '3 of 3 windows have more names' "the note"
	expect_names "$T/spool"
	sums "$T/spool" >"$T/after"
	cmp -s "$T/before" "$T/after" || fail "sums: $(diff "$T/before" "$T/after" | head -n 4)"
	expect_eq "$(stat -c '%a %Y' "$T/spool/$BOOT-0000000001.pb.gz")" \
		"640 $(date -d '2026-01-02 03:04:05' +%s)" "its mode and date"
	pmb_ok symbolize --from "$T/spool" --symbols "$S/debug"
	expect_match "$T/err" '0 of 3 windows' "the second time"
	expect_eq "$(find "$T/spool" -name '*.part' | wc -l)" 0 "files left over"
}

t_ranges_and_files_that_are_no_windows() {
	need_names
	windows "$T/spool" 2
	echo x >"$T/spool/$BOOT-0000000007.pb.gz"
	refused 1 "can't read the folder" symbolize --from "$T/spool" --symbols "$T/none"
	pmb_ok symbolize --from "$T/spool" --symbols "$S/debug" -q
	expect_match "$T/err" 'passed over: .*0000000007' "what is none"
	expect_names "$T/spool"
	pmb symbolize --from "$T/spool" --until 2000-01-01T00:00:00Z
	expect_eq "$rc" 1 "exit status"
	expect_match "$T/err" 'no window of .* is of that range' "the range"
	refused 2 "which windows" symbolize
	refused 2 "objects of S3 stay" symbolize --from s3+http://127.0.0.1:1/bucket
	refused 2 "report --symbols" symbolize "$S/window.pb.gz"
	chmod 777 "$T/spool"
	refused 1 "others may write" symbolize --from "$T/spool"
}

# Beside the agent that writes there, killed at any time; never more than --max-disk.
has_window() { # DIR
	compgen -G "$1/*.pb.gz" >/dev/null
}

t_beside_an_agent() {
	need_names
	local i dir=$T/spool most=0 now
	pmb_start agent --dir "$dir" --every 1s --max-disk 64K -e cpu-clock -F 499 \
		-- "$S/bare" 60
	wait_until has_window "$dir" || fail "no window"
	# beside a few more, however fast this is
	for ((i = 0; i < 25 || $(find "$dir" -name '*.pb.gz' | wc -l) < 4; i++)); do
		timeout -s KILL "0.$((i % 7 + 1))" "$PMUBPF" symbolize -q --from "$dir" \
			--symbols "$S/debug" 2>>"$T/err2" >&2
		now=$(find "$dir" -type f -printf '%b\n' 2>/dev/null |
			awk '{s += $1 * 512} END {print s + 0}')
		[ "$now" -gt "$most" ] && most=$now
	done
	"$PMUBPF" symbolize --from "$dir" --symbols "$S/debug" 2>"$T/err2" ||
		fail "exit status: $(tail -n 1 "$T/err2")"
	kill -INT "$tool"
	wait "$tool"
	expect_eq "$?" 0 "exit status of the agent"
	expect_le "$most" 65536 "bytes in the folder, at any time"
	expect_no_match "$T/err" "can't write" "windows that had to wait"
	pmb_ok report --csv --by function --from "$dir"
	grep -q ',leaf_spin,' "$T/out" || fail "no names"
}

t_a_server() {
	need_names
	need_server
	windows "$T/spool" 3
	pmb_ok ship --from "$T/spool" --state "$T/state" --host h1 --once --to "$U"
	expect_no_names "$U"
	sums "$U" >"$T/before"
	fleet 'SELECT count(),sum(cityHash64(*)) FROM samples' >"$T/rows"
	pmb_ok symbolize --from "$U" --symbols "$S/debug"
	expect_match "$T/err" 'the server has [1-9][0-9]* more names now' "the note"
	expect_names "$U"
	sums "$U" >"$T/after"
	cmp -s "$T/before" "$T/after" || fail "sums: $(diff "$T/before" "$T/after" | head -n 4)"
	fleet 'SELECT count(),sum(cityHash64(*)) FROM samples' >"$T/rows2"
	cmp -s "$T/rows" "$T/rows2" || fail "rows of samples have changed"
	# as of the folder that gets the same names
	pmb_ok symbolize --from "$T/spool" --symbols "$S/debug"
	pmb_ok report --csv --by function,line --from "$T/spool"
	grep -v '^#' "$T/out" | sort >"$T/files"
	pmb_ok report --csv --by function,line --from "$U"
	grep -v '^#' "$T/out" | sort >"$T/server"
	cmp -s "$T/files" "$T/server" || fail "names: $(diff "$T/files" "$T/server" | head -n 4)"
	what_comes_later
}

# A window that is sent afterwards has the names, too; who was asked once isn't asked again.
what_comes_later() {
	windows "$T/spool2" 1
	pmb_ok ship --from "$T/spool2" --state "$T/state2" --host h2 --once --to "$U"
	expect_names "$U" --host h2
	pmb_ok symbolize --from "$U" --symbols "$S/debug"
	expect_match "$T/err" 'the server has 0 more names now' "the second time"
	pmb_ok diff --from "$U" --old "1h..now,host=h1" --new "1h..now,host=h2" --json
	grep -q leaf_spin "$T/out" || fail "no names in a difference"
	fleet 'DROP TABLE names'
	expect_no_names "$U"
	pmb symbolize --from "$U" --symbols "$S/debug"
	expect_eq "$rc" 1 "exit status"
	expect_match "$T/err" "has no table .names'" "what is missing"
}

# It asks no server for files unless told to.
t_from_debuginfod() {
	need_names
	need_program python3
	grep -q "libdebuginfod\.so\.1 " < <(ldconfig -p) || skip "libdebuginfod1 is not installed"
	unset http_proxy HTTP_PROXY ALL_PROXY all_proxy
	windows "$T/spool" 1
	local debug id
	debug=$(cd "$S/debug/.build-id" && echo */*.debug)
	id=${debug//\//} id=${id%.debug}
	mkdir -p "$T/www/buildid/$id"
	cp "$S/debug/.build-id/$debug" "$T/www/buildid/$id/debuginfo"
	spawn python3 -u -m http.server --bind 127.0.0.1 --directory "$T/www" \
		0 >"$T/port" 2>"$T/asked"
	wait_until grep -q 'port [0-9]' "$T/port" || fail "no server"
	refused 2 "DEBUGINFOD_URLS names no server" symbolize --from "$T/spool" --debuginfod
	export DEBUGINFOD_URLS
	DEBUGINFOD_URLS=http://127.0.0.1:$(sed -n 's/.* port \([0-9]*\).*/\1/p' "$T/port")/
	pmb_ok symbolize --from "$T/spool"
	expect_no_names "$T/spool"
	[ -s "$T/asked" ] && fail "servers are asked without --debuginfod"
	pmb_ok symbolize --from "$T/spool" --debuginfod
	expect_names "$T/spool"
}

run_tests
