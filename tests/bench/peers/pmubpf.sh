#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2034
# A peer: `have` prints why it can't run here, or nothing; RECORD and FOLD are for sh -c, with RATE and OUT set;
# what FOLD leaves in $OUT are folded stacks whose numbers are UNIT each ("ns": nanoseconds, else 1: samples).
have() { :; }
UNIT=ns
RECORD='exec "$PMUBPF" record -q -a -e cpu-clock -F "$RATE" -o "$OUT"'
FOLD=''
