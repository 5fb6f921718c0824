#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What a file of user/ has for others, others use: another file, or a test; else it is static. By
# the symbols of what was built in OBJECTS/user/: tests/lint/exports.sh OBJECTS.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
O=${1:-build}

# Of a source that has gone the object may still be there.
objects() {
	local source
	for source in user/*/*.c; do
		source=$O/${source%.c}.o
		[ ! -e "$source" ] || echo "$source"
	done
}

mapfile -t all < <(objects)
[ "${#all[@]}" -gt 0 ] || { echo "lint: exports: nothing is built in $O"; exit 1; }

defined() { # "SYMBOL OBJECT"
	nm -A -g --defined-only "${all[@]}" | awk '{ sub(/:.*/, "", $1); print $NF, $1 }' | sort
}

used() {
	nm -g -u "${all[@]}" | awk 'NF == 2 { print $2 } END { print "main" }' | sort -u
}

bad=0
while read -r symbol file; do
	! grep -rqw --include='*.[ch]' -- "$symbol" tests || continue
	file=${file#"$O/"}
	echo "${file%.o}.c: nobody else uses $symbol: static"
	bad=$((bad + 1))
done < <(join -v 1 <(defined) <(used) | grep -v '^html_page_')
[ $bad = 0 ] && echo "lint: exports: ok (${#all[@]} files)"
[ $bad = 0 ]
