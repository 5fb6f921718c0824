# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# arm64 and riscv64: a PMU whose counters interrupt. With -icount shift=0 an instruction takes a
# nanosecond of the guest's time and a cycle is a nanosecond, so weights, counters and clocks can be
# held against each other.
#
# qemu: -icount shift=0
#
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

t_cycles_is_the_default() {
	pmb_record -- true
	grep -q '"name": "cycles"' $T/sum || fail "$(grep -m 1 '"name"' $T/sum)"
}

# Records, on riscv64 up to three times: there, now and then an overflow of the emulated counter is
# lost, and with it all that would follow. The ledger has to say so each time.
record_cycles() {
	local tries=1
	[ "$(uname -m)" = riscv64 ] && tries=3
	while pmb_record "$@" && [ $tries -gt 1 ] && is "$(sum_get ratio) < 0.95"; do
		expect_eq "$(sum_get balanced)" false "balanced, with overflows missing"
		tries=$((tries - 1))
	done
	expect_ledger
}

t_cycles() {
	record_cycles -e cycles -c 500009 --unit events -- $W/split 4
	expect_lossless
	show_percent figure "Σ/counter" "$(sum_get ratio)"
	expect_within "$(percent "$(sum_get ratio)")" 100 2 "percent of the counter in the weights"
	expect_share_of_hot70
	expect_ge "$(share ';main;' ';(hot70|hot30|spin_mix|main)$')" 99 \
		"percent with main in the stack"
	expect_eq "$(folded_sum .)" "$(sum_get weight)" "weights in the output"
}

t_time_of_a_busy_thread() {
	# long enough for whose an overflow is, split's or that of the tool's start beside it on the
	# one CPU, to matter little
	record_cycles -e cycles --unit time -- $W/split 10
	total=$(sed -n 's/.* total //p' $T/out)
	show_percent figure "time/task-clock" "$(folded_sum .) / $total"
	expect_within "$(percent "$(folded_sum .) / $total")" 100 1 \
		"time as percent of the thread's clock"
}

t_cycles_of_a_pid() {
	$W/split 60 >/dev/null &
	sleep 1
	record_cycles -e cycles -c 500009 -p $! -d 4
	kill %1
	expect_within "$(percent "$(sum_get ratio)")" 100 2 "percent of the counter in the weights"
	# a program that is killed says nothing of its own shares
	expect_within "$(share ';hot70$' ';hot[37]0$')" 70 "$(points_of 70)" "share of hot70"
}

t_frequency() {
	record_cycles -e cycles -F 500 -- $W/split 2
	expect_within "$(percent "$(sum_get ratio)")" 100 2 "percent of the counter in the weights"
}

t_instructions() {
	record_cycles -e instructions -- $W/split 2
	show_percent note "instructions Σ/counter" "$(sum_get ratio)"
	expect_within "$(percent "$(sum_get ratio)")" 100 2 "percent of the counter in the weights"
}

# At 10 kHz QEMU delivers a third of this counter's overflows: the first line has to say so.
t_shortfall_is_stated() {
	pmb_record -e instructions -c 100003 -- $W/split 1
	expect_eq "$(sum_get decoded)" "$(sum_get emitted)" "decoded"
	if is "$(sum_get ratio) >= 0.95"; then
		skip "this QEMU delivers all overflows"
	fi
	show_percent note "instructions at 10 kHz Σ/counter" "$(sum_get ratio)"
	head -n 1 $T/err | grep -q 'DO NOT BALANCE' ||
		fail "not in the first line: $(head -n 1 $T/err)"
	grep -q 'instructions: the overflows seen account for' $T/err ||
		fail "no word about the shortfall"
	expect_eq "$(sum_get balanced)" false "balanced"
}

# A ratio with an event whose overflows got lost is no plain figure. The interrupts of cycles
# deliver overdue ones of instructions, so they are rare here. What is hot in hot70 and hot30 is
# burn, which is inlined there.
t_cycles_per_instruction() {
	pmb record -e cycles/period=10000019/,instructions/period=100003/ -o $T/p.pb.gz -- \
		$W/split 2 || fail "record ended with $?"
	pmb report --by function $T/p.pb.gz || fail "report ended with $?"
	sed 's/^/# /' $T/out | head -n 24
	grep -q ' burn ' $T/out || fail "no burn"
	if ! grep -q 'WARNING.*instructions: its samples stand for' $T/out $T/err; then
		skip "this QEMU delivers all overflows"
	fi
	grep ' burn ' $T/out | grep -Eq '[0-9]!' ||
		fail "a plain figure: $(grep -m 1 ' burn ' $T/out)"
}

t_page_faults() {
	pmb_record -e page-faults -c 1 --addr -- $W/faults 200
	expect_ledger
	expect_ge "$(grep -c ';touch_pages.*\[0x' $T/folded)" 200 "faults with their address"
}

# Where no program is probed, that is said.
t_no_probes_in_programs() {
	local option
	[ "$(uname -m)" = riscv64 ] || skip "programs are probed here"
	for option in "record -e cpu-clock --window" "stat -e page-faults --per"; do
		# shellcheck disable=SC2086 # words
		pmb $option u:$W/split:main -- $W/split 1
		expect_eq $? 3 "exit status of a probe in a program, $option"
		grep -q 'probes are put into programs of x86-64 and arm64 only' $T/err ||
			fail "what is said: $(head -n 1 $T/err)"
	done
}

t_probes_in_programs() {
	[ "$(uname -m)" = aarch64 ] || skip "no program is probed here"
	pmb stat --budget 0 --per u:$W/marks:one_unit -e page-faults -j -o $T/sum -- \
		$W/marks 200 7 4 || fail "exit status $?: $(head -n 1 $T/err)"
	expect_marks 7 1
	pmb stat --budget 0 --per usdt:$W/marks:marks:begin..usdt:$W/marks:marks:end \
		-e page-faults -j -o $T/sum -- $W/marks 200 7 4 ||
		fail "exit status $?: $(head -n 1 $T/err)"
	expect_marks 7 1
	pmb_record --budget 0 -e cpu-clock --window u:$W/marks:one_unit..u:$W/marks:move_to -- \
		$W/marks 200 7 4
	expect_eq "$(sum_get balanced)" true "the books balance"
	expect_eq "$(sum_get began) $(sum_get ended)" "800 800" "windows"
}

# All returns are met; what is recursive is one call; and of the samples those in the function are
# in its windows.
t_calls() {
	local how
	[ "$(uname -m)" = aarch64 ] || skip "no program is probed here"
	# return probes: the kernel puts 64 of them into each other at most
	for how in "" --unsafe-return-probe; do
		# shellcheck disable=SC2086 # none, or one word
		pmb_record --budget 0 $how -e cpu-clock --window u:$W/recurse:dive -- \
			$W/recurse 0.3 60
		expect_eq "$(sum_get balanced)" true "the books balance $how"
		expect_eq "$(sum_get began) $(sum_get ended)" "1 1" "calls $how"
		expect_eq "$(sum_get abandoned) $(sum_get nested)" \
			"0 59" "calls left, and inside $how"
		expect_eq "$(sum_get hits)" 120 "entries and returns $how"
		expect_ge "$(folded_sum .)" 1 "samples $how"
		expect_eq "$(folded_sum ';dive(;| |$)')" "$(folded_sum .)" "of them in it $how"
	done
}

# A third of the time is spent in a call, another third later and no less deep, where longjmp had
# left one.
t_calls_that_longjmp_leaves() {
	[ "$(uname -m)" = aarch64 ] || skip "no program is probed here"
	pmb_record --budget 0 -e cpu-clock --window u:$W/returning:outer -- $W/returning plain 1
	expect_eq "$(sum_get balanced)" true "the books balance"
	expect_ge "$(sum_get ended)" 5 "calls that returned"
	expect_within "$(sum_get abandoned)" "$(sum_get ended)" 1 "calls that were left"
	expect_ge "$(folded_sum ';nested;outer;')" 1 "of samples in it"
	expect_eq "$(folded_sum ';(jumped|tail);inner')" 0 "of samples after it"
}

# Functions of the kernel are probed everywhere, where this kernel has what it takes.
t_probes_in_the_kernel() {
	local type
	for type in f k; do
		pmb stat --budget 0 --per $type:write_null -e page-faults -j -o $T/sum -- \
			dd if=/dev/zero of=/dev/null bs=1 count=500
		case $? in
		0) expect_eq "$(sum_get began) $(sum_get abandoned)" "500 0" "$type: calls" ;;
		3) note "$type: $(head -n 1 $T/err)" ;;
		*) fail "$type: $(head -n 1 $T/err)" ;;
		esac
	done
}

t_contexts() { expect_contexts $W/contexts 6; }

# By the two ways in which libraries get to theirs.
t_contexts_of_libraries() {
	local how
	[ "$(uname -m)" = aarch64 ] || skip "libraries' variables aren't found here"
	for how in gnu descriptors; do
		expect_contexts $W/contextlib 6 $W/published-$how.so
	done
}

run_tests
