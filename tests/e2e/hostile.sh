#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Programs that want to hurt the profiler. After each the same is asked: it ended by itself, in
# time, with status 0; the books balance; its memory and its helper's stayed below a bound; and
# nothing that only it may read came out.
# (Perf maps that are FIFOs, folders, links or garbage: jit.sh. What is bounded in all:
# hostile_budgets.sh. Bytes: tests/fuzz.)
#
# SOAK=1 adds what takes long. FIGURES=FILE gets a line of figures a test.
# long
# shellcheck source=tests/e2e/hostile_lib.sh
. "$(dirname "$0")/hostile_lib.sh"

ELF="$TOP/tests/workloads/hostile_elf.py"
# ---------------------------------------------------------------- names

# No line begins with what a name wanted it to, and no byte commands a terminal.
expect_no_forgery() { # FILE…
	local f
	for f; do
		expect_no_match "$f" '^root' "a forged line in $(basename "$f")"
		! grep -qP '[\x01-\x08\x0b-\x1f\x7f]' "$f" ||
			fail "a control character in $(basename "$f")"
	done
}

t_names_of_everything() {
	need_program python3
	local program format
	program="$T/"$'a;b 7\nroot;\x1b[31m;x'
	python3 "$ELF" names "$WORKLOADS/split" "$program" || fail "the generator"
	chmod 755 "$program"
	hurt -o "$T/p.pb.gz" -- "$program" 1 $'x\nroot 7\x1b'
	expect_unhurt
	expect_match "$T/folded" ';.x3ba.x0a7.x1b [0-9]+$' "the symbol that was hot70"
	for format in folded html speedscope; do
		"$PMUBPF" report -o "$T/report.$format" "$T/p.pb.gz" >>"$T/out" 2>>"$T/err" ||
			fail "report as $format"
	done
	"$PMUBPF" report "$T/p.pb.gz" >"$T/report.text" 2>>"$T/err" || fail "report"
	expect_no_forgery "$T/folded" "$T/err" "$T"/report.*
	jq -e . "$T/sum.json" >/dev/null || fail "the summary is not JSON"
}

# What the tool calls so itself has no quotes around it, in any format.
t_commands_called_as_the_tool_calls_things() {
	local name
	for name in "[other]" "[unknown]" "[idle]" "[not named: no"; do
		cp "$WORKLOADS/split" "$T/$name"
	done
	hurt -o "$T/p.pb.gz" -F 999 -- sh -c 'for i in "$0"/[[]*; do "$i" 0.3; done' "$T"
	expect_unhurt
	for format in folded html speedscope; do
		"$PMUBPF" report -o "$T/report.$format" "$T/p.pb.gz" >>"$T/out" 2>>"$T/err" ||
			fail "report as $format"
	done
	"$PMUBPF" report --by comm --json "$T/p.pb.gz" >"$T/report.json" || fail "report"
	for name in "[other]" "[unknown]" "[idle]" "[not named: no"; do
		grep -qF "'$name';" "$T/folded" ||
			fail "'$name' is not in quotes: $(cut -d ';' -f 1 "$T/folded" | sort -u)"
		grep -qF "'$name'" "$T/report.json" ||
			fail "'$name' is not in quotes in report --json"
		! grep -F "$name" "$T/folded" "$T"/report.* | grep -vF "'$name" ||
			fail "$name stands without quotes"
	done
}

t_arguments_of_6_megabytes() {
	spawn "$WORKLOADS/crowd" words 6000000
	wait_until grep -qs spin "/proc/$spawned/cmdline" || fail "it does not start"
	hurt -p "$spawned" -d 1
	expect_unhurt
	expect_no_forgery "$T/folded" "$T/err"
	hurt -a --by container -d 1
	expect_unhurt "$HOST_KB"
	expect_no_forgery "$T/folded" "$T/err"
}

# ---------------------------------------------------------------- files

# The program runs, and is seen; what is behind its sections is not believed.
elf_of() { # KIND [HELPER_KB [OPTION…]]
	need_program python3
	local kind=$1 kb=${2:-$HELPER_KB}
	shift $(($# < 2 ? $# : 2))
	python3 "$ELF" "$kind" "$WORKLOADS/split" "$T/program" || fail "the generator"
	chmod 755 "$T/program"
	hurt "$@" -- "$T/program" 0.3
	expect_unhurt "$MAIN_KB" "$kb"
	expect_ge "$(user_share "$T/folded" ';(hot[37]0|\[program\]\+0x[0-9a-f]+)(;|$)' '^program;')" 80 \
		"percent in the program's code, by name or by place"
}

# With DWARF all that is read for names is read, too; without it alone, in the long form.
elf_of_both() { # KIND
	[ "${SOAK:-0}" != 1 ] || elf_of "$1"
	elf_of "$1" 65536 --inline --lines
}

t_sections_that_overlap() {
	elf_of_both overlap
}

t_sections_of_2_63_bytes() {
	elf_of_both huge
}

# 1 GiB each, of which nothing is on the disk. The program can't be named, but need not be waited
# for.
t_tables_that_are_holes() {
	elf_of sparse
}

t_string_tables_that_loop() {
	elf_of_both strings
}

t_dwarf_that_claims_100_gb() {
	elf_of claims 65536 --inline --lines
	expect_match "$T/folded" ';hot70' "its names all the same"
}

# The compressed 100 MB are in memory once.
t_dwarf_that_inflates_to_100_gb() {
	elf_of inflates 262144 --inline --lines
	expect_match "$T/folded" ';hot70' "its names all the same"
}

# 32 MiB are the limit, beside them the compressed 16 MB.
t_minidebuginfo_that_inflates_to_100_gb() {
	elf_of minidebug
}

# 2 GiB of DWARF are allowed, 4 GiB of memory the helper's limit.
t_dwarf_of_almost_2_gb() {
	[ "${SOAK:-0}" = 1 ] || skip "SOAK=1: it takes 2 GB"
	elf_of below 4194304 --inline --lines
}

changing() { # HOW
	spawn "$WORKLOADS/changing" "$T/file" "$1" 30
	hurt -p "$spawned" --inline -d 1
	expect_unhurt
	kill -0 "$spawned" || fail "the program died"
	expect_ge "$(user_share "$T/folded" ';(mapped_spin|\[file[^;]*\]\+0x[0-9a-f]+)(;|$)')" 10 \
		"percent in the file's code"
}

t_a_file_that_is_rewritten() {
	changing rewrite
}

t_a_file_that_is_replaced() {
	changing replace
}

t_a_file_that_is_truncated() {
	changing truncate
}

# ---------------------------------------------------------------- perf maps

with_map() {
	spawn "$WORKLOADS/jit" 30 nomap
	map=/tmp/perf-$spawned.map
	later rm -f "$map"
	wait_until grep -q 'r-xp 00000000 00:00 0 *$' "/proc/$spawned/maps" ||
		fail "no code made at run time"
	code=$(sed -n 's/^\([0-9a-f]*\)-[0-9a-f]* r-xp 00000000 00:00 0 *$/\1/p' "/proc/$spawned/maps" | head -n 1)
}

t_a_perf_map_that_links_to_a_secret() {
	need_root
	local secret
	with_map
	secret=$T/shadow
	(umask 077; echo "$code 1000 $SECRET" >"$secret")
	ln -s "$secret" "$map"
	hurt -p "$spawned" -d 1
	expect_unhurt
	expect_ge "$(sum_get .frames.unnamed.untrusted_map)" 1 "frames without a name because of it"
	ln -sf /etc/shadow "$map"
	hurt -p "$spawned" -d 1
	expect_unhurt
	expect_ge "$(sum_get .frames.unnamed.untrusted_map)" 1 "frames without a name because of it"
}

is_larger_than() { # FILE BYTES
	[ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -gt "$2" ]
}

# Of a file that grows faster than anybody reads the last 256 MiB and 2097152 lines are read, and
# nothing is kept of it.
t_a_perf_map_without_end() {
	with_map
	spawn sh -c 'yes "$0 1000 name_without_end" | head -c 700000000 >"$1"' "$code" "$map"
	local writer=$spawned
	wait_until is_larger_than "$map" 67108864 || fail "nobody writes the map"
	hurt -p "$(basename "$map" .map | tr -dc 0-9)" -d 1
	kill -KILL "$writer" 2>/dev/null
	expect_unhurt
	expect_match "$T/folded" ';name_without_end_\[j\] ' "what its last line says"
}

# 257 MB: a million names of 200 bytes.
t_a_jitdump_of_a_million_names() {
	need_program python3
	spawn "$WORKLOADS/jit" 60 dump
	local dump=/tmp/jit-$spawned.dump
	later rm -f "$dump"
	wait_until test -s "$dump" || fail "no dump"
	python3 - >>"$dump" <<-'END' || skip "no room for such a file"
		import struct, sys
		name = b"n" * 200 + b"\0"
		pack = struct.Struct("<IIQIIQQQQ%ds" % len(name)).pack
		for k in range(0, 1000000, 10000):
		    sys.stdout.buffer.write(b"".join(pack(0, 56 + len(name), 0, 1, 1, i << 12,
		        i << 12, 16, i + 10, name) for i in range(k, k + 10000)))
	END
	hurt -p "$spawned" -d 1
	expect_unhurt
	expect_match "$T/folded" ';dumped_loop_\[j\] ' "the first of them"
}

# ---------------------------------------------------------------- crowds

# In the background, and ready.
spawn_crowd() { # WHAT N
	spawn "$WORKLOADS/crowd" "$1" "$2" 60 >"$T/crowd"
	local i
	for ((i = 0; i < 300; i++)); do
		[ -s "$T/crowd" ] && return 0
		sleep 0.1
	done
	fail "no crowd of $2 $1"
}

t_65000_mappings() {
	spawn_crowd mappings 65000
	hurt -p "$spawned" -d 1
	expect_unhurt
	expect_match "$T/folded" ';crowd_spin;' "what it does"
	kill -KILL "$spawned"
	hurt -- "$WORKLOADS/crowd" mappings 65000 0.3
	expect_unhurt
	expect_match "$T/folded" ';crowd_spin;' "what it does"
}

# Its /proc/PID/maps has more than 100 MB, of which nobody holds more than a piece at a time.
t_maps_of_100_megabytes() {
	export CROWD_DEEP=$T
	spawn_crowd deep 30000
	later rm -rf "$T"/ddd*
	hurt -p "$spawned" -d 1
	expect_unhurt
	expect_match "$T/folded" '(^|;)crowd_spin(;| )' "what it does"
}

# What can't be opened must not be tried for each of them, each time. As long as with few of them,
# or nearly.
t_20000_mappings_of_a_device() {
	local few
	spawn_crowd devices 10
	hurt -p "$spawned" -d 1
	few=$(figure wall_ms)
	kill -KILL "$spawned"
	spawn_crowd devices 20000
	hurt -p "$spawned" -d 1
	expect_unhurt
	expect_match "$T/folded" ';crowd_spin;' "what it does"
	expect_le "$(figure wall_ms)" $((4 * few + 5000)) "ms, all in all; with ten of them $few"
}

t_10000_threads() {
	hurt -- "$WORKLOADS/crowd" threads 10000 0.3
	expect_unhurt 131072
	expect_match "$T/folded" ';crowd_spin;' "what it does"
	expect_match "$T/folded" ';crowd_thread[; ]' "its threads"
	spawn_crowd threads 10000
	hurt -p "$spawned" --per-cpu -d 1
	expect_unhurt 131072
	expect_match "$T/folded" ';crowd_spin;' "what it does"
}

# Who has ended and is not reaped is not looked for in each round.
t_zombies() {
	need_program strace
	strace -f --seccomp-bpf -e trace=kill -o "$T/calls" "$PMUBPF" record -a -e cpu-clock \
		-o "$T/folded" \
		-- "$WORKLOADS/crowd" zombies 1000 1 >"$T/out" 2>"$T/err" || fail "exit status $?"
	expect_ge "$(grep -c 'kill([0-9]*, 0) *= 0' "$T/calls")" 500 "looks for a thousand zombies"
	expect_le "$(grep -c 'kill([0-9]*, 0) *= 0' "$T/calls")" 8000 "looks for a thousand zombies"
}

t_a_fork_bomb() {
	hurt -a -- "$WORKLOADS/crowd" forks 17000 0.1
	expect_unhurt "$HOST_KB"
	# whoever lives 50 us beside 300 others may have its innermost frame alone, and beside other
	# work not even that: then it is said
	grep -qE '^bomb;.*(crowd_child|spin_for)' "$T/folded" ||
		expect_match "$T/err" '^  [0-9]+ (such )?records .*(were lost|were not taken)' \
			"why its children have no names"
	expect_match "$T/out" '^forked [0-9]' "it went off"
}

t_process_ids_used_again() {
	need_root
	hurt -F 999 -- "$WORKLOADS/crowd" pids 60 0
	expect_unhurt
	[ "$(stat -Lc %i /proc/self/ns/pid)" = 4026531836 ] ||
		skip "ids of the first pid namespace can't be chosen here"
	expect_eq "$(folded_sum_of "$T/folded" '^first_owner;.*;next_owner;|^next_owner;.*;first_owner;')" 0 \
		"ns of one under the other's name"
	expect_share "$T/folded" first_owner \
		"$(awk '/^first/ { print 100 * $2 / ($2 + $4) }' "$T/out")" ';(first|next)_owner;' \
		999
}

t_stacks_in_circles() {
	local f
	hurt -F 997 -- "$WORKLOADS/circles" 1
	expect_unhurt
	# equal turns, but a round of them may keep time with the clock that samples it
	for f in to_itself to_each_other to_nowhere downwards returns_to_itself; do
		expect_ge "$(frame_share "$T/folded" "$f" '^circles;')" 2 "percent in $f"
	done
}

# ------------------------------------------------------- what happens to a target meanwhile

remove_cgroup() {
	local i
	kill -KILL "$target"
	for ((i = 0; i < 50; i++)); do
		rmdir "$group" 2>/dev/null && break
		sleep 0.1
	done
}

spawn_split() { # SECONDS
	spawn "$WORKLOADS/split" "$1" >/dev/null
	target=$spawned
}

t_a_target_that_exits() {
	spawn_split 1.5 # of its CPU time
	hurt -p "$target" -d 58
	expect_unhurt
	expect_le "$(figure wall_ms)" 56000 "ms: it ends with its target"
	expect_match "$T/folded" ';hot70 ' "the stacks so far"
}

t_a_target_that_execs() {
	cp "$WORKLOADS/split" "$T/after"
	spawn bash -c 'while [ ! -e "$1" ]; do :; done; exec "$0" 30' "$T/after" "$T/go" >/dev/null
	target=$spawned
	meanwhile touch "$T/go"
	hurt -p "$target" -d 2
	expect_unhurt
	expect_match "$T/folded" '^bash;' "what it was"
	expect_match "$T/folded" '^after;.*;hot70' "what it became"
	expect_no_match "$T/folded" '^bash;.*hot70|^after;.*execute_command' \
		"functions of the other one"
}

t_a_target_that_is_stopped() {
	spawn_split 60
	meanwhile kill -STOP "$target"
	hurt -p "$target" -d 2
	expect_unhurt
	expect_match "$T/folded" ';hot70 ' "the stacks so far"
	kill -CONT "$target"
}

# Not even one that was stopped before.
t_a_target_that_sleeps() {
	spawn_split 60
	kill -STOP "$target"
	hurt -p "$target" -d 1
	expect_eq "$rc" 0 "exit status"
	expect_columns
	expect_le "$(figure wall_ms)" 30000 "ms"
	kill -CONT "$target"
}

t_a_target_that_is_killed() {
	spawn_split 60
	meanwhile kill -KILL "$target"
	hurt -p "$target" -d 20
	expect_unhurt
	expect_match "$T/folded" ';hot70 ' "the stacks so far"
}

t_a_cgroup_that_is_removed() {
	need_root
	local root group
	root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
	[ -n "$root" ] ||
		root=$(awk '$3 == "cgroup" && /perf_event/ { print $2; exit }' /proc/self/mounts)
	[ -n "$root" ] || skip "no cgroup hierarchy"
	group=$root/pmb-hostile-$$
	mkdir "$group" || skip "no cgroup can be made"
	later sh -c "rmdir '$group' 2>/dev/null"
	spawn_split 60
	echo "$target" >"$group/cgroup.procs"
	meanwhile remove_cgroup
	hurt -G "$group" -d 2
	expect_unhurt
	expect_match "$T/folded" ';hot70 ' "the stacks so far"
	[ ! -d "$group" ] || fail "the cgroup is still there"
}

run_tests
