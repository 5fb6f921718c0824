#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What it costs to be shown something (part of make bench; alone, as root: tests/bench/shown.sh).
# top: percent of all CPUs at the defaults, by its own account, of the parts behind the first: all
# of it, of that overflow programs, itself, helpers; with the least and the most of the parts.
# one: of a busy process (-p); busy: of all, two of them beside; builds: beside compilers, which
# start a hundred programs a second.
# annotate, advise: CPU time and memory (largest resident) of a saved profile's, medians of 9.
# TOP_S=60: so many seconds of top each (20; QUICK=1: 5).
set -eu
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
W=$PWD/${O:-build}/workloads GEN=$PWD/${O:-build}/gen
T=$(mktemp -d "${TMPDIR:-/tmp}/pmb-shown.XXXXXX")
PIDS=()
stop() {
	local pid
	for pid in "${PIDS[@]}"; do kill -- "-$pid" 2>/dev/null || :; done
	PIDS=()
}
trap 'stop; rm -rf "$T"' EXIT

spawn() {
	setsid "$@" >"$T/load" 2>&1 &
	PIDS+=($!)
}

S=${TOP_S:-20}
[ "${QUICK:-0}" = 0 ] || S=5

of_top() { # NAME OPTION…
	local name=$1
	shift
	./pmubpf top -b -j -d "$S" "$@" >"$T/parts" 2>"$T/err" || { cat "$T/err" >&2; exit 1; }
	jq -rs --arg name "$name" 'def r: . * 100 | round / 100;
		def of(f): 100 * (map(f) | add) / (map(.duration_ns * .cost.cpus) | add) | r;
		.[1:] | if length == 0 then ["top", $name, 0] else ["top", $name, length,
			(map(.cost.percent) | add / length | r),
			of(.cost.kernel_ns), of(.cost.process_ns), of(.cost.helpers_ns),
			(map(.cost.percent) | min | r),
			(map(.cost.percent) | max | r)] end | @tsv' "$T/parts"
}

of_runs() { # NAME COMMAND…: wait4 tells of that child alone
	local name=$1
	shift
	python3 - "$@" <<-'PYTHON' >"$T/$name"
		import os, sys
		out = os.open("/dev/null", os.O_WRONLY)
		for _ in range(9):
		    to_out = [(os.POSIX_SPAWN_DUP2, out, 1)]
		    pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=to_out)
		    _, status, used = os.wait4(pid, 0)
		    assert status == 0, status
		    print((used.ru_utime + used.ru_stime) * 1000, used.ru_maxrss / 1024)
	PYTHON
	sort -n "$T/$name" |
		awk -v name="$name" 'NR == 5 { printf "%s\t%.1f\t%.1f\n", name, $1, $2 }'
}

if [ "$(id -u)" -eq 0 ]; then
	printf 'top\tload\tparts\tpercent\toverflows\titself\thelpers\tleast\tmost\n'
	spawn "$W/manypaths" 100000
	of_top one -p "${PIDS[0]}"
	spawn "$W/manypaths" 100000
	of_top busy -a
	stop
	spawn sh -c "while :; do ls user/*/*.c | xargs -P 2 -I{} gcc -std=gnu11 -O2 -D_GNU_SOURCE \
		-iquote user -iquote include -iquote '$GEN' -c {} -o '$T/x.o'; done"
	of_top builds -a
	stop
fi
printf 'of a file\tCPU ms\tMB\n'
./pmubpf record -q -e cpu-clock -F 999 -o "$T/p.pb.gz" -- "$W/troubles" calls 1000
function=$(./pmubpf report -j "$T/p.pb.gz" |
	jq -r 'first(.rows[] | select(.module == "troubles" and .events[0].self.samples > 0)).name')
of_runs annotate ./pmubpf annotate "$function" "$T/p.pb.gz"
of_runs advise ./pmubpf advise "$T/p.pb.gz"
of_runs report ./pmubpf report "$T/p.pb.gz"
