#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# pmubpf report: profiles of ours, of Go, and ones written by hand (protoc makes bytes of them).
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

record_one() { # FILE: of a program whose shares are known
	need_root
	pmb_ok record -e cpu-clock -o "$1" -o "$T/folded" -- "$WORKLOADS/split" 0.5
}

encode() { # FILE: from the text on standard input
	need_program protoc
	protoc --proto_path="$TOP/user" --encode=pmb.pprof.Profile prof/profile.proto |
		gzip -n >"$1"
	[ "${PIPESTATUS[0]}" -eq 0 ] || fail "protoc"
}

# cycles, insts and dtlb-miss of two functions: 100, 400, 200 samples of "slow", 300, 400, 4 of
# "fast".
by_hand() { # FILE [MORE]
	encode "$1" <<-TEXT
		string_table: "" string_table: "cycles_sample" string_table: "cycles_event" string_table: "insts_sample"
		string_table: "insts_event" string_table: "dtlb-miss_sample" string_table: "dtlb-miss_event"
		string_table: "count" string_table: "slow" string_table: "fast" string_table: "pid"
		string_table: "event insts: counts=instructions interval=7 lost=0 ratio=0.2500 estimated=no"
		string_table: "ledger: does not balance: 3 were lost" string_table: "evil\\n\\033[2J;,\\"name"
		sample_type { type: 1 unit: 7 } sample_type { type: 2 unit: 7 } sample_type { type: 3 unit: 7 }
		sample_type { type: 4 unit: 7 } sample_type { type: 5 unit: 7 } sample_type { type: 6 unit: 7 }
		function { id: 1 name: 8 } function { id: 2 name: 9 } function { id: 3 name: 13 }
		location { id: 1 line { function_id: 1 } } location { id: 2 line { function_id: 2 } }
		location { id: 3 line { function_id: 3 } }
		sample { location_id: 1 value: [100, 1000, 400, 4000, 200, 80] label { key: 10 num: 7 } }
		sample { location_id: 2 value: [300, 3000, 400, 4000, 4, 2] label { key: 10 num: 8 } }
		${2:-}
	TEXT
}

rows() { # of the text in $T/out
	grep -v '^#' "$T/out"
}

t_functions_of_our_own() {
	record_one "$T/p.pb.gz"
	local sum
	pmb_ok report --csv "$T/p.pb.gz"
	sum=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cpu-clock_time/nanoseconds self") c = i; next }
		{ s += $c } END { printf "%d", s }' "$T/out")
	expect_eq "$sum" "$(folded_sum "$T/folded")" "nanoseconds in the rows"
	pmb_ok report "$T/p.pb.gz"
	expect_match "$T/out" '^# command   pmubpf record -e cpu-clock' "the header"
	expect_match "$T/out" '^# ledger    balanced' "the header"
	expect_match "$T/out" '^# machine ' "the header"
	head -n 1 "$T/out" | grep -q '^# file' ||
		fail "a sound profile begins with $(head -n 1 "$T/out")"
}

# A difference: 30 less of "gone", 10 more of "new"; of one sample the tenant is an empty text, the
# size is 0.
t_values_below_zero_and_empty_labels() {
	encode "$T/p.pb.gz" <<-TEXT
		string_table: "" string_table: "cpu" string_table: "count" string_table: "gone" string_table: "new"
		string_table: "tenant" string_table: "blue" string_table: "size"
		sample_type { type: 1 unit: 2 }
		function { id: 1 name: 3 } function { id: 2 name: 4 }
		location { id: 1 line { function_id: 1 } } location { id: 2 line { function_id: 2 } }
		sample { location_id: 1 value: -30 label { key: 5 str: 6 } label { key: 7 num: 64 } }
		sample { location_id: 2 value: 10 label { key: 5 } label { key: 7 } }
	TEXT
	pmb_ok report --by tenant --csv "$T/p.pb.gz"
	expect_match "$T/out" ',\[no tenant\],' "an empty text"
	pmb_ok report --by size --csv "$T/p.pb.gz"
	expect_match "$T/out" ',0,,' "a number"
	pmb_ok report "$T/p.pb.gz"
	expect_match "$T/out" ' -150\.00.* gone' "the share of what is below zero"
	expect_match "$T/out" ' 50\.00.* new' "the share of what is above"
	pmb_ok report --perf "$T/p.pb.gz"
	expect_match "$T/err" 'perf has no negative values: those of 1 of 2 samples are left out' \
		"what is told"
	expect_match "$T/out" ' new ' "what is above zero"
	expect_no_match "$T/out" ' gone ' "what is below"
	pmb_ok report --speedscope "$T/p.pb.gz"
	expect_match "$T/err" 'speedscope has no negative values' "what is told"
	expect_eq "$(jq -c '.profiles | map([.endValue, .weights])' "$T/out")" '[[10,[10]]]' \
		"weights"
	pmb_ok report --folded "$T/p.pb.gz"
	expect_empty "$T/err" "a word about formats that have them"
	expect_match "$T/out" 'gone -30$' "a folded line"
}

# Where a CPU had nothing to do: nobody's time, and of no container.
t_idle_time() {
	local key
	encode "$T/p.pb.gz" <<-'TEXT'
		string_table: "" string_table: "cpu" string_table: "nanoseconds"
		string_table: "work" string_table: "[idle]" string_table: "/bin/app"
		string_table: "comm" string_table: "swapper" string_table: "app" string_table: "pid"
		sample_type { type: 1 unit: 2 }
		mapping { id: 1 memory_start: 4096 memory_limit: 8192 filename: 5 }
		function { id: 1 name: 3 } function { id: 2 name: 4 }
		location { id: 1 mapping_id: 1 address: 5000 line { function_id: 1 } }
		location { id: 2 line { function_id: 2 } }
		location { id: 3 mapping_id: 1 address: 6000 line { function_id: 2 } }
		sample { location_id: 1 value: 10 label { key: 6 str: 8 } label { key: 9 num: 7 } }
		sample { location_id: 2 value: 20 label { key: 6 str: 7 } }
		sample { location_id: 3 value: 70 label { key: 6 str: 8 } label { key: 9 num: 7 } }
	TEXT
	for key in process thread container module language function,container; do
		pmb_ok report --csv --by $key "$T/p.pb.gz"
		expect_match "$T/out" '^[^,]*,[^,]*,\[idle\],.*,20(,|$)' "by $key"
		[ $key = function,container ] ||
			expect_no_match "$T/out" ',\[idle\],.*,70(,|$)' \
				"a program's own [idle], by $key"
	done
}

t_needs_no_root() {
	need_program setpriv
	local dir
	by_hand "$T/p.pb.gz"
	dir=$(mktemp -d /tmp/pmb-report.XXXXXX) # $T may be root's alone
	cp "$T/p.pb.gz" "$PMUBPF" "$dir" && chmod -R a+rX "$dir"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$dir/pmubpf" report \
		"$dir/p.pb.gz" >"$T/out" 2>"$T/err"
	expect_eq $? 0 "status as nobody: $(cat "$T/err")"
	rm -r "$dir"
	expect_match "$T/out" ' slow$' "rows"
}

t_same_figures_as_go() {
	need_program go
	record_one "$T/p.pb.gz"
	go tool pprof -top -unit=ns -nodefraction=0 -nodecount=1000 "$T/p.pb.gz" 2>/dev/null |
		awk 'on { print $1 + 0, $4 + 0, $6 } $1 == "flat" { on = 1 }' | sort >"$T/go"
	pmb_ok report --json "$T/p.pb.gz"
	# Go adds functions of one name up, whatever their module (clock_gettime of libc and of the
	# vDSO): not these
	jq -r '.rows | group_by(.name)[] | select(length == 1)[0] | "\(.events[0].self.time_ns) \(.events[0].total.time_ns) \(.name)"' \
		"$T/out" | cut -d' ' -f1-3 | sort >"$T/ours"
	jq -r '.rows | group_by(.name)[] | select(length > 1)[0].name' "$T/out" >"$T/twice"
	expect_le "$(wc -l <"$T/twice")" "$(($(wc -l <"$T/ours") / 5))" "names of several modules"
	while read -r name; do
		sed -i "/ $name\$/d" "$T/go"
	done <"$T/twice"
	[ -s "$T/go" ] || fail "go tool pprof says nothing"
	diff "$T/ours" "$T/go" >"$T/diff" || fail "unlike go tool pprof: $(head -n 3 "$T/diff")"
}

t_profile_of_go() {
	need_program go
	mkdir "$T/go"
	cat >"$T/go/main.go" <<-'GO'
		package main

		import (
			"os"
			"runtime/pprof"
		)

		var sum int

		//go:noinline
		func spin(n int) {
			for i := 0; i < n; i++ {
				sum += i * i
			}
		}

		func main() {
			f, _ := os.Create(os.Args[1])
			pprof.StartCPUProfile(f)
			pprof.Do(nil2(), pprof.Labels("tenant", "acme"), func(ctx) { spin(600000000) })
			pprof.StopCPUProfile()
		}
	GO
	sed -i 's/"os"/"context"\n\t"os"/; s/nil2()/context.Background()/; s/func(ctx)/func(context.Context)/' "$T/go/main.go"
	(cd "$T/go" && GOFLAGS=-mod=mod GO111MODULE=off GOCACHE=$T/cache go build -o prog main.go) >"$T/build" 2>&1 ||
		skip "go can't build: $(tail -n 1 "$T/build")"
	"$T/go/prog" "$T/cpu.pprof" || fail "the program failed"
	pmb_ok report "$T/cpu.pprof"
	expect_match "$T/out" '^# event     cpu: [0-9]+ nanoseconds in [0-9]+ samples' "the header"
	# Go's own preemption takes a part of it where other programs want the CPU
	expect_ge "$(awk '$6 == "main.spin" { print $3 }' "$T/out")" 80 \
		"percent in or below main.spin"
	pmb_ok report --by tenant "$T/cpu.pprof"
	expect_match "$T/out" ' acme$' "rows by Go's label"
	pmb_ok report --by class "$T/cpu.pprof"
	expect_match "$T/out" ' main$' "rows by package"
}

t_standard_input_and_several_files() {
	by_hand "$T/p.pb.gz"
	"$PMUBPF" report --json - <"$T/p.pb.gz" >"$T/one.json" || fail "from standard input"
	pmb_ok report --json "$T/p.pb.gz" "$T/p.pb.gz"
	expect_eq "$(jq '.events[0].total.count' "$T/one.json")" 4000 "cycles of one"
	expect_eq "$(jq '.events[0].total.count' "$T/out")" 8000 "cycles of two"
	gzip -dc "$T/p.pb.gz" >"$T/plain.pprof"
	pmb_ok report --csv "$T/plain.pprof"
	cp "$T/out" "$T/plain.csv"
	pmb_ok report --csv "$T/p.pb.gz"
	cmp -s "$T/out" "$T/plain.csv" || fail "gzip makes a difference"
}

t_ratios() {
	by_hand "$T/p.pb.gz"
	pmb_ok report --json --confidence "$T/p.pb.gz"
	local mpki='.ratios[] | select(.kind == "misses_per_1000_insn")'
	expect_eq "$(jq "[.rows[] | select(.name == \"slow\") | $mpki][0].value" "$T/out")" 20 \
		"misses per 1000"
	expect_eq "$(jq "[.rows[] | select(.name == \"slow\") | $mpki][0].few_samples" "$T/out")" \
		false "of 200 samples"
	expect_eq "$(jq "[.rows[] | select(.name == \"fast\") | $mpki][0].few_samples" "$T/out")" \
		true "of 4 samples"
	jq -e ".rows[] | select(.name == \"fast\") | $mpki | .low < .value and .value < .high and .high > 2 * .value" \
		"$T/out" >/dev/null || fail "the confidence interval of 4 samples"
	mv "$T/out" "$T/confidence"
	pmb_ok report --json --interval "$T/p.pb.gz" # its name before
	cmp <(jq .rows "$T/out") <(jq .rows "$T/confidence") ||
		fail "--interval is not --confidence"
	pmb_ok report "$T/p.pb.gz"
	expect_match "$T/out" ' ~0\.50 +fast$' "the mark"
	expect_match "$T/out" ' 20\.0 +slow$' "no mark"
}

t_what_was_under_delivered_is_no_plain_figure() {
	by_hand "$T/p.pb.gz" 'comment: 11'
	pmb_ok report "$T/p.pb.gz"
	expect_match "$T/out" '^# WARNING   insts: its samples stand for 25 %' "the warning"
	expect_match "$T/out" ' 20\.0! +slow$' "the mark"
	expect_match "$T/out" '!' "marks"
	by_hand "$T/q.pb.gz"
	pmb_ok report "$T/q.pb.gz"
	expect_no_match "$T/out" '!|WARNING' "without that remark"
}

t_books_that_do_not_balance_come_first() {
	by_hand "$T/p.pb.gz" 'comment: 12'
	pmb_ok report "$T/p.pb.gz"
	head -n 1 "$T/out" | grep -q '^# WARNING   the books of this recording do not balance' ||
		fail "first line: $(head -n 1 "$T/out")"
	pmb_ok report --json "$T/p.pb.gz"
	expect_eq "$(jq -r .imbalance "$T/out")" "does not balance: 3 were lost" "in JSON"
}

t_filters() {
	by_hand "$T/p.pb.gz"
	pmb_ok report --focus '^sl' "$T/p.pb.gz"
	expect_match "$T/out" ' slow$' "focus"
	expect_no_match "$T/out" ' fast$' "focus"
	expect_match "$T/out" '^# selected  25.00 % of the whole' "what is left"
	pmb_ok report --ignore slow "$T/p.pb.gz"
	expect_no_match "$T/out" ' slow$' "ignore"
	pmb_ok report --label pid=7 "$T/p.pb.gz"
	expect_no_match "$T/out" ' fast$' "label"
	pmb_ok report --label pid=7 --label pid=8 --by pid "$T/p.pb.gz"
	expect_eq "$(rows | grep -cE ' (7|8)$')" 2 "rows of two labels"
	pmb_ok report -e insts --csv "$T/p.pb.gz"
	expect_match "$T/out" '^level,key,name,module,insts_sample' "one event"
	expect_no_match "$T/out" 'cycles' "one event"
	pmb_ok report --sort insts:total --limit 1 "$T/p.pb.gz"
	expect_match "$T/out" '^… and 1 more' "limit"
	pmb_ok report --min-share 50 "$T/p.pb.gz"
	expect_no_match "$T/out" ' slow$' "min-share"
}

t_trees() {
	record_one "$T/p.pb.gz"
	pmb_ok report --tree "$T/p.pb.gz"
	expect_match "$T/out" '^ *[0-9.]+ .*  +main ' "the tree"
	pmb_ok report --tree --callees main "$T/p.pb.gz"
	rows | sed -n 4p | grep -qE ' main  ' || fail "the root is $(rows | sed -n 4p)"
	pmb_ok report --callers main "$T/p.pb.gz"
	expect_match "$T/out" ' main  ' "callers"
	pmb_ok report --by process,module,function "$T/p.pb.gz"
	expect_match "$T/out" '  split [0-9]+$' "processes"
}

t_other_formats_are_written() {
	record_one "$T/p.pb.gz"
	pmb_ok report --folded "$T/p.pb.gz"
	expect_ge "$(folded_sum "$T/folded")" 1 "sum of what was recorded"
	expect_eq "$(folded_sum "$T/out")" "$(folded_sum "$T/folded")" "sum of the folded stacks"
	pmb_ok report --pprof -o "$T/again.pb.gz" "$T/p.pb.gz"
	pmb_ok report --csv "$T/again.pb.gz"
	cp "$T/out" "$T/again.csv"
	pmb_ok report --csv "$T/p.pb.gz"
	expect_ge "$(wc -l <"$T/out")" 2 "lines of a report"
	cmp -s "$T/out" "$T/again.csv" || fail "another report after --pprof"
}

t_names_are_data() {
	by_hand "$T/p.pb.gz" 'sample { location_id: 3 value: [1, 9000, 1, 1, 1, 1] }'
	pmb_ok report "$T/p.pb.gz"
	expect_match "$T/out" ' evil\\x0a\\x1b\[2J\\x3b,"name$' "in text"
	pmb_ok report --csv "$T/p.pb.gz"
	need_program python3
	python3 -c 'import csv, sys
rows = list(csv.reader(open(sys.argv[1], newline="")))
assert len(set(map(len, rows))) == 1, rows
assert any(r[2] == "evil\n\033[2J;,\"name" for r in rows), rows' "$T/out" || fail "csv"
	pmb_ok report --json "$T/p.pb.gz"
	jq -e '.rows[] | select(.name | startswith("evil\n"))' "$T/out" >/dev/null || fail "json"
}

t_fits_the_terminal() {
	by_hand "$T/p.pb.gz"
	local width
	for width in 60 80 120; do
		COLUMNS=$width pmb_ok report "$T/p.pb.gz"
		[ "$(rows | awk '{ if (length > m) m = length } END { print m }')" -le "$width" ] ||
			fail "wider than $width"
		expect_match "$T/out" ' slow$' "the name at $width"
	done
	expect_no_match "$T/out" $'\033' "colours in a file"
}

t_names_from_elsewhere() {
	need_root
	cp "$WORKLOADS/split" "$T/prog"
	strip -o "$T/stripped" "$T/prog"
	pmb_ok record --no-symbols -e cpu-clock -o "$T/p.pb.gz" -- "$T/stripped" 1
	pmb_ok report "$T/p.pb.gz"
	expect_no_match "$T/out" ' burn ' "without symbols"
	expect_match "$T/out" ' \[stripped\]$' "the module instead"
	mkdir "$T/files" "$T/others"
	cp "$T/prog" "$T/files/under-another-name"
	cp "$WORKLOADS/recurse" "$T/others/stripped" # that name, another build-id
	pmb_ok report --symbols "$T/files" "$T/p.pb.gz"
	expect_match "$T/out" ' burn \(inlined\)  stripped$' "a file with the build-id"
	expect_match "$T/err" '1 of [0-9]+ files found, [1-9][0-9]* of [0-9]+ addresses named' \
		"what was found"
	pmb_ok report --symbols "$T/others" "$T/p.pb.gz"
	expect_match "$T/out" ' \[stripped\]$' "another file of that name"
	expect_match "$T/err" ' 0 of [0-9]+ files found, 0 of' "what was found"
	pmb report --symbols "$T/absent" "$T/p.pb.gz"
	expect_eq "$rc" 1 "status without the folder"
}

t_bad_files() {
	local bytes
	: >"$T/empty"
	printf 'main;work 12\n' >"$T/folded"
	printf '{"a": 1}' >"$T/json"
	printf 'PERFILE2\150\0\0\0' >"$T/perf.data"
	head -c 100000000 /dev/zero | gzip -9n >"$T/bomb"
	by_hand "$T/good"
	head -c 60 "$T/good" >"$T/cut"
	while read -r name words; do
		pmb report "$T/$name"
		expect_eq "$rc" 1 "status for $name"
		expect_eq "$(wc -l <"$T/err")" 1 "lines about $name"
		expect_match "$T/err" "$words" "$name"
		expect_empty "$T/out" "$name"
	done <<-CASES
		empty is empty
		folded folded stacks
		json JSON
		perf.data perf\.data, not pprof
		cut its gzip data end too early
		bomb is not a pprof profile, or is damaged
		absent No such file
	CASES
	pmb report "$PMUBPF"
	expect_match "$T/err" 'is an ELF program' "ourselves"
	pmb report --max-size 1M "$T/bomb"
	expect_match "$T/err" 'holds more than 1 MB uncompressed; --max-size' "the limit"
	pmb report "$T"
	expect_match "$T/err" 'is a folder' "a folder"
}

t_wrong_options() {
	by_hand "$T/p.pb.gz"
	while read -r words; do
		# shellcheck disable=SC2086 # these are words
		pmb report $words "$T/p.pb.gz"
		expect_eq "$rc" 2 "status of $words"
		expect_empty "$T/out" "$words"
	done <<-CASES
		--by planet
		--tree --by pid
		--sort nothing
		--limit -3
		--min-share 101
		--label pid
		--callers a --callees b
		--json --csv
		--folded --by function
		--focus (
		-e misses
		--max-size 3
		- -
	CASES
	pmb report
	expect_eq "$rc" 2 "status without a file"
	pmb report --callers nobody "$T/p.pb.gz"
	expect_eq "$rc" 1 "status of a function that isn't there"
}

t_the_suffix_chooses() {
	need_program protoc
	protoc --proto_path="$TOP/user" --encode=pmb.pprof.Profile prof/profile.proto \
		<<-TEXT >"$T/p.pb" || fail "protoc"
		string_table: ["", "cycles", "count"]
		sample_type { type: 1 unit: 2 } sample { value: [7] }
	TEXT
	local suffix
	for suffix in html pb.gz folded perf csv json txt; do
		pmb_ok report -o "$T/x.$suffix" "$T/p.pb"
		expect_empty "$T/out" "standard output of $suffix"
	done
	head -c 15 "$T/x.html" | grep -q '<!DOCTYPE html>' || fail "x.html is no page"
	gzip -t "$T/x.pb.gz" || fail "x.pb.gz is no gzip"
	expect_eq "$(jq -r '.events[0].event' "$T/x.json")" cycles "x.json"
	expect_match "$T/x.csv" '^level,' "x.csv"
	expect_match "$T/x.txt" '^# event +cycles: 7 count' "x.txt"
	pmb report -o "$T/x.html" --by module "$T/p.pb"
	expect_eq "$rc" 2 "status of rows in a page"
	pmb_ok report --min-share 5% "$T/p.pb"
}

t_a_closed_pipe_ends_quietly() {
	by_hand "$T/p.pb.gz"
	for form in "" --json --folded --pprof; do
		# shellcheck disable=SC2086
		expect_match <("$PMUBPF" report $form "$T/p.pb.gz" | tr -d '\0') . \
			"all of it with '$form'"
		# shellcheck disable=SC2086
		{ "$PMUBPF" report $form "$T/p.pb.gz" 2>"$T/err"; echo $? >"$T/rc"; } | true
		expect_empty "$T/err" "said with '$form'"
		expect_eq "$(cat "$T/rc")" 0 "status with '$form'"
	done
}

# What other makers leave out or do otherwise: no comm, only the linker's names, two types of one
# name, an empty comm.
foreign() { # FILE
	encode "$1" <<-'TEXT'
		string_table: "" string_table: "alloc" string_table: "count" string_table: "bytes" string_table: "comm"
		string_table: "_ZN2ns4workEv" string_table: "rest.part.0" string_table: "/bin/app"
		sample_type { type: 1 unit: 2 } sample_type { type: 1 unit: 3 }
		mapping { id: 1 filename: 7 }
		function { id: 1 system_name: 5 } function { id: 2 name: 6 }
		location { id: 1 mapping_id: 1 line { function_id: 1 } } location { id: 2 mapping_id: 1 line { function_id: 2 } }
		sample { location_id: 1 value: [3, 3000] } sample { location_id: 2 value: [4, 4000] }
	TEXT
}

t_filters_of_labels_that_are_not_there() {
	encode "$T/p.pb.gz" <<-'TEXT'
		string_table: "" string_table: "cpu" string_table: "count" string_table: "work"
		string_table: "tenant" string_table: "blue"
		sample_type { type: 1 unit: 2 }
		function { id: 1 name: 3 } location { id: 1 line { function_id: 1 } }
		sample { location_id: 1 value: 10 label { key: 4 str: 5 } }
	TEXT
	pmb report --label tenat=blue "$T/p.pb.gz"
	expect_eq "$rc" 2 "status of a misspelt label"
	expect_match "$T/err" "--label 'tenat': the profile has no such label \\(tenant\\)" \
		"what is said"
	pmb_ok report --label tenant=red "$T/p.pb.gz"
	expect_match "$T/out" 'no sample is left' "another value"
	pmb_ok report --container web "$T/p.pb.gz"
	expect_match "$T/out" 'no sample is left' "a label that it could have"
}

t_labels_that_nothing_has() {
	foreign "$T/p.pb.gz"
	pmb_ok report --by pod "$T/p.pb.gz"
	expect_match "$T/out" ' \[no pod\]$' "the only row"
	pmb report --by pods "$T/p.pb.gz"
	expect_eq "$rc" 2 "exit status of what is no label"
}

t_types_that_share_a_name() {
	foreign "$T/p.pb.gz"
	pmb_ok report --folded "$T/p.pb.gz"
	expect_eq "$(grep -c '^alloc/count;' "$T/out") $(folded_sum_of "$T/out" '^alloc/count;')" \
		"2 7" "allocations"
	expect_eq "$(grep -c '^alloc/bytes;' "$T/out") $(folded_sum_of "$T/out" '^alloc/bytes;')" \
		"2 7000" "bytes"
	pmb_ok report -e alloc/bytes "$T/p.pb.gz"
	expect_match "$T/out" '^# event     alloc: 7000 bytes$' "the header"
}

# The helper reads them; a comparison has readable names, too.
t_only_the_linkers_name() {
	foreign "$T/p.pb.gz"
	pmb_ok report "$T/p.pb.gz"
	expect_match "$T/out" ' ns::work  app$' "a row"
	pmb_ok report --by class "$T/p.pb.gz"
	expect_match "$T/out" ' ns$' "a class"
	expect_match "$T/out" ' \[none\]$' "the rows"
	expect_no_match "$T/out" ' rest$' "what a compiler appends is no class"
	pmb_ok diff -e alloc/count "$T/p.pb.gz" "$T/p.pb.gz"
	expect_match "$T/out" ' ns::work  app$' "a row of the difference"
	pmb_ok report --pprof -o "$T/q.pb.gz" "$T/p.pb.gz"
	gunzip <"$T/q.pb.gz" >"$T/text"
	expect_eq "$(grep -ac _ZN2ns4workEv "$T/text")" 1 "the linker's name, kept"
	expect_eq "$(grep -ac ns::work "$T/text")" 1 "the readable one"
}

# A name that stands for more text than there is memory, and many of them.
t_hostile_mangled_names() {
	local i deep
	deep=$(printf 'St%.0s' $(seq 3000))
	{
		echo 'string_table: "" string_table: "cpu" string_table: "count"'
		echo 'sample_type { type: 1 unit: 2 }'
		echo "string_table: '_RXC0OODGLOBALB_' string_table: '_Z$deep'"
		echo "string_table: '_RNvC1a1b'"
		for i in 3 4 5; do
			echo "function { id: $i name: $i system_name: $i }"
			echo "location { id: $i line { function_id: $i } }"
			echo "sample { location_id: $i value: 1 }"
		done
	} | encode "$T/p.pb.gz"
	pmb_ok report --folded "$T/p.pb.gz"
	expect_eq "$(folded_sum "$T/out")" 3 "samples"
	expect_match "$T/out" '^a::b 1$' "a name among them"
	expect_match "$T/out" '^_RXC0OODGLOBALB_ 1$' "what stays as it is"
}

# As stackcollapse-perf.pl takes the first line of a sample apart.
t_perf_text_without_a_command() {
	foreign "$T/p.pb.gz"
	pmb_ok report --perf "$T/p.pb.gz"
	perl -ne 'print "$1 $2\n" if /^(\S.+?)\s+(\d+)\/*(\d+)*\s+/' "$T/out" |
		sort -u >"$T/commands"
	expect_eq "$(cat "$T/commands")" "[unknown] 0" "command and process"
}

t_a_command_without_a_name() {
	encode "$T/p.pb.gz" <<-'TEXT'
		string_table: "" string_table: "cpu" string_table: "count" string_table: "comm" string_table: "work"
		sample_type { type: 1 unit: 2 }
		function { id: 1 name: 4 } location { id: 1 line { function_id: 1 } }
		sample { location_id: 1 value: [3] label { key: 3 } }
	TEXT
	pmb_ok report --folded "$T/p.pb.gz"
	expect_folded "$T/out"
	expect_eq "$(cat "$T/out")" "[no name];work 3" "the line"
}

t_times_below_a_microsecond() {
	encode "$T/p.pb.gz" <<-'TEXT'
		string_table: "" string_table: "delay" string_table: "nanoseconds" string_table: "short" string_table: "long"
		sample_type { type: 1 unit: 2 }
		function { id: 1 name: 3 } location { id: 1 line { function_id: 1 } }
		function { id: 2 name: 4 } location { id: 2 line { function_id: 2 } }
		sample { location_id: 1 value: 49 } sample { location_id: 2 value: 1500 }
	TEXT
	pmb_ok report "$T/p.pb.gz"
	expect_match "$T/out" ' 49ns .* short$' "the short one"
	expect_match "$T/out" ' 1\.5us .* long$' "the long one"
}

# An allocator's own frames, which its profiles want left out. DROP and KEEP are strings 9 and 10;
# malloc and what it calls, inlined or not, go; a stack that is all of them stays.
dropping() { # FILE DROP KEEP
	encode "$1" <<-TEXT
		string_table: "" string_table: "space" string_table: "bytes" string_table: "main" string_table: "work"
		string_table: "malloc(unsigned long)" string_table: "slow_path" string_table: "brk" string_table: "mallocate"
		string_table: "$2" string_table: "$3"
		sample_type { type: 1 unit: 2 } drop_frames: 9 keep_frames: 10
		function { id: 3 name: 3 } function { id: 4 name: 4 } function { id: 5 name: 5 } function { id: 6 name: 6 }
		function { id: 7 name: 7 } function { id: 8 name: 8 }
		location { id: 3 line { function_id: 3 } } location { id: 4 line { function_id: 4 } }
		location { id: 5 line { function_id: 6 } line { function_id: 5 } } location { id: 7 line { function_id: 7 } }
		location { id: 8 line { function_id: 8 } }
		location { id: 9 line { function_id: 5 } line { function_id: 4 } }
		sample { location_id: 7 location_id: 5 location_id: 4 location_id: 3 value: 1 }
		sample { location_id: 7 location_id: 9 location_id: 3 value: 2 }
		sample { location_id: 8 location_id: 3 value: 4 }
		sample { location_id: 7 location_id: 5 value: 8 }
	TEXT
}

t_frames_that_a_profile_drops() {
	dropping "$T/p.pb.gz" 'malloc|mallocate' 'malloca.*'
	pmb_ok report --folded "$T/p.pb.gz"
	expect_eq "$(cat "$T/out")" "$(printf '%s\n' 'main;mallocate 4' 'main;work 3' \
		'malloc(unsigned long);slow_path_[i];brk 8' | sort)" "lines"
	pmb_ok report --pprof -o "$T/again.pb.gz" "$T/p.pb.gz"
	gzip -dc "$T/again.pb.gz" |
		protoc --proto_path="$TOP/user" --decode=pmb.pprof.Profile \
		prof/profile.proto >"$T/text"
	expect_match "$T/text" '^drop_frames: [1-9]' "the field, written again"
	expect_match "$T/text" '^keep_frames: [1-9]' "the field, written again"
	expect_eq "$(grep -c '^sample {' "$T/text")" 4 "samples: who reads it drops them himself"
	if command -v go >/dev/null; then
		HOME=$T go tool pprof -raw "$T/p.pb.gz" >"$T/raw" 2>&1 ||
			skip "go has no pprof here"
		pmb_ok report --folded "$T/p.pb.gz"
		# pprof's stacks by their lengths in lines, and ours
		expect_eq "$(awk '/^ *[0-9]+: / && !m { print $1 + 0, NF - 1 } /^Locations/ { m = 1 }' "$T/raw" | sort | tr '\n' ' ')" \
			"1 2 2 2 4 2 8 2 " "locations of each sample in pprof"
	fi
}

t_expressions_that_would_never_end() {
	local drop
	for drop in '((a*)*)*\\1' 'a{1,30000}{1,30000}' '((((((((((a+)+)+)+)+)+)+)+)+)+)+' '('; do
		dropping "$T/p.pb.gz" "$drop" ''
		timeout 5 "$PMUBPF" report --folded "$T/p.pb.gz" >"$T/out" 2>"$T/err" ||
			fail "status $? for $drop"
		expect_match "$T/err" 'drop_frames is not a regular expression that pmubpf takes' \
			"the note"
		expect_eq "$(folded_sum "$T/out")" 15 "nothing is lost"
		expect_match "$T/out" '^main;work;malloc\(unsigned long\);slow_path_\[i\];brk 1$' \
			"all frames"
	done
}

run_tests
