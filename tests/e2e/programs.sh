#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Whole stacks of programs as other compilers, libraries and ways of linking make them.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# On a busy machine the reader comes late, and copies of stacks find no room.

seconds=0.4
short=0.15
hz=3999
SOURCE=$TOP/tests/workloads/frameless.c
FLAGS=(-std=gnu11 -D_GNU_SOURCE -O2 -fomit-frame-pointer -fno-optimize-sibling-calls)

needs_tables() {
	case $(uname -m) in
	x86_64 | aarch64) ;;
	*) skip "unwind tables are for x86-64 and arm64" ;;
	esac
}

compile() { # PROGRAM COMPILER FLAG…
	local program=$1 compiler=$2
	shift 2
	needs_tables
	need_program "$compiler"
	"$compiler" "${FLAGS[@]}" "$SOURCE" -o "$T/$program" "$@" -lm -lpthread 2>"$T/err" ||
		skip "$compiler $*: $(head -n 1 "$T/err")"
}

# Percent of the weight of `mine` whose stack matches: a pattern over the line without its number.
share() { # PATTERN
	folded_share "$T/mine" "$1"
}

expect_most() { # PATTERN WHAT
	expect_ge "$(share "$1")" "$(least 98 "$(samples_of "$T/mine" . "$hz")")" "$2"
}

record_it() { # COMM COMMAND…
	local comm=$1
	shift
	pmb_ok record -e cpu-clock -F "$hz" -o "$T/folded" --summary "$T/sum.json" -- "$@"
	expect_ledger
	grep "^$comm;" "$T/folded" >"$T/mine"
}

# What is left of a percentage by chance, and of those that could be copied: of all samples, or of
# so many of them, to which those belong that could not.
least() { # PERCENT [SAMPLES]
	local all
	all=$(sum_get '.stacks.user | del(.none) | add')
	awk -v p="$(by_chance "$1" "${2:-$all}")" -v lost="$(uncopied)" -v all="$all" \
		-v n="${2:-$all}" -v half="${halves:+$(half_copied)}" \
		'BEGIN { print p - (lost + half) * (n > 0 ? all / n : 1) }'
}

# Percent of the samples of which one of two stacks was copied: there was no table yet.
half_copied() {
	sum_get '([.stacks.user.unreadable, .unwind.stack_dumps] | min) * 100 /
		(.stacks.user | del(.none) | add)'
}

# Percent of the stacks that the tool itself calls complete.
expect_complete() { # PERCENT
	expect_ge "$(sum_get '100 * (.stacks.user.complete + .stacks.user.complete_by_fp) / ([.stacks.user | to_entries[] | select(.key != "none") | .value] | add)')" \
		"$(least "$1")" "percent of the stacks that ended well"
}

DEEP=$(printf 'deep%02d;' $(seq 1 30))
BEGIN='_start;[^ ]*main;'
THREAD='[^;]*clone3?;start[^;]*;thread;'

# Known stacks: through the program alone and in two threads, through the C library, through a
# signal. One recording, in which each has a name of its own.
expect_modes() { # PROGRAM [BEGIN [THREAD]]
	local begin=${2:-$BEGIN} thread=${3:-$THREAD} mode
	for mode in deep qsort signal; do ln "$T/$1" "$T/$mode"; done
	# shellcheck disable=SC2016 # the inner shell's
	record_it deep sh -c 'for mode in deep qsort signal; do "$0/$mode" $mode "$1"; done' \
		"$T" "$short"
	expect_complete 98
	expect_most "^deep;($begin|$thread)${DEEP}spin" "percent 30 deep"
	grep "^qsort;" "$T/folded" >"$T/mine"
	expect_most "^qsort;${begin}sort;.*compare;spin" "percent through qsort"
	grep "^signal;" "$T/folded" >"$T/mine"
	expect_most "^signal;$begin.*interrupted;.*handler;spin" "percent in a signal handler"
}

t_static() {
	compile static gcc -static -no-pie
	expect_modes static
}

t_static_pie() {
	compile static-pie gcc -static-pie -fPIE
	expect_modes static-pie
}

t_musl() {
	[ "$(uname -m)" = x86_64 ] || skip "code without tables is read on x86-64 only"
	compile musl musl-gcc
	# The library's own symbols are those that it exports.
	expect_modes musl '_start;\[libc\.so\][^;]*;main;' \
		'\[libc\.so\][^;]*;\[libc\.so\][^;]*;thread;'
}

t_musl_static() {
	[ "$(uname -m)" = x86_64 ] || skip "code without tables is read on x86-64 only"
	compile musl-static musl-gcc -static
	expect_modes musl-static
}

# Without a symbol, and without call frame information in the library: the frames are there,
# nameless.
t_musl_stripped() {
	[ "$(uname -m)" = x86_64 ] || skip "code without tables is read on x86-64 only"
	compile musl-stripped musl-gcc -static -s
	record_it musl-stripped "$T/musl-stripped" deep "$short"
	expect_complete 98
	awk -F';' 'NF >= 33' "$T/mine" >"$T/deep"
	expect_ge "$(awk -v a="$(folded_sum "$T/deep")" -v b="$(folded_sum "$T/mine")" \
		'BEGIN { printf "%.2f\n", 100 * a / b }')" "$(least 98)" "percent of the weight 30 deep"
}

# Its assembly has no sizes.
t_musl_memory() {
	[ "$(uname -m)" = x86_64 ] || skip "musl's assembly is for x86-64"
	need_program musl-gcc
	cat >"$T/memory.c" <<-'C'
		#include <string.h>
		#include <time.h>
		static char a[4000], b[4000];
		int main(void)
		{
			for (clock_t end = clock() + CLOCKS_PER_SEC / 3; clock() < end;)
				for (int i = 0; i < 20000; i++) {
					memcpy(a, b, sizeof(a));
					__asm__ volatile("" ::: "memory");
					memset(b, i, sizeof(b));
					__asm__ volatile("" ::: "memory");
				}
			return 0;
		}
	C
	musl-gcc -O1 -fno-builtin -o "$T/memory" "$T/memory.c" || fail "musl-gcc"
	pmb_ok record -e cpu-clock -o "$T/folded" -- "$T/memory"
	expect_ge "$(user_share "$T/folded" ';mem(cpy|set)$' '^memory;([^;]*;)*[^;]*[^]]$')" 90 \
		"percent in memcpy and memset"
	expect_ge "$(leaf_share "$T/folded" memcpy)" 1 "percent in memcpy"
	expect_ge "$(leaf_share "$T/folded" memset)" 1 "percent in memset"
}

t_debug_frame() {
	compile debug-frame gcc -fno-asynchronous-unwind-tables -g
	readelf -SW "$T/debug-frame" | grep -q '\.debug_frame' || fail "it has no .debug_frame"
	expect_modes debug-frame '_start;__libc_start_main[^;]*;([^;]+;)?main;'
}

t_stripped() {
	compile stripped gcc -s
	record_it stripped "$T/stripped" deep "$short"
	expect_complete 98
	# only what lies in libc has a name
	expect_most "^stripped;(\[stripped\][^;]*;__libc_start_main|(__)?clone3?;start_thread)" \
		"percent whole"
}

# A library without frame pointers that comes when the recording is on its way.
t_dlopen() {
	needs_tables
	need_program gcc
	cat >"$T/lib.c" <<-'C'
	#define SPIN_EXTERN
	#include "spin.h"
	static volatile uint64_t sink;
	WORK static uint64_t lib_spin(uint64_t ns)
	{
		uint64_t end = thread_cpu_ns() + ns, n = 0;
		while (thread_cpu_ns() < end) { burn(20000); n++; }
		return n;
	}
	WORK static uint64_t lib_middle(uint64_t ns) { volatile char room[300]; room[0] = 1; return lib_spin(ns) + (uint64_t)room[0]; }
	void lib_entry(uint64_t ns) { sink += lib_middle(ns); }
	C
	cat >"$T/main.c" <<-'C'
	#include <dlfcn.h>
	#include "spin.h"
	WORK static int calls(void *lib, uint64_t ns)
	{
		void (*entry)(uint64_t) = (void (*)(uint64_t))dlsym(lib, "lib_entry");
		if (!entry) return 3;
		entry(ns);
		return 0;
	}
	int main(int argc, char **argv)
	{
		spin_for(200000000);
		void *lib = dlopen(argv[1], RTLD_NOW);
		return lib ? calls(lib, (uint64_t)(arg_num(argc, argv, 2, 2) * 1e9)) : 2;
	}
	C
	gcc "${FLAGS[@]}" -I"$TOP/tests/workloads" -shared -fPIC -o "$T/late.so" "$T/lib.c" ||
		fail "no library"
	gcc "${FLAGS[@]}" -I"$TOP/tests/workloads" -o "$T/late" "$T/main.c" -ldl ||
		fail "no program"
	record_it late "$T/late" "$T/late.so" 0.4
	expect_complete 98
	grep ';lib_entry' "$T/mine" >"$T/of_lib"
	expect_ns "$(folded_sum "$T/of_lib")" 400000000 5 "weight in the library" \
		"$hz"
	expect_ge "$(folded_share "$T/mine" '^late;_start;__libc_start_main[^;]*;([^;]+;)?main;(calls;lib_entry;lib_middle;lib_spin|spin_for)')" \
		"$(least 98)" "percent whole"
}

# Go: its code has frame pointers, and stacks of its own for each goroutine.
go_program() { # cgo|pure
	cat <<-'GO'
	package main

	GO
	[ "$1" = pure ] || cat <<-'GO'
	/*
	#cgo CFLAGS: -O2 -fomit-frame-pointer
	__attribute__((noipa)) unsigned long c_leaf(unsigned long n) { for (volatile unsigned long i = 0; i < n; i++); return n; }
	__attribute__((noipa)) unsigned long c_work(unsigned long n) { volatile char room[500]; room[0] = 1; return c_leaf(n) + room[0]; }
	*/
	import "C"
	GO
	cat <<-'GO'
	import (
		"os"
		"sort"
		"time"
	)

	type byValue []int

	func (b byValue) Len() int           { return len(b) }
	func (b byValue) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
	func (b byValue) Less(i, j int) bool { return b[i] < b[j] }

	//go:noinline
	func sorts() {
		v := make([]int, 1000)
		for i := range v {
			v[i] = i * 7919 % 1009
		}
		sort.Sort(byValue(v))
	}

	//go:noinline
	func goes(end time.Time) int {
		s := 0
		for time.Now().Before(end) {
			sorts()
			s += work()
		}
		return s
	}

	func main() {
		d, _ := time.ParseDuration(os.Args[1])
		end := time.Now().Add(d)
		done := make(chan int)
		go func() { done <- goes(end) }()
		s := goes(end)
		os.Exit((s + <-done) & 0)
	}

	GO
	if [ "$1" = pure ]; then
		echo 'func work() int { return 0 }'
	else
		echo 'func work() int { return int(C.c_work(100000)) }'
	fi
}

build_go() { # NAME cgo|pure FLAG…
	local name=$1 kind=$2
	shift 2
	go_program "$kind" >"$T/main.go"
	go_build "$name" "$([ "$kind" = pure ] && echo 0 || echo 1)" "$@"
}

go_build() { # NAME WITH-C FLAG… of $T/main.go
	local name=$1 with_c=$2
	shift 2
	needs_tables
	need_program go
	env HOME="$T" GOCACHE="$S/cache" GOFLAGS= GO111MODULE=off CGO_ENABLED="$with_c" \
		go build -o "$T/$name" "$@" "$T/main.go" 2>"$T/err" ||
		skip "go: $(head -n 1 "$T/err")"
}

# Where a goroutine, and a thread of the runtime, begin.
GOROUTINE='(runtime\.goexit[^;]*;(runtime\.main;main\.main|main\.main\.func1)|runtime\.(mstart|rt0_go|goexit)[^;]*|_rt0_[^;]*)'

t_go() {
	build_go gopure pure
	record_it gopure "$T/gopure" "${seconds}s"
	expect_complete 98
	expect_most "^gopure;$GOROUTINE" "percent whole"
	# how much of the time the collector takes is a matter of how many CPUs it finds free
	expect_ge "$(share "^gopure;$GOROUTINE;main\.goes;main\.sorts;sort\.Sort")" 50 \
		"percent in sort"
}

t_go_stripped() {
	build_go gostripped pure -ldflags='-s -w'
	record_it gostripped "$T/gostripped" "${seconds}s"
	expect_complete 98
	# its names are those of its own table
	expect_most "^gostripped;$GOROUTINE" "percent whole, by name"
	expect_ge "$(share "^gostripped;$GOROUTINE;main\.goes;main\.sorts;sort\.Sort")" 50 \
		"percent in sort"
}

go_hashes() {
	cat <<-'GO'
	package main

	import (
		"crypto/md5"
		"crypto/sha1"
		"crypto/sha256"
		"crypto/sha512"
		"os"
		"time"
	)

	var block = make([]byte, 65536)

	//go:noinline
	func hash256() byte { s := sha256.Sum256(block); return s[0] }

	//go:noinline
	func hash512() byte { s := sha512.Sum512(block); return s[0] }

	//go:noinline
	func hash1() byte { s := sha1.Sum(block); return s[0] }

	//go:noinline
	func hash5() byte { s := md5.Sum(block); return s[0] }

	//go:noinline
	func hashes(end time.Time) byte {
		s := byte(0)
		for time.Now().Before(end) {
			s += hash256() + hash512() + hash1() + hash5()
		}
		return s
	}

	func main() {
		d, _ := time.ParseDuration(os.Args[1])
		os.Exit(int(hashes(time.Now().Add(d))) & 0)
	}
	GO
}

# Assembly that uses the frame pointer for anything.
t_go_hashes() {
	[ "$(uname -m)" = x86_64 ] || skip "assembly of x86-64"
	go_hashes >"$T/main.go"
	go_build gohashes 0
	record_it gohashes "$T/gohashes" "${seconds}s"
	expect_complete 98
	grep 'crypto/' "$T/mine" >"$T/hashing"
	expect_ge "$(share ';crypto/')" 80 "percent in the hashes"
	expect_ge "$(folded_share "$T/hashing" \
		'^gohashes;runtime\.goexit[^;]*;runtime\.main;main\.main;main\.hashes;main\.hash[0-9]+;crypto/')" \
		"$(least 98)" "percent whole"
	strip "$T/gohashes"
	record_it gohashes "$T/gohashes" "${seconds}s"
	expect_complete 98
}

# C between, without frame pointers, on the thread's stack: from there back to the goroutine's.
t_go_with_c() {
	need_program gcc
	local halves=1
	build_go gowithc cgo
	hz=999 record_it gowithc "$T/gowithc" 1s
	expect_complete 98
	expect_ge "$(share 'main\.goes;main\.(work|_Cfunc_c_work)[^;]*;.*runtime\.asmcgocall[^;]*;[^;]*Cfunc_c_work;c_work;c_leaf')" 10 \
		"percent in C under Go"
	hz=999 expect_most "^gowithc;($GOROUTINE|(__)?clone3?;start_thread|_start;)" \
		"percent whole"
}

run_tests
