#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# stat --neighbours: who had the CPU while others waited for it, against what the scheduler counts
# of those that waited. Others run on this machine, too, and may be in between.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

setup() {
	need_root
}

neighbours() { # OPTION … [-- COMMAND]
	pmb_ok stat --neighbours -e task-clock -j -o "$T/n.json" "$@"
	expect_closed
}

row() { # NAME [N]: ns, or what counter N counted
	jq --arg name "$1" --argjson n "${2:-0}" \
		'[.neighbours.rows[] | select(.name == $name) | .values[$n]] | add // 0' "$T/n.json"
}

waits() { # KEY
	jq ".neighbours.waits.$1" "$T/n.json"
}

# To the nanosecond: rows are integrals, what they are compared with is the sum of single waits.
expect_closed() {
	expect_eq "$(jq '.neighbours.counters[0] | .value == .rows' "$T/n.json")" true \
		"all rows are the waits ($(jq -c '.neighbours | .counters, .waits' "$T/n.json"))"
}

# A copy of a program that spins, on a CPU: its number in $SPINNER.
spin() { # NAME CPU
	cp "$WORKLOADS/inlined" "$T/$1"
	taskset -c "$2" "$T/$1" 60 >/dev/null &
	SPINNER=$!
	SPAWNED+=("$SPINNER")
	# it has its CPU, and is no shell any more
	wait_until grep -qx "$1" "/proc/$SPINNER/comm" || fail "$1 isn't there"
}

last_cpu() {
	taskset -cp $$ | sed 's/.*[-, ]//'
}

first_cpu() {
	taskset -cp $$ | sed 's/.*: //; s/[-,].*//'
}

stopped() { # PID: waits until it is
	local tries=0
	until grep -q '^State:[[:space:]]*T' "/proc/$1/status" || [ $((tries++)) -gt 500 ]; do
		sleep 0.01
	done
}

# Run-queue wait, and how often it got a CPU.
scheduled() { # PID
	cut -d ' ' -f 2,3 "/proc/$1/schedstat"
}

# The command lets it run, and is over when it stands still again: all its waits are inside. The
# other one's time on the CPU in between goes to files.
BETWEEN='kill -CONT "$0"; cut -d " " -f 1 "/proc/$1/schedstat" >"$2/from"; sleep 0.8
	cut -d " " -f 1 "/proc/$1/schedstat" >"$2/to"; kill -STOP "$0"
	until grep -q "^State:[[:space:]]*T" "/proc/$0/status"; do sleep 0.01; done'
WATCH='cut -d " " -f 1 "/proc/$0/schedstat" >"$1/from"; sleep 0.6
	cut -d " " -f 1 "/proc/$0/schedstat" >"$1/to"'

# What the scheduler counted meanwhile. Its clock stands still within a switch: some microseconds of
# each run are the difference, and where no switch was told its length.
expect_as_scheduled() { # BEFORE AFTER
	local want runs got
	# shellcheck disable=SC2086 # two words each
	set -- $1 $2
	want=$(($3 - $1)) runs=$(($4 - $2))
	got=$(jq '.neighbours.counters[0].value' "$T/n.json")
	echo "    waited $got ns in $runs runs, by the scheduler $want ns"
	expect_within "$got" "$want" \
		$((want / 100 + 20000 * runs + $(waits not_told_ns) + $(row '[switch not seen]'))) \
		"ns of waiting"
}

# Whoever always wants a CPU waits for it while the other one has it. The scheduler adds to a
# thread that runs at its ticks.
expect_all_of() { # ROW
	local ran unknown
	ran=$(($(cat "$T/to") - $(cat "$T/from")))
	unknown=$(($(row '[switch not seen]') + $(waits not_told_ns)))
	echo "    $1 had $(row "$1") ns meanwhile, and by the scheduler $ran ns in between"
	expect_ge "$ran" 1000000 "ns that $1 ran"
	expect_ge $(($(row "$1") + unknown + 10000000 + ran / 50)) "$ran" "ns that $1 had the CPU"
}

t_two_on_one_cpu() {
	local cpu wants spins before
	cpu=$(last_cpu)
	[ "$(first_cpu)" != "$cpu" ] || skip "one CPU"
	[ -e /proc/self/schedstat ] || skip "no schedstat"
	spin spins "$cpu"
	spins=$SPINNER
	spin apart "$(first_cpu)"
	spin wants "$cpu"
	wants=$SPINNER
	kill -STOP "$wants"
	stopped "$wants"
	before=$(scheduled "$wants")
	neighbours -p "$wants" --by comm -- sh -c "$BETWEEN" "$wants" "$spins" "$T"
	expect_as_scheduled "$before" "$(scheduled "$wants")"
	expect_all_of spins
	expect_eq "$(row apart)" 0 "ns of one on another CPU"
	expect_eq "$(row '[idle]')" 0 "ns of nobody, where two want it"
}

# On the CPU where it waits not, nobody had it.
t_nobody_waits_on_another_cpu() {
	local cpu
	cpu=$(last_cpu)
	[ "$(first_cpu)" != "$cpu" ] || skip "one CPU"
	spin spins "$cpu"
	spin wants "$cpu"
	neighbours -p "$SPINNER" -C "$(first_cpu)" --by comm -- sleep 0.5
	expect_eq "$(jq '.neighbours.counters[0].value' "$T/n.json")" 0 "ns of waiting there"
}

counted_hierarchy() {
	awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { print $2 }' /proc/self/mounts |
		grep . || awk '$3 == "cgroup2" { print $2 }' /proc/self/mounts | head -n 1
}

# Two cgroups, one of which has a child that waits, too.
t_cgroups() {
	local cg cpu one=neighbour-one-$$ other=neighbour-other-$$ unit wants before
	cpu=$(last_cpu)
	cg=$(counted_hierarchy)
	mkdir "$cg/$one" "$cg/$one/below" "$cg/$other" 2>/dev/null || skip "can't make cgroups here"
	later rmdir "$cg/$one/below" "$cg/$one" "$cg/$other"
	spin wants "$cpu"
	wants=$SPINNER
	echo "$wants" >"$cg/$one/below/cgroup.procs"
	spin spins "$cpu"
	echo "$SPINNER" >"$cg/$other/cgroup.procs"
	kill -STOP "$wants"
	stopped "$wants"
	before=$(scheduled "$wants")
	neighbours -G "$cg/$one" --by comm -- sh -c "$BETWEEN" "$wants" "$SPINNER" "$T"
	expect_as_scheduled "$before" "$(scheduled "$wants")"
	expect_all_of spins
	kill -CONT "$wants"
	neighbours -G "$cg/$other" --by comm -- sh -c "$WATCH" "$wants" "$T"
	expect_all_of wants
	for unit in "$cg/$one/below" "$cg/$other"; do
		while read -r pid; do
			kill "$pid"
		done <"$unit/cgroup.procs"
		until [ ! -s "$unit/cgroup.procs" ]; do sleep 0.05; done
	done
}

# By cgroup and by container, whatever the names are: the sums are the same as ever.
t_by_cgroup_and_container() {
	local cg key unit=neighbour-$$.service
	cg=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { print $2 }' /proc/self/mounts |
		grep . || awk '$3 == "cgroup2" { print $2 }' /proc/self/mounts | head -n 1)
	[ -n "$cg" ] || skip "no hierarchy is mounted that tells containers apart"
	mkdir "$cg/$unit" 2>/dev/null || skip "can't make cgroups here"
	later rmdir "$cg/$unit"
	spin wants "$(last_cpu)"
	for key in cgroup container; do
		# shellcheck disable=SC2016 # the inner shell's
		neighbours -p "$SPINNER" --by $key -- sh -c 'echo $$ >"$1/cgroup.procs"
			exec taskset -c "$2" "$0" 0.6' \
			"$WORKLOADS/inlined" "$cg/$unit" "$(last_cpu)"
		[ $key = container ] || unit=/$unit
		expect_ge "$(row "$unit")" 1000000 "ns of $unit"
		unit=${unit#/}
	done
	pmb_ok stat --neighbours -e task-clock -j -o "$T/n.json" -a -- true
	expect_eq "$(jq -r .neighbours.key "$T/n.json")" container "what it is by, unless asked"
}

# Thousands of processes, threads that are moved, cgroups that vanish: nothing is missing.
t_storm() {
	local cg
	need_program perl
	cg=$(counted_hierarchy)
	# shellcheck disable=SC2016 # perl's
	neighbours -a --by process -- perl -e '
		for $i (1 .. 3000) { exit if !fork; wait if $i > 100 }
		1 while wait > 0'
	expect_ge "$(jq '.neighbours.rows | length' "$T/n.json")" 3 "rows"
	# shellcheck disable=SC2016 # the inner shell's
	neighbours -a --by cgroup -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do
		mkdir "$0/gone-$$-$i" 2>/dev/null || continue
		sh -c "echo \$\$ >$0/gone-$$-$i/cgroup.procs"
		until rmdir "$0/gone-$$-$i" 2>/dev/null; do sleep 0.01; done
	done; true' "$cg"
	neighbours -a --by comm -- perl -e '
		for (1 .. 4) { fork } $until = time + 1;
		while (time < $until) {
			$0 = "\x1b[31m$_,\"\n" . $n++;
			select undef, undef, undef, 0.0001
		}'
}

# What is of several ends up in one sum; -I has each interval's.
t_intervals_and_csv() {
	local first
	first=$(first_cpu)
	spin one "$first"
	spin two "$first"
	pmb_ok stat -a --neighbours --by comm -e task-clock -I 200 -j -o "$T/lines" -- sleep 1
	expect_ge "$(wc -l <"$T/lines")" 4 "intervals"
	expect_eq "$(jq -s 'map(.neighbours.counters[0] | .value - .rows) | add' "$T/lines")" 0 \
		"waits that are in no row, of all intervals"
	jq -s 'map(.neighbours.rows[]) | {neighbours: {rows: .}}' "$T/lines" >"$T/n.json"
	expect_ge "$(row one)" 1 "ns of one of the two"
	pmb_ok stat -a --neighbours --by comm -e task-clock -x, -- sleep 0.5
	expect_match "$T/out" \
		'^[0-9]+\.[0-9]{2},msec,run-queue wait,one,[0-9]+\.[0-9]{2},100\.00$' "CSV"
	pmb_ok stat -a --neighbours --by comm --limit 1 -e task-clock -- sleep 0.5
	expect_match "$T/out" '^  by comm +run-queue wait +%$' "the head"
	expect_match "$T/out" '^  \[[0-9]+ more\] ' "those beyond the limit"
	expect_match "$T/out" \
		'^  run-queue wait: all rows are ([0-9]+) ns, the waits themselves \1 ns$' "the law"
}

# As if two CPUs were one core's threads: what the kernel says of it, for the tool alone.
with_siblings() {
	local cpu list
	list=$(first_cpu),$(last_cpu)
	[ "${list%,*}" != "${list#*,}" ] || skip "one CPU"
	[ -e "/sys/devices/system/cpu/cpu${list#*,}/topology/thread_siblings_list" ] ||
		skip "nothing is said of cores here"
	unshare -m true 2>/dev/null || skip "no mount namespace can be made here"
	echo "$list" >"$T/list"
	{
		echo '#!/bin/sh'
		for cpu in ${list/,/ }; do
			echo "mount --bind $T/list" \
				"/sys/devices/system/cpu/cpu$cpu/topology/thread_siblings_list"
		done
		echo "exec $PMUBPF \"\$@\""
	} >"$T/tool"
	printf '#!/bin/sh\nexec unshare -m sh %s "$@"\n' "$T/tool" >"$T/siblings"
	chmod +x "$T/siblings"
	PMUBPF=$T/siblings
}

# Of counter N all that there is in rows.
counted() { # N
	jq "[.neighbours.rows[].values[$1]] | add" "$T/n.json"
}

# Counts of those who wait, by who had the other thread of their core: each once.
t_siblings() {
	local faults unseen target
	need_program perl
	with_siblings
	spin spins "$(last_cpu)"
	renice -n -10 -p "$SPINNER" >/dev/null
	# shellcheck disable=SC2016 # perl's
	spawn taskset -c "$(first_cpu)" perl -e 'kill STOP => $$;
		$pages = "x" x (4096 * 3000) while (times)[0] + (times)[1] < 0.4;
		open F, ">", $ARGV[0]; kill STOP => $$' "$T/done"
	target=$spawned
	stopped "$target"
	# shellcheck disable=SC2016 # the inner shell's
	pmb_ok stat --neighbours --by comm -e page-faults,task-clock -j -o "$T/n.json" \
		-d 60 -p "$target" -- sh -c \
		'kill -CONT "$0"; until [ -e "$1" ]; do sleep 0.05; done' "$target" "$T/done"
	expect_closed
	faults=$(jq '.rows[0].events[0].value' "$T/n.json") unseen=$(row '[switch not seen]' 1)
	expect_ge "$faults" 3000 "faults, by the target's own counter"
	expect_ge "$faults" "$(($(counted 1) - unseen))" "faults of known rows"
	expect_ge "$(counted 1)" "$faults" "faults of all rows"
	expect_eq "$(row '[no sibling]' 1)" 0 "faults where there is none"
	expect_ge "$(row spins 2)" 1 "ns beside the one that spins"
	expect_eq "$(row perl 1)" 0 "faults beside itself, on one CPU"
	pmb_ok stat -a --neighbours --by process -e page-faults,task-clock -j \
		-o "$T/n.json" -d 0.5
	expect_eq "$(jq -c '.neighbours.counters | map(.value == .rows)' "$T/n.json")" \
		'[true,true,true]' "all rows are what the CPUs counted"
	expect_ge "$(row "spins-$SPINNER" 2)" 1 "ns beside the same, by process"
	pmb_ok stat -C "$(first_cpu)" --neighbours --by comm -e page-faults,task-clock -j \
		-o "$T/n.json" -d 0.3
	expect_eq "$(jq '.neighbours.counters | length' "$T/n.json")" 1 \
		"counters where no other thread of a core is watched"
	pmb_ok stat -a --neighbours --by comm -e page-faults,task-clock -d 0.3
	expect_match "$T/out" \
		'^  by comm +run-queue wait +% +page-faults +% +task-clock +%$' "the head"
	expect_match "$T/out" \
		"^  page-faults, by who had the core's other thread: all rows are [0-9]+$" "the law"
	expect_refused 2 'at most 7 events can be counted so, and these are 8' \
		stat -a --neighbours -e page-faults,task-clock,cpu-clock,minor-faults,major-faults \
		-e context-switches,cpu-migrations,alignment-faults
}

# Nobody passes for what isn't a program.
t_names_in_brackets() {
	need_program perl
	spin waits "$(first_cpu)"
	pmb_ok stat -a --neighbours --by comm --limit 0 -e task-clock -- \
		taskset -c "$(first_cpu)" perl -e '$0 = "[idle]"; for ($i = 0; $i < 5e6; $i++) { }'
	expect_match "$T/out" '^  \\x5bidle\] ' "a program of that name"
}

t_nothing_stays() {
	expect_nothing_stays stat -a --neighbours --by process -e task-clock
}

refused() { # WORDS OPTION…
	expect_refused 2 "$1" stat -e task-clock --neighbours "${@:2}"
}

t_what_is_refused() {
	refused 'say whose waits' --by comm
	refused 'say whose waits' -- true
	refused '--neighbours and -A exclude each other' -a -A
	refused '--neighbours and -t exclude each other' -t $$
	refused '--neighbours and -r exclude each other' -a -r 3 -- true
	refused 'of one process at a time; these are 2' -p 1,$$
	refused "--by 'user' is none of" -a --by user
}

# Samples beside each, as said by the label.
beside() { # NAME
	"$PMUBPF" report --by sibling --csv "$T/p.pb.gz" 2>&1 |
		awk -F, -v name="$1" '$2 == "sibling" && (name == "" || $3 == name) { n += $5 }
			END { print n + 0 }'
}

cpu_ticks() { # PID
	awk '{ print $14 + $15 }' "/proc/$1/stat"
}

# One that spins has the other thread of the core for as much of the time as it has its CPU, and
# one that is stopped never.
t_whom_a_sample_is_beside() {
	local all before began share
	with_siblings
	spin spins "$(last_cpu)"
	renice -n -10 -p "$SPINNER" >/dev/null
	before=$(cpu_ticks "$SPINNER") began=$(date +%s%N)
	pmb_ok record --label sibling -e cpu-clock -F 997 -o "$T/p.pb.gz" \
		--summary "$T/sum.json" -- taskset -c "$(first_cpu)" "$WORKLOADS/split" 0.5
	share=$((($(cpu_ticks "$SPINNER") - before) * 1000000000 / ($(date +%s%N) - began)))
	expect_ledger
	all=$(beside "")
	expect_eq "$all" "$(sum_get '.events[0].user.aggregated')" \
		"samples that say whom they are beside"
	expect_ge "$(($(beside spins) * 100 / all))" $((share - 20)) \
		"percent of them beside the one that spins, which had its CPU for $share %"
	expect_eq "$(beside split)" 0 "samples beside itself, by name"
	kill -STOP "$SPINNER"
	stopped "$SPINNER"
	pmb_ok record --label sibling -e cpu-clock -F 997 -o "$T/p.pb.gz" \
		-- taskset -c "$(first_cpu)" "$WORKLOADS/split" 0.3
	expect_eq "$(beside spins)" 0 "samples beside one that is stopped"
	expect_ge "$(beside "")" 100 "samples beside others"
	pmb_ok record --label sibling -e cpu-clock -F 997 -o "$T/p.pb.gz" \
		-- taskset -c "$(first_cpu),$(last_cpu)" "$WORKLOADS/threads" 1
	expect_ge "$(beside '[same process]')" 20 "samples beside another thread of the process"
	expect_eq "$(beside threads)" 0 "samples beside another process of its name"
	pmb_ok record --by sibling -e cpu-clock -o "$T/folded" \
		-- taskset -c "$(first_cpu)" "$WORKLOADS/split" 0.1
	expect_no_match "$T/folded" '^\[no sibling\]' "samples that don't say it"
}

# Nobody is told who doesn't ask, and why there is nothing to tell is said.
t_no_sibling() {
	[ "$(cat /sys/devices/system/cpu/cpu0/topology/thread_siblings_list)" = 0 ] ||
		skip "CPU 0 has a sibling"
	pmb_ok record --label sibling -e cpu-clock -o "$T/p.pb.gz" -- "$WORKLOADS/split" 0.1
	expect_match "$T/err" '^  sibling: no CPU here shares its core with exactly one other$' \
		"why there is none"
	expect_eq "$(beside '[no sibling]')" "$(beside "")" "samples without"
	pmb_ok record -e cpu-clock -o "$T/p.pb.gz" -- "$WORKLOADS/split" 0.1
	expect_no_match "$T/err" 'sibling' "a word about it where nobody asks"
}

run_tests
