#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Prints the path of a bpftool that works. Ubuntu's /usr/sbin/bpftool is a wrapper that refuses to
# run on a kernel whose linux-tools package isn't installed; the real ones lie beside it, one per
# kernel, and any of them will do for generating skeletons. $BPFTOOL comes first.
set -u

works() {
	[ -x "$1" ] && "$1" version >/dev/null 2>&1
}

PATH=$PATH:/usr/sbin:/sbin:/usr/local/sbin
for tool in "${BPFTOOL:-}" "$(command -v bpftool)" \
	/usr/lib/linux-tools/*/bpftool /usr/lib/linux-tools-*/bpftool; do
	if [ -n "$tool" ] && works "$tool"; then
		echo "$tool"
		exit 0
	fi
done
echo "no bpftool that works: install it (make deps does: Debian bpftool, Ubuntu linux-tools-generic)" >&2
exit 1
