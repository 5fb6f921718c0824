#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Programs of real hosts' sizes: names and whole stacks, and a helper whose memory doesn't grow with
# them.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

HELPER_KB=40960 # at its peak, beside any file (VmHWM: the pages of its own program are in it)
FUNCTIONS=100000

# 31 MB of code in 100,000 functions without frame pointers, and one that nothing describes: the
# helper has to read all code for what calls it. main calls some of them, from the first part of the
# file to the last.
make_large() {
	if [ "$(uname -m)" != x86_64 ] || ! command -v gcc >/dev/null; then skip "it is made by gcc, for x86-64"; fi
	{
		cat <<-'END'
			.text
			.macro large
			.globl function_of_a_large_program_whose_names_are_long_\@
			.type function_of_a_large_program_whose_names_are_long_\@, @function
			function_of_a_large_program_whose_names_are_long_\@:
			.cfi_startproc
			sub $24, %rsp
			.cfi_adjust_cfa_offset 24
			.skip 300, 0x90
			call spin
			add $24, %rsp
			.cfi_adjust_cfa_offset -24
			ret
			.cfi_endproc
			.size function_of_a_large_program_whose_names_are_long_\@, . - function_of_a_large_program_whose_names_are_long_\@
			.endm
		END
		echo ".rept $FUNCTIONS"
		printf 'large\n.endr\n'
		printf '.globl undescribed\n.type undescribed, @function\nundescribed: sub $40, %%rsp\ncall spin\nadd $40, %%rsp\nret\n'
		printf '.size undescribed, 2048\n.skip 2048\n.section .note.GNU-stack,"",@progbits\n'
	} >"$T/functions.s"
	{
		printf '#include <stdlib.h>\n#include <time.h>\nvoid undescribed(void);\n'
		printf 'void function_of_a_large_program_whose_names_are_long_%s(void);\n' 0 33000 \
			67000 99999
		cat <<-'END'
			__attribute__((noinline)) void spin(void)
			{
				for (volatile int i = 0; i < 100000; i++)
					;
			}
			int main(int argc, char **argv)
			{
				time_t end = time(NULL) + atoi(argv[argc - 1]);
				while (time(NULL) < end) {
		END
		printf 'function_of_a_large_program_whose_names_are_long_%s();\n' 0 33000 67000 \
			99999
		printf 'undescribed();\n}\nreturn 0;\n}\n'
	} >"$T/main.c"
	gcc -O2 -fomit-frame-pointer -o "$T/large" "$T/main.c" "$T/functions.s" 2>"$T/err" ||
		fail "gcc"
}

record_large() { # ARG…
	"$WORKLOADS/measured" "$T/figures" 60 "$PMUBPF" record -e cpu-clock \
		--summary "$T/sum.json" -o "$T/folded" "$@" -- \
		"$T/large" 2 >"$T/out" 2>"$T/err" || fail "record"
	expect_eq "$(awk '$1 == "status" { print $2 }' "$T/figures")" 0 "exit status"
	expect_le "$(awk '$1 == "helper_kb" { print $2 }' "$T/figures")" "$HELPER_KB" \
		"kB, the helper at its peak"
	expect_ledger
	[ -z "${FIGURES:-}" ] || tr "\n" " " <"$T/figures" >>"$FIGURES"
}

t_names_and_stacks() {
	local n
	make_large
	record_large
	for n in 0 33000 67000 99999; do
		expect_match "$T/folded" \
			";main;function_of_a_large_program_whose_names_are_long_$n;spin [0-9]+\$" \
			"its caller and callee"
	done
	expect_match "$T/folded" ';main;undescribed;spin [0-9]+$' "what nothing describes"
	record_large --call-graph fp
	expect_match "$T/folded" ';spin [0-9]+$' "names without tables"
}

run_tests
