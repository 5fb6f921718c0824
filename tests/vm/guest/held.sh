# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A target that has its own memory's lock for a minute, as one that maps a file of a server that
# doesn't answer: whoever looks at its mappings waits, and so does the kernel where a probe comes or
# goes. Only a module of the kernel does that at a time of one's choice (tests/vm/pmu/held_lock.c).
# module: held_lock
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

# A minute is longer than anything takes here. AFTER: seconds until then.
start_target() { # AFTER
	[ -e /vm/held_lock.ko ] || skip "the kernel's headers can't be had here"
	[ -e /proc/held_lock ] || insmod /vm/held_lock.ko || fail "the module can't be loaded"
	until [ "$(cat /proc/held_lock)" = 0 ]; do sleep 1; done
	cp $W/holds $T/holds
	$T/holds 300 /proc/held_lock 60000 "$1" >/dev/null & target=$!
}

wait_until_held() {
	local i=0
	until [ "$(cat /proc/held_lock)" = 1 ]; do
		[ $i -lt 1000 ] || fail "nobody takes the lock"
		i=$((i + 1))
		sleep 0.1
	done
}

# Builtins alone: while the kernel waits for such a lock nobody can fork.
look() {
	read -r held </proc/held_lock
	read -r uptime _ </proc/uptime
}

# Its lock was still held at the last look: nothing has waited for it.
expect_held() { # WHAT SINCE
	expect_eq "$held" 1 "locks that are held when $1"
	figure "$1 after $(awk "BEGIN { print $uptime - $2 }") s"
}

t_held_before() {
	local status before held uptime
	[ "$(uname -m)" = x86_64 ] || skip "probes are put into x86-64 programs only"
	start_target 0
	wait_until_held
	look
	before=$uptime
	pmb stat --per u:$T/holds:handle -e page-faults -p $target -d 1 -o $T/table
	status=$?
	look
	expect_held "a probe is given up" $before
	expect_eq $status 3 "exit status: $(head -n 1 $T/err)"
	grep -qE "no probe was put into .*a process that has it mapped|let go of the lock" $T/err ||
		fail "what is said: $(head -n 2 $T/err)"
	kill -9 $target
}

t_windows_without_probes_of_one_held() {
	local before held uptime
	start_target 0
	wait_until_held
	look
	before=$uptime
	pmb_record -e cpu-clock --window loop -p $target -d 1
	look
	expect_held "windows without probes end" $before
	kill -9 $target
}

t_held_amid() {
	local before held uptime
	[ "$(uname -m)" = x86_64 ] || skip "probes are put into x86-64 programs only"
	start_target 30
	/vm/pmubpf record --budget 0 -e cpu-clock --window u:$T/holds:handle -p $target \
		-o $T/folded --summary $T/sum >$T/out 2>$T/err </dev/null & tool=$!
	wait_until_held
	look
	before=$uptime
	kill -INT $tool
	wait $tool
	status=$?
	look
	expect_held "a recording with probes ends" $before
	expect_eq $status 0 "exit status: $(head -n 2 $T/err)"
	expect_ge "$(sum_get ended)" 1 "windows"
	grep -q 'a program holds up that probes are taken out of it' $T/err ||
		fail "what is said: $(head -n 3 $T/err)"
	kill -9 $target
}

run_tests
