# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What the suites of hostile programs share, besides lib.sh.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

SECRET=swordfish8472
# kB. The main process is at 27 MB with an ordinary program here (the kernel's symbols are most of
# it), the helper at 4 MB. What a test may add is in its own call of expect_unhurt; else these.
MAIN_KB=65536
# Where the whole host is sampled: tables of other programs (a browser has as many as there is room
# for) and copies of stacks that wait for these, 64 MiB each at most (include/pmubpf/budgets.h).
HOST_KB=$((MAIN_KB + 2 * 65536))
HELPER_KB=65536
WALL_MS=60000
# In which the tool looks at signals and the clock, whatever targets do; without what it and its
# opener waited for a CPU, which says how busy the machine is.
LONGEST_S=0.2

# Records as $T/folded and $T/sum.json, with the peaks in $T/figures.
hurt() { # ARG…
	"$WORKLOADS/measured" "$T/figures" 120 "$PMUBPF" record -e cpu-clock \
		--summary "$T/sum.json" -o "$T/folded" "$@" \
		>"$T/out" 2>"$T/err" </dev/null
	rc=$?
}

figure() {
	awk -v k="$1" '$1 == k { print $2 }' "$T/figures"
}

# A second after the tool that "hurt" starts began to record.
meanwhile() { # COMMAND…
	rm -f "$T/figures"
	{
		wait_until is_measured || wait_until is_measured || wait_until is_measured
		sleep 1
		"$@"
	} &
}

is_measured() {
	[ -s "$T/figures" ] && has_perf_events "$(figure pid)"
}

# What has no names by then gets none.
end_naming_after() { # SECONDS
	local i pid
	pid=$(figure pid)
	for ((i = 0; i < 5 * $1; i++)); do
		sleep 0.2
		! has_gone "$pid" || return 0
	done
	kill -INT "$pid"
}

# For when a recording is over: what was sampled only has to be there for its names, and others
# have the CPUs.
stop_after() { # SECONDS PID…
	sleep "$1"
	shift
	kill -STOP "$@"
}

signal_tool() { # SIGNAL
	kill "-$1" "$(figure pid)"
}

expect_unhurt() { # [MAIN_KB [HELPER_KB]]
	expect_eq "$rc" 0 "exit status"
	expect_le "$(figure wall_ms)" "$WALL_MS" "ms, all in all"
	expect_le "$(figure main_kb)" "${1:-$MAIN_KB}" "kB, the main process at its peak"
	expect_le "$(figure helper_kb)" "${2:-$HELPER_KB}" "kB, the helper at its peak"
	expect_looks "$LONGEST_S"
	expect_ledger
	expect_folded "$T/folded"
	expect_eq "$(folded_sum "$T/folded")" "$(sum_weight)" \
		"Σ of the folded file against the summary"
	expect_no_match <(cat "$T/folded" "$T/out" "$T/err" "$T/sum.json") "$SECRET" \
		"what only root may read"
	[ -z "${FIGURES:-}" ] || echo "${FUNCNAME[1]#t_} $(tr '\n' ' ' <"$T/figures")" >>"$FIGURES"
}

children() { # PID: a line each
	xargs -r -n 1 <"/proc/$1/task/$1/children"
}

# The perf maps that its N children write go with the test.
forget_maps_of() { # PID N
	local pid
	wait_until has_children "$1" "$2" || fail "it does not start"
	for pid in $(children "$1"); do
		later rm -f "/tmp/perf-$pid.map"
	done
}

has_children() { # PID N
	[ "$(children "$1" | wc -w)" = "$2" ]
}
