/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names for addresses. The bytes of profiled programs are parsed by the helper process (symd),
 * which this side starts, feeds with descriptors, and replaces if it dies or hangs; the file that
 * did it is then not named. Every answer is a name or a reason.
 */
#ifndef PMUBPF_SYM_SYM_H
#define PMUBPF_SYM_SYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/objects.h"
#include "pmubpf/operand.h"
#include "sym/reason.h"

/* A function and where in it; the texts lie in a set (sym/texts.h). */
struct sym_frame {
	const char *name;   /* NULL: none is known */
	const char *system; /* as the linker has it; NULL: the same */
	const char *file;   /* base name of the source file; NULL: not known, or nobody asked */
	uint32_t line;
	uint32_t start_line; /* of the function; 0: not known */
};

/* Owned by the caller (sym_name__done), but for texts; frame has a name only if reason is
 * SYM_NAMED. inlined are the calls that were inlined at that place, outermost first; of a place of
 * data the variable's type, and the member there if there is one. vaddr is
 * the ELF virtual address that `addr2line -e` takes (set whenever the file's program headers
 * could be read; the offset or address itself otherwise, and where no segment holds the offset). */
struct sym_name {
	struct sym_frame frame;
	uint64_t vaddr;
	enum sym_reason reason;
	uint8_t block, insn; /* enum pmb_block_class; sym__want_blocks() */
	bool block_asked;
	struct sym_frame *inlined;
	size_t n_inlined;
	const char *layout; /* of data: how its type lies (pmubpf/type_layout.h); NULL: not known */
};
void sym_name__done(struct sym_name *name);

struct debuginfod;
struct texts;
struct sym; /* the client's end of one helper process */

/* Starts the helper: re-executes /proc/self/exe as `pmubpf symd`. */
int sym__new(struct sym **ret, struct err *err);
/* The same with the helper's main function called in a forked child, which gets the socket as its
 * argument, and with how long one answer may take: for tests, and for fuzzing. */
int sym__new_with(struct sym **ret, int (*child)(int sock), int timeout_ms, struct err *err);
/* What the helper has used so far: CPU time, memory at its most. */
uint64_t sym__helper_ns(const struct sym *sym);
uint64_t sym__helper_rss_bytes(const struct sym *sym);
struct sym *sym__free(struct sym *sym); /* ends the helper; NULL is fine; returns NULL */

/* Names' texts lie there (borrowed), and are refused (SYM_ROOM) when it is full. Without this
 * they lie in a set without a limit, and live until sym__free(). */
void sym__put_texts(struct sym *sym, struct texts *texts);

/* What later look-ups in ELF files say besides names: reads DWARF. Where that takes the helper
 * too long, or kills it, there still are names. */
void sym__want(struct sym *sym, bool inlined, bool lines, bool types);
/* Besides: the class of the basic block at places in ELF files that are marked
 * (SYMD_BLOCK_MARK). */
void sym__want_blocks(struct sym *sym);

/*
 * Everything has to be named until then (CLOCK_MONOTONIC), or until stop_fd (-1: none) is readable,
 * but that not before stop_from_ns: what isn't has SYM_TIME.
 */
void sym__until(struct sym *sym, uint64_t deadline_ns, int stop_fd, uint64_t stop_from_ns);
/* True once that has come: asking for more is of no use. */
bool sym__is_stopped(struct sym *sym);

/*
 * From here on a file gets so long (0: as long as it takes). One that takes longer is no failure:
 * it is put off, what it has no name for has SYM_TIME, and it may be asked about again.
 */
void sym__set_patience(struct sym *sym, uint64_t ns);
bool sym__was_put_off(const struct sym *sym); /* the file that was asked about last */

/* Called every 10 ms at least while a helper is waited for. */
void sym__meanwhile(struct sym *sym, void (*fn)(void *ctx), void *ctx);

/*
 * How often a helper had to be killed or had died. Each time the file that did it has no names, and
 * later files get less time (half as long, but at least a second), so that many hostile files can't
 * hold up the end for long.
 */
unsigned sym__failures(const struct sym *sym);

/* What went wrong with the helper over the file that was asked about last, for people; the
 * caller frees it. NULL: nothing did. */
char *sym__take_trouble(struct sym *sym);

/* How many locations were looked up in how many files. */
struct sym_work {
	uint64_t files, lookups;
};
struct sym_work sym__work(const struct sym *sym);

/*
 * A mapped ELF file. fd is borrowed and must be a regular file (or memfd: the vDSO). path (may be
 * NULL) and root_fd (the root of the program's mount namespace, -1 for ours) are where separate
 * debug files are looked for: /usr/lib/debug/.build-id/xx/yyyy.debug and .gnu_debuglink, in that
 * root and then in ours (sym/debug_file.h). offsets are file offsets of code (ascending order is
 * fastest). ret gets n answers. Never fails: what can't be named carries a reason.
 */
struct sym_file {
	int fd;
	int root_fd;
	uint64_t mnt_ns;       /* that root's */
	uint64_t dev;          /* the file's, as programs see it; 0: not known */
	struct opener *opener; /* who opens those; NULL: this process */
	const char *path;
	/* Files that may be its debug file, which are tried before any is looked for; borrowed. */
	const int *debug_fds;
	size_t n_debug_fds;
	struct debuginfod *
		servers; /* asked last, if symbols (or wanted DWARF) are nowhere; NULL: nobody is */
};
void sym__elf(struct sym *sym, const struct sym_file *file, const uint64_t *offsets, size_t n,
	      struct sym_name *ret);
/* What an overflow at each of these is about; with sym__want()'s types, also in which object. */
void sym__places(struct sym *sym, const struct sym_file *file, enum pmb_skid skid,
		 const uint64_t *offsets, size_t n, struct pmb_place *ret);
/* The build-id of the file that was asked about last; its length, 0 if it has none. */
size_t sym__build_id(const struct sym *sym, const uint8_t **ret);

/* What names code that a JIT made: */
enum sym_jit {
	SYM_PERF_MAP, /* its /tmp/perf-PID.map, */
	SYM_JITDUMP,  /* or jitdump */
	/* What was read of its memory (sym/code_client.h): with lines and inlined calls, whoever
	 * wants them, for nothing else has to be read for these. */
	SYM_CODE_MAP,
};
/* addrs are the program's virtual addresses. */
void sym__jit(struct sym *sym, enum sym_jit kind, int fd, const uint64_t *addrs, size_t n,
	      struct sym_name *ret);

/*
 * What C++'s and Rust's compilers made names of; NULL for a name that isn't one of theirs. The
 * texts lie where those of look-ups do. Returns how many of the first got an answer: all, unless
 * the helper failed over them or time was up.
 */
size_t sym__demangle(struct sym *sym, const char *const *names, size_t n, const char **ret);

/* What functions of interpreters are called, by their frames' places. Those without a name have
 * SYM_NO_OBJECT. */
void sym__objects(struct sym *sym, const struct objects *objects, const uint64_t *places, size_t n,
		  struct sym_name *ret);

#endif
