#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What programs can have too much of, each alone within its limit: names, files that take time,
# rules of unwind tables. There is a budget for all of it together. After each the same is asked as
# in hostile.sh, and that the others are seen as without.
# long
# shellcheck source=tests/e2e/hostile_lib.sh
. "$(dirname "$0")/hostile_lib.sh"

OUTPUT_BYTES=20000000

expect_within_budgets() {
	expect_unhurt 98304
	expect_le "$(figure main_anon_kb)" 65536 "kB, the main process's own memory at its peak"
	expect_le "$(stat -c %s "$T/folded")" "$OUTPUT_BYTES" "bytes of output"
}

# ---------------------------------------------------------------- names and output

# 4 × 256 names of 4,090 bytes, in stacks of 120 frames that are met once.
t_names_of_4090_bytes() {
	spawn "$WORKLOADS/longnames" 60 4
	forget_maps_of "$spawned" 4
	# shellcheck disable=SC2046 # several
	meanwhile stop_after 0.2 $(children "$spawned")
	hurt -a --max-memory 32M -F 3999 -d 1
	expect_within_budgets
	expect_ge "$(sum_get .output.lines_in_other)" 1 "lines that did not fit"
	expect_match "$T/folded" '^longnames;\[other\] ' "where they went"
	expect_match "$T/folded" ';nnn[^;]*\[cut:[0-9a-f]*\]_\[j\];' "names that were cut"
	expect_le "$(awk '{ n = split($0, f, ";"); for (i = 1; i <= n; i++) if (length(f[i]) > m) m = length(f[i]) }
		END { print m }' "$T/folded")" 1100 "bytes of a frame"
}

t_the_same_in_all_formats() {
	local file size
	spawn "$WORKLOADS/longnames" 60 4
	forget_maps_of "$spawned" 4
	# shellcheck disable=SC2046 # several
	meanwhile stop_after 0.2 $(children "$spawned")
	hurt -p "$(children "$spawned" | xargs | tr " " ,)" --max-memory 8M -F 3999 -d 1 \
		-o "$T/p.html" -o "$T/p.json" -o "$T/p.pb.gz" -o "$T/p.perf"
	expect_unhurt
	expect_ge "$(sum_get .output.lines_in_other)" 1 "lines that did not fit"
	for file in folded p.json p.pb.gz p.perf; do
		expect_le "$(stat -c %s "$T/$file")" 4194304 "bytes of $file"
	done
	expect_le "$(stat -c %s "$T/p.html")" $((4194304 + $(page_bytes))) "bytes of the picture"
	pmb_ok report --folded -o "$T/again" "$T/p.pb.gz"
	expect_eq "$(folded_sum "$T/again")" "$(sum_weight)" "Σ of what is in the pprof file"
	# little more than lets it be read: names stand once in there
	size=$(($(zcat "$T/p.pb.gz" | wc -c) / 512))
	pmb_ok report --folded --max-size "${size}K" -o "$T/again" "$T/p.pb.gz"
	expect_eq "$(folded_sum "$T/again")" "$(sum_weight)" "Σ of what is in the pprof file"
	expect_le "$(stat -c %s "$T/again")" $((4 * 1024 * size)) "bytes of it as folded stacks"
	expect_match "$T/err" 'rarest stacks did not fit into [0-9.]* MB' "that they are cut"
}

# 3,000 stacks of 60 frames: little in the file, where each name stands once, and much in rows.
many_stacks() {
	awk 'BEGIN {
		printf "string_table: [\"\", \"cycles\", \"count\""
		for (f = 1; f <= 64; f++) printf ", \"with_a_long_name_and_number_%d\"", f
		print "]\nsample_type { type: 1 unit: 2 }"
		for (f = 1; f <= 64; f++) {
			print "function { id: " f " name: " f + 2 " }"
			print "location { id: " f " line { function_id: " f " } }"
		}
		for (s = 0; s < 3000; s++) {
			printf "sample {"
			for (i = 0; i < 60; i++) printf " location_id: %d", 1 + int(64 * rand())
			print " value: 1 }"
		}
	}' | protoc --proto_path="$TOP/user" --encode=pmb.pprof.Profile prof/profile.proto | gzip -n
}

t_rows_of_reports() {
	need_program protoc
	local how
	many_stacks >"$T/p.pb.gz"
	for how in 'report --tree' 'report --json --tree' 'report --csv --tree' \
		"diff --json --stacks $T/p.pb.gz" "diff --stacks $T/p.pb.gz" \
		"diff --folded $T/p.pb.gz"; do
		# shellcheck disable=SC2086
		pmb_ok $how --limit 0 --min-share 0 --max-size 1M -o "$T/rows" "$T/p.pb.gz"
		expect_le "$(stat -c %s "$T/rows")" 4200000 "bytes of $how"
		expect_match "$T/err" 'the last [0-9]+ rows did not fit into 4.2 MB' "$how"
		[[ $how != *json* ]] || jq . "$T/rows" >/dev/null || fail "$how is no JSON"
	done
	# which has lines that no other output shows
	pmb_ok diff --folded --min-share 50 --max-size 1M -o "$T/rows" "$T/p.pb.gz" "$T/p.pb.gz"
	expect_match "$T/err" 'the last [0-9]+ rows did not fit into 4.2 MB' "diff --folded"
}

page_bytes() {
	cat "$O"/gen/page/*.html 2>/dev/null | wc -c
}

# ---------------------------------------------------------------- time for names

# 28 kB on the disk each, that claim 4 GiB of tables.
t_twelve_files_of_holes() {
	need_program python3
	local i
	python3 "$TOP/tests/workloads/hostile_elf.py" sparse "$WORKLOADS/split" "$T/holes" ||
		fail "the generator"
	chmod 755 "$T/holes"
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		cp --sparse=always "$T/holes" "$T/holes$i"
	done
	spawn "$WORKLOADS/inlined" 60
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		spawn "$T/holes$i" 60 >/dev/null
	done
	# they only have to be sampled; what they claim to have is looked at when that is over
	meanwhile kill -STOP "${SPAWNED[@]}"
	hurt -a --max-memory 32M -d 1
	expect_within_budgets
	expect_le "$(figure helper_kb)" "$HELPER_KB" "kB, the helper at its peak"
	expect_match "$T/folded" '^inlined;.*;?leaf_spin ' "names of an innocent program"
	expect_match "$T/folded" '^holes12;' "samples of the last one"
}

# For when a recording is over: programs that run slow files only have to be there then, and others
# have the CPUs.
stop_programs_of() { # SECONDS PID of who serves the files, …
	sleep "$1"
	shift
	pkill -STOP -P "$(IFS=, && echo "$*")" '^file'
}

# Six whose file system takes 0.4 s for 4 KiB: what is heaviest is asked first, but the others have
# their turn before any of them is waited for. Who waits no more gets what there is.
t_files_that_are_read_slowly() {
	need_root
	[ -e /dev/fuse ] || skip "no FUSE here"
	mkdir "$T/mount"
	spawn unshare -m "$WORKLOADS/fusehang" slow "$T/mount" 6 400 "$WORKLOADS/split" 60
	local attacker=$spawned
	# lighter than all of them
	spawn sh -c 'while :; do "$0" 0.02; sleep 0.2; done' "$WORKLOADS/inlined" >/dev/null
	wait_until has_children "$attacker" 7 || skip "no such file system here"
	sleep 1
	kill -USR1 "$attacker"
	meanwhile wait_no_more
	meanwhile stop_programs_of 0.2 "$attacker"
	hurt -a --max-memory 32M -d 1
	expect_within_budgets
	expect_match "$T/folded" '^inlined;.*;?leaf_spin ' "names of an innocent program"
	expect_match "$T/folded" '^file[0-5];.*\[file[0-5]\]' "places in the slow ones"
	expect_ge "$(sum_get .frames.unnamed.out_of_time)" 1 "frames for which there was no time"
	expect_eq "$(sum_get .names.helper_failures)" 0 "files that are called broken"
	expect_le $(($(date +%s%3N) - $(cat "$T/asked"))) 20000 "ms from Ctrl-C to the end"
}

# Two that no time is enough for, and a light one that takes 1 to 2 s: more than a turn of all, less
# than a second one, which ends 8 s after the recording at the latest. Whoever waits for an answer
# about the heavy ones first, 10 s each, has no time left for it.
t_a_file_that_takes_2_seconds_beside_slower_ones() {
	need_root
	[ -e /dev/fuse ] || skip "no FUSE here"
	local endless honest
	mkdir "$T/endless" "$T/honest"
	spawn unshare -m "$WORKLOADS/fusehang" slow "$T/endless" 2 900 "$WORKLOADS/split" 90
	endless=$spawned
	spawn nice -n 10 unshare -m "$WORKLOADS/fusehang" slow "$T/honest" 1 200 \
		"$WORKLOADS/inlined" 90
	honest=$spawned
	wait_until has_children "$endless" 3 || skip "no such file system here"
	wait_until has_children "$honest" 2 || skip "no such file system here"
	sleep 1
	kill -USR1 "$endless" "$honest"
	meanwhile stop_programs_of 0.2 "$endless" "$honest"
	meanwhile end_naming_after 14
	hurt -a --max-memory 32M -d 1
	expect_within_budgets
	expect_match "$T/folded" ';leaf_spin ' "names of the file that takes 1 to 2 s"
}

# The end waits for tables of files that are read slowly, looking every 10 ms: 1.5 s at least. Not
# when another signal has come. What was recorded is written.
t_another_signal_ends_the_wait_for_tables() {
	need_root
	need_program strace
	[ -e /dev/fuse ] || skip "no FUSE here"
	local i tool
	mkdir "$T/mount"
	spawn unshare -m "$WORKLOADS/fusehang" slow "$T/mount" 5 900 "$WORKLOADS/split" 90
	local attacker=$spawned
	wait_until has_children "$attacker" 6 || skip "no such file system here"
	sleep 1
	kill -USR1 "$attacker"
	spawn strace -e trace=poll -o "$T/calls" "$PMUBPF" record -a -F 999 -e cpu-clock \
		--summary "$T/sum.json" -o "$T/folded" >"$T/out" 2>"$T/err" </dev/null
	for i in 1 2 3; do wait_until is_recording "$spawned" && break; done
	sleep 1
	tool=$(children "$spawned")
	kill -INT "$tool"
	kill -TERM "$tool"
	rc=0
	wait "$spawned" || rc=$?
	expect_eq "$rc" 0 "exit status"
	expect_le "$(grep -c '\], 1, 10) *= 0' "$T/calls")" 20 "times that a table was waited for"
	expect_match "$T/folded" '^file[0-4];' "what was recorded"
	expect_ledger
}

is_recording() { # PID of its strace
	has_perf_events "$(children "$1")"
}

wait_no_more() {
	sleep 9 # each of the six takes its half second before the innocent one has its turn
	date +%s%3N >"$T/asked"
	signal_tool INT
}

# ---------------------------------------------------------------- records of lives

# Six that do nothing but map a file by a path of 3,600 bytes, or rename themselves: what the kernel
# tells of programs that start meanwhile is lost, nearly all of it, or not taken. They are looked
# up; what comes in their first moments is not known.
beside_flood() { # KIND
	local i seconds=0.2
	[ "${SOAK:-0}" != 1 ] || seconds=0.6
	spawn "$WORKLOADS/lifeflood" "$1" 6 120 "$T"
	for i in 1 2 3 4 5 6 7 8; do
		cp "$WORKLOADS/inlined" "$T/innocent$i"
	done
	hurt -a --max-memory 32M -- \
		sh -c 'for i in 1 2 3 4 5 6 7 8; do "$0$i" "$1" & done; wait
			kill -STOP $(cat "/proc/$2/task/$2/children")' \
		"$T/innocent" "$seconds" "$spawned"
	expect_within_budgets
	[ "${SOAK:-0}" = 1 ] || return 0 # how soon they are known is a matter of speed
	expect_le "$(awk '/^innocent[1-8];/ {
			c = substr($0, 1, 9)
			all[c] += $NF
			if (/;\[unknown\]/) lost[c] += $NF
		}
		END {
			for (c in all)
				if (100 * lost[c] / all[c] > most) most = 100 * lost[c] / all[c]
			print most + 0
		}' "$T/folded")" 50 "percent of a program in files that nobody knows"
}

t_a_flood_of_mappings() {
	beside_flood mmap
}

t_a_flood_of_names() {
	beside_flood name
}

t_a_flood_of_forks() {
	[ "${SOAK:-0}" = 1 ] || skip "SOAK=1: no record was ever lost to it"
	beside_flood fork
}

t_a_flood_of_threads() {
	[ "${SOAK:-0}" = 1 ] || skip "SOAK=1: no record was ever lost to it"
	beside_flood thread
}

# ---------------------------------------------------------------- unwind tables

# Two programs that have so many libraries of so many rules (131,072 is all there is room for),
# beside two innocent ones: one that was there before, and one that starts when all room is gone,
# and whose library takes more than any gap.
beside_hoards() { # CGROUP RULES COPIES NICE
	local i
	mkdir "$T/hoarded" "$T/own"
	for ((i = 0; i < $3; i++)); do
		cp "$WORKLOADS/rules-$2.so" "$T/hoarded/$i.so"
	done
	cp "$WORKLOADS/rules-16300.so" "$T/own/own.so"
	cp "$WORKLOADS/frameless" "$T/early"
	cp "$WORKLOADS/hoard" "$T/later"
	cat >"$T/all" <<-END
		"$T/early" deep 60 >/dev/null & a=\$!
		# the shell moves, and comes back: what it starts is where it is
		[ -z "$1" ] || echo \$\$ >"$1/cgroup.procs"
		"$WORKLOADS/hoard" "$T/hoarded" 60 & b=\$!
		"$WORKLOADS/hoard" "$T/hoarded" 60 & c=\$!
		[ -z "$1" ] || echo \$\$ >"$1/../cgroup.procs"
		sleep 2
		nice -n $4 "$T/later" "$T/own" 60 & d=\$!
		sleep ${seconds:-2.5}
		kill \$a \$b \$c \$d
		wait
	END
	hurt -F 999 -- sh "$T/all"
	expect_unhurt
}

expect_whole() { # COMM PERCENT
	local share n
	awk -F';' -v c="$1" '$1 == c && $2 !~ /_\[k\]( [0-9]+)?$/' "$T/folded" >"$T/mine"
	n=$(awk '{ n += $NF } END { printf "%d\n", n * 999 / 1e9 }' "$T/mine")
	share=$(awk -v p='^[^;]*;(_start|_dl_start_user|\\[vdso\\]|(__)?clone3?;start_thread);' '
		{ n = $NF; sub(/ [0-9]+$/, ""); all += n; if ($0 ~ p) hit += n }
		END { printf "%.2f\n", all ? 100 * hit / all : 0 }' "$T/mine")
	expect_ge "$share" "$(by_chance "$2" "$n")" \
		"percent of the $n samples of '$1' in whole stacks, beside hoards"
}

need_tables() {
	case $(uname -m) in
	x86_64 | aarch64) ;;
	*) skip "unwind tables are for x86-64 and arm64" ;;
	esac
}

# A cgroup for the hostile ones, in $group.
need_cgroup() {
	need_root
	local root
	root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
	[ -n "$root" ] || skip "no cgroup2"
	group=$root/pmb-rules-$$
	mkdir "$group" || skip "no cgroup can be made"
	later rmdir "$group"
}

t_rules_of_10_libraries_in_a_cgroup() {
	need_tables
	need_cgroup
	beside_hoards "$group" 15900 10 5
	expect_ge "$(sum_get .unwind.no_room)" 1 "tables that found no room"
	expect_whole early 99
	expect_whole later 99
}

# In the same cgroup: whoever comes when all room is gone has to be sampled for a second or two
# first.
t_rules_of_20_libraries_beside_it() {
	need_tables
	seconds=8 beside_hoards "" 15900 20 0
	expect_ge "$(sum_get .unwind.no_room)" 1 "tables that found no room"
	expect_ge "$(sum_get .unwind.readmitted)" 1 "of these, that found it later"
	expect_whole early 99
	expect_whole later 50
}

t_65000_rules_in_a_file() {
	need_tables
	beside_hoards "" 65000 3 10
	expect_eq "$(sum_get .unwind.over_budget)" 3 "files with more rules than one may have"
	expect_whole early 99
	expect_whole later 99
}

# Programs whose file is read slowly, once they are told to begin; in $slow.
spawn_slow() { # FOLDER PROGRAMS FILE
	[ "$2" -gt 0 ] || return 0
	mkdir -p "$T/$1"
	spawn nice unshare -m "$WORKLOADS/fusehang" slow "$T/$1" "$2" 900 "$3" deep 90 >/dev/null
	slow+=("$spawned")
	wait_until has_children "$spawned" $(($2 + 1)) || skip "no such file system here"
}

# Tables that take all the time that one may have, ten seconds of a helper: files of 17 MB, all of
# which has to be read, slowly, and small ones, which take several. They are in nobody's way but
# that of others of more than 16 MiB, and of others that take long: who starts meanwhile has its
# table before any of these.
beside_slow_tables() { # LARGE SMALL SECONDS
	need_tables
	need_root
	need_program python3
	[ -e /dev/fuse ] || skip "no FUSE here"
	local slow=() later programs pid
	rm -f "$T/go"
	cp "$WORKLOADS/frameless" "$T/later"
	python3 "$TOP/tests/workloads/hostile_elf.py" frames "$WORKLOADS/frameless" "$T/slow" ||
		fail "the generator"
	chmod 755 "$T/slow"
	spawn_slow large "$1" "$T/slow"
	spawn_slow small "$2" "$WORKLOADS/frameless"
	# shellcheck disable=SC2016 # the inner shell's
	spawn sh -c 'while [ ! -e "$1" ]; do sleep 0.1; done; exec "$0" deep 90' \
		"$T/later" "$T/go" >/dev/null
	later=$spawned
	sleep 1
	kill -USR1 "${slow[@]}"
	meanwhile touch "$T/go"
	programs=$(for pid in "${slow[@]}"; do children "$pid"; done)
	# for names they only have to be there; who serves the files goes on
	# shellcheck disable=SC2016 # the inner shell's
	meanwhile sh -c 'sleep "$0"; pkill -STOP -P "$1" "^file"; kill -STOP "$2"' \
		"$3" "$(IFS=, && echo "${slow[*]}")" "$later"
	# all twelve have had their half second
	meanwhile end_naming_after $(($3 + 8))
	hurt -F 999 -p "$( (echo "$programs" && echo "$later") | xargs | tr " " ,)" -d "$3"
	expect_unhurt
	expect_match "$T/err" 'ended in .*/file[0-9]*: ' \
		"that the slow ones have none yet"
	# a few are taken before its files are known
	expect_whole later 90
	# shellcheck disable=SC2086 # several
	kill -KILL $programs "${slow[@]}" "$later"
	wait "${slow[@]}" "$later" 2>/dev/null || :
}

# How soon the large file is asked for, which gets little of the CPUs, is up to the machine.
t_a_large_file_whose_table_takes_ten_seconds() {
	local seconds
	for seconds in 3 10 20; do
		beside_slow_tables 1 0 "$seconds"
		[ "$(sum_get .cost.table_helpers)" != 2 ] || return 0
	done
	fail "it never had a helper of its own"
}

t_twelve_of_them() {
	beside_slow_tables 6 6 4
}

# Devices in one mount namespace of their own, that can't be opened.
spawn_devices() { # PROGRAMS, DEVICES of each
	need_root
	mkdir "$T/nodes"
	cat >"$T/devices" <<-'END'
		mount -t tmpfs none "$CROWD_NODES" || exit
		for i in $(seq "$2"); do
			mkdir "$CROWD_NODES/$i" || exit
			CROWD_NODES=$CROWD_NODES/$i "$1" nodes "$3" 60 &
		done
		wait
	END
	CROWD_NODES=$T/nodes spawn unshare -m sh "$T/devices" "$WORKLOADS/crowd" "$@" \
		>"$T/crowd" 2>&1
	wait_until all_ready "$1" || wait_until all_ready "$1" || fail "the attack doesn't start"
	! grep -qv ready "$T/crowd" || skip "no such attack here: $(head -n 1 "$T/crowd")"
}

all_ready() { # PROGRAMS
	[ "$(wc -l <"$T/crowd")" -ge "$1" ]
}

# A device each, that can't be opened: main has no time for 21,500 of them, and the kernel side no
# numbers. Whoever starts meanwhile is walked as ever.
t_21500_devices() {
	need_tables
	spawn_devices 1 21500
	cp "$WORKLOADS/frameless" "$T/later"
	ulimit -n 1024
	hurt -a -F 999 -- sh -c 'sleep 1; exec "$0" deep 2 >"$1"' "$T/later" "$T/out"
	expect_unhurt "$HOST_KB"
	expect_whole later 50 # else it would be none of them; see the next test
	# once each, not again and again; and the files of what else runs
	expect_le "$(sum_get .opener.asked)" $((2 * 21500)) "questions to whoever opens"
}

# 1,500 in all, of five programs, so that all have their turn: more than descriptors. One root is
# kept, and there are some left for the files of others and for the helpers at the end.
t_more_devices_than_descriptors() {
	local early devices
	need_tables
	spawn_devices 5 300
	devices=$spawned
	cp "$WORKLOADS/frameless" "$T/early"
	cp "$WORKLOADS/frameless" "$T/later"
	spawn "$T/early" deep 60 >/dev/null
	ulimit -n 1024
	early=$spawned
	meanwhile exec "$T/later" deep 60 >/dev/null
	SPAWNED+=("$!")
	# shellcheck disable=SC2046 # several
	meanwhile stop_after 3.2 "$early" "$!" $(children "$devices")
	hurt -a -F 999 -d 4
	expect_unhurt "$HOST_KB"
	expect_match "$T/folded" '^crowd;.*;crowd_spin(;| )' "what the hostile ones do"
	# without descriptors it would be none of them; how many there are before the tables, beside
	# programs that all begin to be read at once, is up to the machine
	expect_whole early 50
	expect_whole later 50
	expect_match "$T/folded" '^early;.*;deep01;.*;deep30;' "names of who was there before"
	expect_match "$T/folded" '^later;.*;deep01;.*;deep30;' "names of who came later"
}

run_tests
