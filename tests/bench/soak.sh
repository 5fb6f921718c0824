#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# make soak, as root: one recording of the whole system for SOAK_S seconds (an hour) beside 2,000
# programs that start each minute, every tenth of them a file of its own that is deleted afterwards.
# With SOAK_AGENT=1 (make soak-agent) it is an agent with windows of SOAK_EVERY (a minute), beside
# 300 containers that live for a minute each, a JVM and a Node besides, and the windows have to
# follow each other without a gap; SOAK_KEEP=DIR: they are kept there.
# A row each SOAK_STEP seconds (30): programs started so far; of the main process and of its helpers
# resident anonymous memory and open descriptors; BPF maps and what they take; CPU time of all.
#
# The last line is the verdict of flat.awk: flat, what grew, or too short to tell; its status is the
# soak's. In ten minutes it finds a descriptor a second and 1 kB at each exit, in an hour a tenth of
# that; less than ten minutes tell little, and in ten minutes
# descriptors haven't reached their height yet (205 to 436 in one, 126 to 511 in the hour).
#
# Environment: PMUBPF (the tool; build/bench/pmubpf-cuts with CUT_MS cuts the recording, with
# CUT_APART=1 parts are given up), SOAK_ARGS (more for record), SOAK_CGROUPS=1 (each program has a
# cgroup of its own), SOAK_PAUSE (seconds between two programs).
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
PMUBPF=${PMUBPF:-./pmubpf} SECONDS_IN_ALL=${SOAK_S:-3600} STEP=${SOAK_STEP:-30}
PAUSE=${SOAK_PAUSE:-0.026} CONTAINERS=${SOAK_CONTAINERS:-${SOAK_AGENT:+300}}
W=${O:-build}/workloads
T=$(mktemp -d /var/tmp/pmb-soak.XXXXXX)
storm='' main='' groups='' spool=${SOAK_KEEP:-$T/spool}
beside=()
end() {
	local pid
	[ -z "$storm" ] || kill "$storm" 2>/dev/null || :
	for pid in "${beside[@]}"; do
		# shellcheck disable=SC2046 # pids
		kill "$pid" $(descendants "$pid") 2>/dev/null || :
	done
	[ -z "$main" ] || kill -INT "$main" 2>/dev/null || :
	wait
	[ -z "$groups" ] || find "$groups" -depth -type d -delete 2>/dev/null || :
	rm -rf "$T"
}
trap end EXIT
trap 'exit 130' INT TERM HUP

# Where the tool tells cgroups apart: v1's memory if it is there.
make_groups() {
	groups=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { v1 = $2 }
		$3 == "cgroup2" { v2 = $2 }
		END { print v1 ? v1 : v2 }' /proc/self/mounts)/pmb-soak-$$
	mkdir "$groups"
}

start() { # N PROGRAM
	if [ -z "${SOAK_CGROUPS:-}" ]; then
		"$2" >/dev/null </dev/null || :
		return
	fi
	mkdir "$groups/$1"
	(
		echo "$BASHPID" >"$groups/$1/cgroup.procs"
		exec "$2" >/dev/null </dev/null
	) || :
	rmdir "$groups/$1" 2>/dev/null || :
}

# 2,000 starts a minute, counted in a file.
start_programs() {
	local n=0 own
	local -a usual
	mapfile -t usual < <(type -P true ls id uname sort)
	while :; do
		if [ $((n % 10)) -eq 9 ]; then
			own=$T/program-$n
			cp "${usual[n / 10 % ${#usual[@]}]}" "$own"
			start "$n" "$own"
			rm -f "$own"
		else
			start "$n" "${usual[n % ${#usual[@]}]}"
		fi
		n=$((n + 1))
		[ $((n % 20)) -ne 0 ] || echo "$n" >"$T/starts"
		sleep "$PAUSE"
	done
}

# Docker's by their cgroups' names: one after the other, each with a program that mostly rests.
containers_one_by_one() { # N
	local n=0 id
	sleep "$(($1 * 60 / CONTAINERS))"
	while :; do
		id=$(printf '%06x%058x' $(($1 + 1 + 1000 * n)) $$)
		mkdir -p "$groups/docker/$id"
		(
			echo "$BASHPID" >"$groups/docker/$id/cgroup.procs"
			exec timeout 60 "$W/split" 3600 900 >/dev/null </dev/null
		) || :
		rmdir "$groups/docker/$id" 2>/dev/null || :
		n=$((n + 1))
	done
}

start_others() {
	local n
	for ((n = 0; n < CONTAINERS; n++)); do
		containers_one_by_one "$n" &
		beside+=($!)
	done
	if javac -d "$T/classes" tests/workloads/java/Rests.java 2>/dev/null; then
		java -cp "$T/classes" Rests "$SECONDS_IN_ALL" &
		beside+=($!)
	fi
	if type -P node >/dev/null; then
		node tests/workloads/javascript/rests.js "$SECONDS_IN_ALL" &
		beside+=($!)
	fi
}

of_processes() { # PID…: anonymous memory in kB, descriptors, CPU time in ms
	local pid kb=0 fds=0 ms=0 ticks
	ticks=$(getconf CLK_TCK)
	for pid in "$@"; do
		kb=$((kb + $(awk '/^RssAnon:/ { n = $2 } END { print n + 0 }' \
			"/proc/$pid/status" 2>/dev/null || echo 0)))
		fds=$((fds + $(find "/proc/$pid/fd" -mindepth 1 2>/dev/null | wc -l)))
		ms=$((ms + $(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null |
			awk -v hz="$ticks" '{ ms = ($12 + $13 + $14 + $15) * 1000 / hz }
				END { printf "%d", ms }')))
	done
	echo "$kb $fds $ms"
}

descendants() { # PID
	local child
	for child in $(cat "/proc/$1/task/"*/children 2>/dev/null); do
		echo "$child"
		descendants "$child"
	done
}

maps_of() { # PID: number, kB
	cat "/proc/$1/fdinfo/"* 2>/dev/null |
		awk '/^map_id:/ { n++ } /^memlock:/ { kb += $2 / 1024 }
			END { printf "%d %d\n", n, kb }'
}

row() {
	local -a own helpers maps
	read -ra own <<<"$(of_processes "$main")"
	# shellcheck disable=SC2046 # pids
	read -ra helpers <<<"$(of_processes $(descendants "$main"))"
	read -ra maps <<<"$(maps_of "$main")"
	printf '%s\t' $((SECONDS - began)) "$(cat "$T/starts" 2>/dev/null || echo 0)" \
		"${own[0]}" "${own[1]}" "${helpers[0]}" "${helpers[1]}" "${maps[@]}"
	echo $((own[2] + helpers[2]))
}

record() {
	# shellcheck disable=SC2086 # words
	exec "$PMUBPF" record -q -a --max-memory 32M -o "$T/folded" --summary "$T/sum.json" \
		-d "$SECONDS_IN_ALL" ${SOAK_ARGS:-}
}

agent() {
	# shellcheck disable=SC2086 # words
	exec "$PMUBPF" agent -q --dir "$spool" --every "${SOAK_EVERY:-60s}" \
		-d "$SECONDS_IN_ALL" ${SOAK_ARGS:-}
}

# What the windows say: CPU time of each part, bytes; gaps, and what isn't balanced, are failures.
tell_windows() {
	local n=0 file
	for file in "$spool"/*.pb.gz; do
		"$PMUBPF" report --json --limit 0 "$file" | jq -r '.comments[] // empty' >>"$T/said"
		n=$((n + 1))
	done
	awk -v n="$n" -v bytes="$(cat "$spool"/*.pb.gz | wc -c)" '
		/^window: / {
			for (i = 2; i <= NF; i++) {
				split($i, at, "=")
				v[at[1]] = at[2]
			}
			begin[++k] = v["begin"]; end[k] = v["end"]
		}
		/^cost: / {
			for (i = 2; i <= NF; i++) {
				split($i, at, "=")
				sum[at[1]] += at[2]
			}
		}
		END {
			for (i = 2; i <= k; i++) gaps += begin[i] != end[i - 1]
			s = (end[k] - begin[1]) / 1e9
			printf "%d windows of %.0f s, %d gaps, %.0f kB each; ", k, s, gaps,
				bytes / n / 1e3
			printf "of a CPU: overflow programs %.2f %%, the agent %.2f %%, ",
				sum["kernel_ns"] / s / 1e7, sum["process_ns"] / s / 1e7
			printf "helpers %.2f %%\n", sum["helpers_ns"] / s / 1e7
			exit gaps > 0
		}' "$T/said"
}

[ -z "${SOAK_CGROUPS:-}${SOAK_AGENT:-}" ] || make_groups
start_programs &
storm=$!
[ -z "${SOAK_AGENT:-}" ] || start_others
if [ -n "${SOAK_AGENT:-}" ]; then agent & else record & fi
main=$!
began=$SECONDS
printf 's\tstarts\tmain kB\tmain fds\thelpers kB\thelpers fds\tmaps\tmaps kB\tCPU ms\n'
while sleep "$STEP" && [ -d "/proc/$main/fd" ] && [ $((SECONDS - began)) -lt "$SECONDS_IN_ALL" ]; do
	row | tee -a "$T/rows"
done
status=0
wait "$main" || status=$?
main=
[ "$status" -eq 0 ] || { echo "soak: the recording ended with $status"; exit 1; }
if [ -n "${SOAK_AGENT:-}" ]; then
	tell_windows
else
	jq -r '"balanced: \(.balanced), \(.remarks | join("; "))"' "$T/sum.json"
fi
awk -v all="$SECONDS_IN_ALL" -f tests/bench/flat.awk "$T/rows"
