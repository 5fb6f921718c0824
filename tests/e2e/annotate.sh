#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# pmubpf annotate: a function's lines and instructions, whose samples add up to the function's.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

SOURCE=$TOP/tests/workloads/lines.c

setup() {
	need_root
	need_program jq
	cp "$WORKLOADS/lines" "$S/lines"
	"$PMUBPF" record -q -e cpu-clock,page-faults/period=1/ -o "$S/p.pb.gz" -- "$S/lines" 1 \
		>"$S/touched" 2>"$T/err" || fail "record"
	[ -s "$S/touched" ] || fail "the workload said nothing"
}

annotate() { # OPTIONS… : JSON in $T/out
	[ -e "$S/p.pb.gz" ] || skip "nothing was recorded"
	pmb_ok annotate -j "$@"
}

# The samples of an event in a list of rows.
sum_of() { # LIST EVENT
	jq "[.$1[].events[] | select(.event == \"$2\").self.samples] | add // 0" "$T/out"
}

of_function() { # EVENT
	jq ".function.events[] | select(.event == \"$1\").self.samples" "$T/out"
}

# What report says of the function's own frame and of what was inlined into it, which is all there
# is of its instructions.
of_report() { # PROFILE EVENT FUNCTION…
	local profile=$1 event=$2 names
	shift 2
	names=$(printf '%s\n' "$@" | jq -R . | jq -s -c .)
	"$PMUBPF" report -j --limit 0 "$profile" | jq --arg e "$event" --argjson names "$names" \
		'[.rows[] | select(.name as $n | $names | index($n)) | .events[]
			| select(.event == $e).self.samples] | add'
}

expect_sums() { # EVENT: rows of both kinds add up to the function
	expect_eq "$(sum_of instructions "$1")" "$(of_function "$1")" "$1 of all instructions"
	expect_eq "$(sum_of lines "$1")" "$(of_function "$1")" "$1 of all lines"
}

instructions() { # [false]: how many rows the file says are some, or are none
	jq "[.instructions[] | select(.is_instruction == ${1:-true})] | length" "$T/out"
}

line_number() { # MARK
	grep -n "line: $1 " "$SOURCE" | cut -d: -f1
}

of_line() { # MARK EVENT
	jq --argjson n "$(line_number "$1")" --arg e "$2" \
		'[.lines[] | select(.line == $n).events[] | select(.event == $e).self.samples]
			| add // 0' "$T/out"
}

t_lines_and_instructions() {
	local event text spins
	annotate hot "$S/p.pb.gz"
	for event in cpu-clock page-faults; do
		expect_sums $event
		expect_eq "$(of_function $event)" \
			"$(of_report "$S/p.pb.gz" $event hot spin_inner spin_outer)" \
			"$event in report"
	done
	expect_eq "$(of_line touch page-faults)" "$(cat "$S/touched")" "page faults of their line"
	# what a page fault takes of that time differs by machine
	spins=$(of_line spin cpu-clock)
	expect_ge $((spins + $(of_line touch cpu-clock))) $((9 * $(of_function cpu-clock) / 10)) \
		"samples of the lines that burn and touch"
	expect_ge "$spins" $(($(of_function cpu-clock) / 2)) "samples of the line that burns"
	# exact: one instruction has all of them
	expect_eq "$(jq -c '[.instructions[].events[] | select(.event == "page-faults").self.samples
		| select(. > 0)]' "$T/out")" "[$(cat "$S/touched")]" "page faults by instruction"
	expect_eq "$(jq -c '[.events[] | {(.event): .nearness}] | add' "$T/out")" \
		'{"cpu-clock":"near","page-faults":"exact"}' "how near"
	text=$(jq -r '.lines[].source | strings | select(contains("line: spin"))' "$T/out")
	[ -n "$text" ] || fail "no source of the line that burns: $(jq -c .notes "$T/out")"
	expect_eq "$(jq -c '[.instructions[] | select((.source | tostring | contains("line: spin"))
		and .events != []).inlined] | unique' "$T/out")" \
		'[["spin_outer","spin_inner"]]' "calls that were inlined there"
}

t_text() {
	[ -e "$S/p.pb.gz" ] || skip "nothing was recorded"
	local sum
	pmb_ok annotate --all -e cpu-clock hot "$S/p.pb.gz"
	expect_match "$T/out" '^# function  hot$' "the header"
	expect_match "$T/out" '^# event     cpu-clock: .*; near: ' "the header"
	expect_match "$T/out" '\|\+> ' "the target of a jump"
	expect_match "$T/out" '  \(inlined: spin_inner in spin_outer\)$' "what was inlined"
	# the table of lines, "(all)", the instructions
	sum=$(awk '/ \(all\)$/ { all = $2 } /address and instruction/ { on = 1; next }
		on && $1 ~ /^[0-9.]+$/ && $2 ~ /^[0-9]+$/ { s += $2 }
		END { print s - all }' "$T/out")
	expect_eq "$sum" 0 "samples of rows, less those of the function"
	expect_no_match "$T/out" $'\033' "colours in a pipe"
	"$PMUBPF" annotate -e cpu-clock hot "$S/p.pb.gz" >"$T/short"
	expect_le "$(wc -l <"$T/short")" "$(wc -l <"$T/out")" "lines without --all"
}

# Two recordings of the same loop: each line's share is the same, as far as chance goes. (Which of
# two instructions of a short loop a timer finds differs from run to run.)
t_beside_perf() {
	need_program perf
	[ -e "$S/p.pb.gz" ] || skip "nothing was recorded"
	perf record -q -e cpu-clock:u -c 1013009 -o "$T/perf.data" -- "$S/lines" 1 \
		>/dev/null 2>&1 || skip "perf can't record here"
	perf annotate --stdio -i "$T/perf.data" -s hot --percent-type local-period \
		>"$T/perf.txt" 2>/dev/null
	sed -nE 's/^ *([0-9]+\.[0-9]+) +(:|│) +([0-9a-f]+):.*/\3 \1/p' "$T/perf.txt" >"$T/perf"
	[ -s "$T/perf" ] || skip "perf annotates nothing here"
	local n
	n=$(sed -nE 's/.*\(([0-9]+) samples.*/\1/p' "$T/perf.txt" | head -n 1)
	expect_ge "$n" 100 "perf's samples of the function"
	annotate hot "$S/p.pb.gz"
	jq -r '.instructions[] | "\(.address) \(.line) \([.events[]
		| select(.event == "cpu-clock").self.samples] | add // 0)"' "$T/out" >"$T/ours"
	awk -v n="$n" -v m="$(of_function cpu-clock)" '
		function hex(s, v, i) {
			for (i = 1; i <= length(s); i++)
				v = 16 * v + index("0123456789abcdef", substr(s, i, 1)) - 1
			return v
		}
		FNR == NR { line[$1] = $2; ours[$2] += $3 / m; next }
		!(hex($1) in line) { print "no instruction of ours is at " $1; bad = 1 }
		{ perf[line[hex($1)]] += $2 / 100 }
		END { for (l in perf) {
			p = (perf[l] * n + ours[l] * m) / (n + m); d = perf[l] - ours[l]
			s = sqrt(p * (1 - p) * (1 / n + 1 / m)) + 0.002
			if (d > 5 * s || -d > 5 * s) {
				printf "line %d: perf %.3f, ours %.3f\n", l, perf[l], ours[l]
				bad = 1
			}
			checked++ }
		exit bad || checked < 3 }' "$T/ours" "$T/perf" >"$T/differences" ||
		fail "beside perf: $(head -n 1 "$T/differences")"
}

t_the_file_has_changed() {
	[ -e "$S/p.pb.gz" ] || skip "nothing was recorded"
	mkdir "$T/old"
	cp "$S/lines" "$T/prog"
	pmb_ok record -q -e cpu-clock -o "$T/p.pb.gz" -- "$T/prog" 0.3
	mv "$T/prog" "$T/old/elsewhere"
	cp "$WORKLOADS/split" "$T/prog"
	annotate hot "$T/p.pb.gz"
	expect_match "$T/out" 'the file has changed since' "what is noted"
	expect_eq "$(instructions)" 0 "instructions of another file"
	expect_sums cpu-clock
	rm "$T/prog"
	annotate hot "$T/p.pb.gz"
	expect_match "$T/out" 'No such file' "what is noted without it"
	expect_sums cpu-clock
	annotate --symbols "$T/old" hot "$T/p.pb.gz"
	expect_ge "$(instructions)" 5 "instructions of the old one"
	expect_eq "$(instructions false)" 0 "samples between instructions"
	expect_sums cpu-clock
}

t_without_the_library() {
	[ -e "$S/p.pb.gz" ] || skip "nothing was recorded"
	local libs
	libs=$(ldconfig -p | sed -n 's/.* => \(.*libcapstone\.so\..*\)/\1/p')
	[ -n "$libs" ] || skip "there is no capstone"
	# shellcheck disable=SC2016
	LIBS=$libs unshare -m sh -c 'for l in $LIBS; do mount --bind /dev/null "$l" || exit 9; done
		exec "$@"' - "$PMUBPF" annotate -j hot "$S/p.pb.gz" >"$T/out" 2>"$T/err"
	expect_eq $? 0 "exit status"
	expect_match "$T/out" 'libcapstone' "what is noted"
	expect_eq "$(jq '[.instructions[].text] | unique | length' "$T/out")" 1 "texts"
	expect_eq "$(of_line touch page-faults)" "$(cat "$S/touched")" "page faults of their line"
	expect_sums cpu-clock
}

# Debug information can name any file as source.
t_sources_that_the_caller_may_not_read() {
	need_program gcc
	[ -e "$S/p.pb.gz" ] || skip "nothing was recorded"
	local name
	echo "root:not-for-everybody" >"$T/secret"
	chmod 600 "$T/secret"
	mkfifo "$T/fifo"
	mkdir -m 700 "$T/closed"
	echo "not-for-everybody" >"$T/closed/in.c" # its folder isn't
	chmod 644 "$T/closed/in.c"
	for name in "$T/secret" "$T/closed/in.c" /etc/shadow "$T/fifo" /dev/zero \
		/proc/self/environ "$T/gone.c"; do
		cat >"$T/odd.c" <<-C
			int main(void)
			{
			#line 1 "$name"
			for (volatile unsigned i = 0; i < 30000000; i++);
			return 0;
			}
		C
		gcc -g -O1 -o "$T/odd" "$T/odd.c" || fail "gcc"
		pmb_ok record -q -e cpu-clock -o "$T/p.pb.gz" -- "$T/odd"
		SUDO_UID=65534 SUDO_GID=65534 timeout 20 "$PMUBPF" annotate main "$T/p.pb.gz" \
			>"$T/out" 2>"$T/err"
		expect_eq $? 0 "exit status with $name: $(cat "$T/err")"
		expect_match "$T/out" "^# note      source $name: " "the note"
		expect_no_match "$T/out" 'root:|not-for-everybody|PATH=' "a line of $name"
		[ "$name" != "$T/closed/in.c" ] || continue
		annotate main "$T/p.pb.gz" # root itself: not what isn't for everybody
		expect_no_match "$T/out" 'root:|not-for-everybody|PATH=' "a line of $name for root"
	done
	chmod 644 "$T/secret"
	gcc -g -O1 -x c -o "$T/odd" - <<-C || fail "gcc"
		#line 1 "$T/secret"
		int main(void) { for (volatile unsigned i = 0; i < 30000000; i++); return 0; }
	C
	pmb_ok record -q -e cpu-clock -o "$T/p.pb.gz" -- "$T/odd"
	annotate main "$T/p.pb.gz"
	expect_match "$T/out" 'not-for-everybody' "what everybody may read"
}

# Symbols of any size, files that end early: nothing is lost, and it ends.
t_hostile_files() {
	need_program python3
	[ -e "$S/p.pb.gz" ] || skip "nothing was recorded"
	local size what
	size=$(stat -c %s "$S/lines")
	mkdir "$T/d"
	for what in huge tiny cut-3/4 cut-1/2 cut-1/8 empty; do
		case $what in
		huge) patch_size hot $((1 << 50)) ;;
		tiny) patch_size hot 3 ;;
		cut-*) head -c $((size * ${what#cut-})) "$S/lines" >"$T/d/lines" ;;
		empty) : >"$T/d/lines" ;;
		esac
		timeout 60 "$PMUBPF" annotate -j --symbols "$T/d" hot "$S/p.pb.gz" \
			>"$T/out" 2>"$T/err"
		expect_eq $? 0 "exit status with $what: $(cat "$T/err")"
		expect_sums cpu-clock
		expect_sums page-faults
		expect_le "$(jq '.instructions | length' "$T/out")" 270000 "rows of $what"
	done
}

# The size of a symbol in .symtab of a copy.
patch_size() { # NAME SIZE
	python3 - "$S/lines" "$T/d/lines" "$1" "$2" <<-'PYTHON'
		import struct, sys
		b = bytearray(open(sys.argv[1], "rb").read())
		shoff, = struct.unpack_from("<Q", b, 40)
		entsize, n = struct.unpack_from("<HH", b, 58)
		layout = "<IIQQQQIIQQ"
		sections = [struct.unpack_from(layout, b, shoff + i * entsize) for i in range(n)]
		done = 0
		for s in sections:
		    if s[1] != 2:
		        continue
		    names = sections[s[6]]
		    for at in range(s[4], s[4] + s[5], 24):
		        name, = struct.unpack_from("<I", b, at)
		        end = b.index(0, names[4] + name)
		        if b[names[4] + name:end].decode() == sys.argv[3]:
		            struct.pack_into("<Q", b, at + 16, int(sys.argv[4]))
		            done += 1
		assert done == 1
		open(sys.argv[2], "wb").write(b)
	PYTHON
}

encode() { # FILE: from the text on standard input
	need_program protoc
	protoc --proto_path="$TOP/user" --encode=pmb.pprof.Profile prof/profile.proto |
		gzip -n >"$1"
	[ "${PIPESTATUS[0]}" -eq 0 ] || fail "protoc"
}

# Addresses where no code is, of a file that is there.
t_forged_addresses() {
	encode "$T/p.pb.gz" <<-TEXT
		string_table: "" string_table: "cycles" string_table: "count" string_table: "hot"
		string_table: "$S/lines"
		sample_type { type: 1 unit: 2 }
		mapping { id: 1 memory_limit: 18446744073709551615 filename: 4 }
		function { id: 1 name: 3 }
		location { id: 1 mapping_id: 1 address: 18446744073709551615
			line { function_id: 1 line: 9223372036854775807 } }
		location { id: 2 mapping_id: 1 address: 1 line { function_id: 1 line: -5 } }
		location { id: 3 mapping_id: 1 address: 4097 line { function_id: 1 } }
		sample { location_id: 1 value: 10 } sample { location_id: 2 value: 20 }
		sample { location_id: 3 value: 30 }
	TEXT
	pmb_ok annotate -j hot "$T/p.pb.gz"
	expect_eq "$(jq '[.instructions[].events[].self[]] | add' "$T/out")" 60 "values of all rows"
	expect_match "$T/out" 'no build-id' "what is noted"
}

t_which_function() {
	encode "$T/p.pb.gz" <<-TEXT
		string_table: "" string_table: "cycles" string_table: "count" string_table: "work"
		string_table: "/lib/a.so" string_table: "/lib/b.so" string_table: "0123456789abcdef"
		string_table: "outer" string_table: "within"
		sample_type { type: 1 unit: 2 }
		mapping { id: 1 memory_start: 4096 memory_limit: 8192 filename: 4 }
		mapping { id: 2 memory_start: 4096 memory_limit: 8192 filename: 5 build_id: 6 }
		function { id: 1 name: 3 } function { id: 2 name: 7 }
		function { id: 3 name: 8 }
		location { id: 1 mapping_id: 1 address: 5000 line { function_id: 1 } }
		location { id: 2 mapping_id: 2 address: 5000 line { function_id: 1 } }
		location { id: 3 mapping_id: 1 address: 6000
			line { function_id: 3 } line { function_id: 2 } }
		sample { location_id: 1 value: 10 } sample { location_id: 2 value: 20 }
		sample { location_id: 3 value: 7 }
	TEXT
	pmb annotate work "$T/p.pb.gz"
	expect_eq "$rc" 2 "status where two are called so"
	expect_match "$T/err" '^  work  /lib/b.so  0123456789ab  20 cycles' "the list"
	expect_match "$T/err" '^  work  /lib/a.so  10 cycles' "the list"
	for which in /lib/b.so b.so 01234567; do
		pmb_ok annotate --file $which work "$T/p.pb.gz"
		expect_match "$T/out" '^# event     cycles: 20 ' "$which"
	done
	pmb annotate --file c.so work "$T/p.pb.gz"
	expect_eq "$rc" 2 "status of a file that isn't there"
	pmb annotate within "$T/p.pb.gz"
	expect_match "$T/err" "was inlined into outer; annotate that" "a function without code"
	pmb_ok annotate outer "$T/p.pb.gz"
	expect_match "$T/out" 'cycles: 7 .*100.00 % of it in what was inlined' "its host"
	pmb annotate wrok "$T/p.pb.gz"
	expect_eq "$rc" 2 "status of a name that isn't there"
	expect_match "$T/err" 'near: work' "what is near"
	pmb annotate work
	expect_eq "$rc" 2 "status without a profile"
}

# What report calls "[file]" is code too, and the table for unwinding says where its functions are.
t_without_names() {
	local address whole
	strip -o "$T/bare" "$WORKLOADS/lines"
	pmb_ok record -q -e cpu-clock -o "$T/p.pb.gz" -- "$T/bare" 1
	whole=$(of_report "$T/p.pb.gz" cpu-clock '[bare]')
	annotate '[bare]' "$T/p.pb.gz"
	expect_eq "$(of_function cpu-clock)" "$whole" "samples, and those of report's row"
	expect_sums cpu-clock
	expect_eq "$(jq -r '.function.name, .function.module' "$T/out" | tr '\n' ' ')" \
		"[bare] $T/bare " "what it is called"
	expect_ge "$(instructions)" 10 "instructions"
	expect_le "$(instructions false)" 2 "rows without one"
	address=$(jq -r '.instructions | max_by(.events[0].self.samples // 0).address' "$T/out")
	annotate "$(printf '[bare]+0x%x' "$address")" "$T/p.pb.gz"
	expect_sums cpu-clock
	expect_ge "$(of_function cpu-clock)" "$((whole / 2))" "samples of the hot function"
	expect_eq "$(jq --argjson a "$address" \
		'[.instructions[] | select(.address == $a)] | length' "$T/out")" \
		1 "the address among its instructions"
	pmb annotate '[bear]' "$T/p.pb.gz"
	expect_eq "$rc" 2 "exit status of what isn't there"
	expect_match "$T/err" 'as \[FILE\] or \[FILE\]\+0xADDRESS$' "what can be asked for"
	# where its file is gone there are addresses
	rm "$T/bare"
	annotate '[bare]' "$T/p.pb.gz"
	expect_sums cpu-clock
	expect_eq "$(instructions)" 0 "instructions of a file that is gone"
}

# Overloads have one name, and code each.
t_overloads() {
	encode "$T/p.pb.gz" <<-TEXT
		string_table: "" string_table: "cycles" string_table: "count"
		string_table: "Shop::total"
		string_table: "_ZN4Shop5totalEi" string_table: "_ZN4Shop5totalEd"
		string_table: "_ZN4Shop5totalEd.part.0" string_table: "/lib/a.so"
		sample_type { type: 1 unit: 2 }
		mapping { id: 1 memory_start: 4096 memory_limit: 8192 filename: 7 }
		function { id: 1 name: 3 system_name: 4 } function { id: 2 name: 3 system_name: 5 }
		function { id: 3 name: 3 system_name: 6 }
		location { id: 1 mapping_id: 1 address: 5000 line { function_id: 1 } }
		location { id: 2 mapping_id: 1 address: 6000 line { function_id: 2 } }
		location { id: 3 mapping_id: 1 address: 7000 line { function_id: 3 } }
		sample { location_id: 1 value: 10 } sample { location_id: 2 value: 20 }
		sample { location_id: 3 value: 3 }
	TEXT
	for which in Shop::total 'Shop::total(int)'; do
		pmb annotate "$which" "$T/p.pb.gz"
		expect_eq "$rc" 2 "status of $which"
		expect_match "$T/err" '^  Shop::total  _ZN4Shop5totalEi  /lib/a.so  10 cycles' "one"
		expect_match "$T/err" '^  Shop::total  _ZN4Shop5totalEd  /lib/a.so  23 cycles' \
			"the other, with its part"
	done
	pmb_ok annotate _ZN4Shop5totalEi "$T/p.pb.gz"
	expect_match "$T/out" '^# event     cycles: 10 ' "one by the linker's name"
	pmb_ok annotate _ZN4Shop5totalEd "$T/p.pb.gz"
	expect_match "$T/out" '^# event     cycles: 23 ' "the other"
	pmb annotate total "$T/p.pb.gz"
	expect_match "$T/err" 'near: Shop::total' "a name without its class"
}

# In C, parts have names of their own.
t_parts_in_c() {
	encode "$T/p.pb.gz" <<-TEXT
		string_table: "" string_table: "cycles" string_table: "count" string_table: "work"
		string_table: "work.part.0" string_table: "/lib/a.so"
		sample_type { type: 1 unit: 2 }
		mapping { id: 1 memory_start: 4096 memory_limit: 8192 filename: 5 }
		function { id: 1 name: 3 system_name: 3 } function { id: 2 name: 4 system_name: 4 }
		location { id: 1 mapping_id: 1 address: 5000 line { function_id: 1 } }
		location { id: 2 mapping_id: 1 address: 6000 line { function_id: 2 } }
		sample { location_id: 1 value: 10 } sample { location_id: 2 value: 20 }
	TEXT
	pmb_ok annotate work "$T/p.pb.gz"
	expect_match "$T/out" '^# event     cycles: 10 ' "the function"
	pmb_ok annotate work.part.0 "$T/p.pb.gz"
	expect_match "$T/out" '^# event     cycles: 20 ' "its part"
}

# One function, though not of each instruction the source is known.
t_a_source_in_parts() {
	encode "$T/p.pb.gz" <<-TEXT
		string_table: "" string_table: "cycles" string_table: "count" string_table: "lookup"
		string_table: "rs.rs" string_table: "/lib/a.so"
		sample_type { type: 1 unit: 2 }
		mapping { id: 1 memory_start: 4096 memory_limit: 8192 filename: 5 }
		function { id: 1 name: 3 } function { id: 2 name: 3 filename: 4 }
		location { id: 1 mapping_id: 1 address: 5000 line { function_id: 1 } }
		location { id: 2 mapping_id: 1 address: 5004 line { function_id: 2 line: 7 } }
		sample { location_id: 1 value: 10 } sample { location_id: 2 value: 20 }
	TEXT
	pmb_ok annotate lookup "$T/p.pb.gz"
	expect_match "$T/out" '^# event     cycles: 30 ' "all of it"
	pmb_ok annotate --file rs.rs lookup "$T/p.pb.gz"
	expect_match "$T/out" '^# event     cycles: 30 ' "all of it, by its source"
}

# Two events that make a ratio, of a file that is there; one sample was in a container.
t_ratios_and_containers() {
	local address
	[ -e "$S/p.pb.gz" ] || skip "nothing was recorded"
	annotate hot "$S/p.pb.gz"
	address=$(jq '[.instructions[] | select(.events != [])][0].address' "$T/out")
	by_hand() { # LABEL
		encode "$T/p.pb.gz" <<-TEXT
			string_table: "" string_table: "cycles_sample" string_table: "cycles_event"
			string_table: "insts_sample" string_table: "insts_event"
			string_table: "count" string_table: "hot" string_table: "$S/lines"
			string_table: "container" string_table: "web"
			sample_type { type: 1 unit: 5 } sample_type { type: 2 unit: 5 }
			sample_type { type: 3 unit: 5 } sample_type { type: 4 unit: 5 }
			mapping { id: 1 memory_limit: 1048576 filename: 7 }
			function { id: 1 name: 6 }
			location { id: 1 mapping_id: 1 address: $address line { function_id: 1 } }
			sample { location_id: 1 value: [200, 2000, 100, 1000] ${1:-} }
		TEXT
	}
	by_hand
	pmb_ok annotate hot "$T/p.pb.gz"
	expect_match "$T/out" '2\.00 \[1\.[0-9]+ 2\.[0-9]+\]  +[0-9a-f]+ ' \
		"the ratio of an instruction"
	expect_match "$T/out" 'lines\.c:[0-9]+  ' "its source"
	by_hand 'label { key: 8 str: 9 }'
	pmb_ok annotate hot "$T/p.pb.gz"
	expect_match "$T/out" 'lines\.c: of a container: --source DIR' "the note"
	expect_no_match "$T/out" 'fresh|rounds' "source of a container"
	pmb_ok annotate --source "$TOP" hot "$T/p.pb.gz"
	expect_match "$T/out" 'fresh|rounds' "source in a folder that was named"
}

t_colours_on_a_terminal() {
	need_program script
	[ -e "$S/p.pb.gz" ] || skip "nothing was recorded"
	script -qec "'$PMUBPF' annotate hot '$S/p.pb.gz'" /dev/null </dev/null >"$T/out"
	expect_match "$T/out" $'\033\\[31m' "colours of hot rows"
	NO_COLOR=1 script -qec "'$PMUBPF' annotate hot '$S/p.pb.gz'" /dev/null \
		</dev/null >"$T/out"
	expect_no_match "$T/out" $'\033' "colours with NO_COLOR"
}

# A function of the kernel with samples, of which its symbols have one only.
hot_in_kernel() {
	local name
	"$PMUBPF" record -q -e cpu-clock -o "$S/k.pb.gz" -- "$WORKLOADS/troubles" calls 500 \
		2>"$T/err" || fail "record"
	"$PMUBPF" report -j "$S/k.pb.gz" |
		jq -r '.rows[] | select(.module == "[kernel.kallsyms]")
			| select(.events[0].self.samples > 0)
			| select(.name | startswith("[") | not).name' >"$T/names"
	while read -r name; do
		grep -cE "^[0-9a-f]+ [tTwW] $name(\$|	)" /proc/kallsyms >"$T/n"
		[ "$(cat "$T/n")" = 1 ] || continue
		echo "$name"
		return
	done <"$T/names"
}

# The code of a JIT is in its dump: a loop of two instructions, and what returns.
t_jitdump() {
	spawn "$WORKLOADS/jit" 20 dump
	local dump=/tmp/jit-$spawned.dump
	later rm -f "$dump"
	wait_until test -s "$dump" || fail "no dump"
	"$PMUBPF" record -q -e cpu-clock -p "$spawned" -d 0.5 -o "$T/jit.pb.gz" 2>"$T/err" ||
		fail "record"
	annotate dumped_loop "$T/jit.pb.gz"
	expect_match "$T/out" 'no instructions; --jitdump FILE has' "what is noted without the dump"
	expect_eq "$(sum_of lines cpu-clock)" "$(of_function cpu-clock)" "all lines"
	annotate --jitdump "$dump" --all dumped_loop "$T/jit.pb.gz"
	expect_sums cpu-clock
	expect_eq "$(instructions)" 3 "instructions"
	expect_eq "$(instructions false)" 0 "samples amid instructions"
	# of another process, of none; of a function that is a file's
	head -c 40 "$dump" >"$T/empty.dump"
	annotate --jitdump "$T/empty.dump" dumped_loop "$T/jit.pb.gz"
	expect_match "$T/out" 'the dump has no code at the addresses' "of an empty dump"
	echo nothing >"$T/none.dump"
	annotate --jitdump "$T/none.dump" dumped_loop "$T/jit.pb.gz"
	expect_match "$T/out" 'none.dump: it is no jitdump' "what is noted of what is none"
	pmb annotate --jitdump "$dump" call_jit "$T/jit.pb.gz"
	expect_eq "$rc" 2 "a function of a file"
}

# Nothing, an empty file, a kernel that isn't the one.
t_kernel_functions() {
	local name
	name=$(hot_in_kernel)
	[ -n "$name" ] || skip "no sample is of the kernel"
	annotate "$name" "$S/k.pb.gz"
	expect_match "$T/out" '/proc/kcore' "what is noted"
	expect_sums cpu-clock
	need_program protoc
	gzip -dc "$S/k.pb.gz" | protoc --proto_path="$TOP/user" --decode=pmb.pprof.Profile \
		prof/profile.proto | sed 's/"kernel build-id: .*"/"kernel build-id: 1234"/' |
		encode "$T/other.pb.gz"
	annotate "$name" "$T/other.pb.gz"
	expect_match "$T/out" 'of another kernel' "what is noted"
	expect_sums cpu-clock
}

# A kcore in which that function calls another one, jumps to its beginning, and does nothing else.
make_kcore() { # NAME
	python3 - "$1" "$T/kcore" <<-'PYTHON'
		import struct, sys
		symbols = []
		for line in open("/proc/kallsyms"):
		    address, kind, name = line.split()[:3]
		    if kind in "tTwW":
		        symbols.append((int(address, 16), name))
		start = [a for a, n in symbols if n == sys.argv[1]][0]
		size = min(a for a, n in symbols if a > start) - start
		other = [a for a, n in symbols if n == "schedule"][0]
		code = bytearray(b"\x90" * size)
		code[:5] = b"\xe8" + struct.pack("<i", other - start - 5)
		code[5:7] = b"\xeb\xf9"
		head = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
		head += struct.pack("<HHIQQQI", 4, 62, 1, 0, 64, 0, 0)
		head += struct.pack("<6H", 64, 56, 1, 0, 0, 0)
		head += struct.pack("<IIQQQQQQ", 1, 5, 4096, start, 0, size, size, 4096)
		open(sys.argv[2], "wb").write(head.ljust(4096, b"\0") + code)
	PYTHON
}

with_kcore() { # ARG…
	SHIM_KCORE=$T/kcore SHIM_SEEN=$T/seen LD_PRELOAD=$S/kcore.so \
		"$PMUBPF" annotate -j "$@" >"$T/out" 2>"$T/err"
	rc=$?
}

t_instructions_of_the_kernel() {
	local name
	[ "$(uname -m)" = x86_64 ] || skip "the code made here is x86's"
	grep -qE '^[0-9a-f]*[1-9a-f][0-9a-f]* T schedule$' /proc/kallsyms ||
		skip "no addresses"
	name=$(hot_in_kernel)
	[ -n "$name" ] || skip "no sample is of the kernel"
	make_kcore "$name"
	gcc -std=gnu11 -D_GNU_SOURCE -O1 -shared -fPIC -o "$S/kcore.so" \
		"$TOP/tests/shims/kcore.c" ||
		fail "cannot build kcore.so"
	with_kcore "$name" "$S/k.pb.gz"
	expect_eq "$rc" 0 "exit status: $(cat "$T/err")"
	expect_sums cpu-clock
	expect_eq "$(jq -r .function.read "$T/out")" /proc/kcore "what was read"
	expect_ge "$(instructions)" 3 "instructions"
	expect_eq "$(jq -c '.instructions[:2] | map(.address)' "$T/out")" '[0,5]' "distances"
	expect_eq "$(jq -c '.instructions[:2] | map(.target)' "$T/out")" '[null,0]' targets
	[ ! -e "$T/seen" ] || fail "a helper got a descriptor of it"
	if ldconfig -p | grep -q 'libcapstone\.so\.[45]'; then
		expect_eq "$(jq -r '.instructions[0].text' "$T/out")" 'callq <schedule>' "a call"
		expect_eq "$(jq -r '.instructions[1].text' "$T/out")" 'jmp 0x0' "a jump"
	fi
	# where things are in memory isn't said
	expect_no_match "$T/out" 'ffffffff[89a-f]' "addresses of this boot"
	SUDO_UID=65534 SUDO_GID=65534 with_kcore "$name" "$S/k.pb.gz"
	expect_ge "$(instructions)" 3 "instructions for who called sudo"
	printf 'no core' >"$T/kcore"
	with_kcore "$name" "$S/k.pb.gz"
	expect_match "$T/out" "/proc/kcore doesn't have the function" "what is noted"
	expect_sums cpu-clock
	rm "$T/kcore"
	with_kcore "$name" "$S/k.pb.gz"
	expect_match "$T/out" "which this one doesn't have" "what is noted without it"
	ln -s kcore "$T/kcore" # what can't be opened
	with_kcore "$name" "$S/k.pb.gz"
	expect_match "$T/out" "isn't allowed [(].*[)]: it takes root" "what is noted"
}

t_code_of_a_jit() {
	need_root
	pmb_ok record -q -e cpu-clock -o "$T/p.pb.gz" -- "$WORKLOADS/jit" 0.5
	annotate jit_loop "$T/p.pb.gz"
	expect_match "$T/out" 'code of a JIT' "what is noted"
	expect_eq "$(jq '.instructions | length' "$T/out")" 0 "instructions"
	expect_ge "$(of_function cpu-clock)" 100 "its samples"
	expect_eq "$(sum_of lines cpu-clock)" "$(of_function cpu-clock)" "samples of all lines"
}

t_python() {
	local python
	need_root
	python=$(command -v python3) || skip "no python3"
	cat >"$T/burn.py" <<-'PYTHON'
		def burn(n):
		    x = 0
		    for i in range(n):
		        x += i * i  # hot
		    return x

		for _ in range(40):
		    burn(200000)
	PYTHON
	pmb_ok record -q -e cpu-clock -o "$T/p.pb.gz" -- "$python" "$T/burn.py"
	pmb annotate -j burn "$T/p.pb.gz"
	[ "$rc" = 0 ] || skip "this python's functions are not known"
	expect_eq "$(jq '.instructions | length' "$T/out")" 0 "instructions"
	expect_eq "$(sum_of lines cpu-clock)" "$(of_function cpu-clock)" "samples of all lines"
	expect_eq "$(of_function cpu-clock)" "$(of_report "$T/p.pb.gz" cpu-clock burn)" \
		"those in report"
	pmb_ok annotate --source "$T" burn "$T/p.pb.gz"
	expect_match "$T/out" 'burn.py:4 .*# hot' "its line"
}

run_tests
