#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2034
# perf with frame pointers: record, script, fold.
have() { command -v perf >/dev/null || echo 'no perf (linux-perf)'; }
UNIT=1
RECORD='exec perf record -q -a -g -e cpu-clock -F "$RATE" -o "$OUT.data"'
FOLD='perf script -i "$OUT.data" -F comm,ip,sym 2>/dev/null | awk -f "$PEERS/perf-fold.awk" >"$OUT"; rm -f "$OUT.data"'
felt_ways() {
	way perf 'clock fault' 'exec perf record -q -a $EVENT -o "$T/felt.data"'
	way perf-g 'clock fault' 'exec perf record -q -a -g $EVENT -o "$T/felt.data"'
}
