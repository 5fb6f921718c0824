#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The screen of pmubpf top, in tmux: 80 columns and 24 lines if nothing else is said.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

tmx() { tmux -S "$T/tmux" -f /dev/null "$@"; }

# The tool in a terminal of that kind; what settings the terminal had before and has after it, and
# the exit status, are in files.
screen_start() { # TERM ARGS…
	local command
	kind=$1
	shift
	need_program tmux
	command=$(printf '%q ' "$PMUBPF" top -e cpu-clock -F 999 -I 500 "$@")
	later kill_tmux
	# its server of before may be about to end
	wait_until tmx new-session -d -x 80 -y 24 "export TERM=$kind; cd $T; stty -g >before
		$command 2>err; echo \$? >status; stty -g >after; echo it has ended; sleep 100" ||
		fail "tmux does not start"
}

kill_tmux() { tmx kill-server 2>/dev/null; }

press() { tmx send-keys "$@"; }

now() { tmx capture-pane -p >"$T/now"; }

shows() { now && grep -Eq -- "$1" "$T/now"; }
hides() { now && ! grep -Eq -- "$1" "$T/now"; }

see() { # REGEX WHAT
	wait_until shows "$1" || { cp "$T/now" "$T/out"; fail "$2: nothing on the screen is '$1'"; }
}

see_no() { # REGEX WHAT
	wait_until hides "$1" || { cp "$T/now" "$T/out"; fail "$2: '$1' is on the screen"; }
}

# By itself, or as a signal ends it.
expect_restored() { # STATUS
	wait_until test -s "$T/after" || fail "it has not ended"
	expect_eq "$(cat "$T/status")" "$1" "exit status"
	expect_eq "$(cat "$T/after")" "$(cat "$T/before")" "settings of the terminal"
	see '^it has ended' "the shell's line"
	# a vt100 has but one screen
	[ "$kind" = vt100 ] || expect_no_match "$T/now" 'sorted by' "the screen after its end"
	expect_eq "$(tmx display -p '#{alternate_on}#{cursor_flag}')" 01 \
		"main screen, with a cursor"
}

# The tool is what the shell in the terminal has started; what it has started itself is behind it.
tool_in() { # PID
	local pid
	for pid in $(families_of "$1"); do
		[ "$(readlink "/proc/$pid/exe")" = "$(realpath "$PMUBPF")" ] &&
			tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q ' top ' && echo "$pid"
	done
}

load() {
	spawn "$WORKLOADS/split" 60 >/dev/null
	target=$spawned
}

t_rows_and_their_end() {
	load
	screen_start screen -p "$target"
	see '^> .* hot70  split' "the first row"
	see '  hot30  split' "the second row"
	expect_match "$T/now" '^[0-9:]{8}  0\.[0-9]+ s  cost [0-9.]+ [+] [0-9.]+ % .* samples: ' \
		"the head"
	expect_match "$T/now" '^by function  sorted by self' "the view"
	press q
	expect_restored 0
}

# What was last there stays to be read.
t_a_command_that_ends() {
	screen_start screen -- sh -c '"$0" 0.7 >/dev/null; exit 7' "$WORKLOADS/split"
	see '^ENDED  by function' "that it has ended"
	see 'has ended; q quits' "what is said"
	see '  hot70  split' "a row"
	press p
	see '  split [0-9]+$' "processes of the last part"
	press q
	expect_restored 7
}

t_a_signal_after_the_end() {
	screen_start screen -- "$WORKLOADS/split" 0.5
	see '^ENDED  by function' "that it has ended"
	kill "$(tool_in "$(tmx display -p '#{pane_pid}')")"
	expect_restored 0
}

t_into_rows_and_back() {
	load
	screen_start screen
	see '  hot70  split' "a row of the whole system"
	press p
	see "  split $target\$" "the process"
	press / ; press split Enter
	see "^> .*  split $target\$" "the process under the cursor"
	press Enter
	see "in split $target" "that it is of the process"
	see '^> .*  hot70  split' "its first function"
	press Down
	see '^> .*  hot30  split' "the second one"
	press c
	see 'callers of hot30' "the view"
	see '    spin_mix  split' "a caller within"
	press BSpace
	see_no 'callers of' "the view after it"
	press e
	see 'called by hot' "the other view"
	press q
	expect_restored 0
}

t_sorted_and_filtered() {
	load
	screen_start screen -p "$target"
	see '  hot70  split' "a row"
	press s
	see 'sorted by cpu-clock:total' "the next order"
	see '^> .* 100\.00' "the row with all"
	press / ; press OT3 Enter
	see_no '  hot70  split' "rows without the text"
	see '  hot30  split' "the row with the text"
	press Escape
	see '  hot70  split' "all rows again"
	press '?'
	see 'any key leaves' "the help"
	press q
	see '  hot70  split' "the rows after the help"
	press / ; press nothing-has-this Enter
	see 'no row has that text' "what is said of no rows"
	press Escape
	see '  hot70  split' "all rows again"
	press b ; press module Enter
	see '^by module' "rows by something else"
	press b ; press nothing Enter
	see 'neither process' "what is wrong with a key"
	press q
	expect_restored 0
}

t_frozen_and_saved() {
	load
	screen_start screen -p "$target"
	see '  hot70  split' "a row"
	press Space
	see '^FROZEN' "that it is frozen"
	local head
	head=$(head -n 1 "$T/now")
	sleep 1.2
	now
	expect_eq "$(head -n 1 "$T/now")" "$head" "the head while it is frozen"
	press w ; press shown.pb.gz Enter
	see 'written: shown.pb.gz' "that it is written"
	press w ; press shown.html Enter
	see 'written: shown.html' "that it is written"
	press w ; press shown.xyz Enter
	see 'its suffix says as what' "what is wrong with the name"
	press q
	expect_restored 0
	pmb_ok report --json "$T/shown.pb.gz"
	expect_eq "$(jq -r '.rows[0].name' "$T/out")" hot70 "the first row of what was saved"
	expect_eq "$(jq -r .imbalance "$T/out")" null "its books"
	expect_match "$T/shown.html" '<html' "the page"
}

keys_in_line() { # N
	now
	[[ $(sed -n "$1p" "$T/now") == *"q quit"* ]]
}

t_sizes() {
	screen_start screen
	see 'q quit' "keys"
	expect_eq "$(wc -l <"$T/now")" 24 "lines"
	tmx resize-window -x 130 -y 40
	see 'total %.*total.*samples.*function' "columns of a wide screen"
	wait_until keys_in_line 40 || fail "keys are not in line 40"
	tmx resize-window -x 30 -y 6
	wait_until keys_in_line 6 || fail "keys are not in line 6"
	see '^.{29}(…|[+])$' "that a line goes on"
	press q
	expect_restored 0
}

t_simple_terminals() {
	load
	screen_start vt100 -p "$target"
	see '^> .*  hot70  split' "a row on a vt100"
	tmx capture-pane -pe >"$T/colours"
	expect_no_match "$T/colours" "$(printf '\033')\\[[0-9;]*3[0-7]m" "colours"
	press q
	expect_restored 0
}

t_no_screen() {
	load
	screen_start dumb -n 1 -p "$target"
	see '  hot70  split' "a plain line"
	expect_match "$T/err" "plain lines, because .*'dumb' can't move its cursor" "the reason"
}

t_signals() {
	local signal
	load
	for signal in TERM:0 HUP:0 SEGV:139; do
		screen_start screen -p "$target"
		see '  hot70  split' "a row"
		kill "-${signal%:*}" "$(tool_in "$(tmx display -p '#{pane_pid}')")"
		expect_restored "${signal#*:}"
		kill_tmux
		rm -f "$T/status" "$T/after"
	done
}

t_hostile_names() {
	local name=$'\033]0;x\a\033[2Jevil'
	cp "$WORKLOADS/split" "$T/$name"
	spawn "$T/$name" 60 >/dev/null
	screen_start screen --by process,module -p "$spawned"
	see '\\x1b\]0\\x3bx\\x07\\x1b\[2Jevil' "the name"
	press q
	expect_restored 0
}

run_tests
