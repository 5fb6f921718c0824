#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Whole stacks without frame pointers: known-answer programs as distributions build them.
# long
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# On a busy machine the reader comes late, and copies of stacks find no room.

seconds=0.5
hz=1999

frameless() { # MODE [SECONDS]
	case $(uname -m) in
	x86_64 | aarch64) ;;
	*) skip "unwind tables are for x86-64 and arm64" ;;
	esac
	pmb_ok record -e cpu-clock -F "$hz" -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/frameless" "$1" "${2:-$seconds}"
	expect_ledger
	grep '^frameless;' "$T/folded" >"$T/mine"
}

# A share that may scatter, of as many samples as $T/mine stands for.
scattered() { # PERCENT HZ
	by_chance "$1" "$(awk -v hz="$2" '{ n += $NF } END { print n * hz / 1e9 }' "$T/mine")"
}

# PERCENT, without those that could not be copied.
of_copied() { # PERCENT
	awk -v p="$1" -v lost="$(uncopied)" 'BEGIN { print p - lost }'
}

# Where a whole stack begins.
START='^frameless;(_start|_dl_start_user|_dl_relocate_static_pie|\[vdso\])'

# Percent of the weight whose stack matches: a pattern over the line, its number cut off. What is
# whole and outside of main is left out: how long a program takes to begin and to end is up to the
# kernel.
expect_stacks() { # PERCENT PATTERN
	local share
	share=$(awk -v p="$2" -v start="$START" '{ n = $NF; sub(/ [0-9]+$/, "") }
		$0 ~ start && $0 !~ /;main(;|$)/ && $0 !~ p { next }
		{ all += n; if ($0 ~ p) hit += n }
		END { printf "%.2f\n", all ? 100 * hit / all : 0 }' "$T/mine")
	expect_ge "$share" "$(of_copied "$1")" "percent of the weight in stacks like $2"
}

MAIN='^frameless;_start;__libc_start_main[^;]*;([^;]+;)?main;'
THREAD='^frameless;(__)?clone3?;start_thread;thread;'
DEEP=$(printf 'deep%02d;' $(seq 1 30))

t_deep() {
	frameless deep
	expect_stacks 99.5 "($MAIN|$THREAD|$START)"
	expect_stacks 98 "($MAIN|$THREAD)${DEEP}spin"
	expect_le "$(folded_share "$T/mine" '\[unknown\]|\]\+0x')" 0.5 \
		"percent with a nameless frame"
}

t_deeper_than_the_limit() {
	frameless deeper
	awk -F';' 'NF >= 125 && $2 == "again"' "$T/mine" >"$T/deep"
	expect_ge "$(awk -v a="$(folded_sum "$T/deep")" -v b="$(folded_sum "$T/mine")" \
		'BEGIN { printf "%.2f\n", 100 * a / b }')" "$(of_copied 98)" \
		"percent of the weight at the limit"
	expect_ge "$(sum_get '.stacks.user.truncated * 100 / .events[0].user.aggregated')" \
		"$(of_copied 80)" "percent of the stacks that were cut"
	# the summary says of which file the stacks are
	expect_eq "$(sum_get '.stacks.ended_early[0].unwind_status')" truncated "why"
	expect_match <(sum_get '.stacks.ended_early[0].file') '/frameless$' "where"
}

# Each program is new, and so are most of its stacks when they are met: copied, over pages that
# can't be read.
t_pages_that_were_never_touched() {
	cp "$WORKLOADS/hole" "$T/hole"
	pmb_ok record -e cpu-clock -F 4999 -o "$T/folded" --summary "$T/sum.json" -- "$T/hole" 20
	expect_columns
	grep '^hole;.*;spin' "$T/folded" >"$T/mine"
	expect_ge "$(sum_get .unwind.stack_dumps)" 10 "stacks that were copied"
	expect_stacks "$(scattered 99 4999)" "${MAIN/frameless/hole}with_a_hole;spin"
}

t_alloca() {
	frameless alloca
	expect_stacks 98 "${MAIN}with_alloca;spin"
}

t_realigned_stack() {
	frameless realign
	expect_stacks 98 "${MAIN}realigned;spin"
}

# Of the next and of a signal stack, the copies that are made until the tables are here hold too
# little.
t_big_frame() {
	frameless big 1
	expect_stacks 85 "${MAIN}big_frame;spin"
}

t_signal_handler() {
	frameless signal
	expect_stacks 98 "${MAIN}(with_signal;)?interrupted;.*;handler;spin"
}

t_signal_handler_on_its_own_stack() {
	frameless altstack 1
	expect_stacks 85 "${MAIN}(with_signal;)?interrupted;.*;handler;spin"
}

t_callback_from_libc() {
	frameless qsort
	expect_stacks 98 "${MAIN}sort;.*;compare;spin"
}

t_plt() {
	frameless plt
	expect_stacks 98 "${MAIN}calls"
	expect_stacks 99.5 "($MAIN|$START)"
}

t_lazy_binding() {
	# Never bound, so each call goes through ld.so, which keeps its CFA in rbx while it calls
	# on.
	export LD_BIND_NOT=1
	frameless plt
	# how much that is depends on what a look at the clock takes besides (here 1 to 3 %)
	expect_match "$T/mine" ';_dl_runtime_resolve[^;]*;_dl_fixup' "what is below the resolver"
	expect_stacks 98 "${MAIN}calls"
	expect_stacks 99.5 "($MAIN|$START)"
}

t_libm() {
	frameless float
	expect_stacks 98 "${MAIN}leaf_math"
}

t_with_frame_pointers_as_before() {
	pmb_ok record --call-graph fp -e cpu-clock -F 999 -o "$T/folded" --summary "$T/sum.json" \
		-- \
		"$WORKLOADS/recurse" 0.3
	expect_ledger
	expect_eq "$(sum_get .unwind.tables)" 0 "tables"
	expect_ge "$(user_share "$T/folded" ';dive;dive;' '^recurse;')" 90 "share of the known path"
}

# What runs already is walked in the kernel as soon as its tables are there, not copied for ever.
# On a loaded machine both take a second, in which nobody would empty the rings.
t_nobody_who_reads_samples_waits_for_all_cpus() {
	local pid
	need_program strace
	strace -f -e trace=bpf,fcntl,execve -o "$T/trace" "$PMUBPF" record -e cpu-clock -o "$T/folded" \
		-- "$WORKLOADS/recurse" 0.5 2>"$T/err" || fail "status $?"
	pid=$(sed -n '1s/ .*//p' "$T/trace")
	expect_eq "$(grep -c '^'"$pid"' .*F_ADD_SEALS' "$T/trace")" 0 "files that it seals"
	# that of the rings was before, and is one for all of them
	expect_ge "$(grep -v "^$pid " "$T/trace" | grep -c 'bpf(BPF_MAP_UPDATE_ELEM')" 1 \
		"chunks that somebody else puts in"
	expect_match "$T/folded" '^recurse;.*;main;' "stacks by tables"
}

t_a_running_process() {
	spawn "$WORKLOADS/frameless" deep 20 >/dev/null
	sleep 0.3
	pmb_ok record -p "$spawned" -e cpu-clock -F 999 -d 1 -o "$T/folded" \
		--summary "$T/sum.json"
	grep '^frameless;' "$T/folded" >"$T/mine"
	# where the reader has no CPU, copies find no room: as many as were lost end early
	expect_le "$(sum_get .stacks.user.no_table)" "$(sum_get .unwind.stack_dumps_lost)" \
		"stacks without a table, beside the copies that were lost"
	expect_stacks "$(scattered 99 999)" "($MAIN|$THREAD)${DEEP}spin"
	# a third is for the rounds in which it is met; besides, until the tables were built
	expect_le "$(sum_get .unwind.stack_dumps)" \
		"$(sum_get '.events[0].user.aggregated * (1 / 3 + .unwind.build_s / .duration_s)')" "stacks that were copied"
}

# Processes that live for milliseconds: nothing of them is known when their samples come.
t_short_lives() {
	pmb_ok record -a -e cpu-clock -F 999 -o "$T/folded" --summary "$T/sum.json" -- \
		sh -c "for i in \$(seq 100); do '$WORKLOADS/frameless' deep 0.003; done" >/dev/null
	expect_columns
	grep '^frameless;' "$T/folded" >"$T/mine"
	expect_ge "$(wc -l <"$T/mine")" 5 "lines"
	expect_stacks "$(scattered 95 999)" "^frameless;(_start;|(__)?clone3?;|.*_\[k\]$)"
}

# Return probes of anybody put the kernel's trampoline where the caller was. What spins has its
# whole stack all the same, in the parts that it has without, by tables and by frame pointers.
returning() { # plain|probed fp|dwarf
	pmb record --call-graph "$2" -e cpu-clock -F "$hz" -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/returning" "$1" "$seconds"
	[ "$rc" != 77 ] || skip "no return probes here: this kernel has no uprobes, or we may not"
	expect_eq "$rc" 0 "exit status"
	expect_ledger
	grep -v '_\[k\]' "$T/folded" | grep '^returning;' >"$T/mine"
	expect_stacks "$(scattered 99 "$hz")" \
		"^returning;([^;]*;)*main;(nested;outer|jumped|tail);inner;(spin|clock_gettime)"
	for part in nested jumped tail; do
		expect_ge "$(folded_share "$T/mine" ";$part;")" 25 "percent below $part"
	done
	expect_le "$(folded_share "$T/mine" '\[unknown\]|\[uprobes\]')" 0.5 "percent of uprobes"
}

t_without_return_probes() {
	returning plain fp
}

t_return_probes_by_frame_pointers() {
	returning probed fp
}

t_return_probes_by_tables() {
	[[ $(uname -m) =~ x86_64|aarch64 ]] || skip "unwind tables are for x86-64 and arm64"
	returning probed table
}

run_tests
