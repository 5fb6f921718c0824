#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What ARCHITECTURE.md's recipes name is there: files, functions (`name()`), arrays (`name[]`),
# lists and numbers (`A_NAME`), types (`struct name`): tests/lint/recipes.sh [TOP]. NAME, ARCH stand
# for something else.
set -u
TOP=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
cd "$TOP" || exit 2

page=$(sed -n '/^## Laws of the ledger/,$p' ARCHITECTURE.md)
words=$({
	grep -o '`[^`]*`' <<<"$page" | tr -d '`'
	grep -oE '\b(user|bpf|tests|include|docs|mk)/[A-Za-z0-9_./-]+[a-z0-9]' <<<"$page"
} | sort -u)
bad=0 n=0

missing() {
	echo "ARCHITECTURE.md: there is no $1"
	bad=$((bad + 1))
}

# All that is compiled or run; a name that only stands in a text is none.
is_named() { # REGULAR EXPRESSION
	grep -rqE --include='*.[ch]' --include='*.sh' --include='*.mk' -- "$1" \
		user bpf include tests mk
}

while IFS= read -r word; do
	n=$((n + 1))
	case $word in
	struct\ * | union\ * | enum\ *) is_named "\\b$word \\{" || missing "$word" ;;
	*NAME* | *ARCH* | *' '* | *…* | .*) n=$((n - 1)) ;;
	user/* | bpf/* | tests/* | include/* | vmlinux/* | docs/* | mk/*)
		[ -e "$word" ] || missing "$word"
		;;
	*'()') is_named "\\b${word%()}\\(" || missing "$word" ;;
	*'[]') is_named "\\b${word%[]}\\[" || missing "$word" ;;
	[A-Z]*_[A-Z]*) is_named "\\b$word\\b" || missing "$word" ;;
	*.c | *.h)
		[ -n "$(find user bpf tests include -name "${word##*/}" -print -quit)" ] ||
			missing "$word"
		;;
	*) n=$((n - 1)) ;;
	esac
done <<<"$words"

[ $bad = 0 ] || { echo "lint: recipes: $bad names of nothing"; exit 1; }
echo "lint: recipes: ok ($n names)"
