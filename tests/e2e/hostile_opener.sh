#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Programs that make whoever looks at them wait: they hold a lock of theirs by a file system whose
# server doesn't answer (tests/workloads/fusehang.c). The recording ends on time all the same, and
# all others have their names.
#
# Nothing here may look into /proc/PID of such a program: ps and pgrep would wait as well.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# Far above what it takes, far below a hang.
END_S=45 # with a hang it is for ever
SIGNAL_S=20
# Between two looks at signals and the clock, without what was waited for a CPU.
LONGEST_S=0.2

# fusehang in $T, by another user; its pid is in $attacker.
attack() { # CHILDREN MS
	need_root
	need_program setpriv
	mknod -m 666 "$T/fuse" c 10 229 || skip "no device can be made here"
	mkdir -m 777 "$T/mount"
	cp "$WORKLOADS/fusehang" "$T/fusehang"
	FUSE=$T/fuse spawn setpriv --reuid 65534 --regid 65534 --clear-groups "$T/fusehang" \
		exec "$T/mount" "$@" \
		>"$T/attack" 2>&1
	attacker=$spawned
	wait_until grep -q . "$T/attack" || fail "the attack doesn't start"
	grep -q ready "$T/attack" || skip "no such attack here: $(head -n 1 "$T/attack")"
}

# Ends by itself, and the books balance.
expect_unmoved() { # SECONDS
	expect_eq "$rc" 0 "exit status"
	expect_le "$1" "$END_S" "seconds until it ended"
	expect_looks "$LONGEST_S"
	expect_ledger
}

# Records, whatever becomes of it: one in D state can't be waited for. Meanwhile it waits for
# nothing that the hostile ones have a hand in.
record() { # OPTION…
	local began=$SECONDS nap stack=()
	local waits='fuse_|mm_access|proc_pid_|proc_map_files_|rwsem_down'
	: >"$T/waited"
	[ -p "$T/nap" ] || mkfifo "$T/nap"
	exec {nap}<>"$T/nap"
	pmb_start record -e cpu-clock --summary "$T/sum.json" -o "$T/folded" "$@"
	# fifty times a second: nothing is started for it
	until gone "$tool" || ((SECONDS - began > END_S)); do
		{ mapfile -t stack <"/proc/$tool/stack"; } 2>/dev/null
		[[ ! ${stack[*]} =~ $waits ]] || echo "${stack[*]}" >>"$T/waited"
		read -r -t 0.02 -u "$nap"
	done
	exec {nap}>&-
	gone "$tool" || {
		kill -KILL "$attacker"
		fail "still there after $((SECONDS - began)) s"
	}
	pmb_finish
	took=$((SECONDS - began))
	expect_eq "$(sort -u "$T/waited" | head -n 3)" "" "where the main process was seen to wait"
}

gone() { # PID
	local state=''
	{ read -r _ _ state _ <"/proc/$1/stat"; } 2>/dev/null
	[ -z "$state" ] || [ "$state" = Z ]
}

# The first of its children is the server; each other one begins when the one before hangs. (Who
# reads /proc/PID/stat of one hangs, too.)
some_hang() {
	[ "$(wc -w <"/proc/$attacker/task/$attacker/children")" -ge 5 ]
}

# The kernel would wait for the server with every fork of the host held up. Here it answers, for
# whoever broke this would otherwise never see the test end.
t_no_probe_of_what_a_process_serves() {
	local file=$T/mount/file0 option
	need_root
	need_x86_64
	mkdir "$T/mount"
	spawn unshare -m "$WORKLOADS/fusehang" serve "$T/mount" "$WORKLOADS/marks" 100000000 7 1
	attacker=$spawned
	wait_until test -e "/proc/$attacker/root$file" || skip "no FUSE here"
	for option in u:$file:one_unit u:$file:one_unit..u:$file:move_to; do
		pmb record -e cpu-clock -o "$T/folded" --window "$option" -p "$attacker" -d 2
		expect_eq "$rc" 3 "exit status"
		expect_match "$T/err" "no probe is put into $file, which a process serves" "why"
	done
}

t_exec_that_never_ends() {
	spawn "$WORKLOADS/inlined" 60
	attack 200 60
	wait_until some_hang || fail "none hangs in its exec"
	record -a -d 2
	expect_unmoved "$took"
	expect_ge "$(folded_sum_of "$T/folded" '^inlined;.*;main;work;leaf_spin$')" 1 \
		"names of an innocent program"
	expect_ge "$(folded_sum_of "$T/folded" '^fusehang;')" 1 "samples of the hostile one"
	expect_ge "$(sum_get .opener.late)" 1 "answers that were given up"
}

t_exec_under_observation() {
	attack 60 60
	record -p "$attacker" -d 2
	expect_unmoved "$took"
	expect_ge "$(folded_sum_of "$T/folded" '^fusehang;')" 1 "samples of the hostile one"
}

t_signals_are_answered() {
	local began
	attack 200 60
	pmb_start record -a -e cpu-clock --summary "$T/sum.json" -o "$T/folded"
	sleep 1.5
	began=$SECONDS
	kill -TERM "$tool"
	wait_until gone "$tool" || {
		kill -KILL "$attacker"
		fail "still there $((SECONDS - began)) s after SIGTERM"
	}
	expect_le "$((SECONDS - began))" "$SIGNAL_S" "seconds after SIGTERM"
	pmb_finish
	expect_eq "$rc" 0 "exit status"
	expect_looks "$LONGEST_S"
	expect_ledger
}

# Each that is looked at may take 0.1 s. The counters stop within 0.2 s all the same (here, and on a
# machine that is busy a little later), not when the round is over: 3.3 to 3.8 s.
t_the_end_comes_on_time() {
	attack 400 60
	record -a -d 2
	expect_unmoved "$took"
	expect_le "$(sum_get .duration_s)" 3 "seconds until the counters stopped"
}

# Twenty users, each of whom makes four looks wait before all of its are left alone: 80 times 0.1 s.
# When the end has come it costs 2 s in all. (The tool is stopped until all have been sampled.)
t_the_end_does_not_wait_for_all() {
	need_root
	mknod -m 666 "$T/fuse" c 10 229 || skip "no device can be made here"
	mkdir -m 755 "$T/mount"
	chmod 755 "$T"
	pmb_start record -a -F 499 -m 4M -e cpu-clock --summary "$T/sum.json" -o "$T/folded"
	kill -STOP "$tool"
	FUSE=$T/fuse spawn "$WORKLOADS/fusehang" users "$T/mount" 20 10 >"$T/attack" 2>&1
	wait_until all_hang || wait_until all_hang ||
		skip "no such attack here: $(sort -u "$T/attack" | head -n 2)"
	kill -TERM "$tool"
	kill -CONT "$tool"
	pmb_finish
	expect_eq "$rc" 0 "exit status"
	expect_ledger
	expect_match "$T/folded" '^fusehang;' "samples of the hostile ones"
	expect_le "$(sum_get .opener.late)" 40 "answers that were given up, of 80"
	expect_ge "$(sum_get .opener.refused)" 1 "looks that there was no time for"
}

all_hang() {
	[ "$(grep -c hangs "$T/attack")" = 80 ]
}

# Counters of a task wait for its lock as well. One that holds it up can't be counted, which is said
# in time.
t_counting_one_that_execs() {
	local began=$SECONDS rc=0 children
	attack 60 60
	sleep 2 # the first is the server, the second the first that execs, 60 ms of work later
	read -ra children <"/proc/$attacker/task/$attacker/children"
	spawn "$PMUBPF" stat -p "${children[1]}" -e task-clock,page-faults \
		-d 30 >"$T/out" 2>"$T/err"
	tool=$spawned
	until gone "$tool" || ((SECONDS - began > END_S)); do sleep 0.1; done
	gone "$tool" || {
		kill -KILL "$tool"
		fail "still there after $((SECONDS - began)) s"
	}
	wait "$tool" || rc=$?
	expect_ge "$rc" 1 "exit status"
	expect_match "$T/err" 'the task does not answer in time' "why there are no counts"
}

# Openers in an open that nobody answers can't be killed. All these are of one mount namespace,
# device and cgroup.
t_opens_that_never_end() {
	local END_S=40
	need_root
	need_program setpriv
	[ -e /dev/fuse ] || skip "no FUSE here"
	mkdir "$T/mount"
	spawn unshare -m "$WORKLOADS/fusehang" open "$T/mount" 6 "$WORKLOADS/inlined" 60
	attacker=$spawned
	sleep 1
	kill -USR1 "$attacker"
	cp "$WORKLOADS/inlined" "$T/inlined" # which nobody has opened yet
	spawn setpriv --reuid 65534 --regid 65534 --clear-groups sh -c "sleep 2; exec $T/inlined 60"
	record -a -d 4
	expect_unmoved "$took"
	expect_ge "$(sum_get .opener.stuck)" 1 "openers that could not be killed"
	expect_le "$(sum_get .opener.stuck)" 4 "openers that could not be killed"
	expect_ge "$(sum_get .opener.refused)" 1 "times that the hostile ones were not looked at"
	expect_ge "$(folded_sum_of "$T/folded" '^inlined;.*;main;work;leaf_spin$')" 1 \
		"names of a program that came later"
}

# The helper, in a read that nobody answers, which no signal ends: it is known by that it does
# nothing for 2 s, and left to itself. (An answer may take 10 s.)
t_reads_that_never_end() {
	local END_S=$END_S
	need_root
	[ -e /dev/fuse ] || skip "no FUSE here"
	mkdir "$T/mount"
	record -a -d 1
	END_S=$((3 * took + 4)) # with nothing in its way it takes 2 s where there is a CPU for it
	spawn unshare -m "$WORKLOADS/fusehang" serve "$T/mount" "$WORKLOADS/inlined" 30
	attacker=$spawned
	spawn "$WORKLOADS/inlined" 30
	sleep 0.5
	kill -USR1 "$attacker"
	record -a -d 1
	expect_unmoved "$took"
	expect_ge "$(folded_sum_of "$T/folded" ';leaf_spin$')" 1 "names of an innocent program"
}

# A file may be opened and read, and closing it is not answered: whoever passes it on must not be
# who closes it.
t_closes_that_never_end() {
	need_root
	[ -e /dev/fuse ] || skip "no FUSE here"
	mkdir "$T/mount"
	spawn unshare -m "$WORKLOADS/fusehang" flush "$T/mount" "$WORKLOADS/inlined" 30
	attacker=$spawned
	cp "$WORKLOADS/inlined" "$T/inlined"
	spawn "$T/inlined" 30
	sleep 0.5
	kill -USR1 "$attacker"
	record -a -d 2
	expect_unmoved "$took"
	expect_ge "$(folded_sum_of "$T/folded" '^inlined;(.*;)?leaf_spin$')" 1 \
		"names of an innocent program"
	expect_ge "$(folded_sum_of "$T/folded" '^file0;(.*;)?leaf_spin$')" 1 \
		"names of the hostile one, which can be read"
}

# The kernel takes a probe out of who has it when that lets it, and meanwhile no process of the host
# can fork: so here it is the opener itself that takes its time.
with_late_closes() { # SECONDS OPTION…
	local marks=$T/marks-$1 target
	[ -e "$T/lateclose.so" ] ||
		gcc -std=gnu11 -D_GNU_SOURCE -O1 -shared -fPIC -o "$T/lateclose.so" \
			"$TOP/tests/shims/lateclose.c" || fail "cannot build lateclose.so"
	cp "$WORKLOADS/marks" "$marks"
	spawn "$marks" 100000000 7 1
	target=$spawned
	wait_until grep -q /marks "/proc/$target/maps" || fail "it doesn't run"
	cat >"$T/tool" <<-END
		#!/bin/sh
		SHIM_CLOSE_S=$1 LD_PRELOAD=$T/lateclose.so exec $PMUBPF "\$@"
	END
	chmod 755 "$T/tool"
	PMUBPF=$T/tool record -p "$target" -d 1 --window "u:$marks:one_unit..u:$marks:move_to" \
		"${@:2}"
	expect_eq "$rc" 0 "exit status"
	expect_ledger
	expect_ge "$(sum_get .windows.ended)" 1 "windows"
	kill -0 "$target" || fail "the program is no more"
}

t_probes_that_are_held_fast() {
	need_root
	need_x86_64
	with_late_closes 1000
	expect_le "$took" "$SIGNAL_S" "seconds until it ended"
	expect_match "$T/err" 'a program holds up that probes are taken out of it' "what is said"
	expect_eq "$(sum_get .opener.late)" 1 "answers that were given up"
	with_late_closes 0
	expect_no_match "$T/err" 'a program holds up' "where nothing does"
	expect_eq "$(sum_get .opener.late)" 0 "answers that were given up"
}

# ---------------------------------------------------------------- paths

# "The host" in a mount namespace: $T/net is an automounter's that nobody answers (what it is asked
# stands in $T/asked), $T/both/z another program. "The container" has files of its own there, and
# starts programs all the time: some are known by their paths only. $PMUBPF runs on the host.
container_above_automounter() {
	need_root
	need_program nsenter
	local host
	mkdir "$T/net" "$T/both"
	mkfifo "$T/asked"
	cat >"$T/host" <<-'END'
		exec 5<>"$1/asked" || exit
		{
			mount -t autofs -o "fd=5,pgrp=$$,minproto=5,maxproto=5,indirect" \
				none "$1/net" &&
				mount -t tmpfs none "$1/both" &&
				cp "$2/split" "$1/both/z" &&
				echo ready
		} >"$1/ready" 2>&1
		exec sleep 60
	END
	cat >"$T/container" <<-'END'
		set -e
		mount -t tmpfs none "$1/net"
		mkdir "$1/net/evil"
		cp "$2/inlined" "$1/net/evil/z"
		mount -t tmpfs none "$1/both"
		cp "$2/inlined" "$1/both/z"
		stat -c %i "$1/both/z" >"$1/inode"
		while :; do "$1/net/evil/z" 0.2; "$1/both/z" 0.2; "$1/net/evil/z" 0; done
	END
	spawn setsid unshare -m sh "$T/host" "$T" "$WORKLOADS"
	wait_until test -s "$T/ready" || fail "no host"
	grep -q ready "$T/ready" || skip "no automounter here: $(head -n 1 "$T/ready")"
	host=/proc/$spawned/ns/mnt
	# the trap works, each name of it once
	{ timeout -s KILL 0.5 nsenter --mount="$host" stat "$T/net/probe"; } 2>/dev/null
	asked || skip "this automounter does not ask"
	spawn nsenter --mount="$host" unshare -m sh "$T/container" "$T" "$WORKLOADS"
	wait_until test -s "$T/inode" || fail "no container"
	expect_eq "$(nsenter --mount="$host" stat -c %i "$T/both/z")" "$(cat "$T/inode")" \
		"number of both files"
	cat >"$T/tool" <<-END
		#!/bin/sh
		exec nsenter --mount=$host \\
			\${CAPS:+setpriv --bounding-set "\$CAPS" --inh-caps "\$CAPS"} $PMUBPF "\$@"
	END
	chmod 755 "$T/tool"
	PMUBPF=$T/tool
}

asked() {
	[ "$(timeout 0.3 cat "$T/asked" | wc -c)" != 0 ]
}

expect_no_walk() {
	expect_unmoved "$took"
	expect_match "$T/folded" '^z;' "samples of the container's"
	! asked || fail "the automounter of the host was asked"
	expect_no_match "$T/folded" '^z;.*;(hot70|hot30|spin_mix)' "functions of the host's file"
}

t_a_path_below_an_automounter_of_the_host() {
	container_above_automounter
	record -a -d 2
	expect_no_walk
	expect_ge "$(folded_sum_of "$T/folded" '^z;.*;main;work;leaf_spin')" 1 \
		"names of the container's file"
}

# Without map_files and the roots of others nothing but the path is known.
t_the_same_without_a_way_to_its_root() {
	need_program setpriv
	container_above_automounter
	export CAPS=-all,+bpf,+perfmon
	record -a -d 2
	expect_no_walk
	expect_ge "$(folded_sum_of "$T/folded" '^z;\[z\]\+0x')" 1 \
		"places in the container's file, without names"
}

run_tests
