#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# tests/vm/tower.sh FILE.svg: the widest tower of a flame graph, as it is drawn: the names of its
# boxes from the bottom to the top, in one line. The top of a tower is the part of a box that no
# other stands on.
set -u -o pipefail
export LC_ALL=C

# flamegraph.pl's boxes: <title>NAME (N samples, P%)</title><rect x="…" y="…" width="…" …/>; y grows
# downwards.
sed -n 's/.*<title>\(.*\) ([0-9,]* [^()]*%)<\/title><rect x="\([0-9.]*\)" y="\([0-9.]*\)" width="\([0-9.]*\)".*/\2 \3 \4 \1/p' "$1" |
	sort -k2,2nr | awk '
	{ x[NR] = $1; y[NR] = $2; w[NR] = own[NR] = $3; $1 = $2 = $3 = ""; name[NR] = substr($0, 4) }
	END {
		for (i = 1; i <= NR; i++)
			for (j = 1; j < i; j++)
				if (y[j] > y[i] && x[i] + w[i] / 2 > x[j] && x[i] + w[i] / 2 < x[j] + w[j])
					below[i] = j # the last one is the nearest: the boxes come bottom first
		for (i = 1; i <= NR; i++)
			own[below[i]] -= w[i]
		for (i = 1; i <= NR; i++)
			if (own[i] > own[top])
				top = i
		for (i = top; i; i = below[i])
			line = " " name[i] line
		print line
	}'
