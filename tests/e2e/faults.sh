#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What goes wrong around the tool: no memory, interrupted calls, a full disk, a clock that jumps,
# its own sudden death, containers by the thousand. (A reader that goes away: endings.sh. A CPU that
# does: tests/vm/guest/hotplug.sh.)
#
# SOAK=1: every allocation instead of some, and 50 kills instead of 6.
# long
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

setup() {
	local name
	for name in failalloc interrupt jumpclock; do
		gcc -std=gnu11 -D_GNU_SOURCE -O1 -shared -fPIC -o "$S/$name.so" \
			"$TOP/tests/shims/$name.c" ||
			fail "cannot build $name.so"
	done
	"$PMUBPF" record -q -e cpu-clock -o "$S/p.pb.gz" -- "$WORKLOADS/split" 0.3 >/dev/null ||
		fail "no profile"
}

soak() { # MANY FEW
	if [ "${SOAK:-0}" = 1 ]; then echo "$1"; else echo "$2"; fi
}

# The tool with a library of tests/shims in it: in the main process, its helper, or both.
with_shim() { # NAME main|helper|both ARG…
	local shim=$S/$1.so in=$2
	shift 2
	SHIM_IN=$in LD_PRELOAD=$shim timeout 60 "$PMUBPF" "$@" >"$T/out" 2>"$T/err" </dev/null
	rc=$?
}

# ---------------------------------------------------------------- no memory

# It ended with a status of its own, and said why if it is not 0.
expect_sane_end() { # WHAT
	case $rc in
	0) ;;
	1 | 3) [ -s "$T/err" ] || fail "$1: status $rc, and not a word" ;;
	*) fail "$1: status $rc: $(tail -n 1 "$T/err")" ;;
	esac
}

# Every one: a whole report, or none and the reason.
t_every_allocation_of_report() {
	local n ended=0 reference total
	pmb_ok report "$S/p.pb.gz"
	reference=$(md5sum <"$T/out")
	SHIM_COUNT=$T/count with_shim failalloc main report "$S/p.pb.gz"
	total=$(cat "$T/count")
	expect_ge "$total" 100 "allocations"
	for ((n = 1; n <= total; n += $(soak 1 7))); do
		SHIM_AT=$n with_shim failalloc main report "$S/p.pb.gz"
		expect_sane_end "allocation $n"
		[ "$rc" != 0 ] || [ "$(md5sum <"$T/out")" = "$reference" ] ||
			fail "allocation $n: another report, and status 0"
		[ "$rc" = 0 ] || ended=$((ended + 1))
	done
	expect_ge "$ended" 5 "runs that ended for want of memory"
}

# One that fails is one for which there is a reserve; if all after it fail, it ends.
t_allocations_of_record() {
	local n i=0 total ended=0
	local run=(record -e cpu-clock -o "$T/folded" --summary "$T/sum.json" -- "$WORKLOADS/split" 0.1)
	SHIM_COUNT=$T/count with_shim failalloc main "${run[@]}"
	total=$(sort -n "$T/count" | tail -n 1)
	expect_ge "$total" 500 "allocations"
	for ((n = 1; n <= total; n += $(soak 1 $((total / 12))))); do
		rm -f "$T/sum.json"
		SHIM_AT=$n SHIM_MORE=$((i++ % 2)) with_shim failalloc main "${run[@]}"
		expect_sane_end "allocation $n"
		if [ "$rc" = 0 ]; then expect_columns; else ended=$((ended + 1)); fi
		! pgrep -P $$ -x pmubpf-symd >/dev/null || fail "allocation $n: a helper is left"
	done
	expect_ge "$ended" 3 "runs that ended for want of memory"
}

# Whatever becomes of the helper, the recording is whole; names may be missing, for a reason. Where
# none can be started, files have none, and the status is 1.
t_allocations_of_the_helper() {
	local n whole=0
	# its sandbox takes the first several hundred
	for ((n = 1; n <= $(soak 1500 3500); n += $(soak 1 431))); do
		SHIM_AT=$n SHIM_MORE=$((n % 2)) with_shim failalloc helper record -e cpu-clock \
			--inline -o "$T/folded" \
			--summary "$T/sum.json" -- "$WORKLOADS/split" 0.1
		expect_ledger
		expect_eq "$(folded_sum "$T/folded")" "$(sum_weight)" \
			"Σ of the folded file, allocation $n"
		if [ "$rc" = 0 ]; then
			whole=$((whole + 1))
		else
			expect_eq "$rc" 1 "exit status, allocation $n"
			expect_match "$T/err" "can't start the symbol helper" \
				"why it ended, allocation $n"
		fi
	done
	expect_ge "$whole" 3 "whole recordings"
}

# From the middle on a recording of ever new stacks may have LESS kB of data than it has.
record_and_refuse() { # LESS
	local data
	spawn "$PMUBPF" record -e cpu-clock,task-clock -F 4000 -o "$T/folded" \
		--summary "$T/sum.json" -- "$WORKLOADS/manypaths" 1.5 \
		>"$T/out" 2>"$T/err" </dev/null
	wait_until has_perf_events "$spawned" || fail "no recording: $(head -n 1 "$T/err")"
	sleep 0.7
	data=$(awk '$1 == "VmData:" { print $2 }' "/proc/$spawned/status")
	data=$((data > $1 ? data - $1 : 1))
	prlimit --pid "$spawned" --data=$((data * 1024)) || fail "prlimit"
	wait "$spawned"
	rc=$?
}

expect_what_was_kept() {
	expect_eq "$rc" 0 "exit status: $(tail -n 1 "$T/err")"
	expect_columns
	expect_ge "$(sum_aggregated)" 1 "samples that were kept"
	expect_match "$T/folded" '^cpu-clock;manypaths;.*go_left' "stacks that were kept"
	expect_eq "$(folded_sum_of "$T/folded" '^cpu-clock;')" "$(sum_weight)" \
		"Σ of the folded file"
}

# There is a reserve to give up, tables become smaller, and it goes on.
t_memory_that_is_refused() {
	record_and_refuse 0
	expect_what_was_kept
	expect_match "$T/err" 'the system refused memory for a while' "the sentence"
}

# It gives up the whole reserve: samples are left out, or, if more is wanted at once than the rest,
# it says so and ends.
t_memory_that_is_taken_away() {
	local _ left_out=0
	for _ in 1 2 3 4 5 6 7 8; do
		record_and_refuse $((32 * 1024 - 256))
		if [ "$rc" = 1 ]; then
			expect_out_of_memory
			continue
		fi
		expect_what_was_kept
		left_out=$(sum_get '[.events[].user.discarded.no_memory] | add')
		[ "$left_out" = 0 ] || break
	done
	expect_ge "$left_out" 1 "samples left out"
	expect_match "$T/err" 'left out [0-9]+ \(weight [0-9]+\): the system refused' "how many"
	expect_match "$T/err" 'the system refused memory.*(for a while|used up)' "the sentence"
}

expect_out_of_memory() {
	expect_match "$T/err" '^pmubpf: out of memory: [0-9]+ bytes more were refused; are' "why"
}

# With nothing left at all it says so.
t_no_memory_at_all() {
	record_and_refuse $((1024 * 1024))
	expect_eq "$rc" 1 "exit status"
	expect_out_of_memory
}

# ---------------------------------------------------------------- calls that are interrupted

t_calls_are_interrupted() {
	local us
	for us in $(soak "1000 300" 300); do
		SHIM_US=$us with_shim interrupt both record -e cpu-clock -o "$T/folded" \
			-o "$T/p.pb.gz" --summary "$T/sum.json" \
			--inline -- "$WORKLOADS/split" 0.5
		expect_eq "$rc" 0 "exit status, a signal every $us us: $(head -n 1 "$T/err")"
		expect_ledger
		expect_match "$T/folded" ';hot70' "names"
		expect_eq "$(folded_sum "$T/folded")" "$(sum_weight)" \
			"Σ of the folded file against the summary"
	done
	SHIM_US=300 with_shim interrupt both report "$T/p.pb.gz"
	expect_eq "$rc" 0 "exit status of report"
	SHIM_US=300 with_shim interrupt both stat -e task-clock -- "$WORKLOADS/split" 0.2
	expect_eq "$rc" 0 "exit status of stat: $(head -n 1 "$T/err")"
}

# ---------------------------------------------------------------- a full disk, a clock that jumps

t_a_full_disk() {
	need_root
	local format
	mkdir "$T/disk"
	for format in folded pb.gz html; do
		# shellcheck disable=SC2016
		unshare -m sh -c 'mount -t tmpfs -o size=4k none "$1" && shift && exec "$@"' - \
			"$T/disk" \
			"$PMUBPF" record -q -e cpu-clock -F 2000 -o "$T/disk/it.$format" -- \
			"$WORKLOADS/manypaths" 0.5 \
			>"$T/out" 2>"$T/err"
		expect_eq $? 1 "exit status, $format"
		expect_match "$T/err" "it.$format.*No space left" "what is wrong, $format"
	done
}

t_a_clock_that_jumps() {
	spawn "$WORKLOADS/split" 30 >/dev/null
	with_shim jumpclock both record -e cpu-clock -o "$T/folded" --summary "$T/sum.json" -d 1 \
		-p "$spawned"
	expect_eq "$rc" 0 "exit status"
	expect_ledger
	expect_ge "$(sum_get .duration_s)" 0.99 "seconds"
	expect_le "$(sum_get .duration_s)" 10 "seconds"
	expect_match "$T/folded" ';hot70' "names"
}

# ---------------------------------------------------------------- sudden death

# Ids of the maps that a process holds.
maps_of() { # PID
	sed -n 's/^map_id:[[:space:]]*//p' "/proc/$1"/fdinfo/* 2>/dev/null | sort -un
}

processes_gone() { # PID…
	local pid
	for pid; do
		! grep -qs '^pmubpf' "/proc/$pid/comm" || return 1
	done
}

# Where it could leave a file.
files_of_it() {
	find "${TMPDIR:-/tmp}" /dev/shm /run /sys/fs/bpf -maxdepth 1 -iname '*pmubpf*' 2>/dev/null |
		grep -v pmubpf-fuzz | sort
}

t_killed_at_any_time() {
	local i n programs maps helpers files
	files=$(files_of_it)
	n=$(soak 50 6)
	[ -n "$(bpftool_path)" ] || skip "no bpftool that works"
	spawn "$WORKLOADS/split" 600 1 >/dev/null
	local target=$spawned
	for ((i = 0; i < n; i++)); do
		"$PMUBPF" record -e cpu-clock --inline -p "$target" -d 0.3 \
			-o "$T/folded" >"$T/out" 2>"$T/err" &
		local tool=$!
		sleep "$(awk -v s="$RANDOM" 'BEGIN { print s / 32768 * 0.8 }')"
		mapfile -t programs < <(programs_of "$tool")
		mapfile -t maps < <(maps_of "$tool")
		mapfile -t helpers < <(pgrep -P "$tool")
		kill -KILL "$tool" 2>/dev/null
		wait "$tool" 2>/dev/null
		wait_until programs_gone ${programs[@]+"${programs[@]}"} ||
			fail "kill $i: programs are left: ${programs[*]}"
		wait_until ids_gone map ${maps[@]+"${maps[@]}"} ||
			fail "kill $i: maps are left: ${maps[*]}"
		wait_until processes_gone ${helpers[@]+"${helpers[@]}"} ||
			fail "kill $i: a helper is left: ${helpers[*]}"
	done
	expect_eq "$(files_of_it)" "$files" "files"
	kill -0 "$target" || fail "the target did not survive it"
	pmb_ok record -e cpu-clock -p "$target" -d 0.3 -o "$T/folded" --summary "$T/sum.json"
	expect_ledger
}

# One that dies is replaced; what it was about may have no names.
t_helpers_that_are_killed() {
	local i n tool
	n=$(soak 50 6)
	for ((i = 0; i < n; i++)); do
		"$PMUBPF" record -e cpu-clock --inline -o "$T/folded" --summary "$T/sum.json" \
			-- "$WORKLOADS/split" 0.2 >"$T/out" 2>"$T/err" &
		tool=$!
		sleep "$(awk -v s="$RANDOM" 'BEGIN { print s / 32768 * 0.7 }')"
		pgrep -P "$tool" -x pmubpf-symd | xargs -r kill -KILL 2>/dev/null
		wait "$tool"
		expect_eq $? 0 "exit status, kill $i: $(tail -n 1 "$T/err")"
		expect_ledger
		expect_eq "$(folded_sum "$T/folded")" "$(sum_weight)" \
			"Σ of the folded file against the summary"
	done
}

# ---------------------------------------------------------------- containers by the thousand

t_1000_containers_come_and_go() {
	need_root
	local root='' name
	# on hybrid hosts containers are told apart by v1
	for name in memory pids devices perf_event; do
		[ -n "$root" ] || root=$(awk -v c=",$name(,|\$)" '$3 == "cgroup" && $4 ~ c { print $2; exit }' /proc/self/mounts)
	done
	[ -n "$root" ] || root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
	[ -n "$root" ] || skip "no cgroup hierarchy"
	root=$root/pmb-faults-$$
	mkdir "$root" || skip "no cgroup can be made"
	later rmdir "$root"
	CROWD_CGROUP=$root "$WORKLOADS/measured" "$T/figures" 120 "$PMUBPF" record -a -e cpu-clock \
		-F 299 --by container \
		-o "$T/folded" --summary "$T/sum.json" -- "$WORKLOADS/crowd" cgroups 1000 \
		0.1 >"$T/out" 2>"$T/err"
	expect_eq $? 0 "exit status"
	expect_ledger
	# a busy machine may leave no CPU to drain for a while: what is dropped is counted
	expect_le "$(sum_dropped)" $(($(sum_seen) / 10)) "dropped"
	expect_eq "$(folded_sum "$T/folded")" "$(sum_weight)" \
		"Σ of the folded file against the summary"
	expect_le "$(awk '$1 == "main_kb" { print $2 }' "$T/figures")" 131072 \
		"kB, the main process at its peak (it samples the whole host)"
	# names: only of those that are there when the rings are drained, ten times a second; each
	# is for a few ms
	expect_match "$T/folded" ';crowd_child' "what ran in them"
	expect_eq "$(find "$root" -mindepth 1 -type d | wc -l)" 0 "cgroups that are left"
	[ -z "${FIGURES:-}" ] || echo "1000_containers $(tr '\n' ' ' <"$T/figures")" >>"$FIGURES"
}

run_tests
