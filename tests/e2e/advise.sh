#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# pmubpf advise: programs that are badly made in one known way, recorded here. What else runs takes
# CPUs from them and adds a finding that is right (run-queue): verdicts are about the others.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

TROUBLES=$WORKLOADS/troubles
MS=350 # of CPU time: rules ask for a hundred samples, and this has three times as many

setup() {
	need_root
	need_program jq
}

# The findings, but for those about the machine, in $T/rules, one a line; JSON in $T/out.
advise() { # PROGRAM…
	pmb_ok record -q -e cpu-clock,page-faults,context-switches,off-cpu -o "$T/p.pb.gz" -- "$@"
	pmb_ok advise -j "$T/p.pb.gz"
	expect_ge "$(jq '.others | length' "$T/out")" 10 "rules that found nothing"
	jq -r '.findings[].rule' "$T/out" | grep -vxE 'run-queue|steal|heat' >"$T/rules"
}

finding() { # RULE PATH: of what is printed about it
	jq -r ".findings[] | select(.rule == \"$1\")$2" "$T/out"
}

expect_first() { # RULE FUNCTION
	expect_eq "$(head -n 1 "$T/rules")" "$1" "the first finding"
	expect_eq "$(finding "$1" '.places[0].function')" "$2" "its function"
}

t_churn() {
	advise "$TROUBLES" churn $MS
	expect_first allocator-churn touch_all
	jq -e '.others[] | select(.rule == "page-faults").verdict == "covered"' "$T/out" \
		>"$T/err" || fail "page-faults besides"
}

t_touch() {
	advise "$TROUBLES" touch $MS
	expect_first page-faults touch_all
	cp "$T/p.pb.gz" "$S/touch.pb.gz"
	jq -e '.findings[] | select(.rule == "page-faults").events_per_cpu_second > 1000' "$T/out" \
		>"$T/err" || fail "no rate of page faults"
}

t_switches() {
	advise "$TROUBLES" switches 600
	expect_first context-switches hand_over
}

t_locks() {
	advise "$TROUBLES" locks $MS
	expect_first locks want_lock
	finding locks '.places[0].place' >"$T/place"
	expect_match "$T/place" ', woken by troubles$' "who ended it"
}

t_queue() {
	advise "$TROUBLES" queue $MS
	jq -e '.findings[] | select(.rule == "run-queue").value > 60' "$T/out" >"$T/err" ||
		fail "no waiting for a CPU, of four threads that share one"
}

t_starts() {
	advise "$TROUBLES" starts
	expect_eq "$(head -n 1 "$T/rules")" process-starts "the first finding"
}

t_calls() {
	advise "$TROUBLES" calls $MS
	expect_first system-calls ask
}

# A C library without symbols doesn't say what its code is.
t_copy() {
	advise "$TROUBLES" copy $MS
	[ -s "$T/rules" ] || {
		"$PMUBPF" report -e cpu-clock "$T/p.pb.gz" | grep -qE 'memmove|memcpy' ||
			skip "the C library here has no symbols"
	}
	expect_first copying copy_all
}

t_unoptimised() {
	advise "$WORKLOADS/unoptimised" $MS
	expect_eq "$(head -n 1 "$T/rules")" not-optimised "the first finding"
}

t_nameless() {
	strip -s -o "$T/nameless" "$TROUBLES"
	advise "$T/nameless" fine $MS
	expect_eq "$(cat "$T/rules")" no-names "findings"
	expect_eq "$(finding no-names '.places[0].place')" "$(realpath "$T/nameless")" \
		"the file without names"
}

t_fine() {
	advise "$TROUBLES" fine $MS
	expect_empty "$T/rules" "findings in a program that computes"
}

# Of nothing but waiting for a CPU, which others cause: without off-cpu that isn't looked for.
t_nothing_stands_out() {
	pmb_ok record -q -e cpu-clock -o "$T/p.pb.gz" -- "$TROUBLES" fine $MS
	"$PMUBPF" advise "$T/p.pb.gz" | grep -vE '^[0-9]+\. The hypervisor' >"$T/text"
	expect_match "$T/text" '^Nothing stands out in [0-9,]+ samples of cpu-clock\.$' "the text"
	expect_match "$T/text" "^Locks, disks and waiting for a CPU weren't looked for" \
		"what it lacks"
}

t_few_samples() {
	pmb_ok record -q -e cpu-clock -o "$T/p.pb.gz" -- true
	pmb_ok advise "$T/p.pb.gz"
	expect_match "$T/out" '^Too few samples to say where the CPU time goes: ' "the text"
}

t_label() {
	[ -e "$S/touch.pb.gz" ] || {
		advise "$TROUBLES" touch $MS
		cp "$T/p.pb.gz" "$S/touch.pb.gz"
	}
	pmb_ok advise --label comm=nobody --all "$S/touch.pb.gz"
	expect_match "$T/out" '^Too few samples to say where the CPU time goes: 0, ' "the text"
	expect_match "$T/out" '^   page-faults +too few samples to say \(0\)$' "--all"
}

t_refused() {
	pmb advise
	expect_eq "$rc" 2 "no file"
	pmb advise - - </dev/null
	expect_eq "$rc" 2 "standard input twice"
	pmb advise "$T/missing.pb.gz"
	expect_eq "$rc" 1 "no such file"
}

# Of the blind test, what needs no disk and is the same whatever else runs.
t_blunders() {
	advise "$WORKLOADS/blunders" thread $MS
	expect_eq "$(head -n 1 "$T/rules")" process-starts "the first finding of threads"
	advise "$WORKLOADS/blunders" strings 500
	[ -s "$T/rules" ] || {
		"$PMUBPF" report -e cpu-clock "$T/p.pb.gz" | grep -q strcat ||
			skip "the C library here has no symbols"
	}
	expect_first strings append
}

t_records_a_command() {
	pmb_ok advise -j -o "$T/kept.pb.gz" -- "$TROUBLES" churn $MS
	jq -r '.findings[].rule' "$T/out" | grep -vxE 'run-queue|steal|heat' >"$T/rules"
	expect_first allocator-churn touch_all
	expect_match "$T/err" "^pmubpf: recording .*troubles until it ends: cpu-clock, " \
		"what is recorded"
	expect_match "$T/err" 'cost: .* % of [0-9]+ CPU' "what it cost"
	jq .findings "$T/out" >"$T/live"
	pmb_ok advise -j "$T/kept.pb.gz"
	jq .findings "$T/out" >"$T/saved"
	diff "$T/live" "$T/saved" >"$T/err" || fail "what was kept says something else"
}

# Tables of a CPU whose events are either counted here, or named as missing.
t_tables_of_top_down_analysis() {
	local formulas
	export PMUBPF_CPUID=GenuineIntel-6-70-1
	pmb_ok advise --event-db "$TOP/tests/perfmon" -o "$T/kept.pb.gz" -- "$TROUBLES" churn 60
	formulas=$(gunzip -c "$T/kept.pb.gz" | grep -ac 'topdown [A-Z]')
	if grep -q '^pmubpf: not looked at: .*top-down analysis' "$T/err"; then
		expect_eq "$formulas" 0 "formulas without their events"
	else
		expect_match "$T/err" 'recording .*ISSUE\.NOT_DELIVERED' "what is recorded"
	fi
}

t_records_a_process() {
	"$TROUBLES" touch 20000 &
	local pid=$!
	pmb advise -j -d 1 -p "$pid"
	kill "$pid"
	expect_eq "$rc" 0 "exit status"
	jq -r '.findings[].rule' "$T/out" | grep -vxE 'run-queue|steal|heat' >"$T/rules"
	expect_first page-faults touch_all
	expect_match "$T/err" "^pmubpf: recording process $pid for 1 s: cpu-clock, " "whom"
}

# Where CPU quotas are; "$T/group" is made, with one of 0.2 CPUs, and is the caller's to remove.
make_group() {
	local v1=/sys/fs/cgroup/cpu v2
	if [ -e "$v1/cpu.cfs_quota_us" ]; then
		group=$v1/pmubpf-advise-$$
		mkdir "$group" 2>"$T/err" || skip "no cgroup can be made here"
		echo 20000 >"$group/cpu.cfs_quota_us"
		return
	fi
	v2=$(awk '$3 == "cgroup2" {print $2; exit}' /proc/mounts)
	grep -qw cpu "$v2/cgroup.subtree_control" 2>"$T/err" || skip "no cgroups with CPU quotas"
	group=$v2/pmubpf-advise-$$
	mkdir "$group" 2>"$T/err" || skip "no cgroup can be made here"
	echo "20000 100000" >"$group/cpu.max" 2>"$T/err" || {
		rmdir "$group"
		skip "no CPU quota can be set here"
	}
}

# What held it back is the cause, and comes first.
t_quota() {
	local group pid agent
	make_group
	# shellcheck disable=SC2016 # the inner shell's
	sh -c 'echo $$ >"$1/cgroup.procs"; exec "$2" fine 20000' sh "$group" "$TROUBLES" &
	pid=$!
	sleep 0.2
	mkdir -m 700 "$T/spool"
	"$PMUBPF" agent -q --dir "$T/spool" --every 1s -d 2 -p "$pid" >"$T/agent" 2>&1 &
	agent=$!
	pmb advise -q -j -d 2 -p "$pid"
	wait "$agent"
	kill "$pid"
	wait "$pid" 2>"$T/err"
	rmdir "$group"
	expect_eq "$rc" 0 "exit status"
	expect_eq "$(finding cpu-quota '.places[0].place')" "$group" "whose quota"
	expect_eq "$(jq -r '.findings[0].rule' "$T/out")" cpu-quota "the first finding"
	expect_eq "$(finding run-queue '.because')" cpu-quota "what run-queue follows from"
	finding cpu-quota .evidence >"$T/text"
	expect_match "$T/text" 's withheld from CPUs; .* of a quota of 0.20 CPUs: ' "the evidence"
	# the same by an agent's windows
	pmb_ok advise -j --from "$T/spool"
	expect_eq "$(finding cpu-quota '.places[0].place')" "$group" "whose quota, by windows"
	finding cpu-quota .evidence >"$T/text"
	expect_match "$T/text" 's withheld from CPUs; .* of a quota of 0.20 CPUs: ' \
		"the evidence of windows"
}

# What isn't there is named, and no error.
t_lacks_are_named() {
	pmb_ok list -j cycles
	jq -e 'any(.. | objects; .available == true)' "$T/out" >"$T/err" &&
		skip "there are cycles"
	pmb_ok advise -- true
	expect_match "$T/err" '^pmubpf: not looked at: cycles, instructions, .*: this ' "the reason"
}

t_exit_status_of_the_command() {
	pmb advise -q -- sh -c 'echo said; exit 7'
	expect_eq "$rc" 7 "exit status"
	expect_eq "$(cat "$T/err")" said "the command's words, and with -q no others"
}

# What can't be kept is an error, and the findings are there all the same.
t_a_full_disk() {
	# of no samples at all no line is written
	pmb advise -q -o /dev/full -- "$WORKLOADS/split" 0.3
	expect_eq "$rc" 1 "exit status"
	expect_match "$T/err" "^pmubpf: can't write /dev/full: " "the error"
	expect_match "$T/out" '^([0-9]+\. |Nothing stands out|Too few samples)' "the findings"
}

t_files_or_a_target() {
	pmb advise -p 1 "$T/missing.pb.gz"
	expect_eq "$rc" 2 "a process and a file"
	pmb advise "$T/missing.pb.gz" -- true
	expect_eq "$rc" 2 "a file and a command"
	pmb advise -d 5 "$T/missing.pb.gz"
	expect_eq "$rc" 2 "how long, of a file"
	pmb advise -o - -- true
	expect_eq "$rc" 2 "the recording to standard output"
}

# Of an agent's folder: as of files, with its gaps, and what looks closer takes the same windows.
t_windows() {
	local dir="$T/it's here" look
	mkdir -m 700 "$dir"
	pmb_ok agent -q --dir "$dir" --every 1s -e cpu-clock -F 499 -- "$TROUBLES" touch 1200
	pmb_ok advise -j --from "$dir" --label comm=troubles
	jq -r '.findings[].rule' "$T/out" | grep -vxE 'steal|heat' >"$T/rules"
	expect_first page-faults touch_all
	expect_eq "$(jq '.files | length' "$T/out")" 1 "titles"
	look=$(finding page-faults .look)
	# what a user would copy
	(cd "$T" && eval "${look/#pmubpf/"\$PMUBPF"}") >"$T/closer" 2>"$T/err" ||
		fail "what looks closer doesn't run: $look"
	expect_match "$T/closer" ' touch_all' "what looks closer"
	pmb_ok advise --from "$dir" --since 1h
	expect_match "$T/err" '^pmubpf: nothing is there from .* to ' "what is missing of the hour"
	expect_eq "$(grep -c '^Not looked for, since the windows' "$T/out")" 1 "what they lack"
	expect_match "$T/out" ': locks, run-queue, disk$' "the first of it"
	pmb_ok annotate --from "$dir" --since 1h touch_all
	expect_match "$T/out" '^# profile .*: [0-9]+ windows?, 20' "what annotate shows"
	expect_match "$T/out" ' 100.00 .*[(]all[)]$' "its rows"
	pmb_ok advise --from "$dir" --container nobody
	expect_match "$T/out" '^Too few samples to say where the CPU time goes: 0, ' "no container"
	pmb advise --from "$dir" --until 1d
	expect_eq "$rc" 1 "an empty range"
	expect_match "$T/err" 'no window .* of that range' "what it says of it"
}

t_windows_or_a_target() {
	local words
	for words in "-d 3" "-p 1" "-e cpu-clock" "-o x.pb.gz" "missing.pb.gz" "--since x"; do
		# shellcheck disable=SC2086
		pmb advise --from "$T" $words
		expect_eq "$rc" 2 "--from and $words"
	done
	pmb annotate --from "$T" work missing.pb.gz
	expect_eq "$rc" 2 "annotate of both"
	pmb advise --since 1h -- true
	expect_eq "$rc" 2 "--since of a command"
	pmb annotate --from "$T"
	expect_eq "$rc" 2 "no function"
	pmb advise --from "$T"
	expect_eq "$rc" 1 "a folder without windows"
}

run_tests
