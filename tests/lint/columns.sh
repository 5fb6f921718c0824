#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# No new lines over 100 columns in C, shell and make: tests/lint/columns.sh [--list] [TOP].
# long-lines.txt says how many a file still has; no file may have more, and none that isn't in it
# has any. --list: prints what there are.
set -u
want_list=0
[ "${1:-}" = --list ] && want_list=1 && shift
TOP=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
cd "$TOP" || exit 2
OLD=tests/lint/long-lines.txt

# COUNT LINE FILE of each file that has any; LINE: the first one.
long_lines() {
	git ls-files -co --exclude-standard | grep -E '(\.(c|h|cc|sh|mk)|(^|/)Makefile)$' |
		while read -r file; do
			[ -f "$file" ] && printf '%s\0' "$file"
		done | LC_ALL=C xargs -0 awk '
		FNR == 1 { done(); file = FILENAME; n = 0 }
		{
			line = $0
			if (length(line) + 7 * gsub(/\t/, "\t", line) <= 100) next
			gsub(/[\200-\277]/, "", line) # characters, not bytes
			width = 0
			parts = split(line, part, "\t")
			for (i = 1; i <= parts; i++) {
				width += length(part[i])
				if (i < parts) width += 8 - width % 8
			}
			if (width > 100 && !n++) first = FNR
		}
		function done() { if (n) print n, first, file }
		END { done() }'
}

if [ "$want_list" = 1 ]; then
	long_lines | sed -E 's/^([0-9]+) [0-9]+ (.*)/\2 \1/' | LC_ALL=C sort
	exit
fi

declare -A allowed
while read -r file n; do
	[[ $file == "#" ]] || allowed[$file]=$n
done <$OLD
bad=0
while read -r n line file; do
	[ "$n" -le "${allowed[$file]:-0}" ] && continue
	echo "$file:$line: $n lines are over 100 columns; allowed: ${allowed[$file]:-none} ($OLD)"
	bad=$((bad + 1))
done < <(long_lines)
[ "$bad" -eq 0 ] && echo "lint: columns: ok" || echo "lint: columns: $bad files have new long lines"
[ "$bad" -eq 0 ]
