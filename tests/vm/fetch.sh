#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# tests/vm/fetch.sh kernel NAME         the kernel of a guest (see tests/vm/guests); prints its path
# tests/vm/fetch.sh headers NAME        a root in which its modules can be built; prints the folder. Its
#                                       file "headers" names that of the kernel's headers.
# tests/vm/fetch.sh root ARCH SUITE PACKAGE…
#                                       packages with all that they depend on, unpacked; prints the folder
#
# By apt, but not this machine's: its state, lists and cache lie in the cache folder, so that
# nothing here is installed, and no other architecture is added. The mirrors are those of this
# machine's own apt sources. What is in the cache is not fetched again.
#
# Environment: PMUBPF_VM_CACHE (default /var/cache/pmubpf-tests/vm),
# PMUBPF_DEBIAN_MIRROR, PMUBPF_DEBIAN_SECURITY (URIs, for a machine that isn't a Debian).
set -u -o pipefail
export LC_ALL=C

VM=$(cd "$(dirname "$0")" && pwd)
CACHE=${PMUBPF_VM_CACHE:-/var/cache/pmubpf-tests/vm}

die() {
	echo "vm: $*" >&2
	exit 1
}

# The URI from which this machine has a suite of its own.
mirror_of() { # SUITE
	# shellcheck disable=SC2016 # apt's own variables
	apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Identifier: Packages' 2>/dev/null |
		awk -v s="$1" '$1 == s { print $2; exit }'
}

# The lines of a sources.list for a suite; a security suite or backports come with what they stand
# on.
sources() { # SUITE
	local own main security base=${1%%-*}
	# shellcheck disable=SC1091
	own=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	main=${PMUBPF_DEBIAN_MIRROR:-$(mirror_of "$own")}
	security=${PMUBPF_DEBIAN_SECURITY:-$(mirror_of "$own-security")}
	[ -n "$main" ] ||
		die "no Debian mirror in this machine's apt sources; set PMUBPF_DEBIAN_MIRROR"
	echo "deb $main $base main"
	case $1 in
	*-security) echo "deb ${security:-$main} $1 main" ;;
	*-*) echo "deb $main $1 main" ;;
	esac
}

# A configuration for apt with a state of its own; prints the file (for APT_CONFIG).
apt_conf() { # ARCH SUITE
	local dir=$CACHE/apt/$1-$2
	mkdir -p "$dir"/{lists/partial,archives/partial,etc,none}
	sources "$2" >"$dir/etc/sources.list" || exit 1
	: >"$dir/status"
	cat >"$dir/apt.conf" <<-CONF
		Dir::State "$dir";
		Dir::State::Lists "$dir/lists";
		Dir::State::status "$dir/status";
		Dir::Cache "$dir";
		Dir::Cache::archives "$dir/archives";
		Dir::Etc::SourceList "$dir/etc/sources.list";
		Dir::Etc::SourceParts "$dir/none";
		Dir::Etc::Preferences "$dir/none/none";
		Dir::Etc::PreferencesParts "$dir/none";
		APT::Architecture "$1";
		APT::Architectures { "$1"; };
		APT::Install-Recommends "false";
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		Acquire::Check-Valid-Until "false";
		Debug::NoLocking "true";
		DPkg::Post-Invoke { };
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
		#clear DPkg::Post-Invoke;
	CONF
	echo "$dir/apt.conf"
}

# The lists are read once a day: kernels change often, and a test that runs twice needs them once.
apt_update() { # CONF
	local stamp=${1%/*}/updated
	[ -n "$(find "$stamp" -mmin -1440 2>/dev/null)" ] && return 0
	APT_CONFIG=$1 apt-get -qq update >&2 || return 1
	touch "$stamp"
}

apt_open() { # ARCH SUITE
	local conf
	conf=$(apt_conf "$1" "$2") || exit 1
	apt_update "$conf" || die "$1 $2: apt-get update failed"
	echo "$conf"
}

fetch_packages() { # CONF FOLDER PACKAGE…
	local conf=$1 folder=$2 deb dir
	shift 2
	rm -f "${conf%/*}"/archives/*.deb
	APT_CONFIG=$conf apt-get -qq -y --download-only install "$@" >&2 || return 1
	rm -rf "$folder.new"
	mkdir -p "$folder.new"
	for deb in "${conf%/*}"/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$folder.new" || return 1
		rm -f "$deb"
	done
	# Debian 13's packages have everything under /usr, and expect the links to be there.
	for dir in bin lib lib64; do
		[ -e "$folder.new/$dir" ] || [ ! -e "$folder.new/usr/$dir" ] ||
			ln -s "usr/$dir" "$folder.new/$dir"
	done
	rm -rf "$folder"
	mv "$folder.new" "$folder"
}

# Only the image: its package wants an initramfs builder and a boot loader along.
fetch_kernel() { # NAME
	local name arch suite pattern conf package folder=$CACHE/kernel/$1
	read -r name arch suite pattern _ < <(grep "^$1[[:space:]]" "$VM/guests") ||
		die "no guest $1"
	if [ ! -e "$folder/package" ]; then
		conf=$(apt_open "$arch" "$suite") || exit 1
		package=$(APT_CONFIG=$conf apt-cache pkgnames linux- | grep -Ex -- "$pattern" | sort -V | tail -n 1)
		[ -n "$package" ] || die "$name: no package matches $pattern in $suite"
		rm -rf "$folder.new"
		mkdir -p "$folder.new/root"
		( cd "$folder.new" && APT_CONFIG=$conf apt-get -qq download "$package" >&2 ) ||
			die "$name: can't fetch $package"
		dpkg-deb --fsys-tarfile "$folder.new"/*.deb |
			tar -x -C "$folder.new/root" --wildcards '*/vmlinu[xz]*' ||
			die "$name: no kernel in $package"
		find "$folder.new/root" -type f -name 'vmlinu[xz]*' -exec mv {} \
			"$folder.new/image" \;
		rm -rf "$folder.new/root" "$folder.new"/*.deb "$folder"
		echo "$package" >"$folder.new/package"
		mv "$folder.new" "$folder"
	fi
	echo "$folder/image"
}

# What the headers' own build rules want, besides what their packages depend on.
BUILDERS="make gcc dash coreutils findutils sed grep mawk perl-base"

# Of another architecture than this machine's the headers, beside this one's tools and a compiler
# for it; a file "cross" says what make has to know.
fetch_foreign_headers() { # ARCH SUITE VERSION FOLDER
	local conf own tools machine
	case $1 in
	amd64) machine=x86-64 ;;
	arm64) machine=aarch64 ;;
	*) return 1 ;;
	esac
	conf=$(apt_open "$1" "$2") || exit 1
	tools=$(APT_CONFIG=$conf apt-cache depends "linux-headers-$3" |
		sed -n 's/.*Depends: \(linux-kbuild-.*\|linux-headers-.*-common\)$/\1/p')
	own=$(apt_open "$(dpkg --print-architecture)" "$2") || exit 1
	# shellcheck disable=SC2086
	fetch_packages "$own" "$4" $tools gcc-$machine-linux-gnu $BUILDERS || return
	( cd "$4" && APT_CONFIG=$conf apt-get -qq download "linux-headers-$3" >&2 ) || return
	dpkg-deb --fsys-tarfile "$4"/*.deb | tar -x -C "$4" && rm -f "$4"/*.deb &&
		echo "ARCH=${1/amd64/x86} CROSS_COMPILE=${machine/-/_}-linux-gnu-" >"$4/cross"
}

# The image's package is called linux-image-VERSION, or linux-binary-VERSION.
fetch_headers() { # NAME
	local arch suite version conf folder=$CACHE/headers/$1
	fetch_kernel "$1" >/dev/null || exit 1
	read -r _ arch suite _ < <(grep "^$1[[:space:]]" "$VM/guests")
	version=$(sed 's/^linux-[a-z]*-//' "$CACHE/kernel/$1/package")
	if [ ! -e "$folder/usr/src/linux-headers-$version" ]; then
		if [ "$arch" = "$(dpkg --print-architecture)" ]; then
			conf=$(apt_open "$arch" "$suite") || exit 1
			# shellcheck disable=SC2086
			fetch_packages "$conf" "$folder" "linux-headers-$version" $BUILDERS
		else
			fetch_foreign_headers "$arch" "$suite" "$version" "$folder"
		fi || die "$1: can't fetch the headers of $version"
		mkdir -p "$folder"/{dev,proc,tmp}
		[ -e "$folder/usr/bin/awk" ] || ln -s mawk "$folder/usr/bin/awk"
		[ -e "$folder/bin/sh" ] || ln -s dash "$folder/bin/sh"
	fi
	echo "/usr/src/linux-headers-$version" >"$folder/headers"
	echo "$folder"
}

fetch_root() { # ARCH SUITE PACKAGE…
	local arch=$1 suite=$2 conf folder=$CACHE/root/$1
	shift 2
	if [ "$(cat "$folder/packages" 2>/dev/null)" != "$*" ]; then
		conf=$(apt_open "$arch" "$suite") || exit 1
		fetch_packages "$conf" "$folder" "$@" || die "$arch: can't fetch $*"
		echo "$*" >"$folder/packages"
	fi
	echo "$folder"
}

case ${1:-} in
kernel) fetch_kernel "$2" ;;
headers) fetch_headers "$2" ;;
root) fetch_root "${@:2}" ;;
*) die "usage: fetch.sh kernel NAME | headers NAME | root ARCH SUITE PACKAGE…" ;;
esac
