#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The examples run and do what their first lines say.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

EXAMPLES=$TOP/examples

t_every_example_is_tested() {
	local f
	for f in "$EXAMPLES"/*.sh; do
		grep -q "$(basename "$f")" "$0" || fail "no test runs $(basename "$f")"
	done
}

t_flamegraph() {
	[ -n "$(flamegraph_path)" ] || skip "no flamegraph.pl here"
	"$EXAMPLES/flamegraph.sh" "$T/cpu.svg" "$WORKLOADS/split" 0.5 >"$T/out" 2>"$T/err" ||
		fail "flamegraph.sh failed"
	expect_match "$T/cpu.svg" 'hot70' "the flame graph"
}

t_misses() {
	spawn "$WORKLOADS/split" 20 >/dev/null
	# Any event will do for the script itself; misses need a PMU.
	EVENT=cpu-clock "$EXAMPLES/misses.sh" "$spawned" 1 >"$T/out" 2>"$T/err" ||
		fail "misses.sh failed"
	expect_match "$T/out" 'hot70' "the functions"
}

# tests/e2e/data.sh asks for its layout; here: both do the same, one with fewer pages.
t_layout() {
	local cc=${CC:-gcc} apart together
	command -v "${cc##* }" >/dev/null || skip "no compiler"
	$cc -O2 -g -o "$T/apart" "$EXAMPLES/layout.c"
	$cc -O2 -g -DTOGETHER -o "$T/together" "$EXAMPLES/layout.c"
	expect_eq "$("$T/apart" | cut -d, -f1)" "$("$T/together" | cut -d, -f1)" "sums"
	apart=$(faults "$T/apart")
	together=$(faults "$T/together")
	expect_ge "$apart" $((together * 5 / 2)) "page faults of what lies apart"
}

faults() { # PROGRAM
	"$PMUBPF" stat --json -e page-faults:u -o "$T/stat.json" -- "$1" >/dev/null
	jq '.rows[0].events[0].value' "$T/stat.json"
}

t_hot_pages() {
	"$EXAMPLES/hot-pages.sh" "$WORKLOADS/faults" 300 >"$T/out" 2>"$T/err" ||
		fail "hot-pages.sh failed"
	expect_match "$T/out" '0x600000' "the pages"
}

# What the image holds is enough to run: from that root folder alone.
t_image_root() {
	need_root
	"$EXAMPLES/image-root.sh" "$T/image" "$PMUBPF" >"$T/out" 2>"$T/err" ||
		fail "image-root.sh failed"
	expect_eq "$(chroot "$T/image" /usr/bin/pmubpf --version)" "$("$PMUBPF" --version)" "the version"
}

# The capabilities of the unit, as systemd hands them over, to another user: all that is promised
# works with them, and something is lost without any one of them.
with_capabilities() { # NAMES OPTION…
	local set=-all name
	for name in $1; do
		name=${name#CAP_}
		set+=,+${name,,}
	done
	shift
	setpriv --reuid 65533 --regid 65533 --clear-groups --inh-caps="$set" --ambient-caps="$set" \
		--bounding-set="$set" --no-new-privs "$T/pmubpf" record -q -e cpu-clock -F 299 "$@"
}

# What a recording knows: K kernel functions, C the cgroup, D a deleted program, N one in another
# mount namespace.
lost_without() { # CAPABILITIES
	local lost=
	: >"$T/folded"
	with_capabilities "$1" -a -d 1 --by container -o "$T/folded" 2>"$T/err" || lost+=recording
	[ -n "$lost" ] || {
		grep -q ';[a-z_][^;]*_\[k\] [0-9]*$' "$T/folded" || lost+=K
		grep -q "^pmb-$$.service;other;" "$T/folded" || lost+=C
		grep -q ';deleted;.*hot[37]0' "$T/folded" || lost+=D
		grep -q ';other;.*hot[37]0' "$T/folded" || lost+=N
	}
	echo "$lost"
}

t_fewest_capabilities() {
	need_root
	need_program setpriv
	local unit=$EXAMPLES/pmubpf.service all one top lost
	all=$(sed -n 's/^AmbientCapabilities=//p' "$unit")
	expect_eq "$(sed -n 's/^CapabilityBoundingSet=//p' "$unit")" "$all" "the bounding set"
	top=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { print $2; exit }' /proc/self/mounts)
	top=${top:-$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)}
	mkdir "$top/pmb-$$.service" || skip "no cgroups can be made here"
	later rmdir "$top/pmb-$$.service"
	later sleep 0.3
	cp "$PMUBPF" "$T/pmubpf"
	: >"$T/folded"
	chown 65533 "$T/folded"
	# both belong to somebody else, and nobody else may read them
	install -m 700 -o 65534 "$WORKLOADS/split" "$T/deleted"
	spawn setpriv --reuid 65534 --regid 65534 --clear-groups "$T/deleted" 60 2 >/dev/null
	mkdir "$T/private"
	# shellcheck disable=SC2016
	spawn unshare -m sh -c 'mount -t tmpfs -o mode=755 none "$1" && install -m 700 -o 65534 "$2" "$1/other" &&
		exec setpriv --reuid 65534 --regid 65534 --clear-groups "$1/other" 60 2' - "$T/private" "$WORKLOADS/split" >/dev/null
	echo "$spawned" >"$top/pmb-$$.service/cgroup.procs"
	wait_until pgrep -x -u 65534 other >/dev/null || skip "no mounting here"
	rm "$T/deleted"
	# beside much else a second may end before a program's file was opened
	for _ in 1 2 3; do
		lost=$(lost_without "$all")
		[ -n "$lost" ] || break
	done
	expect_eq "$lost" "" "lost with all of them"
	for one in $all; do
		# shellcheck disable=SC2001
		lost=$(lost_without "$(sed "s/$one//" <<<"$all")")
		echo "    without $one: ${lost:-nothing} lost"
		[ -n "$lost" ] || fail "$one isn't needed"
	done
}

# As systemd runs it, but in a folder of its own: its arguments, another user, those capabilities
# alone, no network, and somebody who wants to be told. systemd itself is not asked.
t_agent_service() {
	need_root
	need_program setpriv
	need_program python3
	local unit=$EXAMPLES/pmubpf-agent.service all name set=-all args
	all=$(sed -n 's/^AmbientCapabilities=//p' "$unit")
	expect_eq "$(sed -n 's/^CapabilityBoundingSet=//p' "$unit")" "$all" "the bounding set"
	expect_eq "$(sed -n 's/^AmbientCapabilities=//p' "$EXAMPLES/pmubpf.service")" "$all" \
		"what the other unit has"
	for name in $all; do
		name=${name#CAP_}
		set+=,+${name,,}
	done
	args=$(sed -n 's|^ExecStart=/usr/bin/pmubpf ||p' "$unit")
	expect_match <(echo "$args") '^agent --dir /var/lib/pmubpf$' "its arguments"
	cp "$PMUBPF" "$T/pmubpf"
	install -d -m 700 -o 65533 "$T/state"
	python3 - "$T/socket" "$T/heard" <<-'END' &
		import os, socket, sys
		s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		s.bind(sys.argv[1])
		os.chmod(sys.argv[1], 0o777)
		s.settimeout(60)
		with open(sys.argv[2], "w") as f:
		    while True:
		        print(s.recv(4096).decode(), file=f, flush=True)
	END
	later kill $!
	wait_until test -S "$T/socket" || fail "no socket"
	spawn "$WORKLOADS/split" 30 >/dev/null
	args=${args/\/var\/lib\/pmubpf/$T/state}
	# shellcheck disable=SC2086 # several arguments
	NOTIFY_SOCKET=$T/socket WATCHDOG_USEC=120000000 spawn unshare -n setpriv --reuid 65533 \
		--regid 65533 --clear-groups --inh-caps="$set" --ambient-caps="$set" \
		--bounding-set="$set" --no-new-privs "$T/pmubpf" $args --every 2s -F 199 \
		>"$T/out" 2>"$T/err"
	tool=$spawned
	wait_until grep -q READY=1 "$T/heard" || fail "it isn't ready: $(tail -n 1 "$T/err")"
	wait_until grep -q WATCHDOG=1 "$T/heard" || fail "no watchdog is fed"
	has_windows() { [ "$(find "$T/state" -name '*.pb.gz' | wc -l)" -ge 2 ]; }
	wait_until has_windows || fail "no windows"
	kill -TERM "$tool"
	wait "$tool"
	expect_eq $? 0 "exit status"
	expect_match "$T/heard" STOPPING=1 "what it says at the end"
	"$PMUBPF" report --from "$T/state" --by process,function >"$T/report" 2>"$T/report.err"
	expect_match "$T/report" 'hot70 +split' "a function of another user's program"
	expect_match "$T/report" 'kernel.kallsyms' "a function of the kernel"
	expect_empty "$T/report.err" "gaps"
}

# The arguments are taken as kubelet hands them over, and it mounts what the image's recipe says. No
# API server was asked.
t_daemonset() {
	need_root
	python3 -c 'import yaml' 2>/dev/null || skip "no python3-yaml"
	python3 - "$EXAMPLES/daemonset.yaml" >"$T/args" <<'EOF' || fail "the DaemonSet isn't one"
import sys, yaml
d = yaml.safe_load(open(sys.argv[1]))
assert (d["apiVersion"], d["kind"]) == ("apps/v1", "DaemonSet")
pod = d["spec"]["template"]
assert d["spec"]["selector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()
spec = pod["spec"]
c, = spec["containers"]
assert spec["hostPID"] is True and c["securityContext"]["privileged"] is True
assert {m["name"] for m in c["volumeMounts"]} == {v["name"] for v in spec["volumes"]}
assert all(isinstance(a, str) for a in c["args"])
print("\n".join(c["args"]))
EOF
	local args
	mkdir "$T/node"
	mapfile -t args < <(sed "s|^/profiles$|$T/node|" "$T/args")
	pmb_ok "${args[@]}" --every 1s -d 3
	pmb_ok report --from "$T/node" --by workload,image,function
	expect_match "$T/out" ' windows?, ' "the title"
}

run_tests
