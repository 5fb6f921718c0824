#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2034
# bpftrace with room for as many keys as there are paths.
have() { command -v bpftrace >/dev/null || echo 'no bpftrace'; }
UNIT=1
RECORD='BPFTRACE_MAP_KEYS_MAX=200000 exec bpftrace -q -e "profile:hz:$RATE { @[comm, ustack, kstack] = count(); }" >"$OUT.raw" 2>/dev/null'
FOLD='awk -f "$PEERS/bpftrace-fold.awk" "$OUT.raw" >"$OUT"'
felt_ways() {
	way bpftrace 'clock fault' 'exec bpftrace -q -e "$PROBE { @[comm, ustack, kstack] = count(); }"'
}
