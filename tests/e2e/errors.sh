#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What goes wrong is one line: what failed, on what, why, what to do. And the exit status tells
# which kind.
# alone: it changes perf_event_max_sample_rate
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# Runs one line of a table: STATUS|REGEX|ARGUMENTS. The status and a line of stderr must match,
# nothing may come on stdout, and nothing that looks like a crash on stderr.
expect_error() {
	local status=${1%%|*} rest=${1#*|} regex args
	regex=${rest%|*}
	read -ra args <<<"${rest##*|}"
	pmb "${args[@]}"
	[ "$rc" = "$status" ] || fail "pmubpf ${args[*]}: exit status $rc, expected $status"
	grep -Eqi -- "$regex" "$T/err" || fail "pmubpf ${args[*]}: stderr has nothing like '$regex'"
	[ ! -s "$T/out" ] || fail "pmubpf ${args[*]}: something on stdout"
	! grep -Eq 'Assertion|Sanitizer|core dumped|libbpf:' "$T/err" ||
		fail "pmubpf ${args[*]}: $(head -n 1 "$T/err")"
}

expect_errors() {
	local line
	while read -r line; do
		[ -z "$line" ] || expect_error "$line"
	done
}

t_debuginfod_without_servers() {
	unset DEBUGINFOD_URLS
	expect_error '2|DEBUGINFOD_URLS names no server|record -e cpu-clock --debuginfod -- true'
}

t_numbers() {
	expect_errors <<-'TABLE'
		2|abc|record -e cpu-clock -F abc -- true
		2|-F|record -e cpu-clock -F 0 -- true
		2|-5|record -e cpu-clock -F -5 -- true
		2|12x|record -e cpu-clock -c 12x -- true
		1|'10ms'.*--timeline=10ms|record -e cpu-clock --timeline 10ms -- true
		2|-c|record -e cpu-clock -c 0 -- true
		2|99999999999999999999|record -e cpu-clock -c 99999999999999999999 -- true
		2|-d|record -e cpu-clock -d -1 -- true
		2|1e|record -e cpu-clock -d 1e -- true
		2|nan|record -e cpu-clock -d nan -- true
		2|zero|record -e cpu-clock -p zero
		2|-p|record -e cpu-clock -p 1,,2
		2|--max-depth|record -e cpu-clock --max-depth 0 -- true
		2|--max-depth|record -e cpu-clock --max-depth x -- true
		2|0-|record -e cpu-clock -C 0- -d 1
		2|furlongs|record -e cpu-clock --unit furlongs -- true
	TABLE
}

t_events() {
	expect_errors <<-'TABLE'
		2|cyclez.*not known|record -e cyclez -- true
		2|cycles|record -e cyclez -- true
		2|page-faults|record -e page-fault5 -- true
		2|dcache-miss|record -e dcache-mis -- true
		2|missing|record -e cpu-clock,, -- true
		2|cpu-clock:x|record -e cpu-clock:x -- true
		2|period|record -e cpu-clock/period=0/ -- true
		2|period|record -e cpu-clock/period=ten/ -- true
		2|too short.*period=10000|record -e cpu-clock/period=1/ -- true
		2|too short.*period=10000|record -e task-clock -c 9999 -- true
		2|too short.*period=10000|record -e software/config=0,period=1/ -- true
		2|freq|record -e cpu-clock/freq=-1/ -- true
		2|term|record -e cpu-clock/nonsense=3/ -- true
		2|nopmu|record -e nopmu/event=1/ -- true
		2|rXYZ|record -e rXYZ -- true
		2|mem:|record -e mem:nowhere -- true
		2|mem:|record -e mem:0x1000/3:w -- true
		2|mem:|record -e mem:0x1000:q -- true
		2|page-faults|record -e page-faults --unit time -- true
	TABLE
}

t_options() {
	expect_errors <<-'TABLE'
		2|data_node, window|record --label foo -- true
		2|speedscope, perf, jsonl|record --format foo -- true
		2|--passes|record --format jsonl --passes -e cpu-clock -- true
		2|10us|record --timeline=9us -e cpu-clock -- true
		2|10us|record --timeline=1001us -e cpu-clock -- true
		2|--frobnicate|record --frobnicate -- true
		2|frobnicate|frobnicate
		2|'F'|record -F
		2|--user-only.*--kernel-only|--kernel-only.*--user-only|record -e cpu-clock --user-only --kernel-only -- true
		2|--per-cpu|record -e cpu-clock --per-cpu --per-task -- true
		2|addr|record -e cpu-clock --addr=line -- true
	TABLE
}

t_targets() {
	local dead
	true &
	dead=$!
	wait "$dead"
	expect_error "1|$dead.*(no such|not |dead|gone)|record -e cpu-clock -p $dead -d 1"
	expect_error "1|$dead.*(no such|not |dead|gone)|record -e cpu-clock -t $dead -d 1"
	expect_error "1|/no/such/cgroup|record -e cpu-clock -G /no/such/cgroup -d 1"
	expect_error "2|4095|record -e cpu-clock -C 4095 -d 1"
}

t_no_target() {
	pmb record -e cpu-clock
	expect_eq "$rc" 2 "exit status"
	expect_match "$T/err" '-p' "what could be given is named"
}

# 0x9b alone is what begins a command for a terminal that knows no UTF-8.
t_no_command_for_the_terminal() {
	pmb record -G $'/nowhere/a\x1b[2J\x9b31m\xc2\x9b31m\xc3\xa4'
	grep -aqF $'/nowhere/a\\x1b[2J\\x9b31m\\xc2\\x9b31m\xc3\xa4' "$T/err" ||
		fail "the name: $(cat -v "$T/err")"
	pmb $'\x1b[2J'
	expect_match "$T/err" "'.x1b.2J' is not a command" "a command"
	pmb list $'\x1b[2J'
	expect_match "$T/err" "no event matches '.x1b.2J'" "a pattern"
	pmb list --events $'/nowhere/\x1b[2J'
	expect_match "$T/err" '/nowhere/.x1b.2J: No such file' "a file of events"
}

t_one_line() {
	pmb record -e cyclez -- true
	expect_le "$(wc -l <"$T/err")" 2 \
		"lines of the message (one, and one with the nearest names)"
}

t_no_pmu() {
	has_pmu && skip "this machine has a hardware PMU"
	pmb record -e cycles -- true
	expect_eq "$rc" 3 "exit status"
	expect_match "$T/err" 'cycles' "the event is named"
	expect_match "$T/err" 'PMU' "the reason"
	expect_match "$T/err" 'cpu-clock' "what to do instead"
}

t_default_event_is_told() {
	has_pmu && skip "this machine has a hardware PMU"
	pmb_ok record -o "$T/folded" -- true
	expect_match "$T/err" 'cpu-clock' "which event was chosen"
	expect_match "$T/err" 'PMU' "why"
}

# Someone without any privilege, with a copy of the tool in a place that they can read.
nobody() {
	install -m 755 "$PMUBPF" "$T/pmubpf"
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all \
		"$T/pmubpf" "$@" >"$T/out" 2>"$T/err" </dev/null
	rc=$?
}

t_no_privilege() {
	need_root
	nobody record -e cpu-clock -- true
	expect_eq "$rc" 3 "exit status"
	expect_match "$T/err" 'CAP_|root|sudo|privilege|permission' "what is missing"
	expect_empty "$T/out" "stdout"
}

t_no_privilege_for_others() {
	need_root
	spawn sleep 20
	nobody record -e cpu-clock -p "$spawned" -d 1
	expect_eq "$rc" 3 "exit status"
}

t_memlock_that_cannot_be_raised() {
	prlimit --memlock=65536:65536 "$PMUBPF" record -e cpu-clock -o "$T/folded" -- \
		true 2>"$T/err" ||
		fail "does not record with a small RLIMIT_MEMLOCK: $(head -n 1 "$T/err")"
}

# Whoever limits it is told by which limit.
t_little_memory() {
	need_root
	(
		ulimit -d 1024
		"$PMUBPF" record -e cpu-clock -o "$T/folded" -- true >"$T/out" 2>"$T/err"
	)
	expect_eq $? 1 "exit status"
	expect_match "$T/err" '(not enough|out of) memory.*; are there limits .ulimit -d, -v.\?$' "reason"
}

# It says how much is needed, and as much is enough. A limit that may be raised is raised, and the
# command has it as it was.
t_little_stack() {
	need_root
	local kb n
	for kb in 32 64; do
		(
			ulimit -s $kb
			"$PMUBPF" record -a -e cpu-clock -d 0.3 -o "$T/folded" >"$T/out" 2>"$T/err"
		)
		expect_eq $? 1 "exit status with $kb kB"
		expect_match "$T/err" "kB of stack are needed and the limit is $kb: raise it" \
			"the reason"
	done
	n=$(sed -n 's/.*(ulimit -s \([0-9]*\)).*/\1/p' "$T/err")
	(
		ulimit -s "$n"
		"$PMUBPF" record -a --by container --label thread --inline -e cpu-clock -d 0.3 \
			-o "$T/p.pb.gz" \
			--summary "$T/sum.json" >"$T/out" 2>"$T/err"
	) || fail "$n kB are not enough"
	expect_ledger
	# What of the helper's ends by it has no names, and it says why.
	[ "$(sum_get '.set_aside | length')" = 0 ] ||
		expect_match "$T/err" ": its stack is limited to $n kB \(ulimit -s\)\$" "the reason"
	(
		ulimit -Ss 64
		"$PMUBPF" record -e cpu-clock -o "$T/folded" -- sh -c 'ulimit -Ss' \
			>"$T/out" 2>"$T/err"
	) || fail "64 kB that may be raised"
	expect_eq "$(cat "$T/out")" 64 "kB of stack, in the command"
}

t_few_descriptors() {
	# Enough or an error that says so: no crash, no silence.
	prlimit --nofile=12:12 "$PMUBPF" record -e cpu-clock -o "$T/folded" -- \
		true >"$T/out" 2>"$T/err"
	rc=$?
	[ "$rc" -eq 0 ] || expect_match "$T/err" '^pmubpf: ' "the reason"
	expect_le "$rc" 3 "exit status"
}

# As many as it says are enough, to the end.
t_as_many_descriptors_as_it_says() {
	need_root
	local n options
	for options in "" "--data" "--window loop --longer 5ms" "-e page-faults"; do
		# shellcheck disable=SC2086
		prlimit --nofile=12:12 "$PMUBPF" record $options -a -e cpu-clock -d 0.3 \
			-o "$T/folded" >"$T/out" 2>"$T/err"
		n=$(sed -n 's/.*(ulimit -n \([0-9]*\)).*/\1/p' "$T/err")
		[ -n "$n" ] || fail "it does not say how many: $(head -n 1 "$T/err")"
		# shellcheck disable=SC2086
		prlimit --nofile="$n:$n" "$PMUBPF" record $options -a -e cpu-clock -d 0.3 \
			-o "$T/folded" --summary "$T/sum.json" >"$T/out" 2>"$T/err" ||
			fail "$n, $options: $(grep -v '^ ' "$T/err" | tail -n 1)"
		expect_ledger
	done
}

# What a caller left open counts as well. With one file fewer than it says it begins nothing; with
# as many, it gets to the end.
t_descriptors_that_are_inherited() {
	need_root
	local inherited n more
	for inherited in 0 40; do
		left_open "$inherited" 50
		expect_eq "$rc" 1 "exit status with $inherited inherited"
		n=$(sed -n 's/^pmubpf: about \([0-9]*\) open files are needed .*/\1/p' "$T/err")
		left_open "$inherited" $((n - 1))
		expect_match "$T/err" "^pmubpf: about $n open files are needed" \
			"the reason, with $inherited inherited"
		expect_eq "$(wc -l <"$T/err")" 1 "lines that it says"
		for more in 0 1 2; do
			left_open "$inherited" $((n + more))
			expect_eq "$rc" 0 "exit status with $inherited inherited and $n + $more"
			expect_ledger
		done
	done
	left_open 40 50
	expect_match "$T/err" "[(](4|5)[0-9] are open already[)]" "those that were there"
}

left_open() { # DESCRIPTORS LIMIT
	rc=0
	rm -f "$T/folded" "$T/sum.json" # outputs that are there are open as well
	# shellcheck disable=SC2016 # the inner shell's
	bash -c '
		for ((i = 0; i < $1; i++)); do exec {fd}</dev/null || exit; done
		ulimit -n "$2"
		shift 2
		exec "$@"' - "$@" "$PMUBPF" record -a -e cpu-clock -d 0.3 -o "$T/folded" \
		--summary "$T/sum.json" >"$T/out" 2>"$T/err" || rc=$?
}

# They are there, and it said that one wasn't.
t_more_processes_than_descriptors() {
	local i pids
	for ((i = 0; i < 60; i++)); do sleep 60 & done
	pids=$(jobs -p | paste -sd,)
	rc=0
	(ulimit -n 40 && exec "$PMUBPF" stat -e cpu-clock -p "$pids" -d 0.1) >"$T/out" 2>"$T/err" ||
		rc=$?
	# shellcheck disable=SC2046 # several
	kill $(jobs -p)
	expect_eq "$rc" 1 "exit status"
	expect_match "$T/err" 'Too many open files; -p takes one .* the limit is 40: raise it' "why"
	expect_no_match "$T/err" 'does not exist' "what isn't so"
}

t_help_and_version() {
	pmb_ok --help
	expect_match "$T/out" 'record' "subcommands"
	pmb_ok record --help
	expect_match "$T/out" '--summary' "options"
	pmb_ok --version
	expect_match "$T/out" '[0-9]+\.[0-9]+' "version"
}

# So many overflows a second, until the test ends; the runner has the kernel leave its limit alone,
# and then it takes no other.
limit_rate() { # HZ
	local rate=/proc/sys/kernel/perf_event_max_sample_rate
	local share=/proc/sys/kernel/perf_cpu_time_max_percent
	[ -w $rate ] && [ -w $share ] || skip "$rate can't be written"
	later sh -c "echo 25 >$share; echo $(cat $rate) >$rate; echo $(cat $share) >$share"
	echo 25 >$share
	echo "$1" >$rate
}

# A tenth of the rate that is asked for; what the summary advises is then not throttled.
t_throttled() {
	need_root
	local advised
	# on one CPU that is never idle: without its tick the kernel counts the overflows of many as
	# those of one
	spawn taskset -c 0 "$WORKLOADS/split" 60 >/dev/null
	limit_rate 1000
	pmb_ok record -C 0 -d 1 -e cpu-clock -c 100003 --summary "$T/sum.json" -o "$T/folded"
	[ "$(sum_get '.events[0].throttled')" -gt 0 ] || skip "this kernel throttles no clocks"
	# since when, and for how long the one counter stood still
	expect_eq "$(sum_get '.duration_s >= .events[0].throttled_from_s')" true "since when"
	expect_eq "$(sum_get '.events[0].throttled_s > 0')" true "seconds that it stood still"
	expect_eq "$(sum_get '.duration_s >= .events[0].throttled_s')" true "the same, at most"
	advised=$(sed -n 's/.*throttled it [0-9]* times, from [0-9.]* s after the beginning on, '`
		`'for [0-9.]* s of CPUs. time: use -c \([0-9]*\) or longer.*/\1/p' "$T/err")
	expect_ge "$advised" 1000000 "advised period"
	pmb_ok record -C 0 -d 1 -e cpu-clock -c "$advised" --summary "$T/sum.json" -o "$T/folded"
	expect_eq "$(sum_get '.events[0].throttled')" 0 "throttled with the advised period"
}

# What is wrong with the command line comes before what is said of the machine.
t_rates_that_exclude_each_other() {
	pmb record --rate lo -F 100 -- true
	expect_eq "$rc" 2 "exit status"
	expect_eq "$(wc -l <"$T/err")" 1 "lines of talk"
	expect_match "$T/err" '--rate and -F or -c exclude each other' "the error"
}

# The kernel stops an event that overflows too often until its next tick, and its count with it or
# not: the books compare with the time that the task ran. What is lost where it was switched out
# meanwhile is said by its cause.
t_throttled_on_a_task() {
	local event
	limit_rate 500
	spawn "$WORKLOADS/split" 20 >/dev/null
	for event in cpu-clock task-clock; do
		pmb_ok record -e $event -c 250007 -p "$spawned" -d 1 -o "$T/folded" \
			--summary "$T/sum.json"
		expect_columns
		expect_le "$(sum_ratio)" 1.05 "$event: Σ weights against the counter"
		expect_within "$(sum_counter)" "$(sum_get '.events[0].counter.running_ns')" 1 \
			"$event: the counter"
		if [ "$(sum_get .balanced)" = false ]; then
			expect_match "$T/err" "throttled the event.*perf_event_max_sample_rate" \
				"$event: the cause"
		fi
	done
}

run_tests
