/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files of assemble/ share, and nobody else sees. */
#ifndef PMUBPF_ASSEMBLE_INTERNAL_H
#define PMUBPF_ASSEMBLE_INTERNAL_H

#include "assemble/assembly.h"

/* What a weight is charged to, and how its stacks ended. */
struct account {
	struct profile_key key; /* its event is the profile's number, its labels are to come */
	struct profile_labels labels; /* without the status */
	uint32_t python; /* the interpreter's own frames, which are yet to join the user stack */
	uint8_t user_end, kernel_end;
	uint8_t context; /* enum pmb_context_state */
	bool has_data;
	uint32_t latency; /* of the access, in cycles; 0: not known */
	uint32_t cpu;
	uint32_t event;
	uint64_t weight;
	uint64_t cgroup;
	uint64_t time;
	uint32_t tgid; /* of samples with data */
	uint32_t site; /* of the block that the sample is about; SITE_UNKNOWN: of none */
	uint64_t block, block_size; /* this is no sample: who allocated them; size 0: it is one */
	bool maps;                  /* who called the kernel for them */
	uint64_t touched; /* by a page fault: the address; 0: it isn't one, or not of a program */
	bool in_window;   /* windows are wanted */
	struct sampled_window *window; /* NULL: there was no room to know it */
	size_t n_reads;
	struct pmb_reading reads[PMB_MAX_READS]; /* of other events, taken with it */
};

/* A process that /proc knows: neither the idle task nor of another pid namespace. perf calls those
 * 0, or -1 when they have gone. */
static inline bool is_ours(uint32_t tgid)
{
	return tgid && tgid != PMB_OUTSIDE;
}

/* account.c: one sample, in the order of time; what a sample is charged to, with what was read at
 * it. Numbers that were taken from the profile before may be void after the first. */
void assembly__sample(struct assembly *a, const struct decoded *rec);
void assembly__account(struct assembly *a, struct account *to);

/* python.c: the interpreter's frames at a sample; they take the places of native ones in its user
 * stack. */
uint32_t assembly__python(struct assembly *a, const struct pmb_sample *sample);
void assembly__join(struct assembly *a, struct account *to);

/* in_stack.c: are they of native frames, whose places they take? */
bool assembly__is_in_stack(const struct assembly *a, const struct account *to);
void assembly__put_in_stack(struct assembly *a, struct account *to);

/* touched.c: who touched the page first that the sample is about, or that it does so itself: with
 * its stack, once that is known. */
void assembly__look_up_site(struct assembly *a, const struct decoded *rec, struct account *to);
void assembly__touched_later(struct assembly *a, struct account *to);
void assembly__touched(struct assembly *a, struct account *to);
/* What a process had has gone, or is its child's, too. */
void assembly__forget_pages(struct assembly *a, const struct life *life);

/* blocks.c: memory that allocators gave out, and to whom: known, or to be known once its stack
 * is. */
void assembly__block(struct assembly *a, const struct pmb_block *block);
void assembly__freed(struct assembly *a, const struct pmb_freed *freed);
void assembly__block_later(struct assembly *a, struct account *to);
void assembly__block_known(struct assembly *a, struct account *to);
/* The site of the block that the sample is about. */
void assembly__look_up_block(struct assembly *a, const struct decoded *rec, struct account *to);
/* Who called the kernel for the memory. */
void assembly__look_up_mapped(struct assembly *a, const struct decoded *rec, struct account *to);

/* branch_records.c: those of a sample; the files of the ones that are stored. */
void assembly__branches(struct assembly *a, const struct decoded *rec, struct process *process);
void assembly__leave_branches_out(struct assembly *a, const struct decoded *rec);
void assembly__keep_branch_files(const struct assembly *a);

/* contexts.c: what a thread said it works on; and which of these a sample has. */
void assembly__context(struct assembly *a, const struct pmb_context *rec);
void assembly__label_context(const struct assembly *a, uint64_t context, struct account *to);

/* account.c: the user stack, if it was walked to its end. False: what it is for has to wait. more:
 * another sample with the same one is to come. */
bool assembly__user_stack(struct assembly *a, const struct pmb_sample *sample, bool more,
			  struct process *process, struct account *to);
/* Makes room, if that is short: numbers that were taken from the profile before may be void. */
void assembly__bound_profile(struct assembly *a);
/* touched.c: its stack is known, and with it what the number of its site means. True: it has just
 * got one, which nobody refers to yet. */
bool assembly__site_known(struct assembly *a, struct account *to);

/* The same, whatever its window. */
void assembly__account_now(struct assembly *a, struct account *to);

/* windows.c: the window of a sample that will be accounted, or wait. NULL: there is no room. */
struct sampled_window *assembly__window(struct assembly *a, const struct decoded *rec);
void assembly__window_end(struct assembly *a, const struct pmb_window_end *end);
/* True: it waits for the end of its window, or was left out. False: it is to be accounted now, with
 * the window's labels. */
bool assembly__waits(struct assembly *a, struct account *to);
/* No end will come any more. */
void assembly__windows_end(struct assembly *a);
void assembly__each_held(const struct assembly *a, void (*fn)(void *ctx, struct account *to),
			 void *ctx);
/* What those that wait have of one profile they get in another. */
void assembly__move_held(struct assembly *a, struct profile *to, const struct profile *from);
void assembly__windows_done(struct assembly *a);

/* late.c: a sample whose stack has to be walked here. Takes the dump over. */
void assembly__late(struct assembly *a, const struct account *to, struct process *process,
		    struct dump *dump);
void assembly__each_late(const struct assembly *a, void (*fn)(void *ctx, struct account *to),
			 void *ctx);
/* What those that wait have of the profile that was cut off they get in the present one. */
void assembly__carry_late(struct assembly *a, const struct profile *from);
void assembly__late_done(struct assembly *a);

/* assembly.c: an empty profile, and books without an entry */
void assembly__begin(struct assembly *a);

#endif
