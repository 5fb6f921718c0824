#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Functions of interpreters by name, without flags: CPython 3.8 to 3.13, each that is here (in
# /usr/bin, and pyenv's). QUICK: the oldest of them and the newest.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

PROGRAMS=$TOP/tests/workloads/python

pythons() {
	local p
	for p in {8,9,10,11,12,13}; do
		ls "/usr/bin/python3.$p" \
			"${PYENV_ROOT:-$HOME/.pyenv}/versions/3.$p".*/bin/"python3.$p" 2>"$T/no"
	done
}

some_pythons() {
	if [ "$QUICK" = 0 ]; then
		pythons
	else
		pythons | sed -n '1p; $p' | uniq
	fi
}

each_python() { # FUNCTION
	local python found=
	for python in $(some_pythons); do
		found=1
		"$1" "$python"
	done
	[ -n "$found" ] || skip "no Python 3.8 to 3.13 is here"
}

# The functions of Python of each line, outermost first, and how many samples the line has.
functions_of() { # FILE
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); m = split($0, f, ";"); line = ""
	       for (i = 1; i <= m; i++) if (sub(/_\[py\]$/, "", f[i])) line = line ";" f[i]
	       print substr(line, 2), n }' "$1"
}

record_python() { # PYTHON PROGRAM ARGUMENTS…
	pmb_ok record -e cpu-clock --unit samples -F 997 -o "$T/folded" --summary "$T/sum.json" -- \
		"$1" "$PROGRAMS/$2" "${@:3}"
	expect_columns
}

samples_in() {
	awk '{ n += $NF } END { print n + 0 }'
}

# What a stack says up to the leaf must be what the leaf said.
stacks_are_told() { # PYTHON
	local wrong leaf line
	record_python "$1" oracle.py "$T/told" "$DEPTH" 0.4
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
	[ "$QUICK" = 0 ] || skip "the quick form has t_stacks"
	DEPTH=0 each_python stacks_are_told
}

shares_are_known() { # PYTHON
	record_python "$1" shares.py "$T/spent" 2
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
	each_python shares_are_known
}

names_are_true() { # PYTHON
	local wrong
	record_python "$1" churn.py 2
	functions_of "$T/folded" | grep -oE '(even|odd_)_[0-9]{4};work.*' >"$T/those"
	expect_ge "$(wc -l <"$T/those")" 30 "$1: functions that came and went"
	wrong=$(grep -E '^even.*work_odd_|^odd.*work_even_' "$T/those" | head -n 1)
	[ -z "$wrong" ] || fail "$1: $wrong"
}

t_churn() {
	each_python names_are_true
}

threads_have_theirs() { # PYTHON
	local name
	record_python "$1" threads.py 1.5
	for name in first second third; do
		grep "^$name;" "$T/folded" >"$T/those"
		expect_ge "$(samples_in <"$T/those")" 50 "$1: samples of thread $name"
		! grep -E ';(first|second|third)_\[py\]' "$T/those" | grep -vq ";${name}_\[py\]" ||
			fail "$1: thread $name has functions of another"
	done
}

t_threads() {
	each_python threads_have_theirs
}

t_formats_know_it() {
	local python
	python=$(pythons | head -n 1)
	[ -n "$python" ] || skip "no Python 3.8 to 3.13 is here"
	pmb_ok record -e cpu-clock -o "$T/a.pb.gz" -- "$python" "$PROGRAMS/shares.py" "$T/spent" 1
	pmb_ok report --by module,function "$T/a.pb.gz"
	expect_ge "$(grep -cE '^ *[0-9].* function_60$' "$T/out")" 1 "rows of function_60"
	pmb_ok report --folded -o "$T/again" "$T/a.pb.gz"
	expect_ge "$(grep -c 'function_60_\[py\]' "$T/again")" 1 "lines of function_60, read back"
}

is_harmless() { # PROGRAM WHAT
	pmb_ok record -e cpu-clock -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/$1" "$2" 0.7
	expect_columns
	expect_eq "$(sum_get '.events[0].kernel.dropped | add')" 0 "$1 $2: dropped"
	expect_ge "$(user_share "$T/folded" "^$1;")" 99 "$1 $2: percent in it"
	case $2 in
	many | cycle)
		expect_ge "$(grep -c 'hello_\[py\]' "$T/folded")" 1 "$1 $2: lines of hello"
		;;
	esac
}

t_hostile_interpreters() {
	local what program
	for program in fakepython oldpython; do
		for what in cycle threads length kernel nowhere many; do
			is_harmless "$program" "$what"
		done
	done
}

t_unknown_version() {
	local old version program=$WORKLOADS/newpython file
	file=$(realpath "$program")
	pmb_ok record -e cpu-clock -o "$T/folded" --summary "$T/sum.json" -- "$program" many 0.7
	expect_columns
	expect_ge "$(user_share "$T/folded" '^newpython;.*;_PyEval_EvalFrameDefault$')" 95 \
		"percent in its function"
	expect_eq "$(sum_get '.runtime_unknown[] | .runtime + " in " + .file')" \
		"CPython 3.99 in $file" "the summary file"
	expect_match "$T/err" "^  runtime_unknown: CPython 3[.]99 in $file: .*-X perf" "the summary"
	for old in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/{2.7,3.6,3.7}.*/bin/python; do
		[ -x "$old" ] || continue
		pmb_ok record -e cpu-clock -o "$T/folded" --summary "$T/sum.json" -- \
			"$old" -c 'for i in range(5000000): pass'
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
