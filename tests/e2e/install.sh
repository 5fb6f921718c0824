#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# make install, into a folder.
# measures nothing
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

t_destdir() {
	make -C "$TOP" -s install DESTDIR="$T/root" prefix=/usr >"$T/out" 2>"$T/err" || fail "make install failed"
	[ -x "$T/root/usr/bin/pmubpf" ] || [ -x "$T/root/usr/sbin/pmubpf" ] || fail "no pmubpf in bin"
	find "$T/root" -name 'pmubpf*.1*' -o -name 'pmubpf*.8*' | grep -q . || fail "no man page"
}

t_installed_tool_works() {
	make -C "$TOP" -s install DESTDIR="$T/root" prefix=/usr >"$T/out" 2>"$T/err" || fail "make install failed"
	PMUBPF=$(find "$T/root" -type f -name pmubpf -perm -u+x | head -n 1)
	(cd / && "$PMUBPF" record -e cpu-clock -o "$T/folded" -- "$WORKLOADS/recurse" 1) 2>"$T/err" ||
		fail "the installed tool does not record"
	expect_match "$T/folded" ';burn_leaf ' "names: the helper was found"
}

t_nothing_outside() {
	# Everything that is installed lies below DESTDIR/prefix.
	make -C "$TOP" -s install DESTDIR="$T/root" prefix=/opt/p >"$T/out" 2>"$T/err" || fail "make install failed"
	expect_eq "$(cd "$T/root" && find . -type f ! -path './opt/p/*' | head -n 1)" "" "outside of the prefix"
}

run_tests
