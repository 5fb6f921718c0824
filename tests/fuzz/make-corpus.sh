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
# pprof: as text, which protoc makes bytes of.
mkdir -p "$C/pprof"
encode() { protoc --proto_path=../../user --encode=pmb.pprof.Profile prof/profile.proto; }
tables='string_table: "" string_table: "samples" string_table: "count" string_table: "cpu" string_table: "nanoseconds"
string_table: "main" string_table: "/bin/a" string_table: "pid" string_table: "bytes" string_table: "a;\n\377"
mapping { id: 1 memory_start: 4096 memory_limit: 8192 filename: 6 build_id: 5 has_functions: true }
function { id: 1 name: 5 system_name: 5 filename: 6 start_line: 3 } function { id: 2 name: 9 }
location { id: 1 mapping_id: 1 address: 4100 line { function_id: 1 line: 4 } line { function_id: 2 line: -1 } }
location { id: 2 address: 5 }'
types='sample_type { type: 1 unit: 2 } sample_type { type: 3 unit: 4 }'
sample='sample { location_id: [1, 2, 1] value: [3, 300] label { key: 7 num: 12 num_unit: 8 } label { key: 5 str: 6 } }'
rest='period_type { type: 3 unit: 4 } period: 100 time_nanos: 1700000000000000000 duration_nanos: 5 comment: [5, 6]'
whole="$types $sample $tables $rest sample { value: [-1, -2] } default_sample_type: 3"
encode <<<"$whole" >"$C/pprof/whole"
gzip -n <"$C/pprof/whole" >"$C/pprof/gzip"
cat "$C/pprof/gzip" "$C/pprof/gzip" >"$C/pprof/twice"
head -c 100 "$C/pprof/gzip" >"$C/pprof/gzip-cut"
head -c 100 "$C/pprof/whole" >"$C/pprof/cut"
encode <<<"$types $tables" >"$C/pprof/no-samples"
encode <<<"sample_type { } sample { value: 1 }" >"$C/pprof/no-tables"
encode <<<"$whole sample { location_id: 3 value: [1, 1] }" >"$C/pprof/no-location"
encode <<<"$whole sample { value: 1 }" >"$C/pprof/few-values"
encode <<<"$whole location { id: 2 }" >"$C/pprof/doubled-id"
encode <<<"$whole mapping { }" >"$C/pprof/no-id"
encode <<<"$whole function { id: 7 name: 99 }" >"$C/pprof/no-string"
encode <<<"$whole sample { value: [9223372036854775807, -9223372036854775808] }" >"$C/pprof/large-sum"
encode <<<"$whole mapping { id: 18446744073709551615 } location { id: 99999999999 mapping_id: 18446744073709551615 }" >"$C/pprof/wide-ids"
printf '\x0a\x02\x08\x01\x12\xff\xff\xff\xff\x0f' >"$C/pprof/large-claim" # a sample of 4 GB
{ head -c 8388608 /dev/zero | gzip -9n; } >"$C/pprof/bomb"
printf 'main;work 12\n' >"$C/pprof/folded"

# What a helper could answer: the question's kind, then a message (symd/protocol.h).
reply() { # NAME KIND BODY-FILE
	{ le 1 "$2"; le 4 $((12 + $(wc -c <"$3"))); le 4 1; le 2 6; le 2 3; cat "$3"; } >"$C/reply/$1"
}
frame() { le 2 ${#1}; printf %s "$1"; le 2 ${#2}; printf %s "$2"; le 2 ${#3}; printf %s "$3"; le 4 "$4"; }
named() { le 1 0; le 8 $((0x401000)); frame "$1" "" "" 0; le 1 0; }
{ le 4 1; named main; } >"$W/b"; reply named 0 "$W/b"
{ le 4 2; named main; le 1 1; le 8 16; frame "" "" "" 0; le 1 0; } >"$W/b"; reply no-symbol 0 "$W/b"
{ le 4 1; le 1 0; le 8 16; frame outer _Z5outerv a.c 3; le 1 2; frame mid "" a.c 4; frame in _Z2inv "" 0; } >"$W/b"
reply inlined 0 "$W/b"
{ le 4 0; } >"$W/b"; reply none 0 "$W/b"
{ le 4 9; named main; } >"$W/b"; reply too-many 0 "$W/b"
{ le 4 1; named $'a\tb'; le 1 0; } >"$W/b"; reply left-over 0 "$W/b"
{ le 4 1; le 1 0; le 8 1; le 2 65535; printf abc; } >"$W/b"; reply short-name 0 "$W/b"
{ le 4 1; le 1 0; le 8 16; frame f "" "" 0; le 1 255; } >"$W/b"; reply many-inlined 0 "$W/b"
{ le 4 1; le 1 7; le 8 16; frame f "" "" 0; le 1 0; } >"$W/b"; reply other-reason 0 "$W/b"
{ le 1 0; le 1 1; le 1 0; le 1 20; head -c 20 /dev/zero; le 2 7; printf x.debug; le 4 7; } >"$W/b"; reply file 1 "$W/b"
{ le 1 3; le 1 0; le 1 0; le 1 0; le 2 0; le 4 0; } >"$W/b"; reply bad-file 1 "$W/b"
{ le 1 0; le 1 1; le 1 0; le 1 255; head -c 255 /dev/zero; le 2 0; le 4 0; } >"$W/b"; reply long-id 1 "$W/b"
{ le 1 0; le 1 1; le 1 0; le 1 0; le 2 3; printf 'a\0b'; le 4 0; } >"$W/b"; reply nul-in-link 1 "$W/b"
{ le 1 1; } >"$W/b"; reply accepted 2 "$W/b"
{ le 1 2; } >"$W/b"; reply no-flag 2 "$W/b"
{ le 1 0; le 4 99; } >"$C/reply/header"
