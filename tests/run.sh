#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Runs the end-to-end suites: tests/run.sh [SUITE.sh…] (default: all in tests/e2e).
#
# One line per test, and at the end exactly "N passed, N failed, N skipped"; the exit status is 0 if
# nothing failed. A suite fails that dies, has a test that hangs, runs no test, or skips everything.
# After each suite stands how long it took, and how much CPU time; at the end, which tests took
# most.
#
# Suites run side by side, $LANES at a time, those that say "# long" first; at the end, each alone,
# those that say "# alone: WHY". After each of these, and after all that ran side by side, the
# kernel is looked at: no BPF program of this tool may be left, no new BUG, WARNING or Oops in its
# log.
#
# Tests that failed run once more after all others, with nothing beside them, and that verdict
# counts: what broke fails twice, what other work on the machine made late does not. Each is named
# in a line "second try, alone: …" with its first reason. If more than $SECOND_TRIES failed, none is
# tried.
#
# Environment: UNIT_DIR (a folder of unit tests, run and counted too), LANES (default: the CPUs and
# one more), SECOND_TRIES (default 30), SOAK=1 runs the long forms,
# TEST_TIMEOUT (seconds), SUITE_DIR (another folder of suites), KEEP_LOG=FILE (all output).
set -u -o pipefail

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export TOP
# shellcheck source=tests/children.sh
. "$TOP/tests/children.sh"
HZ=$(getconf CLK_TCK)
SUITE_DIR=${SUITE_DIR:-$TOP/tests/e2e}
TEST_TIMEOUT=${TEST_TIMEOUT:-600}
WORK=$(mktemp -d "${TMPDIR:-/tmp}/pmb-run.XXXXXX")
LANES=${LANES:-$(($(nproc) + 1))}
SECOND_TRIES=${SECOND_TRIES:-30}
trap 'restore_rates; rm -rf "$WORK"' EXIT
trap 'end_suites; exit 130' INT TERM HUP

# How long a test may take: a line "# timeout: SECONDS" in its suite says so if the usual is not
# enough. How many a suite has, and how slow the machine is, is no reason to end it.
test_timeout() { # FILE
	local t
	t=$(sed -n 's/^# timeout: \([0-9]*\)$/\1/p' "$1" | head -n 1)
	echo "${t:-$TEST_TIMEOUT}"
}

# Ends a suite one of whose tests hangs. Each that begins writes its name into $WORK/SUITE.test,
# which is there for as long as this runner is.
end_if_it_hangs() { # PID SUITE SECONDS
	local step=$((1 + $3 / 60)) waited=0 before='' now
	while sleep $step; do
		now=$(cat "$WORK/$2.test") && [ "$(cat "/proc/$1/comm")" = timeout ] || return
		waited=$((waited + step))
		[ "$now" = "$before" ] || waited=0
		before=$now
		[ $waited -gt "$3" ] || continue
		touch "$WORK/$2.hangs"
		kill "$1"
		return
	done
}

# timeout leads a group of its own, in which are all that didn't leave it.
end_group() { # PID
	local i
	for ((i = 0; i < 20; i++)); do
		kill -0 -- "-$1" 2>/dev/null || return
		sleep 0.5
	done
	kill -KILL -- "-$1" 2>/dev/null
}

# What the suites of this run said is in $WORK/NAME.results.
count() { # WORD FILE…
	cat "${@:2}" 2>/dev/null | grep -c "^$1 "
}

fail_suite() { # SUITE REASON
	echo "FAIL $1: $2" | tee -a "$WORK/$1.results"
}

# Kernel messages that must not appear, if the log can be read.
kernel_complaints() {
	dmesg 2>/dev/null |
		grep -E '(BUG|WARNING|Oops|general protection fault|soft lockup|hung task)[: ]'
}

# Programs of this tool that no process holds.
left_programs() {
	bash -c '. "$TOP/tests/e2e/lib.sh"; [ -z "$(bpftool_path)" ] || orphaned_programs'
}

# Programs of a killed process go a moment later.
settled() {
	local i
	for ((i = 0; i < 30; i++)); do
		[ -z "$(left_programs)" ] && return 0
		sleep 0.1
	done
	return 1
}

# Runs what is given, and looks at the kernel before and after.
watching_the_kernel() { # WHO COMMAND…
	local who=$1 new
	kernel_complaints >"$WORK/dmesg.before"
	"${@:2}"
	settled || fail_suite "$who" "left in the kernel: BPF programs $(left_programs | tr '\n' ' ')"
	kernel_complaints >"$WORK/dmesg.after"
	new=$(diff "$WORK/dmesg.before" "$WORK/dmesg.after" | grep -m 1 '^>')
	[ -z "$new" ] || fail_suite "$who" "the kernel complained: ${new#> }"
}

name_of() { # FILE
	basename "$1" .sh
}

run_suite() { # FILE
	local name limit status results pid watcher began=$SECONDS before after
	children_ticks before
	name=$(name_of "$1")
	results=$WORK/$name.results
	limit=$(test_timeout "$1")
	: >"$results"
	rm -f "$WORK/$name.hangs"
	echo "its beginning" >"$WORK/$name.test"
	# in the background, so that a signal finds this shell waiting; with the signals that this
	# would take away; behind timeout, which passes a signal on to all of them
	RESULTS=$results env --default-signal=INT,QUIT timeout 0 bash "$1" </dev/null &
	pid=$!
	echo "$pid" >"$WORK/$name.pid"
	end_if_it_hangs "$pid" "$name" "$limit" >/dev/null 2>&1 &
	watcher=$!
	wait "$pid"
	status=$?
	kill "$watcher" 2>/dev/null
	rm -f "$WORK/$name.pid"
	if [ -e "$WORK/$name.hangs" ]; then
		end_group "$pid"
		fail_suite "$name" "$(cat "$WORK/$name.test") not done after $limit s"
	elif [ "$status" -ne 0 ]; then
		fail_suite "$name" "the suite itself ended with status $status"
	elif [ ! -s "$results" ]; then
		fail_suite "$name" "no test ran"
	elif [ "$(count skip "$results")" -eq "$(wc -l <"$results")" ]; then
		fail_suite "$name" "everything is skipped"
	fi
	children_ticks after
	echo "--- $name: $((SECONDS - began)) s, $(((after - before) / HZ)) s of CPU"
}

end_suites() {
	local file
	for file in "$WORK"/*.pid; do
		[ ! -s "$file" ] || kill "$(cat "$file")" 2>/dev/null
	done
}

# A suite's lines stay together: they come when it has ended.
run_in_a_lane() { # FILE
	local out
	out=$WORK/$(name_of "$1").out
	run_suite "$1" >"$out" 2>&1
	flock "$WORK" cat "$out"
}

run_side_by_side() { # FILE…
	local file running=0
	for file; do
		if [ "$running" -ge "$LANES" ]; then
			wait -n
			running=$((running - 1))
		fi
		run_in_a_lane "$file" &
		running=$((running + 1))
	done
	wait
}

alone() { # FILE
	grep -q '^# alone: ' "$1"
}

# Those that take more than a minute and a half come first: else one of them ends alone.
by_length() { # FILE…
	local file
	for file; do
		if grep -qx '# long' "$file"; then echo "0 $file"; else echo "1 $file"; fi
	done | sort -s -k1,1 | cut -d' ' -f2-
}

run_suites() { # FILE…
	local files beside=() lonely=() file
	mapfile -t files < <(by_length "$@")
	for file in "${files[@]}"; do
		if alone "$file"; then lonely+=("$file"); else beside+=("$file"); fi
	done
	[ ${#beside[@]} -eq 0 ] || watching_the_kernel side-by-side run_side_by_side "${beside[@]}"
	for file in ${lonely[@]+"${lonely[@]}"}; do
		watching_the_kernel "$(name_of "$file")" run_suite "$file"
	done
}

failed_tests() { # SUITE: the names, a line each
	sed -n "s|^FAIL $1/\([a-z0-9_]*\): .*|\1|p" "$WORK/$1.results"
}

try_again() { # FILE
	local name tests test first=$WORK/first
	name=$(name_of "$1")
	mapfile -t tests < <(failed_tests "$name")
	sed -n "s|^FAIL $name/|second try, alone: $name/|p" "$WORK/$name.results"
	mv "$WORK/$name.results" "$first"
	ONLY="^($(IFS='|' && echo "${tests[*]}"))\$" run_suite "$1"
	for test in "${tests[@]}"; do
		grep -qx "ok $name/$test" "$WORK/$name.results" &&
			sed -i "s|^FAIL $name/$test: .*|ok $name/$test|" "$first"
	done
	mv "$first" "$WORK/$name.results"
}

second_tries() { # FILE…
	local file name failed
	failed=$(cat "$WORK"/*.results | grep -c '^FAIL [^ ]*/')
	[ "$failed" -gt 0 ] || return 0
	if [ "$failed" -gt "$SECOND_TRIES" ]; then
		echo "no second try: $failed tests failed, more than $SECOND_TRIES"
		return
	fi
	for file; do
		name=$(name_of "$file")
		[ -z "$(failed_tests "$name")" ] || watching_the_kernel "$name" try_again "$file"
	done
}

# Where a PMU's interrupts are slow, as in virtual machines, the kernel lowers the rate that it
# allows everybody, and never raises it again: what ran before would decide. While tests run it does
# not.
RATE=/proc/sys/kernel/perf_event_max_sample_rate
RATE_SHARE=/proc/sys/kernel/perf_cpu_time_max_percent
rate='' rate_share=''
keep_rates() {
	local high=100000
	[ -w "$RATE" ] && [ -w "$RATE_SHARE" ] || return 0
	[ "$(cat "$RATE_SHARE")" != 0 ] || [ "$(cat "$RATE")" -lt $high ] || return 0
	rate=$(cat "$RATE") rate_share=$(cat "$RATE_SHARE")
	set_rates "$((rate > high ? rate : high))" 0
}

set_rates() { # RATE SHARE
	echo 25 >"$RATE_SHARE" # with 0 or 100 the rate can't be written
	echo "$1" >"$RATE"
	echo "$2" >"$RATE_SHARE"
}

restore_rates() {
	[ -z "$rate" ] || set_rates "$rate" "$rate_share"
}

# The unit tests of UNIT_DIR, if asked for: their counts go into the last line.
unit_passed=0 unit_failed=0 unit_skipped=0
unit_dir=${UNIT_DIR:-}
unset UNIT_DIR # the runner's own test runs it again, without them
unit_tests() {
	[ -n "$unit_dir" ] || return 0
	"$TOP/tests/run-unit.sh" "$unit_dir" | tee "$WORK/unit" | sed '$d'
	if ! read -r unit_passed _ unit_failed _ unit_skipped _ < <(tail -n 1 "$WORK/unit" | tr -d ,); then
		fail_suite unit "the unit tests did not end"
	fi
}

# Fresh Debian systems run suites of their own: make test-nest.
all_suites() {
	local file
	for file in "$SUITE_DIR"/*.sh; do
		case $(basename "$file") in
		lib.sh | *_lib.sh | nest.sh) ;;
		*) echo "$file" ;;
		esac
	done
}

# Of CPU time, and of time that passed besides.
dearest_tests() {
	awk -v hz="$HZ" '{ print $1 / hz, $3 }' "$WORK"/*.times 2>/dev/null | put_most "s of CPU"
	awk -v hz="$HZ" '{ print $2 / 1e6 - $1 / hz, $3 }' "$WORK"/*.times 2>/dev/null |
		put_most "s of waiting"
}

put_most() { # OF-WHAT
	sort -rn | head -n 20 | awk -v what="$1" '
		{ printf "%s%s %.1f", NR == 1 ? "--- " what ": " : ", ", $2, $1 }
		END { if (NR) print "" }'
}

main() {
	local suites=("$@") passed failed skipped
	[ ${#suites[@]} -gt 0 ] || mapfile -t suites < <(all_suites)
	unit_tests
	run_suites "${suites[@]}"
	dearest_tests
	second_tries "${suites[@]}"
	passed=$(($(count ok "$WORK"/*.results) + unit_passed))
	failed=$(($(count FAIL "$WORK"/*.results) + unit_failed))
	skipped=$(($(count skip "$WORK"/*.results) + unit_skipped))
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ]
}

keep_rates
if [ -n "${KEEP_LOG:-}" ]; then
	main "$@" 2>&1 | tee "$KEEP_LOG"
else
	main "$@"
fi
