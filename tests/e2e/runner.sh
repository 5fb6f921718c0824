#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The runner is able to fail: a test of the tests. It runs tests/run.sh on suites made for the
# purpose.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# A folder of suites in $T/suites; each suite is given as NAME and its body on stdin.
suite() {
	mkdir -p "$T/suites"
	{
		echo "#!/bin/bash"
		echo ". '$LIB_DIR/lib.sh'"
		cat
		echo run_tests
	} >"$T/suites/$1.sh"
}

# ONLY is for this suite.
run() {
	ONLY='' SUITE_DIR=$T/suites TEST_TIMEOUT=${1:-20} "$TOP/tests/run.sh" >"$T/out" 2>"$T/err"
	rc=$?
}

expect_verdict() { # LAST_LINE STATUS
	expect_eq "$(tail -n 1 "$T/out")" "$1" "last line"
	expect_eq "$rc" "$2" "exit status"
}

t_passes() {
	suite good <<-'SUITE'
		t_one() { expect_eq 1 1 one; }
		t_two() { skip "no moon"; }
	SUITE
	run
	expect_verdict "1 passed, 0 failed, 1 skipped" 0
	expect_match "$T/out" '^ok good/one$' "a line for what passed"
	expect_match "$T/out" '^skip good/two: no moon$' \
		"a line for what was skipped, with the reason"
}

t_fails() {
	suite bad <<-'SUITE'
		t_one() { expect_eq 1 2 "one"; echo "not reached"; }
		t_two() { expect_within 5 1 3 "five"; }
		t_three() { false; }
		t_four() { :; }
	SUITE
	run
	expect_verdict "1 passed, 3 failed, 0 skipped" 1
	expect_match "$T/out" "^FAIL bad/one: one: got '1', expected '2'$" "the reason"
	expect_no_match "$T/out" 'not reached' "an expectation ends its test"
}

t_a_second_try_alone() {
	suite noisy <<-SUITE
		t_once() { mkdir '$T/once' 2>/dev/null && fail "the first time"; true; }
		t_always() { echo x >>'$T/always'; fail "\$(wc -l <'$T/always')"; }
		t_skips() { mkdir '$T/skipped' 2>/dev/null && fail "at first"; skip "no moon"; }
		t_good() { echo x >>'$T/good'; }
	SUITE
	run
	expect_verdict "2 passed, 2 failed, 0 skipped" 1
	expect_match "$T/out" '^second try, alone: noisy/once: the first time$' "the first reason"
	expect_match "$T/out" '^FAIL noisy/always: 2$' "twice is enough"
	expect_eq "$(wc -l <"$T/good")" 1 "times that run what passed"
	rm -rf "$T"/{once,always,skipped}
	SECOND_TRIES=2 run
	expect_verdict "1 passed, 3 failed, 0 skipped" 1
	expect_match "$T/out" '^no second try: 3 tests failed' "where much is broken"
}

t_a_unit_test_gets_one_too() {
	mkdir "$T/unit"
	cat >"$T/unit/test_once" <<-PROGRAM
		#!/bin/sh
		tap=\$(echo "\$1" | sed 's/--tap=//')
		if mkdir '$T/once'; then echo 'not ok - once' >\$tap; exit 1; fi
		echo 'ok - once' >\$tap
	PROGRAM
	printf '#!/bin/sh\nexit 3\n' >"$T/unit/test_never"
	chmod +x "$T"/unit/*
	"$TOP/tests/run-unit.sh" "$T/unit" >"$T/out" 2>"$T/err"
	rc=$?
	expect_verdict "1 passed, 1 failed, 0 skipped" 1
	expect_match "$T/out" '^second try, alone: test_once ' "it is named"
	expect_match "$T/out" '^FAIL test_never .*no test ran' "what never passes"
}

t_all_skipped_is_a_failure() {
	suite lazy <<-'SUITE'
		t_one() { skip "no moon"; }
	SUITE
	run
	expect_verdict "0 passed, 1 failed, 1 skipped" 1
}

t_no_test_is_a_failure() {
	suite none </dev/null
	run
	expect_verdict "0 passed, 1 failed, 0 skipped" 1
}

t_hanging_suite_is_a_failure() {
	suite hangs <<-'SUITE'
		t_one() { :; }
		t_two() { sleep 100; }
	SUITE
	suite deaf <<-SUITE
		t_one() { trap '' TERM; echo \$BASHPID >'$T/loop'; while sleep 1; do :; done; }
	SUITE
	LANES=2 run 4
	expect_verdict "1 passed, 2 failed, 0 skipped" 1
	expect_match "$T/out" '^FAIL hangs: two not done after 4 s$' "which it is"
	expect_match "$T/out" '^FAIL deaf: one not done after 4 s$' "one that takes no notice"
	has_gone "$(cat "$T/loop")" || fail "it goes on"
}

t_many_tests_may_take_long() {
	suite many <<-'SUITE'
		t_one() { sleep 2; }
		t_two() { sleep 2; }
		t_three() { sleep 2; }
	SUITE
	run 4
	expect_verdict "3 passed, 0 failed, 0 skipped" 0
}

t_dying_suite_is_a_failure() {
	suite dies <<-'SUITE'
		t_one() { :; }
		exit 5
	SUITE
	run
	expect_verdict "0 passed, 1 failed, 0 skipped" 1
}

# None of these comes to QEMU: one isn't in the list, one can't be fetched.
t_guests_count() {
	O=$T/o PMUBPF_VM_CACHE=$T/cache PMUBPF_DEBIAN_MIRROR=http://127.0.0.1:9/ \
		"$TOP/tests/vm/run.sh" amd64-0.1 amd64-5.10 >"$T/out" 2>"$T/err"
	rc=$?
	expect_verdict "0 passed, 1 failed, 1 skipped" 1
	expect_match "$T/out" '^FAIL vm/amd64-0.1: ' "an unknown guest"
	expect_match "$T/out" '^skip vm/amd64-5.10: .' "a guest that can't be had, with the reason"
}

# Each waits for the other: one after the other they would not end.
t_suites_run_side_by_side() {
	local other=b name
	for name in a b; do
		suite $name <<-SUITE
			t_first() { touch '$T/$name'; wait_until [ -e '$T/$other' ] || fail "alone"; echo '$name begins'; }
			t_second() { sleep 0.2; echo '$name ends'; }
		SUITE
		other=a
	done
	LANES=2 run
	expect_verdict "4 passed, 0 failed, 0 skipped" 0
	expect_eq "$(grep -Eo '[ab] (begins|ends)' "$T/out" | sort -s -k1,1 | tr '\n' ' ')" \
		"$(grep -Eo '[ab] (begins|ends)' "$T/out" | tr '\n' ' ' | sed -E 's/^(b begins b ends )(.*)$/\2\1/')" \
		"the lines of each together"
	sed -i '1a # alone: it says so' "$T"/suites/*.sh
	rm "$T/a" "$T/b"
	sed -i 's/wait_until \[/[/' "$T"/suites/*.sh
	LANES=2 SECOND_TRIES=0 run
	expect_verdict "3 passed, 1 failed, 0 skipped" 1
}

t_long_ones_come_first() {
	local name
	for name in a b c; do
		suite "$name" <<-SUITE
			t_one() { echo $name >>'$T/order'; }
		SUITE
	done
	sed -i '1a # alone: for the order' "$T"/suites/*.sh
	sed -i '1a # long' "$T/suites/b.sh"
	run
	expect_verdict "3 passed, 0 failed, 0 skipped" 0
	expect_eq "$(tr '\n' ' ' <"$T/order")" "b a c " "their order"
}

# A signal ends what runs, side by side or alone.
t_an_end_in_the_middle() {
	local name
	for name in a b; do
		suite $name <<-SUITE
			t_one() { spawn sleep 1234; echo \$spawned >'$T/pid.$name'; sleep 1000; }
		SUITE
	done
	ONLY='' SUITE_DIR=$T/suites LANES=2 spawn "$TOP/tests/run.sh" >"$T/out" 2>&1
	wait_until [ -s "$T/pid.b" ] && wait_until [ -s "$T/pid.a" ] ||
		fail "they do not run side by side"
	kill -TERM "$spawned"
	wait "$spawned"
	expect_eq $? 130 "exit status"
	wait_until eval '! kill -0 $(cat "$T"/pid.a) 2>/dev/null && ! kill -0 $(cat "$T"/pid.b) 2>/dev/null' ||
		fail "what the suites started is still there"
}

t_what_was_spawned_is_gone() {
	suite spawns <<-SUITE
		t_one() { spawn sleep 1234; echo \$spawned >'$T/pid'; later touch '$T/later'; fail "on purpose"; }
		t_two() { at_the_end touch '$T/at the end'; }
		t_three() { [ ! -e '$T/at the end' ] || fail "too early"; }
	SUITE
	run
	[ -s "$T/pid" ] || fail "the suite did not run"
	! kill -0 "$(cat "$T/pid")" 2>/dev/null || fail "what the test started is still there"
	[ -e "$T/later" ] || fail "what the test left for its end was not done"
	[ -e "$T/at the end" ] || fail "what a test left for the suite's end was not done"
	expect_match "$T/out" '^ok spawns/three$' "it is done at the end"
}

t_ledger_law_can_break() {
	cat >"$T/sum.json" <<-'JSON'
	{"balanced": true, "remarks": [], "events": [{"name": "x", "ratio": 1,
	 "kernel": {"seen": 5, "emitted": 3, "filtered": 1, "dropped": {"ring_full": 1},
	  "weight_seen": 5, "weight_emitted": 3, "weight_filtered": 1, "weight_dropped": {"ring_full": 1}},
	 "user": {"decoded": 3, "aggregated": 3, "weight": 3}}],
	 "rejected": {},
	 "stacks": {"user": {"complete": 3}, "kernel": {"none": 3}}}
	JSON
	(expect_ledger) || fail "good books are refused: $(cat "$T/reason")"
	local change
	for change in '.events[0].kernel.seen = 6' '.events[0].user.decoded = 2' '.events[0].user.aggregated = 2' \
		'.events[0].kernel.weight_filtered = 2' '.events[0].ratio = null' \
		'.balanced = false' \
		'.stacks.user.complete = 2' '.stacks.kernel.none = 4'; do
		jq "$change" "$T/sum.json" >"$T/bad.json"
		! (expect_ledger "$T/bad.json") || fail "not noticed: $change"
	done
	rm -f "$T/reason"
}

t_folded_form_can_break() {
	local line
	printf 'a;b c;d 5\n' >"$T/good"
	(expect_folded "$T/good") || fail "a good line is refused"
	for line in 'a;b' 'a;;b 5' 'a;b 5 ' ' 5' '' 'a;b -5' 'a;b 5x'; do
		printf '%s\n' "$line" >"$T/bad"
		! (expect_folded "$T/bad") || fail "not noticed: '$line'"
	done
	rm -f "$T/reason"
}

# An hour as it was recorded, beside builds, as if it had been S seconds; with so many KB and
# descriptors more each second.
soak() { # S KB FDS
	awk -v S="$1" -v kb="$2" -v fds="$3" '{
		$1 = int($1 * S / 3600)
		$3 += int(kb * $1)
		$4 += fds * $1
		print
	}' "$TOP/tests/bench/soak-hour.tsv" |
		awk -v all="$1" -f "$TOP/tests/bench/flat.awk" >"$T/out"
	rc=$?
}

t_a_soak_that_goes_up_and_down_is_flat() {
	soak 3600 0 0
	expect_verdict flat 0
	soak 600 0 0
	expect_verdict flat 0
}

t_a_soak_that_leaks_grew() {
	soak 3600 0 1 # one descriptor a second
	expect_eq $rc 1 "status: $(cat "$T/out")"
	expect_match "$T/out" '^grew: main fds [0-9]* -> [0-9]*$' "descriptors"
	soak 3600 33 0 # 1 kB at each exit of 2,000 a minute
	expect_eq $rc 1 "status: $(cat "$T/out")"
	expect_match "$T/out" '^grew: main kB [0-9]* -> [0-9]*$' "memory"
	soak 3600 5 0.1
	expect_match "$T/out" '^grew: main kB .* main fds ' "less of both"
	soak 600 33 1
	expect_match "$T/out" '^grew: main kB .* main fds ' "both, in ten minutes"
}

t_a_soak_may_be_too_short() {
	soak 120 0 0
	expect_verdict "too short to tell: 0 and 0 rows after 120 s" 2
}

run_tests
