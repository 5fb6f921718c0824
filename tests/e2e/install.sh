#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# make install, into a folder.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

made() { # TARGET PREFIX
	make -C "$TOP" -s "$1" DESTDIR="$T/root" prefix="$2" >"$T/out" 2>"$T/err" ||
		fail "make $1 failed"
}

t_destdir() {
	made install /usr
	[ -x "$T/root/usr/bin/pmubpf" ] || [ -x "$T/root/usr/sbin/pmubpf" ] ||
		fail "no pmubpf in bin"
	(cd "$TOP/docs/man" && for p in *; do echo "man${p##*.}/$p"; done | sort) >"$T/pages"
	(cd "$T/root/usr/share/man" && find . -type f | sed 's|^\./||' | sort) >"$T/installed"
	cmp "$T/pages" "$T/installed" ||
		fail "not the pages of docs/man: $(tr '\n' ' ' <"$T/installed")"
}

t_uninstall() {
	made install /usr
	made uninstall /usr
	expect_eq "$(find "$T/root" -type f)" "" "files that are left"
}

t_installed_tool_works() {
	made install /usr
	PMUBPF=$(find "$T/root" -type f -name pmubpf -perm -u+x | head -n 1)
	(cd / && "$PMUBPF" record -e cpu-clock -o "$T/folded" -- "$WORKLOADS/recurse" 0.3) 2>"$T/err" ||
		fail "the installed tool does not record"
	expect_match "$T/folded" ';burn_leaf ' "names: the helper was found"
}

t_nothing_outside() {
	# Everything that is installed lies below DESTDIR/prefix.
	made install /opt/p
	expect_eq "$(cd "$T/root" && find . -type f ! -path './opt/p/*' | head -n 1)" "" \
		"outside of the prefix"
}

run_tests
