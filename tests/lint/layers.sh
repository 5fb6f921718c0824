#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The directory listing is the architecture diagram; this keeps its arrows: tests/lint/layers.sh
# [--table] [TOP].
#
# layers.txt says who may use whom. Prints each #include that it doesn't allow as FILE:LINE, what it
# allows and nobody uses, and whether the table in ARCHITECTURE.md is the one that is made of it;
# fails if there is anything.
# --table: prints that table.
set -u
want_table=0
[ "${1:-}" = --table ] && want_table=1 && shift
TOP=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
cd "$TOP" || exit 2
RULES=tests/lint/layers.txt

declare -A below used_folder used_header
folders=() singles=()
while IFS= read -r rule; do
	case $rule in
	"" | "#"*) ;;
	*" -> "*) singles+=("$rule") ;;
	*:*)
		folders+=("${rule%%:*}")
		below[${rule%%:*}]=${rule#*:}
		;;
	esac
done <$RULES

# As ARCHITECTURE.md has it.
table() {
	local folder other users rule
	echo "| folder of \`user/\` | may use | is used by |"
	echo "| --- | --- | --- |"
	for folder in "${folders[@]}"; do
		users=""
		for other in "${folders[@]}"; do
			[[ " ${below[$other]} " == *" $folder "* ]] && users+=" $other"
		done
		echo "| \`$folder\` |${below[$folder]:- –} |${users:- –} |"
	done
	echo
	echo "Besides, single files may use single headers:"
	echo
	for rule in "${singles[@]}"; do
		echo "- \`${rule%% -> *}\`: \`$(sed 's/.* -> //; s/:.*//' <<<"$rule")\`, ${rule#*: }"
	done
}

if [ "$want_table" = 1 ]; then
	table
	exit
fi

# FILE HEADER: whether a single arrow allows it.
allowed() {
	local rule file
	for rule in "${singles[@]}"; do
		file=${rule%% -> *}
		# shellcheck disable=SC2053 # it is a pattern
		if [[ $1 == user/$file && ${rule#* -> } == "$2: "* ]]; then
			used_header[$rule]=1
			return 0
		fi
	done
	return 1
}

bad=0
complain() { # FILE:LINE TEXT
	echo "$1: $2"
	bad=$((bad + 1))
}

# FILE:LINE:HEADER of each #include, with the delimiters.
includes() {
	grep -nEH '^[[:space:]]*#[[:space:]]*include' "$@" /dev/null |
		sed -E 's/^([^:]+:[0-9]+):[^<"]*([<"][^>"]*[>"]).*/\1 \2/'
}

check_user() { # FILE LINE HEADER (with its delimiters)
	local file=$1 at=$1:$2 header=${3:1:-1} folder=${1#user/} target
	folder=${folder%%/*}
	case $3 in
	"<bpf/"* | "<linux/bpf.h>" | "<linux/btf.h>")
		# puts what collect/ has loaded into programs, for it may have to wait
		[ "$file $3" = "user/opener/probes.c <linux/bpf.h>" ] && return
		[ "$folder" = collect ] || complain "$at" "$3: only collect/ uses libbpf and bpf(2)"
		return
		;;
	"<"*) return ;;
	esac
	case $header in
	pmubpf/*) return ;; # what bpf/ and user/ share
	collect/*.skel.h)
		[ "$folder" = collect ] || complain "$at" "$header: only collect/ loads programs"
		return
		;;
	*/*) ;;
	*)
		complain "$at" "\"$header\": write the folder too"
		return
		;;
	esac
	target=${header%%/*}
	[ "$target" = "$folder" ] && return
	if [[ " ${below[$folder]:-} " == *" $target "* ]]; then
		used_folder["$folder $target"]=1
	elif ! allowed "$file" "$header"; then
		complain "$at" "$folder/ must not include $header ($RULES)"
	fi
}

check_bpf() { # FILE LINE HEADER
	local file=$1 at=$1:$2 header=${3:1:-1}
	case $header in
	vmlinux.h | bpf/* | linux/* | std*.h)
		[ "$file" = bpf/lib/port.h ] ||
			complain "$at" "$header: only bpf/lib/port.h includes it"
		;;
	lib/* | pmubpf/*) ;;
	*) complain "$at" "$header: bpf/ includes lib/ and pmubpf/ only" ;;
	esac
}

for folder in user/*/; do
	compgen -G "$folder*.[ch]" >/dev/null || continue # user/html: a page's sources
	[ -v "below[$(basename "$folder")]" ] ||
		complain "$folder" "a folder that $RULES doesn't have"
done
while read -r at header; do
	case $at in
	user/*) check_user "${at%:*}" "${at##*:}" "$header" ;;
	bpf/*) check_bpf "${at%:*}" "${at##*:}" "$header" ;;
	include/*) [[ $header == '"pmubpf/'* ]] ||
		complain "$at" "$header: the shared records include nothing else" ;;
	esac
done < <(includes user/*/*.[ch] bpf/*.[ch] bpf/lib/*.h include/pmubpf/*.h)

# What it allows and nobody needs; and each folder uses what stands before it.
before=" "
for folder in "${folders[@]}"; do
	[ -d "user/$folder" ] || complain "$RULES" "there is no user/$folder"
	for target in ${below[$folder]}; do
		[ -v "used_folder[$folder $target]" ] ||
			complain "$RULES" "$folder uses nothing of $target (any more)"
		[[ $before == *" $target "* ]] ||
			complain "$RULES" "$folder uses $target, which stands behind it"
	done
	before+="$folder "
done
for rule in "${singles[@]}"; do
	[ -v "used_header[$rule]" ] || complain "$RULES" "nobody needs (any more): $rule"
done
diff <(sed -n '/^<!-- layers /,/^<!-- end /p' ARCHITECTURE.md | sed '1d;$d') <(table) >/dev/null ||
	complain ARCHITECTURE.md "its table of layers is not what tests/lint/layers.sh --table says"

# Only cmd/ talks to the user and ends the program. base/mem.c may end it (out of memory); the
# helper is a program of its own and may end itself; a forked child that can't exec has nowhere to
# return to.
talk='(^|[^[:alnum:]_>.])(printf|fprintf|vprintf|vfprintf|dprintf|puts|fputs|putchar|perror|err|errx|warn|warnx|exit|_exit|abort)\('
while IFS=: read -r file line text; do
	[[ $text =~ $talk ]] && call="${BASH_REMATCH[2]}("
	case "$file $call" in
	"user/cmd/"*) ;;
	"user/base/mem.c _exit(") ;;
	"user/base/hash.h abort(") ;;        # uthash's way out of memory, never reached
	"user/session/command.c _exit(") ;;  # the child that becomes COMMAND
	"user/session/runner_process.c _exit(") ;; # the child that becomes the user's program
	"user/sys/reexec.c _exit(") ;;       # the child that becomes a helper
	"user/opener/process.c _exit(") ;;   # an opener and its spawner
	"user/symd/"*" _exit(" | "user/symd/"*" exit(") ;;
	"user/render/"*" fputs(") ;;            # into the file that cmd/ opened
	*) complain "$file:$line" "${call%(}: only cmd/ prints and exits" ;;
	esac
done < <(grep -nE "$talk" user/*/*.[ch] | grep -vE '^[^:]+:[0-9]+:[[:space:]]*(/?\*|//)')

[ "$bad" -eq 0 ] && echo "lint: layers: ok" || echo "lint: layers: $bad wrong"
[ "$bad" -eq 0 ]
