#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The directory listing is the architecture diagram; this keeps its arrows: tests/lint/layers.sh [TOP].
#
#   base < sys < pmu, model < opener < proc < collect < sym < unwind < prof < out < session < cmd
#                                       proc < assemble < session
#
# A folder under user/ includes itself and what stands below it (pmu and model stand side by side:
# neither includes the other). The exceptions are listed in allowed() with their reason. Prints each
# arrow that points the wrong way as FILE:LINE, and fails if there is one.
set -u
TOP=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
cd "$TOP" || exit 2

# What each folder may include besides itself.
below() { # FOLDER
	case $1 in
	base) echo "" ;;
	sys) echo "base" ;;
	pmu | model) echo "base sys" ;;
	opener) echo "base sys" ;;
	proc) echo "base sys pmu model opener" ;;
	collect) echo "base sys pmu model opener proc" ;;
	sym) echo "base sys pmu model opener proc collect" ;;
	unwind) echo "base sys pmu model opener proc collect sym" ;;
	prof) echo "base sys pmu model opener proc collect sym unwind" ;;
	out) echo "base sys pmu model opener proc collect sym unwind prof" ;;
	# From records to a profile: no I/O, no libbpf; what it needs of the kernel side comes as functions.
	assemble) echo "base model proc" ;;
	session) echo "base sys pmu model opener proc collect sym unwind prof out assemble" ;;
	cmd) echo "base sys pmu model opener proc collect sym unwind prof out assemble session" ;;
	# The helper that reads untrusted files: nothing of the program that it protects.
	symd) echo "base" ;;
	*) return 1 ;;
	esac
}

# Single arrows that the order doesn't give: FILE HEADER.
allowed() {
	case "$1 $2" in
	"user/symd/"*" sym/reason.h") ;;     # the reasons travel over the protocol
	"user/symd/"*" sys/drop.h" | "user/symd/"*" sys/landlock.h") ;; # taking from oneself; these stand on base/ alone
	"user/sym/"*" symd/protocol.h" | "user/sym/"*" symd/fetch.h") ;; # and this is the protocol
	"user/assemble/"*" collect/decode.h") ;; # what a record is
	"user/assemble/"*" unwind/walk.h") ;;    # what a walk over a slice of stack finds
	"user/opener/"*" symd/protocol.h") ;; # how a packet travels, with a descriptor
	"user/opener/answer.c proc/container_name.h") ;; # what is asked of it
	"user/cmd/main.c symd/symd.h" | "user/cmd/main.c symd/fetch.h" | "user/cmd/main.c symd/protocol.h") ;; # the same executable, re-executed
	*) return 1 ;;
	esac
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
	local file=$1 at=$1:$2 header=${3:1:-1} folder target
	folder=$(cut -d/ -f2 <<<"$file")
	case $3 in
	"<bpf/"* | "<linux/bpf.h>" | "<linux/btf.h>")
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
	[[ " $(below "$folder") " == *" $target "* ]] && return
	allowed "$file" "$header" || complain "$at" "$folder/ must not include $header"
}

check_bpf() { # FILE LINE HEADER
	local file=$1 at=$1:$2 header=${3:1:-1}
	case $header in
	vmlinux.h | bpf/* | linux/* | std*.h)
		[ "$file" = bpf/lib/port.h ] || complain "$at" "$header: only bpf/lib/port.h includes it"
		;;
	lib/* | pmubpf/*) ;;
	*) complain "$at" "$header: bpf/ includes lib/ and pmubpf/ only" ;;
	esac
}

for folder in user/*/; do
	compgen -G "$folder*.[ch]" >/dev/null || continue # user/html: a page's sources
	below "$(basename "$folder")" >/dev/null ||
		complain "$folder" "a folder without a place in the order (tests/lint/layers.sh)"
done
while read -r at header; do
	case $at in
	user/*) check_user "${at%:*}" "${at##*:}" "$header" ;;
	bpf/*) check_bpf "${at%:*}" "${at##*:}" "$header" ;;
	include/*) [[ $header == '"pmubpf/'* ]] || complain "$at" "$header: the shared records include nothing else" ;;
	esac
done < <(includes user/*/*.[ch] bpf/*.[ch] bpf/lib/*.h include/pmubpf/*.h)

# Only cmd/ talks to the user and ends the program. base/mem.c may end it (out of memory); the helper is
# a program of its own and may end itself; a forked child that can't exec has nowhere to return to.
talk='(^|[^[:alnum:]_>.])(printf|fprintf|vprintf|vfprintf|dprintf|puts|fputs|putchar|perror|err|errx|warn|warnx|exit|_exit|abort)\('
while IFS=: read -r file line text; do
	call=$(grep -oE "$talk" <<<"$text" | head -n 1 | grep -oE '[a-z_]+\($')
	case "$file $call" in
	"user/cmd/"*) ;;
	"user/base/mem.c _exit(") ;;
	"user/base/hash.h abort(") ;;        # uthash's way out of memory, never reached
	"user/session/command.c _exit(") ;;  # the child that becomes COMMAND
	"user/sys/reexec.c _exit(") ;;       # the child that becomes a helper
	"user/opener/process.c _exit(") ;;   # an opener and its spawner
	"user/symd/"*" _exit(" | "user/symd/"*" exit(") ;;
	"user/out/"*" fputs(") ;;            # into the file that cmd/ opened
	*) complain "$file:$line" "${call%(}: only cmd/ prints and exits" ;;
	esac
done < <(grep -nE "$talk" user/*/*.[ch] | grep -vE '^[^:]+:[0-9]+:[[:space:]]*(/?\*|//)')

[ "$bad" -eq 0 ] && echo "lint: layers: ok" || echo "lint: layers: $bad wrong"
[ "$bad" -eq 0 ]
