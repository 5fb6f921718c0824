# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# CPUs that go offline during a recording, or come; and many that could come and don't.
#
# qemu: -smp 2,maxcpus=64
#
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

CPU1=/sys/devices/system/cpu/cpu1/online

t_memory_is_for_cpus_that_are_here() {
	grep -q 63 /sys/devices/system/cpu/possible ||
		skip "possible: $(cat /sys/devices/system/cpu/possible)"
	pmb_record -a -e cpu-clock -- $W/split 1
	note "2 of 64 possible CPUs: maps of $(sum_get map_bytes) bytes"
	# a ring for each of them would be 64 MB
	is "$(sum_get map_bytes) < 40000000" || fail "maps of $(sum_get map_bytes) bytes"
}

# Two busy programs, nine seconds; CPU 1 goes after three.
record_meanwhile() { # COMMAND…
	[ -w $CPU1 ] || skip "a CPU can't be taken offline here"
	$W/split 60 >/dev/null &
	first=$!
	$W/split 60 >/dev/null &
	second=$!
	/vm/pmubpf record -a -e cpu-clock -d 9 -o $T/folded --summary $T/sum >$T/out 2>$T/err \
		</dev/null &
	tool=$!
	until ls -l /proc/$tool/fd | grep -q perf_event; do
		kill -0 $tool || fail "it ended: $(head -n 1 $T/err)"
		sleep 0.2
	done
	sleep 3
	echo 0 >$CPU1 || fail "CPU 1 stays"
	"$@"
	wait $tool || fail "it ended with $?: $(head -n 1 $T/err)"
	kill $first $second
	echo 1 >$CPU1
}

# What it had counted until then counts; what it isn't sampled any more is said.
expect_told() {
	sed -n '1,8p' $T/err
	expect_ledger
	expect_eq "$(sum_get cpus_away)" 1 "CPUs that went"
	expect_ge "$(sum_get away_ns)" 2000000000 "ns without it"
	grep -q '1 CPU went offline meanwhile' $T/err || fail "the summary doesn't say so"
	expect_eq "$(folded_sum)" "$(sum_get weight)" "Σ of the folded file against the summary"
	expect_within "$(percent "$(sum_get ratio)")" 100 3 "percent of the counters in the weights"
	note "not watched: $(sum_get away_ns) ns; Σ/counter $(sum_get ratio)"
}

come_back() {
	sleep 2
	echo 1 >$CPU1
}

# The time without it is told, and it is sampled again: two busy programs on two CPUs.
t_cpu_comes_back() {
	record_meanwhile come_back
	expect_told
	expect_eq "$(sum_get cpus_came)" 1 "CPUs that came"
	# of nine seconds it was there for seven; the guest's clocks are coarse
	is "$(sum_get away_ns) < 4500000000" || fail "it was away for $(sum_get away_ns) ns"
}

t_cpu_stays_away() {
	record_meanwhile true
	expect_told
}

# One that isn't there at the start.
t_cpu_comes() {
	[ -w $CPU1 ] || skip "a CPU can't be taken offline here"
	echo 0 >$CPU1
	pmb_record -a -e cpu-clock -- sh -c "sleep 1; echo 1 >$CPU1; $W/split 3 & $W/split 3; wait"
	expect_ledger
	sed -n '1,9p' $T/err
	expect_eq "$(sum_get cpus_came)" 1 "CPUs that came"
	expect_eq "$(sum_get cpus_away)" 0 "CPUs that went"
	expect_eq "$(folded_sum)" "$(sum_get weight)" "Σ of the folded file against the summary"
	expect_within "$(percent "$(sum_get ratio)")" 100 3 "percent of the counters in the weights"
}

# And the next recording has it again.
t_cpu_is_here() {
	pmb_record -a -e cpu-clock -- $W/split 2
	expect_ledger
	expect_eq "$(sum_get cpus_away)" 0 "CPUs that went"
}

run_tests
