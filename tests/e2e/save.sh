#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Profiles in files, read by programs that aren't ours.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

need_go() {
	need_program go
	go tool -n pprof >/dev/null 2>&1 || skip "this Go has no pprof"
	export HOME=$T PPROF_TMPDIR=$T PPROF_BINARY_PATH=$T
}

# One recording of two events in three files.
t_suffixes_of_others() {
	local suffix
	for suffix in svg pb data png; do
		pmb record -o "$T/x.$suffix" -- true
		expect_eq "$rc" 2 "status of .$suffix"
		expect_match "$T/err" "x.$suffix': no such file is written, but .pb.gz" \
			"what is said"
		[ ! -e "$T/x.$suffix" ] || fail "x.$suffix was made"
	done
	pmb_ok record --format folded -o "$T/x.data" -- true
}

setup() {
	pmb_ok record -e cpu-clock,page-faults -F 999 -o "$S/p.folded" -o "$S/p.pb.gz" \
		-o "$S/p.perf" \
		--summary "$S/sum" -- "$WORKLOADS/split" 1
	pmb_ok record -a -e cpu-clock -F 499 --label tid,cpu --label cgroup -d 1 \
		-o "$S/all.folded" \
		-o "$S/all.pb.gz"
}

# The sum of an event's folded lines.
folded_sum() { # FILE [EVENT]
	awk -v e="${2:+$2;}" 'index($0, e) == 1 { s += $NF } END { printf "%.0f\n", s }' "$1"
}

pprof() { # TYPE OPTION… FILE
	local type=$1
	shift
	go tool pprof -sample_index="$type" -symbolize=none -unit="$unit" "$@" 2>"$T/err"
}

# Sums over -traces: "     123ns   leaf".
traces() { # TYPE FILE
	pprof "$1" -traces "$2" | awk '
		/^-+\+/ { on = 1; fresh = 1; next }
		on && fresh && $1 ~ /^[0-9.]+[a-z]*$/ { sub(/[a-z]+$/, "", $1); s += $1; fresh = 0 }
		END { printf "%.0f\n", s }'
}

t_pprof_agrees_with_the_folded_stacks() {
	need_go
	local unit=ns
	expect_eq "$(traces cpu-clock_time "$S/p.pb.gz")" "$(folded_sum "$S/p.folded" cpu-clock)" \
		"ns of cpu-clock"
	unit=count
	expect_eq "$(traces page-faults_event "$S/p.pb.gz")" \
		"$(folded_sum "$S/p.folded" page-faults)" "page faults"
	expect_eq "$(traces cpu-clock_sample "$S/p.pb.gz")" \
		"$(T=$S sum_get '.events[] | select(.name == "cpu-clock").user.aggregated' "$S/sum")" "samples"
}

# flat of each function in -top = self of it in the folded lines, which have no inlined calls unless
# asked.
t_top_has_the_same_functions() {
	need_go
	local unit=ns
	pprof cpu-clock_time -top -noinlines -nodecount=100000 -nodefraction=0 "$S/p.pb.gz" |
		awk '/flat%/ { on = 1; next } on && $1 != "0" { sub(/ns$/, "", $1); print $6, $1 }' | sort >"$T/top"
	awk 'index($0, "cpu-clock;") == 1 { n = $NF; sub(/ [0-9]+$/, ""); k = split($0, f, ";")
		sub(/_\[[kij]\]$/, "", f[k]); s[f[k]] += n } END { for (x in s) printf "%s %.0f\n", x, s[x] }' \
		"$S/p.folded" | sort >"$T/self"
	expect_ge "$(wc -l <"$T/self")" 2 "functions"
	expect_eq "$(cat "$T/top")" "$(cat "$T/self")" "functions and their time"
}

t_labels() {
	need_go
	local unit=ns
	pprof cpu-clock_time -tags "$S/p.pb.gz" >"$T/tags"
	expect_match "$T/tags" 'comm: Total' "comm"
	expect_match "$T/tags" ': split$' "the program"
	expect_match "$T/tags" 'pid: Total' "pid"
	expect_match "$T/tags" ': complete$' "the unwind status"
	pprof cpu-clock_time -tags "$S/all.pb.gz" >"$T/tags"
	local label
	for label in tid cpu cgroup comm pid unwind_status; do
		expect_match "$T/tags" "^ *$label: Total" "$label"
	done
}

# A line for each overflow, which together weigh what the books say.
t_overflows_one_by_one() {
	pmb_ok record -e cpu-clock/period=1000003/,page-faults/period=7/ -o "$T/p.jsonl" \
		-o "$T/p.perf" --summary "$T/sum" -- "$WORKLOADS/split" 1
	expect_eq "$(head -n 1 "$T/p.jsonl" | jq -c '[.packets, .grid_ns]')" '[1,10000]' "its head"
	for event in cpu-clock page-faults; do
		jq -c --arg e "$event" 'select(.event == $e)' "$T/p.jsonl" >"$T/$event"
		expect_eq "$(jq -s 'map(.value) | add' "$T/$event")" \
			"$(jq ".events[] | select(.name == \"$event\").user.weight" "$T/sum")" \
			"weight of $event"
	done
	expect_ge "$(wc -l <"$T/cpu-clock")" 400 "lines of a second"
	expect_eq "$(jq 'select(.samples != 1)' "$T/cpu-clock")" "" "lines of several overflows"
	jq .time_ns "$T/cpu-clock" >"$T/times"
	sort -nc "$T/times" || fail "times go back"
	expect_le "$(tail -n 1 "$T/times")" "$(head -n 1 "$T/p.jsonl" | jq .duration_ns)" \
		"the last one's time"
	jq 'select(.frames).stack' "$T/p.jsonl" | sort >"$T/said"
	jq 'select(.event).stack' "$T/p.jsonl" | sort -u | cmp - "$T/said" ||
		fail "not each stack that is named has one line"
	jq -r 'select(.frames).frames[].function' "$T/p.jsonl" >"$T/functions"
	expect_match "$T/functions" '^hot70$' "a function"
	# of perf's text, in s, and of these lines, in ns
	awk '$2 ~ /\// && / cpu-clock:/ { sub(/:$/, "", $4); printf "%d\n", $4 * 1e6 + 0.5 }' \
		"$T/p.perf" | sort -n >"$T/us"
	expect_eq "$(cat "$T/us")" "$(awk '{ printf "%d\n", $1 / 1000 }' "$T/times")" "times"
}

# A label's name of the release before is the label's.
t_the_label_by_its_name_before() {
	"$PMUBPF" report --by ending "$S/all.pb.gz" >"$T/before"
	"$PMUBPF" report --by unwind_status "$S/all.pb.gz" >"$T/now"
	expect_match "$T/now" ' complete$' "a status"
	expect_eq "$(grep ' complete$' "$T/before")" "$(grep ' complete$' "$T/now")" "the row of it"
}

t_whole_machine() {
	need_go
	local unit=ns
	expect_ge "$(folded_sum "$S/all.folded")" 1 "ns of anything"
	expect_eq "$(traces cpu-clock_time "$S/all.pb.gz")" "$(folded_sum "$S/all.folded")" "ns"
}

t_comments() {
	need_go
	local unit=ns key
	pprof cpu-clock_time -comments "$S/p.pb.gz" >"$T/comments"
	for key in 'pmubpf: [0-9]' 'command: pmubpf record -e cpu-clock,page-faults -F 999' 'machine: .*CPUs online' \
		'kernel: Linux' 'event cpu-clock: counts=ns .*overflows=[1-9]' \
		'role page-faults: occurrences ' 'ledger: balanced' 'user stacks: [0-9]'; do
		expect_match "$T/comments" "^$key" "$key"
	done
}

# As it is shown it can be pasted into a shell, and is the same command there.
t_the_command_can_be_pasted() {
	local command
	pmb_ok record -e cpu-clock -o "$T/p.pb.gz" -- \
		sh -c 'x="a \b"; : '\''it;s'\' "two words" '' $'a\nb'
	pmb_ok report --json "$T/p.pb.gz"
	command=$(jq -r '.comments[] | select(startswith("command: pmubpf record "))' "$T/out")
	pmb_ok report "$T/p.pb.gz"
	expect_eq "# command   ${command#command: }" "$(grep '^# command ' "$T/out")" "the header"
	eval "set -- ${command#*record }"
	expect_eq "$(printf '<%s>' "${@:5}")" \
		"<--><sh><-c><x=\"a \\b\"; : 'it;s'><two words><>"$'<a\nb>' "the words"
}

t_build_ids_and_addresses() {
	need_go
	local id
	id=$(readelf -n "$WORKLOADS/split" | sed -n 's/.*Build ID: //p')
	go tool pprof -raw "$S/p.pb.gz" >"$T/raw" 2>/dev/null
	expect_match "$T/raw" "split $id \[FN\]" "the program with its build-id"
	# an address of hot70, as the ELF file has it
	local first
	first=$(nm "$WORKLOADS/split" | awk '/ hot70$/ { print $1 }')
	go tool pprof -raw "$S/p.pb.gz" 2>/dev/null | grep -B 1 ' hot70 ' |
		sed -n 's/.*: \(0x[0-9a-f]*\) M=.*/\1/p' >"$T/found"
	expect_ge "$(wc -l <"$T/found")" 1 "addresses of hot70"
	local address
	while read -r address; do
		(( address >= 16#$first && address < 16#$first + 64 )) ||
			fail "$address is not in hot70, at 0x$first"
	done <"$T/found"
}

# Go's own look at the binary gives the same names to a profile without any.
t_named_elsewhere() {
	need_go
	pmb_ok record -e cpu-clock -F 999 --no-symbols -o "$T/p.pb.gz" -- "$WORKLOADS/split" 0.4
	! zcat "$T/p.pb.gz" | grep hot70 >/dev/null || fail "it has names"
	go tool pprof -symbolize=local -top "$T/p.pb.gz" >"$T/top" 2>"$T/err"
	expect_match "$T/top" 'hot70' "hot70"
	expect_match "$T/top" 'hot30' "hot30"
}

t_inlined_lines_in_order() {
	need_go
	pmb_ok record -e cpu-clock -F 999 --inline -o "$T/p.pb.gz" -o "$T/p.folded" -- \
		"$WORKLOADS/inlined" 0.4
	go tool pprof -traces "$T/p.pb.gz" >"$T/traces" 2>/dev/null
	local unit=ns
	expect_eq "$(traces cpu-clock_time "$T/p.pb.gz")" "$(folded_sum "$T/p.folded")" "ns"
	expect_match "$T/p.folded" '_\[i\]' "inlined calls"
	go tool pprof -raw "$T/p.pb.gz" >"$T/raw" 2>/dev/null
	expect_match "$T/raw" 'inlined.c:[0-9]+' "source lines"
}

t_perf_text_is_read_by_stackcollapse() {
	# the scripts take a number behind the command, a header, frames leaf first, and the period
	# they are told of
	awk -v RS= '{ n = split($0, line, "\n"); split(line[1], w, " ")
		for (i = 1; i in w; i++) if (w[i] ~ /:$/ && w[i] !~ /^[0-9.]+:$/) { event = w[i]; period = w[i - 1] }
		stack = $1
		for (i = n; i > 1; i--) { sub(/^\t *[0-9a-f]+ /, "", line[i]); k = ""
			if (line[i] ~ /\(\[kernel/) k = "_[k]"
			sub(/ \([^()]*\)$/, "", line[i]); stack = stack ";" line[i] k }
		sum[event ";" stack] += period }
		END { for (s in sum) { t = s; sub(/:;/, ";", t); printf "%s %.0f\n", t, sum[s] } }' "$S/p.perf" |
		LC_ALL=C sort >"$T/again"
	expect_match "$T/again" ';hot70 [0-9]+$' "a stack of the program"
	expect_eq "$(cat "$T/again")" "$(LC_ALL=C sort "$S/p.folded")" "stacks and weights"
}

t_formats_by_name() {
	pmb_ok record -e cpu-clock --format pprof -o "$T/x" -- "$WORKLOADS/split" 0.2
	expect_eq "$(head -c 2 "$T/x" | od -An -tx1 | tr -d ' ')" 1f8b "gzip"
	pmb_ok record -e cpu-clock --format perf -- "$WORKLOADS/split" 0.2
	expect_match "$T/out" '^split [0-9]+/[0-9]+ .* cpu-clock: $' "a record"
	pmb record -e cpu-clock --format svg -o "$T/x" -- "$WORKLOADS/split" 0.2
	expect_eq "$rc" 2 "exit status"
	expect_match "$T/err" 'folded, pprof, html' "the formats"
	pmb record -e cpu-clock -o "$T/x" -o "$T/x" -- "$WORKLOADS/split" 0.2
	expect_eq "$rc" 2 "exit status of one file twice"
}

t_data_addresses() {
	need_go
	pmb_ok record -e page-faults -c 1 --label data_addr --user-only -o "$T/p.pb.gz" -- \
		"$WORKLOADS/faults" 200
	go tool pprof -tags "$T/p.pb.gz" >"$T/tags" 2>/dev/null
	expect_match "$T/tags" 'data_addr: Total' "data_addr"
}

# Two commands with a second between them: so have their samples, which are all there, once.
t_timeline() {
	need_program jq
	pmb_ok record --timeline -e cpu-clock -F 499 -o "$T/p.pb.gz" -o "$T/p.perf" \
		-o "$T/p.html" --summary "$T/sum.json" -- \
		sh -c '"$0" 0.3; sleep 1; exec "$0" 0.3' "$WORKLOADS/split"
	pmb_ok report -j --limit 0 --by time "$T/p.pb.gz"
	jq -c '[.rows[] | {ms: (.name | split(" ")[0] | tonumber), n: .events[0].total.samples}]
		| sort_by(.ms)' "$T/out" >"$T/moments"
	expect_eq "$(jq '[.[].n] | add' "$T/moments")" "$(sum_get '.events[0].user.aggregated')" \
		"samples that have their moment"
	expect_eq "$(jq 'all(.[]; .ms % 10 == 0)' "$T/moments")" true "steps of 10 ms"
	expect_ge "$(jq '[.[].ms] | [.[1:], .[:-1]] | transpose | map(.[0] - .[1]) | max' \
		"$T/moments")" 980 "ms without a sample"
	expect_le "$(jq '.[-1].ms' "$T/moments")" "$(sum_get '.duration_s * 1000 | floor')" \
		"the last moment, of all ms"
	pmb_ok report -j --limit 0 --by time --sort time "$T/p.pb.gz"
	expect_eq "$(jq -c '[.rows[].name | split(" ")[0] | tonumber] | . == sort' "$T/out")" true \
		"rows by time"
	pmb_ok report --by thread "$T/p.pb.gz"
	expect_match "$T/out" '^# threads +of one name are one row' "threads that aren't told apart"
	# the same in perf's text, in seconds
	awk '/^[^\t]/ { print $3 * 1000 }' "$T/p.perf" | sort -n | uniq >"$T/perf"
	expect_eq "$(tail -n 1 "$T/perf")" "$(jq '.[-1].ms' "$T/moments")" "the last in perf's"
	range_in_pprof
	pmb_ok record -q --timeline=250ms -e cpu-clock -o "$T/q.pb.gz" -- "$WORKLOADS/split" 0.2
	pmb_ok report -j --by time "$T/q.pb.gz"
	expect_eq "$(jq '[.rows[].name | split(" ")[0] | tonumber] | all(. % 250 == 0)' "$T/out")" \
		true "steps of 250 ms"
}

# A range of time, in pprof's words.
range_in_pprof() {
	local unit=count
	command -v go >"$T/go" || return 0
	need_go
	pprof cpu-clock_sample -top -nodefraction=0 -nodecount=100000 \
		-tagfocus=time=500ms:10000s "$T/p.pb.gz" >"$T/go" || fail "go tool pprof"
	expect_match "$T/go" "^Showing nodes accounting for $(jq \
		'[.[] | select(.ms >= 500).n] | add' "$T/moments")," "samples of a range of time"
}

t_timeline_refused() {
	local words
	for words in "--timeline=0ms" "--timeline=1" "--timeline=9us" "--timeline=1500us" \
		"--timeline=20s" "--timeline=x" "--timeline --passes"; do
		# shellcheck disable=SC2086
		pmb record $words -e cpu-clock -- true
		[ "$words" != --timeline=1 ] || continue # a second
		expect_eq "$rc" 2 "$words"
		expect_match "$T/err" '^pmubpf: --timeline' "the sentence about $words"
	done
}

run_tests
