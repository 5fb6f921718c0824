#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# One page from its parts: mk/page.sh DIR page.html style.css FILE.js… writes DIR/head.html and
# DIR/tail.html, what comes before and after the line @DATA@ of page.html. @STYLE@ and @SCRIPT@ are
# lines of it, too; @STYLE_HASH@ and @SCRIPT_HASH@ are what the page's policy allows to run: these
# bytes and no others.
set -eu -o pipefail
export LC_ALL=C

dir=$1 page=$2 style=$3
shift 3
mkdir -p "$dir"
trap 'rm -f "$dir"/*.tmp' EXIT

hash_of() { # FILE
	local hex
	hex=$(sha256sum "$1" | cut -c -64)
	# shellcheck disable=SC2059 # bytes, from hex
	printf "$(sed 's/../\\x&/g' <<<"$hex")" | base64
}

{ echo; cat "$style"; } >"$dir/style.tmp"
{ printf '\n"use strict";\n'; cat "$@"; } >"$dir/script.tmp"
if grep -qi '</\(script\|style\)' "$dir/style.tmp" "$dir/script.tmp"; then
	echo "mk/page.sh: a part of the page would end its element" >&2
	exit 1
fi
style_hash=$(hash_of "$dir/style.tmp") script_hash=$(hash_of "$dir/script.tmp")

to=$dir/head.html.tmp
: >"$to"
while IFS= read -r line; do
	case $line in
	@STYLE@) { printf '<style>' && cat "$dir/style.tmp" && echo '</style>'; } >>"$to" ;;
	@SCRIPT@) { printf '<script>' && cat "$dir/script.tmp" && echo '</script>'; } >>"$to" ;;
	@DATA@)
		printf '<script type="text/plain" id="data">' >>"$to"
		to=$dir/tail.html.tmp
		echo '</script>' >"$to"
		;;
	*)
		line=${line//@STYLE_HASH@/$style_hash}
		printf '%s\n' "${line//@SCRIPT_HASH@/$script_hash}" >>"$to"
		;;
	esac
done <"$page"
mv "$dir/head.html.tmp" "$dir/head.html"
mv "$dir/tail.html.tmp" "$dir/tail.html"
