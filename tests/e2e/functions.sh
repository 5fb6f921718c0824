#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Functions that are named as their authors wrote them, wherever they are to be found in a file.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

N=50
FILE=$WORKLOADS/overloads

setup() {
	need_root
	need_x86_64
}

# How often one is called, by windows that open there; COMMAND is run for it.
calls_of() { # FUNCTION
	pmb_ok stat --budget 0 --per "u:$FILE:$1" -e page-faults --json -o "$T/stat.json" -- \
		"$FILE" $N
	jq .per.began "$T/stat.json"
}

expect_calls() { # FUNCTION CALLS
	expect_eq "$(calls_of "$1")" "$2" "calls of $1"
}

refused() { # FUNCTION WORDS
	pmb stat --per "u:$FILE:$1" -e page-faults -- "$FILE" 1
	expect_eq "$rc" 2 "status of $1"
	expect_match "$T/err" "$2" "$1"
}

t_cxx_as_written() {
	expect_calls plain $N
	expect_calls 'plain(int)' $N
	pmb_ok stat --per "u:$FILE:plain" -e page-faults -- "$FILE" 1
	expect_match "$T/out" 'offset 0x[0-9a-f]+ of .* \(plain\(int\) \(_Z5plaini\)\)' \
		"which it is"
	expect_calls 'ns::f(int)' $N
	expect_calls 'ns::f(const char *)' $((2 * N))
	expect_calls 'ns::once' $((3 * N))
	expect_calls 'ns::once<int>' $((3 * N))
	expect_calls 'ns::twice<long>' $((2 * N))
	expect_calls 'ns::hidden' $N
	expect_calls 'ns::(anonymous namespace)::hidden(int)' $N
	expect_calls 'ns::C::C' $N
	expect_calls 'ns::C::get' $((2 * N))
	expect_calls 'ns::C::operator()' $N
	expect_calls 'ns::C::operator+' $((3 * N))
}

t_cxx_as_the_linker_has_it() {
	expect_calls _ZN2ns1fEPKc $((2 * N))
	expect_calls _ZN2ns1CD0Ev $N
	expect_calls _ZN2ns1VC2Ei $((2 * N))
}

t_cxx_that_is_several() {
	refused 'ns::f' '2 functions of the file are called .*ns::f\(int\) \(_ZN2ns1fEi\)'
	expect_match "$T/err" 'ns::f\(char const\*\) \(_ZN2ns1fEPKc\)' "the other one"
	expect_match "$T/err" 'say which by its parameters or as the linker calls it' "what to do"
	refused 'ns::twice' '2 functions of the file .*ns::twice<long>\(long\)'
	refused 'ns::V::V(int)' '[23] functions of the file .*_ZN2ns1VC[12]Ei.*_ZN2ns1VC[12]Ei'
	refused 'ns::C::~C' '2 functions of the file .*_ZN2ns1CD0Ev'
}

t_near_ones() {
	refused 'ns::ff' 'no function .ns::ff. by itself; nearest: ns::f\('
	refused 'get' 'nearest: ns::C::get\(int\) const \(_ZNK2ns1C3getEi\)'
	refused 'C::get' 'nearest: ns::C::get\(int\) const \(_ZNK2ns1C3getEi\)'
	refused 'ns::hiden(int)' 'nearest: ns::\(anonymous namespace\)::hidden\(int\)'
	refused 'ns::f(long)' 'nearest: ns::f\('
	refused 'mian' 'nearest: main'
	refused 'quite_another_thing' 'by itself: it is spelt otherwise'
}

# ".." is between two probes only where a whole one is behind it.
t_between_two() {
	pmb_ok stat --budget 0 --per "u:$FILE:ns::C::C..u:$FILE:ns::C::operator()" -e page-faults \
		--json -o "$T/stat.json" -- "$FILE" $N
	expect_eq "$(jq .per.began "$T/stat.json")" $N "windows"
	refused 'ns::f..' "behind '..' the second probe is missing"
	refused 'plain..main' 'of two probes each is whole: u:FILE:A..u:FILE:B'
}

rust() { # MANGLING
	need_program rustc
	FILE=$T/written
	# the older of the two takes an option that only some compilers have
	rustc -C opt-level=2 -C "symbol-mangling-version=$1" -o "$FILE" \
		"$TOP/tests/workloads/written.rs" 2>"$T/log" ||
		RUSTC_BOOTSTRAP=1 rustc -C opt-level=2 -Z unstable-options \
			-C "symbol-mangling-version=$1" -o "$FILE" \
			"$TOP/tests/workloads/written.rs" 2>"$T/log" ||
		skip "this rustc doesn't do: $(head -n 1 "$T/log")"
	expect_calls 'written::inner::f' $N
	expect_calls 'written::Thing::get' $((2 * N))
	expect_calls '<written::Thing as written::Says>::say' $((3 * N))
	expect_calls 'written::Says::say' $((3 * N))
	refused 'written::inner::of' '2 functions of the file .*written::inner::of.* \(_'
	refused 'inner::f' 'nearest: written::inner::f '
}

t_rust_v0() {
	rust v0
	expect_calls 'written::inner::of::<i64>' $((2 * N))
}

t_rust_legacy() {
	rust legacy
}

t_instructions_and_jumps() {
	local option
	spawn "$FILE" 2000000000 >"$T/said"
	for option in "annotate --branches ns::f(int) -p $spawned -d 100ms" \
		"record -e op:branch:ns::f(int) -p $spawned -d 100ms"; do
		# shellcheck disable=SC2086 # words
		pmb ${option/ns::f(int)/ns::f}
		expect_eq "$rc" 2 "status of ns::f"
		expect_match "$T/err" '2 functions of the file .*ns::f\(int\) \(_ZN2ns1fEi\)' \
			"$option"
		# shellcheck disable=SC2086 # words
		pmb ${option/ns::f(int)/ns::ff}
		expect_eq "$rc" 2 "status of ns::ff"
		expect_match "$T/err" 'nearest: ns::f\(' "$option"
	done
	pmb record -e 'op:div:ns::C::operator/' -p "$spawned" -d 100ms
	expect_match "$T/err" "function 'ns::C::operator/'" "the name of an operator"
}

# A function, and a file, whose name wants to be lines of the summary and remarks of the profile.
t_the_hottest_is_called_as_it_likes() {
	need_program objcopy
	local what name=$'a\nbreakpoints: \e[31mforged\n'
	for what in function file; do
		if [ $what = function ]; then
			objcopy --redefine-sym "locks=$name" "$WORKLOADS/ops" "$T/ops"
		else
			objcopy --strip-all "$WORKLOADS/ops" "$T/$name" && ln -sf "$name" "$T/ops"
		fi || fail "objcopy"
		spawn "$T/ops" 60 >"$T/said"
		wait_until grep -q '^pid ' "$T/said"
		pmb_ok record -e op:lock --budget 0 -p "$spawned" -d 0.1 -o "$T/p.pb.gz"
		kill "$spawned"
		expect_match "$T/err" \
			'in those with op:lock .*: a.x0abreakpoints: .x1b\[31mforged.x0a$' \
			"what the $what is called"
		expect_no_match "$T/err" '^ *breakpoints: [^oi]' "a line forged by a $what"
		expect_no_match "$T/err" $'\e' "a command for the terminal by a $what"
		"$PMUBPF" report "$T/p.pb.gz" >"$T/report" || fail "report: status $?"
		expect_no_match "$T/report" '^# breakpoints [^oi]' "a remark forged by a $what"
		expect_match "$T/report" '^# breakpoints op:lock' "remarks"
	done
}

has_threads() { # PID NUMBER
	[ "$(find "/proc/$1/task" -mindepth 1 -maxdepth 1 | wc -l)" = "$2" ]
}

# More threads than have a clock each: those that run.
t_the_hottest_of_many_threads() {
	spawn "$WORKLOADS/ops" 60 100 >"$T/said"
	# the last of them is the one that works
	wait_until has_threads "$spawned" 100
	pmb_ok record -e op:lock --budget 0 -p "$spawned" -d 0.1 -o "$T/p.pb.gz"
	expect_match "$T/err" \
		' samples of a clock before \(the 64 busiest of its 100 threads\), in' \
		"whom the clock was of"
	expect_match "$T/err" 'in those with op:lock \(1\): locks$' "the function"
}

run_tests
