#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# make demo: profiles a bundled program that splits its time 70/30 and leaves a flame graph.
set -eu
O=${1:-build}

flamegraph=
for f in "$(command -v flamegraph.pl || :)" /usr/share/perl5/Devel/NYTProf/flamegraph.pl; do
	[ -n "$f" ] && [ -e "$f" ] && flamegraph=$f && break
done
echo "+ ./pmubpf record -F 999 -o demo.folded -- $O/workloads/split 3" >&2
./pmubpf record -F 999 -o demo.folded -- "$O/workloads/split" 3
if [ -z "$flamegraph" ]; then
	echo "demo: no flamegraph.pl (Debian: libdevel-nytprof-perl); the stacks are in demo.folded" >&2
	exit 1
fi
echo "+ $flamegraph demo.folded > demo.svg" >&2
perl "$flamegraph" --title "pmubpf demo: split 70/30" --countname ns demo.folded >demo.svg
echo "demo: the flame graph is in demo.svg; the stacks, widest first:" >&2
sort -t' ' -k2 -n -r demo.folded | awk '{ n = $NF; sub(/ [0-9]+$/, ""); print n, $0 }' | sort -rn |
	head -4
