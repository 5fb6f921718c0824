/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The files that programs were running from, each known by a small number. A file is its device and
 * inode; a descriptor is taken at the first sample in it, near the program, because the program,
 * its mount namespace or the file's name may be gone by the time names are asked for. Descriptors
 * are limited; files beyond that are opened when names are asked for, if they are still there. They
 * are opened by another process (opener/), which may be given up: then the file is tried again
 * later.
 *
 * Numbers of inodes are used again, too, where files come and go: while one is pinned its inode
 * isn't given to another; else its generation tells, which the kernel's records have.
 *
 * A host that builds software runs files without end, so those that nobody refers to any more are
 * swept out, and their numbers used again.
 */
#ifndef PMUBPF_PROC_FILES_H
#define PMUBPF_PROC_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fair_room.h"

enum file_kind {
	FILE_ELF,
	FILE_VDSO, /* the kernel's page of user code: the same bytes in every 64-bit program */
	FILE_JIT,  /* the anonymous code of one process, named by its perf map or jitdump */
	FILE_CODE, /* the same, as the process's runtime has it in its memory: names of it */
};

struct file {
	enum file_kind kind;
	uint64_t serial; /* no two files have the same; numbers are used again */
	char *path;      /* as the program's mount namespace names it */
	int fd;          /* -1: could not be opened (or not yet) */
	int root_fd; /* O_PATH on the program's root if it isn't ours, else -1; shared by all files seen from there */
	uint64_t mnt_ns; /* that root's mount namespace; 0: ours */
	uint64_t dev;    /* of an ELF file, as makedev() has it */
	bool tried;
	/* FILE_JIT: fd is the perf map, once there is one; where it lies, and whose it must be */
	pid_t ns_tgid; /* as the innermost namespace of the process numbers it; 0: not known */
	uid_t uid;
	unsigned tries;
	uint32_t dump; /* file number of its jitdump; 0: none */
	uint32_t code; /* …and of its FILE_CODE */
};

struct files;
struct mapped_file;
struct opener;

/* opener: who opens; borrowed; NULL: this process. */
struct files *files__new(struct opener *opener);
struct opener *files__opener(const struct files *files);
struct files *files__free(struct files *files); /* closes the descriptors */

/* Numbers start at 1. With another generation of the inode (0: not known, which is any) it is
 * another file, and the one before has gone. who: has it mapped. */
uint32_t files__elf(struct files *files, const struct mapped_file *which,
		    const struct fair_who *who);
/* The same, without adding it; 0: not known. */
uint32_t files__known_as(const struct files *files, const struct mapped_file *which);
/* Who met it first, or had room for its table. */
struct fair_who files__who(const struct files *files, uint32_t file);
uint32_t files__vdso(struct files *files);
/* tgid: for a first look at the process, as long as it is there. dump: see struct file. */
/* For a process; no two processes of all recordings that share the files have the same. */
uint64_t files__serial(struct files *files);
uint32_t files__jit(struct files *files, pid_t tgid, uint64_t process_serial, uint32_t dump);

/* The FILE_CODE of a FILE_JIT; 0: no number that may have a table is left. */
uint32_t files__code(struct files *files, uint32_t jit, uint64_t process_serial,
		     const struct fair_who *who);
/* A process's memory, to read; the caller's, or a negative errno. */
int files__open_memory(const struct files *files, pid_t tgid);
/* What names its code; takes fd, of a perf map, over. */
void files__put_code(struct files *files, uint32_t file, int fd);

/* As files__pin, before anybody has asked for the file: of those few are opened. */
void files__pin_early(struct files *files, uint32_t file, const struct fair_who *who,
		      uint64_t start, uint64_t end);
/* Opens the file through a process that has it mapped at [start, end), once; later calls are
 * free. False: it was not looked for, because the process has had its share of that for now. */
bool files__pin(struct files *files, uint32_t file, const struct fair_who *who, uint64_t start,
		uint64_t end);

/* The file by its name, if that still is the same file; the caller closes it. A perf map: as it
 * is now, whether its process still lives or not. Negative: it isn't (-EPERM: a perf map that
 * isn't the user's). */
int files__reopen(const struct files *files, uint32_t file);
/* What the helper needs to read it (opener__lend), from one of the file's own descriptors; the
 * caller closes it. */
int files__lend(const struct files *files, uint32_t file, int fd);
/* The same, from the one that it has, or of the file by its name. */
int files__lend_any(const struct files *files, uint32_t file);

/* True if there are twice as many as after the last sweep (and a thousand), or many that were
 * pinned early. */
bool files__many(const struct files *files);
/* Marks one that is referred to; 0 is fine. */
void files__keep(struct files *files, uint32_t file);
/* Closes and forgets the others. */
void files__sweep(struct files *files);
/* The same, every half a minute: only those that weren't referred to the last time either. */
bool files__age_is_due(const struct files *files);
void files__age(struct files *files);
/*
 * Files of volumes that we don't run from ourselves, and roots of programs, would keep those from
 * being unmounted. When nobody has one mapped for a second it is let go: what names will want of it
 * is copied, as far as there is room; else it is opened again by its name when names are asked for,
 * if it is still there.
 */
enum {
	FILES_COPIES_BYTES = 64 * 1024 * 1024, /* all of them */
	FILES_COPY_BYTES = 16 * 1024 * 1024,   /* of one */
};
bool files__elsewhere(const struct files *files); /* True if there are any such files. */
/* mapped: by number. True if there are some to let go: then mark what is referred to, as for a
 * sweep, and… */
bool files__idle(struct files *files, const bool *mapped, size_t n_mapped);
/* …this closes them; others: tells who else may have it open, by its number and one of ours. */
void files__let_go(struct files *files, void (*others)(void *ctx, uint32_t file, int fd),
		   void *ctx);
size_t files__known(const struct files *files);

const struct file *files__get(const struct files *files, uint32_t file);
size_t files__count(const struct files *files); /* one more than the highest number */

#endif
