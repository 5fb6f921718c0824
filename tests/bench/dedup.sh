#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# How to keep repeated stacks from costing a full copy each: three memories of the stacks already
# sent, in the same tool, alternating, on one load. Figures: docs/design/0001-stack-ids.md.
#   tests/bench/dedup.sh [ROUNDS] [HZ]     as root, on a machine that does nothing else
set -eu
cd "$(dirname "$0")/../.."
rounds=${1:-5} hz=${2:-9999}
out=build/bench

build() { # NAME CLANG-FLAG
	mkdir -p "$out/$1"
	make -s O="$out/$1" >&2
	[ -z "$2" ] && return
	clang -g -O2 -mcpu=v2 -target bpf -D__TARGET_ARCH_x86 "-D$2" -Ivmlinux -Iinclude -Ibpf \
		-idirafter "/usr/include/$(gcc -print-multiarch)" \
		-c tests/bench/dedup.bpf.c -o "$out/$1/bpf/sample.bpf.o"
	make -s O="$out/$1" >&2
}

# run_time_ns and run_cnt of the overflow program (type 7: perf_event) that process $1 holds
runs() {
	cat "/proc/$1/fdinfo/"* 2>/dev/null |
		awk '/^prog_type:/ { type = $2 } /^run_time_ns:/ { ns = $2 }
		/^run_cnt:/ && type == 7 { print ns, $2; exit }'
}

measure() { # VARIANT LOAD…
	local name=$1 json=$out/$1.json
	shift
	"$out/$name/pmubpf" record -q -F "$hz" -e cpu-clock -d 4 -o /dev/null --summary "$json" -- \
		"$@" &
	local pid=$!
	sleep 3.5
	local run cpu_ms
	run=$(runs "$pid")
	cpu_ms=$(awk '{ print ($14 + $15) * 10 }' "/proc/$pid/stat")
	wait "$pid" || true
	jq -r --arg n "$name" --arg run "$run" --arg cpu "$cpu_ms" \
		'.events[0] as $e | ($run | split(" ") | map(tonumber)) as $r |
		[$n, ($r[0] / $r[1] | floor), $e.kernel.emitted, $e.kernel.stacks_sent, $e.kernel.dropped.ring_full,
		 $e.kernel.stacks_lost, ($e.kernel.ring_bytes / $e.kernel.emitted | floor), $cpu] | @tsv' "$json"
}

build ids ''
build none MEMORY_NONE
build hash MEMORY_HASH
before=$(sysctl -n kernel.bpf_stats_enabled)
trap 'sysctl -qw kernel.bpf_stats_enabled=$before' EXIT
sysctl -qw kernel.bpf_stats_enabled=1
make -s workloads >&2
printf 'load\tmemory\tns a run\temitted\tstacks sent\tdropped\tstacks lost\tring bytes a sample\ttool CPU, ms\n'
for ((i = 0; i < rounds; i++)); do
	for v in ids none hash; do
		printf 'few paths\t%s\n' "$(measure "$v" build/workloads/recurse 4)"
		printf 'many paths\t%s\n' "$(measure "$v" build/workloads/manypaths 4)"
	done
done
