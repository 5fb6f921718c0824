#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# All hostile programs that there are, at once, beside an innocent one: the recording ends on time,
# keeps within its budgets, and shows the innocent one as it does without them. SOAK=1: for a
# minute, and with files that are read slowly. FIGURES=FILE gets a line of figures.
#
# Nothing here may look into /proc/PID of all processes: one of them is stuck in an exec.
# alone: so many programs leave little of the CPUs for others
# shellcheck source=tests/e2e/hostile_lib.sh
. "$(dirname "$0")/hostile_lib.sh"

OUTPUT_BYTES=20000000
WHOLE='^inlined;_start;__libc_start_main;__libc_start_call_main;main;work;leaf_spin(;.*_\[k\])?$'
# Its unwind table isn't here yet: the beginning of a recording, which is long where CPUs are
# scarce. A minute has room for that in a point.
EARLY='^inlined;leaf_spin(;.*_\[k\])?$'
if [ "${SOAK:-0}" = 1 ]; then SECONDS_LONG=60 EARLY='^$'; else SECONDS_LONG=4; fi
# Names take 30 s, giving up whoever reads them ten more.
WALL_MS=$(((SECONDS_LONG + 45) * 1000))

# They leave the innocent one and the tool, which are before all else that runs, what these need.
hostile() { # PROGRAM ARG…
	spawn nice -n 30 "$@" >/dev/null 2>&1 </dev/null
}

hostile_files() {
	local i
	python3 "$TOP/tests/workloads/hostile_elf.py" sparse "$WORKLOADS/split" "$T/holes" ||
		fail "the generator"
	for i in overlap huge strings names; do
		python3 "$TOP/tests/workloads/hostile_elf.py" "$i" "$WORKLOADS/split" "$T/$i" ||
			fail "the generator"
	done
	for ((i = 0; i < 12; i++)); do
		cp --sparse=always "$T/holes" "$T/holes$i"
	done
	chmod 755 "$T"/[hons]*
	for i in "$T"/holes? "$T"/holes1? "$T/overlap" "$T/huge" "$T/strings" "$T/names"; do
		hostile "$i" 600
	done
	hostile "$WORKLOADS/changing" "$T/rewritten" rewrite 600
	hostile "$WORKLOADS/changing" "$T/replaced" replace 600
	hostile "$WORKLOADS/changing" "$T/cut" truncate 600
}

hostile_names() {
	hostile "$WORKLOADS/longnames" 600 4
	forget_maps_of "$spawned" 4
	hostile "$WORKLOADS/hostile" 600
	hostile "$WORKLOADS/crowd" words 6000000 600
	hostile "$WORKLOADS/jit" 600 nomap
	ln -s /etc/shadow "/tmp/perf-$spawned.map"
	later rm -f "/tmp/perf-$spawned.map"
	hostile "$WORKLOADS/jit" 600 nomap
	later rm -f "/tmp/perf-$spawned.map"
	endless_map "$spawned"
}

# It is cut at 700 MB, and begins anew.
endless_map() { # PID
	local code anon='r-xp 00000000 00:00 0 *$'
	wait_until grep -q "$anon" "/proc/$1/maps" || fail "no code made at run time"
	code=$(sed -n "s/^\([0-9a-f]*\)-[0-9a-f]* $anon/\1/p" "/proc/$1/maps" | head -n 1)
	cat >"$T/endless" <<-'END'
		while yes "$1 1000 name_without_end" | head -c 700000000 >"$2"; do :; done
	END
	spawn nice -n 30 sh "$T/endless" "$code" "/tmp/perf-$1.map" >/dev/null
}

hostile_crowds() {
	hostile "$WORKLOADS/crowd" mappings 65000 600
	hostile "$WORKLOADS/crowd" devices 20000 600
	hostile "$WORKLOADS/crowd" threads 5000 600
	hostile "$WORKLOADS/crowd" zombies 1000 600
	hostile "$WORKLOADS/crowd" pids 60 600
	hostile "$WORKLOADS/circles" 600
	hostile "$WORKLOADS/manypaths" 600
	hostile "$WORKLOADS/storm" 20000 0.6 exec
}

# In namespaces of their own.
hostile_file_systems() {
	[ -e /dev/fuse ] || return 0
	mknod -m 666 "$T/fuse" c 10 229 || return 0
	mkdir -m 777 "$T/exec" "$T/silent" "$T/slow"
	cp "$WORKLOADS/fusehang" "$T/fusehang"
	FUSE=$T/fuse hostile setpriv --reuid 65534 --regid 65534 --clear-groups "$T/fusehang" \
		exec "$T/exec" 60 60
	hostile unshare -m "$WORKLOADS/fusehang" serve "$T/silent" "$WORKLOADS/split" 600
	silent=$spawned
	wait_until has_children "$silent" 2 || fail "no such file system here"
	[ "${SOAK:-0}" = 1 ] || return 0
	hostile unshare -m "$WORKLOADS/fusehang" slow "$T/slow" 6 400 "$WORKLOADS/split" 600
	slow=$spawned
	wait_until has_children "$slow" 7 || fail "no such file system here"
}

innocent() { # SECONDS: records beside it, as $T/folded
	hurt -a --max-memory 32M -d "$1"
	expect_unhurt 131072 65536
	expect_ge "$(folded_sum_of "$T/folded" '^inlined;')" 1 "samples of the innocent program"
	grep -Ev "${EARLY%\$} [0-9]*\$" "$T/folded" >"$T/later"
	share=$(folded_share "$T/later" "$WHOLE" '^inlined;')
	expect_le "$(folded_share "$T/folded" "$EARLY" '^inlined;')" 50 \
		"percent of its stacks without an unwind table"
}

t_all_attackers_at_once() {
	need_root
	need_program python3
	need_program setpriv
	local without share silent='' slow='' n
	renice -n -15 -p "$BASHPID" >/dev/null || skip "nobody may go first here"
	spawn "$WORKLOADS/inlined" 900
	innocent 2
	without=$share
	hostile_file_systems # while there is time for them to begin
	hostile_files
	hostile_names
	hostile_crowds
	sleep 2
	[ -z "$silent" ] || kill -USR1 "$silent"
	[ -z "$slow" ] || kill -USR1 "$slow"
	innocent "$SECONDS_LONG"
	cp "$T/folded" "$T/sum.json" "$T/figures" "$T/err" "${KEEP:-$T}" 2>/dev/null
	n=$(awk -v ns="$(folded_sum_of "$T/later" '^inlined;')" 'BEGIN { printf "%d", ns / 4e6 }')
	expect_ge "$share" "$(awk -v p="$without" -v off="$(points_of "$without" "$n")" 'BEGIN { print p - 1 - off }')" \
		"percent of the innocent program's stacks whole and named ($without without the others)"
	expect_le "$(figure main_anon_kb)" 65536 "kB, the main process's own memory at its peak"
	expect_le "$(stat -c %s "$T/folded")" "$OUTPUT_BYTES" "bytes of output"
}

run_tests
