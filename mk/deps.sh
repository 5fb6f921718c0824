#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# make deps: installs what building and testing need, with apt-get, as root.
#
#     mk/deps.sh [KIND…]            install what is missing; nothing is touched when all is there
#     mk/deps.sh --missing [KIND…]  print what is missing (exit status 1 if anything is), install nothing
#     mk/deps.sh --list             print the table
#
# A KIND is a word of the table's first column: build, demo, test, and what only whole runs of the
# tests look at: others (other languages), containers (engines, not started), fleet (a server, not
# started), browser (400 MB), vm (emulated machines); bench: what make bench compares with. Without
# one: all but bench and fleet, which make bench and make test ask for (fleet is not in each Debian).
#
# Apart from the engines, and from clickhouse-server and prometheus, none of which are started
# (policy-rc.d says so meanwhile), no package of the table brings a daemon:
# redis-tools is the whole of redis without its service (redis-check-rdb is the server under another
# name), and the test that wants PostgreSQL skips itself where it isn't installed.
set -u -o pipefail

# One line per thing: what it is for, Debian 12 and 13, Ubuntu 24.04. A comma joins two packages; a
# - says that there is none (Ubuntu's chromium is a snap). A name may be one that packages provide:
# qemu-system-riscv64 is in another package in each Debian.
table() {
	cat <<TABLE
for    debian                 ubuntu
build  gcc                    gcc
build  make                   make
build  clang                  clang
build  bpftool                linux-tools-common,linux-tools-generic
build  libbpf-dev             libbpf-dev
build  libelf-dev             libelf-dev
build  libdw-dev              libdw-dev
build  libiberty-dev          libiberty-dev
build  zlib1g-dev             zlib1g-dev
build  liblzma-dev            liblzma-dev
build  libpfm4-dev            libpfm4-dev
build  pkg-config             pkg-config
build  libjansson-dev         libjansson-dev
build  libseccomp-dev         libseccomp-dev
build  libprotobuf-c-dev      libprotobuf-c-dev
build  protobuf-c-compiler    protobuf-c-compiler
build  uthash-dev             uthash-dev
build  linux-libc-dev         linux-libc-dev
build  libc6-dev              libc6-dev
demo   g++                    g++
demo   libdevel-nytprof-perl  libdevel-nytprof-perl
demo   libcapstone-dev        libcapstone-dev
test   libc6-dbg              libc6-dbg
test   binutils               binutils
test   libcriterion-dev       libcriterion-dev
test   linux-perf             linux-tools-common,linux-tools-generic
test   jq                     jq
test   procps                 procps
test   util-linux             util-linux
test   valgrind               valgrind
test   redis-tools            redis-tools
test   libdebuginfod1         libdebuginfod1
test   libcapstone-dev        libcapstone-dev
test   python3                python3
test   dwz                    dwz
test   git                    git
test   ca-certificates        ca-certificates
test   debootstrap            debootstrap
test   strace                 strace
test   tmux                   tmux
test   libncursesw6           libncursesw6
test   ncurses-base           ncurses-base
test   clang-format           clang-format
test   libjemalloc2           libjemalloc2
test   libtcmalloc-minimal4   libtcmalloc-minimal4t64
test   libmimalloc-dev        libmimalloc-dev
browser chromium              -
browser chromium-driver       -
others golang-go              golang-go
others musl-tools             musl-tools
others protobuf-compiler      protobuf-compiler
others gojq                   gojq
others libc++-dev             libc++-dev
containers docker.io          docker.io
containers podman             podman
containers runc               runc
fleet  clickhouse-server      -
fleet  curl                   curl
fleet  prometheus             prometheus
fleet  zookeeper              zookeeper
vm     qemu-system-x86        qemu-system-x86
vm     qemu-system-arm        qemu-system-arm
vm     qemu-system-riscv64    qemu-system-riscv64
vm     busybox-static         busybox-static
vm     cpio                   cpio
vm     gcc-aarch64-linux-gnu  gcc-aarch64-linux-gnu
vm     clang-19               clang-19
vm     lld-19                 lld-19
bench  linux-perf             linux-tools-common,linux-tools-generic
bench  jq                     jq
bench  python3                python3
bench  redis-tools            redis-tools
bench  bpfcc-tools            bpfcc-tools
bench  bpftrace               bpftrace
bench  linux-headers-$(dpkg --print-architecture 2>/dev/null)    linux-headers-generic
TABLE
}

# The column of the table for this machine: 2 (Debian and what derives from it), 3 (Ubuntu).
column() {
	local id='' like=''
	# shellcheck disable=SC1091
	id=$(. /etc/os-release 2>/dev/null; echo "${ID:-}")
	# shellcheck disable=SC1091
	like=$(. /etc/os-release 2>/dev/null; echo "${ID_LIKE:-}")
	case " $id $like " in
	*" ubuntu "*) echo 3 ;;
	*) echo 2 ;;
	esac
}

packages() { # [KIND…]
	table | awk -v c="$(column)" -v kinds=" $* " \
		'NR > 1 && (kinds == "  " ? $1 !~ /^(bench|fleet)$/ : index(kinds, " " $1 " ")) &&
			$c != "-" { print $c }' | tr ',' '\n' | sort -u
}

# The packages of the table that dpkg does not know as installed, or provided by one that is.
missing() { # [KIND…]
	local have name
	have=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}, ${Provides}\n' |
		awk '$1 == "ii"' | tr ', ' '\n')
	for name in $(packages "$@"); do
		case $'\n'$have$'\n' in
		*$'\n'"$name"$'\n'*) ;;
		*) echo "$name" ;;
		esac
	done
}

# What packages start when they are installed is asked of this file; one that is there stays.
RC_POLICY=/usr/sbin/policy-rc.d
start_nothing() {
	[ ! -e "$RC_POLICY" ] || return 0
	printf '#!/bin/sh\nexit 101\n' >"$RC_POLICY" && chmod 755 "$RC_POLICY"
	trap 'rm -f "$RC_POLICY"' EXIT
}

# Nor do they start with the host.
disable_servers() {
	[ ! -d /run/systemd/system ] ||
		systemctl -q disable clickhouse-server prometheus 2>/dev/null
	return 0
}

install_packages() {
	export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 UCF_FORCE_CONFFOLD=1
	local opts=(-y -qq --no-install-recommends -o Dpkg::Use-Pty=0
		-o Dpkg::Options::=--force-confold)

	echo "deps: installing $*" >&2
	# Old package lists are good enough if they lead to the packages.
	apt-get "${opts[@]}" install "$@" >/dev/null 2>&1 && return 0
	apt-get -qq update >&2 ||
		echo "deps: apt-get update failed; trying the lists that are here" >&2
	apt-get "${opts[@]}" install "$@" >&2
}

main() {
	local only_print=
	case ${1:-} in
	--list)
		table
		return 0
		;;
	--missing)
		only_print=1
		shift
		;;
	esac
	if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
		echo "deps: no apt-get here; install the counterparts of these Debian packages:" >&2
		table | awk 'NR > 1 { printf "deps:   %-6s %s\n", $1, $2 }' >&2
		return 3
	fi
	local need
	need=$(missing "$@")
	[ -z "$need" ] && return 0
	if [ -n "$only_print" ]; then
		echo "$need"
		return 1
	fi
	if [ "$(id -u)" -ne 0 ]; then
		echo "deps: missing: ${need//$'\n'/ }; installing them needs root: sudo make deps" >&2
		return 3
	fi
	case " ${need//$'\n'/ } " in
	*" clickhouse-server "* | *" prometheus "*) start_nothing ;;
	esac
	# shellcheck disable=SC2086
	if ! install_packages $need; then
		echo "deps: apt-get could not install: ${need//$'\n'/ }" >&2
		return 1
	fi
	case " ${need//$'\n'/ } " in
	*" clickhouse-server "* | *" prometheus "*) disable_servers ;;
	esac
}

main "$@"
