#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The manual names every option, event and key that the tool has, and no other options.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

MAN=$TOP/docs/man

commands() {
	"$PMUBPF" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'
}

# The long options that a command's --help lists, one per line.
help_options() { # COMMAND
	"$PMUBPF" "$1" --help | grep -oE '^ {2,6}(-., )?--[a-z][a-z-]*' |
		grep -oE '\-\-[a-z][a-z-]*' | sort -u
}

# Those of a command's page. mdoc writes --unit as "Fl Fl unit".
man_options() { # COMMAND
	grep '^\.It' "$MAN/pmubpf-$1.1" | grep -oE 'Fl Fl [a-z][a-z-]*' | sed 's/Fl Fl /--/' |
		sort -u
}

expect_same_options() { # COMMAND
	local missing
	help_options "$1" >"$T/help"
	man_options "$1" >"$T/man"
	[ -s "$T/help" ] || fail "pmubpf $1 --help lists no options"
	missing=$(comm -23 "$T/help" "$T/man" | tr '\n' ' ')
	[ -z "$missing" ] || fail "not in pmubpf-$1(1): $missing"
	missing=$(comm -13 "$T/help" "$T/man" | tr '\n' ' ')
	[ -z "$missing" ] || fail "in pmubpf-$1(1), but not in pmubpf $1 --help: $missing"
}

t_options_of_each_command() {
	local command n=0
	for command in $(commands); do
		expect_same_options "$command"
		n=$((n + 1))
	done
	expect_ge "$n" 6 "commands in pmubpf --help"
}

t_a_page_for_each_command() {
	commands | sort >"$T/commands"
	(cd "$MAN" && for p in pmubpf-*.1; do p=${p#pmubpf-} && echo "${p%.1}"; done | sort) >"$T/pages"
	expect_eq "$(cat "$T/commands")" "$(cat "$T/pages")" "commands, and pages of docs/man"
}

# "PAGE N SECTION" of each reference to a section of another page: .Em SECTION, in, .Xr PAGE N.
references_to_sections() {
	sed -n -e 's/.*Em \(.*\) No in Xr \(pmubpf[a-z-]* [0-9]\).*/\2 \1/p' \
		-e '/^\.Em /{N;N;s/^\.Em \(.*\)\nin\n\.Xr \(pmubpf[a-z-]* [0-9]\).*/\2 \1/p;}' \
		"$MAN"/*
}

# Every pmubpf-x(n) is a page, and every section that a reference names is in it.
t_references() {
	local page number section n=0
	{
		grep -hoE 'Xr pmubpf[a-z-]* [0-9]' "$MAN"/* | sed 's/^Xr //'
		grep -hoE 'pmubpf[a-z-]*\([0-9]\)' "$TOP"/*.md "$TOP"/docs/*.md "$TOP"/docs/design/*.md |
			tr '()' ' '
	} | sort -u >"$T/refs"
	while read -r page number; do
		[ -e "$MAN/$page.$number" ] || fail "there is no page $page($number)"
		n=$((n + 1))
	done <"$T/refs"
	expect_ge "$n" 9 "references to pages"
	references_to_sections >"$T/sections"
	n=0
	while read -r page number section; do
		grep -qE "^\.S[hs] $section\$" "$MAN/$page.$number" ||
			fail "$page($number) has no section $section"
		n=$((n + 1))
	done <"$T/sections"
	expect_ge "$n" 8 "references to sections"
}

t_well_known_events() {
	need_program jq
	local name
	"$PMUBPF" list --json | jq -r '.[] | select(.list == "well-known").name' >"$T/names"
	[ -s "$T/names" ] || fail "pmubpf list --json names no well-known event"
	awk '/^\.Sh / { on = $2 == "EVENTS" } on' "$MAN/pmubpf-events.7" >"$T/man"
	while read -r name; do
		grep -Eq "(^| )$name( |,|\$)" "$T/man" || fail "not in pmubpf-events(7): $name"
	done <"$T/names"
}

# Every key of a JSON text stands in a page as .Cm KEY.
expect_keys() { # FILE PAGE
	local key
	grep 'Cm ' "$MAN/$2" | tr -s ' ,:' '\n' >"$T/man"
	jq -r '.. | objects | keys[]' "$1" | sort -u >"$T/keys"
	[ -s "$T/keys" ] || fail "no keys in $(basename "$1")"
	while read -r key; do
		grep -qxF -- "$key" "$T/man" || fail "key not in $2: $key"
	done <"$T/keys"
}

t_keys_of_list_and_doctor() {
	need_program jq
	"$PMUBPF" list --json >"$T/list.json"
	expect_keys "$T/list.json" pmubpf-list.1
	"$PMUBPF" list --json -v cpu-clock >"$T/card.json"
	expect_keys "$T/card.json" pmubpf-list.1
	"$PMUBPF" doctor --json >"$T/doctor.json"
	expect_keys "$T/doctor.json" pmubpf-doctor.1
}

t_keys_of_the_summary() {
	need_root
	need_program jq
	pmb_ok record -e cpu-clock -e page-faults/freq=100/ --window run -o "$T/folded" \
		--summary "$T/sum.json" -- true
	expect_keys "$T/sum.json" pmubpf-summary.5
}

# What the table of budgets says the summary counts is there.
t_keys_of_budgets() {
	need_root
	need_program jq
	local key n=0
	pmb_ok record -e cpu-clock -q --window run --summary "$T/1.json" -- true
	pmb_ok record -e page-faults -q --data --alloc --summary "$T/2.json" -- true
	pmb_ok record -e cpu-clock -q --when 'page-faults ~ context-switches' \
		--summary "$T/3.json" -o "$T/folded" -- true
	pmb_ok record -e off-cpu -q --summary "$T/4.json" -- true
	while read -r key; do
		jq -es --arg key "$key" 'any(.[]; .events |= .[0] | getpath($key / ".") != null)' \
			"$T"/[1234].json >/dev/null ||
			fail "the summary has no $key"
		n=$((n + 1))
	done < <(awk '/^## / { on = $0 == "## Budgets" } on' "$TOP/SECURITY.md" |
		sed -n 's/^|.*| `\([a-z_.]*\)` |$/\1/p')
	expect_ge "$n" 10 "keys in SECURITY.md's table of budgets"
}

t_keys_of_stat() {
	need_program jq
	"$PMUBPF" stat -j -e page-faults -- true >"$T/stat.json" 2>"$T/err" ||
		skip "nothing can be counted here"
	expect_keys "$T/stat.json" pmubpf-stat.1
	"$PMUBPF" stat -j --per run -e page-faults -- true >"$T/stat.json" 2>"$T/err" ||
		skip "no programs can be loaded here"
	expect_keys "$T/stat.json" pmubpf-stat.1
}

t_keys_of_annotate() {
	need_root
	need_program jq
	pmb_ok record -q -e cpu-clock,page-faults/period=1/ -o "$T/p.pb.gz" -- \
		"$WORKLOADS/lines" 0.3
	pmb_ok annotate -j hot "$T/p.pb.gz"
	expect_keys "$T/out" pmubpf-annotate.1
}

t_keys_of_advise() {
	need_root
	need_program jq
	pmb_ok record -q -e cpu-clock,page-faults -o "$T/p.pb.gz" -- "$WORKLOADS/troubles" touch
	pmb_ok advise -j "$T/p.pb.gz"
	jq -e '.findings[0].places[0]' "$T/out" >"$T/err" || fail "no finding"
	expect_keys "$T/out" pmubpf-advise.1
}

t_rules_of_advise() {
	# shellcheck disable=SC2046
	expect_words pmubpf-advise.1 19 rule '^\.It Cm (.* )?@( |$)' \
		$(sed -n 's/^\t*\.id = "\([a-z-]*\)",/\1/p' "$TOP/user/advise/rules.c")
}

t_keys_of_top() {
	need_root
	need_program jq
	pmb_ok top -b -j -n 1 -I 200 -e cpu-clock,page-faults -- "$WORKLOADS/split" 1
	expect_keys "$T/out" pmubpf-top.1
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

# Each word that a list in the sources has stands in the page.
expect_words() { # PAGE LEAST WHAT PATTERN WORD…; in PATTERN @ is the word
	local page=$1 least=$2 what=$3 pattern=$4 word
	shift 4
	for word; do
		expect_match "$MAN/$page" "${pattern//@/$word}" "$what"
	done
	expect_ge $# "$least" "${what}s"
}

t_figures() {
	# shellcheck disable=SC2046 # a list of words
	expect_words pmubpf-stat.1 10 figure '^\.Ql @( |$)' \
		$(sed -n 's/^\tX([A-Z_]*, "\([a-z0-9_]*\)", .*/\1/p' "$TOP/user/model/derive.h")
}

# The word of each format, with its suffixes, and the option of report's that writes it.
t_formats() {
	sed -nE 's/^\t(X|FIRST)\([A-Z]+, "([a-z]+)", "([^"]*)".*/\2 \3/p' \
		"$TOP/user/render/format.h" >"$T/formats"
	local word suffixes suffix n=0
	while read -r word suffixes; do
		grep -qE "^\.It Fl Fl format .*\<$word\>" "$MAN/pmubpf-record.1" ||
			fail "not in pmubpf-record(1), --format: $word"
		for suffix in $suffixes; do
			grep -qE "^\.It .*\\$suffix\>.* Ta $word\>" "$MAN/pmubpf-formats.5" ||
				fail "not in pmubpf-formats(5), FILES OF PROFILES: $suffix $word"
		done
		n=$((n + 1))
	done <"$T/formats"
	expect_ge "$n" 5 "formats"
}

t_labels() {
	# shellcheck disable=SC2046
	expect_words pmubpf-record.1 20 label '^\.(It )?(Cm|Ql|Pq Cm) ([a-z_]+ , )*@( |,|$)' \
		$(sed -n 's/^\t[A-Z]*(LABEL_[A-Z_]*, "\([a-z_]*\)").*/\1/p' "$TOP/user/model/labels.h")
}

t_keys_to_group_by() {
	# shellcheck disable=SC2046
	expect_words pmubpf-report.1 11 key '^\.(It )?(Cm|Ql) @( |$)|Cm .*\<@\>' \
		$(sed -n 's/^\tX([A-Z]*, "\([a-z]*\)").*/\1/p' "$TOP/user/prof/keys.h")
}

t_keys_of_report() {
	need_program jq
	make_profile "$T/p.pprof"
	pmb_ok report --json --confidence "$T/p.pprof"
	jq -e '.rows[0].ratios[0] | has("low")' "$T/out" >/dev/null ||
		fail "no ratio with a confidence interval"
	expect_keys "$T/out" pmubpf-report.1
}

t_keys_of_layouts() {
	need_program jq
	pmb_ok report --json --layout a "$TOP/tests/fuzz/corpus/pprof/layout"
	jq -e '.layouts[0].hot.lines' "$T/out" >/dev/null || fail "no layout"
	expect_keys "$T/out" pmubpf-report.1
}

t_keys_of_regions() {
	need_program jq
	pmb_ok report --json --regions "$TOP/tests/fuzz/corpus/pprof/regions"
	jq -e '.events[0].regions[0].ratio' "$T/out" >/dev/null || fail "no region"
	expect_keys "$T/out" pmubpf-report.1
}

t_keys_of_diff() {
	need_program jq
	make_profile "$T/p.pprof"
	pmb_ok diff --json "$T/p.pprof" "$T/p.pprof"
	expect_keys "$T/out" pmubpf-diff.1
}

t_pages_are_clean() {
	need_program man
	local page
	for page in "$MAN"/*; do
		man --warnings -l "$page" >"$T/out" 2>"$T/err"
		grep -v 'mandoc.db' "$T/err" >"$T/warnings"
		expect_empty "$T/warnings" "man complains about $(basename "$page")"
		expect_match "$T/out" 'SEE ALSO' "the text"
	done
}

t_pages_please_mandoc() {
	need_program mandoc
	mandoc -T lint -W warning "$MAN"/* >"$T/out" 2>&1
	expect_empty "$T/out" "mandoc complains"
}

run_tests
