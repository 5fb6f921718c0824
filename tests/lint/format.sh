#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Do these files look as .clang-format says? tests/lint/format.sh FILE… (nothing is changed; `make
# format' does that). Other versions of clang-format lay out the same file differently, so only the
# pinned one is asked; without it the check is skipped, and says so.
set -u
PINNED=14

for tool in "clang-format-$PINNED" clang-format; do
	version=$("$tool" --version 2>/dev/null | sed -nE 's/.*version ([0-9]+).*/\1/p')
	[ "${version:-0}" = "$PINNED" ] && break
	tool=""
done
if [ -z "$tool" ]; then
	echo "lint: format: skipped: needs clang-format $PINNED (found ${version:-none})"
	exit 0
fi
if [ $# -eq 0 ]; then
	echo "usage: $0 FILE…" >&2
	exit 2
fi

bad=0
while read -r where; do
	echo "$where: not formatted; \`make format' does it"
	bad=$((bad + 1))
done < <("$tool" --dry-run --style=file "$@" 2>&1 | sed -nE 's/^([^ :]+:[0-9]+):[0-9]+: .*/\1/p' |
	sort -u -t: -k 1,1)
[ "$bad" -eq 0 ] && echo "lint: format: ok ($# files)" ||
	echo "lint: format: $bad of $# files differ"
[ "$bad" -eq 0 ]
