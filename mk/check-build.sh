#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Names what building lacks, all of it at once, by what to install.
set -u

: "${CC:=cc}"
tmp=$(mktemp) || exit 1 # it says why; TMPDIR is where
trap 'rm -f "$tmp"' EXIT
missing=
need() { # what, Debian's package, test command…
	what=$1 package=$2
	shift 2
	"$@" >/dev/null 2>&1 || missing="$missing
  $what (Debian, Ubuntu: $package)"
}

header() { echo "#include <$1>" | $CC -D_GNU_SOURCE -E -x c -; }
# shellcheck disable=SC2086 # CC and LDFLAGS are lists of words
library() { echo 'int main(void){return 0;}' | $CC ${LDFLAGS:-} -x c - -o "$tmp" "$1"; }

need "a C compiler" gcc command -v "${CC%% *}"
need "clang with the bpf target" clang sh \
	-c "echo 'int x;' | ${CLANG:-clang} -target bpf -x c -c - -o /dev/null"
need "bpftool" "bpftool; Ubuntu: linux-tools-generic" "$(dirname "$0")/find-bpftool.sh"
need "bpf/libbpf.h" libbpf-dev header bpf/libbpf.h
need "libelf.h" libelf-dev header libelf.h
need "elfutils/libdw.h" libdw-dev header elfutils/libdw.h
need "lzma.h" liblzma-dev header lzma.h
need "libiberty/demangle.h" libiberty-dev header libiberty/demangle.h
need "jansson.h" libjansson-dev header jansson.h
need "seccomp.h" libseccomp-dev header seccomp.h
need "protobuf-c/protobuf-c.h" libprotobuf-c-dev header protobuf-c/protobuf-c.h
need "protoc-c" protobuf-c-compiler command -v protoc-c
need "uthash.h" uthash-dev header uthash.h
need "perfmon/pfmlib.h" libpfm4-dev header perfmon/pfmlib.h
need "linux/perf_event.h" linux-libc-dev header linux/perf_event.h
for lib in bpf elf dw lzma z iberty protobuf-c seccomp; do
	need "lib$lib" "lib$lib-dev; libz: zlib1g-dev" library "-l$lib"
done
[ -z "$missing" ] && exit 0
echo "pmubpf can't be built here; missing:$missing
\`sudo make deps\` installs all of it on Debian and Ubuntu." >&2
exit 1
