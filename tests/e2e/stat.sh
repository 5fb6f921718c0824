#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Counts without sampling: they agree with perf's and with known answers, for every target and
# format.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"


# value of an event, in the only row or in row N of a JSON document.
stat_value() { # EVENT [ROW] [FILE]
	jq -r --arg e "$1" ".rows[${2:-0}].events[] | select(.name == \$e).scaled" "${3:-$T/out}"
}

# perf's count of an event of a command; msec for clocks.
perf_value() { # EVENT COMMAND…
	local event=$1
	shift
	"$(perf_path)" stat -x, -e "$event" -o "$T/perf" -- "$@" >/dev/null 2>&1
	awk -F, -v e="$event" '$3 == e { print $1 }' "$T/perf"
}

need_perf() {
	perf_path >/dev/null || skip "perf is not installed"
}

t_page_faults_as_perf_counts_them() {
	need_perf
	local ours perfs
	pmb_ok stat -j -e page-faults -- "$WORKLOADS/faults" 5000
	ours=$(stat_value page-faults)
	perfs=$(perf_value page-faults "$WORKLOADS/faults" 5000)
	expect_ge "$ours" 5000 "page faults"
	expect_within "$ours" "$perfs" 25 \
		"against perf (starting a program costs about 50, by the layout of its memory)"
}

# shellcheck disable=SC2016 # perl's
SWITCHES='
	sub switches { open my $f, "<", "/proc/self/status"; my $n = 0; /ctxt_switches:\s*(\d+)/ and $n += $1 for <$f>; $n }
	my $before = switches;
	select undef, undef, undef, 0.005 for 1 .. 20;
	my $after = switches;
	open my $out, ">", $ARGV[0];
	print $out $after - $before, " $after\n"'

# A count from exec to exit, against $T/own: what the program saw between two looks, and since its
# fork at the second. What comes behind that is its exit; sets close.
expect_own_switches() { # COUNT
	local between since_fork
	read -r between since_fork <"$T/own"
	expect_ge "$between" 20 "switches that the program saw"
	expect_ge "$1" "$between" "context switches"
	close=$(($1 <= since_fork + 2))
}

t_context_switches_as_perf_counts_them() {
	need_perf
	# What the program itself knows of, and being preempted before and after it looks.
	local i
	for i in 1 2 3 4 5 6 7 8 9 10; do
		pmb_ok stat -j -e context-switches -- perl -e "$SWITCHES" "$T/own"
		expect_own_switches "$(stat_value context-switches)"
		[ "$close" = 0 ] || break
	done
	expect_eq "$close" 1 "a run where the count is at most two above what the program saw"
	expect_own_switches "$(perf_value context-switches perl -e "$SWITCHES" "$T/own")"
}

t_task_clock_as_perf_and_the_program_count_it() {
	need_perf
	local ours own perfs
	pmb_ok stat -j -e task-clock -- "$WORKLOADS/split" 1
	ours=$(stat_value task-clock)
	own=$(sed -n 's/.*total \([0-9]*\)$/\1/p' "$T/err") # its words go to stderr
	expect_ns "$ours" "$own" 5 "against the program's own clock"
	perfs=$(perf_value task-clock "$WORKLOADS/split" 1)
	expect_ns "$ours" "${perfs%.*}000000" 5 "against perf"
	expect_ns "${perfs%.*}000000" "$ours" 5 "perf's against ours"
}

t_csv_has_the_columns_of_perf() {
	need_perf
	local events=task-clock,page-faults,context-switches
	pmb_ok stat -x, -e "$events" -- "$WORKLOADS/faults" 1000
	"$(perf_path)" stat -x, -e "$events" -o "$T/perf" -- "$WORKLOADS/faults" 1000 >/dev/null
	grep -v '^#' "$T/perf" | awk -F, 'NF { print NF, $2, $3, $5 }' >"$T/want"
	awk -F, '{ print NF, $2, $3, $5 }' "$T/out" >"$T/got"
	diff "$T/want" "$T/got" >"$T/diff" ||
		fail "columns differ: $(head -n 2 "$T/diff" | tail -n 1)"
}

t_children_count_unless_told_otherwise() {
	local all one
	pmb_ok stat -j -e page-faults -- sh \
		-c "'$WORKLOADS/faults' 3000; '$WORKLOADS/faults' 3000; true"
	all=$(stat_value page-faults)
	pmb_ok stat -i -j -e page-faults -- sh \
		-c "'$WORKLOADS/faults' 3000; '$WORKLOADS/faults' 3000; true"
	one=$(stat_value page-faults)
	expect_ge "$all" 6000 "with the children"
	expect_le "$one" 1000 "of the shell alone"
}

t_exit_status() {
	pmb stat -e page-faults -- "$WORKLOADS/sleepy" exit 7
	expect_eq "$rc" 7 "the command's"
	pmb stat -e page-faults -- "$WORKLOADS/sleepy" signal 9
	expect_eq "$rc" 137 "of a command that was killed"
	pmb stat -e page-faults -- /nonexistent
	expect_eq "$rc" 1 "of a command that does not exist"
	expect_match "$T/err" "can't run '/nonexistent'" "why"
	expect_empty "$T/out" "counts of nothing"
}

t_nothing_can_be_counted() {
	has_pmu && skip "this machine has a PMU"
	pmb stat -e cycles -o "$T/file" -- touch "$T/ran"
	expect_eq "$rc" 3 "exit status"
	expect_match "$T/err" "no hardware PMU" "why"
	[ ! -e "$T/ran" ] || fail "the command was run for nothing"
	[ ! -e "$T/file" ] || fail "an empty file was left"
}

t_what_is_not_supported_does_not_stop_the_rest() {
	has_pmu && skip "this machine has a PMU"
	pmb_ok stat -e cycles,page-faults,instructions -- "$WORKLOADS/faults" 1000
	expect_match "$T/out" '<not supported> +cycles +# no PMU' "cycles"
	expect_match "$T/out" '^ +1,[0-9]{3} +page-faults' "page-faults"
	expect_match "$T/out" '^  cycles, instructions: this machine has no hardware PMU' \
		"the reason, once"
	pmb_ok stat -j -e cycles,page-faults -- "$WORKLOADS/faults" 1000
	expect_eq "$(jq -r '.rows[0].events[0] | [.status, .value, .figures == []] | @csv' "$T/out")" \
		'"not supported",,true' "cycles as JSON"
}

t_defaults_leave_out_what_is_not_there() {
	pmb_ok stat -j -- true
	expect_eq "$(jq -r '[.rows[0].events[].name] | .[0:4] | join(" ")' "$T/out")" \
		"task-clock context-switches cpu-migrations page-faults" "the software events"
	has_pmu && return
	expect_eq "$(jq -r '.rows[0].events | length' "$T/out")" 4 "events"
	expect_match "$T/out" 'without cycles, instructions, branches, branch-misses: ' \
		"what is left out"
}

t_standard_output() {
	"$PMUBPF" stat -j -e page-faults -- echo hello >"$T/out" 2>"$T/err"
	jq -e . "$T/out" >/dev/null || fail "the command's words are among the counts"
	expect_eq "$(cat "$T/err")" hello "on stderr"
	"$PMUBPF" stat -o "$T/counts" -e page-faults -- echo hello >"$T/out" 2>"$T/err"
	expect_eq "$(cat "$T/out")" hello "on stdout, with -o"
	expect_match "$T/counts" 'page-faults' "counts in the file"
	expect_empty "$T/err" "talk"
}

t_intervals_add_up() {
	pmb_ok stat -j -e page-faults -I 100 -- sh -c "for i in 1 2 3; do '$WORKLOADS/faults' 2000; sleep 0.2; done"
	expect_ge "$(jq -s length "$T/out")" 6 "intervals"
	expect_eq "$(wc -l <"$T/out")" "$(jq -s length "$T/out")" "lines: one a document"
	expect_within "$(jq -s 'map(.rows[0].events[0].value // 0) | add' "$T/out")" 6500 500 \
		"the sum"
	jq -se '[range(1; length) as $i | .[$i].from_s == .[$i - 1].to_s] | all' \
		"$T/out" >/dev/null ||
		fail "the intervals don't follow each other"
}

t_rows_of_cpus_add_up() {
	pmb_ok stat -A -j -e task-clock -- "$WORKLOADS/threads" 0.5
	expect_eq "$(jq '.rows | length' "$T/out")" "$(getconf _NPROCESSORS_ONLN)" "rows"
	expect_ns "$(jq '[.rows[].events[].scaled // 0] | add' "$T/out")" 500000000 5 \
		"ns on all CPUs"
	# bound to a CPU, it is enabled elsewhere, too; that is no reason to scale
	jq -e '[.rows[].events[] | .running_ns == .enabled_ns and .scaled == .value] | all' \
		"$T/out" >/dev/null ||
		fail "scaled by where it ran"
}

t_one_cpu() {
	pmb_ok stat -C 0 -j -e task-clock -d 0.5
	expect_within "$(stat_value task-clock)" "$(jq '(.to_s - .from_s) * 1e9' "$T/out")" \
		50000000 "ns of a CPU's clock"
	expect_eq "$(jq '[.rows[0].events[].figures[]] | length' "$T/out")" 0 \
		"figures: an idle CPU is none that is used"
	pmb stat -C 4096 -d 1
	expect_eq "$rc" 2 "exit status"
	expect_match "$T/err" 'CPU 4096 does not exist' "why"
}

start_threads() { # SECONDS: held, in $spawned, tids in $T/tids
	mkfifo "$T/go"
	sleep 60 >"$T/go" &
	SPAWNED+=($!)
	spawn "$WORKLOADS/threads" "$1" hold <"$T/go" >"$T/tids"
	wait_until grep -q worker-d "$T/tids" || fail "no threads"
}

# As pmb_start, for a tool that loads no program and is ready sooner.
stat_start() {
	spawn "$PMUBPF" stat "$@" >"$T/out" 2>"$T/err" </dev/null
	tool=$spawned
	wait_until has_perf_events "$tool" ||
		fail "pmubpf stat $* does not count: $(head -n 1 "$T/err")"
	sleep 0.2
}

t_threads_of_a_process() {
	start_threads 2
	stat_start -p "$spawned" --per-thread -e task-clock,page-faults -j
	echo >"$T/go"
	pmb_finish
	expect_eq "$rc" 0 "exit status"
	expect_eq "$(jq '.rows | length' "$T/out")" 5 "rows"
	local name share
	for name in a:40 b:30 c:20 d:10; do
		share=${name#*:}
		expect_ns "$(jq --arg n "worker-${name%:*}" \
			'.rows[] | select(.comm == $n).events[0].value' "$T/out")" \
			$((share * 20000000)) 10 "ns of worker-${name%:*}"
	done
}

t_one_thread() {
	start_threads 2
	stat_start -t "$(awk '$2 == "worker-c" { print $3 }' "$T/tids")" -e task-clock -j
	echo >"$T/go"
	pmb_finish
	expect_ns "$(stat_value task-clock)" 400000000 5 "ns of worker-c"
}

t_threads_born_later() {
	spawn sh -c "sleep 1; exec '$WORKLOADS/threads' 2" >/dev/null
	pmb_ok stat -p "$spawned" -e task-clock -j -d 20
	expect_ns "$(stat_value task-clock)" 2000000000 5 "ns of all threads"
}

t_counts_only_events() {
	"$PMUBPF" list 2>/dev/null | grep '^msr/tsc/' >/dev/null || skip "no msr PMU"
	pmb_ok stat -j -e msr/tsc/,task-clock -- "$WORKLOADS/split" 0.5
	expect_ge "$(stat_value msr/tsc/)" 100000000 "ticks: no overflow interrupt is needed"
}

t_exact_counts_of_a_breakpoint() {
	local addr
	need_breakpoints
	addr=$(nm "$WORKLOADS/watch" | awk '$3 == "watched" { print "0x" $1 }')
	[ -n "$addr" ] || skip "the address is not known"
	pmb stat -j -e "mem:$addr/8:w" -- "$WORKLOADS/watch" 1000
	expect_eq "$rc" 0 "exit status"
	expect_eq "$(stat_value "mem:$addr/8:w")" 1000 "stores"
}

t_a_sleeping_process_is_not_counted() {
	spawn sleep 20
	wait_until grep -q '^sleep' "/proc/$spawned/comm" && sleep 0.5
	pmb_ok stat -p "$spawned" -e task-clock -d 0.2
	expect_match "$T/out" '<not counted> +task-clock +# nothing of the target ran' "it slept"
}

# The hierarchy by which the kernel counts: v1's perf_event, else v2.
counted_hierarchy() {
	awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { print $2 }' /proc/self/mounts |
		grep . ||
		awk '$3 == "cgroup2" { print $2 }' /proc/self/mounts | head -n 1
}

make_cgroups() { # NAME…: below $cg
	cg=$(counted_hierarchy)
	[ -n "$cg" ] || skip "no hierarchy that counts is mounted"
	cg+="/pmb-stat-$$"
	local name
	mkdir "$cg" 2>/dev/null || skip "can't make cgroups here"
	later rmdir "$cg"
	for name in "$@"; do
		mkdir "$cg/$name"
		later rmdir "$cg/$name"
	done
}

in_cgroup() { # FOLDER COMMAND…
	# shellcheck disable=SC2016
	sh -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$@"
}

t_cgroups() {
	need_root
	make_cgroups one two
	stat_start -G "$cg/one" -G "$cg/two" -G "$cg" -j -e page-faults
	in_cgroup "$cg/one" "$WORKLOADS/faults" 4000 >"$T/talk"
	in_cgroup "$cg/two" "$WORKLOADS/faults" 1000 >"$T/talk"
	"$WORKLOADS/faults" 9000 >"$T/talk" # nobody's
	pmb_finish INT
	expect_eq "$rc" 0 "exit status"
	expect_eq "$(jq -r '[.rows[].cgroup] | map(sub(".*/pmb-stat-[0-9]*"; "")) | join(",")' "$T/out")" \
		"/one,/two," "rows"
	expect_within "$(stat_value page-faults 0)" 4100 100 "faults in the first"
	expect_within "$(stat_value page-faults 1)" 1100 100 "faults in the second"
	expect_within "$(stat_value page-faults 2)" 5200 200 "faults in both: those below count"
}

t_cgroups_below() {
	need_root
	make_cgroups one two
	pmb_ok stat -G "$cg" --per-cgroup -x, -e page-faults -d 0.1
	expect_eq "$(awk -F, '{ sub(".*/pmb-stat-[0-9]*", "", $4); print $4 }' "$T/out" | paste -sd' ')" \
		" /one /two" "rows"
	expect_eq "$(grep -c '^<not counted>' "$T/out")" 3 "cgroups in which nothing ran"
}

# A container is found by its cgroup: here a unit, whose name its folder has.
t_container() {
	need_root
	local unit=one-$$.service
	make_cgroups "$unit" two
	stat_start --container "$unit" -j -e page-faults
	in_cgroup "$cg/$unit" "$WORKLOADS/faults" 4000 >"$T/talk"
	in_cgroup "$cg/two" "$WORKLOADS/faults" 9000 >"$T/talk"
	pmb_finish INT
	expect_eq "$rc" 0 "exit status"
	expect_eq "$(jq -r .whom "$T/out")" "container $unit" "whom"
	expect_within "$(stat_value page-faults)" 4100 100 "faults in it"
	pmb stat --container no-such -e page-faults -d 0.1
	expect_eq "$rc" 1 "exit status without one"
	expect_match "$T/err" "container no-such: none of that name is running; these are there: .*$unit" "what is there"
	pmb stat --container "$unit" -G "$cg" -d 0.1
	expect_eq "$rc" 2 "exit status beside -G"
}

# Where what counts isn't what tells containers apart, record may know one that stat doesn't.
t_container_of_another_hierarchy() {
	need_root
	local unit=other-$$.service other
	other=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { print $2; exit }' \
		/proc/self/mounts)
	[ -n "$other" ] || skip "no v1 hierarchy of memory"
	[ "$(awk '$3 == "cgroup2"' /proc/self/mounts | grep -cF "$(counted_hierarchy) ")" = 1 ] ||
		skip "v2 doesn't count here"
	mkdir "$other/$unit" || skip "can't make cgroups here"
	later rmdir "$other/$unit"
	pmb stat --container "$unit" -d 0.1
	expect_eq "$rc" 1 "exit status"
	expect_match "$T/err" \
		"none of that name .*in v2, under $(counted_hierarchy), where .* of memory" \
		"where it was looked for, and where not"
}

t_terms_of_an_alarm_by_cgroup() {
	need_root
	local unit=two-$$.service
	make_cgroups "$unit" three
	stat_start -a -I 100 -j -e task-clock \
		--alarm "page-faults{container=$unit} ~ page-faults{cgroup=$cg/three}"
	in_cgroup "$cg/$unit" "$WORKLOADS/faults" 4000 >"$T/talk"
	in_cgroup "$cg/three" "$WORKLOADS/faults" 1000 >"$T/talk"
	"$WORKLOADS/faults" 9000 >"$T/talk" # nobody's
	pmb_finish INT
	expect_eq "$rc" 0 "exit status"
	expect_within "$(jq -s 'map(.alarms[0].y) | add' "$T/out")" 4100 100 "faults in the first"
	expect_within "$(jq -s 'map(.alarms[0].x) | add' "$T/out")" 1100 100 "faults in the other"
}

t_tracepoints() {
	need_tracepoints
	local calls=syscalls:sys_enter_getppid
	pmb_ok stat -j -e "$calls,sched:sched_process_exit:k,page-faults" -- perl \
		-e 'getppid for 1 .. 1000'
	expect_eq "$(stat_value $calls)" 1000 "calls"
	expect_eq "$(stat_value sched:sched_process_exit:k)" 1 "ends"
	expect_ge "$(stat_value page-faults)" 1 "beside another event"
	pmb_ok stat -j -e "2:$(cat /sys/kernel/tracing/events/syscalls/sys_enter_getppid/id)" -- \
		perl -e 'getppid for 1 .. 10'
	expect_eq "$(jq '.rows[0].events[0].value' "$T/out")" 10 "calls, by its number"
	pmb stat -e 'sched:*' -- touch "$T/ran"
	expect_eq "$rc" 2 "exit status of a pattern"
	expect_match "$T/err" "'sched:\*' is a pattern: name each" "why"
	pmb stat -e sched:sched_swich -- touch "$T/ran"
	expect_eq "$rc" 2 "exit status of a wrong name"
	expect_match "$T/err" "no such tracepoint; .*events/sched. lists" "why"
	pmb stat -e nosuch:sched_switch -- touch "$T/ran"
	expect_match "$T/err" "there is no tracepoint of that name" "why, of a wrong category"
	pmb record -e sched:sched_switch -- touch "$T/ran"
	expect_eq "$rc" 2 "exit status of sampling one"
	expect_match "$T/err" "pmubpf stat -e counts them" "what counts them"
	[ ! -e "$T/ran" ] || fail "a command was run for nothing"
}

# Members of a group count at the same time: a fault is a minor or a major one. It counts when it
# begins, and once more when it has been served: a few of other programs may be in between, or fail.
expect_parts() {
	expect_within "$(jq '[.rows[].events[0].value] | add' "$T/out")" \
		"$(jq '[.rows[].events[1, 2].value] | add' "$T/out")" 20 \
		"faults, minor and major ones"
}

t_groups() {
	local group='{page-faults,minor-faults,major-faults}'
	pmb_ok stat -j -e "$group:u, task-clock" -- "$WORKLOADS/faults" 1000
	expect_eq "$(jq -r '[.rows[0].events[].name] | join(" ")' "$T/out")" \
		"page-faults:u minor-faults:u major-faults:u task-clock" "events"
	expect_within "$(stat_value page-faults:u)" 1050 50 "faults"
	expect_parts
	pmb_ok stat -A -j -e "$group" -- "$WORKLOADS/faults" 1000
	expect_parts
	pmb stat -e '{page-faults,minor-faults' -- true
	expect_eq "$rc" 2 "exit status of half a group"
	expect_match "$T/err" "brace of a group is not closed" "why"
	pmb_ok stat -j -e '{task-clock,page-faults}:Su,minor-faults' -- true # S is about samples
	expect_eq "$(jq -r '[.rows[0].events[].name] | join(" ")' "$T/out")" \
		"task-clock:u page-faults:u minor-faults" "events of a group with S"
	has_pmu || return 0
	# no PMU has so many counters: some of them are left out, the others counted
	pmb_ok stat -e "{branches$(printf ',branch-misses%.0s' $(seq 40))}" -- true
	expect_match "$T/out" "at the same time as those before it in its group" "why"
}

t_cgroup_of_another_hierarchy() {
	local other
	other=$(awk '$3 == "cgroup" && $4 ~ /(^|,)pids(,|$)/ { print $2 }' /proc/self/mounts)
	[ -n "$other" ] || skip "no v1 hierarchy of pids"
	pmb stat -G "$other" -d 0.1
	expect_eq "$rc" 3 "exit status"
	expect_match "$T/err" "in the hierarchy of pids, and the kernel counts by cgroup only in .*, under /" "why"
}

t_repeated() {
	pmb_ok stat -r 4 -j -e page-faults -- "$WORKLOADS/faults" 1000
	expect_eq "$(jq .runs "$T/out")" 4 "runs"
	expect_within "$(stat_value page-faults)" 1060 60 "the mean"
	expect_le "$(jq '.rows[0].events[0].spread_percent' "$T/out")" 5 "spread"
	expect_eq "$(grep -c '^base ' "$T/err")" 4 "times that it ran"
	pmb_ok stat -r 3 -e page-faults -- "$WORKLOADS/faults" 1000
	expect_match "$T/out" '^Counts of .*, the mean of 3 runs:' "the title"
	expect_match "$T/out" 'page-faults .*\(± [0-9.]* %\)' "the spread"
}

t_duration() {
	pmb stat -d 0.5 -e task-clock -- sleep 20
	expect_eq "$rc" 143 "the command gets SIGTERM"
	expect_match "$T/out" '^  0\.[5-9][0-9]* s elapsed' "time"
	pmb_ok stat -a -e task-clock -j -- sleep 0.3
	expect_ge "$(stat_value task-clock)" "$((300000000 * $(getconf _NPROCESSORS_ONLN)))" \
		"ns of all CPUs"
}

second_run() {
	[ "$(grep -c run "$T/runs" 2>/dev/null)" = 2 ]
}

t_interrupted_while_repeating() {
	stat_start -r 3 -j -e page-faults -- sh -c "echo run >>$T/runs; sleep 1.5"
	wait_until second_run || fail "no second run"
	pmb_finish INT
	expect_eq "$rc" 0 "exit status"
	expect_eq "$(jq .runs "$T/out")" 1 "whole runs"
	expect_eq "$(jq '.to_s >= 1.5' "$T/out")" true "the time of a whole run"
}

t_interrupted() {
	stat_start -e page-faults -- sleep 20
	pmb_finish INT
	expect_eq "$rc" 0 "exit status"
	expect_match "$T/out" 'page-faults' "the counts"
}

t_reader_gone() {
	local before after
	before=$(date +%s)
	"$PMUBPF" stat -I 50 -x, -e page-faults -d 60 -a 2>"$T/err" | head -n 2 >"$T/out"
	after=$(date +%s)
	expect_le "$((after - before))" 59 "seconds: it does not go on for its minute"
	expect_empty "$T/err" "talk"
}

t_without_privilege() {
	need_root
	need_program setpriv
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ] ||
		skip "kernel.perf_event_paranoid is not 2"
	cp "$PMUBPF" "$T/pmubpf" || skip "can't copy the tool"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$T/pmubpf" stat \
		-e page-faults,context-switches \
		-- true >"$T/out" 2>"$T/err"
	expect_eq $? 0 "exit status"
	expect_match "$T/out" ' page-faults:u ' "counted for user code"
	expect_match "$T/out" '<not supported> +context-switches .*no permission' \
		"nothing to do with user code"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$T/pmubpf" stat \
		-e task-clock,mem:0x1000/8:w -- true \
		>"$T/out" 2>"$T/err"
	expect_match "$T/out" ' task-clock ' "a clock counts all code"
	expect_match "$T/out" ' mem:0x1000/8:w:u |<not supported> ' "a name that -e takes"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$T/pmubpf" stat -a \
		-d 0.1 >"$T/out" 2>"$T/err"
	expect_eq $? 3 "exit status"
	expect_match "$T/err" 'perf_event_paranoid' "why"
}

t_clocks_count_all_code() {
	pmb_ok stat -e cpu-clock:k,task-clock,page-faults:u -- true
	expect_match "$T/out" "^  cpu-clock:k: the kernel's clock counters also count the code" \
		"the note"
	expect_eq "$(grep -c 'leaves out' "$T/out")" 1 "notes"
}

t_hostile_names() {
	start_threads 0.1
	pmb_ok stat -t "$spawned" -j -e "page-faults/name=a\"b/" -d 0.1
	expect_eq "$(jq -r '.rows[0].events[0].name' "$T/out")" 'a"b' "the name"
	pmb_ok stat -t "$spawned" -x, -e 'page-faults/name=a"b/' -d 0.1
	expect_match "$T/out" '^<not counted>,,"a""b",0,' "quoted"
}

t_bad_words() {
	local words
	while read -r words; do
		# shellcheck disable=SC2086
		pmb stat $words
		expect_eq "$rc" 2 "exit status of $words"
		expect_empty "$T/out" "counts"
	done <<-'END'
		-e page-faults
		-I 0 -- true
		-I x -- true
		-r 0 -- true
		-r 2 -p 1
		-r 2 -I 100 -- true
		-j -x, -- true
		--per-thread -- true
		--per-cgroup -- true
		-e no-such-event -- true
	END
}

# What a hypervisor takes, and since when: of a file that is mounted over the kernel's, for the tool
# alone.
t_time_that_a_hypervisor_takes() {
	unshare -m true 2>/dev/null || skip "no mount namespace can be made here"
	echo "cpu  1000 0 1000 1000 0 0 0 0 0 0" >"$T/before"
	echo "cpu  1100 0 1100 1100 0 0 0 100 0 0" >"$T/after"
	cp "$T/before" "$T/now"
	# shellcheck disable=SC2016 # the inner shell's
	printf '#!/bin/sh\nmount --bind %s /proc/stat\nexec %s "$@"\n' \
		"$T/now" "$PMUBPF" >"$T/tool"
	printf '#!/bin/sh\nexec unshare -m sh %s "$@"\n' "$T/tool" >"$T/wrapped"
	chmod +x "$T/wrapped"
	PMUBPF=$T/wrapped
	pmb_ok stat -e page-faults -o "$T/text" -- sh -c 'sleep 2.2; cat "$0" >"$1"' \
		"$T/after" "$T/now"
	expect_match "$T/text" \
		'^  the hypervisor took 25\.0 % of the CPUs. time \(from [1-9] s on\);' "the line"
	cp "$T/before" "$T/now"
	pmb_ok stat -e page-faults -j -o "$T/json" -- sh -c 'cat "$0" >"$1"' \
		"$T/after" "$T/now"
	expect_eq "$(jq -c '.processor | [.stolen_percent, .stolen_from_s]' "$T/json")" '[25,0]' \
		"JSON"
}

run_tests
