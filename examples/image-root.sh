#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A root folder for an image, with pmubpf and the libraries it loads, and nothing else:
#
#     examples/image-root.sh image [PMUBPF]
#     docker build -t pmubpf -f examples/Dockerfile image
#
# or, without a Dockerfile: tar -C image -c . | docker import - pmubpf
set -eu
root=${1:?"usage: image-root.sh FOLDER [PMUBPF]"}
tool=${2:-$(command -v pmubpf)}
mkdir -p "$root/usr/bin" "$root/etc" "$root/tmp" "$root/profiles" "$root/usr/share/doc"
chmod 1777 "$root/tmp"
cp "$tool" "$root/usr/bin/pmubpf"
libraries=$(ldd "$tool" | grep -o '/[^ ]*')
# what it loads when it is asked for: names of containers, names of events, the screen of top, and
# what an agent sends by
for name in libjansson.so.4 libpfm.so.4 libncursesw.so.6 libtinfo.so.6 libcurl.so.4; do
	library=$(ldconfig -p | awk -v n="$name" '$1 == n { print $NF; exit }')
	[ -z "$library" ] || libraries+=" $library $(ldd "$library" | grep -o '/[^ ]*')"
done
certificates=/etc/ssl/certs/ca-certificates.crt
[ ! -f $certificates ] || install -D -m 644 $certificates "$root$certificates"
mkdir -p "$root/usr/share/terminfo"
for kind in linux screen tmux-256color vt100 xterm xterm-256color; do
	from=$(find /lib/terminfo /usr/share/terminfo -name "$kind" 2>/dev/null | head -n 1)
	[ -z "$from" ] || install -D -m 644 "$from" "$root/usr/share/terminfo/${kind:0:1}/$kind"
done
for library in $(tr ' ' '\n' <<<"$libraries" | sort -u); do
	mkdir -p "$root$(dirname "$library")"
	cp -L "$library" "$root$library"
done
