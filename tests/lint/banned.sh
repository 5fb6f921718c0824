#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What no file of this tree may have: tests/lint/banned.sh [TOP]. Prints FILE:LINE and why, and
# fails if there is anything.
#
#   - functions that can't be used safely, or for which there is one better way here;
#   - a source file without its SPDX line;
#   - functions of more than 60 lines, files of more than 600 (exceptions and reasons below);
#   - functions in C of more than 20 branches: if, for, while, case, ?, && and ||.
set -u
TOP=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
cd "$TOP" || exit 2

MAX_FUNCTION=60
MAX_FILE=600
MAX_BRANCHES=20

# FILE FUNCTION, and why it may be long.
long_function_allowed() {
	case "$1 $2" in
	tests/unit/test_*.c*) return 0 ;; # tables of cases, written out
	*) return 1 ;;
	esac
}

# FILE, and why it may be long.
long_file_allowed() {
	case $1 in
	tests/unit/test_*.c) return 0 ;; # a list of cases is no harder to read for being long
	user/advise/rules.c) return 0 ;; # one table, of texts
	*) return 1 ;;
	esac
}

bad=0
complain() { # FILE:LINE TEXT
	echo "$1: $2"
	bad=$((bad + 1))
}

sources() { # EXTENSION-REGEX: files that git knows or would add
	git ls-files -co --exclude-standard 2>/dev/null | grep -E "$1" | while read -r file; do
		[ -f "$file" ] && echo "$file"
	done
}

# Code without comments and the insides of strings, lines kept.
code() { # FILE
	awk '
	{
		out = ""; n = length($0)
		for (i = 1; i <= n; i++) {
			c = substr($0, i, 1); two = substr($0, i, 2)
			if (comment) { if (two == "*/") { comment = 0; i++ } continue }
			if (quote) { if (c == "\\") i++; else if (c == quote) { quote = ""; out = out c } continue }
			if (two == "/*") { comment = 1; i++; continue }
			if (two == "//") break
			if (c == "\"" || c == "\x27") quote = c
			out = out c
		}
		quote = ""
		print out
	}' "$1"
}

# What to use instead.
BANNED='strcpy:base/buf.h strcat:base/buf.h stpcpy:base/buf.h sprintf:snprintf,base/buf.h
vsprintf:vsnprintf strncpy:memcpy,snprintf strncat:base/buf.h strtok:strsep strtok_r:strsep
scanf:base/num.h sscanf:base/num.h fscanf:base/num.h vsscanf:base/num.h atoi:base/num.h atol:base/num.h
atoll:base/num.h atof:base/num.h alloca:base/mem.h system:posix_spawn signal:sigaction,signalfd
gets:getline tmpnam:mkstemp mktemp:mkstemp'

names=$(tr ' ' '\n' <<<"$BANNED" | sed -n 's/:.*//p' | paste -sd'|')

check_banned() { # FILE
	local found
	found=$(code "$1" | grep -nE "(^|[^[:alnum:]_.>])($names)[[:space:]]*\(") || return 0
	while IFS=: read -r line text; do
		local name
		name=$(grep -oE "(^|[^[:alnum:]_.>])($names)[[:space:]]*\(" <<<"$text" | head -n 1 |
			grep -oE '[a-z_]+')
		complain "$1:$line" "$name() is banned; use $(tr ' ' '\n' <<<"$BANNED" | sed -n "s/^$name://p")"
	done <<<"$found"
}

check_spdx() { # FILE
	local first="" second=""
	{ read -r first; read -r second; } <"$1"
	[[ $1 == *.[ch] || $1 == *.cc ]] || first+=$second # scripts begin with something else
	[[ $first == *'SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause'* ]] && return
	complain "$1:1" "no SPDX line: SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause"
}

# C: a function is what lies between "{" and "}" in the first column.
check_lengths() { # FILE…
	local file name line length
	while read -r file line length name; do
		if [ -z "$name" ]; then
			long_file_allowed "$file" ||
				complain "$file:1" "$length lines, more than $MAX_FILE"
		else
			long_function_allowed "$file" "$name" ||
				complain "$file:$line" \
				"$name has $length lines, more than $MAX_FUNCTION"
		fi
	done < <(awk -v max="$MAX_FUNCTION" -v max_file="$MAX_FILE" '
		FNR == 1 { start = 0 }
		FNR == max_file + 1 { long[FILENAME] }
		FILENAME in long { long[FILENAME] = FNR }
		/^[A-Za-z_].*\(/ { head = $0; at = FNR }
		/^\{/ { start = FNR }
		/^\}/ && start {
			if (FNR - start - 1 > max) {
				if (head ~ /^Test\(/) { sub(/.*, /, "", head); sub(/\).*/, "", head) }
				sub(/\(.*/, "", head); sub(/.*[ *]/, "", head)
				print FILENAME, at, FNR - start - 1, head
			}
			start = 0
		}
		END { for (file in long) print file, 1, long[file] }' "$@")
}

# C: what lies between "{" and "}" in the first column again, without comments and the insides of
# strings.
check_branches() { # FILE…
	local file name line branches
	while read -r file line branches name; do
		complain "$file:$line" "$name has $branches branches, more than $MAX_BRANCHES: a table, or parts?"
	done < <(awk -v max="$MAX_BRANCHES" '
		FNR == 1 { comment = 0; inside = 0 }
		{
			code = $0
			if (comment && !sub(/^.*\*\//, "", code)) next
			comment = 0
			gsub(/"([^"\\]|\\.)*"|\x27([^\x27\\]|\\.)*\x27/, "", code)
			gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", code)
			sub(/\/\/.*/, "", code)
			comment = sub(/\/\*.*/, "", code)
		}
		code ~ /^[A-Za-z_].*\(/ { head = code; at = FNR }
		code ~ /^\{/ { inside = 1; n = 0 }
		inside {
			n += gsub(/&&|\|\||\?/, " ", code)
			code = " " code " "
			n += gsub(/[^A-Za-z0-9_](if|for|while|case)[^A-Za-z0-9_]/, " ", code)
		}
		/^\}/ && inside {
			if (n > max) {
				sub(/\(.*/, "", head); sub(/.*[ *]/, "", head)
				print FILENAME, at, n, head
			}
			inside = 0
		}' "$@")
}

mapfile -t c < <(sources '\.(c|h|cc)$')
mapfile -t scripts < <(sources '(\.(sh|mk|py)|(^|/)Makefile)$')
mapfile -t pages < <(sources '^user/html/.*\.(js|css|html)$')
n=$((${#c[@]} + ${#scripts[@]} + ${#pages[@]}))
if [ "${#c[@]}" -gt 0 ]; then
	while read -r file; do
		check_banned "$file"
	done < <(grep -lE "($names)[[:space:]]*\\(" "${c[@]}") # most have none, even in comments
	check_branches "${c[@]}"
fi
[ $((${#c[@]} + ${#pages[@]})) -eq 0 ] || check_lengths "${c[@]}" "${pages[@]}"
for file in "${c[@]}" "${scripts[@]}" "${pages[@]}"; do
	check_spdx "$file"
done

if [ "$n" -eq 0 ]; then
	echo "lint: banned: no source file found in $TOP"
	exit 1
fi
[ "$bad" -eq 0 ] && echo "lint: banned: ok ($n files)" ||
	echo "lint: banned: $bad found in $n files"
[ "$bad" -eq 0 ]
