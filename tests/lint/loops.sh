#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The files of a folder call each other in one direction, by the symbols of what was built in
# OBJECTS/user/: tests/lint/loops.sh OBJECTS. Folders that have loops stand below; one that has none
# any more has to go.
set -u
WITH_LOOPS="assemble pmu render"
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
O=${1:-$TOP/build}

# "SYMBOL FILE" of each object; of a source that has gone the object may still be there.
symbols() { # FOLDER OPTIONS OF NM
	local folder=$1 source objects=()
	shift
	for source in "$TOP/user/$folder"/*.c; do
		source=${source##*/}
		objects+=("$O/user/$folder/${source%.c}.o")
	done
	nm -A "$@" "${objects[@]}" |
		awk '{ file = $1; sub(/:.*/, "", file); sub(/.*\//, "", file); print $NF, file }' |
		sort
}

bad=0 n=0
for folder in "$TOP"/user/*/; do
	folder=${folder%/} && folder=${folder##*/}
	compgen -G "$TOP/user/$folder/*.c" >/dev/null || continue
	n=$((n + 1))
	loops=$(join <(symbols "$folder" -u) <(symbols "$folder" --defined-only -g) |
		awk '{ print $2, $3 }' | sort -u | tsort 2>&1 >/dev/null |
		sed 's/^tsort: //' | tr '\n' ' ')
	case " $WITH_LOOPS " in
	*" $folder "*) [ -n "$loops" ] || { echo "$folder/ has no loops any more" && bad=1; } ;;
	*) [ -z "$loops" ] || { echo "$folder/: $loops" && bad=1; } ;;
	esac
done
[ $bad = 0 ] && echo "lint: loops: ok ($n folders)"
exit $bad
