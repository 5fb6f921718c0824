#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2034
# bcc's profile, which compiles when it starts: it needs a kernel's headers, of any kernel for this
# program.
have() {
	local headers
	command -v profile-bpfcc >/dev/null || { echo 'no profile-bpfcc (bpfcc-tools)'; return; }
	[ -d "/lib/modules/$(uname -r)/build" ] && return
	# Debian has a kernel's headers in two trees, and bcc looks into one
	headers=$(ls -d /usr/src/linux-headers-*-common 2>/dev/null | tail -n 1)
	[ -n "$headers" ] || { echo 'no headers of a kernel (linux-headers)'; return; }
	export BCC_KERNEL_SOURCE=$T/headers
	if [ ! -d "$T/headers" ]; then
		mkdir "$T/headers"
		cp -rs "$headers"/. "${headers%common}$(dpkg --print-architecture)"/. "$T/headers" 2>/dev/null
	fi
}
UNIT=1
RECORD='exec profile-bpfcc -f -F "$RATE" --stack-storage-size 131072 >"$OUT" 2>/dev/null'
FOLD=''
felt_ways() { way bcc clock 'exec profile-bpfcc -f -F "$FELT_HZ"'; }
