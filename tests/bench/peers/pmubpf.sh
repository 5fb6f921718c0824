#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2034
# A peer: `have` prints why it can't run here, or nothing; RECORD and FOLD are for sh -c, with RATE
# and OUT set; what FOLD leaves in $OUT are folded stacks whose numbers are UNIT each ("ns":
# nanoseconds, else 1: samples). felt_ways: the ways to sample of which it is asked what a thread
# feels of them (felt.sh).
have() { :; }
UNIT=ns
RECORD='exec "$PMUBPF" record -q -a -e cpu-clock -F "$RATE" -o "$OUT"'
FOLD=''
felt_ways() {
	way pmubpf-fp 'clock fault' 'exec "$PMUBPF" record -q -a --budget=0 --user-only --call-graph=fp $EVENT -o /dev/null'
	way pmubpf-table 'clock fault' 'exec "$PMUBPF" record -q -a --budget=0 --user-only --call-graph=table $EVENT -o /dev/null'
	way pmubpf 'clock fault' 'exec "$PMUBPF" record -q -a --budget=0 --call-graph=table $EVENT -o /dev/null'
}
