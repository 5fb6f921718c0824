/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The only includer of vmlinux.h and of libbpf's headers. Order matters: the shared records come
 * after vmlinux.h's preserve_access_index region has been closed.
 */
#ifndef PMUBPF_BPF_PORT_H
#define PMUBPF_BPF_PORT_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>

#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "pmubpf/record.h"

#endif
