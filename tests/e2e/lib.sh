# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What the end-to-end suites share. A suite is a script that sources this file, defines tests as
# functions named t_…, and ends with the line "run_tests". Each test runs in a subshell of its own,
# with a fresh directory $T:
#
#     t_exit_status() {                     the test's name is its function's, without t_
#             pmb record -- sh -c 'exit 7'      stdout in $T/out, stderr in $T/err, status in $rc
#             expect_eq "$rc" 7 "exit status"   the first failed expectation ends the test
#     }
#
# skip REASON ends a test that this machine cannot run. What a test starts in the background, it
# starts with "spawn", and it and its children are killed (by their ids) when the test ends, however
# that happens.
#
# Environment: O (the build folder, as for make), PMUBPF (the tool), WORKLOADS (the known-answer
# programs), RESULTS (file that gets one line per test, set by tests/run.sh).
set -u -o pipefail
export LC_ALL=C

LIB_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TOP=${TOP:-$(cd "$LIB_DIR/../.." && pwd)}
O=$(cd "$TOP" && realpath -m "${O:-build}") # as for make
WORKLOADS=${WORKLOADS:-$O/workloads}
if [ "$O" = "$TOP/build" ]; then PMUBPF=${PMUBPF:-$TOP/pmubpf}; else PMUBPF=${PMUBPF:-$O/pmubpf}; fi
RESULTS=${RESULTS:-/dev/null}
export TOP PMUBPF WORKLOADS
# shellcheck source=tests/children.sh
. "$LIB_DIR/../children.sh"

# jq takes 40 ms to begin, and this one 3; a run of all tests begins thousands.
if command -v gojq >/dev/null; then jq() { gojq "$@"; }; fi

# ---------------------------------------------------------------- tests and their ends

SKIP_STATUS=77
SPAWNED=()
LATER=()

fail() {
	echo "$*" >"$T/reason"
	exit 1
}

skip() {
	echo "$*" >"$T/reason"
	exit $SKIP_STATUS
}

# Starts a process in the background; its id is in $spawned. (A shell without job control starts
# background processes with SIGINT ignored and without stdin: undone here.)
spawn() {
	env --default-signal=INT,QUIT "$@" <&0 &
	spawned=$!
	SPAWNED+=("$spawned")
}

# A command for the end of the test, whatever happens; the last given runs first.
later() {
	LATER+=("$(printf '%q ' "$@")")
}

# The same for the end of the suite: what one test begins and the next ones use.
at_the_end() {
	printf '%q ' "$@" >>"$S/at-the-end"
	echo >>"$S/at-the-end"
}

# Processes, behind what they started.
families_of() { # PID…
	local pid children
	for pid; do
		children=$(cat "/proc/$pid"/task/*/children 2>/dev/null)
		# shellcheck disable=SC2086
		[ -z "$children" ] || families_of $children
		echo "$pid"
	done
}

# Those of that name, of a process and what is behind it.
named_in() { # PID NAME
	local pid
	for pid in $(families_of "$1"); do
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" != "$2" ] || echo "$pid"
	done
}

has_gone() { # PID
	! grep -q '^State:.[^ZX]' "/proc/$1/status" 2>/dev/null
}

# Of loopback, for a server that is about to be started.
free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

# shellcheck disable=SC2317
end_test() {
	local pid i
	for pid in $(families_of ${SPAWNED[@]+"${SPAWNED[@]}"}); do
		kill -KILL "$pid" 2>/dev/null && wait "$pid" 2>/dev/null
	done
	for ((i = ${#LATER[@]} - 1; i >= 0; i--)); do
		eval "${LATER[i]}"
	done
	return 0
}

record_result() { # ok|FAIL|skip NAME REASON
	local suite
	suite=$(basename "$0" .sh)
	printf '%s %s/%s%s\n' "$1" "$suite" "$2" "${3:+: $3}"
	printf '%s %s/%s%s\n' "$1" "$suite" "$2" "${3:+: $3}" >>"$RESULTS"
}

# So many lines, and as many of the last.
begin_and_end() { # N
	awk -v n="$1" 'NR <= n { print; next }
		{ last[NR % n] = $0 }
		END { for (i = NR - n + 1; i <= NR; i++) if (i > n) print last[i % n] }'
}

# What helps to see why a test failed.
show_evidence() {
	local f
	for f in "$T/err" "$T/out"; do
		[ -s "$f" ] && sed "s|^|    $(basename "$f"): |" "$f" | cut -c -200 |
			begin_and_end "${EVIDENCE:-10}"
	done
}

run_test() { # NAME [FUNCTION]
	local name=$1 function=${2:-t_$1} status reason before after began
	T=$(mktemp -d "${TMPDIR:-/tmp}/pmb-$name.XXXXXX")
	chmod 755 "$T"
	TAKEN_BEFORE=$(taken_ns)
	[ ! -f "$RESULTS" ] || echo "$name" >"${RESULTS%.results}.test"
	began=${EPOCHREALTIME/./}
	children_ticks before
	( trap end_test EXIT; "$function" )
	status=$?
	children_ticks after
	[ ! -f "$RESULTS" ] ||
		echo "$((after - before)) $((${EPOCHREALTIME/./} - began))" \
			"$(basename "$0" .sh)/$name" >>"$RESULTS.times"
	reason=$(cat "$T/reason" 2>/dev/null)
	case $status in
	0) record_result ok "$name" ;;
	"$SKIP_STATUS") record_result skip "$name" "$reason" ;;
	*)
		record_result FAIL "$name" "${reason:-the test ended with status $status}"
		show_evidence
		;;
	esac
	rm -rf --one-file-system "$T"
}

# All tests of the suite in their order in the file, or those that $ONLY (a regular expression)
# matches. A function "setup" runs before them, as a test; what it leaves in $S is there for all of
# them.
run_tests() {
	local name names
	S=$(mktemp -d "${TMPDIR:-/tmp}/pmb-suite.XXXXXX")
	chmod 755 "$S"
	names=$(sed -n 's/^t_\([a-z0-9_]*\)() .*/\1/p' "$0")
	[ "$(type -t setup)" = function ] && run_test setup setup
	for name in $names; do
		[[ $name =~ ${ONLY:-.} ]] && run_test "$name"
	done
	# shellcheck disable=SC1091
	[ ! -e "$S/at-the-end" ] || . "$S/at-the-end"
	rm -rf --one-file-system "$S"
	return 0
}

# ---------------------------------------------------------------- expectations

expect_eq() { # GOT WANT WHAT
	[ "$1" = "$2" ] || fail "$3: got '$1', expected '$2'"
}

expect_ge() { # GOT WANT WHAT
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a + 0 >= b + 0 && a != "") }' ||
		fail "$3: got '$1', expected at least $2"
}

expect_le() { # GOT WANT WHAT
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a + 0 <= b + 0 && a != "") }' ||
		fail "$3: got '$1', expected at most $2"
}

expect_within() { # GOT WANT TOLERANCE WHAT
	awk -v a="$1" -v b="$2" -v t="$3" \
		'BEGIN { d = a - b; exit !(d <= t && -d <= t && a != "" && b != "") }' ||
		fail "$4: got '$1', expected $2 ± $3"
}

expect_match() { # FILE REGEX WHAT
	grep -Eq -- "$2" "$1" || fail "$3: no line of $(basename "$1") matches '$2'"
}

expect_no_match() { # FILE REGEX WHAT
	! grep -Eq -- "$2" "$1" || fail "$3: $(grep -Em1 -- "$2" "$1" | cut -c -160)"
}

expect_empty() { # FILE WHAT
	[ ! -s "$1" ] || fail "$2: $(head -n 1 "$1" | cut -c -160)"
}

# Waits until the command succeeds, at most 10 seconds.
# Percent of the samples whose stacks were to be copied, before there was a table of their file, and
# found no room: where the reader gets no CPU, many.
uncopied() {
	sum_get '([.stacks.user.no_table, .unwind.stack_dumps_lost] | min) * 100 /
		([.events[].user.aggregated // 0, 1] | add)'
}

wait_until() {
	local i
	for ((i = 0; i < 300; i++)); do
		"$@" && return 0
		sleep 0.1
	done
	return 1
}

wait_for() { # SECONDS COMMAND…
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		(( SECONDS < end )) || return 1
		sleep 0.2
	done
}

need_x86_64() {
	[ "$(uname -m)" = x86_64 ] || skip "probes are put into x86-64 programs only"
}

need_root() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

need_tracepoints() {
	need_root
	[ -d /sys/kernel/tracing/events ] || { mount -t tracefs none /sys/kernel/tracing &&
		later umount /sys/kernel/tracing; } 2>/dev/null
	[ -d /sys/kernel/tracing/events/syscalls ] ||
		skip "this kernel has no tracepoints of system calls"
}

kernel_is() { # VERSION: or newer
	[ "$(printf '%s\n' "$1" "$(uname -r)" | sort -V | head -n 1)" = "$1" ]
}

need_program() {
	command -v "$1" >/dev/null || skip "$1 is not installed"
}

# Some hypervisors let a guest set breakpoints and never let them fire: then a count of 0 is right.
need_breakpoints() {
	local count
	count=$("$WORKLOADS/breakpoints" 2>"$T/probe") ||
		skip "no hardware breakpoints: $(head -n 1 "$T/probe")"
	[ "$count" = 10 ] || skip "hardware breakpoints don't fire here: 10 stores counted $count without the tool"
}

# ---------------------------------------------------------------- the tool

pmb() {
	"$PMUBPF" "$@" >"$T/out" 2>"$T/err" </dev/null
	rc=$?
}

# The same, and it has to end with 0.
pmb_ok() {
	pmb "$@"
	[ "$rc" -eq 0 ] || fail "pmubpf $* exited with $rc: $(grep -v '^$' "$T/err" | head -n 1)"
}

# Starts pmubpf in the background and waits until it records. Its pid is in $tool.
pmb_start() {
	spawn "$PMUBPF" "$@" >"$T/out" 2>"$T/err" </dev/null
	tool=$spawned
	wait_until has_perf_events "$tool" ||
		fail "pmubpf $* does not record: $(head -n 1 "$T/err")"
	sleep 0.5
}

has_perf_events() { # PID
	find "/proc/$1/fd" -lname 'anon_inode:\[perf_event\]' 2>/dev/null | grep . >/dev/null
}

# SECONDS, and as much more as a new process takes more than 2 ms here and now: how soon the kernel
# does what it is asked for is not the tool's.
by_speed() { # SECONDS
	local began=${EPOCHREALTIME/./} i
	for ((i = 0; i < 20; i++)); do /bin/true; done
	awk -v s="$1" -v us=$((${EPOCHREALTIME/./} - began)) 'BEGIN {
		f = us / 20 / 2000; printf "%.3f\n", s * (f > 1 ? f : 1) }'
}

# How long it did not look at signals and the clock, without what it waited for a CPU.
expect_looks() { # SECONDS [WHAT]
	local limit=$1 longest
	longest=$(sum_get .opener.longest_s)
	# only then it matters how fast the machine is
	awk -v a="$longest" -v b="$1" 'BEGIN { exit !(a > b) }' && limit=$(by_speed "$1")
	expect_le "$longest" "$limit" "${2:+$2: }seconds between two looks at signals"
}

# Waits for it, after a signal if one is given.
pmb_finish() { # [SIGNAL]
	[ $# -eq 0 ] || kill "-$1" "$tool"
	wait "$tool"
	rc=$?
}

bpftool_path() {
	"$TOP/mk/find-bpftool.sh" 2>/dev/null
}

# Ids of the BPF programs that a process holds.
programs_of() { # PID
	sed -n 's/^prog_id:[[:space:]]*//p' "/proc/$1"/fdinfo/* 2>/dev/null | sort -un
}

# Programs of this tool that no process holds: pinned, or kept by something in the kernel.
orphaned_programs() {
	local id
	{ "$(bpftool_path)" -j prog show 2>/dev/null || echo '[]'; } |
		jq -r '.[] | select((.name // "") | startswith("pmb_")) | .id' |
		while read -r id; do
			grep -qs "^prog_id:[[:space:]]*$id\$" /proc/[0-9]*/fdinfo/* || echo "$id"
		done
}

# True if none of them is in the kernel any more.
ids_gone() { # prog|map ID…
	local listed
	listed=$("$(bpftool_path)" -j "$1" show 2>/dev/null | jq -r '.[].id') || return 1
	! grep -qxF "$(printf '%s\n' "${@:2}")" <<<"$listed"
}

programs_gone() { # ID…
	ids_gone prog "$@"
}

# Killed while it runs, it leaves no program in the kernel.
expect_nothing_stays() { # COMMAND…
	local left
	[ -n "$(bpftool_path)" ] || skip "no bpftool"
	pmb_start "$@"
	left=$(programs_of "$tool")
	[ -n "$left" ] || fail "there are no programs"
	pmb_finish KILL 2>/dev/null
	# shellcheck disable=SC2086 # several ids
	wait_until programs_gone $left || fail "programs are still there"
}

expect_refused() { # STATUS WORDS COMMAND…
	local status=$1 words=$2
	shift 2
	pmb "$@" -- true
	expect_eq "$rc" "$status" "exit status of $*"
	expect_match "$T/err" "$words" "the sentence about $*"
}

# perf, past Ubuntu's wrapper.
perf_path() {
	local p
	for p in "$(command -v perf)" /usr/lib/linux-tools/*/perf /usr/lib/linux-tools-*/perf; do
		if [ -x "$p" ] && "$p" --version >/dev/null 2>&1; then
			echo "$p"
			return 0
		fi
	done
	return 1
}

# Not grep -q: it ends early, and what writes into the pipe fails then (pipefail).
has_pmu() {
	"$PMUBPF" list 2>/dev/null | grep -E '^ *cycles .*\byes\b' >/dev/null
}

# The flamegraph.pl of the PATH, or Debian's, which lies outside.
flamegraph_path() {
	command -v flamegraph.pl && return 0
	local p=/usr/share/perl5/Devel/NYTProf/flamegraph.pl
	[ -r "$p" ] && echo "$p"
}

# ---------------------------------------------------------------- folded files
# "comm;frame;…;leaf N": the last blank separates the number; names may contain blanks.

folded_sum() { # FILE
	awk '{ s += $NF } END { printf "%.0f\n", s }' "$1"
}

# Sum of the lines whose stack (all before the number) matches an extended regular expression.
folded_sum_of() { # FILE REGEX
	awk -v re="$2" '{ n = $NF; sub(/ [^ ]*$/, ""); if ($0 ~ re) s += n } END { printf "%.0f\n", s }' "$1"
}

# (awk's regular expressions: no {n} here, mawk has none.)
# Percent of the weight whose stack matches, in what REGEX2 selects (default: all).
folded_share() { # FILE REGEX [REGEX2]
	awk -v re="$2" -v all="${3:-.}" '
		{ n = $NF; sub(/ [^ ]*$/, "") }
		$0 ~ all { sum += n; if ($0 ~ re) s += n }
		END { if (sum > 0) printf "%.3f\n", 100 * s / sum; else print "none" }' "$1"
}

# What was sampled in user code: how much the kernel did for a program, and in interrupts, depends
# on both.
user_code() { # FILE
	grep -v '_\[k\] [0-9]*$' "$1"
}

# The share of that.
user_share() { # FILE REGEX [REGEX2]
	folded_share <(user_code "$1") "$2" "${3:-.}"
}

# Percent of the weight by leaf, by any frame.
leaf_share() { # FILE NAME [REGEX2]
	folded_share "$1" ";$2\$" "${3:-.}"
}

frame_share() { # FILE NAME [REGEX2]
	folded_share "$1" ";$2(;|\$)" "${3:-.}"
}

# Points that a share of PERCENT may be off: four sigmas of so many samples, and half a point.
points_of() { # PERCENT SAMPLES
	awk -v p="$1" -v n="$2" 'BEGIN { printf "%.2f\n", (n >= 1) ? 400 * sqrt(p / 100 * (1 - p / 100) / n) + 0.5 : 0 }'
}

# What is left of PERCENT by chance, of so many samples: four sigmas below.
by_chance() { # PERCENT SAMPLES
	awk -v p="$1" -v n="$2" 'BEGIN {
		printf "%.2f\n", (n >= 1) ? p - 4 * sqrt(p * (100 - p) / n) : p }'
}

# Samples of what matches, so many for 1e9 of what is summed up (default: 1,000).
samples_of() { # FILE REGEX [RATE]
	awk -v sum="$(folded_sum_of "$1" "$2")" -v rate="${3:-1000}" \
		'BEGIN { printf "%d\n", sum / 1e9 * rate }'
}

# A function's share of the time, where a clock took so many samples a second of a CPU.
expect_share() { # FILE NAME PERCENT [REGEX2 [HZ]]
	local n
	n=$(samples_of "$1" "${4:-.}" "${5:-1000}")
	expect_within "$(frame_share "$1" "$2" "${4:-.}")" "$3" "$(points_of "$3" "$n")" \
		"share of $2 in $n samples"
}

expect_folded() { # FILE
	[ -s "$1" ] || fail "no folded stacks in $(basename "$1")"
	expect_no_match <(cat "$1") '^$|[^0-9]$' "a line does not end in a number"
	awk '!/^[^;]+(;[^;]+)* [0-9]+$/ { print; exit 1 }' "$1" >"$T/badline" ||
		fail "not a folded line: $(cut -c -160 "$T/badline")"
}

# ---------------------------------------------------------------- the summary (JSON)
# All knowledge of its keys stands here.

sum_get() { # FILTER [FILE]
	jq -r "$1" "${2:-$T/sum.json}"
}

sum_seen() { sum_get ".events[${1:-0}].kernel.seen"; }
sum_emitted() { sum_get ".events[${1:-0}].kernel.emitted"; }
sum_filtered() { sum_get ".events[${1:-0}].kernel.filtered"; }
sum_dropped() { sum_get "[.events[${1:-0}].kernel.dropped[]] | add // 0"; }
sum_aggregated() { sum_get ".events[${1:-0}].user.aggregated"; }
sum_weight() { sum_get ".events[${1:-0}].user.weight"; }
sum_counter() { sum_get ".events[${1:-0}].counter.value"; }
sum_ratio() { sum_get ".events[${1:-0}].ratio"; }
sum_ratio_why() { sum_get ".events[${1:-0}].ratio_why"; }
sum_remainder() { sum_get ".events[${1:-0}].remainder"; }
sum_unit() { sum_get ".events[${1:-0}].unit"; }
sum_scope() { sum_get ".events[${1:-0}].scope"; }
sum_name() { sum_get ".events[${1:-0}].name"; }
sum_named() { sum_get '.frames.named'; }
sum_unnamed() { sum_get '[.frames.unnamed[]] | add // 0'; }
sum_lost_sideband() { sum_get '.sideband.lost'; }

# The laws of the ledger, each printed when it is broken.
# shellcheck disable=SC2016
column_laws='
def total: [.[]] | add // 0;
def law(name; a; b): if a == b then empty else "\(name): \(a) != \(b)" end;
(.events[] | .name as $n |
	law("\($n): seen = emitted + filtered + closed + dropped"; .kernel.seen;
		.kernel.emitted + .kernel.filtered + .kernel.closed + (.kernel.dropped | total)),
	law("\($n): weights seen = emitted + filtered + closed + dropped"; .kernel.weight_seen;
		.kernel.weight_emitted + .kernel.weight_filtered + .kernel.weight_closed + (.kernel.weight_dropped | total)),
	law("\($n): decoded = aggregated + discarded"; .user.decoded;
		.user.aggregated + (.user.discarded // {} | total)),
	(if .ratio == null and ((.ratio_why // "") == "") then "\($n): neither a ratio nor a reason" else empty end)),
law("emitted = decoded + rejected"; [.events[].kernel.emitted] | add;
	([.events[].user.decoded] | add) + (.rejected | total)),
law("unwind statuses: one of the user stack for each sample"; [.events[].user.aggregated] | add; .stacks.user | total),
law("unwind statuses: one of the kernel stack for each sample"; [.events[].user.aggregated] | add; .stacks.kernel | total)
'

expect_columns() { # [FILE]
	local broken
	broken=$(jq -r "$column_laws" "${1:-$T/sum.json}") ||
		fail "the summary cannot be read by jq"
	[ -z "$broken" ] || fail "ledger: $(echo "$broken" | head -n 3 | tr '\n' ';')"
}

# The columns, and the tool finds nothing to remark on them but that a clock's timer came late or
# was throttled: that is how busy the machine was, or the one that it is a guest of.
expect_ledger() { # [FILE]
	expect_columns "${1:-$T/sum.json}"
	jq -e '.balanced or (.remarks | length > 0 and all(test("the clock.s timer came late|the kernel throttled the event,")))' \
		"${1:-$T/sum.json}" >/dev/null ||
		fail "the tool says that the books do not balance: $(jq -c .remarks "${1:-$T/sum.json}")"
}

# A clock's overflows come late where tasks switch thousands of times a second. Then the tool has to
# say so in the first line; the columns have to add up in any case. What the kernel calls no program
# for is lost to perf, too.
expect_honest_ledger() {
	local i n bad=0
	expect_columns
	n=$(sum_get '.events | length')
	for ((i = 0; i < n; i++)); do
		expect_eq "$(sum_dropped "$i")" "$(sum_get ".events[$i].kernel.dropped.unseen")" \
			"dropped in the kernel"
		sum_get ".events[$i] | [.ratio // 1, (.remainder // 0) / ([.counter.value, 1] | max)] | @tsv" |
			awk '{ exit !($1 + $2 < 0.95) }' && bad=1
	done
	expect_eq "$(sum_get .balanced)" "$([ $bad = 1 ] && echo false || echo true)" "balanced"
	[ $bad = 0 ] || expect_match <(head -n 1 "$T/err") 'NOT BALANCE' \
		"the first line of the summary"
}

# Nothing dropped, and the ratio (after the remainder) is no worse than 95 %.
expect_lossless() { # [EVENT]
	expect_eq "$(sum_dropped "${1:-0}")" 0 "dropped in the kernel"
	[ "$(sum_ratio "${1:-0}")" = null ] && return 0
	expect_weight_near_counter 5 "${1:-0}"
}

# Σ weights of all overflows seen against the counter (without idle time that has no overflows):
# within PERCENT, or the stated remainder.
expect_weight_near_counter() { # PERCENT [EVENT]
	local i=${2:-0}
	sum_get ".events[$i] | [.kernel.weight_seen, .counter.value - .idle_ns, .remainder // 0] | @tsv" |
		awk -v p="$1" '{ d = $1 - $2; tol = $2 * p / 100 + $3; ok = $2 > 0 && d <= tol && -d <= tol }
			END { exit !ok }' || # also where there is nothing
		fail "weights against the counter: $(sum_get ".events[$i] | [.kernel.weight_seen, .counter.value - .idle_ns, .remainder] | @csv")"
}

# What a hypervisor and interrupts have taken from all CPUs since boot, ns. Clocks go on meanwhile,
# and so does what samples by them; the CPU time of threads doesn't.
taken_ns() {
	awk -v hz="$(getconf CLK_TCK)" '/^cpu / { printf "%.0f\n", ($7 + $8 + $9) * 1e9 / hz }' \
		/proc/stat
}

# ns by a clock event against CPU time: within PERCENT, and what was taken meanwhile (default: since
# the test began) may be in it. Of a clock on each CPU that takes HZ samples a second, the scatter
# of so many samples, four sigmas.
expect_ns() { # GOT WANT PERCENT WHAT [HZ [TAKEN]]
	awk -v a="$1" -v b="$2" -v p="$3" -v hz="${5:-0}" \
		-v taken="${6:-$(($(taken_ns) - TAKEN_BEFORE))}" '
		BEGIN {
			room = b * p / 100 + (hz > 0 ? 4 * sqrt(b / 1e9 * hz) * 1e9 / hz : 0)
			exit !(a != "" && b > 0 && a - b <= room + taken && b - a <= room)
		}' || fail "$4: got '$1', expected $2 ± $3 %, $(($(taken_ns) - TAKEN_BEFORE)) taken meanwhile"
}

# CPU time of a process so far, in ns (all its threads; finished children are not in it).
cpu_time_ns() { # PID
	awk -v hz="$(getconf CLK_TCK)" '{ sub(/^.*\) /, ""); printf "%.0f\n", ($12 + $13) * 1e9 / hz }' "/proc/$1/stat"
}
