#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# stat --per -I: each interval says what its units were bound by, and what more CPU could gain. A
# cgroup with a small quota, and so large a share of the CPUs that it gets them whatever else runs.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

setup() {
	need_root
	need_uprobes
}

need_uprobes() {
	[ "$(uname -m)" = x86_64 ] || skip "probes of functions are for x86-64"
}

# A cgroup in the hierarchy that has quotas.
make_group() {
	local mount
	v2=0 group=
	for mount in /sys/fs/cgroup/cpu /sys/fs/cgroup/cpu,cpuacct /sys/fs/cgroup; do
		mkdir "$mount/pmb-verdict-$$" 2>/dev/null || continue
		group=$mount/pmb-verdict-$$
		later rmdir "$group"
		[ -e "$group/cpu.cfs_quota_us" ] && return
		v2=1
		[ -e "$group/cpu.max" ] && return
	done
	skip "no cgroup with a quota can be made here"
}

quota() { # MICROSECONDS of 100,000
	if [ "$v2" = 1 ]; then
		echo "$1 100000" >"$group/cpu.max"
		echo 10000 >"$group/cpu.weight"
	else
		echo "$1" >"$group/cpu.cfs_quota_us"
		echo 262144 >"$group/cpu.shares"
	fi
}

measure() { # FILE
	pmb_ok stat --per "u:$WORKLOADS/turns:turn" -e page-faults -I 1s -d 3 -j -o "$1" \
		-p "$program"
}

# Of the second interval: the first has no units that began before it, the last may be short.
second() { # FILE MEMBER
	jq -s ".[1].per.$2" "$1"
}

t_a_quota_that_is_raised() {
	make_group
	spawn "$WORKLOADS/turns"
	program=$spawned
	quota 5000
	echo "$program" >"$group/cgroup.procs" || skip "the cgroup takes no process"
	measure "$T/before"
	expect_eq "$(second "$T/before" verdict.bound)" '"quota"' "what it is bound by"
	expect_ge "$(second "$T/before" 'verdict.quota_percent | floor')" 80 "percent of its time"
	local gain before after
	gain=$(second "$T/before" 'verdict.gain_quota_percent | floor')
	expect_ge "$gain" 400 "percent that more quota gains at most"
	# four times as much more is less than that
	quota $((5000 * 5))
	measure "$T/after"
	before=$(second "$T/before" ended) after=$(second "$T/after" ended)
	expect_ge "$after" $((before * 2)) "units after it was raised, of $before"
	expect_le "$after" $((before * (100 + gain) / 100 + before)) "units, by what was said"
	# no quota: whatever it is bound by, that isn't it
	quota -1 2>/dev/null || quota max
	measure "$T/free"
	expect_eq "$(second "$T/free" verdict.quota_percent)" 0 "percent held by a quota"
	kill "$program"
	wait "$program" 2>/dev/null || true
}

t_it_is_a_line_of_text() {
	spawn "$WORKLOADS/turns"
	program=$spawned
	pmb_ok stat --per "u:$WORKLOADS/turns:turn" -e page-faults -I 500 -d 2 -p "$program"
	local line='bound by .*: [0-9.]+ % of its time on a CPU, .* more CPU gains at most'
	expect_ge "$(grep -cE "$line" "$T/out")" 2 "lines"
	pmb_ok stat --per "u:$WORKLOADS/turns:turn" -e page-faults -d 1 -p "$program"
	expect_no_match "$T/out" 'bound by' "a verdict without intervals"
}

t_nothing_ended() {
	pmb_ok stat --per 'syscall:getppid' -e page-faults -I 300 -- sleep 1
	expect_match "$T/out" 'bound by nothing: no unit ended$' "the line"
	pmb_ok stat -I 200 --per run -e task-clock -- "$WORKLOADS/split" 0.5
	expect_match "$T/out" 'per run: [1-9]' "units that ended"
	expect_no_match "$T/out" 'bound by' "what is said of units that can't wait"
}

run_tests
