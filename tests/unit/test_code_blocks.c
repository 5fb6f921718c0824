// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Instructions as LLVM's assembler makes them, and the class of each; blocks of them, and places
 * in these. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "symd/code_blocks.h"
#include "symd/insn_class.h"

#define CODE(text) (const uint8_t *)(text), sizeof(text) - 1

static const struct {
	const char *what;
	enum insn_set set;
	const uint8_t *code;
	size_t len;
	enum pmb_block_class want;
} insns[] = {
	{"pause", INSN_X86_64, CODE("\xf3\x90"), PMB_BLOCK_PAUSE},
	{"tpause %eax", INSN_X86_64, CODE("\x66\x0f\xae\xf0"), PMB_BLOCK_PAUSE},
	{"nop", INSN_X86_64, CODE("\x90"), PMB_BLOCK_INTEGER},
	{"lock addq $1, (%rax)", INSN_X86_64, CODE("\xf0\x48\x83\x00\x01"), PMB_BLOCK_LOCK},
	{"lock cmpxchgq %rcx, (%rdx)", INSN_X86_64, CODE("\xf0\x48\x0f\xb1\x0a"), PMB_BLOCK_LOCK},
	{"xchgl %eax, (%rdi)", INSN_X86_64, CODE("\x87\x07"), PMB_BLOCK_LOCK},
	{"xchgl %eax, %ecx", INSN_X86_64, CODE("\x91"), PMB_BLOCK_INTEGER},
	{"divl %ecx", INSN_X86_64, CODE("\xf7\xf1"), PMB_BLOCK_DIV},
	{"idivq (%rdi)", INSN_X86_64, CODE("\x48\xf7\x3f"), PMB_BLOCK_DIV},
	{"divb %cl", INSN_X86_64, CODE("\xf6\xf1"), PMB_BLOCK_DIV},
	{"mull %ecx", INSN_X86_64, CODE("\xf7\xe1"), PMB_BLOCK_INTEGER},
	{"divsd %xmm1, %xmm0", INSN_X86_64, CODE("\xf2\x0f\x5e\xc1"), PMB_BLOCK_DIV},
	{"vdivps %ymm1, %ymm2, %ymm3", INSN_X86_64, CODE("\xc5\xec\x5e\xd9"), PMB_BLOCK_DIV},
	{"sqrtsd %xmm1, %xmm0", INSN_X86_64, CODE("\xf2\x0f\x51\xc1"), PMB_BLOCK_DIV},
	{"vsqrtpd %zmm1, %zmm0", INSN_X86_64, CODE("\x62\xf1\xfd\x48\x51\xc1"), PMB_BLOCK_DIV},
	{"vdivph %zmm1, %zmm2, %zmm3", INSN_X86_64, CODE("\x62\xf5\x6c\x48\x5e\xd9"),
	 PMB_BLOCK_DIV},
	{"fdivp", INSN_X86_64, CODE("\xde\xf1"), PMB_BLOCK_DIV},
	{"fsqrt", INSN_X86_64, CODE("\xd9\xfa"), PMB_BLOCK_DIV},
	{"fdivl (%rax)", INSN_X86_64, CODE("\xdc\x30"), PMB_BLOCK_DIV},
	{"fidivl (%rax)", INSN_X86_64, CODE("\xda\x30"), PMB_BLOCK_DIV},
	{"rep movsb", INSN_X86_64, CODE("\xf3\xa4"), PMB_BLOCK_STRING},
	{"rep stosq", INSN_X86_64, CODE("\xf3\x48\xab"), PMB_BLOCK_STRING},
	{"repne scasb", INSN_X86_64, CODE("\xf2\xae"), PMB_BLOCK_STRING},
	{"movsb", INSN_X86_64, CODE("\xa4"), PMB_BLOCK_LOAD_STORE},
	{"pcmpistri $2, %xmm1, %xmm0", INSN_X86_64, CODE("\x66\x0f\x3a\x63\xc1\x02"),
	 PMB_BLOCK_STRING},
	{"aesenc %xmm1, %xmm0", INSN_X86_64, CODE("\x66\x0f\x38\xdc\xc1"), PMB_BLOCK_CRYPTO},
	{"vaesdec %ymm1, %ymm2, %ymm3", INSN_X86_64, CODE("\xc4\xe2\x6d\xde\xd9"),
	 PMB_BLOCK_CRYPTO},
	{"aeskeygenassist $1, %xmm1, %xmm0", INSN_X86_64, CODE("\x66\x0f\x3a\xdf\xc1\x01"),
	 PMB_BLOCK_CRYPTO},
	{"sha256rnds2 %xmm0, %xmm1, %xmm2", INSN_X86_64, CODE("\x0f\x38\xcb\xd1"),
	 PMB_BLOCK_CRYPTO},
	{"pclmulqdq $0, %xmm1, %xmm0", INSN_X86_64, CODE("\x66\x0f\x3a\x44\xc1\x00"),
	 PMB_BLOCK_CRYPTO},
	{"crc32q %rax, %rcx", INSN_X86_64, CODE("\xf2\x48\x0f\x38\xf1\xc8"), PMB_BLOCK_CRYPTO},
	{"gf2p8mulb %xmm1, %xmm0", INSN_X86_64, CODE("\x66\x0f\x38\xcf\xc1"), PMB_BLOCK_CRYPTO},
	{"movbel (%rax), %ecx", INSN_X86_64, CODE("\x0f\x38\xf0\x08"), PMB_BLOCK_LOAD},
	{"vpgatherdd %ymm1, (%rax,%ymm2,4), %ymm3", INSN_X86_64, CODE("\xc4\xe2\x75\x90\x1c\x90"),
	 PMB_BLOCK_GATHER},
	{"vpscatterdd %zmm1, (%rax,%zmm2,4) {%k1}", INSN_X86_64,
	 CODE("\x62\xf2\x7d\x49\xa0\x0c\x90"), PMB_BLOCK_GATHER},
	{"syscall", INSN_X86_64, CODE("\x0f\x05"), PMB_BLOCK_SYSTEM},
	{"cpuid", INSN_X86_64, CODE("\x0f\xa2"), PMB_BLOCK_SYSTEM},
	{"rdtsc", INSN_X86_64, CODE("\x0f\x31"), PMB_BLOCK_SYSTEM},
	{"rdtscp", INSN_X86_64, CODE("\x0f\x01\xf9"), PMB_BLOCK_SYSTEM},
	{"rdrand %eax", INSN_X86_64, CODE("\x0f\xc7\xf0"), PMB_BLOCK_SYSTEM},
	{"outb %al, %dx", INSN_X86_64, CODE("\xee"), PMB_BLOCK_SYSTEM},
	{"fxsave (%rax)", INSN_X86_64, CODE("\x0f\xae\x00"), PMB_BLOCK_SYSTEM},
	{"stac", INSN_X86_64, CODE("\x0f\x01\xcb"), PMB_BLOCK_INTEGER},
	{"mfence", INSN_X86_64, CODE("\x0f\xae\xf0"), PMB_BLOCK_FENCE},
	{"lfence", INSN_X86_64, CODE("\x0f\xae\xe8"), PMB_BLOCK_FENCE},
	{"clflush (%rax)", INSN_X86_64, CODE("\x0f\xae\x38"), PMB_BLOCK_FENCE},
	{"clwb (%rax)", INSN_X86_64, CODE("\x66\x0f\xae\x30"), PMB_BLOCK_FENCE},
	{"vaddps %zmm1, %zmm2, %zmm3", INSN_X86_64, CODE("\x62\xf1\x6c\x48\x58\xd9"),
	 PMB_BLOCK_VECTOR_512},
	{"vaddps {rn-sae}, %zmm1, %zmm2, %zmm3", INSN_X86_64, CODE("\x62\xf1\x6c\x18\x58\xd9"),
	 PMB_BLOCK_VECTOR_512},
	{"vaddps %ymm1, %ymm2, %ymm3", INSN_X86_64, CODE("\xc5\xec\x58\xd9"), PMB_BLOCK_VECTOR_256},
	{"vmovdqu64 (%rax), %ymm17", INSN_X86_64, CODE("\x62\xe1\xfe\x28\x6f\x08"),
	 PMB_BLOCK_VECTOR_256},
	{"paddd %xmm1, %xmm0", INSN_X86_64, CODE("\x66\x0f\xfe\xc1"), PMB_BLOCK_VECTOR_128},
	{"vpaddd %xmm1, %xmm2, %xmm3", INSN_X86_64, CODE("\xc5\xe9\xfe\xd9"), PMB_BLOCK_VECTOR_128},
	{"movups (%rax), %xmm0", INSN_X86_64, CODE("\x0f\x10\x00"), PMB_BLOCK_VECTOR_128},
	{"pshufb %xmm1, %xmm0", INSN_X86_64, CODE("\x66\x0f\x38\x00\xc1"), PMB_BLOCK_VECTOR_128},
	{"cvttps2dq %xmm1, %xmm0", INSN_X86_64, CODE("\xf3\x0f\x5b\xc1"), PMB_BLOCK_VECTOR_128},
	{"vfmadd231ps %ymm1, %ymm2, %ymm3", INSN_X86_64, CODE("\xc4\xe2\x6d\xb8\xd9"),
	 PMB_BLOCK_VECTOR_256},
	{"vpternlogd $1, %zmm1, %zmm2, %zmm3", INSN_X86_64, CODE("\x62\xf3\x6d\x48\x25\xd9\x01"),
	 PMB_BLOCK_VECTOR_512},
	{"paddb %mm1, %mm0", INSN_X86_64, CODE("\x0f\xfc\xc1"), PMB_BLOCK_VECTOR_128},
	{"vaddph %zmm1, %zmm2, %zmm3", INSN_X86_64, CODE("\x62\xf5\x6c\x48\x58\xd9"),
	 PMB_BLOCK_VECTOR_512},
	{"addsd %xmm1, %xmm0", INSN_X86_64, CODE("\xf2\x0f\x58\xc1"), PMB_BLOCK_FLOAT},
	{"vmulss %xmm1, %xmm2, %xmm3", INSN_X86_64, CODE("\xc5\xea\x59\xd9"), PMB_BLOCK_FLOAT},
	{"vfmadd231sd %xmm1, %xmm2, %xmm3", INSN_X86_64, CODE("\xc4\xe2\xe9\xb9\xd9"),
	 PMB_BLOCK_FLOAT},
	{"ucomisd %xmm1, %xmm0", INSN_X86_64, CODE("\x66\x0f\x2e\xc1"), PMB_BLOCK_FLOAT},
	{"cvtsi2sdq %rax, %xmm0", INSN_X86_64, CODE("\xf2\x48\x0f\x2a\xc0"), PMB_BLOCK_FLOAT},
	{"movsd (%rax), %xmm0", INSN_X86_64, CODE("\xf2\x0f\x10\x00"), PMB_BLOCK_FLOAT},
	{"fadds (%rax)", INSN_X86_64, CODE("\xd8\x00"), PMB_BLOCK_FLOAT},
	{"fld1", INSN_X86_64, CODE("\xd9\xe8"), PMB_BLOCK_FLOAT},
	{"vaddsh %xmm1, %xmm2, %xmm3", INSN_X86_64, CODE("\x62\xf5\x6e\x08\x58\xd9"),
	 PMB_BLOCK_FLOAT},
	{"roundsd $1, %xmm1, %xmm0", INSN_X86_64, CODE("\x66\x0f\x3a\x0b\xc1\x01"),
	 PMB_BLOCK_FLOAT},
	{"movq %rax, %xmm0", INSN_X86_64, CODE("\x66\x48\x0f\x6e\xc0"), PMB_BLOCK_INTEGER},
	{"vzeroupper", INSN_X86_64, CODE("\xc5\xf8\x77"), PMB_BLOCK_INTEGER},
	{"kmovw %k1, %eax", INSN_X86_64, CODE("\xc5\xf8\x93\xc1"), PMB_BLOCK_INTEGER},
	{"rorxq $3, %rax, %rcx", INSN_X86_64, CODE("\xc4\xe3\xfb\xf0\xc8\x03"), PMB_BLOCK_INTEGER},
	{"mulxq %rax, %rcx, %rdx", INSN_X86_64, CODE("\xc4\xe2\xf3\xf6\xd0"), PMB_BLOCK_INTEGER},
	{"callq *%rax", INSN_X86_64, CODE("\xff\xd0"), PMB_BLOCK_CALL},
	{"retq", INSN_X86_64, CODE("\xc3"), PMB_BLOCK_CALL},
	{"jmpq *%rax", INSN_X86_64, CODE("\xff\xe0"), PMB_BLOCK_BRANCH},
	{"jne .", INSN_X86_64, CODE("\x75\x00"), PMB_BLOCK_BRANCH},
	{"movq (%rax), %rcx", INSN_X86_64, CODE("\x48\x8b\x08"), PMB_BLOCK_LOAD},
	{"movq %rcx, (%rax)", INSN_X86_64, CODE("\x48\x89\x08"), PMB_BLOCK_STORE},
	{"addq %rcx, (%rax)", INSN_X86_64, CODE("\x48\x01\x08"), PMB_BLOCK_LOAD_STORE},
	{"cmpq %rcx, (%rax)", INSN_X86_64, CODE("\x48\x39\x08"), PMB_BLOCK_LOAD},
	{"leaq 8(%rax), %rcx", INSN_X86_64, CODE("\x48\x8d\x48\x08"), PMB_BLOCK_INTEGER},
	{"pushq %rax", INSN_X86_64, CODE("\x50"), PMB_BLOCK_STORE},
	{"imulq %rax, %rcx", INSN_X86_64, CODE("\x48\x0f\xaf\xc8"), PMB_BLOCK_INTEGER},
	{"nopw 8(%rax,%rax)", INSN_X86_64, CODE("\x66\x0f\x1f\x44\x00\x08"), PMB_BLOCK_INTEGER},
	{"endbr64", INSN_X86_64, CODE("\xf3\x0f\x1e\xfa"), PMB_BLOCK_INTEGER},
	{"yield", INSN_ARM64, CODE("\x3f\x20\x03\xd5"), PMB_BLOCK_PAUSE},
	{"wfe", INSN_ARM64, CODE("\x5f\x20\x03\xd5"), PMB_BLOCK_PAUSE},
	{"ldadd x1, x2, [x3]", INSN_ARM64, CODE("\x62\x00\x21\xf8"), PMB_BLOCK_LOCK},
	{"stadd w1, [x3]", INSN_ARM64, CODE("\x7f\x00\x21\xb8"), PMB_BLOCK_LOCK},
	{"swpal x1, x2, [x3]", INSN_ARM64, CODE("\x62\x80\xe1\xf8"), PMB_BLOCK_LOCK},
	{"cas x1, x2, [x3]", INSN_ARM64, CODE("\x62\x7c\xa1\xc8"), PMB_BLOCK_LOCK},
	{"casp x0, x1, x2, x3, [x4]", INSN_ARM64, CODE("\x82\x7c\x20\x48"), PMB_BLOCK_LOCK},
	{"ldaxr x1, [x2]", INSN_ARM64, CODE("\x41\xfc\x5f\xc8"), PMB_BLOCK_LOCK},
	{"stlxr w0, x1, [x2]", INSN_ARM64, CODE("\x41\xfc\x00\xc8"), PMB_BLOCK_LOCK},
	{"ldxp x0, x1, [x2]", INSN_ARM64, CODE("\x40\x04\x7f\xc8"), PMB_BLOCK_LOCK},
	{"ldar x1, [x2]", INSN_ARM64, CODE("\x41\xfc\xdf\xc8"), PMB_BLOCK_LOAD},
	{"ldapr x1, [x2]", INSN_ARM64, CODE("\x41\xc0\xbf\xf8"), PMB_BLOCK_LOAD},
	{"stlr x1, [x2]", INSN_ARM64, CODE("\x41\xfc\x9f\xc8"), PMB_BLOCK_STORE},
	{"udiv x0, x1, x2", INSN_ARM64, CODE("\x20\x08\xc2\x9a"), PMB_BLOCK_DIV},
	{"sdiv w0, w1, w2", INSN_ARM64, CODE("\x20\x0c\xc2\x1a"), PMB_BLOCK_DIV},
	{"fdiv d0, d1, d2", INSN_ARM64, CODE("\x20\x18\x62\x1e"), PMB_BLOCK_DIV},
	{"fsqrt s0, s1", INSN_ARM64, CODE("\x20\xc0\x21\x1e"), PMB_BLOCK_DIV},
	{"fdiv v0.4s, v1.4s, v2.4s", INSN_ARM64, CODE("\x20\xfc\x22\x6e"), PMB_BLOCK_DIV},
	{"fsqrt v0.2d, v1.2d", INSN_ARM64, CODE("\x20\xf8\xe1\x6e"), PMB_BLOCK_DIV},
	{"fdiv v0.8h, v1.8h, v2.8h", INSN_ARM64, CODE("\x20\x3c\x42\x6e"), PMB_BLOCK_DIV},
	{"sdiv z0.s, p0/m, z0.s, z1.s", INSN_ARM64, CODE("\x20\x00\x94\x04"), PMB_BLOCK_DIV},
	{"fdiv z0.d, p0/m, z0.d, z1.d", INSN_ARM64, CODE("\x20\x80\xcd\x65"), PMB_BLOCK_DIV},
	{"fsqrt z0.d, p0/m, z1.d", INSN_ARM64, CODE("\x20\xa0\xcd\x65"), PMB_BLOCK_DIV},
	{"lsl x0, x1, x2", INSN_ARM64, CODE("\x20\x20\xc2\x9a"), PMB_BLOCK_INTEGER},
	{"cpyfp [x0]!, [x1]!, x2!", INSN_ARM64, CODE("\x40\x04\x01\x19"), PMB_BLOCK_STRING},
	{"setp [x0]!, x1!, x2", INSN_ARM64, CODE("\x20\x04\xc2\x19"), PMB_BLOCK_STRING},
	{"dc zva, x0", INSN_ARM64, CODE("\x20\x74\x0b\xd5"), PMB_BLOCK_STRING},
	{"aese v0.16b, v1.16b", INSN_ARM64, CODE("\x20\x48\x28\x4e"), PMB_BLOCK_CRYPTO},
	{"aesmc v0.16b, v1.16b", INSN_ARM64, CODE("\x20\x68\x28\x4e"), PMB_BLOCK_CRYPTO},
	{"sha256h q0, q1, v2.4s", INSN_ARM64, CODE("\x20\x40\x02\x5e"), PMB_BLOCK_CRYPTO},
	{"sha1h s0, s1", INSN_ARM64, CODE("\x20\x08\x28\x5e"), PMB_BLOCK_CRYPTO},
	{"sha512h q0, q1, v2.2d", INSN_ARM64, CODE("\x20\x80\x62\xce"), PMB_BLOCK_CRYPTO},
	{"eor3 v0.16b, v1.16b, v2.16b, v3.16b", INSN_ARM64, CODE("\x20\x0c\x02\xce"),
	 PMB_BLOCK_CRYPTO},
	{"pmull v0.8h, v1.8b, v2.8b", INSN_ARM64, CODE("\x20\xe0\x22\x0e"), PMB_BLOCK_CRYPTO},
	{"crc32x w0, w1, x2", INSN_ARM64, CODE("\x20\x4c\xc2\x9a"), PMB_BLOCK_CRYPTO},
	{"svc #0", INSN_ARM64, CODE("\x01\x00\x00\xd4"), PMB_BLOCK_SYSTEM},
	{"mrs x0, cntvct_el0", INSN_ARM64, CODE("\x40\xe0\x3b\xd5"), PMB_BLOCK_SYSTEM},
	{"mrs x0, tpidr_el0", INSN_ARM64, CODE("\x40\xd0\x3b\xd5"), PMB_BLOCK_INTEGER},
	{"ic ivau, x0", INSN_ARM64, CODE("\x20\x75\x0b\xd5"), PMB_BLOCK_SYSTEM},
	{"dmb ish", INSN_ARM64, CODE("\xbf\x3b\x03\xd5"), PMB_BLOCK_FENCE},
	{"isb", INSN_ARM64, CODE("\xdf\x3f\x03\xd5"), PMB_BLOCK_FENCE},
	{"add z0.s, z1.s, z2.s", INSN_ARM64, CODE("\x20\x00\xa2\x04"), PMB_BLOCK_VECTOR},
	{"ld1w {z0.s}, p0/z, [x0]", INSN_ARM64, CODE("\x00\xa0\x40\xa5"), PMB_BLOCK_VECTOR},
	{"add v0.4s, v1.4s, v2.4s", INSN_ARM64, CODE("\x20\x84\xa2\x4e"), PMB_BLOCK_VECTOR_128},
	{"ldr q0, [x1, #16]", INSN_ARM64, CODE("\x20\x04\xc0\x3d"), PMB_BLOCK_VECTOR_128},
	{"ldr q0, [x1, x2]", INSN_ARM64, CODE("\x20\x68\xe2\x3c"), PMB_BLOCK_VECTOR_128},
	{"ldp q0, q1, [x2]", INSN_ARM64, CODE("\x40\x04\x40\xad"), PMB_BLOCK_VECTOR_128},
	{"ld1 {v0.4s}, [x1], #16", INSN_ARM64, CODE("\x20\x78\xdf\x4c"), PMB_BLOCK_VECTOR_128},
	{"movi v0.2d, #0", INSN_ARM64, CODE("\x00\xe4\x00\x6f"), PMB_BLOCK_VECTOR_128},
	{"fadd d0, d1, d2", INSN_ARM64, CODE("\x20\x28\x62\x1e"), PMB_BLOCK_FLOAT},
	{"fmadd d0, d1, d2, d3", INSN_ARM64, CODE("\x20\x0c\x42\x1f"), PMB_BLOCK_FLOAT},
	{"fcmp d0, d1", INSN_ARM64, CODE("\x00\x20\x61\x1e"), PMB_BLOCK_FLOAT},
	{"fmov x0, d1", INSN_ARM64, CODE("\x20\x00\x66\x9e"), PMB_BLOCK_FLOAT},
	{"scvtf d0, x1", INSN_ARM64, CODE("\x20\x00\x62\x9e"), PMB_BLOCK_FLOAT},
	{"bl .", INSN_ARM64, CODE("\x00\x00\x00\x94"), PMB_BLOCK_CALL},
	{"blr x1", INSN_ARM64, CODE("\x20\x00\x3f\xd6"), PMB_BLOCK_CALL},
	{"ret", INSN_ARM64, CODE("\xc0\x03\x5f\xd6"), PMB_BLOCK_CALL},
	{"b .", INSN_ARM64, CODE("\x00\x00\x00\x14"), PMB_BLOCK_BRANCH},
	{"cbz x0, .", INSN_ARM64, CODE("\x00\x00\x00\xb4"), PMB_BLOCK_BRANCH},
	{"tbz x0, #3, .", INSN_ARM64, CODE("\x00\x00\x18\x36"), PMB_BLOCK_BRANCH},
	{"b.ne .", INSN_ARM64, CODE("\x01\x00\x00\x54"), PMB_BLOCK_BRANCH},
	{"br x1", INSN_ARM64, CODE("\x20\x00\x1f\xd6"), PMB_BLOCK_BRANCH},
	{"ldr x0, [x1]", INSN_ARM64, CODE("\x20\x00\x40\xf9"), PMB_BLOCK_LOAD},
	{"ldp x0, x1, [x2]", INSN_ARM64, CODE("\x40\x04\x40\xa9"), PMB_BLOCK_LOAD},
	{"ldr d0, [x1]", INSN_ARM64, CODE("\x20\x00\x40\xfd"), PMB_BLOCK_LOAD},
	{"str x0, [x1]", INSN_ARM64, CODE("\x20\x00\x00\xf9"), PMB_BLOCK_STORE},
	{"stp x0, x1, [sp, #-16]!", INSN_ARM64, CODE("\xe0\x07\xbf\xa9"), PMB_BLOCK_STORE},
	{"add x0, x1, #1", INSN_ARM64, CODE("\x20\x04\x00\x91"), PMB_BLOCK_INTEGER},
	{"mul x0, x1, x2", INSN_ARM64, CODE("\x20\x7c\x02\x9b"), PMB_BLOCK_INTEGER},
	{"ldr s0, [x1]", INSN_ARM64, CODE("\x20\x00\x40\xbd"), PMB_BLOCK_LOAD},
	{"nop", INSN_ARM64, CODE("\x1f\x20\x03\xd5"), PMB_BLOCK_INTEGER},
	{"amoadd.d t0, t1, (a0)", INSN_RISCV64, CODE("\xaf\x32\x65\x00"), PMB_BLOCK_LOCK},
	{"lr.w t0, (a0)", INSN_RISCV64, CODE("\xaf\x22\x05\x10"), PMB_BLOCK_LOCK},
	{"sc.d.rl t0, t1, (a0)", INSN_RISCV64, CODE("\xaf\x32\x65\x1a"), PMB_BLOCK_LOCK},
	{"div a0, a1, a2", INSN_RISCV64, CODE("\x33\xc5\xc5\x02"), PMB_BLOCK_DIV},
	{"remuw a0, a1, a2", INSN_RISCV64, CODE("\x3b\xf5\xc5\x02"), PMB_BLOCK_DIV},
	{"mul a0, a1, a2", INSN_RISCV64, CODE("\x33\x85\xc5\x02"), PMB_BLOCK_INTEGER},
	{"mulw a0, a1, a2", INSN_RISCV64, CODE("\x3b\x85\xc5\x02"), PMB_BLOCK_INTEGER},
	{"fdiv.d fa0, fa1, fa2", INSN_RISCV64, CODE("\x53\xf5\xc5\x1a"), PMB_BLOCK_DIV},
	{"fsqrt.s fa0, fa1", INSN_RISCV64, CODE("\x53\xf5\x05\x58"), PMB_BLOCK_DIV},
	{"aes64es a0, a1, a2", INSN_RISCV64, CODE("\x33\x85\xc5\x32"), PMB_BLOCK_CRYPTO},
	{"sha256sum0 a0, a1", INSN_RISCV64, CODE("\x13\x95\x05\x10"), PMB_BLOCK_CRYPTO},
	{"clmul a0, a1, a2", INSN_RISCV64, CODE("\x33\x95\xc5\x0a"), PMB_BLOCK_CRYPTO},
	{"ecall", INSN_RISCV64, CODE("\x73\x00\x00\x00"), PMB_BLOCK_SYSTEM},
	{"rdtime a0", INSN_RISCV64, CODE("\x73\x25\x10\xc0"), PMB_BLOCK_SYSTEM},
	{"fence rw, rw", INSN_RISCV64, CODE("\x0f\x00\x30\x03"), PMB_BLOCK_FENCE},
	{"vadd.vv v0, v1, v2", INSN_RISCV64, CODE("\x57\x00\x11\x02"), PMB_BLOCK_VECTOR},
	{"vle32.v v0, (a0)", INSN_RISCV64, CODE("\x07\x60\x05\x02"), PMB_BLOCK_VECTOR},
	{"vse8.v v0, (a0)", INSN_RISCV64, CODE("\x27\x00\x05\x02"), PMB_BLOCK_VECTOR},
	{"fadd.d fa0, fa1, fa2", INSN_RISCV64, CODE("\x53\xf5\xc5\x02"), PMB_BLOCK_FLOAT},
	{"fmadd.d fa0, fa1, fa2, fa3", INSN_RISCV64, CODE("\x43\xf5\xc5\x6a"), PMB_BLOCK_FLOAT},
	{"fld fa0, 8(a0)", INSN_RISCV64, CODE("\x08\x25"), PMB_BLOCK_LOAD},
	{"jalr a0", INSN_RISCV64, CODE("\x02\x95"), PMB_BLOCK_CALL},
	{"ret", INSN_RISCV64, CODE("\x82\x80"), PMB_BLOCK_CALL},
	{"j .", INSN_RISCV64, CODE("\x01\xa0"), PMB_BLOCK_BRANCH},
	{"ld a0, 8(a1)", INSN_RISCV64, CODE("\x88\x65"), PMB_BLOCK_LOAD},
	{"sd a0, 8(a1)", INSN_RISCV64, CODE("\x88\xe5"), PMB_BLOCK_STORE},
	{"add a0, a1, a2", INSN_RISCV64, CODE("\x33\x85\xc5\x00"), PMB_BLOCK_INTEGER},
	{"ld a1, 2000(a1)", INSN_RISCV64, CODE("\x83\xb5\x05\x7d"), PMB_BLOCK_LOAD},
	{"pause", INSN_RISCV64, CODE("\x0f\x00\x00\x01"), PMB_BLOCK_PAUSE},
	{"beqz", INSN_RISCV64, CODE("\x11\xc1"), PMB_BLOCK_BRANCH},
	{"beq", INSN_RISCV64, CODE("\x63\x00\xb5\x00"), PMB_BLOCK_BRANCH},
};

Test(blocks, instructions)
{
	struct insn_data o;

	for (size_t i = 0; i < ARRAY_SIZE(insns); i++) {
		enum pmb_block_class got =
			insn_class__read(insns[i].set, insns[i].code, insns[i].len, &o);

		cr_expect(got == insns[i].want && o.len == insns[i].len,
			  "%s: class %d, expected %d; %u bytes", insns[i].what, got, insns[i].want,
			  o.len);
	}
}

static enum pmb_block_class class_at(const uint8_t *code, size_t len, size_t at)
{
	struct code_blocks *b = xcalloc(1, sizeof(*b));
	enum pmb_block_class class;

	code_blocks__find(b, INSN_X86_64, code, len);
	class = code_blocks__class(b, at);
	free(b);
	return class;
}

#define ADD "\x48\x01\xc8"        /* add %rcx, %rax */
#define DIV "\x48\xf7\xf1"        /* div %rcx */
#define LOAD "\x48\x8b\x00"       /* mov (%rax), %rax */
#define STORE "\x48\x89\x08"      /* mov %rcx, (%rax) */
#define PADD "\x66\x0f\xfe\xc1"   /* paddd %xmm1, %xmm0 */
#define ADDSD "\xf2\x0f\x58\xc1"  /* addsd %xmm1, %xmm0 */
#define LOCKED "\xf0\x48\xff\x00" /* lock incq (%rax) */
#define CALL "\xe8\x00\x10\x00\x00"
#define RET "\xc3"
#define JNE(distance) "\x75" distance
#define JMP(distance) "\xeb" distance
#define PAUSE "\xf3\x90"

static const struct {
	const char *what;
	const uint8_t *code;
	size_t len, at;
	enum pmb_block_class want;
} blocks[] = {
	{"one is enough", CODE(ADD ADD DIV ADD ADD RET), 12, PMB_BLOCK_DIV},
	{"…also behind the place", CODE(ADD ADD DIV ADD RET), 0, PMB_BLOCK_DIV},
	{"a jump ends it", CODE(DIV JNE("\x20") ADD ADD ADD), 8, PMB_BLOCK_INTEGER},
	{"what is jumped to begins one", CODE(DIV ADD ADD ADD JNE("\xf8")), 6, PMB_BLOCK_BRANCH},
	{"…and ends that before", CODE(ADD ADD DIV JNE("\xfb")), 3, PMB_BLOCK_INTEGER},
	{"a call doesn't", CODE(DIV CALL ADD RET), 8, PMB_BLOCK_DIV},
	{"the dearer of two", CODE(DIV LOCKED ADD RET), 0, PMB_BLOCK_LOCK},
	{"a spinning lock", CODE(LOCKED PAUSE JMP("\xf8")), 4, PMB_BLOCK_PAUSE},
	{"one vector of three", CODE(PADD ADD ADD RET), 0, PMB_BLOCK_VECTOR_128},
	{"one of five", CODE(PADD ADD ADD ADD ADD JMP("\x10")), 0, PMB_BLOCK_INTEGER},
	{"single numbers", CODE(ADDSD ADD ADD JMP("\x10")), 0, PMB_BLOCK_FLOAT},
	{"single ones and vectors together", CODE(ADDSD PADD ADD ADD ADD ADD JMP("\x10")), 0,
	 PMB_BLOCK_FLOAT},
	{"a call of eight", CODE(ADD ADD CALL ADD ADD ADD ADD JMP("\x10")), 0, PMB_BLOCK_CALL},
	{"loads", CODE(LOAD ADD LOAD JNE("\xf4")), 3, PMB_BLOCK_LOAD},
	{"a load and a jump", CODE(LOAD JNE("\xfb")), 0, PMB_BLOCK_LOAD},
	{"stores", CODE(STORE STORE STORE STORE LOAD JNE("\xef")), 3, PMB_BLOCK_STORE},
	{"both", CODE(LOAD STORE LOAD STORE JNE("\xf2")), 3, PMB_BLOCK_LOAD_STORE},
	{"jumps", CODE(ADD ADD JNE("\xf8")), 0, PMB_BLOCK_BRANCH},
	{"nothing of these", CODE(ADD ADD ADD ADD JNE("\xf2")), 0, PMB_BLOCK_INTEGER},
	{"amid an instruction", CODE(ADD ADD RET), 1, PMB_BLOCK_NONE},
	{"a jump to amid one", CODE(ADD ADD ADD ADD ADD DIV JNE("\xf1")), 0, PMB_BLOCK_DIV},
	{"behind the end", CODE(ADD ADD RET), 7, PMB_BLOCK_NONE},
	{"no instruction", CODE("\x06" ADD), 0, PMB_BLOCK_NONE},
	{"what is behind one begins anew", CODE(DIV "\x06" ADD ADD ADD), 4, PMB_BLOCK_INTEGER},
	{"cut off", CODE(ADD "\x48\x01"), 0, PMB_BLOCK_INTEGER},
};

Test(blocks, classes)
{
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		enum pmb_block_class got = class_at(blocks[i].code, blocks[i].len, blocks[i].at);

		cr_expect(got == blocks[i].want, "%s: class %d, expected %d", blocks[i].what, got,
			  blocks[i].want);
	}
}

Test(blocks, the_instruction_itself)
{
	static const uint8_t code[] = ADD DIV LOAD RET;
	struct code_blocks *b = xcalloc(1, sizeof(*b));

	code_blocks__find(b, INSN_X86_64, code, sizeof(code) - 1);
	cr_expect_eq(code_blocks__insn(b, 0), PMB_BLOCK_INTEGER);
	cr_expect_eq(code_blocks__insn(b, 3), PMB_BLOCK_DIV);
	cr_expect_eq(code_blocks__insn(b, 6), PMB_BLOCK_LOAD);
	cr_expect_eq(code_blocks__insn(b, 7), PMB_BLOCK_NONE);
	cr_expect_eq(code_blocks__insn(b, 10), PMB_BLOCK_NONE);
	free(b);
}

/* Nothing ends it for a long while. */
Test(blocks, long_ones_are_cut)
{
	enum { INSNS = 4 * CODE_BLOCK_INSNS, AT = 3 * CODE_BLOCK_INSNS / 2 };
	uint8_t code[3 * INSNS];

	for (size_t i = 0; i < INSNS; i++)
		memcpy(code + 3 * i, i == AT ? DIV : ADD, 3);
	for (size_t i = 0; i < INSNS; i++)
		cr_expect_eq(class_at(code, sizeof(code), 3 * i),
			     i / CODE_BLOCK_INSNS == AT / CODE_BLOCK_INSNS ? PMB_BLOCK_DIV :
									     PMB_BLOCK_INTEGER,
			     "instruction %zu", i);
}

Test(blocks, only_so_much_of_a_function)
{
	enum { BYTES = CODE_BLOCKS_BYTES + 16 };
	uint8_t *code = xcalloc(1, BYTES);

	memset(code, 0x90, BYTES);
	cr_expect_eq(class_at(code, BYTES, CODE_BLOCKS_BYTES - 1), PMB_BLOCK_INTEGER);
	cr_expect_eq(class_at(code, BYTES, CODE_BLOCKS_BYTES), PMB_BLOCK_NONE);
	free(code);
}
