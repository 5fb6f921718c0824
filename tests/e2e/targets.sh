#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Whom: processes, threads, CPUs, cgroups, and that nobody else is in the output.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

MEASURED='two_pids pid_with_threads one_thread cpu'

t_pid_alone() {
	spawn "$WORKLOADS/recurse" 20
	spawn "$WORKLOADS/split" 20 >/dev/null
	pmb_ok record -e cpu-clock -p "$spawned" -d 1 -o "$T/folded"
	expect_no_match "$T/folded" '^recurse;' "another program"
	expect_match "$T/folded" '^split;' "the target"
}

t_two_pids() {
	spawn "$WORKLOADS/recurse" 20
	local first=$spawned
	spawn "$WORKLOADS/split" 20 >/dev/null
	pmb_ok record -e cpu-clock -p "$first,$spawned" -d 1 -o "$T/folded" --summary "$T/sum.json"
	expect_match "$T/folded" '^recurse;' "the first"
	expect_match "$T/folded" '^split;' "the second"
	expect_ledger
}

t_pid_with_threads() {
	mkfifo "$T/go"
	sleep 60 >"$T/go" &
	SPAWNED+=($!)
	spawn "$WORKLOADS/threads" 3 hold <"$T/go" >"$T/tids"
	wait_until grep -q worker-d "$T/tids" || fail "no threads"
	pmb_start record -e cpu-clock -p "$spawned" -d 3 -o "$T/folded" --summary "$T/sum.json"
	echo >"$T/go"
	pmb_finish
	expect_eq "$rc" 0 "exit status"
	local f
	for f in a b c d; do
		expect_match "$T/folded" "^worker-$f;.*;spin_$f " "thread $f"
	done
	expect_ledger
	expect_lossless
}

t_one_thread() {
	mkfifo "$T/go"
	sleep 60 >"$T/go" &
	SPAWNED+=($!)
	spawn "$WORKLOADS/threads" 3 hold <"$T/go" >"$T/tids"
	wait_until grep -q worker-d "$T/tids" || fail "no threads"
	pmb_start record -e cpu-clock -t "$(awk '$2 == "worker-c" { print $3 }' "$T/tids")" -d 2 -o "$T/folded"
	echo >"$T/go"
	pmb_finish
	expect_match "$T/folded" ';spin_c ' "the thread"
	expect_no_match "$T/folded" ';spin_[abd] ' "other threads"
}

t_threads_born_later() {
	# Created after the recording began: inherited.
	spawn sh -c "sleep 1; exec '$WORKLOADS/threads' 1" >/dev/null
	pmb_ok record -e cpu-clock -p "$spawned" -d 8 -o "$T/folded"
	expect_match "$T/folded" ';spin_a ' "a thread"
	expect_match "$T/folded" ';spin_d ' "a thread"
}

t_cpu() {
	[ "$(nproc)" -ge 2 ] || skip "one CPU only"
	spawn taskset -c 0 "$WORKLOADS/recurse" 20
	spawn taskset -c 1 "$WORKLOADS/split" 20 >/dev/null
	sleep 0.3
	pmb_ok record -C 1 -e cpu-clock -d 1 -o "$T/folded" --summary "$T/sum.json"
	expect_match "$T/folded" '^split;' "the program on CPU 1"
	expect_no_match "$T/folded" '^recurse;' "the program on CPU 0"
	expect_ledger
}

# Makes a cgroup below DIR, moves a split into it, starts another program outside, records.
record_cgroup() { # DIR
	local dir=$1/pmubpf-test-$$ inside
	mkdir "$dir" 2>/dev/null || skip "cannot make a cgroup in $1"
	later rmdir "$dir"
	[ ! -e "$dir/cpuset.cpus" ] || { cat "$1/cpuset.cpus" >"$dir/cpuset.cpus"; cat "$1/cpuset.mems" >"$dir/cpuset.mems"; } 2>/dev/null
	mkdir "$dir/inner"
	later rmdir "$dir/inner"
	[ ! -e "$dir/cpuset.cpus" ] || { cat "$1/cpuset.cpus" >"$dir/inner/cpuset.cpus"; cat "$1/cpuset.mems" >"$dir/inner/cpuset.mems"; } 2>/dev/null
	spawn "$WORKLOADS/recurse" 20
	spawn "$WORKLOADS/split" 20 >/dev/null
	inside=$spawned
	echo "$inside" >"$dir/cgroup.procs" || skip "cannot move a process into $dir"
	# A process of a cgroup below counts as well.
	spawn "$WORKLOADS/storm" 1000 2 >/dev/null
	echo "$spawned" >"$dir/inner/cgroup.procs" || skip "cannot move a process into $dir/inner"
	LATER+=("sleep 0.1") # the killed have to leave before rmdir
	pmb_ok record -G "$dir" -e cpu-clock -d 2 -o "$T/folded" --summary "$T/sum.json"
	expect_match "$T/folded" '^split;.*;hot70' "the program in the cgroup"
	expect_match "$T/folded" ';parent_spin' "the program in the cgroup below"
	expect_match "$T/folded" ';child_spin' "its children"
	expect_no_match "$T/folded" '^recurse;' "a program outside"
	expect_ledger
	expect_ge "$(sum_filtered)" 1 "filtered: the program outside"
}

t_cgroup_v2() {
	need_root
	local dir
	dir=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$dir" ] || skip "no cgroup v2 tree is mounted"
	record_cgroup "$dir"
}

t_cgroup_v1() {
	need_root
	local dir
	dir=$(awk '$3 == "cgroup" && $4 ~ /(^|,)(perf_event|cpuacct|pids|freezer)(,|$)/ { print $2; exit }' /proc/mounts)
	[ -n "$dir" ] || skip "no cgroup v1 controller is mounted"
	record_cgroup "$dir"
}

t_cgroup_v1_every_controller() {
	need_root
	local dir n=0
	for dir in $(awk '$3 == "cgroup" && $4 !~ /name=/ { print $2 }' /proc/mounts); do
		mkdir "$dir/pmubpf-test-$$" 2>/dev/null || continue
		later rmdir "$dir/pmubpf-test-$$"
		pmb record -G "$dir/pmubpf-test-$$" -e cpu-clock -d 0.2 -o "$T/folded"
		expect_eq "$rc" 0 "exit status of -G in $dir"
		n=$((n + 1))
	done
	[ "$n" -gt 0 ] || skip "no cgroup v1 controller is mounted"
}

t_no_inherit_of_a_pid() {
	spawn "$WORKLOADS/storm" 2000 5 >/dev/null
	pmb_ok record -e cpu-clock --no-inherit -p "$spawned" -d 1 -o "$T/folded"
	expect_match "$T/folded" ';parent_spin' "the parent"
	expect_no_match "$T/folded" ';child_spin' "a child"
}

t_all() {
	spawn "$WORKLOADS/recurse" 20
	spawn "$WORKLOADS/split" 20 >/dev/null
	pmb_ok record -a -e cpu-clock -d 1 -o "$T/folded"
	expect_match "$T/folded" '^recurse;' "one program"
	expect_match "$T/folded" '^split;' "another program"
}

run_tests
