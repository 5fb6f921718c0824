#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The man page names every option, event and key that the tool has, and no other options.
# measures nothing
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

MAN=$TOP/docs/man/pmubpf.1

# The long options that a command's --help lists, one per line.
help_options() { # COMMAND
	"$PMUBPF" "$1" --help | grep -oE '^ {2,6}(-., )?--[a-z][a-z-]*' | grep -oE '\-\-[a-z][a-z-]*' | sort -u
}

# Those of a section of the man page. mdoc writes --unit as "Fl Fl unit".
man_options() { # SECTION
	awk -v s=".Sh $1" '/^\.Sh / { on = $0 == s } on && /^\.It / { print }' "$MAN" |
		grep -oE 'Fl Fl [a-z][a-z-]*' | sed 's/Fl Fl /--/' | sort -u
}

expect_same_options() { # COMMAND SECTION
	local missing
	help_options "$1" >"$T/help"
	man_options "$2" >"$T/man"
	[ -s "$T/help" ] || fail "pmubpf $1 --help lists no options"
	missing=$(comm -23 "$T/help" "$T/man" | tr '\n' ' ')
	[ -z "$missing" ] || fail "not in the man page: $missing"
	missing=$(comm -13 "$T/help" "$T/man" | tr '\n' ' ')
	[ -z "$missing" ] || fail "in the man page, but not in pmubpf $1 --help: $missing"
}

t_options_of_record() {
	expect_same_options record RECORD
}

t_options_of_report() {
	expect_same_options report REPORT
}

t_options_of_diff() {
	expect_same_options diff DIFF
}

t_options_of_stat() {
	expect_same_options stat STAT
}

t_options_of_list() {
	expect_same_options list LIST
}

t_options_of_doctor() {
	expect_same_options doctor DOCTOR
}

t_well_known_events() {
	need_program jq
	local name
	"$PMUBPF" list --json | jq -r '.[] | select(.list == "well-known").name' >"$T/names"
	[ -s "$T/names" ] || fail "pmubpf list --json names no well-known event"
	awk '/^\.Sh / { on = $2 == "EVENTS" } on' "$MAN" >"$T/man"
	while read -r name; do
		grep -Eq "(^| )$name( |,|\$)" "$T/man" || fail "not in the man page: $name"
	done <"$T/names"
}

# Every key of a JSON text stands in a section as .Cm KEY.
expect_keys() { # FILE SECTION
	local key
	awk -v s=".Sh $2" '/^\.Sh / { on = $0 == s } on && /Cm / { print }' "$MAN" | tr -s ' ,:' '\n' >"$T/man"
	jq -r '.. | objects | keys[]' "$1" | sort -u >"$T/keys"
	[ -s "$T/keys" ] || fail "no keys in $(basename "$1")"
	while read -r key; do
		grep -qxF -- "$key" "$T/man" || fail "key not in the man page, section $2: $key"
	done <"$T/keys"
}

t_keys_of_list_and_doctor() {
	need_program jq
	"$PMUBPF" list --json >"$T/list.json"
	expect_keys "$T/list.json" LIST
	"$PMUBPF" list --json -v cpu-clock >"$T/card.json"
	expect_keys "$T/card.json" LIST
	"$PMUBPF" doctor --json >"$T/doctor.json"
	expect_keys "$T/doctor.json" DOCTOR
}

t_keys_of_the_summary() {
	need_root
	need_program jq
	pmb_ok record -e cpu-clock -e page-faults/freq=100/ -o "$T/folded" --summary "$T/sum.json" -- true
	expect_keys "$T/sum.json" "SUMMARY FILE"
}

# What the table of budgets says the summary counts is there.
t_keys_of_budgets() {
	need_root
	need_program jq
	local key n=0
	pmb_ok record -e cpu-clock -q --summary "$T/sum.json" -- true
	while read -r key; do
		jq -e --arg key "$key" '(.events |= .[0]) | getpath($key | split(".")) != null' "$T/sum.json" >/dev/null ||
			fail "the summary has no $key"
		n=$((n + 1))
	done < <(awk '/^## / { on = $0 == "## Budgets" } on' "$TOP/SECURITY.md" | sed -n 's/^|.*| `\([a-z_.]*\)` |$/\1/p')
	expect_ge "$n" 10 "keys in SECURITY.md's table of budgets"
}

t_keys_of_stat() {
	need_program jq
	"$PMUBPF" stat -j -e page-faults -- true >"$T/stat.json" 2>"$T/err" || skip "nothing can be counted here"
	expect_keys "$T/stat.json" STAT
}

# A profile with everything that JSON can say of it: two events of a ratio, many samples of both.
make_profile() { # FILE
	need_program protoc
	protoc --proto_path="$TOP/user" --encode=pmb.pprof.Profile prof/profile.proto >"$1" <<-TEXT
		string_table: ["", "cycles_sample", "cycles_event", "insts_sample", "insts_event", "cycles_time", "count", "nanoseconds", "f", "comment"]
		sample_type { type: 1 unit: 6 } sample_type { type: 2 unit: 6 } sample_type { type: 3 unit: 6 }
		sample_type { type: 4 unit: 6 } sample_type { type: 5 unit: 7 }
		function { id: 1 name: 8 } location { id: 1 line { function_id: 1 } } comment: 9
		sample { location_id: 1 value: [50, 500, 50, 400, 700] }
	TEXT
}

t_keys_of_report() {
	need_program jq
	make_profile "$T/p.pprof"
	pmb_ok report --json --interval "$T/p.pprof"
	jq -e '.rows[0].ratios[0] | has("low")' "$T/out" >/dev/null || fail "no ratio with an interval"
	expect_keys "$T/out" REPORT
}

t_keys_of_diff() {
	need_program jq
	make_profile "$T/p.pprof"
	pmb_ok diff --json "$T/p.pprof" "$T/p.pprof"
	expect_keys "$T/out" DIFF
}

t_man_page_is_clean() {
	need_program man
	man --warnings -l "$MAN" >"$T/out" 2>"$T/err"
	grep -v 'mandoc.db' "$T/err" >"$T/warnings"
	expect_empty "$T/warnings" "man complains"
	expect_match "$T/out" 'EXIT STATUS' "the text"
}

run_tests
