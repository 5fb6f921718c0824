#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Makes the inputs under tests/fuzz/corpus again: tests/fuzz/make-corpus.sh. They are small programs
# with all that the helper reads, and the two files of JITs. What a fuzzer found was added by hand:
# crash-*.
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
echo 'int f(int); int g(int i) { return f(f(i)); }' |
	gcc -O1 -shared -fPIC -nostdlib -x c - -o "$C/elf/plt" -Wl,-z,noseparate-code
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
	le 4 0; le 4 $((16 + 40 + ${#4} + 1 + $2)); le 8 0; le 4 7; le 4 7; le 8 "$1"; le 8 "$1"
	le 8 "$2"; le 8 "$3"
	printf '%s\0' "$4"; head -c "$2" /dev/zero
}
move() { le 4 1; le 4 64; le 8 0; le 4 7; le 4 7; le 8 "$2"; le 8 "$1"; le 8 "$2"; le 8 "$3"
	le 8 "$4"; }
{ head40; load 4096 16 1 first; load 8192 8 2 second; move 4096 12288 16 1; le 4 2; le 4 24
	le 16 0; load 4100 4 3 inside; le 4 3; le 4 16; le 8 0; } >"$C/jitdump/plain"
{ head40; le 4 0; le 4 0; le 8 0; } >"$C/jitdump/no-size"
{ head40; le 4 0; le 4 $((0xffffffff)); le 8 0; le 40 0; printf 'no end'; } >"$C/jitdump/large-size"
{ head40; load 4096 16 1 first; le 4 0; } >"$C/jitdump/cut"

mkdir -p "$C/code"
printf '\x55\x53\x48\x83\xec\x08\x74\x05\x48\x83\xc4\x08\x5b\x5d\xc3\x31\xed\xff\xe0\x90\x48\x83\xc4\x08\xeb\xf0' >"$C/code/jumps"
printf '\x55\x48\x89\xe5\x48\x29\xc4\x48\x8d\x65\xf0\xc9\xc3\xcc\x48\xc7\xc0\x0f\0\0\0\x0f\x05' >"$C/code/frame"
printf '\x62\xf3\xfd\x48\x3b\xc1\x01\xc4\xe3\x7d\x39\xc1\x01\x66\x0f\x3a\x0f\xc1\x08\x48\x81' >"$C/code/wide"

mkdir -p "$C/place"
printf '\x07\0\x48\x89\x03\x48\x83\xc3\x08\xc3' >"$C/place/step"
printf '\x05\0\x48\x89\x03\x90\x90\xeb\xfd' >"$C/place/target"
printf '\x01\0\x90\xf3\x48\xab\xc3' >"$C/place/repeat"
printf '\x08\0\x20\x08\x40\xf9\x21\x04\0\xf1\xc0\x03\x5f\xd6' >"$C/place/arm64"
printf '\x06\0\x88\x69\x13\x05\x85\0\x82\x80' >"$C/place/riscv64"
mkdir -p "$C/blocks"
printf '\x48\x8b\0\xf0\x48\xff\0\xf3\x90\x75\xf5\xe8\0\0\0\0\x66\x0f\xfe\xc1' >"$C/blocks/marks"
printf '\x06\x48\xf7\xf1\x75\xfd\x62\xf1\x6c\x48\x58\xd9\xc3' >"$C/blocks/amid"
printf '\x20\x08\xc1\x9a\x41\x08\xa0\x9b\xa1\xff\xff\x54\xc0\x03\x5f\xd6' >"$C/blocks/arm64"
head -c 600 /dev/zero | tr '\0' '\220' >"$C/blocks/long"
mkdir -p "$C/exits"
{
	printf '\x03\x55\x85\xff\x74\x03\x5d\xe9\0\x10\0\0\x0f\x84\xee\xff\0\0'
	printf '\x48\x01\xd0\xff\xe0\xc3\x53\x5b\xc3'
} >"$C/exits/parts"
printf '\0\x74\x01\xf0\x48\x0f\xb1\x0f\x3e\xff\xe0\xff\x60\x08\xf3\xc3' >"$C/exits/jumps"
mkdir -p "$C/operand"
{
	printf '\x48\x8b\x44\xd8\x10\x64\x48\x2b\x04\x25\x28\0\0\0\xf3\x48\xa5\x50\x5c'
	printf '\xc2\x10\0\x48\x83\xc4\x80'
} >"$C/operand/legacy"
{
	printf '\x62\xf1\xfe\x28\x6f\x48\x01\x62\xf2\x7e\x28\x10\x48\x01'
	printf '\xc4\xe2\xf9\xf7\x48\x01'
} >"$C/operand/vectors"
{
	printf '\x0f\xa3\x08\x67\x8b\x00\xd9\x30\x0f\xae\x20\xff\x30\xff\x10\xf0\x0f\xc7\x08'
} >"$C/operand/groups"
mkdir -p "$C/arm64_operand"
{
	printf '\x20\x08\x40\xf9\xe2\x0f\x00\x39\x83\xd8\xa5\xb8\x41\x78\xa3\x3c\xe6\x48\x68\xb8'
	printf '\x49\x81\x5f\xf8'
	printf '\x20\x84\x40\xf8\xe2\x0f\x1f\xf8\xfd\x7b\xc2\xa8\x60\x04\x02\xad\x61\x08\x41\x69'
	printf '\x44\x00\x00\x58'
	printf '\x20\xfc\x5f\xc8\x83\xfc\x02\xc8\xe5\x18\x7f\xc8\x62\x00\x21\xb8\x41\x7c\xa0\xc8'
	printf '\x06\x7d\x24\x48'
	printf '\x00\x20\xdf\x4c\x24\x90\x20\x0d\x46\xc4\xc3\x4d\x23\x74\x0b\xd5\x20\x00\x80\xf9'
	printf '\x83\xf4\x7f\xf8'
	printf '\x00\xfc\x7f\x91\xff\x83\x00\xd1\x21\x04\x00\xf1\x3f\x04\x00\xf1\x00\x04\x00\x11'
	printf '\x23\x08\x42\xfa'
	printf '\x03\x00\x78\x9e\x81\x00\x67\x9e\x05\x3c\x07\x0e\x01\x00\x00\xd4\x3f\x23\x03\xd5'
	printf '\x02\x00\x00\x94'
	printf '\xff\xff\xff\x17\x81\x00\x00\xb4\xc2\xff\x1f\x37\x61\x00\x00\x54\x60\x00\x3f\xd6'
	printf '\x00\x02\x1f\xd6'
	printf '\xc0\x03\x5f\xd6\x20\x00\x20\xd4\xe0\x03\x01\xaa\x41\xc0\xbf\xf8'
} >"$C/arm64_operand/each"
mkdir -p "$C/riscv64_operand"
{
	printf '\x88\x69\x03\x46\xf1\xff\x83\xa2\x44\x00\x88\x26\x23\x91\xe7\x00\x27\x2e\xb4\xfe'
	printf '\x2f\xb5\x05\x10'
	printf '\x2f\x26\xd7\x18\xaf\xb7\x08\x01\x41\x15\x13\x01\x01\x81\x13\x85\x85\x00\x1e\x83'
	printf '\x05\x65'
	printf '\x97\x05\x00\x00\x0f\x00\xf0\x0f\x73\x00\x00\x00\x02\x90\x73\x25\x00\xc0\xd3\x75'
	printf '\x25\xc2\x53\x26\xb5\xa2'
	printf '\x53\xf5\xc5\x02\x01\xa0\xef\x00\xe0\x00\x09\xc5\x63\x94\x02\x00\x63\x62\xb5\x00'
	printf '\x01\x00'
	printf '\x82\x80\x02\x83\x82\x97\xe7\x00\x83\x00\x06\xe4\xa2\x60\x32\x45'
	printf '\xaa\xdf\x39\x71\x08\x08\x0d\x8d\x8e\x06\x2e\x95\x08\xa9'
	printf '\x42\x25\x01\x00'
} >"$C/riscv64_operand/each"
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
layout='1 struct a\n64\n0\t0\t32\t2\tb[]\tstruct b\n1\t8\t8\t1\tb[].c\tlong\n'
labels='label { key: 11 str: 12 } label { key: 13 str: 14 }'
texts="string_table: \"$layout\" string_table: \"data_layout\" string_table: \"1\""
texts+=' string_table: "member" string_table: "b[].c"'
labels="data_layout: 10 sample { value: [9, 1] $labels }"
encode <<<"$types $tables $texts $labels" >"$C/pprof/layout"
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
	{ le 1 "$2"; le 4 $((12 + $(wc -c <"$3"))); le 4 1; le 2 6; le 2 3
		cat "$3"; } >"$C/reply/$1"
}
frame() { le 2 ${#1}; printf %s "$1"; le 2 ${#2}; printf %s "$2"; le 2 ${#3}; printf %s "$3"
	le 4 "$4"; le 4 0; }
named() { le 1 0; le 8 $((0x401000)); le 2 259; frame "$1" "" "" 0; le 1 0; }
{ le 4 1; named main; } >"$W/b"; reply named 0 "$W/b"
{ le 4 2; named main; le 1 1; le 8 16; le 2 0; frame "" "" "" 0; le 1 0; } >"$W/b"
	reply no-symbol 0 "$W/b"
{ le 4 1; le 1 0; le 8 16; le 2 0; frame outer _Z5outerv a.c 3; le 1 2; frame mid "" a.c 4
	frame in _Z2inv "" 0; } >"$W/b"
reply inlined 0 "$W/b"
{ le 4 0; } >"$W/b"; reply none 0 "$W/b"
printf '32\n0\t0\t16\t2\tat[]\tstruct point\n1\t0\t8\t1\tat[].x\tlong\n' >"$W/l"
printf '0\t24\t8\t1\tnext\tstruct node *\n' >>"$W/l"
{ le 2 "$(wc -c <"$W/l")"; cat "$W/l"; } >"$W/b"; reply layout 0 "$W/b"
insn() { le 4 "$1"; le 1 "$2"; le 1 1; le 8 $((0x401000)); le 2 12; printf 'jmp 0x401000'; }
place() { le 2 ${#1}; printf %s "$1"; le 2 8; printf /src/a.c; le 4 10; } # FUNCTION
{ le 1 0; le 1 1; le 8 $((0x401000)); le 8 4096; le 8 10; le 4 4; le 4 2; insn 0 2; le 1 2
	place ""; place inner; insn 2 2; le 1 0; } >"$W/b"; reply listing 0 "$W/b"
{ le 4 9; named main; } >"$W/b"; reply too-many 0 "$W/b"
{ le 4 1; named $'a\tb'; le 1 0; } >"$W/b"; reply left-over 0 "$W/b"
{ le 4 1; le 1 0; le 8 1; le 2 0; le 2 65535; printf abc; } >"$W/b"; reply short-name 0 "$W/b"
{ le 4 1; le 1 0; le 8 16; le 2 0; frame f "" "" 0; le 1 255; } >"$W/b"; reply many-inlined 0 "$W/b"
{ le 4 1; le 1 7; le 8 16; le 2 0; frame f "" "" 0; le 1 0; } >"$W/b"; reply other-reason 0 "$W/b"
{ le 4 1; le 1 0; le 8 16; le 2 255; frame f "" "" 0; le 1 0; } >"$W/b"; reply other-block 0 "$W/b"
{ le 1 0; le 1 1; le 1 0; le 1 20; head -c 20 /dev/zero; le 2 7; printf x.debug
	le 4 7; } >"$W/b"; reply file 1 "$W/b"
{ le 1 3; le 1 0; le 1 0; le 1 0; le 2 0; le 4 0; } >"$W/b"; reply bad-file 1 "$W/b"
{ le 1 0; le 1 1; le 1 0; le 1 255; head -c 255 /dev/zero; le 2 0; le 4 0; } >"$W/b"
	reply long-id 1 "$W/b"
{ le 1 0; le 1 1; le 1 0; le 1 0; le 2 3; printf 'a\0b'; le 4 0; } >"$W/b"
	reply nul-in-link 1 "$W/b"
{ le 1 1; } >"$W/b"; reply accepted 2 "$W/b"
{ le 1 2; } >"$W/b"; reply no-flag 2 "$W/b"
{ le 1 0; le 4 99; } >"$C/reply/header"

mkdir -p "$C"/{decode,sideband,walk,procfs,container,minidebug,demangle,escape,kallsyms,requests,debug_info,events,event_db}
# decode: a byte for how many events there are, then a record (include/pmubpf/record.h)
rec() { le 4 "$1"; le 2 "$2"; le 2 "$3"; le 8 1000; } # SIZE TYPE PARTS
sample() { rec "$1" 1 "$2"; le 4 7; le 4 8; le 4 0; le 2 0; le 1 1; le 1 1; le 8 5; le 8 4198400
	le 8 9; le 8 1; le 8 2; le 8 0; printf 'a comm\0\0\0\0\0\0\0\0\0\0'; le 8 0; }
{ le 1 2; sample 112 0; } >"$C/decode/sample"
{ le 1 2; sample 152 2; le 2 16; le 2 1; le 4 0; le 8 77; le 2 24; le 2 2; le 4 0; le 4 1; le 4 0
	le 8 5; } >"$C/decode/parts"
{ le 1 2; rec 48 2 0; le 8 3; le 4 7; le 4 2; le 8 4198400; le 8 4198401; } >"$C/decode/stack"
# a slice: SIZE IP FP STACK-TOP BYTES; words of the stack follow
slice() {
	rec "$1" 3 0; le 8 1; le 4 7; le 4 1; le 8 "$2"; le 8 4096; le 8 "$3"; le 8 0; le 4 1
	le 2 1; le 2 0
	le 8 "$4"; le 4 "$5"; le 4 0; for _ in {1..34}; do le 8 4104; done; le 8 "$2"
}
{ slice 416 4194304 4104 9000 8; le 8 1; } >"$W/slice"
{ le 1 1; cat "$W/slice"; } >"$C/decode/slice"
# walk: such a slice, in code of which rules are known, and in code with frame pointers whose frames
# go in a circle
{ slice 440 4194336 4104 4128 32; le 8 4194352; le 8 4104; le 8 8388612
	le 8 4194400; } >"$C/walk/rules"
{ slice 440 8388608 4104 9000 32; le 8 4096; le 8 4104; le 8 8388612; le 8 0; } >"$C/walk/circle"
# sideband: where in the ring it begins, then records (perf_event_open(2))
trailer() { le 4 7; le 4 7; le 8 1000; }
mmap2() { le 4 10; le 2 2; le 2 104; le 4 7; le 4 7; le 8 "$1"; le 8 4096; le 8 0; le 4 8; le 4 1
	le 8 42; le 8 1; le 4 5; le 4 2; printf '/bin/a\0\0'; trailer; }
{ le 2 8; le 4 7; le 2 0; le 2 48; le 4 8; le 4 7; le 4 8; le 4 7; le 8 1000; trailer; le 4 3
	le 2 8192; le 2 40; le 4 7; le 4 7; printf 'a\0\0\0\0\0\0\0'; trailer
	mmap2 4096; } >"$C/sideband/lives"
{ le 2 0; mmap2 -4096; le 4 2; le 2 0; le 2 40; le 8 1; le 8 5; trailer; } >"$C/sideband/wraps"
mmap2 4096 >"$W/mmap2"
{ le 2 65528; head -c 64 "$W/mmap2"; } >"$C/sideband/cut"

printf '55d0c1a2b000-55d0c1a2d000 r-xp 00002000 fd:01 1234                       /a\\012b (deleted)\n7fff0000-7fff1000 r-xp 00000000 00:00 0 [vdso]\n2000-1000 r-xp 0 0:0 0 \n' >"$C/procfs/maps"
printf 'Name:\ta\\nb\nTgid:\t12\nUid:\t0\t1000\t0\t0\nNStgid:\t4242\t12\n' >"$C/procfs/status"
printf '22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n36 22 98:0 /a\\040b /m\\134 rw - ext3 /dev/b rw\n' >"$C/procfs/mountinfo"

t=../trees/containers id=9ba20e825689346e38f93aa125669bf54a81223509c8349e41b890bb75bd7bb2
printf '\0/system.slice/docker-%s.scope' $id >"$C/container/docker-path"
printf '\0/kubepods.slice/kubepods-burstable-pod0f1e2d3c_4b5a_6978_8796_a5b4c3d2e1f0.slice/cri-containerd-%s.scope' $id >"$C/container/pod-path"
printf '\0/lxc.payload.a/system.slice/b.service' >"$C/container/lxc-path"
{ printf '\1'; cat "$t/docker-pod/var/lib/docker/containers/$id/config.v2.json"; } >"$C/container/docker-pod"
{ printf '\2'; cat "$t/nerdctl/run/containerd/io.containerd.runtime.v2.task/default/$id/config.json"; } >"$C/container/bundle"
{ printf '\3'; sed "s/cabad1ced860fed8484c215a6d29a11eebf022299dbe06a2de21d0dc2b58861d/$id/" "$t/podman-usual/var/lib/containers/storage/overlay-containers/containers.json"; } >"$C/container/storage"
{ printf '\4'; cat "$t/docker-mounted/proc/4242/mountinfo"; } >"$C/container/mounts"
{ printf '\5'; cat "$t/docker-daemon-json/etc/docker/daemon.json"; } >"$C/container/daemon"

objcopy --only-keep-debug --strip-debug "$C/elf/dwarf5" "$W/small"
xz -c --lzma2=dict=64KiB "$W/small" >"$C/minidebug/crc"
xz -c --check=none --lzma2=dict=64KiB "$W/small" >"$C/minidebug/no-check"
xz -c --check=none --x86 --lzma2=dict=4KiB "$W/small" >"$C/minidebug/filter"
xz -c --check=none --delta=dist=4 --lzma2=dict=4KiB "$W/small" >"$W/delta"
head -c 200 "$W/delta" >"$C/minidebug/cut"
head -c 65536 /dev/zero | xz -c --check=none --lzma2=dict=64KiB >"$C/minidebug/bomb"

printf '_ZN2ns3vecIiE9push_backERKi' >"$C/demangle/cxx"
printf '_ZNSt6vectorISt4pairIiSsESaIS1_EE17_M_realloc_insertIJS1_EEEvN9__gnu_cxx17__normal_iteratorIPS1_S3_EEDpOT_.isra.0' >"$C/demangle/nested"
printf '_ZN4core3fmt9Formatter3pad17h0123456789abcdefE' >"$C/demangle/rust"
printf '_RNvMsr_NtCs3ssYzQotkvD_3std4pathNtB5_7PathBuf3newCs15kBYyAo9fc_7mycrate' >"$C/demangle/rust-v0"
printf 'main' >"$C/demangle/plain"
printf 'a;b 7\nroot;x \001\\ \xe2\x80\xae \xc2\x9b1m \xff \xc3\xa4' >"$C/escape/forged"
printf 'ffffffff81000000 T _stext\nffffffff81000000 t b\nffffffffc0000000 t f\t[mod]\nffffffffc0001000 t bpf_prog_00_x\t[bpf]\n\0mod 16384 0 - Live 0xffffffffc0000000\n' >"$C/kallsyms/modules"
printf '0000000000000000 T _stext\n' >"$C/kallsyms/hidden"

message() { le 1 "$1"; le 1 "$2"; le 2 "$(stat -c %s "$3")"; cat "$3"; } # TYPE FLAGS FILE
{ le 4 3; le 4 3; le 8 0; le 8 4096; le 8 4100; } >"$W/lookup"
strip -o "$W/tiny" "$C/elf/dwarf5" && : >"$W/nothing"
{ message 2 1 "$W/tiny"; message 3 1 "$C/elf/only-debug"; message 5 0 "$W/lookup"
	message 8 1 "$W/tiny"; } >"$C/requests/elf"
{ message 4 1 "$C/perf_map/plain"; message 5 0 "$W/lookup"; message 6 1 "$C/jitdump/plain"
	message 5 0 "$W/lookup"; } >"$C/requests/jit"
le 8 $((1 << 63 | 4096)) >"$W/place"
{ message 2 1 "$C/elf/dwarf5"; message 14 0 "$W/place"; } >"$C/requests/layout"
{ le 4 8; le 4 3; le 8 4096; le 8 4098; le 8 4100; } >"$W/blocks"
{ message 2 1 "$C/elf/dwarf5"; message 5 0 "$W/blocks"; } >"$C/requests/blocks"
{ le 2 4; printf 'work'; } >"$W/function"
{ message 2 1 "$W/tiny"; message 19 0 "$W/function"; message 2 1 "$C/elf/dwarf5"
	message 19 0 "$W/function"; } >"$C/requests/function"
{ le 8 288; le 4 0; } >"$W/listing"
{ le 8 288; le 4 4; } >"$W/rest"
{ message 2 1 "$C/elf/dwarf5"; message 21 0 "$W/listing"; message 21 0 "$W/rest"
	} >"$C/requests/listing"
{ le 4 2; le 2 13; printf '_ZN2ns4workEv'; le 2 4; printf 'main'; } >"$W/names"
{ message 11 0 "$W/names"; } >"$C/requests/names"
{ message 3 1 "$W/tiny"; } >"$C/requests/debug-first"
{ message 4 1 "$C/perf_map/plain"; message 5 0 "$W/nothing"; } >"$C/requests/no-addresses"

# Variables, where the target looks for them.
cat >"$W/types.c" <<'C'
struct base { long id; };
struct node {
	char key[3];
	struct { short x, y; } at[2][2];
	union { int count; float weight; } either;
	unsigned low : 3, high : 29;
	struct base base;
	const struct node *volatile next;
};
typedef struct node entry;
entry nodes[4] = {{.key = "a"}};
struct node *const *pointers[2] = {0};
void (*called)(void) = (void (*)(void))1;
void _start(void) { static struct base inside = {1}; inside.id++; nodes[1].at[1][0].x++; }
C
link=(-O1 -nostdlib -static -no-pie -Wl,-Tdata=0x400010 -Wl,-Ttext=0x500000 -Wl,-N "$W/types.c")
gcc -gdwarf-3 -gstrict-dwarf "${link[@]}" -o "$W/types3"
gcc -gdwarf-5 "${link[@]}" -o "$W/types5"

cat >"$W/pointees.c" <<'C'
struct base { long id; };
struct node { struct base base; struct node *next; int n, list[]; };
static long first(const struct base *b) { return b->id; }
static void walk(struct node *n, long i) {
	for (; n; n = n->next) {
		n->list[i] = (int)first(&n->base);
		__asm__ volatile("" : : "r"(n));
	}
}
void _start(void) { struct node *n; __asm__ volatile("" : "=r"(n)); walk(n, n->n); }
C
link=(-O2 -nostdlib -static -no-pie -Wl,-Ttext=0x400010 -Wl,-N "$W/pointees.c")
gcc -gdwarf-4 "${link[@]}" -o "$W/pointees4"
clang -gdwarf-5 "${link[@]}" -o "$W/pointees5"

sections=(info abbrev line str ranges line_str rnglists addr aranges str_offsets loclists loc)
for f in dwarf3 dwarf4 dwarf5 clang types3 types5 pointees4 pointees5; do
	program=$C/elf/$f
	[ -e "$program" ] || program=$W/$f
	for i in "${!sections[@]}"; do
		objcopy -O binary --only-section=".debug_${sections[i]}" \
			--set-section-flags ".debug_${sections[i]}=alloc" "$program" \
			"$W/s" 2>/dev/null || continue
		[ ! -s "$W/s" ] || { le 1 "$i"; le 2 "$(stat -c %s "$W/s")"; cat "$W/s"; }
	done >"$C/debug_info/$f"
done

printf 'cycles:u,cpu/event=0x3c,umask=0x1,period=5/k,dTLB-load-misses,mem:0x1000/8:w,uncore_imc_0/data_reads/,r1a2' >"$C/events/list"
printf 'l2:p\0# mine\n[l2]\nevent = cpu/event=0x24,umask=0x27/\ntitle = L2\ncounts=misses\nunit = cycles\ninterval = 100003\n' >"$C/events/own"
printf 'skx::INST_RETIRED.ANY:u=1,cpu/mem-loads,ldlat=5/pp,cycels,cpu/param=3/,block:block_rq_issue' >"$C/events/odd"
{ printf 'Family-model,Version,Filename,EventType\nGenuineIntel-6-55-[01234],V1.37,/x.json,core\n\0'; jq -c '{Header, Events: .Events[:4]}' ../perfmon/NEW/events/new_core.json; } >"$C/event_db/new"
{ printf 'GenuineIntel-6-55-4,V1,/x.json,hybridcore,0x40,Core\n\0'; jq -c . \
	../perfmon/OLD/events/old_core.json; } >"$C/event_db/hybrid"

# fleet: what a server replies, RowBinary (tests/fuzz/fuzz_fleet.c).
mkdir -p "$C/fleet"
python3 - "$C/fleet" <<'PYTHON'
import struct
import sys


def text(t):
    t = t.encode()
    assert len(t) < 128
    return bytes([len(t)]) + t


def array(texts):
    return bytes([len(texts)]) + b"".join(map(text, texts))


def numbers(*n):
    return struct.pack("<%dq" % len(n), *n)


def reply(windows, comments, samples, stacks):
    lengths = struct.pack("<3H", len(windows), len(comments), len(samples))
    return lengths + windows + comments + samples + stacks


windows = text("clock_sample/count\nclock_time/nanoseconds\n") + text("clock_time") + text("a/b\n")
windows += numbers(7) + text("") + text("^idle$")
windows += numbers(10 ** 18, 10 ** 18 + 5, 2 * 10 ** 18, 60 * 10 ** 9, 2)
comments = array(["ledger: balanced", "machine: x"]) * 2
labels = ["user=u", "size#-5 bytes", "a\\=b=c", "n#7"]
texts = ["h1", "shop/web-0/web", "shop", "web", "web:1", "nginx"]
sample = b"".join(map(text, texts)) + array(labels) + text("clock")
samples = sample + numbers(99, 3, 0, 3000) + sample + numbers(0, 1, 0, 1000)
samples += sample + numbers(5, 1, 0, 9)
large = sample + numbers(0, 2 ** 63 - 1, 0, 1)
frames = [
    ",\t4010\t400000\t/bin/a\tabcd\t_Z1fv\ta.c\t3\t12",
    ".\t4010\t400000\t/bin/a\tabcd\t=\ta\\tb.c\t0\t-1",
    "?\t4abc\t400000\t/bin/a\tabcd",
    ".\t0\t0\t[kernel.kallsyms]\t\t=\t\t0\t0",
]
stacks = numbers(99) + array(["f()", "main", "[a]+0x4abc", "do_idle"]) + array(frames)
whole = reply(windows, comments, samples, stacks)
state = "pmubpf-ship 1\nto x\nnext %032x 7\nsending %032x 8\nsent 5\nend\n" % (1, 1)
for name, data in {
    "whole": whole,
    "cut": whole[:-9],
    "no-windows": reply(b"", b"", samples, stacks),
    "no-stacks": reply(windows, comments, samples, b""),
    "large-sum": reply(windows, b"", large + large, b""),
    "many-frames": reply(windows, b"", samples, numbers(99) + b"\xff\xff\xff\x7f"),
    "open-location": reply(windows, b"", samples, numbers(99) + array(["f"]) + array(frames[:1])),
    "state": state.encode(),
    "exception": b"Code: 60, e.displayText() = DB::Exception: Table x doesn't exist.",
}.items():
    open(sys.argv[1] + "/" + name, "wb").write(data)
PYTHON
