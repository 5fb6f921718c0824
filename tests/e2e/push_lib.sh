#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What suites of servers that windows are pushed to have in common.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

BOOT=0123456789abcdef0123456789abcdef

# Copies of the suite's profile.
windows() { # N
	local i
	mkdir -p "$T/spool"
	for ((i = 0; i < $1; i++)); do
		cp "$S/window.pb.gz" "$T/spool/$BOOT-$(printf %010d "$i").pb.gz"
	done
}

ship() { # [OPTION…]
	pmb ship --from "$T/spool" --state "$T/state" --host h1 --to "$U" \
		--credentials "$T/key" "$@"
}

expect_books() { # SENT REFUSED UNCERTAIN
	expect_match "$T/err" "^pmubpf: ever: $1 sent, $2 refused, 0 expired, $3 unc" "the books"
}

# None makes it wait, grow or open anything.
hostile_servers() { # SCHEME [MODE that says 200 and is believed]
	local mode
	windows 1
	for mode in redirect endless headers random slow; do
		rm -f "$T/port"
		spawn python3 "$TOP/tests/e2e/ship_server.py" $mode >"$T/port" 2>"$T/asked"
		wait_until test -s "$T/port" || fail "no server"
		U=$1://127.0.0.1:$(cat "$T/port")
		timeout 60 "$PMUBPF" ship --from "$T/spool" --state "$T/$mode" --once --to "$U" \
			--timeout 1 >"$T/out" 2>"$T/err"
		rc=$?
		[ $mode != "${2:-}" ] || continue
		expect_eq "$rc" 1 "exit status, $mode"
		expect_match "$T/err" "isn't sent: " "$mode"
	done
}

# What the windows have, in $T/files, is what came, in $T/server.
expect_same_rows() {
	expect_ge "$(wc -l <"$T/files")" 3 "rows"
	cmp -s "$T/files" "$T/server" || fail "weights: $(diff "$T/files" "$T/server" | head -n 6)"
}
