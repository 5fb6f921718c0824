#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# misses.sh PID [SECONDS=10]: which functions of a running process miss the data cache?
# Prints the ten functions with the most misses. EVENT=… asks for another event: see pmubpf list.
set -eu -o pipefail

pmubpf=${PMUBPF:-$(dirname "$0")/../pmubpf}

"$pmubpf" record -e "${EVENT:-dcache-miss}" -p "${1:?usage: examples/misses.sh PID [SECONDS]}" \
	-d "${2:-10}" |
	# "comm;frame;…;leaf N": add N up by leaf.
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); sub(/.*;/, ""); sum[$0] += n }
		END { for (leaf in sum) printf "%15.0f  %s\n", sum[leaf], leaf }' |
	sort -k1,1nr | awk 'NR <= 10'
