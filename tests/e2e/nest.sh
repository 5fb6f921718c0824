#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The two commands, where nothing was installed by hand: Debian 12 and Debian 13 are bootstrapped
# into a folder, and "make demo" and "make test" run in there (unit tests, and the tests that
# differ by distribution), on this machine's kernel (with its /proc, /sys, /dev, in a mount
# namespace of their own, so that nothing stays mounted).
#
# The only thing put there beforehand is make itself. Packages come from the mirror that this
# machine's apt uses, with its proxy and trust settings.
#
# Environment: NEST_CACHE (default /var/cache/pmubpf-tests) holds the downloaded base systems and,
# while it runs, the roots; NEST_MIRROR overrides the mirror; NEST_KEEP=1 keeps the roots.
#
# timeout: 2400

# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/debian_lib.sh
. "$(dirname "$0")/debian_lib.sh"

NEST_CACHE=${NEST_CACHE:-/var/cache/pmubpf-tests}

# What compilers, libraries and the other tools of a distribution have a say in; the rest is the
# kernel's, which is this one's anyway.
TESTS='events/libpfms_names_record events/libpfms_names_refused events/without_libpfm
	flamegraph/pipe flamegraph/file flamegraph/cxx_and_kernel flamegraph/hostile
	install/destdir install/uninstall install/installed_tool_works install/nothing_outside
	list/database list/database_in_record
	loads/redis loads/postgres loads/compiler
	names/recursion names/cxx names/rust names/stripped names/debuglink names/minidebuginfo
	names/build_id names/inline_in_a_debug_file names/inline_in_all_versions_of_dwarf
	names/inline_cxx names/inline_with_a_shared_debug_file names/no_debuginfod
	names/kernel_frames
	shares/share_hot70 shares/share_hot30 shares/same_as_perf shares/main_in_the_stacks
	shares/frames_named shares/ledger'

suites_inside() {
	# shellcheck disable=SC2086 # a list of words
	printf '%s\n' $TESTS | sed 's|/.*||' | uniq
}

# A regular expression.
tests_inside() {
	# shellcheck disable=SC2086 # a list of words
	printf '%s\n' $TESTS | sed 's|.*/||' | paste -sd '|' | sed 's/.*/^(&)$/'
}

t_tests_inside_exist() {
	local test
	for test in $TESTS; do
		grep -q "^t_${test#*/}() " "$TOP/tests/e2e/${test%/*}.sh" || fail "no test $test"
	done
}

t_deps_are_complete() {
	command -v apt-get >/dev/null || skip "not a Debian or Ubuntu"
	"$TOP/mk/deps.sh" --missing build demo test >"$T/out" ||
		fail "missing: $(tr '\n' ' ' <"$T/out")"
}

t_deps_without_apt() {
	# Elsewhere the packages are named, and nothing is tried.
	mkdir "$T/bin"
	ln -s "$(command -v awk)" "$(command -v cat)" "$(command -v bash)" "$T/bin/"
	PATH=$T/bin bash "$TOP/mk/deps.sh" >"$T/out" 2>"$T/err"
	expect_eq $? 3 "exit status"
	expect_match "$T/err" 'libbpf-dev' "the packages are named"
}

t_bpftool_wrapper_is_bypassed() {
	# Ubuntu's wrapper: exists, and refuses.
	local real
	real=$("$TOP/mk/find-bpftool.sh") || fail "no bpftool that works"
	mkdir "$T/bin"
	printf '#!/bin/sh\necho "WARNING: bpftool not found for kernel" >&2\nexit 2\n' >"$T/bin/bpftool"
	chmod +x "$T/bin/bpftool"
	expect_eq "$(BPFTOOL=$T/bin/bpftool "$TOP/mk/find-bpftool.sh")" "$real" \
		"what is found past a wrapper"
}

# ---------------------------------------------------------------- what apt knows

# This machine's way to the mirror, for the apt inside: proxy, trust, names, certificates.
carry_apt_config() { # ROOT SUITE MIRROR
	local root=$1 file keyring
	apt-config dump Acquire |
		grep -Ev '^Acquire::(IndexTargets|Languages)' >"$root/etc/apt/apt.conf.d/00host"
	for file in /etc/resolv.conf /etc/hosts $(apt-config dump --format '%v%n' Acquire | grep '^/'); do
		[ -f "$file" ] && install -D -m 644 "$file" "$root$file"
	done
	if [ -f /etc/ssl/certs/ca-certificates.crt ] &&
		[ ! -e "$root/etc/ssl/certs/ca-certificates.crt" ]; then
		install -D -m 644 /etc/ssl/certs/ca-certificates.crt \
			"$root/etc/ssl/certs/ca-certificates.crt"
	fi
	keyring=$(apt_keyring) && install -D -m 644 "$keyring" "$root$keyring"
	# as in container images: nobody needs this disk after a crash, nor reads what is installed
	printf '%s\n' force-unsafe-io 'path-exclude=/usr/share/doc/*' \
		'path-exclude=/usr/share/locale/*' >"$root/etc/dpkg/dpkg.cfg.d/nest"
	echo "deb ${keyring:+[signed-by=$keyring]} $3 $2 main" >"$root/etc/apt/sources.list"
}

# ---------------------------------------------------------------- the roots

# The base system's packages are downloaded once, into one tar file in the cache.
bootstrap() { # SUITE MIRROR ROOT
	local arch tarball options=(--variant=minbase --include=make) keyring
	arch=$(dpkg --print-architecture)
	tarball=$NEST_CACHE/$1-$arch.tar
	keyring=$(apt_keyring) && options+=("--keyring=$keyring")
	find "$NEST_CACHE" -maxdepth 1 -name "$1-$arch.tar" -mtime +14 -delete
	if [ ! -s "$tarball" ]; then
		debootstrap "${options[@]}" "--make-tarball=$tarball.part" "$1" "$T/download" \
			"$2" >"$T/err" 2>&1 ||
			return 1
		mv "$tarball.part" "$tarball"
	fi
	debootstrap "${options[@]}" "--unpack-tarball=$tarball" "$1" "$3" "$2" >"$T/err" 2>&1
}

# What a clean clone has; from a tree without a commit, or with changes, the files as they are.
copy_tree() { # TARGET
	local git=(git -c "safe.directory=*" -C "$TOP")
	mkdir -p "$1"
	if "${git[@]}" rev-parse -q --verify HEAD >/dev/null 2>&1 &&
		[ -z "$("${git[@]}" status --porcelain 2>/dev/null)" ]; then
		"${git[@]}" archive HEAD | tar -x -C "$1"
	elif "${git[@]}" rev-parse --git-dir >/dev/null 2>&1; then
		"${git[@]}" ls-files -z --cached --others --exclude-standard |
			(cd "$TOP" && tar -c --null -T - --ignore-failed-read 2>/dev/null) |
			tar -x -C "$1"
	else
		tar -c -C "$TOP" --exclude=./build --exclude=./pmubpf . | tar -x -C "$1"
	fi
}

# Runs a command inside, in a mount namespace that ends with it.
inside() { # ROOT COMMAND…
	local root=$1
	shift
	# shellcheck disable=SC2016
	unshare -m --propagation private sh -c '
		for dir in proc sys dev; do mount --rbind "/$dir" "$0/$dir" || exit 99; done
		mount -t tmpfs -o mode=1777 tmpfs "$0/tmp" || exit 99
		exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
			"$@"' "$root" env -C /root/pmubpf "$@"
}

expect_inside() { # WHAT SECONDS ROOT COMMAND…
	local what=$1 limit=$2 status
	shift 2
	timeout --kill-after=10 "$limit" bash -c "$(declare -f inside)"'; inside "$@"' _ \
		"$@" >"$T/out" 2>&1 </dev/null
	status=$?
	: >"$T/err"
	grep '^second try' "$T/out" | sed 's/^/    in Debian: /'
	[ "$status" -eq 0 ] && return 0
	grep -E '^(FAIL|make)' "$T/out" >"$T/err"
	tail -n 15 "$T/out" >"$T/tail" && mv "$T/tail" "$T/out"
	[ "$status" -ne 124 ] || fail "$what: not done after $limit s"
	fail "$what: exit status $status"
}

nest() { # SUITE
	need_root
	need_program debootstrap
	need_program apt-get
	local mirror root
	mirror=$(apt_mirror)
	[ -n "$mirror" ] || skip "apt knows no Debian mirror here"
	[ -e "/usr/share/debootstrap/scripts/$1" ] || skip "this debootstrap does not know $1"
	mkdir -p "$NEST_CACHE" || skip "cannot write to $NEST_CACHE"
	export_proxy
	root=$(mktemp -d "$NEST_CACHE/root-$1.XXXXXX")
	chmod 755 "$root"
	[ "${NEST_KEEP:-0}" = 1 ] || later rm -rf --one-file-system "$root"
	if ! bootstrap "$1" "$mirror" "$root"; then
		grep -Eqi 'failed getting release|unreachable|resolve' "$T/err" &&
			skip "the mirror does not answer"
		fail "debootstrap: $(tail -n 1 "$T/err")"
	fi
	carry_apt_config "$root" "$1" "$mirror"
	copy_tree "$root/root/pmubpf"
	expect_inside "make demo" 600 "$root" make demo
	find "$root/root/pmubpf" -name '*.svg' -size +0 | grep -q . ||
		fail "make demo left no flame graph"
	expect_inside "make test" 1200 "$root" env "ONLY=$(tests_inside)" \
		make test "SUITES=$(suites_inside | paste -sd ' ')"
	tail -n 1 "$T/out" | grep -Eq '^[0-9]+ passed, 0 failed, [0-9]+ skipped$' ||
		fail "make test ended with '$(tail -n 1 "$T/out")'"
	echo "    in $1: $(tail -n 1 "$T/out")"
	# Python's perf maps: 3.12 and later have them
	expect_inside "a JIT's names" 60 "$root" env ONLY='^cpython$' bash tests/e2e/jit.sh
	sed "s/^/    in $1: /" "$T/out"
	expect_no_match "$T/out" '^FAIL' "a JIT's names"
	grep '^skip ' "$T/out" | sed "s/^/    in $1: /"
	return 0
}

t_debian_12() {
	nest bookworm
}

t_debian_13() {
	nest trixie
}

run_tests
