#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Where the output goes, and what if it cannot.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

setup() {
	pmb_ok record -e cpu-clock -o "$S/folded" --summary "$S/sum.json" -- \
		"$WORKLOADS/recurse" 0.1
	mv "$T/out" "$S/out"
}

t_file() {
	expect_folded "$S/folded"
	expect_empty "$S/out" "stdout with -o"
}

t_stdout_is_stacks_only() {
	pmb_ok record -e cpu-clock -- "$WORKLOADS/recurse" 0.1
	expect_folded "$T/out"
	expect_match "$T/err" '.' "the summary"
}

on_a_terminal() { # COLUMNS COMMAND…: its standard error, in $T/err
	python3 -c '
import fcntl, os, pty, struct, subprocess, sys, termios, threading
ours, theirs = pty.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
said = []
def listen():
    try:
        while data := os.read(ours, 65536):
            said.append(data)
    except OSError:
        pass
listener = threading.Thread(target=listen)
listener.start()
status = subprocess.run(sys.argv[2:], stderr=theirs, stdout=subprocess.DEVNULL).returncode
os.close(theirs)
listener.join()
sys.stderr.buffer.write(b"".join(said).replace(b"\r\n", b"\n"))
sys.exit(status)' "$@" 2>"$T/err"
}

# It fits a terminal, by words; in a pipe each sentence is a line.
t_the_summary_fits_the_terminal() {
	on_a_terminal 60 "$PMUBPF" record -e cpu-clock -- "$WORKLOADS/recurse" 0.1 || fail "record"
	sed -i '/.*\r/s///; s/^.*\x1b\[K//' "$T/err"
	sed -n '/^pmubpf: [0-9]/,$p' "$T/err" >"$T/lines"
	expect_match "$T/lines" '^  cost: ' "the last sentence"
	expect_eq "$(awk 'length > 60 && NF > 1' "$T/lines")" "" "lines that are too long"
	expect_match "$T/lines" '^      ?[a-z0-9]' "what goes on further in"
	pmb_ok record -e cpu-clock -- "$WORKLOADS/recurse" 0.1
	expect_match "$T/err" '^  cost: .{90}' "a line in a pipe"
}

t_summary_is_json() {
	jq -e . "$S/sum.json" >/dev/null || fail "jq cannot read the summary"
	expect_eq "$(sum_get '.command_line | length' "$S/sum.json")" 11 "words of the command"
	expect_match <(sum_get .version "$S/sum.json") '^[0-9]' "version"
}

t_keys_are_stable() {
	local path
	for path in .version .command_line .duration_s .balanced .remarks .events .stacks.user .stacks.kernel \
		.frames.named .frames.unnamed .sideband.lost .events[0].name .events[0].unit \
		.events[0].rate \
		.events[0].scope .events[0].kernel.seen .events[0].kernel.dropped.ring_full \
		.events[0].user.decoded .events[0].counter.value .events[0].counter.enabled_ns \
		.events[0].counter.running_ns .events[0].counter.scaled .events[0].throttled; do
		jq -e "$path != null" "$S/sum.json" >/dev/null || fail "the summary has no $path"
	done
	jq -e '.events[0] | has("ratio") and has("ratio_why") and has("remainder")' \
		"$S/sum.json" >/dev/null ||
		fail "the summary lacks ratio, ratio_why or remainder"
}

t_sorted_and_merged() {
	pmb_ok record -e cpu-clock -F 2000 -o "$T/folded" -- "$WORKLOADS/manypaths" 0.25
	sed 's/ [0-9]*$//' "$T/folded" >"$T/stacks"
	expect_eq "$(sort -u "$T/stacks" | wc -l)" "$(wc -l <"$T/folded")" "different stacks"
	# By frames: the separator sorts before everything else.
	tr ';' '\001' <"$T/stacks" | sort -c 2>"$T/disorder" ||
		fail "the lines are not in order: $(tr '\001' ';' <"$T/disorder" | cut -c -160)"
}

t_full_disk() {
	pmb record -e cpu-clock -o /dev/full -- "$WORKLOADS/recurse" 0.1
	expect_eq "$rc" 1 "exit status of -o /dev/full"
	expect_match "$T/err" '/dev/full' "the file is named"
	expect_match "$T/err" 'No space left|full' "the reason is named"
}

# On a disk of three pages, which the old files take; in a mount namespace of its own.
on_a_full_disk() { # COMMANDS: sh, with the disk as $1 and the tool as $2
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount -t tmpfs -o size=12k none "$1" && shift && eval "$1"' - "$T/disk" \
		"$1" "$T/disk" "$PMUBPF"
}

t_a_full_disk_leaves_the_old_profile() {
	need_root
	mkdir "$T/disk"
	# shellcheck disable=SC2016
	on_a_full_disk '
		echo "old 1" >$2/p; echo "old 2" >$2/sum; touch $2/mounted; echo "old 3" >$2/mounted
		mount --bind $2/mounted $2/mounted
		for o in "-o $2/p" "--summary $2/sum" "-o $2/mounted"; do
			$3 record -q -e cpu-clock -F 4000 $o -- '"$WORKLOADS"'/manypaths 0.2 >>$2/../out 2>>$2/../err
			echo "$? $(cat $2/p $2/sum $2/mounted | tr "\n" " ")$(ls -A $2 | wc -l)"
		done' >"$T/said"
	expect_eq "$(sort -u "$T/said")" "1 old 1 old 2 old 3 3" \
		"status, the old files, and how many there are"
	expect_eq "$(grep -c 'No space left.*has not changed' "$T/err")" 3 "words for it"
}

# What can't be repeated goes to another folder, and no half file is left where it should have been.
t_a_full_disk_loses_no_profile() {
	need_root
	local o seconds saved
	mkdir "$T/disk" "$T/temp"
	for o in p.pb.gz p.html p.folded; do
		# names stand once in the first, which is compressed
		seconds=1
		[ $o = p.pb.gz ] || seconds=0.3
		# shellcheck disable=SC2016
		TMPDIR=$T/temp on_a_full_disk '
			"$3" record -q -e cpu-clock -F 2000 -o "$2/'$o'" -- \
				"$WORKLOADS/manypaths" '$seconds'
			echo "$? $(ls -A "$2")"' >"$T/said" 2>"$T/err"
		expect_eq "$(tail -n 1 "$T/said")" "1 " "$o: status, and what is on the disk"
		expect_match "$T/err" \
			"can't write .*/$o: No space left on device; nothing is left of it" \
			"the error"
		saved=$(sed -n "s/.* what was recorded is in '\(.*\)' instead.*/\1/p" "$T/err")
		expect_eq "${saved#"$T/temp/pmubpf-"??????-}" "$o" "what it is called"
		expect_eq "$(stat -c %a "$saved")" 600 "its mode"
	done
	pmb_ok report --limit 1 "$(echo "$T"/temp/*.pb.gz)"
	expect_match "$T/out" 'ledger +balanced' "the profile"
	# where there is no room either, nothing is left of the attempts
	# shellcheck disable=SC2016
	on_a_full_disk '
		cd "$2" || exit
		for d in /var/tmp /tmp /dev/shm; do mount -t tmpfs -o size=4k none $d; done
		TMPDIR=/tmp "$3" record -q -e cpu-clock -F 4000 -- "$WORKLOADS/manypaths" 0.5 >out
		echo "$? $(ls -A /tmp /var/tmp /dev/shm | grep -c pmubpf-)"' >"$T/said" 2>"$T/err"
	expect_eq "$(tail -n 1 "$T/said")" "1 0" "status, and files elsewhere"
	expect_match "$T/err" 'nor is there room for it in /tmp, .*name a file on another disk' \
		"what to do"
}

# Links and second names lead to what stays what it is: a full disk changes nothing of it.
t_a_full_disk_leaves_all_old_files() {
	need_root
	mkdir "$T/disk"
	pmb_ok record -e cpu-clock -F 4000 -o "$T/p.pb.gz" -- "$WORKLOADS/manypaths" 0.5
	# shellcheck disable=SC2016
	on_a_full_disk '
		echo "old 1" >$2/p; ln -s p $2/link; echo "old 2" >$2/one; ln $2/one $2/two
		cat $2/p >$2/full 2>/dev/null; cat /dev/zero >>$2/full 2>/dev/null
		for o in link two new; do
			for c in "report --html" "report --jsonl" "diff --html $2/../p.pb.gz"; do
				$3 $c -o $2/$o $2/../p.pb.gz; echo "$?"
			done
			for c in "" "-I 50"; do
				$3 stat $c -e task-clock -o $2/$o -- sleep 0.3; echo "$?"
			done
		done
		echo $(cat $2/p $2/link $2/one $2/two) $(ls -A $2)' >"$T/said" 2>"$T/err"
	expect_eq "$(sort "$T/said" | uniq -c | head -n 1 | tr -s ' ')" " 15 1" "status"
	expect_eq "$(tail -n 1 "$T/said")" "old 1 old 1 old 2 old 2 full link one p two" \
		"the old files, and which there are"
	expect_eq "$(grep -c 'No space left.*has not changed' "$T/err")" 10 "words for old ones"
	expect_eq "$(grep -c 'No space left.*nothing is left of it' "$T/err")" 5 \
		"words for new ones"
}

# What was counted before stays, by whole intervals.
t_a_disk_that_fills_up_keeps_intervals() {
	need_root
	mkdir "$T/disk"
	# shellcheck disable=SC2016
	on_a_full_disk '
		"$3" stat -j -I 20 -e task-clock -o "$2/s" -a -- sleep 20; echo "$?"
		cat "$2/s"' >"$T/said" 2>"$T/err"
	expect_eq "$(head -n 1 "$T/said")" 1 "status"
	expect_match "$T/err" \
		"can't write .*/s: No space left on device; what was written before is there" \
		"the error"
	expect_ge "$(tail -n +2 "$T/said" | jq -s length)" 3 "intervals, each whole"
}

t_an_old_profile_keeps_its_owner() {
	need_root
	mkdir "$T/theirs"
	echo "old 1" >"$T/theirs/p"
	cp "$T/theirs/p" "$T/theirs/twice"
	ln "$T/theirs/twice" "$T/theirs/again"
	ln -s p "$T/theirs/link"
	chmod 640 "$T"/theirs/p
	chown -R -h 65534:65533 "$T/theirs"
	pmb_ok record -e cpu-clock -o "$T/theirs/p" -- "$WORKLOADS/split" 0.1
	expect_folded "$T/theirs/p"
	expect_eq "$(stat -c '%u:%g %a' "$T/theirs/p")" "65534:65533 640" "owner and mode"
	pmb_ok record -e cpu-clock -o "$T/theirs/twice" -o "$T/theirs/link" -- "$WORKLOADS/split" \
		0.1
	expect_eq "$(stat -c %h "$T/theirs/again")" 2 "names of a file that has two"
	cmp -s "$T/theirs/again" "$T/theirs/p" ||
		fail "the second name, and the end of the link, hold something else"
	[ -L "$T/theirs/link" ] || fail "the link is gone"
	expect_eq "$(ls -A "$T/theirs" | wc -l)" 4 "files: nothing was left beside them"
}

# Killed, it leaves what was there, and nothing beside it.
t_sudden_death_leaves_the_old_profile() {
	echo "old 1" >"$T/p"
	pmb_start record -a -e cpu-clock -o "$T/p"
	pmb_finish KILL 2>/dev/null
	expect_eq "$(cat "$T/p")" "old 1" "the old profile"
	expect_eq "$(ls -A "$T" | tr '\n' ' ')" "err out p " "files"
}

# What every user runs is for the eyes of who asked; where the kernel lies in memory, for nobody's.
t_profiles_are_private() {
	need_root
	local f
	umask 022
	ln -s end "$T/link"
	SUDO_UID=65534 SUDO_GID=65533 pmb_ok record -a -e cpu-clock -F 2000 -o "$T/p.pb.gz" \
		-o "$T/p.perf" -o "$T/link" \
		--summary "$T/sum.json" -- "$WORKLOADS/syscalls" 0.25
	for f in p.pb.gz p.perf sum.json; do
		expect_eq "$(stat -c '%u:%g %a' "$T/$f")" "65534:65533 600" "owner and mode of $f"
	done
	expect_eq "$(stat -c '%u:%g %a' "$T/end")" "0:0 600" "owner and mode of what a link led to"
	"$PMUBPF" report --by address "$T/p.pb.gz" >"$T/rows" || fail "report"
	expect_match "$T/p.perf" '\(\[kernel\.kallsyms\]\)' "frames of the kernel"
	expect_match "$T/rows" ' 0x[0-9a-f]+ ' "addresses"
	expect_no_match <(cat "$T/rows" "$T/p.perf") '(^|[^0-9a-f])f{4}[0-9a-f]{12}' \
		"an address of the kernel"
	"$PMUBPF" record -q -e cpu-clock -o "$T/own.folded" -- "$WORKLOADS/split" 0.1 ||
		fail "record"
	expect_eq "$(stat -c '%u:%g %a' "$T/own.folded")" "$(id -u):$(id -g) 600" "without sudo"
}

t_full_disk_on_stdout() {
	"$PMUBPF" record -e cpu-clock -- "$WORKLOADS/recurse" 0.1 >/dev/full 2>"$T/err"
	expect_eq $? 1 "exit status"
	expect_match "$T/err" 'No space left|full' "the reason is named"
}

t_full_disk_for_the_summary() {
	pmb record -e cpu-clock -o "$T/folded" --summary /dev/full -- "$WORKLOADS/recurse" 0.1
	expect_eq "$rc" 1 "exit status"
	expect_folded "$T/folded"
}

t_unwritable_file_fails_early() {
	local start=$SECONDS
	pmb record -e cpu-clock -o "$T/no/such/dir/file" -- "$WORKLOADS/recurse" 8
	expect_eq "$rc" 1 "exit status"
	expect_match "$T/err" 'no/such/dir/file' "the file is named"
	expect_le "$((SECONDS - start))" 6 "seconds: told before the recording, not after"
}

# Not after an hour of recording.
t_a_closed_stdout_fails_early() {
	local status=0
	timeout 20 "$PMUBPF" record -e cpu-clock -d 60 -- sleep 60 >&- 2>"$T/err" </dev/null ||
		status=$?
	expect_eq "$status" 1 "exit status"
	expect_match "$T/err" "^pmubpf: can't write to standard output: Bad file descriptor$" \
		"what is said"
}

t_quiet_without_a_terminal() {
	pmb_ok record -e cpu-clock -o "$T/folded" -- \
		sh -c '"$0" 0.1; sleep 1.1' "$WORKLOADS/split"
	expect_no_match "$T/err" $'\r|\033' "a live line in a file"
}

t_live_line_on_a_terminal() {
	need_program script
	script -qec "'$PMUBPF' record -e cpu-clock -o '$T/folded' -- \
			sh -c '$WORKLOADS/split 0.1; sleep 1.1'" /dev/null \
		>"$T/out" 2>&1 </dev/null
	expect_match "$T/out" 'samples' "a live line"
	expect_match "$T/out" $'\r' "a live line that is redrawn"
}

# ulimit -f, which else ends whoever writes more by a signal; the program that is started has it as
# it was.
t_a_limit_of_file_sizes() {
	echo before >"$T/folded"
	(
		ulimit -f 64
		"$PMUBPF" record -e cpu-clock -q -F 3999 -o "$T/folded" -- sh -c '"$0" 1; head -c 1000000 /dev/zero >"$1"; echo $? >"$2"' \
			"$WORKLOADS/manypaths" "$T/large" "$T/status" >"$T/out" 2>"$T/err"
	)
	expect_eq $? 1 "exit status"
	expect_match "$T/err" "can't write .*: File too large; the file that was there has not changed" "what failed"
	expect_eq "$(cat "$T/folded")" before "the file that was there"
	expect_eq "$(cat "$T/status")" 153 "status of what writes too much itself"
}

# Its open waits for the reader, with all signals blocked by then.
t_a_fifo_without_a_reader() {
	local cmd pid
	mkfifo "$T/fifo"
	for cmd in "record -e cpu-clock -d 9" "stat -e task-clock -a"; do
		# shellcheck disable=SC2086 # words
		"$PMUBPF" $cmd -o "$T/fifo" -- true >"$T/out" 2>"$T/err" </dev/null &
		pid=$!
		SPAWNED+=("$pid")
		wait_until grep -q 'is a FIFO that nobody reads yet' "$T/err" || fail "$cmd: said"
		kill -TERM "$pid"
		timeout 20 tail --pid "$pid" -s 0.1 -f /dev/null || fail "$cmd doesn't end"
	done
	pmb_ok record -q -e cpu-clock -o "$T/fifo" -- "$WORKLOADS/split" 0.1 &
	timeout 30 cat "$T/fifo" >"$T/read"
	wait $!
	expect_match "$T/read" '^split;' "what a reader gets"
}

run_tests
