#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# How a recording ends: Ctrl-C, a closed pipe, a dying target, kill -9.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

t_interrupt_prints_everything() {
	spawn "$WORKLOADS/split" 30 1 >/dev/null
	pmb_start record -e cpu-clock -p "$spawned" --summary "$T/sum.json"
	pmb_finish INT
	expect_eq "$rc" 0 "exit status"
	expect_folded "$T/out"
	expect_match "$T/out" ';hot70 ' "the stacks so far"
	expect_ledger
}

# A terminal that goes sends several, and whoever waits sends more: what was recorded is written.
# (More moments in the long form.)
t_more_signals() {
	local pause between="0.01 0.04" end="0.98 1.02"
	[ "${SOAK:-0}" != 1 ] || between="0.005 0.01 0.02 0.04" end="0.97 0.99 1 1.01 1.03"
	spawn "$WORKLOADS/split" 60 1 >/dev/null
	local target=$spawned
	for pause in 0 $between; do
		rm -f "$T/folded"
		pmb_start record -e cpu-clock -p "$target" -o "$T/folded" --summary "$T/sum.json"
		kill -HUP "$tool"
		sleep "$pause"
		kill -HUP "$tool" 2>/dev/null
		kill -TERM "$tool" 2>/dev/null
		kill -INT "$tool" 2>/dev/null
		pmb_finish
		expect_eq "$rc" 0 "exit status, another after $pause s"
		expect_match "$T/folded" ';hot70 ' "the stacks so far, another after $pause s"
		expect_eq "$(folded_sum "$T/folded")" "$(sum_weight)" \
			"Σ of the file against the summary"
	done
	# at the very end of its time
	for pause in $end; do
		rm -f "$T/folded"
		spawn "$PMUBPF" record -q -e cpu-clock -p "$target" -d 1 -o "$T/folded" </dev/null
		wait_until has_perf_events "$spawned" || fail "it does not record"
		sleep "$pause"
		kill -TERM "$spawned" 2>/dev/null
		wait "$spawned"
		expect_eq $? 0 "exit status, SIGTERM after $pause of 1 s"
		expect_match "$T/folded" ';hot70 ' "the stacks so far, SIGTERM after $pause of 1 s"
	done
}

# Who ends it while it starts hears of it.
t_a_signal_at_once() {
	local pause
	for pause in 0.002 0.005 0.01 0.05; do
		# -d: before it is our program the signal is the shell's, which ignores it
		spawn "$PMUBPF" record -a -e cpu-clock -d 5 -o "$T/folded" </dev/null 2>"$T/err"
		sleep "$pause"
		kill -INT "$spawned"
		wait "$spawned"
		rc=$?
		[ "$rc" = 130 ] ||
			expect_match "$T/err" '^pmubpf: [0-9]+ samples in ' \
			"the summary, SIGINT after $pause s"
	done
}

# Not by chance: at this call or that. From when it has asked for its signals on none is lost, and
# it asks before it looks at anything; before that it is ended by one as any program is.
t_a_signal_at_each_stage_of_the_start() {
	need_program strace
	local at
	for at in signalfd4 socketpair openat:40 bpf bpf:40 perf_event_open ioctl:3; do
		rm -f "$T/folded" "$T/sum.json"
		[[ $at == *:* ]] || at=$at:1
		strace -o "$T/calls" -e "inject=${at%:*}:signal=INT:when=${at#*:}" \
			"$PMUBPF" record -a -e cpu-clock -d 20 --summary "$T/sum.json" \
			-o "$T/folded" >"$T/out" 2>"$T/err" </dev/null
		rc=$?
		grep -q signalfd4 "$T/calls" || skip "strace does not work here"
		expect_eq "$rc" 0 "exit status, SIGINT at $at"
		expect_match "$T/err" '^pmubpf: [0-9]+ samples in ' "the summary, SIGINT at $at"
		[ -e "$T/folded" ] || fail "no profile, SIGINT at $at"
		expect_ledger
		expect_le "$(sum_get .duration_s)" 15 "seconds, SIGINT at $at"
		sed '/SIG_BLOCK, .*INT/,$d' "$T/calls" >"$T/before"
		expect_no_match "$T/before" '"/(proc|sys)/|bpf\(|clone3?\(' "what it does before"
	done
}

t_interrupt_with_a_command() {
	# On a terminal both get the signal; here pmubpf alone does.
	pmb_start record -e cpu-clock -o "$T/folded" -- "$WORKLOADS/split" 60
	local command
	command=$(pgrep -P "$tool" -x split) || fail "the command does not run"
	pmb_finish INT
	expect_eq "$rc" 0 "exit status"
	expect_match "$T/folded" ';hot70 ' "the stacks so far"
	! kill -0 "$command" 2>/dev/null || fail "the command is still running"
}

t_interrupt_of_the_group() {
	env --default-signal=INT setsid --wait bash -c '
		"$0" record -e cpu-clock -o "$1" -- "$2" 60 & tool=$!
		trap : INT
		sleep 1.5; kill -INT 0; wait "$tool"; exit $?' \
		"$PMUBPF" "$T/folded" "$WORKLOADS/split" >/dev/null 2>"$T/err"
	expect_match "$T/folded" ';hot70 ' "the stacks so far"
}

# A shell without job control starts what is in the background with SIGINT ignored; perf ends by it
# nevertheless.
t_interrupt_of_a_background_job() {
	env --ignore-signal=INT "$PMUBPF" record -e cpu-clock -d 30 -o "$T/folded" -a 2>"$T/err" &
	tool=$! SPAWNED+=("$!")
	wait_until has_perf_events "$tool" || fail "it does not record"
	sleep 0.5
	local start=$SECONDS
	pmb_finish INT
	expect_eq "$rc" 0 "exit status"
	expect_le "$((SECONDS - start))" 15 "seconds until it ended"
	expect_folded "$T/folded"
}

t_nohup_survives_a_hangup() {
	local command
	for command in 'record -e cpu-clock -a -o /dev/null' 'stat -e page-faults -a'; do
		# shellcheck disable=SC2086
		nohup "$PMUBPF" $command -d 2.5 >"$T/out" 2>"$T/err" &
		tool=$! SPAWNED+=("$!")
		wait_until has_perf_events "$tool" || fail "$command does not count"
		kill -HUP "$tool"
		sleep 0.5
		kill -0 "$tool" 2>/dev/null || fail "$command ended by a hangup under nohup"
		pmb_finish
		expect_eq "$rc" 0 "exit status of $command"
	done
}

t_terminate() {
	spawn "$WORKLOADS/split" 30 1 >/dev/null
	pmb_start record -e cpu-clock -p "$spawned"
	pmb_finish TERM
	expect_match "$T/out" ';hot70 ' "the stacks so far"
}

t_closed_pipe_is_quiet() {
	local status
	# manypaths: more than twice the output that a pipe holds
	"$PMUBPF" record -e cpu-clock -- "$WORKLOADS/manypaths" 0.5 2>"$T/err" |
		head -n 1 >"$T/out"
	status=${PIPESTATUS[0]}
	expect_eq "$status" 0 "exit status"
	expect_eq "$(wc -l <"$T/out")" 1 "lines"
	expect_no_match "$T/err" '[Bb]roken|EPIPE|[Ee]rror|cannot write' "a closed pipe is no news"
}

t_dying_target() {
	spawn "$WORKLOADS/split" 0.4 1 >/dev/null
	local start=$SECONDS
	pmb_ok record -e cpu-clock -p "$spawned" -d 300 --summary "$T/sum.json"
	expect_le "$((SECONDS - start))" 200 "seconds: the recording ends with its target"
	expect_match "$T/out" ';hot70 ' "the stacks so far"
	expect_no_match "$T/out" '\[unknown\]|\]\+0x' "names, although the process is gone"
	expect_ledger
}

t_killed_target() {
	spawn "$WORKLOADS/split" 60 1 >/dev/null
	local victim=$spawned
	pmb_start record -e cpu-clock -p "$victim" -d 60
	kill -KILL "$victim"
	wait "$victim" 2>/dev/null
	pmb_finish
	expect_eq "$rc" 0 "exit status"
	expect_match "$T/out" ';hot70 ' "the stacks so far"
}

# Kills the tool; its programs have to leave the kernel.
expect_killed_without_a_trace() {
	local programs
	[ -n "$(bpftool_path)" ] || skip "no bpftool that works"
	mapfile -t programs < <(programs_of "$tool")
	[ ${#programs[@]} -gt 0 ] || fail "no BPF programs while it records"
	kill -KILL "$tool"
	wait "$tool" 2>/dev/null
	wait_until programs_gone "${programs[@]}" || fail "programs are left: ${programs[*]}"
}

t_kill_9_leaves_nothing() {
	local pins
	pins=$(find /sys/fs/bpf -mindepth 1 2>/dev/null | sort)
	spawn "$WORKLOADS/split" 30 1 >/dev/null
	pmb_start record -e cpu-clock -p "$spawned"
	expect_killed_without_a_trace
	expect_eq "$(find /sys/fs/bpf -mindepth 1 2>/dev/null | sort)" "$pins" "pinned"
}

t_kill_9_with_a_command() {
	pmb_start record -e cpu-clock -o "$T/folded" -- "$WORKLOADS/split" 3
	expect_killed_without_a_trace
}

t_duration() {
	spawn "$WORKLOADS/split" 30 1 >/dev/null
	local start end
	start=$(date +%s%N)
	pmb_ok record -e cpu-clock -p "$spawned" -d 0.8 --summary "$T/sum.json"
	end=$(date +%s%N)
	expect_ge "$(sum_get .duration_s)" 0.79 "duration"
	expect_le "$(sum_get .duration_s)" \
		"$(awk -v ns=$((end - start)) 'BEGIN { print ns / 1e9 }')" \
		"duration, in all that passed"
	expect_le "$(((end - start) / 1000000))" 15000 "ms, everything"
}

run_tests
