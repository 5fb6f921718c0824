#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Who allocated what samples are about: probes of allocators.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

need_probes() {
	need_x86_64
	[ -e /sys/bus/event_source/devices/uprobe/type ] || skip "this kernel has no uprobes"
}

# record_allocators [WORD]: every fault of the program, by who allocated and who touched.
record_allocators() {
	pmb_ok record --budget 0 -m 8M --data --alloc -e page-faults -c 1 --by alloc_site \
		-o "$T/folded" \
		--summary "$T/sum.json" -- "$WORKLOADS/allocators" "$@"
	expect_ledger
}

# faults_of SITE TOUCHER
faults_of() {
	folded_sum_of "$T/folded" "^$1;.*;$2\$"
}

allocations() {
	jq -r ".allocations | $1" "$T/sum.json"
}

# What the program says: 70 and 30 % of a thousand, times N.
expect_two_sites() { # [N]
	local n=${1:-1}
	expect_within "$(faults_of allocate_most touch_all)" $((n * 700)) 20 \
		"pages of allocate_most"
	expect_within "$(faults_of allocate_rest touch_all)" $((n * 300)) 20 \
		"pages of allocate_rest"
	expect_eq "$(faults_of allocate_other touch_all)" 0 "pages of blocks that were freed"
}

t_two_sites() {
	need_probes
	record_allocators
	expect_two_sites
	expect_within "$(faults_of grow touch_grown)" 63 1 "pages of a block that was moved"
	expect_ge "$(allocations .known)" 1040 "samples in known blocks"
	expect_ge "$(allocations .samples)" "$(allocations .known)" "all that are about such memory"
	# all but those of the start and the end
	expect_ge "$(allocations .blocks)" 2002 "blocks"
	expect_ge "$(allocations .freed)" 1000 "that were freed"
	expect_match "$T/err" 'allocation known for [0-9.]* % of samples about heaps' "how much"
}

FUNCTIONS=malloc,calloc,realloc,reallocarray,aligned_alloc,memalign,posix_memalign,valloc
NEWS=new,new[],nothrow,aligned

# expect_each N: what the program was asked to do so often, each block once.
expect_each() {
	expect_two_sites "$1"
	expect_within "$(faults_of grow touch_grown)" 63 1 "pages of a block that was moved"
	expect_ge "$(allocations .blocks)" $(($1 * 2000 + 2)) "blocks"
	expect_ge $(($1 * 2000 + 200)) "$(allocations .blocks)" "each is there once"
	expect_ge "$(allocations .freed)" $(($1 * 1000)) "that were freed"
}

t_each_function() {
	need_probes
	record_allocators $FUNCTIONS
	expect_each 8
}

# A program that waits before it allocates; in $spawned, once it has said where its malloc is.
start() { # SECONDS
	spawn "$WORKLOADS/allocators" malloc "$1" >"$T/target"
	wait_until grep -q '^malloc ' "$T/target" || fail "the program says nothing"
	malloc_at=$(awk '{ print $2 }' "$T/target")
}

# record_preloaded NAMES FILE: of a program that has it loaded before all else, as has the tool.
record_preloaded() {
	local library
	library=$(ldconfig -p | awk -v file="$2" 'index($1, file) == 1 { print $NF; exit }')
	[ -n "$library" ] || skip "there is no $2"
	LD_PRELOAD=$library timeout 120 "$PMUBPF" record --budget 0 -m 16M --data --alloc \
		-e page-faults -c 1 --by alloc_site -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/allocators" "$1" >"$T/out" 2>"$T/err" || fail "it exited with $?"
	expect_ledger
}

# Of other allocators. Of libstdc++ only operator new is asked for: it calls malloc.
t_preloaded_jemalloc() {
	need_probes
	record_preloaded $FUNCTIONS,$NEWS libjemalloc.so
	expect_each 12
}

t_preloaded_tcmalloc() {
	need_probes
	record_preloaded $FUNCTIONS,$NEWS libtcmalloc_minimal.so
	expect_each 12
}

t_preloaded_mimalloc() {
	need_probes
	record_preloaded $FUNCTIONS,$NEWS libmimalloc.so
	expect_each 12
}

t_new_of_the_library() {
	need_probes
	record_preloaded $NEWS libstdc++.so.6
	expect_each 4
}

# It is probed alone.
t_process() {
	need_probes
	start 3
	pmb_ok record --budget 0 -m 8M --data --alloc -e page-faults -c 1 --by alloc_site \
		-o "$T/folded" \
		--summary "$T/sum.json" -p "$spawned"
	expect_ledger
	expect_two_sites
}

# Its first bytes, as they are there now.
code_of_malloc() { # PID ADDRESS
	python3 - "$@" <<-'PY'
		import sys
		with open(f"/proc/{sys.argv[1]}/mem", "rb") as memory:
		    memory.seek(int(sys.argv[2], 16))
		    print(memory.read(16).hex())
	PY
}

code_is() { # PID ADDRESS CODE
	[ "$(code_of_malloc "$1" "$2")" = "$3" ]
}

code_differs() {
	! code_is "$@"
}

# The tool is killed: the target's code is what it was. Others who have it mapped are never probed.
t_killed() {
	need_probes
	need_program python3
	local target other other_at tool before
	start 60
	other=$spawned before=$(code_of_malloc "$spawned" "$malloc_at") other_at=$malloc_at
	start 60
	target=$spawned
	spawn "$PMUBPF" record --data --alloc -e page-faults -o /dev/null -p "$target" 2>"$T/err"
	tool=$spawned
	wait_until code_differs "$target" "$malloc_at" "$before" ||
		fail "it isn't probed: $(cat "$T/err")"
	expect_eq "$(code_of_malloc "$other" "$other_at")" "$before" "code of another one meanwhile"
	kill -KILL "$tool"
	wait "$tool" 2>/dev/null
	wait_until code_is "$target" "$malloc_at" "$before" || fail "a probe has stayed"
	kill "$target" "$other"
}

# More calls than the budget allows, however slow the program is made by what else runs: the probes
# are taken out, the books say for how long, and what is not seen isn't known. Without a budget they
# stay.
t_budget() {
	need_probes
	pmb_ok record --budget 0.1 --data --alloc -e page-faults,cpu-clock -o "$T/p.pb.gz" \
		--summary "$T/sum.json" -- "$WORKLOADS/churn" 3
	expect_ledger
	expect_ge "$(allocations '(.span_s - .probed_s) * 10 | floor')" 10 \
		"tenths of a second without probes"
	expect_ge "$(allocations '.probed_s * 10 | floor')" 8 "tenths with probes"
	expect_match "$T/err" 'the budget took the probes out for a while' "in words"
	pmb_ok record --budget 0 --data --alloc -e page-faults -o "$T/p.pb.gz" \
		--summary "$T/sum.json" -- "$WORKLOADS/churn" 1
	expect_eq "$(allocations '.span_s == .probed_s')" true "without a budget, all the time"
}

# What a file says of its functions isn't true: the program computes what it should, and the
# real allocator is known.
t_fake_symbols() {
	need_probes
	pmb_ok record --budget 0 --data --alloc -e page-faults -c 1 -o "$T/p.pb.gz" \
		--summary "$T/sum.json" -- "$WORKLOADS/fake_allocators"
	expect_match "$T/out" '^right$' "numbers of code that poses as an allocator"
	expect_match "$T/err" '[0-9]* probes in 2 files' "it poses as one"
	expect_ledger
}

# Ten thousand functions are called malloc: none is probed.
t_many_symbols() {
	need_probes
	need_program python3
	python3 - "$WORKLOADS/fake_allocators" "$T/many" <<-'PY'
		import sys
		with open(sys.argv[1], "rb") as f:
		    code = f.read()
		with open(sys.argv[2], "wb") as f:
		    f.write(code.replace(b"malloc#", b"malloc\0"))
	PY
	chmod +x "$T/many"
	expect_ge "$(nm "$T/many" | grep -c ' malloc$')" 10000 "functions of that name"
	pmb_ok record --budget 0 --data --alloc -e page-faults -c 1 -o "$T/p.pb.gz" \
		--summary "$T/sum.json" -- "$T/many"
	expect_match "$T/out" '^right$' "what it computes"
	expect_ledger
}

# Of $spawned, by the end of its path: in $child.
child_that_runs() { # PATH
	for child in $(cat "/proc/$spawned/task/$spawned/children"); do
		[[ $(readlink "/proc/$child/exe") == *$1 ]] && return
	done
	return 1
}

# A file that a process serves is not probed, and the C library beside it is.
t_served() {
	need_probes
	need_root
	mkdir "$T/mount"
	spawn unshare -m "$WORKLOADS/fusehang" serve "$T/mount" "$WORKLOADS/fake_allocators" 60
	wait_until test -e "/proc/$spawned/root$T/mount/file0" || skip "no FUSE here"
	wait_until child_that_runs /file0 || fail "its program doesn't run"
	pmb_ok record --data --alloc -e page-faults -o "$T/p.pb.gz" --summary "$T/sum.json" \
		-p "$child" -d 1
	expect_match "$T/err" 'probes in 1 file;' "the C library"
	expect_match "$T/err" '^ *--alloc: no probe in .*/file0: a process serves the file' \
		"the other"
	expect_match "$T/err" 'passed over: 1 files that processes serve' "and how many"
}

# record_later COMMAND…: every fault of the program, by who allocated.
record_later() {
	pmb_ok record --budget 0 -m 8M --data --alloc -e page-faults -c 1 --by alloc_site \
		-o "$T/folded" --summary "$T/sum.json" -- "$@"
	expect_ledger
}

# touched SITE TOUCHER: faults of that function, in touch, in memory of that site.
touched() {
	folded_sum_of "$T/folded" "^$1;.*;$2;touch\$"
}

# The command is a shell, that becomes the program, or runs two of them as its children: they are
# probed while they wait for a second.
t_command_that_execs() {
	need_probes
	record_later bash -c "exec $WORKLOADS/allocators malloc"
	expect_two_sites
	expect_eq "$(allocations .reach.processes)" 0 "children"
}

t_children_of_a_shell() {
	need_probes
	record_later bash -c "$WORKLOADS/allocators malloc 1 | $WORKLOADS/allocators malloc 1"
	expect_two_sites 2
	expect_ge "$(allocations .reach.processes)" 2 "children"
	expect_match "$T/err" 'children were probed, .* after their forks' "in words"
}

# A child of a process that is a target, too.
t_children_of_a_process() {
	need_probes
	local shell
	spawn bash -c "sleep 3; $WORKLOADS/allocators malloc 1; true"
	shell=$spawned
	# it has its libraries then
	wait_until pgrep -x sleep -P "$shell" >/dev/null || fail "the shell doesn't begin"
	pmb_ok record --budget 0 -m 8M --data --alloc -e page-faults -c 1 --by alloc_site \
		-o "$T/folded" --summary "$T/sum.json" -p "$shell"
	expect_ledger
	expect_two_sites
}

# A library that brings an allocator of its own, loaded when all goes on.
loads_later() { # FILE
	local library
	library=$(ldconfig -p | awk -v file="$1" 'index($1, file) == 1 { print $NF; exit }')
	[ -n "$library" ] || skip "there is no $1"
	record_later "$WORKLOADS/alloc_later" dlopen "$library"
	expect_eq "$(touched allocate_plugin touch_old)" 300 "pages of the library's blocks"
}

t_plugin_mimalloc() {
	need_probes
	loads_later libmimalloc.so
}

t_plugin_tcmalloc() {
	need_probes
	loads_later libtcmalloc_minimal.so
}

# The child has its parent's blocks, whatever becomes of them in the parent, if it was probed in
# time: on a busy machine it isn't, and then none of them are said to be known.
t_child_inherits() {
	need_probes
	record_later "$WORKLOADS/alloc_later" fork
	expect_eq "$(touched allocate_new touch_new)" 200 "pages of the child's blocks"
	expect_eq "$(touched allocate_new touch_old)" 0 "pages of the parent's later ones"
	expect_eq "$(touched allocate_old touch_old)" "$(allocations .inherited)" "inherited pages"
	[ "$(allocations '.reach.waited_ns < 50000000')" = false ] ||
		expect_eq "$(allocations .inherited)" 300 "all of them"
}

# Of the kernel's memory that no allocator stands between.
t_pages() {
	need_probes
	record_later "$WORKLOADS/alloc_later" maps
	expect_eq "$(touched allocate_map touch_old)" 300 "pages of a mapping"
	expect_eq "$(touched allocate_break touch_new)" 200 "pages of sbrk"
}

# Hundreds of processes that have ended before anybody could look, each of which is accounted for
# and none of which holds up the others.
t_storm_of_children() {
	need_probes
	record_later "$WORKLOADS/alloc_later" storm 500
	expect_ge 500 "$(allocations '.reach.processes + .reach.gone')" "no child twice"
	expect_ge "$(allocations '.reach.processes + .reach.gone + .reach.no_room')" 400 "children"
	expect_eq "$(jq .sideband.lost "$T/sum.json")" 0 "records lost"
}

# What is loaded again and again is looked at once.
t_library_that_comes_and_goes() {
	local library
	need_probes
	library=$(ldconfig -p | awk 'index($1, "libmimalloc.so") == 1 { print $NF; exit }')
	[ -n "$library" ] || skip "there is no mimalloc"
	record_later "$WORKLOADS/alloc_later" loads "$library" 500
	expect_eq "$(allocations .reach.no_room)" 0 "jobs without room"
	expect_eq "$(allocations .reach.failed)" 0 "probes that could not be had"
}

# More live blocks than there is room for: what is more is counted, and the bound holds.
t_many_blocks() {
	need_probes
	pmb_ok record --budget 0 -m 32M --max-memory 8M --data --alloc -e page-faults -c 1 \
		--by alloc_site -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/alloc_later" many 4 20000
	expect_ledger
	expect_ge "$(allocations '.no_room + .blocks_lost')" 40000 "blocks without room"
	expect_ge "$(allocations '.blocks - .no_room - .blocks_lost')" 1000 "blocks that are known"
	expect_match "$T/err" 'more blocks are not known: .* of too many blocks' "in words"
	expect_ge 8388608 "$(jq .memory.bytes "$T/sum.json")" "bytes"
}

# 64 threads do nothing else, and no budget takes the probes out: what can't be had is counted.
t_storm() {
	need_probes
	pmb_ok record --budget 0 --max-memory 32M -m 256K --data --alloc -e page-faults \
		-o "$T/p.pb.gz" --summary "$T/sum.json" -- "$WORKLOADS/churn" 0.7 64
	expect_ledger
	expect_ge "$(allocations '.blocks + .blocks_lost')" 1000 "blocks"
	expect_ge 32 "$(jq '.memory.bytes / 1048576 | floor' "$T/sum.json")" "MiB of records"
}

t_what_is_refused() {
	expect_refused 2 'add --data' record --alloc -e page-faults
	need_probes
	expect_refused 2 '^pmubpf: --alloc: it takes a command, or processes' \
		record --data --alloc -e page-faults -a
}

run_tests
