#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What others read out of the same data: generated cases by the hundred, with the peers themselves
# to compare with. tests/peers/ has the generators and the comparisons; where we differ on purpose
# stands there and in the man page.
# long
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

PEERS=$TOP/tests/peers
# How much of what chance makes: half of it, and with SOAK=1 all.
HALVES=$([ "${SOAK:-0}" = 1 ] && echo 2 || echo 1)
export PYTHONDONTWRITEBYTECODE=1 # no files among the sources

# A comparison prints each difference, and last how much was compared.
compare() { # AT_LEAST COMMAND…
	local least=$1 status=0
	shift
	"$@" >"$T/out" 2>"$T/err" || status=$?
	echo "    $(tail -n 1 "$T/out")"
	[ "$status" = 0 ] || fail "$(cut -c -300 "$T/out" | head -n 1)$(tail -n 1 "$T/err")"
	expect_ge "$(tail -n 1 "$T/out" | awk '{ print $1 }')" "$least" "cases compared"
}

need_go() {
	need_program go
	# the program itself: "go" takes as long to find it as it to read a profile
	PPROF=$(go tool -n pprof 2>"$T/err") || skip "this Go has no pprof"
	[ -x "$PPROF" ] || PPROF='go tool pprof'
	export PPROF
	export HOME=$T PPROF_TMPDIR=$T PPROF_BINARY_PATH=$T
}

# A recorded machine's PMUs, so that any machine answers the same.
make_sysfs() { # FOLDER TREE
	local path text
	while IFS= read -r line; do
		path=$1/${line%%: *} text=${line#*: }
		mkdir -p "${path%/*}"
		echo "$text" >"$path"
	done < <(grep -v '^#' "$TOP/tests/trees/$2.txt")
}

t_event_texts_beside_perf() {
	need_root
	need_program python3
	need_program unshare
	perf_path >/dev/null || skip "no perf here"
	unshare -m mount --bind "$T" "$T" 2>/dev/null || skip "no mounts of one's own here"
	gcc -std=gnu11 -D_GNU_SOURCE -O1 -shared -fPIC -o "$T/attrs.so" \
		"$TOP/tests/shims/attrs.c" || fail "no attrs.so"
	make_sysfs "$T/sysfs" intel-server
	mkdir "$T/logs"
	export ATTRS=$T/attrs.so PERF XDG_CONFIG_HOME=/nonexistent
	PERF=$(perf_path)
	# Tracepoints' names, too, whether this machine has tracefs mounted or another suite lets go
	# of it.
	# shellcheck disable=SC2016 # the inner shell's
	compare 450 unshare -m sh -c 'mount -t tracefs none /sys/kernel/tracing 2>/dev/null
		mount --bind "$0" /sys/bus/event_source/devices && exec "$@"' \
		"$T/sysfs" python3 "$PEERS/events.py" "$T/logs"
}

t_profiles_beside_pprof() {
	need_go
	need_program python3
	python3 "$PEERS/profiles.py" "$T/profiles" $((50 * HALVES)) || fail "no profiles"
	compare $((1250 * HALVES)) python3 "$PEERS/pprof.py" "$T/profiles"
}

# ---------------------------------------------------------------- the formats that report writes

hostile_profiles() {
	need_program python3
	python3 "$PEERS/profiles.py" "$T/profiles" $((40 * HALVES)) hostile || fail "no profiles"
}

t_pictures_by_flamegraph_pl() {
	[ -n "$(flamegraph_path)" ] || skip "no flamegraph.pl here"
	hostile_profiles
	compare $((40 * HALVES)) python3 "$PEERS/readers.py" flamegraph "$T/profiles" \
		"$(flamegraph_path)"
}

# By the script's rules, written anew: no package has the script.
t_perf_text_as_stackcollapse_reads_it() {
	hostile_profiles
	compare $((40 * HALVES)) python3 "$PEERS/readers.py" stackcollapse "$T/profiles"
}

# npm's package, which is kept. It is the page that a browser loads: nothing of it runs at
# installation.
speedscope_script() {
	local version=1.25.0 cache=/var/cache/pmubpf-tests/npm
	local kept=$cache/speedscope-$version
	if [ ! -d "$kept" ]; then
		mkdir -p "$cache" && (cd "$T" && npm_config_cache=$T/npm timeout 60 npm pack --silent "speedscope@$version" >/dev/null 2>&1) &&
			tar -xzf "$T/speedscope-$version.tgz" -C "$T" &&
			mv -T "$T/package" "$kept" 2>/dev/null
	fi
	find "$kept/dist/release" -name 'speedscope-*.js' 2>/dev/null | grep . # none: no network
}

t_what_speedscope_imports() {
	local script
	need_root
	need_program node
	need_program npm
	script=$(speedscope_script) || skip "speedscope can't be had from npm here"
	hostile_profiles
	compare $((60 * HALVES)) python3 "$PEERS/readers.py" speedscope "$T/profiles" "$script"
}

run_tests
