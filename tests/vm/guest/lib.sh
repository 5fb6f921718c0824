# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What the guests' scripts share; busybox sh and awk, nothing else. A script sources this file,
# defines tests as functions named t_…, and ends with run_tests: those at the end of this file run
# before. A test runs in a subshell; "fail" and "skip" end it with a reason. "figure TEXT" goes into
# the guest's last line, "note TEXT" does not.
T=/tmp/t
export W=/vm/workloads

say() { echo "@ $*"; }
figure() { say figure "$*"; }
note() { say note "$*"; }
fail() { echo "$*" >$T/reason; exit 1; }
skip() { echo "$*" >$T/reason; exit 77; }

# An emulated CPU may lack them, or never meet one, which pmubpf has to see.
need_breakpoints() {
	pmb record -e mem:0x1000/8:w -o $T/folded -- true
	[ $? -ne 3 ] || skip "no hardware breakpoints: $(head -n 1 $T/err)"
}

run_test() { # NAME
	local status
	mkdir -p $T
	( "t_$1" )
	status=$?
	case $status in
	0) say "ok $1" ;;
	77) say "skip $1: $(cat $T/reason)" ;;
	*)
		say "FAIL $1: $(cat $T/reason 2>/dev/null || echo "status $status")"
		head -n 20 $T/err $T/out $T/folded 2>/dev/null
		;;
	esac
	rm -rf $T
}

# Those that $ONLY names, separated by commas, if it names any. A guest's first script has those of
# this file, too; with $OWN, in the others, they are left out.
run_tests() {
	local name
	# shellcheck disable=SC2013,SC2046 # names
	for name in $(sed -n 's/^t_\([a-z0-9_]*\)() .*/\1/p' $([ -n "${OWN:-}" ] || echo /vm/lib.sh) /vm/run); do
		case ,${ONLY:-$name}, in *,$name,*) run_test "$name" ;; esac
	done
}

# pmubpf: folded stacks in $T/folded, the summary in $T/sum; it has to end with 0.
pmb() {
	/vm/pmubpf "$@" >$T/out 2>$T/err </dev/null
}

# Emulated, each sample costs a hundred times what it does elsewhere: with a budget there would be
# few.
pmb_record() {
	pmb record --budget 0 -o $T/folded --summary $T/sum "$@" ||
		fail "pmubpf record $* ended with $?: $(grep -v '^$' $T/err | head -n 1)"
}

# A number of the summary by its key, of the first event that has it.
sum_get() { # KEY
	awk -F'[:, ]+' -v key="\"$1\"" '$2 == key && $3 != "{" { print $3; exit }' $T/sum
}

# The sum of an object's members: dropped, weight_dropped.
sum_object() { # KEY
	awk -F'[:, ]+' -v key="\"$1\"" '
		$2 == key { inside = 1; next }
		inside && /}/ { exit }
		inside { s += $3 }
		END { printf "%.0f\n", s }' $T/sum
}

# The members of an object that are not 0.
sum_reasons() { # KEY
	awk -F'[:, ]+' -v key="\"$1\"" '
		$2 == key { inside = 1; next }
		inside && /}/ { exit }
		inside && $3 + 0 { printf "%s%s %s", sep, $2, $3; sep = ", " }' $T/sum
}

percent() { awk "BEGIN { printf \"%.2f\\n\", 100 * ($1) }"; }

# A figure, or a note, of that form: one decimal.
show_percent() { # figure|note NAME VALUE
	$1 "$2 $(awk "BEGIN { printf \"%.1f\", 100 * ($3) }") %"
}

# A comparison of numbers: is "EXPRESSION".
is() { awk "BEGIN { exit !($1) }"; }

expect_within() { # GOT WANT TOLERANCE WHAT
	is "($1 + 0) - ($2) <= $3 && ($2) - ($1 + 0) <= $3" || fail "$4: got $1, expected $2 ± $3"
}

expect_ge() { # GOT WANT WHAT
	is "($1 + 0) >= ($2)" || fail "$3: got $1, expected at least $2"
}

expect_eq() { # GOT WANT WHAT
	[ "$1" = "$2" ] || fail "$3: got '$1', expected '$2'"
}

# The columns of the (first event's) ledger are added up here, not only believed. Whether they hold
# all that the counter has is not asked: a task's clock loses what its timer is late by, and how
# late an emulated CPU's is, is up to what else runs.
expect_columns() {
	expect_eq $(($(sum_get emitted) + $(sum_get filtered) + $(sum_object dropped))) \
		"$(sum_get seen)" "emitted + filtered + dropped"
	expect_eq "$(sum_get decoded)" "$(sum_get emitted)" "decoded"
	expect_eq "$(sum_get aggregated)" "$(sum_get decoded)" "aggregated"
	expect_eq "$(sum_get weight_seen)" \
		$(($(sum_get weight_emitted) + $(sum_get weight_filtered) +
			$(sum_object weight_dropped))) "weights: emitted + filtered + dropped"
}

expect_ledger() {
	expect_eq "$(sum_get balanced)" true "the books balance"
	expect_columns
}

expect_lossless() {
	expect_eq "$(sum_object dropped)" 0 "dropped ($(sum_reasons dropped))"
}

# shellcheck disable=SC2120
folded_sum() { # [REGEX]
	re=${1:-.} awk 'BEGIN { re = ENVIRON["re"] }
		{ n = $NF; sub(/ [^ ]*$/, ""); if ($0 ~ re) s += n }
		END { printf "%.0f\n", s }' $T/folded
}

# Percent of the weight of the stacks that match, in those that match the second expression.
share() { # REGEX [REGEX]
	re=$1 all=${2:-.} awk '
		BEGIN { re = ENVIRON["re"]; all = ENVIRON["all"] }
		{ n = $NF; sub(/ [^ ]*$/, "") }
		$0 ~ all { sum += n; if ($0 ~ re) s += n }
		END { if (sum > 0) printf "%.2f\n", 100 * s / sum; else print "none" }' $T/folded
}

# Points that a share of PERCENT may be off: four sigma of the first event's samples, and half a
# point for what a program's own clock counts that no sample hits. Samples of timers that came late
# stand for several periods, and are worth less than as many of one each. (busybox's awk has no
# sqrt.)
points_of() { # PERCENT
	awk -v p="$1" -v n="$(sum_get emitted)" -v weight="$(sum_get weight)" \
		-v period="$(sum_get period)" 'BEGIN {
		periods = period > 0 ? weight / period : n
		if (periods < n) periods = n
		if (n <= 0) { print 0; exit }
		square = 16 * p * (100 - p) * periods / n / n
		root = square
		for (i = 0; i < 50 && root > 0; i++) root = (root + square / root) / 2
		printf "%.2f\n", root + 0.5
	}'
}

# The share of split's hot70, beside what split's own clock says of it.
expect_share_of_hot70() { # [FILE: what it said]
	local own
	own=$(awk '/hot70/ { printf "%.2f", 100 * $2 / ($2 + $4) }' ${1:-$T/out})
	expect_within "$(share ';hot70$' ';hot[37]0$')" "$own" "$(points_of "$own")" \
		"share of hot70"
}

# ---------------------------------------------------------------- what every guest has to show

t_doctor() {
	pmb doctor || fail "doctor ended with $?"
	sed -n '/^features/,$p' $T/out
}

t_programs_load() {
	/vm/cost >$T/out 2>$T/err || fail "$(tail -n 3 $T/err | tr '\n' ' ')"
	sed 's/^/@ cost /' $T/out
}

# The unit tests of the unwind step, answered by this kernel; and a step that is wrong, which has to
# show.
t_unwind_step() {
	local program
	for program in /vm/step/*; do
		$program >$T/out 2>&1 || fail "$(grep -m 1 -v '^ok ' $T/out)"
		grep -q '^ok ' $T/out || fail "$program ran no test"
		$program wrong >$T/out 2>&1 && fail "$program didn't notice a wrong step"
	done
	return 0
}

# A program as distributions build them, 30 frames deep, in two threads.
t_whole_stacks() {
	[ "$(uname -m)" != riscv64 ] || skip "walked by frame pointers here"
	pmb_record -e cpu-clock -F 999 -- $W/frameless deep 3
	expect_ledger
	sed -n '/user stacks/,/copied/p' $T/err
	# an emulated machine takes a second or two for the tables, and some of the copies until
	# then find no room
	is "$(sum_get stack_dumps_lost) * 3 <= $(sum_get emitted) * 2" ||
		fail "$(sum_get stack_dumps_lost) of $(sum_get emitted) copies had no room"
	expect_ge "$(share ';(main|thread);deep01;deep02;.*;deep29;deep30;' ';spin')" \
		"97 - 100 * $(sum_get stack_dumps_lost) / $(sum_get emitted)" \
		"percent of the weight in whole stacks"
}

# A row of a counter as `stat --by -x,` has it.
whose() { # NAME
	awk -F, -v name="$1" '$4 == name { n += $1 } END { print n + 0 }' $T/csv
}

# Of `stat --by`: all rows of each event are what the CPUs' counters have.
expect_sums() { # EVENTS; in $T/table
	sed -n 's/.*all rows are \([0-9]*\), the CPUs. counters \([0-9]*\)$/\1 \2/p' \
		$T/table >$T/sums
	expect_eq "$(wc -l <$T/sums)" "$1" "sums"
	expect_eq "$(awk '$1 != $2' $T/sums)" "" "sums that differ from the counters"
}

# A figure of a series of units of work.
series_get() { # SERIES KEY
	awk -F'[:, ]+' -v series="\"$1\"" -v key="\"$2\"" '
		$2 == "\"series\"" { inside = $3 == series }
		inside && $2 == key { print $3; exit }' $T/sum
}

# Of four threads, each unit has 7 faults. Where the kernel didn't call programs there are fewer.
# MORE: of the process's first probe that is single-stepped, which needs a page for a copy.
expect_marks() { # FAULTS [MORE]
	local of=$(($1 * $(sum_get ended)))
	figure "units unsure $(sum_get unsure), missed $(sum_get missed)"
	[ "$(sum_get missed)" = 0 ] || return 0
	expect_eq "$(sum_get began) $(sum_get abandoned) $(sum_get open)" "800 0 0" "units"
	expect_eq $(($(sum_get ended) + $(sum_get unsure))) 800 "that ended, and that are unsure"
	expect_ge "$(series_get page-faults sum)" $of "faults in them"
	expect_ge $((of + ${2:-0})) "$(series_get page-faults sum)" "at most so many"
	[ "$(series_get page-faults sum)" != $of ] ||
		expect_eq "$(series_get page-faults sd)" 0.000 "their spread"
}

# What threads say they work on, against their own clocks.
expect_contexts() { # COMMAND…
	pmb_record -e cpu-clock --by context -- "$@"
	expect_eq "$(sum_get balanced)" true "the books balance"
	expect_within \
		"$(percent "$(folded_sum '^http_route=/cart ') / $(folded_sum '^http_route=')")" \
		"$(percent "$(awk '$1 == "cart" { a = $2 } $1 == "search" { b = $2 }
			END { print a / (a + b) }' $T/out)")" 10 "percent of work for /cart"
	expect_ge "$(folded_sum '^http_route=/search http_method=GET user=ann;')" 1 \
		"with a key that got its name later"
}
