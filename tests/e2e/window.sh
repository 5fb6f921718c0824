#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# --window: samples in windows of time only, and of slow ones only. What is compared with a
# program's own words is what it measured of itself in the same run.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

REQUESTS=200
SERVER=$WORKLOADS/server

setup() {
	need_root
}

record() {
	pmb_ok record --budget 0 -e cpu-clock -F 997 -o "$T/folded" --summary "$T/sum.json" "$@"
	expect_ledger
}

record_loop() {
	record --window loop "$@"
}

windows() { # jq's FILTER of them
	sum_get ".windows | $1"
}

# What the server measured: LINE(requests|all|longer) FIELD
measured() {
	awk -v line="$1" -v field="$2" '$1 == line { print $field }' "$T/out"
}

# Percent of the CPU time of all requests, or of the slow ones: LINE FIELD
part_of() {
	awk -v line="$1" -v field="$2" '$1 == line {
		printf "%.3f\n", ($2 > 0) ? 100 * $field / $2 : 0 }' "$T/out"
}

# The share of a function against what the server measured of it: LINE FIELD FUNCTION MORE-POINTS
expect_part() {
	local want points
	want=$(part_of "$1" "$2")
	points=$(points_of "$want" "$(sum_aggregated)" | awk -v more="$4" '{ print $1 + more }')
	expect_within "$(frame_share "$T/folded" "$3")" "$want" "$points" "$3 in percent"
}

t_the_ordinary_profile_shows_neither() {
	local cause handler part
	record -- "$SERVER" "$REQUESTS"
	expect_eq "$(sum_get '.events[0].kernel.closed')" 0 "closed, where there are no windows"
	expect_eq "$(sum_get .windows)" null "windows"
	for cause in refill_cache rotate_log; do
		part=$(frame_share "$T/folded" $cause)
		expect_le "$part" 5 "$cause in percent"
		for handler in parse lookup render; do
			expect_ge "$(frame_share "$T/folded" $handler)" "$part" \
				"$handler beside $cause"
		done
	done
}

# All slow ones were, but for those that had no sample: on a busy machine the clock is throttled.
expect_kept() { # SLOW
	expect_ge $(($(windows .kept) + $(windows '.ended - .sampled'))) "$1" \
		"windows that were kept or had no sample, beside the slow requests"
}

t_slow_windows_name_both_causes() {
	local kept slow nearly more sum='.aggregated + .discarded.quick_windows + .discarded.unheld'
	# four of them are slow, two for each cause
	record_loop --longer 20ms -- "$SERVER" "$REQUESTS" 20 100
	kept=$(windows .kept) slow=$(measured requests 4) nearly=$(measured requests 6)
	expect_ge "$slow" $((REQUESTS / 50)) "slow requests, by the server"
	expect_kept "$slow"
	expect_le "$kept" $((slow + nearly + 1)) "the same, beside those that nearly were, too"
	# those that the server had measured a little shorter are the difference
	more=$((100 * (kept > slow ? kept - slow : slow - kept) / slow))
	expect_part longer 3 refill_cache $more
	expect_part longer 4 rotate_log $more
	# nothing is lost on the way: what is not kept is counted
	expect_eq "$(sum_get ".events[0].user | $sum")" "$(sum_emitted)" "kept, quick and unheld"
	expect_ge "$(sum_get '.events[0].user.discarded.quick_windows')" 1 "of quick windows"
	# four sigmas below the server's CPU time; of a throttled clock, the part that came
	expect_ge "$(sum_get '.events[0].kernel.closed')" \
		"$(awk -v us="$(measured before 2)" -v part="$(sum_ratio)" 'BEGIN {
			n = us * 997 / 1e6 * (part > 0 && part < 1 ? part : 1)
			printf "%d\n", n - 4 * sqrt(n) }')" "overflows before the first window"
	expect_match "$T/err" '\+ filtered [0-9]+ \+ closed [0-9]+ \+ dropped' "the words"
	expect_match "$T/err" 'windows loop: [0-9]+ began, [0-9]+ ended; ' "the words"
	expect_match "$T/err" ', [0-9]+ kept, of 20ms and longer' "the words"
}

# Each return of epoll_wait begins a window, and the next call or the end of the thread ends it.
t_loop_counts() {
	record_loop -- "$SERVER" 100
	expect_eq "$(windows .began)" 100 "windows that began"
	expect_eq "$(windows .ended)" 100 "windows that ended"
	expect_eq "$(windows '[.by_duration[]] | add')" 100 "by duration"
	expect_eq "$(windows '.ends_lost + .no_room + .began_before + .open')" 0 "what is odd"
	# each takes 5 ms of CPU time, so none is shorter than 2^22 ns
	expect_eq "$(windows '[.by_duration[:22][]] | add')" 0 "windows shorter than 4.19 ms"
}

# No request takes less than 5 ms of CPU time.
expect_windows_of_one_server() {
	local most
	most=$(($(sum_get '.duration_s * 1000 | floor') / 5 + 2))
	expect_ge "$(windows .began)" 2 "windows"
	expect_le "$(windows .began)" $most "windows of one server"
}

# Another one runs beside: its windows are none of ours, whatever the scope of the event.
t_windows_of_targets_only() {
	local option
	spawn "$SERVER" 100000 >/dev/null
	spawn "$SERVER" 100000 >/dev/null
	for option in --per-task --per-cpu; do
		record_loop "$option" -p "$spawned" -d 0.5 --by pid,window
		expect_windows_of_one_server
		expect_eq "$(cut -d ';' -f 1,2 "$T/folded" | sort -u)" "pid $spawned;loop" \
			"processes and windows, $option"
	done
}

# Of the first hierarchy of cgroups that is mounted here, of either version.
t_a_cgroup() {
	local dir
	dir=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$dir" ] ||
		dir=$(awk '$3 == "cgroup" && $4 ~ /cpuacct|pids/ { print $2; exit }' /proc/mounts)
	[ -n "$dir" ] || skip "no cgroups are mounted"
	dir=$dir/pmubpf-test-$$
	mkdir "$dir" 2>/dev/null || skip "no cgroup can be made here"
	later rmdir "$dir"
	LATER+=("sleep 0.1") # the killed have to leave before rmdir
	spawn "$SERVER" 100000 >/dev/null
	spawn "$SERVER" 100000 >/dev/null
	echo "$spawned" >"$dir/cgroup.procs" || skip "no process can be moved into $dir"
	record_loop -G "$dir" -d 0.5
	expect_windows_of_one_server
}

t_system_calls() {
	record --window syscall:timerfd_settime -- "$SERVER" 10
	expect_eq "$(windows '"\(.began) \(.ended)"')" "1 1" "calls of timerfd_settime"
	record --window wait=syscall:epoll_wait -- "$SERVER" 30
	expect_eq "$(windows '"\(.began) \(.ended)"')" "30 30" "calls of epoll_wait"
	expect_eq "$(windows .name)" wait "its name"
}

# Every sample is taken in the call that its window is called after.
t_each_call_by_its_name() {
	local writes='^syscall:read;.*;ksys_write'
	record --window syscall --by window -- dd if=/dev/zero of=/dev/null bs=1M count=3000
	expect_ge "$(windows .began)" 6000 "calls"
	expect_ge "$(folded_share "$T/folded" '^syscall:read;dd;')" 90 "percent in read"
	expect_eq "$(folded_sum_of "$T/folded" "$writes")" 0 "writes in windows of reads"
}

# Each overflow of a thread is in a run of its.
t_runs() {
	record --window run --by window,duration -- "$SERVER" 60
	expect_ge "$(windows .sampled)" 1 "runs with samples"
	expect_eq "$(sum_get '.events[0].kernel.closed')" 0 "closed"
	expect_eq "$(folded_sum_of "$T/folded" '^run;')" "$(folded_sum "$T/folded")" "in runs"
}

# One window that begins after 10 ms and has 0.8 s of CPU time.
ONE_WINDOW='select(undef, undef, undef, 0.01); do { ($user, $kernel) = times }
	while $user + $kernel < 0.8'

# Signals that a program sends to itself: each is delivered before the next is sent.
t_tracepoints() {
	local send='$SIG{USR1} = sub {}; kill(USR1 => $$) for 1 .. 500'
	local sent=t:signal:signal_generate met=t:signal:signal_deliver
	need_program perl
	record --window $sent..$met -- perl -e "$send"
	expect_eq "$(windows '"\(.began) \(.ended) \(.nested)"')" "500 500 0" "signals"
	record --window turn=$met..$met -- perl -e "$send"
	expect_eq "$(windows '"\(.began) \(.ended)"')" "250 250" "every other signal"
	expect_eq "$(windows .name)" turn "its name"
	# what begins inside is nested, and what has begun ends with the thread
	record --window $sent..t:sched:sched_process_wait -- perl -e "$send"
	expect_eq "$(windows '"\(.began) \(.ended) \(.nested)"')" "1 1 499" "without an end"
}

BEGIN_MARK=mem:0x600000000000/1:w END_MARK=mem:0x600000000040/1:w

# Each of four threads is in 500 windows, by writes to memory.
t_writes_open_and_close() {
	need_breakpoints
	record --window unit=$BEGIN_MARK..$END_MARK -- "$WORKLOADS/marks" 500 40 4
	expect_eq "$(windows '"\(.began) \(.ended) \(.nested) \(.open)"')" "2000 2000 0 0" "units"
	expect_eq "$(windows .hits)" 4000 "writes"
	expect_ge "$(windows .hit_ns)" 1 "ns each"
	expect_match "$T/err" "--window: 'mem:0x600000000000/1:w' opens windows right" "the skid"
	expect_match "$T/err" 'a window with nothing in it takes two' "the cost"
	expect_inside_units
}

# What a unit calls lacks its caller in its first instructions, as long as there is no unwind table
# or the kernel handles a probe there.
expect_inside_units() {
	expect_eq "$(frame_share "$T/folded" '(one_unit|touch|move_to)')" 100.000 \
		"percent of samples, inside"
}

t_functions_open_and_close() {
	local marks=$T/marks
	need_x86_64
	cp "$WORKLOADS/marks" "$marks" # whoever else runs that file meets its probes, too
	record --window unit=u:$marks:one_unit..u:$marks:move_to -- "$marks" 500 40 4
	expect_eq "$(windows '"\(.began) \(.ended) \(.nested) \(.open)"')" "2000 2000 0 0" "units"
	expect_eq "$(windows .hits)" 4000 "hits"
	expect_inside_units
	expect_match "$T/err" 'carries the instruction out itself: about [0-9.]+(ns|us) each' "cost"
	# what closes alone is a tracepoint; what is met before is nested
	record --window u:$marks:touch..t:sched:sched_process_exit -- "$marks" 50 7 1
	expect_eq "$(windows '"\(.began) \(.ended) \(.nested)"')" "1 1 49" "until the end"
}

# FUNCTION BEGAN ENDED ABANDONED NESTED CAUGHT [MS=20], of calls 300, whose words are those without
# probes. A file of its own: hits are everybody's.
expect_calls() {
	[ -e "$T/calls" ] || cp "$WORKLOADS/calls" "$T/calls"
	record --window call=u:$T/calls:$1 -- "$T/calls" 300 "${7:-20}"
	expect_eq "$(windows '"\(.began) \(.ended) \(.abandoned) \(.nested) \(.open)"')" \
		"$2 $3 $4 $5 0" "calls of $1"
	expect_eq "$(windows .caught)" "$6" "calls of $1 that exceptions left"
	expect_eq "$(cat "$T/out")" "$words" "the program's words, $1"
}

# Without those whose stacks wait for a table of their file and found no room: where the reader gets
# no CPU, many.
expect_mostly_in() { # FUNCTION
	expect_ge "$(frame_share "$T/folded" "$1")" \
		"$(by_chance "$(awk -v lost="$(uncopied)" 'BEGIN { print 95 - lost }')" \
			"$(sum_aggregated)")" "percent inside of $1"
}

# Of MS of its CPU time the program spends there, by how often the clock came in all: a late one
# comes once for several times. Four sigmas.
expect_samples() { # GOT MS WHAT
	expect_ge "$1" "$(sum_get '.events[0].kernel | [.seen, .weight_seen] | @tsv' |
		awk -v ms="$2" '{ n = $1 * ms * 1e6 / $2; n -= 4 * sqrt(n)
			printf "%d\n", (n > 1) ? n : 1 }')" "$3"
}

# Each way that a function is left. No program is harmed, and nothing is inside that isn't.
t_calls_of_a_function() {
	local words ms=60
	need_x86_64
	words=$("$WORKLOADS/calls" 300 1)
	expect_calls may_throw 300 300 0 0 100 $ms
	expect_match "$T/err" 'probe at offset .* \(__cxa_begin_catch\)' "where it is caught"
	expect_mostly_in may_throw
	expect_eq "$(folded_sum_of "$T/folded" 'outside')" 0 "outside of it, may_throw"
	expect_calls may_jump 300 200 100 0 0 $ms
	expect_samples "$(sum_aggregated)" $ms "samples"
	expect_mostly_in may_jump
	expect_eq "$(folded_sum_of "$T/folded" 'outside')" 0 "outside of it, may_jump"
	expect_calls deep 300 300 0 1200 100
	expect_eq "$(folded_sum_of "$T/folded" 'outside')" 0 "outside, deep"
	expect_calls leaves 300 150 150 0 0
	expect_calls keeps 300 300 0 0 0
	# the callee is none of the caller, which is left by a jump
	expect_calls tails 300 300 0 0 0
	expect_eq "$(folded_sum_of "$T/folded" ';callee(;| )')" 0 "of the callee of tails"
	expect_calls branches 300 300 0 0 0 $ms
	# in half of them it is, where the jump is not taken
	expect_samples "$(windows .sampled)" $((ms / 2)) "windows that go on behind the jump"
	expect_mostly_in branches
	expect_eq "$(windows .stepped)" 150 "half of the returns"
	# whoever catches an exception meanwhile meets a probe, too
	expect_ge "$(windows .emulated)" 800 "entries, jumps that may leave, 200 exceptions caught"
	expect_match "$T/err" 'branches is left in 2 places, of which the kernel single-steps 1:' \
		"the cost"
}

# Nothing has left a call that is there yet when the recording ends.
t_calls_open_at_the_end() {
	local budget
	need_x86_64
	for budget in 0 2; do
		pmb record -d 0.3 --budget $budget -e cpu-clock -F 997 -o "$T/folded" \
			--summary "$T/sum.json" --window "u:$WORKLOADS/hot:main" -- \
			"$WORKLOADS/hot" 60
		expect_eq "$rc" 143 "exit status: the command got SIGTERM"
		expect_eq "$(windows '"\(.began) \(.ended) \(.abandoned) \(.open)"')" "1 0 0 1" \
			"began, ended, abandoned, open; --budget $budget"
	done
}

# The kernel would kill it for a system call that it doesn't make itself.
t_calls_under_seccomp() {
	local option
	need_x86_64
	[ "$("$WORKLOADS/strict" 10)" = done ] || skip "no strict seccomp here"
	cp "$WORKLOADS/strict" "$T/strict"
	for option in "" --unsafe-return-probe; do
		# shellcheck disable=SC2086 # an option, or none
		record $option --window u:$T/strict:handle -- "$T/strict" 300
		expect_eq "$(cat "$T/out")" "done" "the program's words $option"
		expect_eq "$(windows '"\(.began) \(.ended) \(.abandoned)"')" "600 600 0" \
			"calls $option"
	done
}

# Rust's panics leave calls as C++'s exceptions do, and end them where they are caught. Without
# optimization what catches them is called from deeper than the call was, and they are abandoned.
t_calls_of_rust() {
	local level calls='"\(.began) \(.ended) \(.abandoned) \(.caught)"'
	need_x86_64
	need_program rustc
	for level in 3 0; do
		rustc -C opt-level=$level -o "$T/panics" "$TOP/tests/workloads/panics.rs" \
			2>"$T/log" || skip "this rustc doesn't do: $(head -n 1 "$T/log")"
		record --window u:$T/panics:may_panic -- "$T/panics"
		expect_eq "$(cat "$T/out")" "caught 100" "the program's words, $level"
		expect_eq "$(windows '"\(.began) \(.ended - .caught) \(.abandoned + .caught)"')" \
			"300 200 100" "calls, -C opt-level=$level"
		[ $level = 0 ] || expect_eq "$(windows "$calls")" "300 300 0 100" "calls"
		expect_match "$T/err" 'probe at offset .* \(std::panicking::.*::cleanup\)' \
			"where they are caught"
		expect_no_match "$T/err" '__cxa_begin_catch' "a probe in C++'s library"
	done
}

# Without a file: of what the command or the process runs.
t_calls_without_a_file() {
	need_x86_64
	record --window u:one_unit -- "$WORKLOADS/marks" 500 40 4
	expect_eq "$(windows '"\(.began) \(.ended) \(.nested) \(.name)"')" \
		"2000 2000 0 u:one_unit" "units"
	expect_ge "$(frame_share "$T/folded" one_unit)" 95 "percent inside"
	(cd "$WORKLOADS" && PATH=$WORKLOADS:$PATH && record --window u:move_to -- marks 50 7 1)
	expect_eq "$(windows .ended)" 50 "by PATH"
	spawn "$WORKLOADS/marks" 100000000 7 1 >/dev/null
	record --window u:one_unit..u:move_to -p "$spawned" -d 0.5
	expect_ge "$(windows .ended)" 10 "of a process"
	record --window u:one_unit --longer 1us -p "$spawned" -d 0.5
	expect_ge "$(windows .kept)" 1 "calls of a process"
}

# They go on on another thread than they began on.
refused() { # STATUS WORDS OPTION…
	expect_refused "$1" "$2" record -e cpu-clock "${@:3}"
}

t_own_probes_open_and_close() {
	local marks=usdt:$WORKLOADS/marks:marks
	need_x86_64
	record --window unit=$marks:begin..$marks:end -- "$WORKLOADS/marks" 500 40 4
	expect_eq "$(windows '"\(.began) \(.ended) \(.nested) \(.open)"')" "2000 2000 0 0" "units"
	expect_ge "$(frame_share "$T/folded" one_unit)" \
		"$(awk -v lost="$(uncopied)" 'BEGIN { print 100 - lost }')" "of samples, inside"
	refused 2 'has no such probe of its own' --window $marks:nosuch..$marks:end
}

# In a root of its own, under a name that is none here; another process has the same file.
t_functions_in_a_root_of_its_own() {
	local name=/mnt/marks-of-$$
	need_x86_64
	spawn unshare -m sh -c "mount -t tmpfs none /mnt && cp '$WORKLOADS/marks' $name &&
		exec $name 100000000 7 1" >/dev/null
	wait_until test -e "/proc/$spawned/root$name" || skip "no mounts of one's own here"
	wait_until grep -q "$name" "/proc/$spawned/maps" || fail "it doesn't run"
	record --window u:$name:one_unit..u:$name:move_to -p "$spawned" -d 0.5
	expect_ge "$(windows .ended)" 10 "windows"
	pmb record -e cpu-clock --window u:$name:one_unit..u:$name:move_to -- true
	expect_eq "$rc" 2 "exit status where there is no such file"
	expect_match "$T/err" 'there is no such file' "the sentence"
}

# Its files are those below, in a root of its own.
on_an_overlay() { # BELOW NAME
	local mount=$T/overlay-$2
	mkdir "$mount" "$mount.upper"
	spawn unshare -m sh -c "mount -t tmpfs none '$mount.upper' &&
		mkdir '$mount.upper/u' '$mount.upper/w' && mount -t overlay o -o \
		lowerdir='$1',upperdir='$mount.upper/u',workdir='$mount.upper/w' '$mount' &&
		exec chroot '$mount' /marks 100000000 7 1" >/dev/null 2>&1
	wait_until grep -q /marks "/proc/$spawned/maps" || skip "no overlays here"
}

# What is met of one probe before the other is there begins and ends nothing: the longer it takes,
# beside others, to put them in, the longer is looked.
expect_two_hits_a_window() { # SPEC WHAT
	local s
	for s in 0.5 2 8; do
		record --window "$1" -p "$first,$spawned" -d "$s"
		expect_ge "$(windows .ended)" 10 "windows $2"
		[ "$(windows .hits)" -gt $((3 * $(windows .ended))) ] || return 0
	done
	fail "$(windows .hits) hits of $(windows .ended) windows $2: two each, not four"
}

# Of a mount namespace of its own, and of two overlays with one file below: each is one inode, and
# a probe of it is met once, not once for each root.
t_roots_that_share_a_file() {
	local marks=$WORKLOADS/marks first
	need_x86_64
	spawn "$marks" 100000000 7 1 >/dev/null
	first=$spawned
	spawn unshare -m "$marks" 100000000 7 1 >/dev/null
	wait_until grep -q "$marks" "/proc/$spawned/maps" || skip "no mounts of one's own here"
	expect_two_hits_a_window u:$marks:one_unit..u:$marks:move_to "in a namespace"
	kill "$first" "$spawned"

	mkdir "$T/below"
	cc -static -O1 -D_GNU_SOURCE -o "$T/below/marks" "$TOP/tests/workloads/marks.c" -lpthread \
		2>"$T/cc" || skip "nothing is linked statically here"
	on_an_overlay "$T/below" 1
	first=$spawned
	on_an_overlay "$T/below" 2
	expect_two_hits_a_window u:/marks:one_unit..u:/marks:move_to "on overlays"
}

byte_at() { # PID ADDRESS
	dd if="/proc/$1/mem" bs=1 skip=$(($2)) count=1 2>/dev/null | od -An -tx1 | tr -d ' '
}

is_byte() { # PID ADDRESS BYTE
	[ "$(byte_at "$1" "$2")" = "$3" ]
}

# However it ends, the program's code is what it was.
t_no_probe_stays() {
	local marks=$WORKLOADS/marks start offset at before signal pid
	need_x86_64
	need_program nm
	spawn "$marks" 100000000 7 1 >/dev/null
	pid=$spawned
	wait_until grep -q '/marks$' "/proc/$pid/maps" || fail "it doesn't run"
	start=$(awk -F'[- ]' '/\/marks$/ { print $1; exit }' "/proc/$pid/maps")
	offset=$(nm "$marks" | awk '$3 == "move_to" { print $1 }')
	at=0x$start
	[ "$(od -An -tx1 -j 16 -N 1 "$marks" | tr -d ' ')" = 03 ] || at=0
	at=$((at + 0x$offset))
	before=$(byte_at "$pid" $at)
	for signal in INT KILL; do
		pmb_start record -e cpu-clock -o /dev/null -p "$pid" \
			--window u:$marks:one_unit..u:$marks:move_to+0
		wait_until is_byte "$pid" $at cc || fail "it isn't probed"
		pmb_finish $signal 2>/dev/null
		wait_until is_byte "$pid" $at "$before" || fail "a probe stays after $signal"
	done
	kill -0 "$pid" || fail "the program is no more"
}

# One counted event switches counting: of N faults every other one opens.
t_faults_toggle() {
	local twice=page-faults/period=1/..page-faults/period=1/
	record --window turn=$twice -- "$WORKLOADS/marks" 500 7 4
	expect_ge "$(windows .began)" $((500 * 8 * 4 / 2)) "every other fault"
	expect_ge 1 $(($(windows .hits) - $(windows '.began + .ended'))) "hits that did neither"
	expect_eq "$(windows .nested)" 0 "nested"
	expect_match "$T/err" 'opens and closes windows at the event itself \(no skid\)' "the skid"
}

# Where functions of a process lie, by addresses alone.
t_addresses_open_and_close() {
	local base marks=$WORKLOADS/marks from to
	need_breakpoints
	spawn "$marks" 100000000 7 1 >/dev/null
	wait_until grep -q '/marks$' "/proc/$spawned/maps" || fail "marks did not start"
	base=0x$(awk -F- '/\/marks$/ { print $1; exit }' "/proc/$spawned/maps")
	from=0x$(nm "$marks" | awk '$3 == "one_unit" { print $1 }')
	to=0x$(nm "$marks" | awk '$3 == "move_to" { print $1 }')
	from=$(printf '0x%x' $((base + from))) to=$(printf '0x%x' $((base + to)))
	record --window "unit=x:$from..x:$to" -p "$spawned" -d 0.5
	expect_ge "$(windows .ended)" 10 "units"
	expect_ge 2 $(($(windows .hits) - $(windows '.began + .ended'))) "hits that did neither"
	expect_inside_units
	expect_match "$T/err" "'mem:$from:x' opens windows at the instruction" "the skid"
	pmb_ok stat --per "x:$from" -e page-faults -p "$spawned" -d 0.3 -j -o "$T/stat.json"
	expect_ge "$(jq .per.ended "$T/stat.json")" 10 "units from one hit to the next"
	expect_eq "$(jq '.per.series[] | select(.series == "page-faults") | .mean' \
		"$T/stat.json")" 8 "faults of each"
}

# What was not asked for has none of it, in tasks and on CPUs.
t_events_of_targets_only() {
	need_breakpoints
	spawn "$WORKLOADS/marks" 100000000 7 1 >/dev/null
	spawn "$WORKLOADS/marks" 100000000 7 1 >/dev/null
	record --window $BEGIN_MARK..$END_MARK -p "$spawned" -d 0.5 --by pid
	expect_ge "$(windows .ended)" 10 "windows of one"
	expect_ge 2 $(($(windows .hits) - $(windows '.began + .ended'))) "writes of others"
	expect_eq "$(cut -d ';' -f 1 "$T/folded" | sort -u)" "pid $spawned" "processes"
	record --window $BEGIN_MARK..$END_MARK -a -d 0.5 --by pid
	expect_ge "$(cut -d ';' -f 1 "$T/folded" | sort -u | wc -l)" 2 "processes of -a"
}

# The time that doesn't count has as much CPU time at most, and what it took to start.
t_after() {
	need_program perl
	record_loop --after 400ms -- perl -e "$ONE_WINDOW"
	expect_ge "$(sum_aggregated)" 1 "samples after 400 ms"
	expect_le "$(sum_get '.events[0].kernel.weight_closed')" 700000000 "ns before"
	expect_le "$(sum_weight)" 1100000000 "ns after"
}

t_slowest() {
	record_loop --slowest 3 --by window_number -- "$SERVER" 40 20 10
	expect_eq "$(windows .kept)" 3 "windows that were kept"
	expect_eq "$(cut -d ';' -f 1 "$T/folded" | sort -u | wc -l)" 3 "numbers of windows"
}

t_report_by_window_and_duration() {
	pmb_ok record -e cpu-clock --window loop -o "$T/p.pb.gz" -- "$SERVER" 20
	pmb_ok report --by window,duration "$T/p.pb.gz"
	expect_match "$T/out" 'loop$' "the window"
	expect_match "$T/out" ' [0-9.]+(us|ms|s)\.\.[0-9.]+(us|ms|s)$' "a duration"
	pmb_ok record -e cpu-clock -o "$T/p.pb.gz" -- "$SERVER" 1
	pmb_ok report --by window "$T/p.pb.gz"
	expect_match "$T/out" 'no window' "where there are none"
}

# One window with more samples than there is room for: what had none is counted.
t_bounded_room() {
	local hz
	need_program perl
	hz=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
	record_loop -F $((hz < 4999 ? hz : 4999)) --longer 1h --max-memory 1M -- \
		perl -e "$ONE_WINDOW"
	[ "$(sum_emitted)" -ge 1000 ] || skip "only $(sum_emitted) samples: the machine is too busy"
	expect_eq "$(sum_aggregated)" 0 "kept"
	expect_ge "$(windows .unheld)" 1 "samples that had no room to wait"
	expect_match "$T/err" 'no room to wait for the end of their window' "the words"
}

# Counters that are read at the clock's overflows are closed with them.
t_readings() {
	"$PMUBPF" list tsc 2>/dev/null | grep -q '^msr/tsc/ .*read at clock overflows' ||
		skip "no msr/tsc/ here that only counts"
	record_loop -e msr/tsc/ --longer 20ms -- "$SERVER" 30
	# where there was no overflow there is no reading
	expect_eq "$(sum_get '.events[1].kernel.closed')" "$(sum_get '.events[0].kernel.closed')" \
		"readings outside of windows"
	expect_ge "$(sum_get '.events[1].user.discarded.quick_windows')" 1 "in quick windows"
}

# The same parts, added up, of a recording that is cut all the time.
t_cut() {
	[ -x "$O/bench/pmubpf-cuts" ] || skip "build/bench/pmubpf-cuts is not built"
	export PMUBPF="$O/bench/pmubpf-cuts" CUT_MS=20
	record_loop --longer 20ms -- "$SERVER" "$REQUESTS" 20
	expect_eq "$(windows .ended)" "$REQUESTS" "windows that ended"
	expect_kept "$(measured requests 4)"
}

# Nobody who looks at this machine finds anything of it afterwards.
t_nothing_stays() {
	expect_nothing_stays record -e cpu-clock --window loop -a -o /dev/null
}

# Whoever is refused one probe of a kernel's function is told of another that goes here.
t_what_goes_in_place_of_a_kernel_function() {
	local probe instead
	for probe in k:vfs_read f:vfs_read; do
		pmb record -q -e cpu-clock -o "$T/p.pb.gz" --window "$probe" -- \
			"$WORKLOADS/split" 0.1
		[ "$rc" != 0 ] || continue
		expect_eq "$rc" 3 "exit status of $probe"
		instead=$(sed -n 's/.* \([kf]:vfs_read\) may do$/\1/p' "$T/err")
		if [ "$instead" ]; then
			pmb_ok record -q -e cpu-clock -o "$T/p.pb.gz" --window "$instead" -- \
				"$WORKLOADS/split" 0.1
		else
			expect_match "$T/err" 'can.t be met here; what can are tracepoints' \
				"words of $probe"
		fi
	done
}

t_what_is_refused() {
	refused 2 '--longer needs --window' --longer 20ms
	refused 2 '--after needs --window' --after 20ms
	refused 2 '--slowest needs --window' --slowest 3
	refused 2 'with its unit, such as 50ms' --window loop --longer 20
	refused 2 'with its unit, such as 50ms' --window loop --after 0ms
	refused 2 'a number of windows from 1' --window loop --slowest 0
	refused 2 'given twice' --window loop --window run
	refused 2 'is neither a window nor a probe; use loop, run, syscall' --window lop
	refused 2 'no system call here has that name' --window syscall:opennat
	refused 2 'a window has two ends' --window t:sched:sched_switch
	refused 2 'syscall:NAME is the call' --window t:syscalls:sys_enter_read..t:syscalls:a
	refused 2 'there is no tracepoint (sched:)?no' --window t:sched:no..t:sched:no
	refused 2 'there is no tracepoint (nothing:)?a' --window t:nothing:a..t:nothing:a
	refused 2 'can.t open or close one' --window t:lock:contention_begin..t:lock:b
	refused 2 'a moment, and a window has two ends' --window x:0x401136
	refused 2 'is not an address such as' --window x:main..x:0x401136
	refused 2 'this kernel has no function nosuch' --window f:nosuch
	refused 2 'are called by what keeps track of windows' --window k:bpf_map_update_elem
	refused 2 'has no function .nosuch. by itself' --window u:nosuch
	refused 2 'say which file has the function: u:/path/of/file:main' -a --window u:main
	refused 2 'a moment, and a window has two ends' --window "u:$WORKLOADS/marks:touch+4"
	refused 3 "'never' can't be had: it never returns" --window "u:$WORKLOADS/calls:never"
	refused 3 'a jump of its own leads to its beginning' --window "u:$WORKLOADS/calls:again"
	refused 3 'not all of its code can be read' --window "u:$WORKLOADS/calls:odd"
	refused 2 'has no function .nosuch. by itself' \
		--window "u:$WORKLOADS/marks:nosuch..u:$WORKLOADS/marks:touch"
	refused 2 'no instruction that can be probed begins at touch.0x1$' \
		--window "u:$WORKLOADS/marks:touch+1..u:$WORKLOADS/marks:touch"
	refused 2 'there is no such file' --window u:/nothing/here:a..u:/nothing/here:b
	refused 2 'is not an ELF file' --window u:/etc/passwd:a..u:/etc/passwd:b
	refused 2 'is a moment, and a window has two ends' --window page-faults/period=1/
	refused 2 'neither a PMU nor an event' --window nosuch/period=1/..nosuch/period=1/
	refused 2 'period must be at least 1' --window page-faults/period=0/..page-faults/period=1/
	refused 2 'needs a period' --window mem:0x1000/freq=5/..$END_MARK
}

run_tests
