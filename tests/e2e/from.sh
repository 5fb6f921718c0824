#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# report --from an agent's folder: what it has of a range of time, no more and no less; gaps are
# told, and what is damaged costs nothing but itself.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

has_four() {
	[ "$(find "$S/spool" -name '*.pb.gz' 2>/dev/null | wc -l)" -ge 4 ]
}

setup() {
	pmb_start agent --dir "$S/spool" --every 1s -e cpu-clock -F 199 -- "$WORKLOADS/split" 60
	wait_until has_four || fail "no four windows: $(tail -n 1 "$T/err")"
	pmb_finish TERM
	expect_eq "$rc" 0 "exit status"
}

# A copy to work on, and its windows in order.
use_spool() {
	cp -a "$S/spool" "$T/spool"
	mapfile -t windows < <(find "$T/spool" -name '*.pb.gz' | sort)
}

from() { # ARGS…
	"$PMUBPF" report --from "$T/spool" --json --limit 0 "$@" >"$T/out" 2>"$T/err"
	rc=$?
}

from_ok() {
	from "$@"
	expect_eq "$rc" 0 "exit status of --from $*: $(head -n 1 "$T/err")"
}

samples_in_out() { jq '.events[0].total.samples' "$T/out"; }

samples_of_files() { # FILE…
	"$PMUBPF" report --json --limit 0 "$@" 2>/dev/null | jq '.events[0].total.samples'
}

# When a window began and how long it was, in ns, as its profile has it.
when() { # FILE
	"$PMUBPF" report --json "$1" 2>/dev/null | jq -r '"\(.time_ns) \(.duration_ns)"'
}

date_of() { # NS
	date -u -d "@$(awk -v t="$1" 'BEGIN { printf "%d", t / 1000000000 }')" +%FT%TZ |
		sed "s/Z\$/.$(printf '%09d' $(($1 % 1000000000)))Z/"
}

t_all_of_it_is_the_sum() {
	use_spool
	from_ok
	expect_eq "$(samples_in_out)" "$(samples_of_files "${windows[@]}")" "samples"
	expect_no_match "$T/err" 'nothing is there' "gaps"
	"$PMUBPF" report --from "$T/spool" >"$T/text" 2>/dev/null
	expect_match "$T/text" "^# file .*spool: ${#windows[@]} windows, 20.* to 20" "what it is of"
	expect_match "$T/text" '^# ledger +balanced' "the books"
	expect_eq "$(grep -c '^# event' "$T/text")" 1 "lines of the event"
	expect_match "$T/text" '  hot70' "a function"
}

t_a_range() {
	use_spool
	local begin span middle
	read -r begin span < <(when "${windows[1]}")
	middle=$((begin + span / 2))
	from_ok --since "$(date_of "$middle")" --until "$(date_of $((middle + 1000000)))"
	expect_eq "$(samples_in_out)" "$(samples_of_files "${windows[1]}")" \
		"samples of the one window that overlaps"
	from_ok --since "$(date_of "$middle")"
	expect_eq "$(samples_in_out)" "$(samples_of_files "${windows[@]:1}")" "samples since"
	from_ok --until "$(date_of "$middle")" --by process
	expect_eq "$(samples_in_out)" "$(samples_of_files "${windows[@]:0:2}")" "samples until"
	from_ok --since 1h --until now
	expect_eq "$(samples_in_out)" "$(samples_of_files "${windows[@]}")" "samples of an hour"
	expect_match "$T/err" 'nothing is there from .* to ' "what is missing of the hour"
}

t_an_empty_range() {
	use_spool
	from --since 2d --until 1d
	expect_eq "$rc" 1 "exit status"
	expect_match "$T/err" 'no window .* of that range; it has [0-9]+, from 20' "what it says"
	mkdir "$T/none"
	pmb report --from "$T/none"
	expect_eq "$rc" 1 "exit status of an empty folder"
	expect_match "$T/err" 'has no window' "what it says of it"
}

t_gaps() {
	use_spool
	rm "${windows[1]}"
	from_ok
	expect_eq "$(grep -c 'nothing is there from' "$T/err")" 1 "gaps"
	expect_no_match "$T/err" 'started anew' "a reboot"
	# those behind it become windows of another boot
	local f
	for f in "${windows[@]:2}"; do
		mv "$f" "$T/spool/ffffffffffffffffffffffffffffffff-${f##*-}"
	done
	from_ok
	expect_match "$T/err" 'nothing is there from .*, in which the host was started anew' \
		"a reboot"
}

t_what_is_damaged() {
	use_spool
	local good name=ffffffffffffffffffffffffffffffff
	good=$(samples_of_files "${windows[@]:1}")
	truncate -s -40 "${windows[0]}"
	printf 'no profile' >"$T/spool/$name-0000000001.pb.gz"
	mkfifo "$T/spool/$name-0000000002.pb.gz"
	ln -s "${windows[1]}" "$T/spool/$name-0000000003.pb.gz"
	mkdir "$T/spool/$name-0000000004.pb.gz"
	# begins as a window does, and is a bomb
	{ zcat "${windows[1]}" | head -c 3000; head -c 300M /dev/zero; } | gzip -1 \
		>"$T/spool/$name-0000000005.pb.gz"
	: >"$T/spool/notes.txt"
	from_ok
	expect_eq "$(samples_in_out)" "$good" "samples of those that are whole"
	expect_eq "$(grep -c '^pmubpf: passed over: ' "$T/err")" 6 "files that are named"
	expect_match "$T/err" "$name-0000000005.pb.gz: it holds more than 256 MB" "the bomb"
	expect_no_match "$T/err" notes "somebody's file"
}

t_other_events() {
	use_spool
	mkdir -m 700 "$T/other"
	pmb_ok agent --dir "$T/other" --every 1h -e page-faults -c 1 -- "$WORKLOADS/faults" 500
	cp "$T"/other/*.pb.gz "$T/spool/ffffffffffffffffffffffffffffffff-0000000001.pb.gz"
	from_ok
	expect_match "$T/err" "${#windows[@]} windows are left out: .* the newest [(]page-faults" \
		"what is left out"
}

t_pictures() {
	use_spool
	"$PMUBPF" report --from "$T/spool" --since 1h -o "$T/p.html" 2>/dev/null || fail "no page"
	expect_ge "$(stat -c %s "$T/p.html")" 10000 "bytes of the page"
	"$PMUBPF" report --from "$T/spool" -o "$T/sum.pb.gz" || fail "no profile"
	expect_eq "$(samples_of_files "$T/sum.pb.gz")" "$(samples_of_files "${windows[@]}")" \
		"samples of the sum as a file"
}

# The function whose share has grown, in one process and in windows of two ranges.
t_diff_of_ranges() {
	use_spool
	local begin span middle
	read -r begin span < <(when "${windows[2]}")
	middle=$(date_of $((begin + span / 2)))
	pmb_ok diff --from "$T/spool" --json --limit 0 --old "..$middle,comm=split" \
		--new "$middle..,comm=split"
	expect_eq "$(jq '[.rows[].name] | index("hot70") != null' "$T/out")" true "a function"
	expect_no_match "$T/err" 'nothing is there' "gaps"
	# within the process alone: its functions are all of it
	expect_eq "$(jq '[.rows[].old] | add' "$T/out")" "$(jq .old_total "$T/out")" "the old rows"
	expect_eq "$(jq '[.rows[].old_samples] | add' "$T/out")" \
		"$("$PMUBPF" report --json --label comm=split "${windows[@]:0:3}" |
			jq '.events[0].total.samples')" "samples of the old side"
	pmb_ok diff --from "$T/spool" --old "..$middle" --new "$middle.."
	expect_match "$T/out" '^# old .*spool: 3 windows, 20' "what is old"
	expect_match "$T/err" '^pmubpf: [0-9.]+ s are in both: ' "the window in which they meet"
	pmb_ok diff --from "$T/spool" --old "2d..now,comm=split" --new 2d..now
	expect_no_match "$T/err" 'are in both' "what is said of one range, twice"
	pmb diff --from "$T/spool" --old 2d..1d --new 1h..now
	expect_eq "$rc" 1 "exit status of an empty range"
	expect_match "$T/err" 'old: no window' "which side"
	pmb diff --from "$T/spool" --old 1h..now --new 1h.. --container nobody
	expect_eq "$rc" 1 "exit status without samples"
	expect_match "$T/err" 'windows?, .*: no sample has container=nobody$' "what is said of it"
}

t_usage_of_diff() {
	use_spool
	refused() { # WORDS ARGS…
		local words=$1
		shift
		pmb diff "$@"
		expect_eq "$rc" 2 "exit status of $*"
		expect_match "$T/err" "$words" "the sentence about $*"
	}
	refused 'instead of files' --from "$T/spool" --old 2h.. --new 1h.. "${windows[@]:0:2}"
	refused 'which ranges' --from "$T/spool" --old 2h..1h
	refused 'are of --from' --old 2h..1h "${windows[@]:0:2}"
	refused 'which profiles' --json
	refused 'before it begins' --from "$T/spool" --old 1h..2h --new 1h..
	refused 'RFC 3339' --from "$T/spool" --old 1h --new 1h..
	refused 'not KEY=VALUE' --from "$T/spool" --old 2h..1h,web --new 1h..
}

t_usage() {
	use_spool
	expect_status_of() { # STATUS WORDS ARGS…
		local status=$1 words=$2
		shift 2
		pmb report "$@"
		expect_eq "$rc" "$status" "exit status of $*"
		expect_match "$T/err" "$words" "the sentence about $*"
	}
	expect_status_of 2 'instead of files' --from "$T/spool" "${windows[0]}"
	expect_status_of 2 'are of --from' --since 1h "${windows[0]}"
	expect_status_of 2 'RFC 3339' --from "$T/spool" --since yesterday
	expect_status_of 2 'RFC 3339' --from "$T/spool" --until 3600
	expect_status_of 2 'is not before' --from "$T/spool" --since 1h --until 2h
	expect_status_of 1 "can't open the folder" --from "$T/nowhere"
}

run_tests
