#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Java's methods by name, without flags: HotSpot, of those that are in /usr/lib/jvm.
#
# RUNTIMES=all (make test-runtimes): those of Debian's suites, too. JAVAS: these instead, separated
# by spaces.
#
# timeout: 2400
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/runtimes_lib.sh
. "$(dirname "$0")/runtimes_lib.sh"

SOURCES=$TOP/tests/workloads/java

setup() {
	[ "$RUNTIMES" != all ] || bootstrap_suites
}

t_suites_of_debian() {
	need_suites
}

# Paths, and SUITE:PATH of those that are in a root of their own.
javas() {
	local java
	if [ -n "${JAVAS:-}" ]; then
		tr ' ' '\n' <<<"$JAVAS"
		return
	fi
	for java in /usr/lib/jvm/*/bin/java; do
		readlink -f "$java"
	done | sort -u
	in_suites '/usr/lib/jvm/java-[0-9]-openjdk-*/bin/java'
	in_suites '/usr/lib/jvm/java-[1-9][0-9]-openjdk-*/bin/java'
}

# Those of this root: that is enough for what doesn't depend on the version.
javas_here() {
	javas | grep -v :
}

# The classes of a source are in $CLASSES, from the first time on.
compile() { # JAVA SOURCE
	CLASSES=$S/classes${1//[\/:]/-}
	[ ! -e "$CLASSES/$2.class" ] || return 0
	mkdir -p "$CLASSES"
	# without its better compiler, which takes as long as all else of it
	runtime_command "${1%java}javac" -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC -nowarn \
		-d "$CLASSES" "$SOURCES/$2.java"
	"${RUN[@]}" >"$T/javac" 2>&1
}

compile_shares() { # JAVA
	compile "$1" Shares || skip "$1 has no compiler"
}

each_java() { # FUNCTION
	local java all
	[ -n "$(javas)" ] || skip "no Java is here"
	all=$(javas | tail -n 1)
	[ "$RUNTIMES" != all ] && [ -z "${JAVAS:-}" ] || all=$(javas)
	for java in $all; do
		"$1" "$java"
	done
}

record_java() { # [OPTION…] -- JAVA ARGUMENT…
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	runtime_command "$2" -XX:+IgnoreUnrecognizedVMOptions "${@:3}"
	pmb_ok record -e cpu-clock --unit samples -F 997 "${options[@]}" -o "$T/folded" \
		--summary "$T/sum.json" -- "${RUN[@]}"
	expect_columns
}

samples_in() {
	awk '{ n += $NF } END { print n + 0 }'
}

# From the thread's start to Java's entry; Debian's 8 and some C libraries have no symbols.
WHOLE=';(start_thread|[[]libc[.]so[^;]*);.*'
WHOLE+=';(JavaCalls::call_helper|[[]libjvm[.]so[^;]*);HotSpot::[^;]*;'

# Whole stacks by name, of the part of the work that each of three methods has.
java_by_name() { # JAVA
	local all whole name share part
	compile_shares "$1"
	record_java -- "$1" -XX:CompileCommand=quiet -XX:CompileCommand=dontinline,Shares::* \
		-cp "$CLASSES" Shares 1.5 "$T/told"
	grep 'Shares::spin_\[java\]' "$T/folded" >"$T/those" || fail "$1: no sample is in spin"
	all=$(samples_in <"$T/those")
	expect_ge "$all" 500 "$1: samples in spin"
	whole=$(grep -E "$WHOLE" "$T/those" | samples_in)
	expect_ge $((1000 * whole / all)) 950 "$1: thousandths of its samples that are whole"
	grep -E 'Shares::round_\[java\];Shares::[^;]*;Shares::spin' "$T/those" >"$T/compiled"
	all=$(samples_in <"$T/compiled")
	expect_ge "$all" 300 "$1: samples below compiled code"
	while read -r name share; do
		part=$(grep "Shares::${name}_" "$T/compiled" | samples_in)
		expect_within $((1000 * part / all)) "$share" 80 "$1: thousandths in $name"
	done <"$T/told"
}

t_names() {
	local java
	[ -n "$(javas)" ] || skip "no Java is here"
	for java in $(javas); do
		java_by_name "$java"
	done
}

# What the interpreter runs has the method's name, with its line, and its callers'.
interpreted_by_name() { # JAVA
	local all name share part line=Shares.java:
	compile_shares "$1"
	record_java --lines -- "$1" -Xint -cp "$CLASSES" Shares 1 "$T/told"
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
	local all name share part line=Shares.java: more=()
	compile_shares "$1"
	# its C2 says of a loop only what is called in it, without that
	[[ $1 != *java-8-* ]] || more=(-XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints)
	record_java --lines -- "$1" "${more[@]}" -XX:CompileCommand=quiet \
		-XX:CompileCommand=inline,Shares::s* -XX:CompileCommand=inline,Shares::t* \
		-XX:CompileCommand=dontinline,Shares::round -cp "$CLASSES" Shares 1 "$T/told"
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

# Of virtual threads those callers are missing that are in the heap still, and stacks say so.
threads_of_java() { # JAVA
	local all told heap
	compile "$1" Requests || return 0 # before Java 21
	found=1
	record_java -- "$1" -XX:CompileCommand=quiet -XX:CompileCommand=dontinline,Requests::* \
		-cp "$CLASSES" Requests 1.2 20
	grep 'Requests::query_\[java\].*Requests::spin_\[java\]' "$T/folded" >"$T/those" ||
		fail "$1: no sample is in what query() calls"
	all=$(samples_in <"$T/those")
	expect_ge "$all" 30 "$1: samples in what query() calls"
	heap=$(grep -cE ';HotSpot::callers_in_heap_\[java\];' "$T/those")
	expect_ge "$heap" 1 "$1: stacks whose callers are in the heap"
	told=$(grep -E ';(HotSpot::callers_in_heap|Requests::serve)_\[java\];' "$T/those" |
		samples_in)
	expect_ge $((1000 * told / all)) 950 "$1: thousandths that are whole, or say what they are"
}

t_virtual_threads() {
	local found=
	[ "$(uname -m)" = x86_64 ] || skip "HotSpot is read on x86-64 only"
	each_java threads_of_java
	[ -n "$found" ] || skip "no Java 21 or later is here"
}

t_interpreted() {
	each_java interpreted_by_name
}

t_inlined() {
	each_java inlined_by_name
}

# What says that it is Java's virtual machine, and is none: it is named, its own functions have
# their names, and nobody waits for it. (A page that nobody brings, by userfaultfd, can't be read.)
t_fakes() {
	local what
	[ "$(uname -m)" = x86_64 ] || skip "HotSpot is read on x86-64 only"
	cp "$WORKLOADS/fakejvm" "$T/libjvm.so"
	for what in empty loop wait; do
		pmb record -e cpu-clock -o "$T/folded" --summary "$T/sum.json" -- \
			"$T/libjvm.so" "$what" 0.6
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

# The same of a page of a file whose server answers no more.
t_a_fake_on_fuse() {
	local fake
	[ "$(uname -m)" = x86_64 ] || skip "HotSpot is read on x86-64 only"
	[ -c /dev/fuse ] || skip "no FUSE here"
	cp "$WORKLOADS/fakejvm" "$T/libjvm.so"
	mkdir "$T/mount"
	# shellcheck disable=SC2016 # the inner shell's
	spawn unshare -m "$WORKLOADS/fusehang" serve "$T/mount" /bin/sh -c \
		'exec "$0" file 60 "$1"' "$T/libjvm.so" "$T/mount/file0"
	wait_until pgrep -P "$spawned" -x libjvm.so >"$T/no" || skip "it can't be mounted"
	fake=$(pgrep -P "$spawned" -x libjvm.so)
	pmb_ok record -p "$fake" -e cpu-clock -d 4 -o "$T/folded" --summary "$T/sum.json"
	expect_columns
	expect_ge "$(folded_sum_of "$T/folded" ';main;leaf_spin(;|$)')" 1 "its functions"
	expect_match "$T/err" 'libjvm[.]so is set aside, without code of a Java process' "words"
	expect_looks 0.2 "on FUSE"
}

nine_fakes() {
	local i
	cp "$WORKLOADS/fakejvm" "$T/libjvm.so"
	for i in 1 2 3 4 5 6 7 8 9; do
		spawn nice "$T/libjvm.so" seldom 0 # the compiler's threads have to get on
	done
}

# More than are read at a time, of which all but one say nothing that can be read: these keep no
# place. Its end is awaited, so that a host of many programs has the time to read its library.
t_beside_many_fakes() {
	[ "$(uname -m)" = x86_64 ] || skip "HotSpot is read on x86-64 only"
	[ -n "$(javas_here)" ] || skip "no Java is here"
	compile_shares "$(javas_here | head -n 1)"
	nine_fakes
	# the fakes are met first
	pmb_ok record -a -e cpu-clock -F 997 -o "$T/folded" --summary "$T/sum.json" -- sh -c \
		'sleep 1; exec "$1" -XX:CompileCommand=quiet -cp "$2" Shares 1.5 "$3/told"' \
		sh "$(javas_here | head -n 1)" "$CLASSES" "$T"
	grep -q 'Shares::[a-z_]*\[java\]' "$T/folded" || fail "Java's methods have no names"
}

# All places are taken when it is met, and its mappings never change again.
t_that_waits_for_a_place() {
	local java
	[ "$(uname -m)" = x86_64 ] || skip "HotSpot is read on x86-64 only"
	[ -n "$(javas_here)" ] || skip "no Java is here"
	compile_shares "$(javas_here | head -n 1)"
	spawn "$(javas_here | head -n 1)" -XX:CompileCommand=quiet -cp "$CLASSES" Shares 60 \
		"$T/told"
	java=$spawned
	wait_until eval '[ "$(cpu_time_ns '"$java"')" -gt 1000000000 ]' || fail "it doesn't run"
	kill -STOP "$java"
	nine_fakes
	pmb_ok record -a -e cpu-clock -F 997 -o "$T/folded" --summary "$T/sum.json" -- \
		sh -c 'sleep 0.1; kill -CONT '"$java"'; sleep 2'
	grep -q 'Shares::[a-z_]*\[java\]' "$T/folded" || fail "Java's methods have no names"
}

# Of more than that the summary says that they are too many.
t_many() {
	local java i pids=
	java=$(javas_here | head -n 1)
	[ "$(uname -m)" = x86_64 ] || skip "HotSpot is read on x86-64 only"
	[ -n "$java" ] || skip "no Java is here"
	compile_shares "$java"
	for i in 1 2 3 4 5 6 7 8 9; do
		spawn nice "$java" -Xmx16m -Xint -XX:+UseSerialGC -cp "$CLASSES" Shares 60 "$T/told"
		wait_until grep -q libjvm "/proc/$spawned/maps" || fail "it doesn't run"
		pids=$pids,$spawned
	done
	pmb_ok record -p "${pids#,}" -e cpu-clock -d 1.2 -o "$T/folded" --summary "$T/sum.json"
	expect_eq "$(sum_get '.runtime_unknown | map(.runtime) | join(" ")')" HotSpot "runtimes"
	expect_match "$T/err" 'runtime_unknown: HotSpot in .*/libjvm.so: more than 8 processes' \
		"the summary's words"
}


run_tests
