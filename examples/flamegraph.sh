#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# flamegraph.sh FILE.svg COMMAND [ARGUMENT…]: where does a command spend its time?
# Profiles the command with its children, and draws what was found as a flame graph.
set -eu -o pipefail

# Set PMUBPF to use another pmubpf than the one that was built here.
pmubpf=${PMUBPF:-$(dirname "$0")/../pmubpf}

# Debian's flamegraph.pl lies outside of PATH.
draw=$(command -v flamegraph.pl || echo /usr/share/perl5/Devel/NYTProf/flamegraph.pl)

svg=${1:?usage: examples/flamegraph.sh OUT.svg COMMAND [ARG…]}
shift
folded=$(mktemp)
trap 'rm -f "$folded"' EXIT

# 999 Hz rather than 1000: not in step with anything that happens every millisecond.
"$pmubpf" record -F 999 -o "$folded" -- "$@"
perl "$draw" --countname=ns --title="$*" "$folded" >"$svg"
echo "$svg: open it in a browser" >&2
