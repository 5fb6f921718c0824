# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Runtimes of Debian's suites, each bootstrapped into a folder of RUNTIMES_CACHE, where it stays
# for two weeks, for RUNTIMES=all (make test-runtimes). What they have is called SUITE:PATH.
# Sourced behind lib.sh.
# shellcheck source=tests/e2e/debian_lib.sh
. "$(dirname "$0")/debian_lib.sh"

RUNTIMES=${RUNTIMES:-some}
RUNTIMES_CACHE=${RUNTIMES_CACHE:-/var/cache/pmubpf-tests/runtimes}

# SUITE PACKAGES…: the first list that the suite has
SUITES_OF_RUNTIMES=('bullseye python3.9,openjdk-11-jdk-headless python3.9'
	'bookworm python3.11,openjdk-17-jdk-headless,nodejs python3.11,nodejs'
	'trixie python3.13,openjdk-21-jdk-headless,openjdk-25-jdk-headless,nodejs python3.13'
	'sid python3.14,python3.15,openjdk-8-jdk-headless,openjdk-26-jdk-headless,nodejs python3')

bootstrap_suite() { # SUITE PACKAGES…
	local suite=$1 root=$RUNTIMES_CACHE/$1 lists="${*:2}" packages keyring options=()
	keyring=$(apt_keyring) && options=("--keyring=$keyring")
	shift
	find "$RUNTIMES_CACHE" -maxdepth 1 -name "$suite.has" -mtime +14 -delete
	# which lists it was made for
	[ "$(cat "$root.has" 2>"$T/no")" != "$lists" ] || return 0
	for packages; do
		rm -rf --one-file-system "$root.part"
		debootstrap "${options[@]}" --variant=minbase "--include=$packages" \
			"$suite" "$root.part" "$(apt_mirror)" >"$S/debootstrap" 2>&1 || continue
		rm -rf --one-file-system "$root"
		mv "$root.part" "$root" && echo "$lists" >"$root.has"
		return
	done
	echo "$suite: $(tail -n 1 "$S/debootstrap")" >>"$S/missing"
}

# Those that can't be had are in $S/missing.
bootstrap_suites() {
	local program suite
	for program in debootstrap apt-get unshare flock; do
		command -v "$program" >/dev/null || echo "no $program here" >>"$S/missing"
	done
	[ ! -s "$S/missing" ] || return 0
	mkdir -p "$RUNTIMES_CACHE" || return 0
	export_proxy
	for suite in "${SUITES_OF_RUNTIMES[@]}"; do
		# shellcheck disable=SC2086 # a list of words
		(flock 9 && bootstrap_suite $suite) 9>>"$RUNTIMES_CACHE/lock"
	done
}

# SUITE:PATH of what the suites have by that pattern.
in_suites() { # PATTERN
	local suite path
	[ "$RUNTIMES" = all ] || return 0
	for suite in "${SUITES_OF_RUNTIMES[@]}"; do
		suite=${suite%% *}
		for path in "$RUNTIMES_CACHE/$suite"$1; do
			[ ! -x "$path" ] || echo "$suite:${path#"$RUNTIMES_CACHE/$suite"}"
		done
	done
}

# The command's words, in RUN: of a program here, or of a suite's. In its root the tests' files have
# the paths that they have here.
runtime_command() { # [SUITE:]PATH ARGUMENT…
	local program=$1
	shift
	RUN=("$program" "$@")
	case $program in
	*:*)
		# shellcheck disable=SC2016 # the inner shell's
		RUN=(unshare -m --propagation private sh -c '
			mount -t tmpfs -o mode=1777 tmpfs "$0/tmp" || exit 99
			for dir in "$1" "$2" "$3" /proc; do
				mkdir -p "$0$dir" && mount --rbind "$dir" "$0$dir" || exit 99
			done
			shift 3
			exec chroot "$0" "$@"' "$RUNTIMES_CACHE/${program%%:*}"
			"$TOP/tests/workloads" "$S" "$T" "${program#*:}" "$@")
		;;
	esac
}

# What could not be had was not tried, and is said.
need_suites() {
	[ "$RUNTIMES" = all ] || skip "make test-runtimes has them"
	[ ! -s "$S/missing" ] || skip "$(head -n 1 "$S/missing")"
}
