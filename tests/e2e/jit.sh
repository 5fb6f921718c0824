#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Code that JITs make: real ones (Node, the JVM, CPython), their perf maps and jitdumps, and hostile
# ones.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# Starts the JIT program without a map; the address of its code is in $code.
spawn_jit() {
	spawn "$WORKLOADS/jit" 30 nomap
	later rm -f "/tmp/perf-$spawned.map"
	wait_until has_code "$spawned" || fail "no code of a JIT"
	code=$(sed -n 's/^\([0-9a-f]*\)-[0-9a-f]* r-xp 00000000 00:00 0 *$/\1/p' "/proc/$spawned/maps" | head -n 1)
}

has_code() { # PID
	grep -q 'r-xp 00000000 00:00 0 *$' "/proc/$1/maps"
}

record_jit() {
	pmb_ok record -e cpu-clock -p "$spawned" -d 0.3 -o "$T/folded" --summary "$T/sum.json"
}

# How long the tool took after its recording, in seconds.
seconds_of() { # COMMAND…
	local before=$EPOCHREALTIME
	"$@" || exit 1
	awk -v a="$before" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f\n", b - a }' >"$T/seconds"
}

expect_goes_on() { # REASON: the profile is there, its JIT's frames are unnamed for that reason
	expect_ge "$(user_share "$T/folded" '\[unknown\]$' '^jit;')" 80 "percent in [unknown]"
	expect_ge "$(sum_get ".frames.unnamed.$1")" 1 "frames unnamed as $1"
	expect_columns
}

t_node() {
	need_program node
	cd "$T" || fail "no folder" # where it leaves a log
	cat >"$T/prog.js" <<-'JS'
	function addUp(n) { let s = 0; for (let i = 0; i < n; i++) s = (s + i * i) % 1000003; return s; }
	function outerLoop(end) { let s = 0; while (process.cpuUsage().user < end) s += addUp(100000); return s; }
	outerLoop(7e5);
	JS
	pmb_ok record -e cpu-clock -F 2000 -o "$T/folded" -- node --perf-basic-prof \
		--interpreted-frames-native-stack "$T/prog.js"
	later find /tmp -maxdepth 1 -name 'perf-*.map' -user "$(id -un)" -newer "$T/prog.js" -delete
	expect_ge "$(user_share "$T/folded" 'addUp( [^;]*prog\.js[^;]*_\[j\]|_\[js\])(;|$)' \
		'^node;')" 50 "percent in addUp"
	expect_ge "$(user_share "$T/folded" 'outerLoop( [^;]*prog\.js|_)[^;]*_?\[js?\];.*addUp' \
		'^node;')" 50 "percent in outerLoop"
}

t_node_stacks_are_whole() {
	# Without frames of their own for interpreted functions: through V8's builtins, which
	# nothing describes.
	need_program node
	cd "$T" || fail "no folder"
	cat >"$T/prog.js" <<-'JS'
	function addUp(n) { let s = 0; for (let i = 0; i < n; i++) s = (s + i * i) % 1000003; return s; }
	function outerLoop(end) { let s = 0; while (process.cpuUsage().user < end) s += addUp(100000); return s; }
	outerLoop(7e5);
	JS
	pmb_ok record -e cpu-clock -F 2000 -o "$T/folded" -- node --perf-basic-prof "$T/prog.js"
	later find /tmp -maxdepth 1 -name 'perf-*.map' -user "$(id -un)" -newer "$T/prog.js" -delete
	expect_ge "$(user_share "$T/folded" ';node::Start;.*addUp( [^;]*_\[j\]|_\[js\])(;|$)' \
		'^node;.*addUp')" 95 "percent of addUp below node::Start"
}

# From the first sample on, before there is a table of so large a file: copied up to where the
# thread's own variables are, which is the end of its stack.
t_stacks_of_nodes_workers() {
	need_program node
	cat >"$T/prog.js" <<-'JS'
	const { Worker, isMainThread } = require('worker_threads');
	function addUp(n) { let s = 0; for (let i = 0; i < n; i++) s = (s + i * i) % 1000003; return s; }
	if (isMainThread) for (let i = 0; i < 2; i++) new Worker(__filename);
	else for (const begin = Date.now(); Date.now() < begin + 800;) addUp(1e6);
	JS
	pmb_ok record -e cpu-clock -o "$T/folded" --summary "$T/sum.json" -- node "$T/prog.js"
	expect_ge "$(sum_get .stacks.user.complete)" 100 "whole stacks"
	expect_le "$(sum_get '.stacks.user.unreadable * 20')" "$(sum_get .stacks.user.complete)" \
		"stacks whose memory could not be read, twenty times"
}

t_node_jitdump() {
	need_program node
	cat >"$T/prog.js" <<-'JS'
	function addUp(n) { let s = 0; for (let i = 0; i < n; i++) s = (s + i * i) % 1000003; return s; }
	while (process.cpuUsage().user < 7e5) addUp(100000);
	JS
	cd "$T" || fail "cd" # where V8 writes it
	pmb record -e cpu-clock -o "$T/folded" -- node --perf-prof "$T/prog.js"
	[ "$rc" -ne 9 ] && compgen -G "$T/jit-*.dump" >/dev/null ||
		skip "this node makes no jitdump"
	expect_eq "$rc" 0 "exit status"
	expect_ge "$(user_share "$T/folded" 'addUp[^;]*_\[js?\](;|$)' '^node;')" 50 "percent in addUp"
}

t_jvm() {
	need_program java
	need_program javac
	cat >"$T/Prog.java" <<-'JAVA'
	public class Prog {
		static long addUp(int n) { long s = 0; for (int i = 0; i < n; i++) s = (s + (long) i * i) % 1000003; return s; }
		public static void main(String[] a) {
			long end = System.currentTimeMillis() + 1000, s = 0;
			while (System.currentTimeMillis() < end) s += addUp(100000);
			if (s == 42) System.out.println();
		}
	}
	JAVA
	javac -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC -d "$T" "$T/Prog.java" ||
		skip "javac can't"
	java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -version >/dev/null 2>&1 ||
		skip "this JVM writes no perf map (17 and later do)"
	pmb_ok record -e cpu-clock -o "$T/folded" -- java -XX:+UnlockDiagnosticVMOptions \
		-XX:+DumpPerfMapAtExit -XX:+PreserveFramePointer -cp "$T" Prog
	later find /tmp -maxdepth 1 -name 'perf-*.map' -user "$(id -un)" -newer "$T/Prog.java" \
		-delete
	expect_ge "$(user_share "$T/folded" 'Prog(\.|::)addUp.*_\[j(ava)?\](;|$)' 'java|Prog')" 50 \
		"percent in addUp"
}

t_cpython() {
	local python
	for python in python3.14 python3.13 python3.12 /usr/bin/python3; do
		command -v "$python" >/dev/null && "$python" -X perf -c \
			'import sys; sys.exit(not (hasattr(sys, "is_stack_trampoline_active") and sys.is_stack_trampoline_active()))' \
			2>/dev/null && break
		python=
	done
	[ -n "$python" ] || skip "no Python with perf maps (3.12 or later)"
	cat >"$T/prog.py" <<-'PY'
	import time
	def add_up(n):
	    s = 0
	    for i in range(n):
	        s = (s + i * i) % 1000003
	    return s
	end = 0.8 # of its own time
	while time.process_time() < end:
	    add_up(10000)
	PY
	pmb_ok record -e cpu-clock -o "$T/folded" -- "$python" -X perf "$T/prog.py"
	later find /tmp -maxdepth 1 -name 'perf-*.map' -user "$(id -un)" -newer "$T/prog.py" -delete
	expect_ge "$(user_share "$T/folded" 'py::add_up:[^;]*_\[j\](;|$)' '^python')" 20 \
		"percent under add_up"
	# its trampolines have no frame pointer; x86-64's are known by their instructions
	[ "$(uname -m)" != x86_64 ] ||
		expect_ge "$(user_share "$T/folded" ';_start;.*;py::<module>:.*;py::add_up:' '^python')" 20 \
			"percent under add_up, from the start on"
}

t_jitdump() {
	spawn "$WORKLOADS/jit" 20 dump
	later rm -f "/tmp/jit-$spawned.dump"
	wait_until test -s "/tmp/jit-$spawned.dump" || fail "no dump"
	sleep 0.2
	rm "/tmp/jit-$spawned.dump" # what is mapped stays
	record_jit
	expect_ge "$(user_share "$T/folded" ';main.*;dumped_loop_\[j\]$')" 90 \
		"percent in dumped_loop under main"
}

t_jitdump_of_a_command_that_ended() {
	pmb_ok record -e cpu-clock -o "$T/folded" -- sh -c 'echo $$ >"$0"; exec "$1" 0.5 dump' \
		"$T/pid" "$WORKLOADS/jit"
	later rm -f "/tmp/jit-$(cat "$T/pid").dump"
	expect_ge "$(user_share "$T/folded" ';dumped_loop_\[j\]$' '^jit;')" 80 \
		"percent in dumped_loop"
}

t_map_in_a_root_of_its_own() {
	# With a /tmp and a user of its own; when names are asked for, all of it is gone.
	need_root
	unshare -m --propagation private true 2>/dev/null || skip "no mount namespaces"
	local dir # this tree may lie in /tmp
	dir=$(mktemp -d /var/tmp/pmb-jit.XXXXXX) && cp "$WORKLOADS/jit" "$dir" ||
		fail "no folder outside of /tmp"
	later rm -rf "$dir"
	chmod 755 "$dir"
	pmb_ok record -e cpu-clock -o "$T/folded" -- unshare -m --propagation private sh -c \
		'mount -t tmpfs none /tmp && exec setpriv --reuid 65534 "$0" 0.5' "$dir/jit"
	expect_ge "$(user_share "$T/folded" ';jit_loop_\[j\]$' '^jit;')" 80 "percent in jit_loop"
}

t_map_with_the_tools_own_words() {
	spawn_jit
	echo "$code 10 [unknown]" >"/tmp/perf-$spawned.map"
	record_jit
	expect_ge "$(user_share "$T/folded" ";'\[unknown\]'_\[j\]\$" '^jit;')" 80 "percent so"
}

t_map_of_three_million_lines() {
	# The last line names the code: later lines are what runs now, and not all are read.
	spawn_jit
	{
		seq -f '%.0f0 10 some_function_of_a_jit' 1000000 3999999
		echo "$code 10 after_all"
	} >"/tmp/perf-$spawned.map"
	seconds_of record_jit
	expect_le "$(cat "$T/seconds")" 30 "seconds"
	expect_ge "$(user_share "$T/folded" ';(after_all_\[j\]|\[unknown\])$' '^jit;')" 80 \
		"percent with a name or a reason"
	expect_columns
}

t_map_of_long_lines() {
	spawn_jit
	{
		for i in 1 2 3; do
			printf '%x 10 ' "$i"
			head -c 1000000 /dev/zero | tr '\0' x
			echo
		done
		head -c 1000000 /dev/zero | tr '\0' 1
		echo " 10 number"
		printf '%s 10 ' "$code"
		head -c 1000000 /dev/zero | tr '\0' y
	} >"/tmp/perf-$spawned.map"
	record_jit
	expect_ge "$(user_share "$T/folded" ';yyyyyyyyyyyyyyyyyyyy*\[cut:[0-9a-f]*\]_\[j\]$' '^jit;')" 80 "percent in yyy, cut"
	expect_le "$(wc -L <"$T/folded")" 6000 "bytes of the longest line"
	expect_columns
}

t_map_of_garbage() {
	spawn_jit
	head -c 5000000 /dev/urandom >"/tmp/perf-$spawned.map"
	record_jit
	expect_goes_on no_symbol
}

t_map_that_is_a_link() {
	# To a file of the program's own user even: whoever made the link chose what is read.
	spawn_jit
	echo "$code 10 linked_name" >"$T/elsewhere"
	ln -s "$T/elsewhere" "/tmp/perf-$spawned.map"
	record_jit
	expect_goes_on untrusted_map
	expect_no_match "$T/folded" linked_name "a name from behind the link"
}

t_map_that_is_a_fifo() {
	spawn_jit
	mkfifo "/tmp/perf-$spawned.map"
	seconds_of record_jit
	expect_le "$(cat "$T/seconds")" 10 "seconds"
	expect_goes_on untrusted_map
}

t_map_that_is_a_folder() {
	spawn_jit
	mkdir "/tmp/perf-$spawned.map"
	later rmdir "/tmp/perf-$spawned.map"
	record_jit
	expect_goes_on untrusted_map
}

t_map_of_somebody_else() {
	need_root
	spawn_jit
	echo "$code 10 foreign_name" >"/tmp/perf-$spawned.map"
	chown 65534 "/tmp/perf-$spawned.map"
	record_jit
	expect_goes_on untrusted_map
	expect_no_match "$T/folded" foreign_name "a name from another user's file"
}

t_dump_of_garbage() {
	# The map still names it.
	spawn "$WORKLOADS/jit" 20 dump
	later rm -f "/tmp/jit-$spawned.dump" "/tmp/perf-$spawned.map"
	wait_until test -s "/tmp/jit-$spawned.dump" || fail "no dump"
	sleep 0.2
	code=$(sed -n 's/^\([0-9a-f]*\)-[0-9a-f]* r-xp 00000000 00:00 0 *$/\1/p' "/proc/$spawned/maps" | head -n 1)
	head -c 5000000 /dev/urandom | dd of="/tmp/jit-$spawned.dump" conv=notrunc status=none
	echo "$code 10 of_the_map" >"/tmp/perf-$spawned.map"
	record_jit
	expect_ge "$(user_share "$T/folded" ';of_the_map_\[j\]$' '^jit;')" 80 \
		"percent in of_the_map"
}

# V8's builtins, a part of the program, have frame pointers and no unwind information.
t_node_builtins_reach_main() {
	need_program node
	[ "$(uname -m)" = x86_64 ] || skip "looked at on x86-64 only"
	# By the program, not by what was recorded of it: that it says nothing is a failure.
	nm "$(readlink -f "$(command -v node)")" >"$T/symbols" 2>/dev/null
	grep -q ' Builtins_ArrayTimSort$' "$T/symbols" ||
		skip "this node's builtins have other names, or none"
	local share
	cat >"$T/sort.js" <<-'JS'
		const compare = (x, y) => x - y;
		while (process.cpuUsage().user < 1e6) { // of its own time: it may get little
			const numbers = [];
			for (let i = 0; i < 30000; i++) numbers.push(Math.random());
			numbers.sort(compare);
		}
	JS
	pmb_ok record -e cpu-clock -F 2000 -o "$T/folded" -- node "$T/sort.js"
	expect_match "$T/folded" ';Builtins_ArrayTimSort' "what sorts"
	share=$(folded_share "$T/folded" '^[^;]*;_start;.*node::Start' ';Builtins_Array(Tim|Prototype)Sort')
	expect_ge "$share" 98 "percent of what sorts that reaches main"
	# The builtins' own calls of C, before which they say where they are.
	share=$(folded_share "$T/folded" '^[^;]*;_start;' ';Builtins_ArrayPrototypeSort;[^;]*memset')
	[ "$share" = none ] || # some fill memory another way
		expect_ge "$share" 98 "percent of its calls of memset that reaches main"
}

t_stripped_node_is_whole() {
	# No symbol says where a builtin begins, nor what of the collector is assembler.
	need_program node
	need_program strip
	[ "$(uname -m)" = x86_64 ] || skip "looked at on x86-64 only"
	strip -o "$T/node" "$(readlink -f "$(command -v node)")" || skip "this node is no program"
	cat >"$T/mixed.js" <<-'JS'
		const compare = (x, y) => x.k - y.k;
		while (process.cpuUsage().user < 1e6) {
			const all = [];
			for (let i = 0; i < 20000; i++) all.push({k: (i * 7919) % 20011});
			all.sort(compare);
			let text = '';
			for (let i = 0; i < 500; i++)
				text += JSON.stringify({i, t: 'x' + i}).replace(/x(\d)/g, (m, d) => 'y' + d);
		}
	JS
	pmb_ok record -e cpu-clock -F 2000 -o "$T/folded" -- "$T/node" "$T/mixed.js"
	local begin='(_start|(__)?clone3?|start_thread|_dl_start)'
	expect_ge "$(user_share "$T/folded" "^node;$begin" '^node;')" 95 "percent that is whole"
}

t_code_without_rules_goes_by_its_frame_pointer() {
	# As much of it as a runtime has, inside a file with tables, and of instructions that don't
	# say where its frame is.
	[ "$(uname -m)" = x86_64 ] || skip "x86-64's instructions"
	cat >"$T/runtime.S" <<-'S'
		.fill 8192, 1, 0xcc
		.globl runtime_call
		.type runtime_call, @function
		runtime_call:
			push %rbp
			mov %rsp, %rax
			mov %rax, %rbp
			and $-16, %rsp
			call *%rdi
			leave
			ret
		.size runtime_call, . - runtime_call
		.section .note.GNU-stack, ""
	S
	cat >"$T/prog.c" <<-'C'
		#include <time.h>
		void runtime_call(void (*fn)(void));
		static void busy(void)
		{
			struct timespec t;
			do
				for (volatile int i = 0; i < 1000000; i++)
					;
			while (!clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) && !t.tv_sec &&
			       t.tv_nsec < 500000000);
		}
		__attribute__((noinline)) static void outer(void)
		{
			runtime_call(busy);
			__asm__ volatile("");
		}
		int main(void)
		{
			outer();
			return 0;
		}
	C
	seq -f 'void last%.0f(void) {}' 200 >"$T/last.c" # enough rules for a file that has a table
	gcc -O1 -fomit-frame-pointer -o "$T/prog" "$T/prog.c" "$T/runtime.S" "$T/last.c" ||
		fail "no program"
	pmb_ok record -e cpu-clock:u -F 2000 -o "$T/folded" --summary "$T/sum.json" -- "$T/prog"
	expect_ge "$(user_share "$T/folded" ';main;outer;runtime_call;busy' ';busy(;|$)')" 98 \
		"percent that reaches main"
	expect_ge "$(sum_get '100 * .stacks.user.complete_by_fp / .events[0].user.aggregated')" 90 \
		"percent of the stacks that say how"
}

run_tests
