#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# tests/vm/module.sh NAME SOURCE     builds a kernel module for a guest (see tests/vm/guests); prints
#                                    its path
#
# In a root of the kernel's own suite, with its headers and its compiler. Exit status: 0; 1 if it
# can't be built; 2 if the headers can't be had here. Environment: that of fetch.sh.
set -u -o pipefail
export LC_ALL=C

HERE=$(cd "$(dirname "$0")" && pwd)
name=$1 source=$2 module=$(basename "$2" .c)
root=$("$HERE/fetch.sh" headers "$name") || exit 2
build=$root/build/$module
read -ra cross <<<"$(cat "$root/cross" 2>/dev/null)"

die() {
	echo "vm: $*" >&2
	exit 1
}

build_it() {
	mkdir -p "$build" && cp "$source" "$build" && echo "obj-m := $module.o" >"$build/Makefile" || return
	# shellcheck disable=SC2016 # the inner shell's
	unshare -m sh -c 'mount --bind /dev "$0/dev" && mount -t proc proc "$0/proc" &&
		root=$0 headers=$1 module=$2 && shift 2 &&
		exec chroot "$root" env -i PATH=/usr/bin:/bin make -C "$headers" \
			M="/build/$module" "$@" modules' \
		"$root" "$(cat "$root/headers")" "$module" ${cross[@]+"${cross[@]}"} \
		>"$build/log" 2>&1
}

if ! cmp -s "$source" "$build/$module.c" || [ ! -e "$build/$module.ko" ]; then
	build_it || die "$name: $module can't be built: $(grep -m 1 error "$build/log" || tail -n 1 "$build/log")"
fi
echo "$build/$module.ko"
