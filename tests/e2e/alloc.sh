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

# What the program says: 70 and 30 % of a thousand.
expect_two_sites() {
	expect_within "$(faults_of allocate_most touch_all)" 700 20 "pages of allocate_most"
	expect_within "$(faults_of allocate_rest touch_all)" 300 20 "pages of allocate_rest"
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

t_each_function() {
	need_probes
	local how
	for how in realloc posix_memalign; do
		record_allocators $how
		expect_two_sites
	done
	# it touches the pages itself
	record_allocators calloc
	expect_ge "$(($(allocations .blocks) + $(allocations .blocks_lost)))" 2002 \
		"blocks by calloc"
}

# A program that waits before it allocates; in $spawned, once it has said where its malloc is.
start() { # SECONDS
	spawn "$WORKLOADS/allocators" malloc "$1" >"$T/target"
	wait_until grep -q '^malloc ' "$T/target" || fail "the program says nothing"
	malloc_at=$(awk '{ print $2 }' "$T/target")
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

# More calls than any budget allows: the probes are taken out, the books say for how long, and what
# is not seen isn't known. Without a budget they stay.
t_budget() {
	need_probes
	pmb_ok record --data --alloc -e page-faults,cpu-clock -o "$T/p.pb.gz" \
		--summary "$T/sum.json" -- "$WORKLOADS/churn" 4
	expect_ledger
	expect_ge "$(allocations '(.span_s - .probed_s) * 10 | floor')" 10 \
		"tenths of a second without probes"
	expect_ge "$(allocations '.probed_s * 10 | floor')" 8 "tenths with probes"
	expect_match "$T/err" 'the budget took the probes out for a while' "in words"
	pmb_ok record --budget 0 --data --alloc -e page-faults -o "$T/p.pb.gz" \
		--summary "$T/sum.json" -- "$WORKLOADS/churn" 2 2
	expect_eq "$(allocations '.span_s == .probed_s')" true "without a budget, all the time"
}

t_what_is_refused() {
	expect_refused 2 'add --data' record --alloc -e page-faults
	need_probes
	expect_refused 2 '^pmubpf: --alloc: it takes a command, or processes' \
		record --data --alloc -e page-faults -a
}

run_tests
