#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# CPUs that the kernel says are possible, are here, or come: as it would say them, in files that lie
# over its own.
# What becomes of real ones is in tests/vm/guest/hotplug.sh.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

CPU_DIR=/sys/devices/system/cpu

# A recording to which the kernel says what lies in $T/possible and $T/online, as far as they are
# there.
record_where() { # ARG…
	unshare -m sh -c 'for f in possible online; do
			[ ! -e "$1/$f" ] || mount --bind "$1/$f" '$CPU_DIR'/$f || exit 99
		done; shift; exec "$@"' - "$T" "$PMUBPF" record -o "$T/folded" --summary "$T/sum.json" "$@" \
		>"$T/out" 2>"$T/err" </dev/null
	rc=$?
	[ $rc != 99 ] || skip "no mounts of one's own here"
}

t_memory_is_for_cpus_that_are_here() {
	local here
	need_root
	record_where -e cpu-clock -- "$WORKLOADS/split" 0.2
	expect_eq "$rc" 0 "exit status"
	here=$(sum_get .cost.map_bytes)
	echo 0-1023 >"$T/possible"
	record_where -e cpu-clock -- "$WORKLOADS/split" 0.2
	expect_ledger
	expect_le "$(sum_get .cost.map_bytes)" $((here + (4 << 20))) \
		"bytes of maps, of 1,024 possible CPUs"
}

# As if CPU 1 came meanwhile: the kernel's own files say so, and a program waits there.
t_a_cpu_that_comes_is_sampled() {
	need_root
	[ "$(cat $CPU_DIR/online)" = 0-1 ] || skip "other CPUs than 0 and 1: $(cat $CPU_DIR/online)"
	echo 0 >"$T/online"
	spawn taskset -c 1 "$WORKLOADS/split" 60
	record_where -a --budget 0 --label cpu -e cpu-clock -o "$T/p.pb.gz" -- sh -c 'sleep 1; echo 0-1 >"$0"; sleep 2' "$T/online"
	expect_ledger
	expect_eq "$(sum_get '.events[0].cpus_came')" 1 "CPUs that came"
	expect_eq "$(sum_get '.events[0].cpus_away')" 0 "CPUs that went"
	"$PMUBPF" report --by cpu "$T/p.pb.gz" >"$T/report"
	expect_match "$T/report" ' 1$' "CPU 1"
	expect_match "$T/report" ' 0$' "CPU 0"
}

# It is in no list of those to sample, but what is followed runs there: its samples have a ring to
# go to.
t_a_thread_goes_on_where_a_cpu_came() {
	need_root
	[ "$(cat $CPU_DIR/online)" = 0-1 ] || skip "other CPUs than 0 and 1: $(cat $CPU_DIR/online)"
	echo 0 >"$T/online"
	record_where --budget 0 --label cpu -e cpu-clock -o "$T/p.pb.gz" -- \
		taskset -c 1 sh -c 'sleep 0.3; echo 0-1 >"$0"; sleep 0.5; exec "$1" 1' "$T/online" "$WORKLOADS/split"
	expect_ledger
	"$PMUBPF" report --by cpu "$T/p.pb.gz" >"$T/report"
	expect_match "$T/report" ' 1$' "CPU 1"
}

# Two threads of one core, as the kernel would say it: samples of both are that core's.
t_cores_and_nodes_of_samples() {
	local both='taskset -c 0 "$0" 0.2 & taskset -c 1 "$0" 0.2; wait'
	need_root
	[ "$(cat $CPU_DIR/online)" = 0-1 ] || skip "other CPUs than 0 and 1: $(cat $CPU_DIR/online)"
	mkdir "$T/topology"
	echo 3 >"$T/topology/physical_package_id"
	echo 14 >"$T/topology/core_id"
	unshare -m sh -c 'for cpu in 0 1; do
			mount --bind "$1" '$CPU_DIR'/cpu$cpu/topology || exit 99
		done; shift; exec "$@"' - "$T/topology" \
		"$PMUBPF" record -q -a --label core -e cpu-clock -o "$T/p.pb.gz" -- \
		sh -c "$both" "$WORKLOADS/split" >"$T/out" 2>"$T/err" ||
		fail "recording: $(cat "$T/err")"
	pmb_ok report --by core,cpu --csv "$T/p.pb.gz"
	expect_eq "$(grep -c '^1,core,core 3:14,' "$T/out")" 1 "rows of the core"
	expect_match "$T/out" '^2,cpu,0,' "CPU 0, of it"
	expect_match "$T/out" '^2,cpu,1,' "CPU 1, of it"
	[ ! -e $CPU_DIR/cpu0/node0 ] || {
		pmb_ok report --by numa_node --csv "$T/p.pb.gz"
		expect_no_match "$T/out" 'no numa_node' "samples without a node"
		expect_match "$T/out" '^1,numa_node,0,' "node 0"
	}
	pmb_ok report --folded --by core_type "$T/p.pb.gz"
	expect_match "$T/out" '^\[no core_type\];' "cores that are all alike"
}

# CPU 1 has one, as the kernel would say it; CPU 0 whatever it has.
t_governors_of_samples() {
	local both='taskset -c 0 "$0" 0.2 & taskset -c 1 "$0" 0.2; wait'
	need_root
	[ "$(cat $CPU_DIR/online)" = 0-1 ] || skip "other CPUs than 0 and 1: $(cat $CPU_DIR/online)"
	mkdir -p "$T/cpu1/cpufreq"
	echo of-a-test >"$T/cpu1/cpufreq/scaling_governor"
	unshare -m sh -c 'mount --bind "$1" '$CPU_DIR'/cpu1 || exit 99; shift; exec "$@"' - \
		"$T/cpu1" "$PMUBPF" record -q -a --label cpu -e cpu-clock -o "$T/p.pb.gz" -- \
		sh -c "$both" "$WORKLOADS/split" >"$T/out" 2>"$T/err" ||
		fail "recording: $(cat "$T/err")"
	pmb_ok report --by governor,cpu --csv "$T/p.pb.gz"
	expect_match "$T/out" '^1,governor,of-a-test,' "its governor"
	expect_eq "$(sed -n '/^1,governor,of-a-test,/,/^1,/p' "$T/out" | grep '^2' |
		cut -d , -f 3)" 1 "CPUs that have it"
	pmb_ok report "$T/p.pb.gz"
	expect_match "$T/out" 'governors? .*of-a-test' "it in the header"
}

run_tests
