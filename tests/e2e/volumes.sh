#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Volumes that programs ran from: they can be unmounted while a recording goes on, when those have
# gone.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# The test again, in a mount namespace of its own, with a tmpfs at $T/volume.
with_volume() { # FUNCTION
	need_root
	mkdir -p "$T/volume"
	unshare -m true 2>/dev/null || skip "no mounts of one's own here"
	export T
	export -f "$1" record_until
	unshare -m bash -c 'mount -t tmpfs none "$T/volume" && "$0"' "$1" ||
		fail "$(cat "$T/reason" 2>/dev/null || echo "the volume stays")"
}

# Records while the program runs there, and tries the commands in between until they exit with 42.
# To them $1 is $T, the others follow.
record_until() { # COMMANDS [ARG…]
	"$PMUBPF" record -a --budget 0 -e cpu-clock -o "$T/folded" \
		--summary "$T/sum.json" -- sh -c '
		"$1/volume/onvolume" 0.5
		for i in $(seq 100); do
			sleep 0.2
			'"$1"'
		done' - "$T" "${@:2}" >"$T/out" 2>"$T/err" </dev/null
	echo $? >"$T/status"
}

# Until the volume can be unmounted.
unmount_meanwhile() {
	cp "$WORKLOADS/split" "$T/volume/onvolume"
	record_until '! umount "$1/volume" 2>/dev/null || exit 42'
}

t_a_volume_is_unmounted_meanwhile() {
	with_volume unmount_meanwhile
	expect_eq "$(cat "$T/status")" 42 "exit status, of who unmounts"
	rc=0 expect_ledger
	# the names were learnt of a copy
	expect_match "$T/folded" '^onvolume;.*;main;.*hot70' "stacks of the program that ran there"
}

# On a loop device, which whoever unmounts wants back: it can be detached at once. (Where it is busy
# the kernel takes the wish, and keeps the file.)
detach_meanwhile() {
	local device
	truncate -s 16M "$T/image" && mkfs.ext4 -q "$T/image" >/dev/null 2>&1 &&
		device=$(losetup -f --show "$T/image") && echo "$device" >"$T/device" &&
		mount "$device" "$T/volume" || { echo 77 >"$T/status" && return; }
	cp "$WORKLOADS/split" "$T/volume/onvolume"
	record_until '
		umount "$1/volume" 2>/dev/null || continue
		losetup -d "$2"
		[ -n "$(losetup -j "$1/image")" ] || exit 42' "$device"
}

t_a_loop_device_is_detached_meanwhile() {
	need_program mkfs.ext4
	need_program losetup
	# shellcheck disable=SC2016 # when the test has ended
	later sh -c 'losetup -d "$(cat "$1/device")" 2>/dev/null' - "$T"
	with_volume detach_meanwhile
	[ "$(cat "$T/status")" != 77 ] || skip "no loop device here"
	expect_eq "$(cat "$T/status")" 42 "exit status, of who detaches"
	rc=0 expect_ledger
	expect_match "$T/folded" '^onvolume;.*;main;.*hot70' "stacks of the program that ran there"
}

# Two volumes, with another program each under the same name and inode; so large that nobody
# copies it.
replace_meanwhile() {
	local v
	mkdir -p "$T/other"
	mount -t tmpfs none "$T/other"
	cp "$WORKLOADS/split" "$T/volume/onvolume"
	objcopy --redefine-sym hot70=imposter "$WORKLOADS/split" "$T/other/onvolume"
	for v in volume other; do truncate -s 20M "$T/$v/onvolume"; done
	stat -c '%i %d' "$T/volume/onvolume" "$T/other/onvolume" >"$T/numbers"
	record_until '
		umount "$1/volume" 2>/dev/null || continue
		mount --move "$1/other" "$1/volume" &&
			cat "$1/volume/onvolume" >/dev/null && exit 42'
}

t_a_volume_with_the_same_numbers() {
	need_program objcopy
	with_volume replace_meanwhile
	expect_eq "$(cat "$T/status")" 42 "exit status, of who replaces"
	awk '{ i[NR] = $1; d[NR] = $2 } END { exit !(i[1] == i[2] && d[1] != d[2]) }' \
		"$T/numbers" ||
		skip "other inodes: $(tr '\n' ' ' <"$T/numbers")"
	expect_match "$T/folded" '^onvolume;' "samples of the program that ran there"
	expect_no_match "$T/folded" 'imposter' "names of another's file"
	expect_match "$T/folded" '^onvolume;(.*;)?\[onvolume\]' "without a name"
}

run_tests
