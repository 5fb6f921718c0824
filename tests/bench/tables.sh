#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What unwind tables cost: size, CPU time and memory of building them, and which rules they have.
# Figures: docs/design/0008-unwind-tables.md.
#   tests/bench/tables.sh FILE…
set -eu
cd "$(dirname "$0")/../.."
out=build/bench
mkdir -p "$out"
make -s all >/dev/null
objects=(build/gen/prof/profile.pb-c.o)
for file in user/*/*.c; do
	[ "$file" = user/cmd/main.c ] || objects+=("build/${file%.c}.o")
done
gcc -std=gnu11 -O2 -D_GNU_SOURCE -iquote user -iquote include -iquote build/gen \
	tests/bench/tables.c "${objects[@]}" \
	-lbpf -lelf -ldw -llzma -lz -liberty -lprotobuf-c -lseccomp -lm -o "$out/tables"
printf '%-26s %-10s %9s %6s %6s %9s %8s %8s  %s\n' file MB rows rules pages 'table kB' 'CPU ms' \
	'RSS MB' 'rows by CFA'
for file; do
	printf '%-26s ' "$(basename "$file")"
	"$out/tables" "$file"
done
