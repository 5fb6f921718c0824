/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What rows of the profile are told apart by besides command, stack and data address. */
#ifndef PMUBPF_MODEL_LABELS_H
#define PMUBPF_MODEL_LABELS_H

enum row_label {
	LABEL_PID = 1,
	LABEL_UNWIND_STATUS = 2,
	LABEL_TID = 4,
	LABEL_CPU = 8,
	LABEL_CGROUP = 16,
	LABEL_USER = 32,
	LABEL_DATA = 64,    /* of samples that have a struct pmb_part_data */
	LABEL_WINDOW = 128, /* and its duration: samples wait for its end */
	LABEL_WINDOW_NUMBER = 256,
	LABEL_OFF_STATE = 2048, /* of time without a CPU */
	LABEL_WAKER = 4096,
	LABEL_TIME = 8192,          /* when it was, in steps of a grid: record --timeline */
	LABEL_CONTEXT = 16384,      /* what threads say they work on */
	LABEL_INTERRUPTED = 131072, /* a thread, a softirq, an interrupt's handler */
	LABEL_SIBLING = 262144,     /* who had the core's other thread */
	/* not in struct profile_labels: the data address; what names and code tell at the end */
	LABEL_ADDR = 512,
	LABEL_LANGUAGE = 1024,
	LABEL_BLOCKCLASS = 32768,
	LABEL_OPCODE = 65536,
};

/* X(label, word), and FIRST of the first: what users ask for, and what is recorded for it. */
#define LABELS(FIRST, X)                        \
	FIRST(LABEL_PID, "pid")                 \
	X(LABEL_TID, "tid")                     \
	X(LABEL_TID, "thread")                  \
	X(LABEL_CPU, "cpu")                     \
	X(LABEL_CPU, "core")                    \
	X(LABEL_CPU, "core_type")               \
	X(LABEL_CPU, "numa_node")               \
	X(LABEL_CPU, "governor")                \
	X(LABEL_CGROUP, "container")            \
	X(LABEL_CGROUP, "pod")                  \
	X(LABEL_CGROUP, "namespace")            \
	X(LABEL_CGROUP, "workload")             \
	X(LABEL_CGROUP, "image")                \
	X(LABEL_CGROUP, "cgroup")               \
	X(LABEL_USER, "user")                   \
	X(LABEL_ADDR, "data_addr")              \
	X(LABEL_DATA, "data_object")            \
	X(LABEL_DATA, "data_type")              \
	X(LABEL_DATA, "member")                 \
	X(LABEL_DATA, "data_layout")            \
	X(LABEL_DATA, "data_offset")            \
	X(LABEL_DATA, "data_segment")           \
	X(LABEL_DATA, "data_page")              \
	X(LABEL_DATA, "cache_line")             \
	X(LABEL_DATA, "data_source")            \
	X(LABEL_DATA, "data_latency")           \
	X(LABEL_DATA, "data_class")             \
	X(LABEL_DATA, "data_access")            \
	X(LABEL_DATA, "alloc_site")             \
	X(LABEL_DATA, "map_site")               \
	X(LABEL_DATA, "data_node")              \
	X(LABEL_WINDOW, "window")               \
	X(LABEL_WINDOW, "duration")             \
	X(LABEL_WINDOW_NUMBER, "window_number") \
	X(LABEL_OFF_STATE, "off_state")         \
	X(LABEL_WAKER, "waker")                 \
	X(LABEL_CONTEXT, "context")             \
	X(LABEL_LANGUAGE, "language")           \
	X(LABEL_BLOCKCLASS, "blockclass")       \
	X(LABEL_OPCODE, "opcode")               \
	X(LABEL_INTERRUPTED, "interrupted")     \
	X(LABEL_SIBLING, "sibling")

/* What is recorded for what users ask for; 0: no label has that word. */
unsigned label__of_word(const char *word);

#endif
