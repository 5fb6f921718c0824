# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A CPU that goes offline during a recording, and comes back.
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

CPU1=/sys/devices/system/cpu/cpu1/online

# One program on each CPU, for 9 s; CPU 1 is away from 2 s to 5 s. What it had counted by then counts, and the summary
# says from when on it wasn't sampled.
t_cpu_away() {
	[ -w $CPU1 ] || skip "a CPU can't be taken offline here"
	$W/split 30 >/dev/null &
	first=$!
	$W/split 30 >/dev/null &
	second=$!
	/vm/pmubpf record -a -e cpu-clock -d 9 -o $T/folded --summary $T/sum >$T/out 2>$T/err </dev/null &
	tool=$!
	sleep 3
	echo 0 >$CPU1 || fail "CPU 1 stays"
	sleep 2
	echo 1 >$CPU1
	wait $tool || fail "it ended with $?: $(head -n 1 $T/err)"
	kill $first $second
	cat $T/err
	cat $T/sum | head -150
	expect_ledger
}

run_tests
