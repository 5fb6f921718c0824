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
# shellcheck disable=SC2046
gcc -std=gnu11 -O2 -D_GNU_SOURCE -iquote user -iquote include tests/bench/tables.c user/symd/cfi*.c \
	user/symd/elf_cfi.c user/symd/elf_init.c user/symd/elf_code.c user/symd/code_frames.c \
	user/symd/x86_insn.c user/symd/elf_symbols.c user/symd/symtab.c user/base/cursor.c user/base/mem.c \
	-lelf -o "$out/tables"
printf '%-26s %-10s %9s %6s %6s %9s %8s %8s  %s\n' file MB rows rules pages 'table kB' 'CPU ms' 'RSS MB' 'rows by CFA'
for file; do
	printf '%-26s ' "$(basename "$file")"
	"$out/tables" "$file"
done
