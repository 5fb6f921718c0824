/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files of the client of the symbol helper share, and nobody else sees. */
#ifndef PMUBPF_SYM_SYM_INTERNAL_H
#define PMUBPF_SYM_SYM_INTERNAL_H

#include "sym/helper.h"
#include "sym/reply.h"
#include "sym/silent.h"
#include "sym/sym.h"
#include "sym/texts.h"

struct sym {
	struct helper helper;
	uint64_t timeout_ns;
	uint64_t file_deadline_ns;
	uint64_t patience_ns, patient_until_ns; /* 0: without end */
	uint64_t until_ns;                      /* for all files */
	bool stopped, put_off;
	struct silent silent;
	unsigned failures;
	uint32_t wanted; /* SYMD_WANT_… */
	struct texts *texts, *own_texts;
	struct sym_work work;
	struct reply_identity identity; /* of the last file */
	uint64_t name_bytes;            /* that answers had, for the last file */
	char *trouble; /* what the helper came to over the last file; NULL: nothing */
};

/* What was known of the file that was asked about last. */
void sym__forget_last(struct sym *sym);

/* ---- sym_ask.c */

/* The helper has failed with err, which is returned, and is gone. */
int sym__fail(struct sym *sym, int err);
/* Until when an answer may take. */
uint64_t sym__deadline(const struct sym *sym);
/* Sends the request that was begun. On failure the helper is gone. */
int sym__ask(struct sym *sym, int fd, struct cursor *body);
/* The same, without a file to send, where names of all answers have a bound together. */
int sym__ask_names(struct sym *sym, struct cursor *body);
/* Opens fd in the helper. The reply's first byte is SYM_NAMED or the one other reason allowed. */
int sym__open(struct sym *sym, uint16_t type, int fd, enum sym_reason refusal, struct cursor *body,
	      enum sym_reason *ret);
/* An ELF file, and its debug file where it lacks symbols or DWARF that are wanted. 0 and SYM_NAMED;
 * negative: the reason is what its places have. */
int sym__open_elf(struct sym *sym, const struct sym_file *file, bool symbols, bool dwarf,
		  enum sym_reason *ret);
/* If its server keeps it open, that is the doing of this file, not of the next one. */
void sym__close(struct sym *sym, const struct sym_file *file);
/* Nothing is asked about what lies where others have kept helpers waiting. */
bool sym__is_silent(struct sym *sym, const struct sym_file *file);
/* Has this one done so? */
bool sym__is_stuck_at(struct sym *sym, const struct sym_file *file);

#endif
