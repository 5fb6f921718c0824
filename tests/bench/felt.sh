# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Sourced by bench.sh: what an interrupted thread feels of one sample, while each way of sampling
# records. felt.c says how. A host's timer interrupts drift by more than ways differ: faults show
# what a sample costs, the clock what the interrupt adds; and each way is compared with the bare
# overflow right before and after it.

export FELT_HZ=4999
declare -A WAY_KINDS WAY_COMMAND
WAYS=()

# Peers declare theirs: `way NAME KINDS COMMAND`, KINDS of clock and fault, COMMAND for sh -c, with
# $EVENT as perf and pmubpf take it and $PROBE as bpftrace does.
way() {
	[ -n "${WAY_KINDS[$1]-}" ] || WAYS+=("$1")
	WAY_KINDS[$1]=$2 WAY_COMMAND[$1]=$3
}

start_way() { # WAY clock|fault → way_pid
	local event="-e cpu-clock -F $FELT_HZ" probe="profile:hz:$FELT_HZ"
	[ "$2" = clock ] || event='-e page-faults -c 1' probe='software:page-faults:1'
	EVENT=$event PROBE=$probe setsid sh -c "${WAY_COMMAND[$1]}" >/dev/null 2>&1 &
	way_pid=$!
}

has_overflows() { # PID: it, or what it started, has opened events
	local pid
	for pid in "$1" $(cat "/proc/$1/task/$1/children" 2>/dev/null); do
		find "/proc/$pid/fd" -lname 'anon_inode:\[perf_event\]' 2>/dev/null | grep -q . &&
			return
	done
	return 1
}

feel() { # clock|fault [bare]: "GAPS NS GAPS NS", in user code and in the kernel
	echo "$("$B/felt" "$1" "$FELT_SECONDS" ${2:+bare $FELT_HZ}) $("$B/felt" "$1-kernel" "$FELT_SECONDS" ${2:+bare $FELT_HZ})"
}

feel_way() { # WAY clock|fault
	local i way_pid
	start_way "$1" "$2"
	for ((i = 0; i < 5 * LIMIT; i++)); do
		has_overflows "$way_pid" && break
		kill -0 "$way_pid" 2>/dev/null || break
		sleep 0.2
	done
	sleep 0.7
	feel "$2"
	kill -KILL -- "-$way_pid" 2>/dev/null # what it records is of no use here
	wait "$way_pid" 2>/dev/null
	sleep 0.3
}

# A clock's interrupts must be there, at the rate, and a fault's sample can't be cheaper than the
# bare one: else the line says why not.
note_way() { # WAY clock|fault MINE NONE BEFORE AFTER, each as feel says
	echo "$*" | awk -v enough="$(awk "BEGIN { print $FELT_HZ * $FELT_SECONDS * 0.7 }")" \
		'{ for (i = 0; i < 4; i += 2) {
		gaps = $(3 + i); ns = $(4 + i); none = $(8 + i); bare = ($(12 + i) + $(16 + i)) / 2
		fewest = $(11 + i) < $(15 + i) ? $(11 + i) : $(15 + i)
		sampled = $2 == "clock" ? gaps >= enough : ns >= 0.9 * bare
		why = $2 == "clock" && fewest < enough ? "others ran" : sampled ? "" : "did not sample"
		printf "{\"way\": \"%s\", \"kind\": \"%s\", \"in\": \"%s\", \"why_not\": \"%s\", \"gaps\": %d, \"ns\": %d, \"bare_ns\": %.0f, \"none_gaps\": %d, \"none_ns\": %d}\n",
			$1, $2, i ? "kernel" : "user", why, gaps, ns, bare, $(7 + i), none } }' >>"$B/felt.json"
}

felt_round() { # clock|fault
	local way none before after mine
	none=$(feel "$1") before=$(feel "$1" bare)
	for way in "${WAYS[@]}"; do
		[[ " ${WAY_KINDS[$way]} " == *" $1 "* ]] || continue
		[ "$(time_left "$FELT_END")" -ge 5 ] ||
			{ echo "felt, $way, $1: left out, no time"; continue; }
		mine=$(feel_way "$way" "$1") after=$(feel "$1" bare)
		note_way "$way" "$1" "$mine" "$none" "$before" "$after"
		before=$after
	done
}

felt_rows() { # clock|fault
	jq -rs --arg kind "$1" 'def median: sort | if length == 0 then null elif length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
		def us: if . == null then "-" else . / 10 | round / 100 + 0 end;
		def share: if . == null then "-" else . * 999 / 1e5 | round / 100 end;
		def over: map(.ns - .bare_ns);
		def good: map(select(.why_not == ""));
		def cell: if length == 0 then "-", "-" else .[0].why_not as $why | good | if length == 0 then "-", $why else
			(map(.ns) | median | us), (over | "\(median | us) (\(min | us) to \(max | us))") end end;
		. as $all | map(select(.kind == $kind)) as $runs |
		def of($where): $runs | map(select(.in == $where));
		["none", (of("user", "kernel") | map(select(.none_gaps > 0 and $kind == "fault") | .none_ns) | median | us, "-"), "-", "-"],
		["bare", (of("user", "kernel") | good | map(.bare_ns) | median | us, "-"),
			(of("user") | good | map(select($kind == "clock") | .bare_ns) | median | share), "-"],
		(reduce $all[].way as $way ([]; if index($way) then . else . + [$way] end) | .[] |
			. as $way | [$way, (of("user", "kernel") | map(select(.way == $way)) | cell),
				(of("user") | map(select(.way == $way)) | good |
				 (map(select($kind == "clock") | .ns) | median | share), (over | median | share))]) | @tsv' "$B/felt.json" |
		awk -F'\t' '{ printf "%-13s %9s  %-22s %9s  %-22s %7s %7s\n", $1, $2, $3, $4, $5, $6, $7 }'
}

felt_table() {
	[ -s "$B/felt.json" ] || return
	cat <<-TABLE

		One sample, felt by a thread 30 frames deep, us: its gap; and over bare: median (lowest to highest) of the differences to
		the bare overflow right before and after it. Lost: of a CPU at 999 Hz, of it over the bare overflow, in user code.
	TABLE
	for kind in fault clock; do
		printf '%-13s %9s  %-22s %9s  %-22s %7s %7s\n' "$kind" 'user code' 'over bare' \
			'in kernel' 'over bare' 'lost,%' 'over,%'
		felt_rows "$kind"
	done
	jq -rs --argjson seconds "$FELT_SECONDS" 'def median: sort | .[length / 2 | floor];
		def in_kernel($way): map(select(.way == $way and .kind == "fault" and .in == "kernel" and .why_not == "") | .ns - .bare_ns);
		(map(select(.kind == "clock") | .none_gaps) | select(length > 0) |
			"without any sampling: \(add / length / $seconds | round) gaps a second of the clock'"'"'s kind (a quiet machine: few)"),
		(select((in_kernel("pmubpf") | length) * (in_kernel("pmubpf-table") | length) > 0) |
			((in_kernel("pmubpf") | median) - (in_kernel("pmubpf-table") | median) | . / 10 | round / 100) |
			"the kernel stack'"'"'s share, faults in the kernel: \(.) us (pmubpf less pmubpf-table, which takes none)")' "$B/felt.json"
}

felt() {
	local i
	for ((i = 0; i < ROUNDS; i++)); do felt_round fault; felt_round clock; done
}
