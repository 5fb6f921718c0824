#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Windows that are calls of Go's functions. The known answer stands in goroutines.go.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

N=100

setup() {
	need_root
	need_x86_64
	need_program go
	GO111MODULE=off GOCACHE=$T/cache go build -o "$S/prog" \
		"$TOP/tests/workloads/goroutines.go" 2>"$T/build" ||
		skip "go builds nothing here: $(head -n 1 "$T/build")"
}

record() { # FUNCTION OPTION…
	pmb_ok record --budget 0 -e cpu-clock -F 997 -o "$T/folded" --summary "$T/sum.json" \
		--window "u:$S/prog:main.$1" "${@:2}" -- "$S/prog" $N
	expect_ledger
}

windows() { # jq's FILTER of them
	sum_get ".windows | $1"
}

# What the program measured of itself.
own() { # slow|moved
	awk -v of="$1" '{ for (i = 1; i < NF; i++) if ($i == of) print $(i + 1) }' "$T/out"
}

folded_total() { awk '{ n += $NF } END { printf "%.0f\n", n }'; }

# Whatever thread they go on on, they end where they end. Of the slow ones all is kept, of the
# others nothing.
t_calls() {
	local kept
	record handle --longer 20ms
	expect_eq "$(windows '"\(.began) \(.ended) \(.nested) \(.abandoned) \(.open)"')" \
		"$((4 * N)) $((4 * N)) 0 0 0" "calls"
	[ "$(own moved)" -ge 1 ] || skip "no goroutine changed its thread here"
	kept=$(windows .kept)
	expect_ge "$kept" $((4 * N / 100)) "those that are slow"
	# which lie between the readings of its clock
	expect_le "$kept" "$(own slow)" "the program's own"
	expect_match "$T/folded" 'main.handle;main.slowPart;' "what is slow"
	# of 8 that are slow each sleeps until it has another thread
	expect_match "$T/err" "it is in no sample: cpu-clock's stand for [0-9]{1,2}\." \
		"what is in no sample"
	expect_no_match "$T/folded" 'main.(grow|careful)' "what is outside"
	# 20 us of each are its own, of 30 ms and more
	expect_le "$(grep 'main.handle;main.spin' "$T/folded" | folded_total)" \
		$(($(folded_total <"$T/folded") / 20)) "of the quick ones"
}

# Stacks are copied amid them: who begins again on a larger one was called once.
t_stacks_that_grow() {
	record grow
	expect_eq "$(windows '"\(.began) \(.ended) \(.nested) \(.abandoned) \(.open)"')" \
		"$((4 * N)) $((4 * N)) $((4 * N * 30)) 0 0" "calls"
	expect_ge "$(windows .hits)" $((4 * N * 31 * 2 + 1)) "hits, of which some begin again"
}

# What comes after a call that no exit left is outside, whoever is there, and as deep; what is in
# later calls is inside.
t_samples_after_calls_that_were_left() {
	local how calls
	for how in left ended exec; do
		pmb_ok record --budget 0 -e cpu-clock -F 2503 -o "$T/folded" \
			--summary "$T/sum.json" --window "u:$S/prog:main.broken" \
			-- "$S/prog" $how 40
		expect_ledger
		# of 200 ms and more: it first has to write over what was there
		expect_le "$(grep 'main.unrelated' "$T/folded" | folded_total)" 2000000 \
			"$how: samples outside of calls"
		expect_ge "$(grep 'main.broken;main.spin' "$T/folded" | folded_total)" \
			$((40 * 5000000 / 10)) "$how: samples of later calls"
		calls="80 40"
		[ $how != exec ] || calls="81 80"
		expect_eq "$(windows '"\(.began) \(.ended)"')" "$calls" "$how: calls"
	done
}

# There is room for 32,768; those of a process that has ended have none.
all_places_and_some() { # TURNS
	pmb_ok record --budget 0 -e cpu-clock -F 97 -o "$T/folded" --summary "$T/sum.json" \
		--window "u:$S/prog:main.broken" -- sh -c "'$S/prog' parked 33000
			for i in \$(seq $1); do sleep 0.5; '$S/prog' parked $((100 / $1)); done"
	began=$(windows .began)
}

t_places_of_ended_processes() {
	local began
	all_places_and_some 10
	# to look for them is dear where all are taken, and the next look waits for that long
	[ "$began" -ge 32769 ] || all_places_and_some 50
	expect_ge "$began" 32769 "calls"
	expect_eq $((began + $(windows .no_room))) 33100 "with those that had no room"
	expect_match "$T/err" "could not begin: more than 32768 goroutines" "a word"
}

# Nobody tells of a panic; the next call at the same place does.
t_calls_that_panics_leave() {
	local left=$((4 * (N / 3)))
	record risky
	expect_eq "$(windows .began)" $((4 * N)) "calls"
	expect_eq "$(windows .ended)" $((4 * N - left)) "that returned"
	expect_eq "$(windows '.abandoned + .open')" $left "that didn't"
}

count() { # --per|--window FUNCTION COMMAND…
	pmb_ok stat --json --budget 0 -e page-faults "$1" "u:$S/prog:main.$2" -o "$T/stat.json" \
		-- "${@:3}"
	jq -e . "$T/stat.json" >"$T/jq" || fail "no JSON: $(head -c 300 "$T/stat.json")"
}

units() { jq -r ".per | $1" "$T/stat.json"; }

of_each() { units ".series[] | select(.series == \"$1\") | $2"; } # SERIES FIGURE

# A page or two of its own the runtime needs itself amid them, the first time that it waits.
expect_runtime() { # GOT EXPECTED WHAT
	expect_ge "$1" "$2" "$3"
	expect_le "$1" $(($2 + 20)) "$3"
}

# Each goroutine's counts are its own, whatever others do on its thread meanwhile, and whatever
# thread it goes on on. On some hosts not every switch is told: these units are left out.
t_counts_of_calls() {
	count --per touched "$S/prog" faults $N
	expect_eq "$(units .began)" $((4 * N)) "calls"
	expect_eq "$(units '.ended + .unsure')" $((4 * N)) "calls that ended"
	expect_ge "$(units .ended)" $((4 * N * 9 / 10)) "those that are counted"
	expect_eq "$(of_each page-faults '"\(.p50) \(.p90) \(.p99)"')" "7 7 7" "faults of each"
	expect_runtime "$(of_each page-faults .sum)" $((7 * $(units .ended))) "faults of all"
	# it gives its thread up, and there are four others for it
	expect_ge "$(of_each no_thread .sum)" 1 "without a thread"
	expect_match "$T/stat.json" "main.touched is Go's: whenever any goroutine" "what it costs"
}

t_counts_inside_and_outside() {
	local inside others unsure
	count --window touched "$S/prog" faults $N
	inside=$(jq -r '.window.events[0].inside' "$T/stat.json")
	others=$(jq -r '.window.events[0].other_windows' "$T/stat.json")
	unsure=$(jq -r '.window.unsure' "$T/stat.json")
	expect_runtime "$inside" $((7 * (4 * N - unsure))) "inside"
	expect_le "$others" $((7 * unsure)) "of those that are unsure"
	expect_ge "$(jq -r '.window.events[0].outside' "$T/stat.json")" $((4 * N * 4)) "outside"
}

# A panic is seen where the goroutine goes on behind it, and a goroutine's end where the next one
# has its place: at once, so nothing of what follows is in a unit.
t_counts_of_calls_that_were_left() {
	local how left=$((4 * (N / 3)))
	count --per risky "$S/prog" $N
	expect_eq "$(units '"\(.began) \(.abandoned) \(.ended + .unsure)"')" \
		"$((4 * N)) $left $((4 * N - left))" "calls, of which panics leave a third"
	for how in left ended exec; do
		count --per broken "$S/prog" $how 40
		expect_le "$(units .ended)" 80 "$how: calls that returned"
		# 5 ms each; the same again comes behind those that were left
		expect_le "$(of_each on_cpu '.mean | floor')" 6500000 \
			"$how: of what follows nothing is inside"
	done
}

# Stacks are copied amid them, and what goes on is the same call.
t_counts_while_stacks_grow() {
	count --per grow "$S/prog" $N
	expect_eq "$(units '"\(.began) \(.ended + .unsure) \(.nested) \(.abandoned)"')" \
		"$((4 * N)) $((4 * N)) $((4 * N * 30)) 0" "calls"
}

# Go's own table of functions has their names, too; and what isn't in it is near.
t_of_a_stripped_program() {
	strip -o "$S/stripped" "$S/prog" || fail "strip"
	pmb_ok stat --json --budget 0 -e page-faults --per "u:$S/stripped:main.touched" \
		-o "$T/stat.json" -- "$S/stripped" faults $N
	expect_eq "$(units .began)" $((4 * N)) "calls"
	expect_eq "$(of_each page-faults .p50)" 7 "faults of each"
	expect_refused 2 "nearest: main.touched" stat -e page-faults --per "u:$S/stripped:touched" \
		-- "$S/stripped" faults 1
}

# One that is made for several types is written as Go's traces write it, or as the linker does.
t_functions_for_types() {
	expect_refused 2 "2 functions of the file are called 'main.first\[...\]'.*main.first\[go" \
		stat -e page-faults --per "u:$S/prog:main.first[...]" -- "$S/prog" faults 1
	expect_refused 2 "nearest: .*main.first\[" \
		stat -e page-faults --per "u:$S/prog:main.first" -- "$S/prog" faults 1
}

t_what_is_refused() {
	expect_refused 2 "leaves out --window-scope process" record -e cpu-clock \
		--window-scope process --window "u:$S/prog:main.handle" -- "$S/prog" 1
	expect_refused 2 "leaves out --window-scope process" stat --window-scope process \
		--window "u:$S/prog:main.handle" -e page-faults -- "$S/prog" 1
	expect_refused 2 "--unsafe-return-probe" record -e cpu-clock \
		--unsafe-return-probe --window "u:$S/prog:main.handle" -- "$S/prog" 1
	expect_refused 2 'nearest: main.handle' record -e cpu-clock --window "u:$S/prog:handle" \
		-- "$S/prog" 1
}

# From one function to another it is a thread's, with a word.
t_between_two() {
	record "handle..u:$S/prog:main.grow"
	expect_ge "$(windows .began)" 1 "windows between two"
	expect_match "$T/err" "main.handle is Go's: .* ends with another goroutine's" "a word"
}

run_tests
