/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a basic block of code does, in a word: what makes it dear, or else what most of it is. In
 * order: the first rule that holds is the block's class. Who includes this brings uint8_t.
 */
#ifndef PMUBPF_BLOCK_CLASS_H
#define PMUBPF_BLOCK_CLASS_H

/*
 * X(CLASS, "word", least): of a block's instructions at least so many of a hundred are of the
 * class; 0: one is enough.
 *
 * 	pause		waits for another thread: pause, tpause, yield, wfe
 * 	lock		changes memory at once for all CPUs: lock, xchg, LSE, exclusives, lr and sc
 * 	div		divisions, square roots, of integers and of floating point
 * 	string		rep movs, stos, cmps, scas; pcmpistri; arm64's cpy, set and dc zva
 * 	crypto		AES, SHA, SM3, SM4, carry-less multiplication, CRC
 * 	gather		vectors of addresses
 * 	system		system calls, cpuid, clocks, ports, the CPU's own registers
 * 	fence		barriers, and caches that are flushed
 * 	vector		of a length that the CPU chooses: SVE, RISC-V's V
 * 	vector-512…	packed numbers; up to 128 bits: SSE, MMX, NEON
 * 	float		single numbers of floating point
 * 	call		calls and returns
 */
#define PMB_BLOCK_MARKS(X)              \
	X(PAUSE, "pause", 0)            \
	X(LOCK, "lock", 0)              \
	X(DIV, "div", 0)                \
	X(STRING, "string", 0)          \
	X(CRYPTO, "crypto", 0)          \
	X(GATHER, "gather", 0)          \
	X(SYSTEM, "system", 0)          \
	X(FENCE, "fence", 0)            \
	X(VECTOR, "vector", 25)         \
	X(VECTOR_512, "vector-512", 25) \
	X(VECTOR_256, "vector-256", 25) \
	X(VECTOR_128, "vector-128", 25) \
	X(FLOAT, "float", 25)           \
	X(CALL, "call", 12)

/*
 * The rest: what is read from memory and written there, if that is a quarter and no less than there
 * are jumps; both, if each is a third of it. Then jumps, if they are a quarter.
 */
#define PMB_BLOCK_MIXES(X)             \
	X(LOAD_STORE, "load-store", 0) \
	X(LOAD, "load", 0)             \
	X(STORE, "store", 0)           \
	X(BRANCH, "branch", 25)        \
	X(INTEGER, "integer", 0)

enum pmb_block_class {
	PMB_BLOCK_NONE, /* its code isn't known */
#define X(class, word, least) PMB_BLOCK_##class,
	PMB_BLOCK_MARKS(X) PMB_BLOCK_MIXES(X)
#undef X
		PMB_N_BLOCK_CLASSES,
	/* of these each counts those before it, too: a block of both widths has the narrower one */
	PMB_BLOCK_WIDEST = PMB_BLOCK_VECTOR,
	PMB_BLOCK_NARROWEST = PMB_BLOCK_FLOAT,
};

#endif
