#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The process that reads foreign files, seen from outside while real recordings go on: it has
# nothing but memory and what it was handed, files it fails on are named, and whoever started it
# keeps only what a recording needs. What a helper that was taken over could still do is
# tests/unit/test_sandbox.c.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# The helper of $tool, once it has confined itself. Its pid is in $helper.
find_helper() {
	local p
	for p in $(cat "/proc/$tool/task/$tool/children" 2>/dev/null); do
		[ "$(cat "/proc/$p/comm" 2>/dev/null)" = pmubpf-symd ] || continue
		[ "$(status_of "$p" Seccomp)" = 2 ] || continue
		helper=$p
		return 0
	done
	return 1
}

status_of() { # PID KEY
	awk -v k="$2:" '$1 == k { print $2 }' "/proc/$1/status" 2>/dev/null
}

# A recording of the host that has sampled something, and so has a helper.
record_host() { # OPTION…
	need_root
	spawn "$WORKLOADS/inlined" 20
	busy=$spawned
	pmb_start record -a -e cpu-clock -o "$T/folded" --summary "$T/sum.json" "$@"
	wait_until find_helper || fail "no helper that has confined itself: $(head -n 3 "$T/err")"
}

t_nothing_is_left() {
	record_host -d 2
	expect_eq "$(status_of "$helper" CapEff)" 0000000000000000 "effective capabilities"
	expect_eq "$(status_of "$helper" CapPrm)" 0000000000000000 "permitted capabilities"
	expect_eq "$(status_of "$helper" CapBnd)" 0000000000000000 "bounding set"
	expect_eq "$(status_of "$helper" CapAmb)" 0000000000000000 "ambient capabilities"
	expect_eq "$(status_of "$helper" NoNewPrivs)" 1 "no_new_privs"
	expect_eq "$(status_of "$helper" Seccomp)" 2 "a filter of system calls"
	expect_eq "$(readlink "/proc/$helper/root")" /proc/tty/ldisc "its root"
	expect_eq "$(find "$(readlink "/proc/$helper/root")" -mindepth 1 | wc -l)" 0 \
		"names under its root"
	expect_eq "$(cat "/proc/$helper/oom_score_adj")" 1000 "who goes first when memory runs out"
	pmb_finish
	expect_eq "$rc" 0 "exit status"
	expect_ge "$(folded_sum_of "$T/folded" '^inlined;.*;main;work;leaf_spin$')" 1 "names"
	expect_eq "$(sum_get .names.helper_failures)" 0 "failures of the helper"
	expect_eq "$(sum_get '.set_aside | length')" 0 "files set aside"
}

# Nothing, nothing, nothing, the socket; and the file that it reads, if it reads one just now.
t_only_what_it_was_handed() {
	local fd link flags
	record_host -d 2
	for fd in "/proc/$helper/fd"/*; do
		link=$(readlink "$fd")
		flags=$(awk '$1 == "flags:" { print $2 }' "/proc/$helper/fdinfo/${fd##*/}" 2>/dev/null)
		case ${fd##*/}:$link in
		[012]:/dev/null | 3:socket:*) ;;
		[012]:* | 3:*) fail "descriptor ${fd##*/} is $link" ;;
		*:) ;; # closed meanwhile
		*:socket:*) ;; # which a file comes in
		*:/memfd:*) ;; # which it was lent for an answer
		*) [ "$((0$flags & 3))" = 0 ] ||
			[ "$(readlink "$fd")" != "$link" ] || # another one by now
			fail "descriptor ${fd##*/} may be written to: $link" ;;
		esac
	done
	expect_eq "$(awk '/^Max open files/ { print $5 }' "/proc/$helper/limits")" 16 \
		"descriptors at a time"
	expect_eq "$(awk '/^Max processes/ { print $4 }' "/proc/$helper/limits")" 0 "processes"
	expect_eq "$(awk '/^Max cpu time/ { print $5 }' "/proc/$helper/limits")" 180 \
		"seconds of CPU time"
	expect_le "$(awk '/^Max address space/ { print $5 }' "/proc/$helper/limits")" 4294967296 \
		"bytes of memory"
	pmb_finish
}

t_the_recorder_keeps_what_it_needs() {
	local bits=0 mask n
	record_host -d 2
	mask=$(status_of "$tool" CapEff)
	for n in 39 5 24; do bits=$((bits | 1 << n)); done
	kernel_is 5.13 || bits=$((bits | 1 << 34)) # CAP_SYSLOG: it has to read all names
	expect_eq "$((0x$mask & ~bits))" 0 "capabilities beyond BPF, KILL, SYS_RESOURCE ($mask)"
	expect_eq "$(status_of "$tool" CapBnd)" \
		"$(printf %016x "$((bits & 0x$(status_of $$ CapBnd)))")" "bounding set"
	expect_eq "$(status_of "$tool" NoNewPrivs)" 1 "no_new_privs"
	pmb_finish
	expect_eq "$rc" 0 "exit status"
}

# The one that opens files reads all of them, and has nothing to write to; who starts it has no more
# than what counters of CPUs that come online want.
t_the_opener_has_nothing_else() {
	local bits=0 more=0 n p fd spawner
	record_host -d 2
	for n in 19 2 40 24; do bits=$((bits | 1 << n)); done
	spawner=$(grep -lx pmubpf-spawner /proc/[0-9]*/comm 2>/dev/null | cut -d/ -f3 | while read -r p; do
		[ "$(awk '$1 == "PPid:" { print $2 }' "/proc/$p/status")" = "$tool" ] && echo "$p"
	done)
	[ -n "$spawner" ] || fail "no spawner"
	more=$((1 << 38 | ($(cat /proc/sys/kernel/perf_event_paranoid) == 3 ? 1 << 21 : 0)))
	for p in "$spawner" $(cat "/proc/$spawner/task/$spawner/children"); do
		[[ $(status_of "$p" State) = [DRS] ]] || continue # reaped when the next one is started
		expect_eq "$((0x$(status_of "$p" CapPrm) & ~bits & ~more))" 0 \
			"capabilities of $p beyond those of openers (SECURITY.md)"
		more=0 # an opener's
		expect_eq "$(status_of "$p" NoNewPrivs)" 1 "no_new_privs of $p"
		for fd in "/proc/$p/fd"/*; do
			case ${fd##*/}:$(readlink "$fd") in
			[01]:/dev/null | 2:* | *:socket:* | *:) ;;
			*) [ "$((0$(awk '$1 == "flags:" { print $2 }' "/proc/$p/fdinfo/${fd##*/}" 2>/dev/null) & 3))" = 0 ] ||
				[[ $(readlink "$fd") = *memfd:* ]] || fail "descriptor ${fd##*/} of $p may be written to: $(readlink "$fd")" ;;
			esac
			[[ $(readlink "$fd") != *anon_inode* ]] || fail "descriptor ${fd##*/} of $p is $(readlink "$fd")"
		done
	done
	pmb_finish
	expect_eq "$rc" 0 "exit status"
}

# Counting takes none but for what hands descriptors to its opener; a command that has become another user has to be ended, a thread has to be
# seen.
t_the_counter_keeps_next_to_nothing() {
	need_root
	spawn "$WORKLOADS/inlined" 20
	local busy=$spawned ended keeps
	keeps=$(printf %016x "$((1 << 24 & 0x$(status_of $$ CapEff)))")
	pmb_start stat -p "$busy" -d 30
	expect_eq "$(status_of "$tool" CapEff)" "$keeps" "effective capabilities"
	expect_eq "$(status_of "$tool" CapBnd)" "$keeps" "bounding set"
	expect_eq "$(status_of "$tool" NoNewPrivs)" 1 "no_new_privs"
	pmb_finish INT
	expect_match "$T/out" task-clock "its counts"
	pmb_start stat -t "$busy" -d 30
	expect_eq "$(status_of "$tool" CapEff)" "$keeps" "effective capabilities, counting a thread"
	pmb_finish INT
	expect_match "$T/out" task-clock "its counts"
	ended=$SECONDS
	pmb stat -d 0.5 -r 2 -- setpriv --reuid 65534 --clear-groups sleep 20
	expect_no_match "$T/err" 'setpriv:' "a second command with less than the first"
	expect_le "$((SECONDS - ended))" 15 "seconds until another user's command was ended, twice"
}

# A command has its caller's privileges, and programs with a setuid bit are what they were. (Twice:
# each pass of --passes starts it again.)
t_the_command_keeps_its_privileges() {
	need_root
	cp "$(command -v id)" "$T/id"
	chmod 4755 "$T/id"
	pmb_ok record -e cpu-clock -o "$T/folded" -- sh -c \
		"grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status; setpriv --reuid 65534 --clear-groups $T/id -u"
	expect_eq "$(head -n 3 "$T/out")" "$(grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status)" "the command's privileges"
	expect_eq "$(tail -n 1 "$T/out")" 0 "who a program with a setuid bit is"
}

# The kernel counts descriptors in messages that nobody has received by user, and refuses more to who
# has a lower limit and no capability: the helper may have 16. Who hands files to it has the
# capability, if root has it here.
t_many_descriptors_in_flight() {
	need_root
	spawn "$WORKLOADS/inflight" 2000 >"$T/holder"
	wait_until grep -q held "$T/holder" || fail "none are in flight"
	pmb_ok record -e cpu-clock -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/frameless" deep 1
	expect_deep
	[ "$((1 << 24 & 0x$(status_of $$ CapEff)))" != 0 ] || return 0
	(
		ulimit -n 1000
		pmb_ok record -e cpu-clock -o "$T/folded" --summary "$T/sum.json" -- \
			"$WORKLOADS/frameless" deep 1
	)
	expect_deep
}

expect_deep() {
	local n
	n=$(sum_get '[.stacks.user[]?] | add')
	expect_ge "$n" 100 "samples"
	expect_ge "$(sum_get .stacks.user.complete)" $((n * 9 / 10)) "stacks that are whole, of $n"
	expect_eq "$(sum_get .names.helper_failures)" 0 "failures of the helper"
	expect_eq "$(sum_get '.set_aside | length')" 0 "files set aside"
}

# A file that is large for its zeros.
large() { # FILE
	cp "$WORKLOADS/inlined" "$1"
	truncate -s 20M "$1"
}

# That of large files, which has patience with each: what keeps the other one waiting is handed to
# it.
find_second_helper() {
	local first=$1 p
	for p in $(cat "/proc/$tool/task/$tool/children" 2>/dev/null); do
		[ "$p" != "$first" ] && [ "$(cat "/proc/$p/comm" 2>/dev/null)" = pmubpf-symd ] &&
			[ "$(status_of "$p" Seccomp)" = 2 ] && second=$p && return 0
	done
	return 1
}

# One that hangs, and one that dies, over a file: that file is named, with -q, too, and the rest
# goes on.
t_the_file_that_did_it_is_named() {
	local second
	record_host -d 5 -q
	large "$T/first"
	spawn "$T/first" 2
	wait_until find_second_helper "$helper" || fail "no helper of large files"
	kill -STOP "$second"
	large "$T/$(printf 'evil\nname')"
	spawn "$T/$(printf 'evil\nname')" 2
	sleep 1
	kill -KILL "$second"
	pmb_finish
	expect_eq "$rc" 0 "exit status"
	expect_match "$T/err" '^pmubpf: warning: .* is set aside, without unwind table: the process that read it was ended by signal 9' "a warning"
	expect_ge "$(sum_get '.set_aside | length')" 1 "files set aside"
	expect_eq "$(sum_get '.set_aside[0].lost')" "unwind table" "what they lost"
	expect_ge "$(folded_sum_of "$T/folded" ';main;work;leaf_spin$')" 1 "names from the next helper"
}

# Nobody else may open anything by then, and it has to be said.
t_the_opener_is_ended() {
	need_root
	local spawner
	pmb_start record -a -e cpu-clock -d 30 -o "$T/folded" --summary "$T/sum.json"
	for spawner in $(families_of "$tool"); do
		[ "$(cat "/proc/$spawner/comm")" != pmubpf-spawner ] || kill -KILL "$spawner"
	done
	cp "$WORKLOADS/split" "$T/later"
	"$T/later" 0.3 >/dev/null
	pmb_finish INT
	expect_eq "$rc" 0 "exit status"
	expect_ledger
	expect_match "$T/err" "the process that opens programs' files was ended" "the reason"
	expect_eq "$(sum_get .opener.ended)" true "in the summary"
	expect_match "$T/folded" '^later;' "what was sampled after that"
}

# What this kernel has of it.
t_doctor_tells() {
	pmb doctor --json
	expect_eq "$(jq '[.findings[] | select(.section == "sandbox")] | length' "$T/out")" 2 "findings"
	expect_match <(jq -r '.findings[] | select(.what | startswith("system calls")).value' "$T/out") '^yes$' "seccomp"
}

# Rings of three recordings are more memory than a user may lock without CAP_IPC_LOCK: they get
# smaller ones.
t_several_recordings_of_a_user() {
	need_root
	local caps=+bpf,+perfmon,+sys_ptrace,+dac_read_search,+checkpoint_restore i pids=()
	cp "$PMUBPF" "$T/pmubpf"
	for i in 1 2 3; do
		setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps "$caps" --ambient-caps "$caps" \
			bash -c 'ulimit -l 64; exec "$@"' - "$T/pmubpf" record -q -a -e cpu-clock -d 1 >"$T/out.$i" 2>"$T/err" </dev/null &
		pids+=($!)
	done
	for i in 1 2 3; do
		wait "${pids[i - 1]}"
		expect_eq $? 0 "exit status of recording $i"
		expect_folded "$T/out.$i"
	done
}

# When others of the same user have locked all of it, that is what it says: not that it needs root.
t_no_memory_that_may_be_locked() {
	need_root
	local caps=+bpf,+perfmon,+sys_ptrace,+dac_read_search,+checkpoint_restore
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" != -1 ] || skip "there is no limit"
	cp "$PMUBPF" "$T/pmubpf"
	cp "$WORKLOADS/lockedrings" "$T/lockedrings"
	# a user of whom there are no other programs
	cat >"$T/as" <<-END
		ulimit -l 0
		exec setpriv --reuid 64973 --regid 64973 --clear-groups --inh-caps $caps \\
			--ambient-caps $caps "\$@"
	END
	spawn bash "$T/as" "$T/lockedrings" >"$T/locked"
	wait_until grep -q . "$T/locked" || fail "nothing is locked"
	grep -q full "$T/locked" || skip "no such limit here: $(head -n 1 "$T/locked")"
	rc=0
	bash "$T/as" "$T/pmubpf" record -q -a -e cpu-clock -d 1 >"$T/out" 2>"$T/err" </dev/null ||
		rc=$?
	expect_eq "$rc" 3 "exit status"
	expect_match "$T/err" 'have locked all the memory they may.*ulimit -l' "the reason"
	expect_no_match "$T/err" 'run as root|CAP_' "a reason that it isn't"
	kill "$spawned"
	wait "$spawned" 2>/dev/null
	bash "$T/as" "$T/pmubpf" record -q -a -e cpu-clock -d 1 >"$T/out" 2>"$T/err" </dev/null ||
		fail "nor without them: $(head -n 1 "$T/err")"
}

run_tests
