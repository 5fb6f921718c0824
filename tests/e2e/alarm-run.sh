#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# stat --alarm-run: a program of the user's that is run at an alarm. What it gets and how it ends
# is tests/unit/test_runner.c's; here it is run by a stat that has given up its privileges.
# long
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

RELATED=$WORKLOADS/related
CALLS=syscalls:sys_enter_getppid
RELATION="page-faults ~ $CALLS"

setup() {
	need_root
}

program() { # TEXT
	mkdir "$T/of-user"
	chmod 777 "$T/of-user"
	printf '#!/bin/sh\nF=%s/of-user\n%s\n' "$T" "$1" >"$T/program"
	chmod 755 "$T/program"
}

# Half of the faults are missing after some time.
watch() { # OPTION…
	need_tracepoints
	pmb stat -I 20 -e "page-faults,$CALLS" --alarm "$RELATION" -o "$T/table" \
		--alarm-run "$T/program" "$@" -- "$RELATED" 6000 20 60000 10
}

t_who_and_what() {
	program 'id -u >$F/said; id -g >>$F/said; id -G >>$F/said
		grep -E "^(CapEff|CapBnd|NoNewPrivs)" /proc/$$/status | tr -d "\t" >>$F/said
		tr "\0" "\n" </proc/$$/environ >$F/environment'
	export SUDO_UID=54321 SUDO_GID=54320 SUDO_USER=nobody-here SECRET=1
	watch --alarm-exit
	expect_eq "$rc" 4 "exit status"
	printf '%s\n' 54321 54320 54320 CapEff:0000000000000000 \
		CapBnd:0000000000000000 NoNewPrivs:1 | diff - "$T/of-user/said" >"$T/out" ||
		fail "who it was: $(head -n 3 "$T/out")"
	expect_eq "$(sed 's/=.*//' "$T/of-user/environment" | paste -sd' ')" \
		"PATH PMUBPF_RELATION PMUBPF_AT_S PMUBPF_SINCE_S PMUBPF_PERCENT" "its variables"
	expect_match "$T/of-user/environment" "^PMUBPF_RELATION=$RELATION\$" "the relation"
	expect_match "$T/of-user/environment" '^PMUBPF_AT_S=[0-9]+\.[0-9]{3}$' "when"
	expect_match "$T/of-user/environment" '^PMUBPF_SINCE_S=[0-9]+\.[0-9]{3}$' "since when"
	expect_match "$T/of-user/environment" '^PMUBPF_PERCENT=-[0-9]+\.[0-9]$' "by how much"
	expect_eq "$(sed -n 's/^PMUBPF_AT_S=//p' "$T/of-user/environment")" \
		"$(sed -n 's/^pmubpf: at \([0-9.]*\) s: .* alarm, .*/\1/p' "$T/err")" \
		"the same time as is said"
	expect_match "$T/err" "'$T/program': alarms: 1; runs: 1$" "the sum"
}

# Of a user without a number, nothing is run; and nothing that this user can't.
t_what_is_refused() {
	program 'exit 0'
	SUDO_UID=x SUDO_GID=1 expect_refused 1 "as who called this" \
		stat -I 100 --alarm 'page-faults ~ task-clock' --alarm-run "$T/program"
	chmod 700 "$T/program"
	SUDO_UID=54321 SUDO_GID=54320 expect_refused 2 "can't run '$T/program': Permission denied" \
		stat -I 100 --alarm 'page-faults ~ task-clock' --alarm-run "$T/program"
	expect_refused 2 "can't run '$T/nosuch': No such file" \
		stat -I 100 --alarm 'page-faults ~ task-clock' --alarm-run "$T/nosuch"
	expect_refused 2 "say where it is" \
		stat -I 100 --alarm 'page-faults ~ task-clock' --alarm-run true
	expect_refused 2 '--alarm-run goes with --alarm' stat -I 100 --alarm-run "$T/program"
}

t_how_it_went_is_said() {
	program 'exit 3'
	watch --alarm-exit
	expect_match "$T/err" "--alarm-run: '$T/program' ended with status 3$" "its status"
	printf '#!/bin/sh\nrm -f %s/program\n' "$T" >"$T/program"
	watch --alarm-exit
	expect_match "$T/err" "'$T/program': alarms: 1; runs: 1$" "the sum"
}

# Two relations of the same, so both change at once.
t_one_at_a_time_and_ten_seconds() {
	program 'trap "" TERM; echo $$ >$F/pid; setsid sleep 77 & echo $! >>$F/pid
		while :; do echo more; sleep 0.1; done'
	watch --alarm-exit --alarm "page-faults ~ $CALLS "
	expect_eq "$rc" 4 "exit status"
	expect_match "$T/err" "'$T/program' is not run, for it still runs for the alarm before$" \
		"the second"
	expect_match "$T/err" "'$T/program', or what .* was still there after 10 s: killed$" \
		"the first"
	expect_match "$T/err" "alarms: 2; runs: 1; killed after 10 s: 1; not run, for .*: 1$" \
		"the sum"
	while read -r pid; do
		! kill -0 "$pid" 2>/dev/null || fail "$pid is still there"
	done <"$T/of-user/pid"
}

run_tests
