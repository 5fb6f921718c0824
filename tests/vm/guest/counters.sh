# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# arm64: as many events as there are counters, and more. With -icount shift=0 a cycle is a
# nanosecond of the guest's time, so that a program's own clock tells how many cycles it took.
#
# qemu: -icount shift=0
#
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

# One more than QEMU has counters. Its PMU counts two things; names and modifiers tell the events
# apart.
NINE='cycles,cycles:u,cycles:k,instructions,instructions:u,instructions:k,cycles/name=c2/,cycles/name=c3/,instructions/name=i2/'

# A member of an event's object in the summary.
event_get() { # EVENT KEY
	awk -F'[:, ]+' -v event="\"name\": \"$1\"," -v key="\"$2\"" '
		/"name":/ { inside = index($0, event) }
		inside && $2 == key { print $3; exit }' $T/sum
}

# The sum of the folded lines of an event.
event_sum() { # EVENT
	awk -v event="$1;" 'index($0, event) == 1 { s += $NF } END { printf "%.0f\n", s }' $T/folded
}

# The cycles of the program: the nanoseconds of its own clock.
own_cycles() { sed -n 's/.* total //p' $T/out; }

# The count and the share of time (%) of an event, from a table of `pmubpf stat -x,`.
stat_count() { awk -F, -v event="$1" '$3 == event { print $1 }' $T/out; }
stat_share() { awk -F, -v event="$1" '$3 == event { print $5 }' $T/out; }

t_doctor_counts_counters() {
	pmb doctor || fail "doctor ended with $?"
	grep -Eq '^  [a-z0-9_]*pmu[a-z0-9_]* +[0-9]+ counters at once .*cycles [0-9]+, instructions [0-9]+' $T/out ||
		fail "no counters at once"
}

t_card() {
	pmb list -v cycles || fail "list ended with $?"
	cat $T/out
	grep -Eq '^  at once +[1-9][0-9]* of them count together' $T/out ||
		fail "not how many at once"
	grep -Eq '^  here +yes' $T/out || fail "not here"
}

t_what_fits_is_not_multiplexed() {
	pmb_record -e cycles,instructions,cycles:u -- $W/split 0.5
	expect_eq "$(sum_get counter_sets)" 1 "sets"
	grep -q 'all 3 events fit at once: nothing was multiplexed' $T/err ||
		fail "the summary doesn't say so"
	expect_eq "$(grep -c '"estimated": true' $T/sum)" 0 "estimates"
	expect_within "$(percent "$(event_get cycles ratio)")" 100 2 \
		"percent of cycles in the weights"
}

t_multiplexed() {
	pmb_record -e "$NINE" --unit events -- $W/split 1
	expect_ge "$(sum_get counter_sets)" 2 "sets"
	# not the first line: of the kernel's few cycles a second may hold too few overflows for its
	# books
	grep -q 'cycles is an estimate (multiplexed)' $T/sum || fail "not called an estimate"
	expect_ge "$(grep -c 'it had a counter [0-9.]* % of the time' $T/err)" 6 \
		"events with their share"
	is "$(event_get cycles running_ns) < $(event_get cycles enabled_ns)" ||
		fail "cycles had a counter all the time"
	show_percent figure "multiplexed cycles Σ/clock" "$(event_sum cycles) / $(own_cycles)"
	expect_within "$(percent "$(event_sum cycles) / $(own_cycles)")" 100 12 \
		"cycles as percent of the program's"
	expect_within "$(percent "$(event_sum c3) / $(own_cycles)")" 100 12 \
		"its double as percent of the program's"
}

t_passes() {
	# frame pointers: while tables are built, stacks are copied, in interrupts that the
	# program's clock counts and cycles:u doesn't
	pmb_record --passes --call-graph fp -e "$NINE" --unit events -- $W/split 2
	grep 'counted in every pass' $T/err
	expect_ge "$(sum_get counter_sets)" 2 "sets"
	expect_eq "$(grep -c '"duration_s"' $T/sum)" $((1 + $(sum_get counter_sets))) "passes"
	expect_eq "$(grep -c '"estimated": true' $T/sum)" 0 "estimates"
	for event in cycles cycles:u c2 c3; do
		expect_within "$(percent "$(event_get $event ratio)")" 100 2 \
			"percent of $event in the weights"
		expect_within "$(percent "$(event_sum $event) / $(own_cycles | head -n 1)")" 100 3 \
			"percent of the program's"
	done
	show_percent note "spread of task-clock" "$(event_get task-clock spread)"
	is "$(event_get task-clock spread) <= 0.05" ||
		fail "spread of task-clock: $(event_get task-clock spread)"
}

t_stat_counts_what_the_program_counts() {
	pmb stat -o $T/table -e cycles:u,instructions:u,task-clock -- $W/counted cycles:u 100 ||
		fail "stat ended with $?"
	cat $T/table
	own=$(sed -n 's/^cycles:u //p' $T/out)
	pmb stat -x, -o $T/csv -e cycles:u,instructions:u,task-clock -- $W/counted cycles:u 100
	mv $T/csv $T/out
	note "stat / the program's own counter: $(stat_count cycles:u) / $own"
	expect_within "$(percent "$(stat_count cycles:u) / $own")" 100 2 \
		"cycles:u as percent of the program's own counter"
	grep -Eq '# .*[0-9.]+ insn per cycle' $T/table || fail "no IPC"
	! grep -q '~' $T/table || fail "a figure is marked: $(grep -m 1 '~' $T/table)"
}

# Of a CPU's counter, what was the program's: beside its own counter, and all of it.
t_whose_instructions() {
	pmb stat -a --by comm -x, -o $T/csv -e instructions:u -- $W/counted instructions:u 100 ||
		fail "stat ended with $?"
	own=$(sed -n 's/^instructions:u //p' $T/out)
	note "its row / the program's own counter: $(whose counted) / $own"
	expect_within "$(percent "$(whose counted) / $own")" 100 2 \
		"its row as percent of the program's own counter"
	expect_eq "$(whose '[switch not seen]')" 0 "instructions between switches nobody told of"
	pmb stat -a --by process -o $T/table -e instructions,cycles -- $W/split 0.3
	expect_sums 2
}

t_stat_marks_what_ran_apart() {
	pmb stat -o $T/table -e "$NINE" -- $W/split 0.3 || fail "stat ended with $?"
	cat $T/table
	expect_ge "$(grep -c 'scaled: ran [0-9.]* % of the time' $T/table)" 6 \
		"events with their share"
	grep -q '~[0-9]' $T/table || fail "no ratio is marked"
}

t_rate_and_precision() {
	pmb_record -e cycles:P --rate on -- $W/split 1
	expect_ledger
	expect_eq "$(event_get cycles:P precise)" 0 "the precise level"
	grep -q 'precise level 0, the highest here' $T/err || fail "not in the summary"
	expect_within "$(sum_get emitted)" 50 5 "samples of a second, one every 20000033 cycles"
}

run_tests
