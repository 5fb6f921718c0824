#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# hot-pages.sh COMMAND [ARGUMENT…]: which pages does a command fault in, and from which function?
# --addr=page adds the page's address as the last frame: "comm;…;leaf;[0x7f…000] N".
set -eu -o pipefail

pmubpf=${PMUBPF:-$(dirname "$0")/../pmubpf}

folded=$(mktemp)
trap 'rm -f "$folded"' EXIT

# -c 1: every fault, not one in many.
"$pmubpf" record -e page-faults -c 1 --addr=page --user-only -o "$folded" -- "$@"

echo "faults  page                function"
awk -F';' '{ split($NF, last, " "); print last[2], last[1], $(NF - 1) }' "$folded" |
	sort -k1,1nr -k2,2 | awk 'NR <= 20 { printf "%6d  %-18s  %s\n", $1, $2, $3 }'
