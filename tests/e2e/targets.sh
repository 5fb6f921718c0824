#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Whom: processes, threads, CPUs, cgroups, and that nobody else is in the output.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"


t_pid_alone() {
	spawn "$WORKLOADS/recurse" 20
	spawn "$WORKLOADS/split" 20 >/dev/null
	pmb_ok record -e cpu-clock -p "$spawned" -d 0.5 -o "$T/folded"
	expect_no_match "$T/folded" '^recurse;' "another program"
	expect_match "$T/folded" '^split;' "the target"
}

# Servers leave the work to children.
t_a_process_that_does_nothing() {
	local parent
	spawn sh -c 'sleep 60 & sleep 61 & exec sleep 62'
	parent=$spawned
	until [ "$(wc -w <"/proc/$parent/task/$parent/children")" = 2 ]; do sleep 0.01; done
	pmb_ok record -e task-clock -p "$parent" -d 0.3 -o "$T/folded"
	read -r -a children <"/proc/$parent/task/$parent/children"
	expect_match "$T/err" "^  no sample of -p $parent; of its 2 children, there before, nothing\
 was recorded: -p ${children[0]},${children[1]}\$" "what is said of it"
	pmb_ok record -e task-clock -p "$parent,${children[0]}" -d 0.3 -o "$T/folded"
	expect_match "$T/err" "of its 1 child, there before, .*: -p ${children[1]}\$" \
		"what is said where one is named"
	kill "${children[@]}"
}

t_two_pids() {
	spawn "$WORKLOADS/recurse" 20
	local first=$spawned
	spawn "$WORKLOADS/split" 20 >/dev/null
	pmb_ok record -e cpu-clock -p "$first,$spawned" -d 0.5 -o "$T/folded" \
		--summary "$T/sum.json"
	expect_match "$T/folded" '^recurse;' "the first"
	expect_match "$T/folded" '^split;' "the second"
	expect_eq "$(sum_get '.command_line[.command_line | index("-p") + 1]')" "$first,$spawned" \
		"the list, as it was given"
	expect_ledger
}

t_pid_with_threads() {
	mkfifo "$T/go"
	sleep 60 >"$T/go" &
	SPAWNED+=($!)
	spawn "$WORKLOADS/threads" 1 hold <"$T/go" >"$T/tids"
	wait_until grep -q worker-d "$T/tids" || fail "no threads"
	pmb_start record -e cpu-clock -p "$spawned" -d 1.5 -o "$T/folded" --summary "$T/sum.json"
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

# /proc/PID shows neither mappings nor a root then; its other threads do.
first_thread_ended() { # COMMAND…
	spawn "$@" >"$T/tids"
	ended() { grep -q '^State:.Z' "/proc/$spawned/status"; }
	wait_until ended || fail "its first thread doesn't end"
	pmb_ok record -e cpu-clock -p "$spawned" -d 0.7 -o "$T/folded" --summary "$T/sum.json"
	local f
	for f in a b c; do
		expect_match "$T/folded" "^worker-$f;.*thread_body;spin_$f " "thread $f"
	done
	expect_le "$(folded_share "$T/folded" '\+0x|\[unknown\]')" 5 "percent without names"
	expect_ledger
}

t_first_thread_ended() {
	first_thread_ended "$WORKLOADS/threads" 30 leave
}

# Nor its mount namespace: what runs lies in a file system that is mounted there only.
t_first_thread_ended_elsewhere() {
	need_root
	need_program unshare
	# shellcheck disable=SC2016
	first_thread_ended unshare --mount sh -c 'mount -t tmpfs none "$1" &&
		cp "$2" "$1/threads" && exec "$1/threads" 30 leave' - "$T" "$WORKLOADS/threads"
}

t_one_thread() {
	mkfifo "$T/go"
	sleep 60 >"$T/go" &
	SPAWNED+=($!)
	spawn "$WORKLOADS/threads" 1 hold <"$T/go" >"$T/tids"
	wait_until grep -q worker-d "$T/tids" || fail "no threads"
	pmb_start record -e cpu-clock -t "$(awk '$2 == "worker-c" { print $3 }' "$T/tids")" -d 2 \
		-o "$T/folded"
	echo >"$T/go"
	pmb_finish
	expect_match "$T/folded" ';spin_c ' "the thread"
	expect_no_match "$T/folded" ';spin_[abd] ' "other threads"
}

t_threads_born_later() {
	# Created after the recording began: inherited.
	mkfifo "$T/go"
	spawn sh -c "read -r _ <'$T/go'; exec '$WORKLOADS/threads' 0.3" >/dev/null
	pmb_start record -e cpu-clock -p "$spawned" -d 60 -o "$T/folded"
	echo >"$T/go"
	pmb_finish
	expect_eq "$rc" 0 "exit status"
	expect_match "$T/folded" ';spin_a ' "a thread"
	expect_match "$T/folded" ';spin_d ' "a thread"
}

t_cpu() {
	[ "$(nproc)" -ge 2 ] || skip "one CPU only"
	spawn taskset -c 0 "$WORKLOADS/recurse" 20
	spawn taskset -c 1 "$WORKLOADS/split" 20 >/dev/null
	sleep 0.3
	pmb_ok record -C 1 -e cpu-clock -d 0.5 -o "$T/folded" --summary "$T/sum.json"
	expect_match "$T/folded" '^split;' "the program on CPU 1"
	expect_no_match "$T/folded" '^recurse;' "the program on CPU 0"
	expect_ledger
}

# Makes a cgroup below DIR, moves a split into it, starts another program outside, records.
record_cgroup() { # DIR
	local dir=$1/pmubpf-test-$$ inside
	mkdir "$dir" 2>/dev/null || skip "cannot make a cgroup in $1"
	later rmdir "$dir"
	[ ! -e "$dir/cpuset.cpus" ] ||
		{ cat "$1/cpuset.cpus" >"$dir/cpuset.cpus"; cat \
		"$1/cpuset.mems" >"$dir/cpuset.mems"; } 2>/dev/null
	mkdir "$dir/inner"
	later rmdir "$dir/inner"
	[ ! -e "$dir/cpuset.cpus" ] ||
		{ cat "$1/cpuset.cpus" >"$dir/inner/cpuset.cpus"; cat \
		"$1/cpuset.mems" >"$dir/inner/cpuset.mems"; } 2>/dev/null
	spawn "$WORKLOADS/recurse" 20
	spawn "$WORKLOADS/split" 20 >/dev/null
	inside=$spawned
	echo "$inside" >"$dir/cgroup.procs" || skip "cannot move a process into $dir"
	# A process of a cgroup below counts as well.
	spawn "$WORKLOADS/storm" 1000 2 >/dev/null
	echo "$spawned" >"$dir/inner/cgroup.procs" || skip "cannot move a process into $dir/inner"
	LATER+=("sleep 0.1") # the killed have to leave before rmdir
	pmb_ok record -G "$dir" -e cpu-clock -d 0.5 -o "$T/folded" --summary "$T/sum.json"
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
	pmb_ok record -e cpu-clock --no-inherit -p "$spawned" -d 0.5 -o "$T/folded"
	expect_match "$T/folded" ';parent_spin' "the parent"
	expect_no_match "$T/folded" ';child_spin' "a child"
}

t_all() {
	spawn "$WORKLOADS/recurse" 20
	spawn "$WORKLOADS/split" 20 >/dev/null
	pmb_ok record -a -e cpu-clock -d 0.5 -o "$T/folded"
	expect_match "$T/folded" '^recurse;' "one program"
	expect_match "$T/folded" '^split;' "another program"
}

# In a pid namespace of its own, with its own /proc: what it is given and what it shows are that
# namespace's numbers. SCRIPT sees $PMUBPF, $WORKLOADS, $T.
in_pid_namespace() { # SCRIPT
	need_root
	timeout 60 unshare --pid --fork --mount-proc bash -c "$1" >"$T/out" 2>"$T/err" </dev/null
	rc=$?
	expect_eq "$rc" 0 "exit status in a pid namespace"
}

t_nested_pid() {
	export T
	in_pid_namespace '"$WORKLOADS/split" 60 >/dev/null & p=$!
		echo $p >"$T/pid"
		"$PMUBPF" record -q -e cpu-clock -p $p -d 1 --by pid -o "$T/folded" -o "$T/p.pb.gz" --summary "$T/sum.json"'
	local pid
	pid=$(cat "$T/pid")
	expect_le "$pid" 50 "a number of the namespace"
	expect_no_match <(grep -v "^pid $pid;split;" "$T/folded") . \
		"another process, or its number outside"
	expect_share "$T/folded" hot70 70 ';hot[37]0'
	expect_ledger
	expect_eq "$(sum_get .stacks.user.outside)" 0 "outside"
	"$PMUBPF" report --by pid "$T/p.pb.gz" >"$T/report" 2>&1
	expect_match "$T/report" " $pid\$" "the number in the saved profile"
}

t_nested_tid_per_cpu() {
	export T
	in_pid_namespace 'mkfifo "$T/go"
		sleep 60 >"$T/go" &
		"$WORKLOADS/threads" 1 hold <"$T/go" >"$T/tids" &
		until grep -q worker-d "$T/tids"; do sleep 0.1; done
		tid=$(awk "\$2 == \"worker-c\" { print \$3 }" "$T/tids")
		(sleep 0.5; echo >"$T/go") &
		"$PMUBPF" record -q -e cpu-clock --per-cpu -t "$tid" -d 2 --by tid -o "$T/folded" --summary "$T/sum.json"'
	expect_match "$T/folded" "^tid $(awk '$2 == "worker-c" { print $3 }' "$T/tids");.*;spin_c " "the thread by its number"
	expect_no_match "$T/folded" ';spin_[abd] ' "other threads"
	expect_ledger
}

t_nested_command_with_children() {
	# The marks of targets follow forks by the namespace's numbers; JIT maps are named by them.
	export T
	in_pid_namespace '"$PMUBPF" record -q -e cpu-clock --by pid -o "$T/folded" --summary "$T/sum.json" -- \
		sh -c "\"$WORKLOADS/split\" 0.5 & \"$WORKLOADS/jit\" 0.5; wait"'
	expect_match "$T/folded" '^pid [0-9]+;split;.*;hot70 ' "a child"
	rm -f "/tmp/perf-$(sed -n 's/^pid \([0-9]*\);jit;.*/\1/p' "$T/folded" | head -n 1).map"
	expect_match "$T/folded" ';jit_loop_\[j\] ' \
		"code that /tmp/perf-PID.map names by its number there"
	expect_no_match "$T/folded" 'outside|^.no pid' "somebody else"
	expect_eq "$(grep -o '^pid [0-9]*' "$T/folded" | awk '$2 > 100' | wc -l)" 0 \
		"numbers from outside"
	expect_ledger
	jq -e '.stacks.user.complete > 0' "$T/sum.json" >/dev/null || fail "no whole stacks"
}

t_nested_all() {
	# Programs outside have names but no numbers, and their code is [outside]; nothing of the
	# weight is lost.
	export T
	spawn "$WORKLOADS/recurse" 60
	in_pid_namespace '"$WORKLOADS/split" 60 >/dev/null &
		"$PMUBPF" record -q -a -e cpu-clock -d 1 --by pid -o "$T/folded" --summary "$T/sum.json"'
	expect_match "$T/folded" '^\[no pid\];recurse;\[outside\] ' "a program outside"
	expect_no_match "$T/folded" ';dive(;| )' "a function of a program outside"
	expect_match "$T/folded" '^pid [0-9]+;split;.*;hot70 ' "the program inside"
	expect_ledger
	expect_lossless
	expect_ge "$(sum_get .stacks.user.outside)" 1 "outside, in the ledger"
}

t_foreign_proc() {
	need_root
	unshare --pid --fork "$PMUBPF" record -e cpu-clock -a -d 1 >"$T/out" 2>"$T/err" </dev/null
	expect_eq "$?" 3 "exit status"
	expect_match "$T/err" '/proc shows .* mount' "why, and what to do"
}

run_tests
