#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# pmubpf diff, of profiles written by hand (protoc makes bytes of them) and of recordings.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# Samples of work and of rest under main, each worth 10 cycles.
profile() { # FILE WORK REST [SECONDS [COMMENT…]]
	need_program protoc
	local comments="" numbers="" i
	for ((i = 5; i <= $#; i++)); do
		comments+=", \"${!i}\""
		numbers+=" comment: $((i + 4))"
	done
	protoc --proto_path="$TOP/user" --encode=pmb.pprof.Profile prof/profile.proto <<-TEXT | gzip -n >"$1"
		string_table: ["", "cycles_sample", "cycles_event", "count", "work", "rest", "main", "comm", "prog"$comments]
		sample_type { type: 1 unit: 3 } sample_type { type: 2 unit: 3 }
		function { id: 1 name: 4 } function { id: 2 name: 5 } function { id: 3 name: 6 }
		location { id: 1 line { function_id: 1 } } location { id: 2 line { function_id: 2 } }
		location { id: 3 line { function_id: 3 } }
		sample { location_id: [1, 3] value: [$2, ${2}0] label { key: 7 str: 8 } }
		sample { location_id: [2, 3] value: [$3, ${3}0] label { key: 7 str: 8 } }
		duration_nanos: ${4:-1}000000000 $numbers
	TEXT
	[ "${PIPESTATUS[0]}" -eq 0 ] || fail "protoc"
}

row() { # NAME FILTER: of the JSON in $T/out
	jq -r ".rows[] | select(.name == \"$1\") | $2" "$T/out"
}

t_what_has_grown() {
	profile "$T/old.pb.gz" 500 1000
	profile "$T/new.pb.gz" 900 1010
	pmb_ok diff --normalize time --json "$T/old.pb.gz" "$T/new.pb.gz"
	expect_eq "$(row work .growth_percent)" 80 "growth of work"
	expect_eq "$(row work .significant)" true "work"
	expect_eq "$(row rest .significant)" false "rest"
	expect_eq "$(jq -r '.rows[0].name' "$T/out")" work "the first row"
	pmb_ok diff --normalize time "$T/old.pb.gz" "$T/new.pb.gz"
	expect_match "$T/out" '^ +5000 +9000 +33\.33 +60\.00 +\+80\.0% +[0-9.]+\*  +work$' "the row"
}

t_normalized() {
	profile "$T/old.pb.gz" 500 1000
	profile "$T/new.pb.gz" 1000 2000 2
	local how
	for how in event time samples F=work F=main 3:6; do
		pmb_ok diff --normalize "$how" --json "$T/old.pb.gz" "$T/new.pb.gz"
		expect_eq "$(row work .growth_percent)" 0 "growth by $how"
		expect_eq "$(row rest .significant)" false "by $how"
	done
	pmb_ok diff --normalize 1:1 --json "$T/old.pb.gz" "$T/new.pb.gz"
	expect_eq "$(row work .growth_percent)" 100 "growth by 1:1"
}

t_fails_if_told_to() {
	profile "$T/old.pb.gz" 500 1000
	profile "$T/new.pb.gz" 900 1000
	profile "$T/few-old.pb.gz" 5 10
	profile "$T/few-new.pb.gz" 9 10
	pmb diff --normalize time --fail-above 5% "$T/old.pb.gz" "$T/new.pb.gz"
	expect_eq "$rc" 1 "status of 80 % more"
	expect_match "$T/out" '! work$' "the mark"
	pmb_ok diff --normalize time --fail-above 90% "$T/old.pb.gz" "$T/new.pb.gz"
	pmb_ok diff --normalize time --fail-above 5 "$T/new.pb.gz" "$T/old.pb.gz" # less is fine
	pmb_ok diff --normalize time --fail-above 5% "$T/old.pb.gz" "$T/old.pb.gz"
	pmb_ok diff --normalize time --fail-above 5% "$T/few-old.pb.gz" "$T/few-new.pb.gz" # chance
	pmb_ok diff --normalize time --fail-above 5% --min-share 65 "$T/old.pb.gz" "$T/new.pb.gz"
}

t_folded_with_two_numbers() {
	profile "$T/old.pb.gz" 500 1000
	profile "$T/new.pb.gz" 1000 1000
	pmb_ok diff --normalize time --folded "$T/old.pb.gz" "$T/new.pb.gz"
	expect_match "$T/out" '^prog;main;work 5000 10000$' "work"
	expect_match "$T/out" '^prog;main;rest 10000 10000$' "rest"
	expect_eq "$(wc -l <"$T/out")" 2 "lines"
	local flamegraph
	flamegraph=$(flamegraph_path) || skip "no flamegraph.pl"
	perl "$flamegraph" "$T/out" >"$T/svg" 2>"$T/err" || fail "flamegraph.pl: $(cat "$T/err")"
	expect_match "$T/svg" '>work' "the picture"
}

# A line feed in a name parts no frames, and its escapes don't reach the terminal.
t_names_are_data() {
	need_program protoc
	protoc --proto_path="$TOP/user" --encode=pmb.pprof.Profile prof/profile.proto \
		<<-'TEXT' >"$T/p.pb" || fail "protoc"
		string_table: ["", "cycles\033[31m", "count", "a\nb", "main", "comm", "pr\nog"]
		sample_type { type: 1 unit: 2 }
		function { id: 1 name: 3 } function { id: 2 name: 4 }
		location { id: 1 line { function_id: 1 } } location { id: 2 line { function_id: 2 } }
		sample { location_id: [1, 2] value: [7] label { key: 5 str: 6 } }
	TEXT
	pmb_ok diff --folded "$T/p.pb" "$T/p.pb"
	expect_eq "$(cat "$T/out")" 'pr\x0aog;main;a\x0ab 7 7' "the stack"
	pmb diff -e none "$T/p.pb" "$T/p.pb"
	expect_eq "$rc" 2 "status of an event that isn't there"
	expect_match "$T/err" "it has: cycles.x1b" "the events that are"
	expect_no_match "$T/err" $'\033' "an escape on the terminal"
}

t_a_recording_and_itself() {
	need_root
	pmb_ok record -e cpu-clock -o "$T/p.pb.gz" -- "$WORKLOADS/recurse" 0.3
	pmb_ok diff --fail-above 0 --stacks --json "$T/p.pb.gz" "$T/p.pb.gz"
	expect_eq "$(jq '[.rows[] | select(.old != .new or .significant)] | length' "$T/out")" 0 \
		"rows that differ"
	expect_ge "$(jq '.rows | length' "$T/out")" 1 "rows"
}

# The page has both; by its suffix, by the option, and of the event that is named.
t_picture() {
	profile "$T/old.pb.gz" 500 1000
	profile "$T/new.pb.gz" 900 1000
	pmb_ok diff -o "$T/diff.html" "$T/old.pb.gz" "$T/new.pb.gz"
	expect_empty "$T/out" "standard output"
	pmb_ok diff --html "$T/old.pb.gz" "$T/new.pb.gz"
	cmp -s "$T/out" "$T/diff.html" || fail "--html and -o x.html differ"
	head -c 15 "$T/out" | grep -q '<!DOCTYPE html>' || fail "no page"
	pmb_ok diff --html -e cycles -o "$T/one" "$T/old.pb.gz" "$T/new.pb.gz"
	pmb diff --html --fail-above 5 -o "$T/diff.html" "$T/old.pb.gz" "$T/new.pb.gz"
	expect_eq "$rc" 1 "status of what has grown"
	need_program chromium
	need_program chromedriver
	T=$T timeout 120 python3 - "$T/diff.html" >"$T/said" 2>&1 <<-PYTHON || fail "$(tail -n 1 "$T/said")"
		import sys
		sys.path.insert(0, "$TOP/tests/page")
		from browser import Browser
		with Browser() as browser:
		    browser.open(sys.argv[1])
		    got = browser.wait("return window.picture && picture.graph.drawMs >= 0 && "
		                       "[0, 1].map(side => picture.tally.total(side, picture.typeNow))")
		    assert got == [19000, 15000], f"the page has {got}"
		    assert not browser.errors()
	PYTHON
}

t_warnings_come_first() {
	profile "$T/old.pb.gz" 500 1000
	profile "$T/new.pb.gz" 500 1000 1 "ledger: overflows 5 of 7" \
		"event cycles: interval=10 ratio=0.5000"
	pmb_ok diff "$T/old.pb.gz" "$T/new.pb.gz"
	expect_eq "$(head -n 1 "$T/out")" \
		"# WARNING   new: the books of this recording do not balance (overflows 5 of 7)" \
		"the first line"
	expect_match "$T/out" '^# WARNING   new: cycles: its samples stand for 50 % of what was counted; ' "the second"
	expect_no_match "$T/out" 'WARNING   old' "the other one"
	pmb_ok diff --json "$T/new.pb.gz" "$T/old.pb.gz"
	expect_eq "$(jq -r '[.old_imbalance, .new_imbalance, (.old_warnings | length), (.new_warnings | length)] | join(" ")' \
		"$T/out")" "overflows 5 of 7  1 0" "in JSON"
}

t_wrong() {
	profile "$T/p.pb.gz" 1 1
	while read -r words; do
		# shellcheck disable=SC2086 # these are words
		pmb diff $words
		expect_eq "$rc" 2 "status of $words"
		expect_empty "$T/out" "$words"
	done <<-CASES
		$T/p.pb.gz
		$T/p.pb.gz $T/p.pb.gz $T/p.pb.gz
		--normalize planet $T/p.pb.gz $T/p.pb.gz
		--normalize 0:1 $T/p.pb.gz $T/p.pb.gz
		--fail-above much $T/p.pb.gz $T/p.pb.gz
		--html --normalize time $T/p.pb.gz $T/p.pb.gz
		--html --folded $T/p.pb.gz $T/p.pb.gz
		--stacks --by pid $T/p.pb.gz $T/p.pb.gz
		-e misses $T/p.pb.gz $T/p.pb.gz
		- -
	CASES
	pmb diff --normalize F=nobody "$T/p.pb.gz" "$T/p.pb.gz"
	expect_eq "$rc" 1 "status of a function that isn't there"
	pmb diff "$T/absent" "$T/p.pb.gz"
	expect_eq "$rc" 1 "status of a file that isn't there"
}

run_tests
