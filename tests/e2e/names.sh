#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Names for addresses: deep recursion, C++ and Rust, code without a file, files that are gone or
# elsewhere.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# Half of the files of processes that live for some milliseconds are met while they are there, if
# the tool has a CPU by then. Beside load it may have none, so one try of several is enough, the
# later ones of processes that live longer; but not so long that a tool would do that only looks at
# files when it accounts samples: of 100 that lived 2, 4, 8 ms such a one missed 99, 78 to 98,
# 44 to 80.
one_of() { # "MS…" COMMAND…: with the seconds
	local lives=$1 ms
	shift
	for ms in $lives; do
		rm -f "$T/reason"
		if ("$@" "$(awk -v ms="$ms" 'BEGIN { print ms / 1000 }')"); then return; fi
	done
	exit 1 # for the last one's reason
}

t_recursion() {
	pmb_ok record -e cpu-clock -o "$T/folded" -- "$WORKLOADS/recurse" 0.25 100
	# How many dives stand right after main, and by what weight.
	user_code "$T/folded" | awk '{ n = $NF; k = sub(/.*;main;/, ""); k = gsub(/(^|;)dive/, ""); sum += n; if (k >= 99) deep += n }
		END { printf "%.3f\n", 100 * deep / sum }' >"$T/share"
	expect_ge "$(cat "$T/share")" 95 "percent of the stacks with main and its hundred dives"
	expect_ge "$(user_share "$T/folded" ';main;dive;dive;dive;')" 95 \
		"percent of the stacks under main"
	expect_no_match "$T/folded" '(;dive){101}' "more recursion than there is"
}

t_max_depth() {
	pmb_ok record -e cpu-clock --max-depth 10 -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/recurse" 0.25 100
	expect_no_match "$T/folded" '(;dive){11}' "deeper than asked for"
	expect_match "$T/folded" ';dive(;bottom_spin)?;burn_leaf ' "the leaf's side is kept"
	expect_ns "$(folded_sum "$T/folded")" 250000000 10 "ns: samples and weight stay" 987
	expect_ge "$(sum_get '.stacks.user.truncated // 0')" 1 "stacks that ended as truncated"
}

t_cxx() {
	pmb_ok record -e cpu-clock -F 4000 -o "$T/folded" -- "$WORKLOADS/cxxnames" 0.3
	local name points
	points=$(points_of 25 "$(samples_of "$T/folded" ';outer::' 4000)")
	for name in 'outer::inner::spin<int, 3>' 'outer::inner::spin<long, 5>' \
		'outer::Engine::operator\(\)' 'outer::operator<<'; do
		expect_within "$(user_share "$T/folded" ";[^;]*${name}[^;]*\$" ';outer::')" 25 \
			"$points" "$name"
	done
	expect_no_match "$T/folded" ';_Z' "a mangled name"
}

# Beside what the program's own clock says.
expect_rust() { # REGEX FIELD WHAT
	local own
	own=$(awk -v f="$2" '{ printf "%.2f", 100 * $f / ($2 + $4 + $6) }' "$T/out")
	expect_within "$(user_share "$T/folded" "$1" ';mycrate')" "$own" \
		"$(points_of "$own" "$(sum_emitted)")" "$3"
}

t_rust() {
	pmb_ok record -e cpu-clock -F 4000 -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/rustnames" 0.5
	expect_rust ';mycrate::foo::spin$' 2 "v0"
	expect_rust ';mycrate::foo::gen::<u32>$' 4 "v0, generic"
	expect_rust ';mycrate::bar::spin$' 6 "legacy, hash left out"
	expect_no_match "$T/folded" ';_R|;_ZN' "a mangled name"
}

t_jit() {
	spawn "$WORKLOADS/jit" 20
	later rm -f "/tmp/perf-$spawned.map"
	wait_until test -s "/tmp/perf-$spawned.map" || fail "no map"
	pmb_ok record -e cpu-clock -p "$spawned" -d 0.25 -o "$T/folded"
	expect_ge "$(user_share "$T/folded" ';main.*;jit_loop_\[j\]$')" 90 \
		"percent in jit_loop under main"
}

t_jit_of_a_command_that_ended() {
	pmb_ok record -e cpu-clock -o "$T/folded" -- sh -c 'echo $$ >"$0"; exec "$1" 0.25' \
		"$T/pid" "$WORKLOADS/jit"
	later rm -f "/tmp/perf-$(cat "$T/pid").map"
	expect_ge "$(user_share "$T/folded" ';jit_loop_\[j\]$' '^jit;')" 80 "percent in jit_loop"
}

t_jit_without_a_map() {
	pmb_ok record -e cpu-clock -o "$T/folded" --summary "$T/sum.json" -- "$WORKLOADS/jit" 0.25 \
		nomap
	expect_ge "$(user_share "$T/folded" '\[unknown\]$' '^jit;')" 80 "percent in [unknown]"
	expect_ge "$(sum_unnamed)" 1 "nameless frames in the summary"
}

t_deleted_binary() {
	cp "$WORKLOADS/split" "$T/goner"
	spawn "$T/goner" 20 >/dev/null
	wait_until grep -q '^goner$' "/proc/$spawned/comm" || fail "it does not run"
	rm "$T/goner"
	pmb_ok record -e cpu-clock -F 2000 -p "$spawned" -d 0.5 -o "$T/folded"
	expect_share "$T/folded" hot70 70 ';hot[37]0' 2000
}

t_replaced_binary() {
	# As a package upgrade does it: another file under the same name. Its names would be wrong.
	cp "$WORKLOADS/split" "$T/prog"
	spawn "$T/prog" 20 >/dev/null
	wait_until grep -q '^prog$' "/proc/$spawned/comm" || fail "it does not run"
	cp "$WORKLOADS/recurse" "$T/new"
	mv "$T/new" "$T/prog"
	pmb_ok record -e cpu-clock -F 2000 -p "$spawned" -d 0.5 -o "$T/folded"
	expect_share "$T/folded" hot70 70 ';hot[37]0' 2000
	expect_no_match "$T/folded" 'dive|bottom_spin' "a name of the new file"
}

# Every run is a file of its own, deleted as soon as it has been executed, in a process of 2 ms. The
# kernel gives the inode of one to the next.
t_deleted_when_it_began() {
	one_of "2 2 3 3 4 4" goners
}

goners() { # SECONDS
	cd "$T" || fail "cd"
	pmb_ok record -a -e cpu-clock -F 999 -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/goner" 100 "$WORKLOADS/frameless" deep "$1"
	expect_columns
	user_code "$T/folded" | grep -E '^goner\.[0-9]+;' >"$T/mine"
	expect_ge "$(wc -l <"$T/mine")" 50 "lines"
	expect_le "$(folded_share "$T/mine" '\[unknown\]|\]\+0x')" 50 \
		"percent of the weight with a nameless frame"
	# the rest is ld.so at work, as in any program that lives 2 ms
	expect_ge "$(folded_share "$T/mine" '^[^;]*;(_start;.*main|(__)?clone3?;start_thread;thread);deep01;.*;deep30;' ';spin$')" \
		50 "percent of spin in whole stacks"
}

# As a package upgrade does it, while the program runs: each has the names of what it has mapped.
t_library_replaced_while_recording() {
	need_program gcc
	local which
	for which in old new; do
		echo "void $which(void) { for (volatile long i = 0; i < 1000000; i++); } void (*work)(void) = $which;" |
			gcc -x c -shared -fPIC -O1 -Wl,-soname,libw.so -o "$T/$which.so" - ||
			fail "gcc"
	done
	cp "$T/old.so" "$T/libw.so"
	printf '#include <time.h>\nextern void (*work)(void);\nint main(void) { for (clock_t c = clock(); clock() - c < CLOCKS_PER_SEC / 4;) work(); }\n' |
		gcc -x c -O1 -o "$T/prog" - -L"$T" -lw -Wl,-rpath,"$T" || fail "gcc"
	cp "$T/prog" "$T/second"
	# shellcheck disable=SC2016
	pmb_ok record -e cpu-clock -o "$T/folded" -- sh -c '"$0/prog" & sleep 0.1
		mv "$0/new.so" "$0/libw.so"; "$0/second"; wait' "$T"
	expect_ge "$(user_share "$T/folded" ';main;old$' '^prog;.*main')" 80 "percent in old"
	expect_ge "$(user_share "$T/folded" ';main;new$' '^second;.*main')" 80 "percent in new"
	expect_no_match "$T/folded" '^(prog;.*;new|second;.*;old) ' "a name of the other"
}

# Containers that live for some milliseconds: their root goes with them.
t_short_lives_in_mount_namespaces() {
	need_root
	mkdir "$T/hidden"
	unshare -m --propagation private true 2>/dev/null || skip "no mount namespaces"
	one_of "5 5 5 5 6 6" hidden_lives
}

hidden_lives() { # SECONDS
	# shellcheck disable=SC2016
	pmb_ok record -a -e cpu-clock -F 999 -o "$T/folded" --summary "$T/sum.json" -- sh -c \
		'for i in $(seq 40); do unshare -m --propagation private sh -c "mount -t tmpfs none $0 &&
			cp $1 $0/inner && exec $0/inner deep $2" >/dev/null; done' "$T/hidden" "$WORKLOADS/frameless" "$1"
	expect_columns
	[ ! -e "$T/hidden/inner" ] || fail "the namespace is none"
	user_code "$T/folded" | grep -E '^inner;' >"$T/mine"
	expect_ge "$(wc -l <"$T/mine")" 5 "lines"
	expect_le "$(folded_share "$T/mine" '\[unknown\]|\]\+0x')" 50 \
		"percent of the weight with a nameless frame"
	expect_ge "$(folded_share "$T/mine" ';(main|thread);deep01;.*;deep30;')" 50 \
		"percent in whole stacks"
}

t_mount_namespace() {
	need_root
	mkdir "$T/hidden"
	unshare -m --propagation private true 2>/dev/null || skip "no mount namespaces"
	spawn unshare -m --propagation private sh -c \
		'mount -t tmpfs none "$0" && cp "$1" "$0/inner" && exec "$0/inner" 20' \
		"$T/hidden" "$WORKLOADS/split" >/dev/null
	wait_until grep -q '^inner$' "/proc/$spawned/comm" ||
		fail "the program in the namespace did not start"
	[ ! -e "$T/hidden/inner" ] || fail "the namespace is none"
	pmb_ok record -e cpu-clock -F 2000 -p "$spawned" -d 0.5 -o "$T/folded"
	expect_share "$T/folded" hot70 70 '^inner;.*hot[37]0' 2000
}

t_mount_namespace_of_a_command() {
	# The process and its namespace are gone when names are asked for, unless the tool was
	# quick.
	need_root
	mkdir "$T/hidden"
	unshare -m --propagation private true 2>/dev/null || skip "no mount namespaces"
	pmb_ok record -e cpu-clock -F 2000 -o "$T/folded" -- \
		unshare -m --propagation private sh -c \
		'mount -t tmpfs none "$0" && cp "$1" "$0/inner" && exec "$0/inner" 0.5' \
		"$T/hidden" "$WORKLOADS/split"
	expect_share "$T/folded" hot70 70 '^inner;.*hot[37]0' 2000
}

t_stripped() {
	cp "$WORKLOADS/split" "$T/bare"
	strip "$T/bare"
	pmb_ok record -e cpu-clock -o "$T/folded" --summary "$T/sum.json" -- "$T/bare" 0.25
	expect_ge "$(user_share "$T/folded" ';\[bare\]\+0x[0-9a-f]+$' '^bare;')" 90 \
		"percent as [module]+0xoffset"
	expect_ge "$(sum_unnamed)" 1 "nameless frames in the summary"
	# The offset is what addr2line takes: ask the unstripped twin.
	local off
	off=$(sed -n 's/^bare;.*\[bare\]+\(0x[0-9a-f]*\) \([0-9]*\)$/\2 \1/p' "$T/folded" |
		sort -n | tail -n 1 | cut -d' ' -f2) # the heaviest: others may be of its beginning
	expect_match <(addr2line -f -i -e "$WORKLOADS/split" "$off") \
		'^(hot70|hot30|spin_mix|find_unit)$' "what lies there"
}

t_debuglink() {
	cp "$WORKLOADS/split" "$T/linked"
	objcopy --only-keep-debug "$T/linked" "$T/linked.debug"
	strip "$T/linked"
	(cd "$T" && objcopy --add-gnu-debuglink=linked.debug linked)
	pmb_ok record -e cpu-clock -F 2000 -o "$T/folded" -- "$T/linked" 0.5
	expect_share "$T/folded" hot70 70 '^linked;.*hot' 2000
}

t_minidebuginfo() {
	need_program xz
	cp "$WORKLOADS/split" "$T/mini"
	strip -o "$T/mini.syms" --keep-file-symbols --only-keep-debug "$T/mini"
	objcopy -S --remove-section .gdb_index --remove-section .comment \
		--keep-symbol hot70 --keep-symbol hot30 --keep-symbol spin_mix --keep-symbol main \
		"$T/mini.syms" "$T/mini.small"
	xz -q "$T/mini.small"
	strip "$T/mini"
	objcopy --add-section .gnu_debugdata="$T/mini.small.xz" "$T/mini"
	pmb_ok record -e cpu-clock -F 2000 -o "$T/folded" -- "$T/mini" 0.5
	expect_share "$T/folded" hot70 70 '^mini;.*hot' 2000
}

t_build_id() {
	need_root
	local id dir
	cp "$WORKLOADS/split" "$T/ided"
	id=$(readelf -n "$T/ided" | sed -n 's/ *Build ID: //p')
	[ -n "$id" ] || skip "gcc writes no build-id here"
	dir=/usr/lib/debug/.build-id/${id:0:2}
	[ ! -e "$dir/${id:2}.debug" ] || skip "there is a debug file already"
	[ -d "$dir" ] || later rmdir --ignore-fail-on-non-empty -p "$dir"
	mkdir -p "$dir"
	later rm -f "$dir/${id:2}.debug"
	objcopy --only-keep-debug "$T/ided" "$dir/${id:2}.debug"
	strip "$T/ided"
	pmb_ok record -e cpu-clock -F 2000 -o "$T/folded" -- "$T/ided" 0.5
	expect_share "$T/folded" hot70 70 '^ided;.*hot' 2000
}

# The line of tests/workloads/inlined.c that is marked with a name.
inlined_line() { # NAME
	grep -n "/\* line: $1 \*/" "$TOP/tests/workloads/inlined.c" | cut -d: -f1
}

# With --inline all stacks show the chain, and with --lines each call's line.
expect_inlined() { # PROGRAM…, which are recorded one after the other
	local program stack
	stack=$(printf \
		';main:inlined.c:%d;work:inlined.c:%d;middle:inlined.c:%d_.i.;inner:inlined.c:%d_.i.;leaf_spin:' \
		"$(inlined_line main)" "$(inlined_line work)" "$(inlined_line middle)" "$(inlined_line inner)")
	pmb_ok record -e cpu-clock --inline --lines -F 4000 -o "$T/folded" -- \
		sh -c 'for i; do "$i" 0.15; done' - "$@"
	for program; do
		expect_ge "$(user_share "$T/folded" "$stack" "^${program##*/};")" 90 \
			"percent with the inlined calls and their lines, of ${program##*/}"
	done
}

t_inline() {
	expect_inlined "$WORKLOADS/inlined"
	pmb_ok record -e cpu-clock --inline -F 4000 -o "$T/folded" -- "$WORKLOADS/inlined" 0.15
	expect_ge "$(user_share "$T/folded" ';main;work;middle_\[i\];inner_\[i\];leaf_spin(;|$)' '^inlined;')" 90 \
		"percent with the inlined calls"
	pmb_ok record -e cpu-clock -F 4000 -o "$T/folded" -- "$WORKLOADS/inlined" 0.15
	expect_ge "$(user_share "$T/folded" ';main;work;leaf_spin(;|$)' '^inlined;')" 90 \
		"percent without them"
	expect_no_match "$T/folded" '_\[i\]' "an inlined frame that nobody asked for"
}

t_lines() {
	pmb_ok record -e cpu-clock --lines -F 4000 -o "$T/folded" -- "$WORKLOADS/inlined" 0.15
	expect_ge "$(user_share "$T/folded" "$(printf ';main:inlined.c:%d;work:inlined.c:%d;leaf_spin:inlined.c:' \
		"$(inlined_line main)" "$(inlined_line work)")" '^inlined;')" 90 "percent with lines"
	expect_no_match "$T/folded" '_\[i\]' "an inlined frame that nobody asked for"
}

t_inline_in_a_debug_file() {
	# With the symbols in the program itself, and without.
	local flag
	objcopy --only-keep-debug "$WORKLOADS/inlined" "$T/linked.debug"
	for flag in debug all; do
		strip "--strip-$flag" -o "$T/less-$flag" "$WORKLOADS/inlined"
		(cd "$T" && objcopy --add-gnu-debuglink=linked.debug "less-$flag")
	done
	expect_inlined "$T/less-debug" "$T/less-all"
}

t_inline_in_all_versions_of_dwarf() {
	local flags programs=()
	for flags in "gcc -gdwarf-3" "gcc -gdwarf-4" "gcc -gdwarf-5" "gcc -gdwarf-5 -gz" "gcc -gdwarf-4 -gno-strict-dwarf -flto" \
		"clang -gdwarf-4" "clang -gdwarf-5"; do
		need_program "${flags%% *}"
		# shellcheck disable=SC2086 # a list of words
		$flags -w -O2 -fno-omit-frame-pointer -D_GNU_SOURCE -o "$T/prog${#programs[@]}" \
			"$TOP/tests/workloads/inlined.c" ||
			fail "$flags"
		programs+=("$T/prog${#programs[@]}")
	done
	expect_inlined "${programs[@]}"
}

t_inline_cxx() {
	need_program g++
	cat >"$T/prog.cc" <<-'CXX'
	#include <ctime>
	namespace ns {
	template <int N> struct Box {
		__attribute__((noinline)) static void spin() {
			__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
			for (long i = 0; i < 1000000; i++) __asm__ volatile("" : "+r"(i));
		}
		__attribute__((always_inline)) void run() const { spin(); __asm__ volatile(""); }
	};
	}
	int main() {
		ns::Box<3> box;
		for (clock_t end = clock() + CLOCKS_PER_SEC / 4; clock() < end;) box.run();
	}
	CXX
	g++ -g -O2 -fno-omit-frame-pointer -o "$T/prog" "$T/prog.cc" || fail "g++"
	pmb_ok record -e cpu-clock --inline -o "$T/folded" -- "$T/prog"
	expect_ge "$(user_share "$T/folded" ';main;ns::Box<3>::run_\[i\];ns::Box<3>::spin(;|$)' '^prog;')" 90 \
		"percent with the inlined member"
}

t_inline_with_a_shared_debug_file() {
	# dwz moves what debug files share into a third one. It is not read; the rest is.
	need_program dwz
	cp "$WORKLOADS/inlined" "$T/one"
	cp "$WORKLOADS/split" "$T/two"
	dwz -m "$T/shared" "$T/one" "$T/two" || skip "dwz can't"
	rm -f "$T/shared"
	mkfifo "$T/shared" # whoever opens it hangs
	pmb_ok record -e cpu-clock --inline -o "$T/folded" --summary "$T/sum.json" -- "$T/one" 0.25
	expect_ge "$(user_share "$T/folded" ';main;work(;|$)' '^one;')" 90 "percent under work"
	expect_eq "$(sum_get .names.helper_failures)" 0 "failures of the helper"
}

t_inline_in_a_broken_file() {
	# DWARF that is garbage costs the inlined frames, not the names.
	cp "$WORKLOADS/inlined" "$T/prog"
	local section off size
	for section in .debug_info .debug_abbrev .debug_line; do
		read -r off size < <(readelf -SW "$T/prog" | sed 's/^ *\[ *[0-9]*\] *//' |
			awk -v s="$section" '$1 == s { print $4, $5 }')
		head -c $((16#$size)) /dev/urandom |
			dd of="$T/prog" bs=4096 seek=$((16#$off)) oflag=seek_bytes conv=notrunc \
			status=none
	done
	pmb_ok record -e cpu-clock --inline --lines -o "$T/folded" -- "$T/prog" 0.25
	expect_ge "$(user_share "$T/folded" ';main[^;]*;work[^;]*;(.*;)?leaf_spin' '^prog;')" 90 \
		"percent with names"
}

t_each_place_is_looked_up_once() {
	# Tens of thousands of samples of a few dozen places, in processes whose addresses are
	# all different.
	pmb_ok record -e page-faults -c 1 -m 16M --inline --lines -o "$T/folded" \
		--summary "$T/sum.json" -- \
		sh -c '"$0" 20000; "$0" 20000' "$WORKLOADS/faults"
	expect_ge "$(sum_aggregated)" 40000 "samples"
	expect_le "$(sum_get .names.lookups)" 1000 "look-ups"
	expect_ge "$(sum_get .names.lookups)" 3 "look-ups"
	expect_ge "$(folded_share "$T/folded" ';touch_pages:faults.c:[0-9]+$')" 90 \
		"percent in touch_pages"
	expect_eq "$(sum_get .names.helper_failures)" 0 "failures of the helper"
}

t_kernel_frames() {
	pmb_ok record -e cpu-clock -F 2000 -o "$T/folded" -- "$WORKLOADS/syscalls" 0.4
	# how much of it is the kernel's depends on how dear a system call is
	expect_ge "$(folded_sum_of "$T/folded" ';kernel_half;read_once;.*_\[k\]$')" 10000000 \
		"ns in the kernel below read_once"
	expect_ge "$(folded_sum_of "$T/folded" ';kernel_half;read_once;.*(vfs_read|read_iter_zero|read_zero)_\[k\](;.*)?$')" \
		10000000 "ns of them in what reads /dev/zero"
	expect_le "$(folded_share "$T/folded" '0xffff')" 1 "percent with nameless kernel frames"
}

t_the_kernel_is_asked() {
	# Where it names its own addresses (5.13) nobody reads all of its symbols, and the answers
	# are those symbols.
	local unknown
	kernel_is 5.13 || skip "this kernel has no bpf_snprintf"
	grep -q '[1-9].* [tT] ' /proc/kallsyms || skip "kernel symbols are hidden"
	strace -f --seccomp-bpf -e trace=openat,openat2 -o "$T/calls" "$PMUBPF" record -a -F 2000 \
		-e cpu-clock -o "$T/folded" \
		-- "$WORKLOADS/syscalls" 0.5 2>"$T/err" || fail "exit status $?"
	expect_no_match "$T/calls" kallsyms "all symbols were read"
	unknown=$(grep -o '[^; ]*_\[k\]' "$T/folded" | sed 's/_\[k\]$//; /^bpf_/d; /^\[unknown\]$/d' | sort -u |
		comm -23 - <(awk '{ print $3 }' /proc/kallsyms | sort -u))
	[ -z "$unknown" ] || fail "no symbols of this kernel: $unknown"
	# code that is gone when it is asked for: another's BPF program, a module
	expect_le "$(folded_share "$T/folded" '\[unknown\]_\[k\]')" 1 \
		"percent with a frame of the kernel that has no name"
	expect_ge "$(grep -o '[^; ]*_\[k\]' "$T/folded" | sort -u | wc -l)" 20 \
		"different functions of the kernel"
}

t_no_debuginfod() {
	# Somebody's server must not be asked: a name that does not resolve would also take time.
	DEBUGINFOD_URLS="http://127.0.0.1:1/" DEBUGINFOD_VERBOSE=1 \
		"$PMUBPF" record -e cpu-clock -o "$T/folded" -- "$WORKLOADS/split" \
		0.3 >"$T/out" 2>"$T/err" ||
		fail "exit status $?"
	expect_no_match "$T/err" '[Dd]ebuginfod|127\.0\.0\.1' "a server was asked"
	[ ! -d "$T/.cache/debuginfod_client" ] || fail "a cache of the client"
}

t_exec_changes_the_names() {
	# One pid, two programs after each other: neither borrows the other's names.
	pmb_ok record -e cpu-clock -F 4000 -o "$T/folded" -- bash -c \
		'i=0; while ((i < 30000)); do ((i++)); done; exec "$0" 0.25' "$WORKLOADS/split"
	expect_share "$T/folded" hot70 70 '^split;.*hot' 4000
	expect_no_match "$T/folded" '^bash;.*;(hot70|hot30|spin_mix)' \
		"names of the second in the first"
	expect_no_match "$T/folded" '^split;.*(execute_command|\[bash\])' \
		"names of the first in the second"
}

run_tests
