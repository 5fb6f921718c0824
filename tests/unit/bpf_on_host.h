/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * BPF code is C code: what bpf/lib/port.h includes for the kernel side (types, registers, the
 * macros of maps), for this machine, so that bpf/lib can be compiled here as if it were x86's.
 * Helpers and kernel types are the test's.
 */
#ifndef PMUBPF_TESTS_BPF_ON_HOST_H
#define PMUBPF_TESTS_BPF_ON_HOST_H

#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define PMUBPF_BPF_PORT_H
#undef __TARGET_ARCH_arm64
#undef __TARGET_ARCH_riscv
#define __TARGET_ARCH_x86 1
#include "../../vmlinux/x86.h"
#include "pmubpf/record.h"

#define SEC(name)
#define __weak __attribute__((weak))
#define __uint(name, val) int(*name)[val]
#define __type(name, val) typeof(val) *name
#define __array(name, val) typeof(val) *name[]

#endif
