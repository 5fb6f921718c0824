/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is asked of whoever opens: one packet, with at most one descriptor, and one packet or more
 * back (`more`), with at most one descriptor. Host byte order, no padding; both ends are the same
 * executable. Only so much of text travels as there is.
 *
 *	PROCESS	tgid					mnt_ns, ns_tgid, uid, root; +fd its root, if it isn't ours
 *	MAPS	tgid, flags				text: lines of its executable mappings; more
 *	MAPPED	tgid, start, end, inode, generation; text: path
 *							mnt_ns; +fd the file it has mapped there, O_PATH or
 *							open, if nobody is asked when it is closed
 *	PATH	+fd root or none, flags, inode, generation, mnt_ns; text: path
 *							+fd, the same
 *	OWNED	+fd root or none, uid, mnt_ns; text: path	+fd, the same
 *	LEND	+fd, O_PATH; mnt_ns, dev		+fd a socket with the open file (symd_fd__enclose)
 *	WHICH	+fd; mnt_ns				text: opener_file_id
 *	COUNTER	+fd leader or none, tgid, cpu; text: perf_event_attr
 *							+fd
 *	UPROBE	+fd of a program's file, start: offset, end: its counter's, mnt_ns, tgid or 0
 *							+fd
 *	KEEP	+fd of a probe				-EMFILE: there is no room
 *	CLOSE	all probes that are kept		more, each time that one is closed
 *	PROGRAM	+fd a BPF program, start: its number	+fd the same: it is kept for
 *	UPROBES	+fd of a program's file, start: the program's, mnt_ns, tgid; text: n × opener_place
 *							+fd; -EBADF: it has not that program
 *	COPY	+fd a regular file, end: its bytes at most, mnt_ns
 *							more, each time that some is done; +fd a memfd
 *	CGROUP	start: its id; text: hierarchy		text: its path
 *	MEMORY	tgid					+fd of its memory, to read
 *	EXE	tgid					text: path of its executable
 *	CONTAINER tgid; text: path of its cgroup	text: name, pod, image, each with its NUL
 */
#ifndef PMUBPF_OPENER_REQUEST_H
#define PMUBPF_OPENER_REQUEST_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

enum {
	OPENER_PATH_MAX = 8192,
	OPENER_TEXT_MAX = 60 * 1024,
	OPENER_KEPT_MAX = 512,
};

enum opener_what {
	OPENER_PROCESS,
	OPENER_MAPS,
	OPENER_MAPPED,
	OPENER_PATH,
	OPENER_OWNED,
	OPENER_LEND,
	OPENER_COUNTER,
	OPENER_CGROUP,
	OPENER_CONTAINER,
	OPENER_COPY,
	OPENER_MEMORY,
	OPENER_WHICH,
	OPENER_EXE,
	OPENER_UPROBE,
	OPENER_KEEP,
	OPENER_CLOSE,
	OPENER_UPROBES,
	OPENER_PROGRAM,
};

enum {
	OPENER_AT_HAND = 1,   /* PATH: nothing is mounted and no server asked on its way */
	OPENER_INODE = 2,     /* PATH: only if it is that one */
	OPENER_RETURNS = 4,   /* UPROBE: a return probe */
	OPENER_PUBLISHED = 8, /* MAPS: those by which a process publishes what it is instead */
	OPENER_AT_START = 16, /* UPROBE: nothing is recorded yet, so it may take its time */
};

/* MAPPED: what is mapped there is a device or the like, and will not be a file at another time.
 * No call that opens returns it. */
#define OPENER_NO_FILE EMEDIUMTYPE
/* UPROBE: a process serves the file. */
#define OPENER_SERVED EREMOTE

/* UPROBES: a place in a file that is probed, and what the program is told there. */
struct opener_place {
	uint64_t file_off, cookie;
};

enum {
	OPENER_PLACES_MAX = OPENER_PATH_MAX / 16 - 1,
	OPENER_UPROBES_ATTACH_TYPE = 48, /* BPF_TRACE_UPROBE_MULTI, of Linux 6.6 */
};

struct opener_request {
	uint32_t seq;
	uint16_t what;
	uint16_t flags;
	int32_t tgid;
	int32_t cpu;
	uint32_t uid;
	uint32_t text_len;
	uint64_t start, end;
	uint64_t inode, generation;
	uint64_t mnt_ns;
	uint64_t dev; /* where it lies, as far as known: for who is blamed */
	char text[OPENER_PATH_MAX];
};

/* Where a program sees its files: roots that are the same have the same. All 0: where we see
 * ours. */
struct opener_root_id {
	uint64_t mnt_ns;
	uint64_t dev, inode, mount;
};

/*
 * Which file it is: of two, the kernel has one inode if these are the same, and the same is in it.
 * On an overlay, each of which has a device of its own (0 here), that is the one below: its number
 * and times are told, and no two files below were last changed in the same ns.
 */
struct opener_file_id {
	uint64_t dev, inode;
	uint64_t size, modified_ns, changed_ns;
	uint64_t served; /* 1: by a process (FUSE) */
};

struct opener_reply {
	uint32_t seq;
	int32_t result; /* 0 or a negative errno */
	int32_t ns_tgid;
	uint32_t uid;
	struct opener_root_id root_id;
	uint32_t more; /* another packet follows */
	uint32_t text_len;
	char text[OPENER_TEXT_MAX];
};

/* Of a request or reply that travels. */
static inline size_t opener_request_bytes(const struct opener_request *r)
{
	return offsetof(struct opener_request, text) + r->text_len;
}

static inline size_t opener_reply_bytes(const struct opener_reply *r)
{
	return offsetof(struct opener_reply, text) + r->text_len;
}

#endif
