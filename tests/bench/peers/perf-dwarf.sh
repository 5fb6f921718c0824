#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2034
# perf with copies of stacks, unwound by DWARF afterwards.
have() { command -v perf >/dev/null || echo 'no perf (linux-perf)'; }
UNIT=1
RECORD='exec perf record -q -a --call-graph dwarf -e cpu-clock -F "$RATE" -o "$OUT.data"'
FOLD='perf script -i "$OUT.data" -F comm,ip,sym 2>/dev/null | awk -f "$PEERS/perf-fold.awk" >"$OUT"; rm -f "$OUT.data"'
# 64 faults at once are more than its usual ring holds
felt_ways() { way perf-dwarf 'clock fault' 'exec perf record -q -a --call-graph dwarf -m 4M $EVENT -o "$T/felt.data"'; }
