#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Functions of interpreters by name, without flags: CPython, of those that are here (in
# /usr/bin, and pyenv's) the oldest and the newest.
#
# RUNTIMES=all (make test-runtimes): all of them, and those of Debian's suites, which are
# bootstrapped into folders of RUNTIMES_CACHE and stay there for two weeks.
#
# timeout: 2400
# long
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/debian_lib.sh
. "$(dirname "$0")/debian_lib.sh"
# shellcheck source=tests/e2e/churn_lib.sh
. "$(dirname "$0")/churn_lib.sh"

PROGRAMS=$TOP/tests/workloads/python
PYENV=${PYENV_ROOT:-$HOME/.pyenv}
RUNTIMES=${RUNTIMES:-some}
RUNTIMES_CACHE=${RUNTIMES_CACHE:-/var/cache/pmubpf-tests/runtimes}

# "3.7 to 3.15", and the numbers in it.
KNOWN=$(sed -n 's/^#define PMB_PYTHONS_KNOWN "\(.*\)"$/\1/p' "$TOP/include/pmubpf/python.h")
OLDEST=${KNOWN#3.} OLDEST=${OLDEST%% *} NEWEST=${KNOWN##*3.}

# SUITE PACKAGES…: the first list that the suite has
SUITES_OF_PYTHONS=('bullseye python3.9' 'trixie python3.13'
	'sid python3.14,python3.15 python3.14 python3')

bootstrap_python() { # SUITE PACKAGES…
	local suite=$1 root=$RUNTIMES_CACHE/$1 packages keyring options=()
	keyring=$(apt_keyring) && options=("--keyring=$keyring")
	shift
	find "$RUNTIMES_CACHE" -maxdepth 1 -name "$suite" -mtime +14 \
		-exec rm -rf --one-file-system {} +
	for packages; do
		[ ! -e "$root/etc/debian_version" ] || return 0
		rm -rf --one-file-system "$root.part"
		debootstrap "${options[@]}" --variant=minbase "--include=$packages" \
			"$suite" "$root.part" "$(apt_mirror)" >"$S/debootstrap" 2>&1 &&
			mv "$root.part" "$root"
	done
	[ -e "$root/etc/debian_version" ] ||
		echo "$suite: $(tail -n 1 "$S/debootstrap")" >>"$S/missing"
}

setup() {
	local suite
	[ "$RUNTIMES" = all ] || return 0
	for suite in debootstrap apt-get unshare; do
		command -v "$suite" >/dev/null || echo "no $suite here" >>"$S/missing"
	done
	[ ! -s "$S/missing" ] || return 0
	mkdir -p "$RUNTIMES_CACHE" || return 0
	export_proxy
	for suite in "${SUITES_OF_PYTHONS[@]}"; do
		# shellcheck disable=SC2086 # a list of words
		bootstrap_python $suite
	done
}

# Paths, and SUITE:python3.N of those that are in a root of their own.
pythons() {
	local n
	for n in $(seq "$OLDEST" "$NEWEST"); do
		ls "/usr/bin/python3.$n" \
			"$PYENV/versions/3.$n".*/bin/"python3.$n" 2>"$T/no"
	done
	[ "$RUNTIMES" != all ] ||
		(cd "$RUNTIMES_CACHE" && ls -d {bullseye,trixie,sid}/usr/bin/python3.*[0-9]) \
			2>"$T/no" | sed 's|/.*/|:|'
}

some_pythons() {
	if [ "$RUNTIMES" = all ]; then
		pythons
	else
		pythons | sed -n '1p; $p' | uniq
	fi
}

# In a root the tests' files have the paths that they have here.
in_root() { # ROOT COMMAND…
	local root=$1
	shift
	# shellcheck disable=SC2016 # the inner shell's
	RUN=(unshare -m --propagation private sh -c '
		mount -t tmpfs -o mode=1777 tmpfs "$0/tmp" || exit 99
		for dir in "$1" "$2"; do
			mkdir -p "$0$dir" && mount --bind "$dir" "$0$dir" || exit 99
		done
		shift 2
		exec chroot "$0" "$@"' "$root" "$PROGRAMS" "$T" "$@")
}

# The command's words, in RUN.
python_command() { # PYTHON ARGUMENTS…
	local python=$1
	shift
	case $python in
	*:*) in_root "$RUNTIMES_CACHE/${python%%:*}" "/usr/bin/${python#*:}" "$@" ;;
	*) RUN=("$python" "$@") ;;
	esac
}

each_python() { # FUNCTION
	local python found=
	for python in $(some_pythons); do
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

t_the_manual_has_the_versions() {
	expect_match "$TOP/docs/man/pmubpf-record.1" "CPython runs \\($KNOWN;" "versions of CPython"
}

t_pythons_of_debian() {
	[ "$RUNTIMES" = all ] || skip "make test-runtimes has them"
	[ ! -s "$S/missing" ] || skip "$(head -n 1 "$S/missing")"
	echo "those that are recorded: $(pythons | tr '\n' ' ')"
}

# The functions of Python of each line, outermost first, and how many samples the line has.
functions_of() { # FILE
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); m = split($0, f, ";"); line = ""
	       for (i = 1; i <= m; i++) if (sub(/_\[py\]$/, "", f[i])) line = line ";" f[i]
	       print substr(line, 2), n }' "$1"
}

OPTIONS=() # of record
record_python() { # PYTHON PROGRAM ARGUMENTS…
	python_command "$1" "$PROGRAMS/$2" "${@:3}"
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
	record_python "$1" lines.py "$T/told" 0.08
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

# make test-runtimes: twenty thousand samples of each.
names_are_true() { # PYTHON
	if [ "$RUNTIMES" = all ]; then
		record_python "$1" churn.py 12
		expect_churn "$T/folded" 18000 "$1"
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
	record_python "$1" threads.py 0.8
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
	record_python "$1" interpreters.py "$T/told" 0.1
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

t_interpreters() {
	local python found=
	for python in $(pythons); do
		python_command "$python" "$PROGRAMS/interpreters.py" "$T/no" 0
		"${RUN[@]}" >"$T/no" 2>&1 || continue # it has no module for that
		found=1
		interpreters_have_theirs "$python"
	done
	[ -n "$found" ] || skip "no Python here can have several interpreters"
}

# 60 of them, the first included, with what each does before its own code runs. What has no name is
# the function that runs everything.
brief_ones_have_names() { # PYTHON
	local unnamed all
	python_command "$1" "$PROGRAMS/brief.py"
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
	python_command "$python" "$PROGRAMS/shares.py" "$T/spent" 0.5
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
	python_command "$python" "$PROGRAMS/shares.py" "$T/spent" 0.5
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
	python_command "$python" "$PROGRAMS/oracle.py" "$T/told" 2 0.1
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

is_harmless() { # PROGRAM WHAT OPTION…
	record_fake 0.4 "$@"
	expect_columns
	expect_eq "$(sum_get '.events[0].kernel.dropped | add')" 0 "$1 $2: dropped"
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
	for program in fakepython oldpython; do
		for what in cycle threads length kernel nowhere many interpreters nobody; do
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

# Java: whole stacks by name, of the part of the work that each of three methods has.
javas() {
	local java
	for java in /usr/lib/jvm/*/bin/java; do
		readlink -f "$java"
	done | sort -u
}

# What it compiles is in $CLASSES, from the first time on.
compile_shares() { # JAVA
	local source=$TOP/tests/workloads/java/Shares.java
	CLASSES=$S/classes${1//\//-}
	[ -e "$CLASSES/Shares.class" ] ||
		"${1%java}javac" -d "$CLASSES" "$source" 2>"$T/javac" ||
		skip "$1 has no compiler"
}

java_by_name() { # JAVA
	local all whole name share part
	local below_main=';start_thread;.*;JavaCalls::call_helper;HotSpot::[^;]*;'
	compile_shares "$1"
	pmb_ok record -e cpu-clock --unit samples -F 997 -o "$T/folded" --summary "$T/sum.json" \
		-- "$1" -XX:CompileCommand=quiet -XX:CompileCommand=dontinline,Shares::* \
		-cp "$CLASSES" Shares 1.5 "$T/told"
	expect_columns
	grep 'Shares::spin_\[java\]' "$T/folded" >"$T/those" || fail "$1: no sample is in spin"
	all=$(samples_in <"$T/those")
	expect_ge "$all" 500 "$1: samples in spin"
	whole=$(grep -E "$below_main" "$T/those" | samples_in)
	expect_ge $((1000 * whole / all)) 950 "$1: thousandths of its samples that are whole"
	grep -E 'Shares::round_\[java\];Shares::[^;]*;Shares::spin' "$T/those" >"$T/compiled"
	all=$(samples_in <"$T/compiled")
	expect_ge "$all" 300 "$1: samples below compiled code"
	while read -r name share; do
		part=$(grep "Shares::${name}_" "$T/compiled" | samples_in)
		expect_within $((1000 * part / all)) "$share" 80 "$1: thousandths in $name"
	done <"$T/told"
}

t_java() {
	local java found=
	for java in $(javas); do
		found=1
		java_by_name "$java"
	done
	[ -n "$found" ] || skip "no Java is here"
}

# What the interpreter runs has the method's name, with its line, and its callers'.
interpreted_by_name() { # JAVA
	local all name share part line=Shares.java:
	compile_shares "$1"
	pmb_ok record -e cpu-clock --unit samples -F 997 --lines -o "$T/folded" \
		--summary "$T/sum.json" -- "$1" -Xint -cp "$CLASSES" Shares 1 "$T/told"
	expect_columns
	grep -E ';Shares::main[^;]*;Shares::round[^;]*;Shares::[^;]*;(Shares::spin|HotSpot::Int)' \
		"$T/folded" >"$T/those" || fail "$1: no sample is in spin"
	all=$(samples_in <"$T/those")
	expect_ge "$all" 100 "$1: samples in spin"
	part=$(grep -E ";Shares::spin:${line}1[45]_\[java\]( |;.*_\[k\])" "$T/those" | samples_in)
	expect_ge $((1000 * part / all)) 950 "$1: thousandths of them with name and line"
	while read -r name share; do
		part=$(grep ";Shares::round:${line}2[6-8]_\[java\];Shares::$name:" "$T/those" |
			samples_in)
		expect_within $((1000 * part / all)) "$share" 120 "$1: thousandths in $name"
	done <"$T/told"
}

# What was inlined into round() is named, with its line, and so is what was inlined into that.
inlined_by_name() { # JAVA
	local all name share part line=Shares.java:
	compile_shares "$1"
	pmb_ok record -e cpu-clock --unit samples -F 997 --lines -o "$T/folded" \
		--summary "$T/sum.json" -- "$1" -XX:CompileCommand=quiet \
		-XX:CompileCommand=inline,Shares::s* -XX:CompileCommand=inline,Shares::t* \
		-XX:CompileCommand=dontinline,Shares::round -cp "$CLASSES" Shares 1 "$T/told"
	expect_columns
	grep ";Shares::round[^;]*_\[java\][; ]" "$T/folded" >"$T/those" ||
		fail "$1: no sample is in round"
	all=$(samples_in <"$T/those")
	expect_ge "$all" 100 "$1: samples in round"
	while read -r name share; do
		part=$(grep ";Shares::$name:${line}2[123]_\[i\];Shares::spin:${line}1[45]_" \
			"$T/those" | samples_in)
		expect_within $((1000 * part / all)) "$share" 120 "$1: thousandths in $name"
	done <"$T/told"
}

each_java() { # FUNCTION
	local java all
	[ -n "$(javas)" ] || skip "no Java is here"
	all=$(javas | tail -n 1)
	[ "$RUNTIMES" != all ] || all=$(javas)
	for java in $all; do
		"$1" "$java"
	done
}

# Of virtual threads those callers are missing that are in the heap still, and stacks say so.
t_java_virtual_threads() {
	local java source=$TOP/tests/workloads/java/Requests.java all told heap
	[ "$(uname -m)" = x86_64 ] || skip "HotSpot is read on x86-64 only"
	for java in $(javas); do
		"${java}c" -d "$T" "$source" 2>"$T/javac" && break
		java=
	done
	[ -n "$java" ] || skip "no Java 21 or later is here"
	pmb_ok record -e cpu-clock --unit samples -F 997 -o "$T/folded" -- "$java" \
		-XX:CompileCommand=quiet -XX:CompileCommand=dontinline,Requests::* \
		-cp "$T" Requests 2 20
	grep 'Requests::query_\[java\].*Requests::spin_\[java\]' "$T/folded" >"$T/those" ||
		fail "no sample is in what query() calls"
	all=$(samples_in <"$T/those")
	expect_ge "$all" 30 "samples in what query() calls"
	heap=$(grep -cE ';HotSpot::callers_in_heap_\[java\];' "$T/those")
	expect_ge "$heap" 1 "stacks whose callers are in the heap"
	told=$(grep -E ';(HotSpot::callers_in_heap|Requests::serve)_\[java\];' "$T/those" |
		samples_in)
	expect_ge $((1000 * told / all)) 950 "thousandths that are whole, or say what they are"
}

t_java_interpreted() {
	each_java interpreted_by_name
}

t_java_inlined() {
	each_java inlined_by_name
}

# What says that it is Java's virtual machine, and is none: it is named, its own functions have
# their names, and nobody waits for it. (A page that nobody brings, by userfaultfd, can't be read.)
t_fake_java() {
	local what
	[ "$(uname -m)" = x86_64 ] || skip "HotSpot is read on x86-64 only"
	cp "$WORKLOADS/fakejvm" "$T/libjvm.so"
	for what in empty loop wait; do
		pmb record -e cpu-clock -o "$T/folded" --summary "$T/sum.json" -- \
			"$T/libjvm.so" "$what" 1
		[ "$rc" != 77 ] || continue # no userfaultfd here
		expect_eq "$rc" 0 "$what: exit status"
		expect_columns
		expect_eq "$(sum_get '.runtime_unknown[0].runtime')" HotSpot "$what: unknown"
		expect_match "$T/err" 'runtime_unknown: HotSpot in .*/libjvm\.so: ' \
			"$what: the summary's words"
		expect_ge "$(folded_sum_of "$T/folded" ';main;leaf_spin(;|$)')" 1 \
			"$what: its functions"
		expect_looks 0.2 "$what"
	done
}

nine_fakes() {
	local i
	cp "$WORKLOADS/fakejvm" "$T/libjvm.so"
	for i in 1 2 3 4 5 6 7 8 9; do
		spawn nice "$T/libjvm.so" empty 60 # the compiler's threads have to get on
	done
}

# More than are read at a time, of which all but one say nothing that can be read: these keep no
# place. Its end is awaited, so that a host of many programs has the time to read its library.
t_java_beside_many_fakes() {
	[ "$(uname -m)" = x86_64 ] || skip "HotSpot is read on x86-64 only"
	[ -n "$(javas)" ] || skip "no Java is here"
	compile_shares "$(javas | head -n 1)"
	nine_fakes
	# the fakes are met first
	pmb_ok record -a -e cpu-clock -F 997 -o "$T/folded" --summary "$T/sum.json" -- sh -c \
		'sleep 1; exec "$1" -XX:CompileCommand=quiet -cp "$2" Shares 3 "$3/told"' \
		sh "$(javas | head -n 1)" "$CLASSES" "$T"
	grep -q 'Shares::[a-z_]*\[java\]' "$T/folded" || fail "Java's methods have no names"
}

# All places are taken when it is met, and its mappings never change again.
t_java_that_waits_for_a_place() {
	local java
	[ "$(uname -m)" = x86_64 ] || skip "HotSpot is read on x86-64 only"
	[ -n "$(javas)" ] || skip "no Java is here"
	compile_shares "$(javas | head -n 1)"
	spawn "$(javas | head -n 1)" -XX:CompileCommand=quiet -cp "$CLASSES" Shares 60 "$T/told"
	java=$spawned
	wait_until eval '[ "$(cpu_time_ns '"$java"')" -gt 2000000000 ]' || fail "it doesn't run"
	kill -STOP "$java"
	nine_fakes
	pmb_ok record -a -e cpu-clock -F 997 -o "$T/folded" --summary "$T/sum.json" -- \
		sh -c 'sleep 0.1; kill -CONT '"$java"'; sleep 3'
	grep -q 'Shares::[a-z_]*\[java\]' "$T/folded" || fail "Java's methods have no names"
}

# Of more than that the summary says that they are too many.
t_many_javas() {
	local java i pids=
	java=$(javas | head -n 1)
	[ "$(uname -m)" = x86_64 ] || skip "HotSpot is read on x86-64 only"
	[ -n "$java" ] || skip "no Java is here"
	compile_shares "$java"
	for i in 1 2 3 4 5 6 7 8 9; do
		spawn "$java" -Xmx16m -Xint -XX:+UseSerialGC -cp "$CLASSES" Shares 60 "$T/told"
		wait_until grep -q libjvm "/proc/$spawned/maps" || fail "it doesn't run"
		pids=$pids,$spawned
	done
	pmb_ok record -p "${pids#,}" -e cpu-clock -d 2 -o "$T/folded" --summary "$T/sum.json"
	expect_eq "$(sum_get '.runtime_unknown | map(.runtime) | join(" ")')" HotSpot "runtimes"
	expect_match "$T/err" 'runtime_unknown: HotSpot in .*/libjvm.so: more than 8 processes' \
		"the summary's words"
}

run_tests
