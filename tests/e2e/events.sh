#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Events by whatever name: one's own from an event file, libpfm's, and what the summary says of
# them.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"


# No file of whoever runs this may have a say.
export XDG_CONFIG_HOME=/nonexistent

need_libpfm() {
	"$PMUBPF" doctor | grep 'libpfm4 .*not here' >/dev/null && skip "libpfm4 is not installed"
	return 0
}

need_own_mounts() {
	need_program unshare
	unshare -m mount --bind "$T" "$T" 2>/dev/null || skip "no mounts of one's own here"
}

write_events() { # FILE
	mkdir -p "$(dirname "$1")"
	cat >"$1" <<-'EVENTS'
		# of one's own
		[my-faults]
		event = page-faults:u
		title = faults of my program
		counts = pages
		period = 11
		[ticks]
		event = cpu-clock
		period = 1000003
	EVENTS
}

# A program that touches 10000 pages: at least so many faults.
touch_pages() {
	echo 'import mmap; m = mmap.mmap(-1, 40960000); [m.__setitem__(i, 1) for i in range(0, 40960000, 4096)]'
}

t_a_user_event_records() {
	need_root
	need_program python3
	need_program jq
	write_events "$T/events"
	pmb_ok record --events "$T/events" -e my-faults,ticks -o "$T/folded" \
		--summary "$T/sum.json" -- \
		python3 -c "$(touch_pages)"
	expect_match "$T/folded" '^my-faults;python3;.* [0-9]+$' "lines under the user's name"
	expect_match "$T/folded" '^ticks;python3;' "lines of the other one"
	expect_match "$T/err" 'my-faults \(software page-faults; per CPU, every 11 pages\)' \
		"the definition"
	expect_match "$T/err" 'faults of my program: PMU software, type 1, config 0x2$' \
		"what it counts"
	expect_ge "$(awk '/^my-faults;/ { n += $NF } END { print n + 0 }' "$T/folded")" 10000 \
		"faults"
	expect_eq "$(jq -r '.events[0] | "\(.name) \(.title) \(.type) \(.config) \(.rate.period)"' "$T/sum.json")" \
		"my-faults faults of my program 1 0x2 11" "the summary's keys"
}

t_behind_a_users_name() {
	need_root
	write_events "$T/events"
	pmb_ok record --events="$T/events" -e my-faults/period=3/,ticks:u -o "$T/folded" -- true
	expect_match "$T/err" 'my-faults \(.*every 3 pages' "its own rate"
	expect_match "$T/err" 'ticks:u \(.*every 1000003 ns' "a modifier"
}

# The user's file goes before the system's; each of the standard places is read.
t_standard_places() {
	need_program jq
	write_events "$T/config/pmubpf/events"
	write_events "$T/home/.config/pmubpf/events"
	XDG_CONFIG_HOME=$T/config "$PMUBPF" list --json >"$T/list.json" ||
		fail "list with XDG_CONFIG_HOME"
	expect_eq "$(jq -r '[.[] | select(.list == "user").name] | join(" ")' "$T/list.json")" \
		"my-faults ticks" "names in XDG_CONFIG_HOME"
	env -u XDG_CONFIG_HOME -u SUDO_UID HOME="$T/home" "$PMUBPF" list my-faults >"$T/out" ||
		fail "list with HOME"
	expect_match "$T/out" '^YOUR EVENT ' "a table of their own"
	expect_match "$T/out" '^my-faults +11 +pages +software page-faults ' "the event"
}

# Under sudo the home is that of whoever called it, not root's.
t_the_home_of_the_caller() {
	need_root
	write_events "$T/home/.config/pmubpf/events"
	env -u XDG_CONFIG_HOME SUDO_UID=1 HOME="$T/home" "$PMUBPF" list my-faults >"$T/out" 2>&1 &&
		fail "the file in HOME was read although another user called sudo"
	env -u XDG_CONFIG_HOME -u SUDO_UID HOME="$T/home" "$PMUBPF" list my-faults >"$T/out" ||
		fail "the file in HOME was not read"
}

t_bad_files() {
	printf '[a]\nevent = cpu-clock\nunitt = ns\n' >"$T/bad"
	pmb record --events "$T/bad" -e cpu-clock -- true
	expect_eq "$rc" 2 "exit status of a bad line"
	expect_match "$T/err" "$T/bad:3: 'unitt' is not a key" "the file and the line"
	pmb list --events "$T/bad"
	expect_eq "$rc" 2 "exit status of list"
	pmb record --events "$T/none" -e cpu-clock -- true
	expect_eq "$rc" 1 "exit status of a missing file"
	expect_match "$T/err" "$T/none: No such file" "the file"
	printf '[a]\nevent = cpu-clokc\n' >"$T/bad"
	pmb record --events "$T/bad" -e a -- true
	expect_eq "$rc" 2 "exit status of a bad text"
	expect_match "$T/err" "$T/bad:1: \[a\]: event 'cpu-clokc' is not known; nearest: cpu-clock" "the definition"
}

t_libpfms_names_record() {
	unset LIBPFM_FORCE_PMU # it would be the only PMU, without perf's own
	need_root
	need_libpfm
	need_program jq
	pmb_ok record -e perf::PAGE-FAULTS/period=1/u,PERF_COUNT_SW_CPU_CLOCK -o "$T/folded" \
		--summary "$T/sum.json" -- \
		"$WORKLOADS/split" 0.4
	expect_match "$T/folded" '^perf::PAGE-FAULTS:u;split;' "faults"
	expect_match "$T/folded" '^PERF_COUNT_SW_CPU_CLOCK;split;' "time"
	expect_eq "$(jq -r '[.events[] | "\(.pmu) \(.type) \(.config) \(.unit)"] | join(", ")' "$T/sum.json")" \
		"software 1 0x2 events, software 1 0x0 time" "what they are"
}

t_libpfms_names_refused() {
	need_libpfm
	pmb record -e skx::MEM_LOAD_RETIRED:L1_MISS:u -- true
	grep -q 'Skylake X' "$T/err" || skip "this machine is a Skylake X"
	expect_eq "$rc" 3 "exit status"
	expect_match "$T/err" 'belongs to skx .*not in this machine' "the reason"
	pmb record -e NO_SUCH_EVENT_ANYWHERE -- true
	expect_eq "$rc" 2 "exit status of an unknown name"
	expect_match "$T/err" "'NO_SUCH_EVENT_ANYWHERE' is not known" "the reason"
	pmb record -e sched:sched_switch -- true
	expect_eq "$rc" 2 "exit status of a tracepoint"
	expect_match "$T/err" 'tracepoints are not counters' "the reason"
}

# The command that is profiled must not see what libpfm is told through the environment.
t_the_commands_environment() {
	unset LIBPFM_FORCE_PMU
	need_root
	pmb_ok record -e perf::PAGE-FAULTS -o "$T/folded" -- sh -c "env >$T/env"
	expect_match "$T/env" '^PATH=' "the environment"
	expect_no_match "$T/env" '^LIBPFM' "a setting of libpfm"
}

# Without the library the vendors' names are unknown, with the reason, and all the rest works.
t_without_libpfm() {
	need_root
	local lib
	lib=$(/sbin/ldconfig -p | sed -n 's/.*libpfm\.so\.4.* => //p' | head -n 1)
	[ -n "$lib" ] || skip "libpfm4 is not installed"
	need_own_mounts
	: >"$T/empty"
	without() {
		# shellcheck disable=SC2016 # the inner shell's
		unshare -m sh -c 'mount --bind "$0" "$1" && shift && exec "$@"' "$T/empty" \
			"$(realpath "$lib")" "$PMUBPF" "$@" >"$T/out" 2>"$T/err"
		rc=$?
	}
	without record -e MEM_LOAD_RETIRED:L1_MISS -- true
	expect_eq "$rc" 2 "exit status"
	expect_match "$T/err" 'need libpfm4, which is not here' "the reason"
	without record -e page-faults -o "$T/folded" -- true
	expect_eq "$rc" 0 "exit status of an event that doesn't need it"
	without doctor
	expect_match "$T/out" 'libpfm4 +not here' "the finding"
	expect_match "$T/out" "lost: CPU makers' event names" "what is lost"
}

# Runs pmubpf where sysfs has two core PMUs, one on CPU 0 and one on CPU 1. What they call
# cpu_cycles and l1d_cache_refill are the CPU clock and page faults: their type is that of the
# software PMU.
pmb_unlike() { # ARG…
	local i dir
	for i in 0 1; do
		dir=$T/sysfs/armv8_cortex_a5$((3 + 4 * i))
		mkdir -p "$dir"/{events,format}
		echo 1 >"$dir/type"
		echo $i >"$dir/cpus"
		echo event=0x0000 >"$dir/events/cpu_cycles"
		echo event=0x0002 >"$dir/events/l1d_cache_refill"
		echo config:0-15 >"$dir/format/event"
	done
	# shellcheck disable=SC2016 # the inner shell's
	unshare -m sh -c 'mount --bind "$0" /sys/bus/event_source/devices && exec "$@"' \
		"$T/sysfs" "$PMUBPF" "$@" >"$T/out" 2>"$T/err"
	rc=$?
}

need_unlike() {
	need_root
	need_program jq
	need_own_mounts
	[ "$(nproc)" -ge 2 ] || skip "one CPU only"
}

# Both CPUs are busy before, meanwhile and afterwards: the fake counters go on in idle time, which a
# core's don't, and which the rate leaves out.
t_one_text_two_core_pmus() {
	need_unlike
	local spinning=()
	spawn taskset -c 0 "$WORKLOADS/split" 600 >/dev/null
	spinning+=("$spawned")
	spawn taskset -c 1 "$WORKLOADS/split" 600 >/dev/null
	spinning+=("$spawned")
	pmb_unlike record -e cycles -o "$T/folded" --summary "$T/sum.json" -- \
		sh -c "taskset -c 0 $WORKLOADS/split 0.3 & taskset -c 1 $WORKLOADS/split 0.3; wait"
	kill "${spinning[@]}"
	expect_eq "$rc" 0 "exit status"
	expect_eq "$(jq -r '[.events[] | "\(.name) \(.pmu) \(.cpus) \(.lead) \(.counter.instances)"] | join(", ")' "$T/sum.json")" \
		"cycles armv8_cortex_a53 0 0 1, cycles armv8_cortex_a57 1 0 1" \
		"one event of each, on its CPU"
	expect_eq "$(jq '[.events[].user.aggregated > 20] | all' "$T/sum.json")" true \
		"samples of both"
	expect_eq "$(cut -d' ' -f1 "$T/folded" | sort | uniq -d | wc -l)" 0 \
		"stacks that have two lines"
	expect_no_match "$T/folded" '^cycles;' "the name of the only event before the lines"
	expect_ledger
	expect_within "$(awk '{ n += $NF } END { printf "%.0f", n }' "$T/folded")" \
		"$(jq '[.events[] | .user.weight * 1e9 / .clock.hz] | add' "$T/sum.json")" 100 \
		"Σ lines and Σ time"
	# both clocks tick once a nanosecond, as measured to 1 %: cycles are time
	local weight
	weight=$(jq '[.events[].user.weight] | add' "$T/sum.json")
	expect_within "$(awk '{ n += $NF } END { printf "%.0f", n }' "$T/folded")" "$weight" \
		$((weight / 100)) \
		"Σ lines and Σ weights"
	expect_match "$T/err" 'cycles, on all cores: armv8_cortex_a53 [0-9]+ \+ armv8_cortex_a57 [0-9]+ = [0-9]+ ns' "the total"
	pmb_unlike record -e cycles --unit events -o "$T/folded" -a -d 0.2
	expect_match "$T/err" 'cycles, on all cores: its lines add up cycles of unlike cores' \
		"no total"
}

t_cpus_of_one_core_pmu() {
	need_unlike
	pmb_unlike record -C 1 -e cycles,dcache-miss -o "$T/folded" --summary "$T/sum.json" -d 0.3
	expect_eq "$rc" 0 "exit status"
	expect_eq "$(jq -r '[.events[].counter.instances] | join(" ")' "$T/sum.json")" "0 1 0 1" \
		"counters of each"
	pmb_unlike record -C 1 -e armv8_cortex_a53/cpu_cycles/ -d 0.2
	expect_eq "$rc" 2 "exit status where the PMU has no CPU"
	expect_match "$T/err" 'counts on CPU 0 only .PMU armv8_cortex_a53., which is not' \
		"the reason"
}

run_tests
