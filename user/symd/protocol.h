/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the main process and its helper say to each other, over one SOCK_SEQPACKET pair: a message
 * is a packet, so neither side can make the other wait for the rest of one, and a descriptor
 * arrives with the message it belongs to. One request is under way at a time; a reply repeats its
 * type and seq. Host byte order, no padding; both ends are the same executable.
 *
 * 	header	u32 size (of the whole message), u32 seq, u16 type, u16 version
 *
 * 	HELLO		helper speaks first, once:	-
 * 	OPEN_ELF	+fd				u8 reason (NAMED, BAD_FILE),
 * 							u8 has_symtab, u8 has_debug_info,
 * 							u8 n, n bytes of build id,
 * 							u16 n, n bytes of debug link's name, u32 crc
 * 	ADD_DEBUG	+fd				u8 accepted
 * 	OPEN_PERF_MAP	+fd				u8 reason (NAMED, NO_PERF_MAP)
 * 	OPEN_JITDUMP	+fd				u8 reason (NAMED, NO_PERF_MAP)
 * 	OPEN_CODE_MAP	+fd				u8 reason (NAMED, NO_PERF_MAP)
 * 	LOOKUP		u32 wanted, u32 n, n × u64	u32 m, m × {u8 reason, u64 vaddr, u8 block,
 * 							u8 insn, frame, u8 k, k × frame}
 * 	frame		u16 len, name, u16 len, linker's name, u16 len, file, u32 line,
 * 			u32 first line
 * 	DEMANGLE	u32 n, n × {u16 len, name}	u32 m, m × {u16 len, name}
 * 	OBJECTS		u32 n, n × {u32 position,	as LOOKUP; vaddr is 0, k is 0
 * 			u16 len, object}
 * 	PLACES		u8 skid, u8 types, u32 n,	u32 m, m × {u8 finding, u8 len,
 * 			n × u64				u8 described, u8 k, k × operand}
 * 	operand		u8 base, u8 index, u8 scale, u8 segment, u8 flags, u16 size, u32 insn,
 * 							u64 disp, u8 object, u32 type,
 * 							u32 every, u32 at, u64 start
 * 	LAYOUT		u64				u16 len, layout
 * 	SITE		u64 offset, u16 len, name	u8 status, found, u8 emulated,
 * 							u64 file offset
 * 	found						u32 n, u8 of Go, u8 k, k × called
 * 	called						u16 len, name, u16 len, written
 * 	NEAR		u16 len, name			u8 k, k × {u32 distance, called}
 * 	USDT		u16 len, provider,		u8 status, u32 n, n × {u64 file offset,
 * 			u16 len, name			u64 counter's, u8 emulated}
 * 	FUNCTION	u16 len, name			places, found
 * 	places						u8 status, u32 m, m × {u64 file offset,
 * 							u8 when, u8 emulated}
 * 	RETURNS		u8 n, n × {u8 args,		n × places
 * 			u16 len, name}
 * 	BRANCHES	u16 len, name, u8 class		u8 status, found, u64 vaddr,
 * 							u64 file offset, u64 size, u32 jumps, u32 m,
 * 							m × {u32 at, u8 condition, u8 why}
 * 	SAME_CODE	+fd of /proc/PID/mem,		u8 same
 * 			u64 file offset, u64 address,
 * 			u64 size
 * 	LISTING		u64 offset, u32 from		u8 status, and if SYMD_LISTED: u8 texts,
 * 							u64 vaddr, u64 file offset, u64 size,
 * 							u32 next, u32 m, m × row
 * 	row		u32 at, u8 len, u8 flow, u64 target, u16 len, text, u8 k, k × {u16 len,
 * 			function, u16 len, file, u32 line}
 * 	CLOSE		-				- (the files of OPEN_ and ADD_DEBUG are closed)
 * 	INTO		+fd of an empty memfd		none: the next of these three writes there
 * 	BUILD_TABLE	+fd, u64 from, u64 to, u64 most	u8 status; if SYMD_TABLE_BUILT, an unwind
 * 							table (pmubpf/unwind.h) is written
 *
 * 	READ_CODE	+fd of /proc/PID/mem,		u8 status, u64 from, u64 to,
 * 			u8 only places,			u16 len, text; if SYMD_CODE_READ, as
 * 			u64 structs, u64 types,		BUILD_TABLE's is written, of [from, to)
 * 			n × u64 place
 * 	CODE_NAMES	-				-, for OPEN_CODE_MAP is written
 *
 * 	CONTEXT		+fd of /proc/PID/mem,		u8 status, u32 kind, u32 module, u64 offset,
 * 			u64 start, u64 file offset,	u16 n, n × {u16 len, key}
 * 			u8 n, n × u64 address
 *
 * 	FORGET		+fd				none: what is open of that file is closed
 *
 * No answer has a descriptor: sys/memory_file.h says why.
 * BUILD_TABLE leaves the open file alone. The table is that of the file's offsets [from, to); of a
 * file of more than `most` bytes there is none (SYMD_TABLE_LARGE). Of an empty range it has no
 * rows: which runtime the file is can be said long before them.
 * READ_CODE reads the code cache of a HotSpot process (symd/hotspot.h), always the same one, and
 * CODE_NAMES says what all code is called that was met there, and what was at places that samples
 * met. The text is its version, or what was missing.
 * An OPEN_ that comes later replaces the file. m may be less than n (but not 0) when the next
 * answer did not fit, or took its time: the client asks again from there. The k frames are calls
 * that were inlined at the address, outermost first; without SYMD_WANT_INLINED there are none, and
 * without SYMD_WANT_LINES no file (len 0) and line 0. block is the class of the basic block there
 * (pmubpf/block_class.h), insn that of the instruction; 0: not known, or not asked for. A
 * function's first line only objects say. Of a place of data they are, with SYMD_WANT_TYPES, the
 * variable's type and the member. The linker's name has len 0 where it is the name. Of a place in
 * an object (pmubpf/object_place.h) the name is its type, and the frame the member; or it is that
 * of a variable in a frame (FUNCTION::VARIABLE), and its type and member follow. To DEMANGLE, len 0
 * says that a name is none that was mangled, and m may be less than n, too. PLACES is LOOKUP's like
 * of the open ELF file: pmubpf/operand.h; without `types` no operand's object is known. LAYOUT says
 * how the type of the variable or object at a place of data lies (pmubpf/type_layout.h); len 0:
 * nobody knows. SITE is where a probe of the function of that name in the open ELF file goes
 * (symd/elf_site.h), which may be as its author wrote it; n functions have it, and are called so by
 * the linker, and written so (len 0: the same), the first of them (symd/elf_found.h). NEAR are
 * functions whose names are near. USDT are all places of one of its own probes
 * (symd/elf_usdt.h), and the counters that turn them on (0: none). FUNCTION is where a function is
 * entered, first, and all places where it is left (symd/elf_exits.h); RETURNS, of many at once,
 * where what each was given is seen, and what it returns (symd/elf_returns.h): where the first
 * isn't, the others are not looked for.
 * CONTEXT is where threads of a process say what they work on, by the open ELF file, which it has
 * mapped at start from that offset on; keys are those of what may be published at the addresses
 * (symd/thread_context.h).
 * LISTING has the instructions of the function that holds the file offset, from that distance on;
 * next is where to go on asking, 0: nowhere. Rows say how far from the function's beginning they
 * are, and on which lines they stand: first of the function itself, which has no name there, then
 * of calls that were inlined, as LOOKUP has them but for the file, which has its path; k 0: where
 * the row before does. Texts are there if the helper was started for listings, and its library is
 * there.
 * BRANCHES are the conditional jumps of a function of the open ELF file, or if there is a class
 * (pmubpf/block_class.h) its instructions of that class, and which may be probed
 * (symd/elf_branches.h).
 * SAME_CODE is whether a process has that part of the file at the address.
 */
#ifndef PMUBPF_SYMD_PROTOCOL_H
#define PMUBPF_SYMD_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/cursor.h"

enum {
	SYMD_VERSION = 25,
	SYMD_FD = 3, /* where the helper finds its socket: sys/reexec.h */
	SYMD_HEADER_BYTES = 12,
	SYMD_MSG_MAX = 64 * 1024,
	SYMD_LOOKUP_MAX = 4096,    /* addresses in one request, */
	SYMD_PLACES_MAX = 4096,    /* and places of READ_CODE */
	SYMD_NAME_MAX = 16 * 1024, /* bytes of a name; longer ones are cut */
	SYMD_BUILD_ID_MAX = 64,
	SYMD_USDT_MAX = 64,             /* places of a probe of a program's own */
	SYMD_EXITS_MAX = 63,            /* places where a function is left */
	SYMD_RETURNS_MAX = 64,          /* functions that are asked for at once */
	SYMD_BRANCHES_MAX = 4096,       /* conditional jumps of a function */
	SYMD_CALLED_MAX = 6,            /* functions that fit a name, that are told */
	SYMD_CALLED_BYTES = 1024,       /* of their names; longer ones are cut */
	SYMD_OBJECT_MAX = 6144,         /* bytes of what an interpreter's function says of itself */
	SYMD_LINK_MAX = 255,            /* NAME_MAX */
	SYMD_FILE_MAX = 1024,           /* bytes of a source file's name; longer ones are cut */
	SYMD_CONTEXT_PUBLISHED_MAX = 4, /* places where a process may publish something */
	SYMD_CONTEXT_KEY_MAX = 128,     /* bytes of a key's name; longer ones are cut */
	SYMD_INLINED_MAX = 63,          /* inlined frames of an address */
	SYMD_INLINED_BYTES =
		32 * 1024, /* of their names; those inside of what is more are left out */
};

/* Bits of LOOKUP's wanted. */
enum {
	SYMD_WANT_INLINED = 1,
	SYMD_WANT_LINES = 2,
	SYMD_WANT_TYPES = 4,
	SYMD_WANT_BLOCKS = 8, /* of offsets of code that are marked: */
};
#define SYMD_BLOCK_MARK (1ULL << 62)

enum symd_type {
	SYMD_HELLO = 1,
	SYMD_OPEN_ELF,
	SYMD_ADD_DEBUG,
	SYMD_OPEN_PERF_MAP,
	SYMD_LOOKUP,
	SYMD_OPEN_JITDUMP,
	SYMD_FETCH, /* of another process: symd/fetch.h */
	SYMD_BUILD_TABLE,
	SYMD_CLOSE,
	SYMD_FORGET,
	SYMD_INTO,
	SYMD_DEMANGLE,
	SYMD_PLACES,
	SYMD_OBJECTS,
	SYMD_LAYOUT,
	SYMD_SITE,
	SYMD_READ_CODE,
	SYMD_CODE_NAMES,
	SYMD_USDT,
	SYMD_FUNCTION,
	SYMD_OPEN_CODE_MAP,
	SYMD_LISTING,
	SYMD_RETURNS,
	SYMD_CONTEXT,
	SYMD_BRANCHES,
	SYMD_SAME_CODE,
	SYMD_NEAR,
};

enum symd_site_status {
	SYMD_SITE_FOUND,
	SYMD_SITE_NO_FUNCTION,
	SYMD_SITE_SEVERAL,        /* functions of that name */
	SYMD_SITE_NO_INSTRUCTION, /* begins there, as far as can be told */
	SYMD_SITE_OTHER_MACHINE,  /* than this one's, or one of which no code is probed */
	SYMD_SITE_NO_PROBE,       /* of the program's own has that name */
	SYMD_SITE_CHOOSES,        /* by itself it is no function, but names another */
	SYMD_SITE_NOT_READ,       /* all of it, so that places where it is left may be missing */
	SYMD_SITE_NO_RETURN,      /* is in it */
	SYMD_SITE_MANY_EXITS,     /* than SYMD_EXITS_MAX */
	SYMD_SITE_BEGINS_AGAIN,   /* a jump of its own leads to its beginning */
	SYMD_SITE_OF_GO,          /* whose functions change threads */
	SYMD_SITE_ELSEWHERE,      /* the file has no such function, and uses one of another's */
	SYMD_SITE_TOO_MANY,       /* names that it might be, for the time there is */
	SYMD_SITE_UNPROBED,       /* it is left by an instruction that must not be probed */
	SYMD_N_SITE_STATUSES,
};

/* Whether a conditional jump may be probed. */
enum symd_branch_why {
	SYMD_BRANCH_FOUND,
	SYMD_BRANCH_NOT_EMULATED, /* the kernel would single-step it */
	SYMD_BRANCH_NOT_REACHED,  /* by what can be told from the code: it may be data */
	SYMD_N_BRANCH_WHYS,
};

enum symd_context_status {
	SYMD_CONTEXT_NONE, /* the file doesn't say where */
	SYMD_CONTEXT_FOUND,
	SYMD_CONTEXT_NOT_YET, /* the loader has not been there, or there is something else */
	SYMD_CONTEXT_UNKNOWN, /* in a way that is not understood */
	SYMD_N_CONTEXT_STATUSES,
};

enum symd_listing_status {
	SYMD_LISTED,
	SYMD_LISTING_OTHER_MACHINE, /* whose instructions aren't known */
	SYMD_LISTING_NO_FUNCTION,   /* of which the file says where it is */
	SYMD_N_LISTING_STATUSES,
};

enum symd_table_status {
	SYMD_TABLE_BUILT,
	SYMD_TABLE_BAD_FILE,      /* not a readable ELF file with code */
	SYMD_TABLE_OTHER_MACHINE, /* 32-bit, or of an architecture without tables */
	SYMD_TABLE_TOO_LARGE,     /* beyond a limit of symd/cfi.h or symd/cfi_table.h */
	SYMD_TABLE_NO_MEMORY,     /* it could not be written */
	SYMD_TABLE_LARGE,         /* the file has more bytes than were to be taken on */
	SYMD_N_TABLE_STATUSES,
};

enum symd_code_status {
	SYMD_CODE_READ,    /* there is some that wasn't there before */
	SYMD_CODE_SAME,    /* there is none */
	SYMD_CODE_NAMED,   /* there is none, but places have names now */
	SYMD_CODE_NOT_YET, /* there is none at all */
	SYMD_CODE_UNKNOWN, /* this version isn't understood */
	SYMD_CODE_NO_MEMORY,
	SYMD_N_CODE_STATUSES,
};

struct symd_header {
	uint32_t seq;
	uint16_t type;
};

/* Writing one: begin, put…, end (which fills in the size). */
void symd_msg__begin(struct buf *b, uint16_t type, uint32_t seq);
void symd_msg__put_u8(struct buf *b, uint8_t value);
void symd_msg__put_u16(struct buf *b, uint16_t value);
void symd_msg__put_u32(struct buf *b, uint32_t value);
void symd_msg__put_u64(struct buf *b, uint64_t value);
/* u16 len, text: at most `max` bytes of it; none of NULL. */
void symd_msg__put_text(struct buf *b, const char *text, size_t max);
/* In the place of the one that was put when the message was `at` bytes long. */
void symd_msg__set_u32(struct buf *b, size_t at, uint32_t value);
void symd_msg__end(struct buf *b);

/* Reading one: body is over what follows the header. 0 or -EPROTO. */
int symd_msg__parse(const void *data, size_t len, struct symd_header *ret, struct cursor *body);

/* fd -1: none. flags as for sendmsg. 0 or negative errno. */
int symd_msg__send(int sock, const struct buf *b, int fd, int flags);
/* data holds SYMD_MSG_MAX bytes. Returns the length, 0 at the end, or a negative errno (-EMSGSIZE:
 * longer than any message may be). *ret_fd is the descriptor that came with it, or -1; with ret_fd
 * NULL the kernel discards what was sent. */
ssize_t symd_msg__recv(int sock, void *data, int *ret_fd, int flags);

/*
 * A descriptor that whoever passes it on never has: enclosed in a socket, out of which the last one
 * takes it. Closing a file may ask its server, and who only passes it on should not have to wait
 * for that.
 */
/* The socket, the caller's; fd stays the caller's, too. Or a negative errno. */
int symd_fd__enclose(int fd);
/* What is in it, if it is such a socket, which is closed then; else fd as it is. -1: nothing. */
int symd_fd__take_out(int fd);

#endif
