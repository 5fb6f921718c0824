#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The operands of instructions (user/symd/x86_operand.c, arm64_operand.c, riscv64_operand.c), beside
# what objdump says of them and, on x86-64, what they do when they run.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

need_x86() {
	[ "$(uname -m)" = x86_64 ] || skip "the decoder is of x86-64"
}

count() { # WORD FILE
	grep '^instructions ' "$2" | tr ' ' '\n' | grep -A1 -x "$1" | tail -n 1
}

expect_none_wrong() {
	expect_eq "$(count wrong "$T/out")" 0 \
		"instructions it says otherwise of: $(head -n 5 "$T/out")"
}

beside_objdump() { # ARGUMENTS
	command -v objdump >/dev/null || skip "there is no objdump"
	"$TOP/tests/operands/compare.py" "$O/tests/operands/decode" "$@" >"$T/out" ||
		fail "compare.py: $?"
	expect_none_wrong
}

# Nearly all of the instructions are known, and nothing is said otherwise than objdump says it.
expect_as_objdump() { # FILE
	local unknown all
	beside_objdump "$1"
	expect_ge "$(count operands "$T/out")" 1000 "operands compared"
	unknown=$(count unknown "$T/out") all=$(count instructions "$T/out")
	expect_le $((unknown * 1000)) "$all" "1000 times those unknown"
}

# The C library has what compilers make, and what people write. SOAK=1: this tool besides.
t_libc() {
	need_x86
	[ "${SOAK:-0}" != 1 ] || expect_as_objdump "$PMUBPF"
	expect_as_objdump "$(ldd "$PMUBPF" | awk '$1 == "libc.so.6" { print $3 }')"
}

# Every opcode of a map with one ModRM, whatever its prefixes, EVEX's displacements among them.
t_vector_opcodes() {
	need_x86
	python3 - >"$T/evex.bin" <<'PY'
import sys
for kind in range(3 * 256 * 4 * 2 * 3 * 2):
    b, kind = kind % 2, kind // 2
    length, kind = kind % 3, kind // 3
    w, kind = kind % 2, kind // 2
    pp, kind = kind % 4, kind // 4
    opcode, m = kind % 256, kind // 256 + 1
    if m == 2 and (0x90 <= opcode <= 0x93 or 0xa0 <= opcode <= 0xa3):
        continue
    code = [0x62, 0xf0 | m, w << 7 | 0x7c | pp, length << 5 | b << 4 | 8, opcode, 0x48, 1, 0]
    sys.stdout.buffer.write(bytes(code).ljust(16, b"\x90"))
PY
	beside_objdump -D -b binary -m i386:x86-64 "$T/evex.bin"
}

# Registers that change were named, what is addressed is mapped, what is loaded stays.
expect_as_run() { # COMMAND
	"$O/tests/operands/step" 50000 "$@" >"$T/out" </dev/null || fail "step: $(cat "$T/out")"
	expect_none_wrong
	expect_ge "$(count operands "$T/out")" 1000 "operands looked at"
}

t_as_they_run() {
	need_x86
	expect_as_run bash -c 'echo $((6 * 7))'
	expect_as_run ls -l /
	expect_as_run "$PMUBPF" --help
}

# Samples some instructions behind an access: nothing is wrong that is validated at its instruction
# or right behind it, and without an address nothing is validated.
expect_right() { # SKIP INSTRUCTIONS COMMAND…
	"$O/tests/operands/skid" "$@" >"$T/out" </dev/null || fail "skid: $(cat "$T/out")"
	expect_ge "$(said exact samples)" 200 "samples"
	expect_eq "$(said exact wrong) $(said exact contradicted)" "0 0" "wrong, at the instruction"
	expect_eq "$(said after wrong) $(said after contradicted)" "0 0" "wrong, behind it"
	expect_ge "$((10 * $(said after validated)))" "$((9 * $(said after samples)))" \
		"ten times those validated behind it"
	expect_eq "$(grep '^clock' "$T/out" | grep -vc 'validated 0 ')" 0 "clocks that validate"
}

said() { # CASE WORD
	awk -F': ' -v which="$1" '$1 == which { print $2 }' "$T/out" | tr ' ' '\n' |
		grep -A1 -x "$2" | tail -n 1
}

t_samples_beside_the_truth() {
	need_x86
	expect_right 100000 40000 ls -lR /usr/share/doc
	# without a loader, which runs for 100,000 instructions
	gcc -O2 -g -static-pie -o "$T/subject" "$TOP/tests/operands/subject.c" || fail "gcc"
	expect_right 40000 40000 "$T/subject"
}

# What C++ has on the heap: the object that each access is taken for is what lies there.
t_objects_of_cxx() {
	need_x86
	command -v g++ >/dev/null || skip "there is no g++"
	expect_objects 85 60000 subject.cc "4 1" g++ -std=c++17 -O2
	expect_objects 70 120000 subject.cc "4 1" g++ -std=c++17 -O0
}

t_objects_of_libcxx() {
	need_x86
	command -v clang++ >/dev/null || skip "there is no clang++"
	echo 'int main() { }' >"$T/empty.cc"
	clang++ -stdlib=libc++ -include map -o "$T/empty" "$T/empty.cc" 2>"$T/err" && "$T/empty" ||
		skip "there is no libc++ to build with: mk/deps.sh others"
	expect_objects 80 60000 subject.cc "12 1" clang++ -stdlib=libc++ -std=c++17 -O2
}

# SOAK=1: of the levels between these, too.
t_objects_of_c() {
	need_x86
	objects_of_c_by gcc
	command -v clang >/dev/null || skip "there is no clang"
	objects_of_c_by clang
}

objects_of_c_by() { # COMPILER
	expect_objects 98 200000 structures.c 1 "$1" -O0
	expect_objects 95 200000 structures.c 1 "$1" -O2
	[ "${SOAK:-0}" = 1 ] || return 0
	expect_objects 95 200000 structures.c 1 "$1" -O1
	expect_objects 95 200000 structures.c 1 "$1" -O3
}

expect_objects() { # PERCENT INSTRUCTIONS SOURCE ARGUMENTS COMPILER…
	local percent=$1 most=$2 source=$3 arguments=$4
	shift 4
	"$@" -g -o "$T/subject" "$TOP/tests/operands/$source" || fail "$*"
	# shellcheck disable=SC2086
	"$O/tests/operands/types" "$most" "$T/subject" $arguments >"$T/out" </dev/null ||
		fail "types"
	expect_eq "$(of_types wrong) $(of_types outside)" "0 0" "$*: objects that aren't there"
	expect_ge "$(of_types accesses)" 1000 "$*: accesses"
	expect_ge "$((100 * $(of_types typed)))" "$((percent * $(of_types accesses)))" \
		"$*: a hundred times those with a type"
}

of_types() { # WORD
	tr ' ' '\n' <"$T/out" | grep -A1 -x "$1" | tail -n 1
}

# Libraries of the guests, beside what llvm-objdump says of them.
beside_llvm() { # ARCH
	local file objdump
	objdump=$(compgen -c llvm-objdump | sort -V | tail -n 1)
	[ -n "$objdump" ] || skip "there is no llvm-objdump"
	file=$(find "/var/cache/pmubpf-tests/vm/root/$1" -name libc.so.6 -type f 2>/dev/null |
		head -n 1)
	[ -n "$file" ] || skip "there is no library of $1: make test-vm has one"
	"$TOP/tests/operands/compare_risc.py" "$O/tests/operands/decode" "$1" "$objdump" "$file" \
		>"$T/out" || fail "compare_risc.py: $?"
	expect_none_wrong
	expect_eq "$(count unknown "$T/out")" 0 "instructions that aren't known"
	expect_ge "$(count operands "$T/out")" 50000 "operands compared"
	expect_ge "$(count branches "$T/out")" 50000 "branches compared"
}

t_arm64() { beside_llvm arm64; }
t_riscv64() { beside_llvm riscv64; }

run_tests
