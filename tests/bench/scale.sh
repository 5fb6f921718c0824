#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# make scale: machines larger than this one, made of one small recording (replay.c), and what
# becomes of time and memory as the work doubles. As root: the recording. Figures:
# docs/design/0014-cost.md.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
B=${O:-build}/bench W=${O:-build}/workloads

record() { # FILE SECONDS ARG…
	local file=$1
	shift
	STREAM=$file "$B/pmubpf-stream" record -q -e cpu-clock -o /dev/null \
		"$@" 2>/dev/null >/dev/null
}

show() { # AXIS COPIES… < options and stream in $how
	local axis=$1 n
	shift
	for n; do
		# shellcheck disable=SC2086
		"$B/replay" $how "$n" |
			jq -r --arg axis "$axis" \
			'[$axis, .copies, .samples, .processes, .stacks, .rows, .account_s, .fold_s,
			((.account_s + .fold_s) * 1e6 / .samples * 100 | floor / 100), .rss_mb] | @tsv'
	done
}

[ -s "$B/paths.gz" ] || record "$B/paths.gz" -F 999 -- "$W/manypaths" 3
[ -s "$B/few.gz" ] || record "$B/few.gz" -F 99 -- "$W/split" 0.5
printf 'axis\tcopies\tsamples\tprocs\tstacks\trows\taccount_s\tfold_s\tus/sample\trss_mb\n'
how="--rings $B/paths.gz" show rings 32 64 128 256
how="--containers $B/few.gz" show containers 125 250 500 1000
how="--processes $B/few.gz" show processes 50 100 200 400
how="--stacks $B/paths.gz" show stacks 45 90 180 360
