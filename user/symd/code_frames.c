// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is the code after a ret or a jmp: nothing falls into it. A jump that was seen
 * before says what holds there; so code is gone through three times, for jumps upwards. Else it is
 * a function if something calls it, or if it looks like the beginning of one; else it is a part of
 * the function before (a switch jumps there), and what held before that one's epilogue holds again.
 */
#include "symd/code_frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "symd/x86_insn.h"

enum {
	PIECES_MAX = 64,
	LABELS_MAX = 1 << 18,  /* a power of two; jumps to more places aren't followed */
	AT_A_TIME = 64 * 1024, /* bytes that are asked for… */
	LOOKED_AT = 64,        /* …and how many from an instruction on are looked at, at most */
	LOST = INT32_MIN,
	FRAME_MAX = 1 << 24, /* bytes */
	WORD = 8,
	ALIGNMENT = 16, /* of functions */
	TRAPS = 3,      /* one or two may be what a call is followed by that doesn't return */
};

/* What holds before an instruction: distances to the CFA, and of the caller's frame pointer from
 * it. */
struct state {
	int32_t sp, fp; /* LOST: not known */
	int32_t saved;  /* 0: still in the register */
	bool known, end;
	bool guess; /* nothing that is known leads here */
};

struct label {
	uint64_t off; /* in the piece, + 1; 0: none */
	struct state state;
};

struct piece {
	struct cfi_code at;
	const uint8_t *bytes;
	struct paged *paged;
	uint8_t *starts; /* a bit for each byte */
};

struct code_frames {
	struct piece pieces[PIECES_MAX];
	size_t n;
	uint64_t size;
	struct label *labels; /* what jumps say, by a hash of the place */
	size_t n_labels, cap_labels;
};

static const struct state ENTRY = {.sp = WORD, .fp = LOST, .known = true};

struct code_frames *code_frames__new(void)
{
	return xcalloc(1, sizeof(struct code_frames));
}

struct code_frames *code_frames__free(struct code_frames *f)
{
	for (size_t i = 0; f && i < f->n; i++)
		free(f->pieces[i].starts);
	if (f)
		free(f->labels);
	free(f);
	return NULL;
}

void code_frames__add(struct code_frames *f, const uint8_t *bytes, struct paged *paged,
		      const struct cfi_code *where)
{
	if (f->n >= PIECES_MAX || where->size > CODE_FRAMES_MAX - f->size)
		return;
	f->size += where->size;
	f->pieces[f->n++] = (struct piece){
		.at = *where,
		.bytes = bytes,
		.paged = paged,
		.starts = xcalloc(1, where->size / 8 + 1),
	};
}

void code_frames__start(struct code_frames *f, uint64_t vaddr)
{
	for (size_t i = 0; i < f->n; i++) {
		uint64_t off = vaddr - f->pieces[i].at.vaddr;

		if (off < f->pieces[i].at.size)
			f->pieces[i].starts[off / 8] |= (uint8_t)(1 << off % 8);
	}
}

static struct label *find_label(const struct code_frames *f, uint64_t off)
{
	size_t i = (size_t)(off * 0x9e3779b97f4a7c15ULL >> 32) & (f->cap_labels - 1);

	while (f->labels[i].off && f->labels[i].off != off + 1)
		i = (i + 1) & (f->cap_labels - 1);
	return &f->labels[i];
}

/* At most half full: so there is always an end to a search. */
static void grow_labels(struct code_frames *f)
{
	struct label *old = f->labels;
	size_t n = f->cap_labels;

	f->cap_labels = n ? 2 * n : 1024;
	f->labels = xcalloc(f->cap_labels, sizeof(*f->labels));
	for (size_t i = 0; i < n; i++) {
		if (old[i].off)
			*find_label(f, old[i].off - 1) = old[i];
	}
	free(old);
}

static bool is_start(const struct piece *p, uint64_t off)
{
	return p->starts[off / 8] >> off % 8 & 1;
}

/* Asks for the instruction at off; up to *ready all is there. */
static void need(const struct piece *p, uint64_t off, uint64_t *ready)
{
	if (!p->paged || off + LOOKED_AT <= *ready)
		return;
	paged__load(p->paged, off, AT_A_TIME);
	*ready = off + AT_A_TIME;
}

static bool is_padding(const struct x86_insn *insn)
{
	return insn->kind == X86_PADDING || insn->kind == X86_TRAP;
}

size_t code_frames__padding(const uint8_t *bytes, size_t len)
{
	struct x86_insn insn;
	size_t off = 0;

	/* zeros: not every linker knows what code is padded with */
	while (off < len && !bytes[off])
		off++;
	while (off < len && x86_insn__read(bytes + off, len - off, 0, &insn) && is_padding(&insn))
		off += insn.len;
	return off;
}

static bool ends_flow(const struct x86_insn *insn)
{
	return insn->kind == X86_RET || insn->kind == X86_JUMP || insn->kind == X86_TRAP;
}

/* An address a few instructions ahead, which the code then gets to: V8 says so where it is before
 * it calls C. What it can't get to is a function after all. */
struct ahead {
	uint64_t vaddr; /* 0: none */
};

static void ahead__settle(struct ahead *a, struct code_frames *f, bool is_function)
{
	if (a->vaddr && is_function)
		code_frames__start(f, a->vaddr);
	a->vaddr = 0;
}

static void ahead__instruction(struct ahead *a, struct code_frames *f, uint64_t vaddr,
			       const struct x86_insn *insn)
{
	uint64_t next = vaddr + insn->len;

	if (ends_flow(insn))
		ahead__settle(a, f, true);
	else if (insn->kind == X86_CALL)
		code_frames__start(f, insn->target);
	if (insn->kind == X86_ADDRESS) {
		ahead__settle(a, f, true);
		a->vaddr = insn->target;
		if (insn->target - next > LOOKED_AT)
			ahead__settle(a, f, true);
	}
	if (a->vaddr && a->vaddr <= next)
		ahead__settle(a, f, a->vaddr != next);
}

/* The bytes of a piece, for who goes through it once. */
struct window {
	uint8_t bytes[AT_A_TIME];
	uint64_t from, to; /* in the piece */
};

/* From off on; *ret_len: how many of them, LOOKED_AT at least but at the end. NULL: they can't be
 * read. */
static const uint8_t *window__at(struct window *w, const struct piece *p, uint64_t off,
				 size_t *ret_len)
{
	*ret_len = p->at.size - off;
	if (!p->paged)
		return p->bytes + off;
	if (off + LOOKED_AT > w->to && w->to < p->at.size) {
		w->from = off;
		w->to = off + paged__copy(p->paged, off, w->bytes, sizeof(w->bytes));
		if (w->to < p->at.size && w->to < off + LOOKED_AT)
			return NULL;
	}
	*ret_len = w->to - off;
	return w->bytes + (off - w->from);
}

static void sweep_piece(struct code_frames *f, const struct piece *p, struct window *w)
{
	struct ahead ahead = {0};
	struct x86_insn insn;
	const uint8_t *bytes;
	size_t len;

	w->from = w->to = 0;
	for (uint64_t off = 0; off < p->at.size && (bytes = window__at(w, p, off, &len));) {
		if (!x86_insn__read(bytes, len, p->at.vaddr + off, &insn)) {
			ahead__settle(&ahead, f, true);
			off++;
			continue;
		}
		ahead__instruction(&ahead, f, p->at.vaddr + off, &insn);
		off += insn.len;
	}
	ahead__settle(&ahead, f, true);
}

void code_frames__sweep(struct code_frames *f)
{
	_cleanup_free_ struct window *w = xcalloc(1, sizeof(*w));

	for (size_t i = 0; i < f->n; i++)
		sweep_piece(f, &f->pieces[i], w);
}

static int32_t distance(int64_t to)
{
	return to < 0 || to > FRAME_MAX ? LOST : (int32_t)to;
}

static int32_t moved(int32_t from, int64_t by)
{
	return from == LOST ? LOST : distance(from + by);
}

static void pop_fp(struct state *s, int32_t at)
{
	if (s->saved && s->saved == at) {
		s->saved = 0;
		s->fp = LOST;
	}
}

static void push_fp(struct state *s, int64_t at)
{
	if (!s->saved && s->sp != LOST && at < 0 && at >= -FRAME_MAX)
		s->saved = (int32_t)at;
}

static void state__step(struct state *s, const struct x86_insn *insn)
{
	int64_t place = (int64_t)insn->value - s->sp; /* of a word on the stack, from the CFA */

	switch (insn->kind) {
	case X86_PUSH_FP:
		push_fp(s, -(int64_t)s->sp - WORD);
		s->sp = moved(s->sp, WORD);
		break;
	case X86_PUSH:
		s->sp = moved(s->sp, WORD);
		break;
	case X86_POP_FP:
		pop_fp(s, s->sp == LOST ? 0 : -s->sp);
		s->sp = moved(s->sp, -WORD);
		break;
	case X86_POP:
		s->sp = moved(s->sp, -WORD);
		break;
	case X86_SP_ADD:
		s->sp = moved(s->sp, -(int64_t)insn->value);
		break;
	case X86_SP_FP:
		s->sp = moved(s->fp, -(int64_t)insn->value);
		break;
	case X86_SP_LOST:
		s->sp = LOST;
		break;
	case X86_FP_SP:
		s->fp = moved(s->sp, -(int64_t)insn->value);
		break;
	case X86_FP_STORE:
		push_fp(s, place);
		break;
	case X86_FP_LOAD:
		if (s->sp != LOST && place < 0 && place >= -FRAME_MAX)
			pop_fp(s, (int32_t)place);
		break;
	case X86_FP_ZERO: /* the ABI's mark of the outermost frame; others save it before */
		s->end |= !s->saved && s->sp == WORD && !s->guess;
		break;
	case X86_LEAVE:
		s->sp = moved(s->fp, -WORD);
		s->saved = 0;
		s->fp = LOST;
		break;
	default:
		break;
	}
}

static struct pmb_unwind_rule state__rule(const struct state *s, const struct pmb_unwind_rule *gap)
{
	struct pmb_unwind_rule r = {.ra_off = -WORD, .saved = PMB_SAVED_UNKNOWN};
	bool framed;

	if (s->known && s->end)
		return (struct pmb_unwind_rule){.cfa = PMB_CFA_END};
	/* "push %rbp; mov %rsp, %rbp": holds whatever becomes of the stack pointer, V8's loops
	 * push */
	framed = s->known && s->saved == -2 * WORD && s->fp == 2 * WORD;
	if (framed) {
		r.cfa = PMB_CFA_FP;
		r.cfa_off = s->fp;
	} else if (s->known && s->sp != LOST && s->sp >= WORD) {
		r.cfa = PMB_CFA_SP;
		r.cfa_off = s->sp;
	} else if (s->known && s->sp == LOST && s->fp != LOST && s->fp >= 2 * WORD) {
		r.cfa = PMB_CFA_FP;
		r.cfa_off = s->fp;
	} else {
		return *gap;
	}
	if (s->saved) {
		r.fp = PMB_FP_CFA;
		r.fp_off = s->saved;
	}
	return r;
}

struct walk {
	struct code_frames *f;
	const struct piece *p;
	uint64_t from, to, off; /* in the piece */
	struct state now;
	struct state body;      /* before the epilogue that was seen last */
	struct state at_switch; /* at a jump that says not where to */
	bool flows;             /* into this instruction, from the one before */
	bool in_epilogue, padded;
	uint32_t trapped; /* int3 since something flowed */
	const struct pmb_unwind_rule *gap;
	cfi_row_fn row; /* NULL: it only looks around */
	void *ctx;
	struct pmb_unwind_rule said;
	uint64_t said_at;
};

static void walk__say(struct walk *w, uint64_t off, const struct pmb_unwind_rule *rule)
{
	if (!w->row || (off != w->from && memcmp(rule, &w->said, sizeof(*rule)) == 0))
		return;
	w->said = *rule;
	w->said_at = off;
	w->row(w->ctx, w->p->at.file_off + off, rule);
}

static bool looks_like_a_start(const struct walk *w, const struct x86_insn *insn)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	const uint8_t *bytes = w->p->bytes + w->off;

	return insn->kind == X86_PUSH || insn->kind == X86_PUSH_FP ||
	       (insn->kind == X86_SP_ADD && insn->value < 0) ||
	       (w->to - w->off >= sizeof(endbr64) && memcmp(bytes, endbr64, sizeof(endbr64)) == 0);
}

/* Nobody fills up the space inside of a function with traps. */
static bool is_behind_traps(const struct walk *w, const struct x86_insn *insn)
{
	return !w->flows && w->trapped >= TRAPS && w->off % ALIGNMENT == 0 && !is_padding(insn);
}

static struct state walk__guess(const struct walk *w, const struct x86_insn *insn)
{
	struct state s = w->body;

	if (looks_like_a_start(w, insn))
		s = ENTRY;
	else if (w->at_switch.known)
		s = w->at_switch;
	else if (w->padded && w->off % ALIGNMENT == 0)
		s = ENTRY;
	s.guess = true;
	return s;
}

/* What holds at this instruction, if not what the one before made of it. */
static void walk__arrive(struct walk *w, const struct x86_insn *insn)
{
	const struct state *label = &find_label(w->f, w->off)->state;

	if (is_start(w->p, w->off) || is_behind_traps(w, insn)) {
		w->now = w->body = ENTRY;
		w->at_switch.known = false;
	} else if (label->known && (!w->flows || (w->now.guess && !label->guess))) {
		w->now = *label;
	} else if (!w->flows) {
		if (is_padding(insn)) {
			w->padded = true;
			w->trapped += insn->kind == X86_TRAP;
			return;
		}
		w->now = walk__guess(w, insn);
	}
	w->flows = true;
	w->padded = false;
	w->trapped = 0;
}

static bool shrinks(const struct x86_insn *insn)
{
	return insn->kind == X86_POP || insn->kind == X86_POP_FP || insn->kind == X86_LEAVE ||
	       insn->kind == X86_SP_FP || insn->kind == X86_FP_LOAD ||
	       (insn->kind == X86_SP_ADD && insn->value > 0);
}

/* A jump says what holds where it leads to. */
static void walk__label(struct walk *w, uint64_t vaddr)
{
	uint64_t to = vaddr - w->p->at.vaddr;
	struct code_frames *f = w->f;
	struct label *label;

	if (!vaddr || to < w->from || to >= w->to)
		return;
	label = find_label(f, to);
	if (!label->off) {
		if (f->n_labels >= LABELS_MAX)
			return;
		if (++f->n_labels * 2 > f->cap_labels)
			grow_labels(f);
		label = find_label(f, to);
		label->off = to + 1;
	}
	if (!label->state.known || (label->state.guess && !w->now.guess))
		label->state = w->now;
}

static void walk__leave(struct walk *w, const struct x86_insn *insn)
{
	if (shrinks(insn) && !w->in_epilogue) {
		w->body = w->now;
		w->in_epilogue = true;
	} else if (insn->kind == X86_CALL || insn->kind == X86_BRANCH) {
		w->in_epilogue = false;
	}
	state__step(&w->now, insn);
	if (insn->kind == X86_BRANCH || insn->kind == X86_JUMP)
		walk__label(w, insn->target);
	if (ends_flow(insn)) {
		if (!w->in_epilogue)
			w->body = w->now;
		if (insn->kind == X86_JUMP && !insn->target && w->now.sp != WORD && !w->now.guess)
			w->at_switch = w->now;
		w->flows = w->in_epilogue = false;
	}
}

/* mov $15, %eax; syscall: a signal frame; the handler returns to the mov, so the byte before
 * counts. */
static bool walk__sigreturn(struct walk *w, const struct x86_insn *insn)
{
	static const struct pmb_unwind_rule signal = {.cfa = PMB_CFA_SIGNAL};
	static const uint8_t syscall[] = {0x0f, 0x05};
	uint64_t next = w->off + insn->len;

	if (insn->kind != X86_SIGRETURN || w->to - next < sizeof(syscall) ||
	    memcmp(w->p->bytes + next, syscall, sizeof(syscall)) != 0)
		return false;
	walk__say(w, w->off > w->said_at + 1 ? w->off - 1 : w->off, &signal);
	w->off = next + sizeof(syscall);
	w->flows = false;
	w->body = ENTRY;
	return true;
}

/* Bytes up to the next instruction: less than it has if a function begins inside of it. */
static uint64_t until_start(const struct walk *w, uint64_t len)
{
	for (uint64_t n = 1; n < len; n++) {
		if (is_start(w->p, w->off + n))
			return n;
	}
	return len;
}

static void walk__pass(struct walk *w, cfi_row_fn row)
{
	struct x86_insn insn;
	uint64_t ready = 0;

	w->row = row;
	w->off = w->from;
	w->now = w->body = ENTRY;
	w->at_switch.known = false;
	w->flows = w->in_epilogue = w->padded = false;
	w->trapped = 0;
	w->said_at = w->from;
	while (w->off < w->to) {
		struct pmb_unwind_rule rule;
		uint64_t len;
		bool good;

		need(w->p, w->off, &ready);
		good = x86_insn__read(w->p->bytes + w->off, w->to - w->off, w->p->at.vaddr + w->off,
				      &insn);
		if (!good)
			insn = (struct x86_insn){.len = 1};
		walk__arrive(w, &insn);
		if (good && walk__sigreturn(w, &insn))
			continue;
		w->now.known &= good;
		rule = state__rule(&w->now, w->gap);
		if (w->flows || w->off == w->from)
			walk__say(w, w->off, &rule);
		len = until_start(w, insn.len);
		if (w->flows)
			walk__leave(w, &insn);
		w->off += len;
	}
}

static void emit_in(struct code_frames *f, const struct piece *p, uint64_t from, uint64_t to,
		    const struct pmb_unwind_rule *gap, cfi_row_fn row, void *ctx)
{
	struct walk w = {.f = f, .p = p, .from = from, .to = to, .gap = gap, .ctx = ctx};

	if (f->cap_labels)
		memset(f->labels, 0, f->cap_labels * sizeof(*f->labels));
	else
		grow_labels(f);
	f->n_labels = 0;
	walk__pass(&w, NULL);
	walk__pass(&w, NULL);
	walk__pass(&w, row);
}

void code_frames__emit(struct code_frames *f, uint64_t file_off, uint64_t end,
		       const struct pmb_unwind_rule *gap, cfi_row_fn row, void *ctx)
{
	for (size_t i = 0; i < f->n && file_off < end; i++) {
		const struct cfi_code *at = &f->pieces[i].at;
		uint64_t from, to;

		if (at->file_off + at->size <= file_off || at->file_off >= end)
			continue;
		if (at->file_off > file_off) {
			row(ctx, file_off, gap);
			file_off = at->file_off;
		}
		from = file_off - at->file_off;
		to = end - at->file_off < at->size ? end - at->file_off : at->size;
		emit_in(f, &f->pieces[i], from, to, gap, row, ctx);
		file_off = at->file_off + to;
	}
	if (file_off < end)
		row(ctx, file_off, gap);
}
