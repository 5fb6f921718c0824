#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Functions of interpreters by name, without flags: CPython, of those that are here (in
# /usr/bin, and pyenv's) the oldest and the newest.
#
# RUNTIMES=all (make test-runtimes): all of them, and those of Debian's suites. PYTHONS: these
# instead, separated by spaces.
#
# timeout: 2400
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/runtimes_lib.sh
. "$(dirname "$0")/runtimes_lib.sh"
# shellcheck source=tests/e2e/churn_lib.sh
. "$(dirname "$0")/churn_lib.sh"

PROGRAMS=$TOP/tests/workloads/python
PYENV=${PYENV_ROOT:-$HOME/.pyenv}

# "3.7 to 3.15", and the numbers in it.
KNOWN=$(sed -n 's/^#define PMB_PYTHONS_KNOWN "\(.*\)"$/\1/p' "$TOP/include/pmubpf/python.h")
OLDEST=${KNOWN#3.} OLDEST=${OLDEST%% *} NEWEST=${KNOWN##*3.}

setup() {
	[ "$RUNTIMES" != all ] || bootstrap_suites
}

# Paths, and SUITE:PATH of those that are in a root of their own.
pythons() {
	local n
	if [ -n "${PYTHONS:-}" ]; then
		tr ' ' '\n' <<<"$PYTHONS"
		return
	fi
	for n in $(seq "$OLDEST" "$NEWEST"); do
		ls "/usr/bin/python3.$n" \
			"$PYENV/versions/3.$n".*/bin/"python3.$n" 2>"$T/no"
	done
	in_suites '/usr/bin/python3.*[0-9]'
}

oldest_and_newest() { # of a list
	if [ "$RUNTIMES" = all ] || [ -n "${PYTHONS:-}" ]; then
		cat
	else
		sed -n '1p; $p' | uniq
	fi
}

each_python() { # FUNCTION
	local python found=
	for python in $(pythons | oldest_and_newest); do
		found=1
		"$1" "$python"
	done
	[ -n "$found" ] || skip "no Python $KNOWN is here"
}

# What does not depend on the version: of the newest.
a_python() { # FUNCTION
	local python
	if [ "$RUNTIMES" = all ]; then
		each_python "$1"
		return
	fi
	python=$(pythons | tail -n 1)
	[ -n "$python" ] || skip "no Python $KNOWN is here"
	"$1" "$python"
}

t_suites_of_debian() {
	need_suites
}

t_the_manual_has_the_versions() {
	expect_match "$TOP/docs/man/pmubpf-record.1" "CPython runs \\($KNOWN;" "versions of CPython"
}

# The functions of Python of each line, outermost first, and how many samples the line has.
functions_of() { # FILE
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); m = split($0, f, ";"); line = ""
	       for (i = 1; i <= m; i++) if (sub(/_\[py\]$/, "", f[i])) line = line ";" f[i]
	       print substr(line, 2), n }' "$1"
}

OPTIONS=() # of record
record_python() { # PYTHON PROGRAM ARGUMENTS…
	runtime_command "$1" "$PROGRAMS/$2" "${@:3}"
	pmb_ok record -e cpu-clock --unit samples -F 1999 -o "$T/folded" \
		--summary "$T/sum.json" "${OPTIONS[@]}" -- "${RUN[@]}"
	expect_columns
}

samples_in() {
	awk '{ n += $NF } END { print n + 0 }'
}

# What a stack says up to the leaf must be what the leaf said.
stacks_are_told() { # PYTHON
	local wrong leaf line
	record_python "$1" oracle.py "$T/told" "$DEPTH" 0.2
	functions_of "$T/folded" >"$T/functions"
	for leaf in leaf_callback leaf_generator leaf_größe; do
		line=$(grep -E "(^|;)$leaf$" "$T/told") || fail "$1: $leaf did not tell its stack"
		# what is called there is ended by ";": tell(), and nothing else
		grep -E "(^|;)$leaf( |;)" "$T/functions" >"$T/those"
		expect_ge "$(samples_in <"$T/those")" 20 "$1: samples in $leaf"
		wrong=$(sed -E 's/ [0-9]+$//; s/;tell$//' "$T/those" |
			grep -vxF "$line" | head -n 1)
		[ -z "$wrong" ] || fail "$1: $leaf told $line, and a sample has $wrong"
	done
	# its native frames are in their places
	! grep -q '_PyEval_EvalFrameDefault.*leaf_callback_\[py\]' "$T/folded" ||
		fail "$1: the interpreter's function stands beside what it ran"
}

t_stacks() {
	DEPTH=12 each_python stacks_are_told
}

t_shallow_stacks() {
	[ "$RUNTIMES" = all ] || skip "make test-runtimes has it"
	DEPTH=0 each_python stacks_are_told
}

# Each stack up to its leaf is what the leaf said, with lines; the leaf's own line is that on which
# it spins, but for the moments before and after.
lines_are_told() { # PYTHON
	OPTIONS=(--lines)
	record_python "$1" lines.py "$T/told" 0.05
	OPTIONS=()
	expect_eq "$(wc -l <"$T/told")" 16 "$1: leaves that told their stacks"
	functions_of "$T/folded" | awk -v told="$T/told" '
		function split_leaf(stack) { # into callers, leaf, line
			match(stack, /leaf_[^:;]*:<made>:[0-9]+/)
			callers = substr(stack, 1, RSTART - 1)
			leaf = substr(stack, RSTART, RLENGTH)
			rest = substr(stack, RSTART + RLENGTH)
			line = leaf; sub(/.*:/, "", line); sub(/:.*/, "", leaf)
		}
		BEGIN {
			while ((getline < told) > 0) {
				split_leaf($0)
				want[leaf] = callers
				at[leaf] = line
			}
		}
		!/leaf_/ { next }
		{
			n = $NF; sub(/ [0-9]+$/, "")
			split_leaf($0)
			all++
			if (rest !~ /^(;tell:.*)?$/ || callers != want[leaf] ||
			    line < at[leaf] - 2 || line > at[leaf] + 1)
				print "a sample has " $0 ", told was " want[leaf] leaf " " at[leaf]
			else if (line == at[leaf])
				spins[leaf] += n
		}
		END {
			for (leaf in want)
				if (spins[leaf] < 30)
					print leaf ": " spins[leaf] + 0 " samples on its line"
		}' >"$T/wrong"
	[ ! -s "$T/wrong" ] || fail "$1: $(wc -l <"$T/wrong") wrong: $(head -n 1 "$T/wrong")"
}

t_lines() {
	each_python lines_are_told
}

shares_are_known() { # PYTHON
	record_python "$1" shares.py "$T/spent" 1
	awk '{ sub(/ [0-9]+$/, " " $NF); print }' "$T/folded" |
		awk -v spent="$T/spent" '
		BEGIN { while ((getline < spent) > 0) { want[$1] = $2; all += $2 } }
		{
			n = $NF
			for (f in want) if ($0 ~ ("(^|;)" f "_\\[py\\]")) { got[f] += n; sum += n }
		}
		END {
			if (sum < 300) print "only " sum + 0 " samples"
			for (f in want) {
				p = want[f] / all; q = got[f] / sum
				# 4 sigma, and what the two readings of the clock take
				if ((p - q) ^ 2 > (4 * sqrt(p * (1 - p) / sum) + 0.005) ^ 2)
					print f ": " 100 * q " %, and it had " 100 * p
			}
		}' >"$T/wrong"
	[ ! -s "$T/wrong" ] || fail "$1: $(head -n 1 "$T/wrong")"
}

t_shares() {
	a_python shares_are_known
}

# make test-runtimes: more than ten thousand samples of each.
names_are_true() { # PYTHON
	if [ "$RUNTIMES" = all ]; then
		record_python "$1" churn.py 12
		expect_churn "$T/folded" 10000 "$1"
	else
		record_python "$1" churn.py 0.6
		expect_churn "$T/folded" 300 "$1"
	fi
}

t_churn() {
	each_python names_are_true
}

threads_have_theirs() { # PYTHON
	local name
	record_python "$1" threads.py 0.5
	for name in first second third; do
		grep "^$name;" "$T/folded" >"$T/those"
		expect_ge "$(samples_in <"$T/those")" 50 "$1: samples of thread $name"
		! grep -E ';(first|second|third)_\[py\]' "$T/those" |
			grep -v ";${name}_\[py\]" >/dev/null ||
			fail "$1: thread $name has functions of another"
	done
}

t_threads() {
	each_python threads_have_theirs
}

# What a stack says up to the leaf is what the leaf said, through the interpreters around it.
interpreters_have_theirs() { # PYTHON
	local leaf line wrong
	rm -f "$T/told"
	record_python "$1" interpreters.py "$T/told" 0.06
	functions_of "$T/folded" >"$T/functions"
	expect_eq "$(wc -l <"$T/told")" 6 "$1: leaves that told their stacks"
	while read -r line; do
		leaf=${line##*;}
		grep -E "(^|;)$leaf " "$T/functions" >"$T/those"
		expect_ge "$(samples_in <"$T/those")" 20 "$1: samples in $leaf"
		wrong=$(sed -E 's/ [0-9]+$//' "$T/those" | grep -vxF "$line" | head -n 1)
		[ -z "$wrong" ] || fail "$1: $leaf told $line, and a sample has $wrong"
	done <"$T/told"
	! grep -q '_PyEval_EvalFrameDefault.*leaf_[a-z]*_\[py\]' "$T/folded" ||
		fail "$1: the interpreter's function stands beside what it ran"
}

has_interpreters() { # PYTHON
	runtime_command "$1" "$PROGRAMS/interpreters.py" "$T/no" 0
	"${RUN[@]}" >"$T/no" 2>&1
}

t_interpreters() {
	local python
	for python in $(pythons); do
		! has_interpreters "$python" || echo "$python"
	done >"$T/can"
	[ -s "$T/can" ] || skip "no Python here can have several interpreters"
	for python in $(oldest_and_newest <"$T/can"); do
		interpreters_have_theirs "$python"
	done
}

# 60 of them, the first included, with what each does before its own code runs. What has no name is
# the function that runs everything.
brief_ones_have_names() { # PYTHON
	local unnamed all
	runtime_command "$1" "$PROGRAMS/brief.py"
	# shellcheck disable=SC2016 # the inner shell's
	pmb record -F 999 -e cpu-clock -o "$T/folded" -- sh -c '
		i=0
		while [ $((i += 1)) -le 60 ]; do "$@" 0.03; done' sh "${RUN[@]}"
	unnamed=$(folded_sum_of "$T/folded" '_PyEval_EvalFrameDefault')
	all=$(folded_sum_of "$T/folded" '(_PyEval_EvalFrameDefault|_\[py\])')
	expect_ge "$(folded_sum_of "$T/folded" 'brief_outer_\[py\]')" 1500000000 "ns in $1's own"
	expect_ge 4 $((100 * unnamed / all)) "percent in functions of Python without names, $1"
}

t_scripts_of_30_ms() {
	a_python brief_ones_have_names
}

t_formats_know_it() {
	local python
	python=$(pythons | head -n 1)
	[ -n "$python" ] || skip "no Python $KNOWN is here"
	runtime_command "$python" "$PROGRAMS/shares.py" "$T/spent" 0.5
	pmb_ok record -e cpu-clock -o "$T/a.pb.gz" -- "${RUN[@]}"
	pmb_ok report --by module,function "$T/a.pb.gz"
	expect_ge "$(grep -cE '^ *[0-9].* function_60$' "$T/out")" 1 "rows of function_60"
	pmb_ok report --folded -o "$T/again" "$T/a.pb.gz"
	expect_ge "$(grep -c 'function_60_\[py\]' "$T/again")" 1 "lines of function_60, read back"
}

# In profiles, without --lines: the line at the sample, and where functions begin.
t_formats_know_lines() {
	local python total='[.rows[] | select(.name | test($at)) | .events[0].total.samples] | add'
	python=$(pythons | tail -n 1)
	[ -n "$python" ] || skip "no Python $KNOWN is here"
	runtime_command "$python" "$PROGRAMS/shares.py" "$T/spent" 0.5
	pmb_ok record -e cpu-clock -o "$T/a.pb.gz" -- "${RUN[@]}"
	pmb_ok report --by line --json "$T/a.pb.gz"
	# the loop; spin() begins on line 10
	expect_ge "$(jq --arg at '^spin shares[.]py:1[12]$' "$total" "$T/out")" 100 "in the loop"
	expect_ge 5 "$(jq --arg at '^spin shares[.]py:10$' "$total // 0" "$T/out")" "before it"
	gunzip -c "$T/a.pb.gz" | protoc --proto_path="$TOP/user" --decode=pmb.pprof.Profile \
		prof/profile.proto >"$T/text"
	expect_ge "$(grep -cE '^  start_line: 10$' "$T/text")" 1 "functions that begin there"
}

# Between frames of Python only what is no code of the interpreter.
t_interpreter_frames() {
	local python call='Outer[.]Inner[.]through_partial_\[py\];'
	python=$(pythons | grep -E '3[.]1[1-9]$' | head -n 1)
	[ -n "$python" ] || skip "no Python 3.11 or later is here"
	record_python "$python" oracle.py "$T/told" 2 0.1
	expect_ge "$(grep -cE "$call[^;]*lambda>_\[py\]" "$T/folded")" 1 "calls that are told"
	OPTIONS=(--interpreter-frames)
	record_python "$python" oracle.py "$T/told" 2 0.1
	expect_eq "$(grep -cE "$call[^;]*lambda>_\[py\]" "$T/folded")" 0 "with --interpreter-frames"
	expect_ge "$(grep -cE "$call.*;[^;]*lambda>_\[py\]" "$T/folded")" 1 "calls through C"
}

# What the leaves are, and what has a class.
t_reports_by_language_and_class() {
	local python
	python=$(pythons | grep -E '3[.]1[1-9]$' | head -n 1)
	[ -n "$python" ] || skip "no Python 3.11 or later is here"
	runtime_command "$python" "$PROGRAMS/oracle.py" "$T/told" 2 0.1
	pmb_ok record -e cpu-clock -o "$T/a.pb.gz" -o "$T/folded" --by language -- "${RUN[@]}"
	expect_ge "$(grep -c '^python;.*leaf_callback_\[py\] ' "$T/folded")" 1 "lines of python"
	expect_eq "$(grep '^python;' "$T/folded" | grep -vcE '_\[py\] [0-9]+$')" 0 "others in them"
	expect_eq "$(grep -E '_\[k\] [0-9]+$' "$T/folded" | grep -vc '^kernel;')" 0 \
		"lines of the kernel that are said to be others"
	pmb_ok report --by language --json "$T/a.pb.gz"
	# a sample amid an exec has no stack, and so no language
	expect_eq "$(jq -r '.rows[].name' "$T/out" | grep -vxF '[none]' | sort | paste -sd ' ')" \
		"kernel native python" "rows"
	pmb_ok report --by class "$T/a.pb.gz"
	expect_ge "$(grep -cE ' Outer[.]Inner$' "$T/out")" 1 "rows of Outer.Inner"
}

record_fake() { # SECONDS PROGRAM WHAT OPTION…
	pmb_ok record -e cpu-clock "${@:4}" -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/$2" "$3" "$1"
}

# One after the other, of one recording: which is which say their processes.
record_fakes() { # PROGRAM WHAT…
	# shellcheck disable=SC2016 # the inner shell's
	pmb_ok record -e cpu-clock --by pid --lines -o "$T/all" --summary "$T/sum.json" -- bash -c '
		for what in "${@:2}"; do
			(echo "$BASHPID" >"$1.$what"; exec "$0" "$what" 0.25) || exit
		done' "$WORKLOADS/$1" "$T/pid" "${@:2}"
	expect_columns
	expect_eq "$(sum_get '.events[0].kernel.dropped | add')" 0 "$1: dropped"
}

is_harmless() { # PROGRAM WHAT OPTION…
	if [ $# -gt 2 ]; then
		sed -n "s/^pid $(cat "$T/pid.$2");//p" "$T/all" >"$T/folded"
	else
		record_fake 0.4 "$@"
		expect_columns
		expect_eq "$(sum_get '.events[0].kernel.dropped | add')" 0 "$1 $2: dropped"
	fi
	expect_ge "$(user_share "$T/folded" "^$1;")" 99 "$1 $2: percent in it"
	case $2 in
	many | cycle | interpreters)
		# beside others the helper may have had no CPU while the program lived
		grep -qE 'hello(:hello:[0-9]+)?_\[py\]' "$T/folded" || record_fake 5 "$@"
		expect_ge "$(grep -cE 'hello(:hello:[0-9]+)?_\[py\]' "$T/folded")" 1 \
			"$1 $2: lines of hello"
		;;
	esac
}

t_hostile_interpreters() {
	local what program
	local all=(cycle threads length kernel nowhere many interpreters nobody)
	for program in fakepython oldpython; do
		record_fakes "$program" "${all[@]}"
		for what in "${all[@]}"; do
			is_harmless "$program" "$what" --lines
		done
	done
	is_harmless fakepython many # as above, without
	is_harmless fakepython cycle
}

t_unknown_version() {
	local old version program=$WORKLOADS/newpython file
	file=$(realpath "$program")
	pmb_ok record -e cpu-clock -o "$T/folded" --summary "$T/sum.json" -- "$program" many 0.4
	expect_columns
	expect_ge "$(user_share "$T/folded" ';_PyEval_EvalFrameDefault$' '^newpython;.*;main;')" \
		95 "percent in its function"
	expect_eq "$(sum_get '.runtime_unknown[] | .runtime + " in " + .file')" \
		"CPython 3.99 in $file" "the summary file"
	expect_match "$T/err" "^  runtime_unknown: CPython 3[.]99 in $file: .*-X perf" "the summary"
	for old in "$PYENV"/versions/{2.7,3.6}.*/bin/python; do
		[ -x "$old" ] || continue
		pmb_ok record -e cpu-clock -o "$T/folded" --summary "$T/sum.json" -- \
			"$old" -c 'for i in range(2000000): pass'
		version=$("$old" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
		expect_eq "$(sum_get '.runtime_unknown[].runtime')" "CPython $version" "$old"
	done
}

t_known_version_is_not_told() {
	pmb_ok record -e cpu-clock -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/fakepython" many 0.5
	expect_eq "$(sum_get '.runtime_unknown | length')" 0 "runtimes"
	! grep runtime_unknown "$T/err" || fail "the summary names one"
}

run_tests
