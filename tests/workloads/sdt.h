/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Probes of a program's own, as the notes of USDT describe them: no-ops on other machines. */
#ifndef PMUBPF_TESTS_SDT_H
#define PMUBPF_TESTS_SDT_H

#if defined(__x86_64__) || defined(__aarch64__)
#define SDT_NOTE(provider, name, counter)                                                        \
	__asm__ volatile("990: nop\n"                                                            \
			 ".pushsection .note.stapsdt,\"\",\"note\"\n"                            \
			 ".balign 4\n"                                                           \
			 ".4byte 992f-991f, 994f-993f, 3\n"                                      \
			 "991: .asciz \"stapsdt\"\n"                                             \
			 "992: .balign 4\n"                                                      \
			 "993: .8byte 990b\n"                                                    \
			 ".8byte _.stapsdt.base\n"                                               \
			 ".8byte " counter "\n"                                                  \
			 ".asciz \"" #provider "\"\n"                                            \
			 ".asciz \"" #name "\"\n"                                                \
			 ".asciz \"\"\n"                                                         \
			 "994: .balign 4\n"                                                      \
			 ".popsection\n"                                                         \
			 ".ifndef _.stapsdt.base\n"                                              \
			 ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
			 ".weak _.stapsdt.base\n"                                                \
			 ".hidden _.stapsdt.base\n"                                              \
			 "_.stapsdt.base: .space 1\n"                                            \
			 ".size _.stapsdt.base, 1\n"                                             \
			 ".popsection\n"                                                         \
			 ".endif\n")
#define SDT_PROBE(provider, name) SDT_NOTE(provider, name, "0")
#define SDT_COUNTER(name) \
	__attribute__((section(".probes"), used)) volatile unsigned short sdt_##name
#define SDT_PROBE_COUNTED(provider, name) SDT_NOTE(provider, name, "sdt_" #name)
#define SDT_IS_ON(name) (sdt_##name != 0)
#else
#define SDT_PROBE(provider, name) ((void)0)
#define SDT_COUNTER(name) extern int sdt_##name
#define SDT_PROBE_COUNTED(provider, name) ((void)0)
#define SDT_IS_ON(name) 0
#endif

#endif
