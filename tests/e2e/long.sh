#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Long runs: memory depends on distinct stacks, not on time; and with more distinct stacks than the
# tables hold the rarest become [other], and no weight is lost. Time is replaced by rate: several
# clocks at once.
#
# SOAK=1: longer, and many more.
# alone: it loads all CPUs, and records with a higher priority
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

soak() { # LONG SHORT
	if [ "${SOAK:-0}" = 1 ]; then echo "$1"; else echo "$2"; fi
}

# By name they are four events, so there are four samples for each rate that the kernel takes.
CLOCKS='cpu-clock,cpu-clock/name=b/,cpu-clock/name=c/,cpu-clock/name=d/'

# RSS while it records, kB, about five times a second. The samples so far aren't known outside, but
# they come evenly, so a tenth of the time is a tenth of them.
watch_rss() { # PID
	while [ -r "/proc/$1/status" ]; do
		has_perf_events "$1" &&
			awk -v rss="${RSS:-VmRSS}:" '$1 == rss { print $2 }' \
			"/proc/$1/status" 2>/dev/null
		sleep 0.2
	done >"$T/rss"
}

# The median of a tenth of the readings around a share (0 … 1) of them: a round that came late is no
# trend.
rss_at() { # SHARE
	awk -v at="$1" '{ v[NR] = $1 } END {
		from = int(at * NR - NR / 20); if (from < 1) from = 1
		to = int(at * NR + NR / 20); if (to > NR) to = NR; if (to < from) to = from
		for (i = from; i <= to; i++) print v[i] }' "$T/rss" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# Sum of the lines of each event is its weight in the ledger, and what is in [other] is what the
# ledger says, and what found no room in the output.
expect_exact_totals() {
	local i n name
	n=$(sum_get '.events | length')
	for ((i = 0; i < n; i++)); do
		name=$(sum_name "$i")
		expect_eq "$(awk -v e="$name;" 'index($0, e) == 1 { s += $NF } END { printf "%.0f\n", s }' "$T/folded")" \
			"$(sum_weight "$i")" "$name: sum of the lines"
	done
	expect_eq "$(folded_sum_of "$T/folded" ';\\[other\\]$')" \
		"$(sum_get '([.events[].user.other.weight] | add) + .output.weight_in_other')" \
		"sum of [other]"
}

# The end is at 85 % of the readings: the last are of the output being written.
# Records a load (of few paths, if nothing else is said) on all CPUs and compares memory at the end
# with that at a tenth.
expect_flat_memory() { # SECONDS HZ OPTION…
	local seconds=$1 hz=$2 i load=''
	shift 2
	for ((i = 0; i < $(nproc); i++)); do
		load="$load '$WORKLOADS/${LOAD:-threads}' $seconds & '$WORKLOADS/recurse' $seconds &"
	done
	spawn nice -n -10 "$PMUBPF" record -e "$CLOCKS" -F "$hz" -d "$seconds" "$@" \
		-o "$T/folded" --summary "$T/sum.json" -- sh -c "$load wait" 2>"$T/err" </dev/null
	watch_rss "$spawned"
	wait "$spawned"
	expect_columns
	expect_exact_totals
	samples=$(sum_get '[.events[].user.aggregated] | add')
	echo "$samples samples, ${RSS:-VmRSS} $(rss_at "${FROM:-0.1}") kB at ${FROM:-0.1}, $(rss_at 0.85) kB at the end" >&2
	# once more if a burst of the host's was in the way
	if [ "${tried:-0}" = 0 ] && [ "$(rss_at 0.85)" -gt "$(($(rss_at "${FROM:-0.1}") * 11 / 10 + ${ROOM:-0}))" ]; then
		tried=1
		expect_flat_memory "$seconds" "$hz" "$@"
		return
	fi
	expect_ge "$samples" 5000 "samples"
	expect_le "$(rss_at 0.85)" "$(($(rss_at "${FROM:-0.1}") * 11 / 10 + ${ROOM:-0}))" \
		"RSS at the end against a tenth, kB"
}

# By default: the load is a command, because what else a host runs may bring stacks without end.
# At a rate that the reader keeps up with: a round that comes late has a queue, whose memory stays.
# A sample that were kept would be 40 bytes at least, of 130,000 between the two readings: 5 MB.
t_memory_does_not_grow_with_samples() {
	local RSS=RssAnon ROOM=3072
	expect_flat_memory "$(soak 40 8)" "$(soak 14000 2800)"
	expect_eq "$(sum_get .memory.trims)" 0 "how often the tables were full"
}

# Only memory of its own: pages of a ring are taken when the ring is first full, and what else a
# busy host runs decides when.
t_memory_does_not_grow_at_the_limit() {
	local RSS=RssAnon ROOM=2048 FROM=0.4 LOAD=manypaths
	expect_flat_memory "$(soak 30 8)" 4000 --max-memory 1M
	expect_ge "$(sum_get .memory.trims)" 2 "how often the tables were full"
}

t_more_stacks_than_the_tables_hold() {
	pmb_ok record -e cpu-clock,task-clock -F 4000 --max-memory 1M -o "$T/folded" \
		--summary "$T/sum.json" -- \
		"$WORKLOADS/manypaths" "$(soak 10 2)"
	expect_ledger
	expect_exact_totals
	expect_ge "$(sum_get .memory.trims)" 2 "how often the tables were full"
	# stacks of the last round are dropped only once its samples are resolved
	expect_le "$(sum_get .memory.bytes)" $((1048576 * 5 / 4)) "bytes at the end"
	expect_match "$T/folded" '^cpu-clock;manypaths;\[other\] [0-9]+$' "the rarest together"
	expect_eq "$(grep -c '^cpu-clock;manypaths;\[other\]' "$T/folded")" 1 \
		"one line of [other] per event and comm"
	expect_match "$T/err" '^    in \[other\] [0-9]+ \(weight [0-9]+, [0-9.]+ %\)' \
		"the summary says how much"
	expect_match "$T/err" '^  tables: full [0-9]+ times at --max-memory 1M' "and why"
	expect_ge "$(sum_get '.events[0].user.other.rows')" 1000 "rows given up"
	expect_le "$(sum_get '.stacks.user.unknown_id + .stacks.kernel.unknown_id')" 0 \
		"stacks that were dropped too early"
}

t_what_is_heavy_stays_apart() {
	spawn "$WORKLOADS/recurse" 100000 >/dev/null
	pmb_ok record -a -e cpu-clock -F 2000 --max-memory 1M -o "$T/folded" \
		--summary "$T/sum.json" -- \
		"$WORKLOADS/manypaths" "$(soak 8 2)"
	expect_columns
	expect_ge "$(sum_get .memory.trims)" 1 "how often the tables were full"
	# one path in thousands of them: its comm loses at most what it had besides
	expect_ge "$(folded_share "$T/folded" ';dive;dive;' '^recurse;')" 90 \
		"share of the one path of recurse, %"
}

t_by_default_nothing_is_given_up() {
	pmb_ok record -e cpu-clock -o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/manypaths" 1
	expect_eq "$(sum_get .memory.trims)" 0 "how often the tables were full"
	expect_eq "$(sum_get '.events[0].user.other.samples')" 0 "samples in [other]"
	expect_eq "$(sum_get .memory.limit)" $((128 << 20)) "limit"
	expect_no_match "$T/err" 'other|max-memory' "the summary"
	expect_no_match "$T/folded" '\[other\]' "the lines"
}

t_a_storm_of_processes() {
	local RSS=RssAnon
	# each process has addresses of its own, and ids of stacks that no other has
	spawn nice -n -10 "$PMUBPF" record -a -e cpu-clock,task-clock -F 4000 --max-memory 1M \
		-o "$T/folded" --summary "$T/sum.json" -- \
		"$WORKLOADS/storm" "$(soak 20000 1000)" 1 exec 2>"$T/err" </dev/null >/dev/null
	watch_rss "$spawned"
	wait "$spawned" || fail "the recording failed: $(head -n 1 "$T/err")"
	expect_columns
	expect_exact_totals
	expect_ge "$(sum_get .memory.stacks_dropped)" 1000 "stacks that user space dropped"
	# where a round comes seconds late the kernel's memory of what was sent is older than ours:
	# counted, and rare unless so late that the ring was full
	expect_le "$(sum_get '.stacks.user.unknown_id + .stacks.kernel.unknown_id')" \
		"$(($(sum_aggregated) / 1000 + $(sum_dropped)))" \
		"stacks that were dropped too early"
	# It was 280 MB once. Of its own: tables of 1 MB, the kernel's symbols (8 MB, at the first
	# idle sample), what is known of the processes that are alive or just gone, and rounds that
	# came late.
	expect_le "$(rss_at 0.85)" 40000 "kB of its own at the end"
}

t_sizes_that_are_none() {
	local size
	for size in 0 1 1023K 2000G x -1M ''; do
		pmb record --max-memory="$size" -- true
		expect_eq "$rc" 2 "status for '$size'"
		expect_match "$T/err" "^pmubpf: --max-memory '$size': a size such as 128M, from 1M to 1024G" "the message"
	done
}

run_tests
