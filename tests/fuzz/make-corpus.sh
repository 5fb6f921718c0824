#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Makes the inputs under tests/fuzz/corpus again: tests/fuzz/make-corpus.sh. They are small programs with all
# that the helper reads, and the two files of JITs. What a fuzzer found was added by hand: crash-*.
set -eu -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
C=$PWD/corpus
W=$(mktemp -d)
trap 'rm -rf "$W"' EXIT

cat >"$W/a.c" <<'C'
__attribute__((noipa)) void leaf(int i) { while (i--) __asm__ volatile(""); }
static inline __attribute__((always_inline)) void inner(int i) { leaf(i + 1); }
static inline __attribute__((always_inline)) void middle(int i) { if (i) { int k = i; inner(2 * k); } }
__attribute__((noipa)) void work(int i) { middle(i); leaf(i); }
void _start(void) { work(3); for (;;); }
C
tiny=(-O2 -w -nostdlib -static -fno-asynchronous-unwind-tables -Wl,--build-id,-z,noseparate-code)
for v in 3 4 5; do gcc "${tiny[@]}" -gdwarf-$v -o "$C/elf/dwarf$v" "$W/a.c"; done
gcc "${tiny[@]}" -g -gz -o "$C/elf/compressed" "$W/a.c"
clang "${tiny[@]}" -gdwarf-5 -o "$C/elf/clang" "$W/a.c"
strip -o "$C/elf/stripped" "$C/elf/dwarf5"
objcopy --only-keep-debug "$C/elf/dwarf5" "$C/elf/only-debug"
objcopy --only-keep-debug --strip-debug "$C/elf/dwarf5" "$W/mini" && xz -f "$W/mini"
objcopy --add-section .gnu_debugdata="$W/mini.xz" "$C/elf/stripped" "$C/elf/minidebuginfo"
(cd "$W" && cp "$C/elf/only-debug" x.debug && objcopy --add-gnu-debuglink=x.debug "$C/elf/stripped" "$C/elf/debuglink")
echo 'int f(int); int g(int i) { return f(f(i)); }' | gcc -O1 -shared -fPIC -nostdlib -x c - -o "$C/elf/plt" -Wl,-z,noseparate-code
head -c 700 "$C/elf/dwarf5" >"$C/elf/cut"

printf '1000 10 first\n0x2000 0x20 LazyCompile:*second with spaces\n3000 1 last' >"$C/perf_map/plain"
printf '1000 100 old\r\n1040 20 new\n1000 10 newest\nffffffffffffffff 1 wraps\n0 ffffffffffffffff all\n' >"$C/perf_map/overlaps"
printf '\n\n \n1000\n1000 \n1000 10\n1000 10 \n1000 0 x\nx 10 y\n\0001000 10 z\n' >"$C/perf_map/broken"
{ printf '1000 10 '; head -c 9000 /dev/zero | tr '\0' x; } >"$C/perf_map/long"

le() { # BYTES VALUE
	local i v=$2
	for ((i = 0; i < $1; i++)); do printf "\\x$(printf %02x $((v & 255)))"; v=$((v >> 8)); done
}
head40() { le 4 $((0x4a695444)); le 4 1; le 4 40; le 4 62; le 4 0; le 4 7; le 8 0; le 8 0; }
load() { # ADDRESS SIZE INDEX NAME
	le 4 0; le 4 $((16 + 40 + ${#4} + 1 + $2)); le 8 0; le 4 7; le 4 7; le 8 "$1"; le 8 "$1"; le 8 "$2"; le 8 "$3"
	printf '%s\0' "$4"; head -c "$2" /dev/zero
}
move() { le 4 1; le 4 64; le 8 0; le 4 7; le 4 7; le 8 "$2"; le 8 "$1"; le 8 "$2"; le 8 "$3"; le 8 "$4"; }
{ head40; load 4096 16 1 first; load 8192 8 2 second; move 4096 12288 16 1; le 4 2; le 4 24; le 16 0; load 4100 4 3 inside; le 4 3; le 4 16; le 8 0; } >"$C/jitdump/plain"
{ head40; le 4 0; le 4 0; le 8 0; } >"$C/jitdump/no-size"
{ head40; le 4 0; le 4 $((0xffffffff)); le 8 0; le 40 0; printf 'no end'; } >"$C/jitdump/large-size"
{ head40; load 4096 16 1 first; le 4 0; } >"$C/jitdump/cut"

mkdir -p "$C/code"
printf '\x55\x53\x48\x83\xec\x08\x74\x05\x48\x83\xc4\x08\x5b\x5d\xc3\x31\xed\xff\xe0\x90\x48\x83\xc4\x08\xeb\xf0' >"$C/code/jumps"
printf '\x55\x48\x89\xe5\x48\x29\xc4\x48\x8d\x65\xf0\xc9\xc3\xcc\x48\xc7\xc0\x0f\0\0\0\x0f\x05' >"$C/code/frame"
printf '\x62\xf3\xfd\x48\x3b\xc1\x01\xc4\xe3\x7d\x39\xc1\x01\x66\x0f\x3a\x0f\xc1\x08\x48\x81' >"$C/code/wide"
