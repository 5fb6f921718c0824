#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Words that have given way to others, in code, comments and texts: tests/lint/words.sh [TOP].
# CONTRIBUTING.md's glossary has those that are used. Prints FILE:LINE and the word to use, and
# fails if there is anything.
set -u
TOP=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
cd "$TOP" || exit 2

# A word that has gone; what is said now; the files in which it is still right, and why.
table() {
	# stat's and top's are times, report's and advise's ones of confidence
	local times='session/counting|cmd/(stat|top|alarm|agent)'
	times+='|render/(stat|report|branch_records)'
	times+='|cmd/report_args'
	times+='|model/(alarm|poisson|verdict)|prof/regions|advise/|ship/schema'
	# names of before, for a release
	local before='cmd/list_(card|table)[.]c|render/summary_json|pmu/user_events[.]c'
	echo "[Ii]nterval|INTERVAL period ^user/($times|$before)"
	echo '(->|[.])way\>|(event|find|note)_ways?\> mode ^$'
	echo '[Ss]poilers?|(user|kernel|pmb)_endings?\>|PMB_(N_)?ENDINGS|pmb_slices? other ^$'
	local kinds='percentage|size|length|address|offset|modifier|number|regular|counter'
	echo "\"[^\"]*(is|are) no ($kinds) not ^\$"
	echo 'nothing for a terminal|said nothing|not here yet|say whom|linkers have plainer ^$'
}

mapfile -t files < <(git ls-files -co --exclude-standard user bpf include | grep -E '\.(c|h)$')
if [ "${#files[@]}" -eq 0 ]; then
	echo "lint: words: no source file found in $TOP"
	exit 1
fi

# The words may have blanks, the two columns behind them have none.
found=$(table | while read -r line; do
	words=$(sed -E 's/ [a-z]+ \^.*//' <<<"$line")
	rest=${line#"$words "}
	instead=${rest%% *} allowed=${rest#* }
	printf '%s\n' "${files[@]}" | grep -vE "$allowed" |
		xargs grep -nE "$words" /dev/null |
		sed -E "s/^([^:]*:[0-9]+):.*/\1: $instead is the word/"
done)
[ -z "$found" ] || echo "$found"
[ -z "$found" ] && echo "lint: words: ok (${#files[@]} files)"
[ -z "$found" ]
