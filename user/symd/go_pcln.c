// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Values by pc are pairs of varints: by how much the value changes, and for how many bytes it
 * holds.
 *
 * The hard thing is the frame pointer. The linker's prologue saves it right below the return
 * address, in compiled code and in assembly with a frame; but assembly may do without that
 * prologue, so it is looked for in the instructions.
 */
#include "symd/go_pcln.h"

#include <string.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/mem.h"

enum {
	FUNC_VALUES_AT = 16, /* offset of the stack pointer's values */
	FUNC_BYTES = 44,
	VALUES_BYTES = 20, /* two varints at most */
	FRAME_MAX = 1 << 24,
	WORD = 8,
	LARGE_FRAME = 128,
	PROLOGUE_BYTES = 16, /* that are looked at, before and behind a place */
	TRIALS =
		/* functions with a frame that are held against their code, of the first so many */
	64,
	TRIED_MAX = 4096,
};

enum func_flags {
	FUNC_TOP = 1,      /* nothing calls it */
	FUNC_OTHER_SP = 2, /* sets the stack pointer to something else */
	FUNC_ASSEMBLY = 4,
};

/* A function, and where its values are read. */
struct func {
	uint64_t start, end; /* vaddr */
	uint8_t flags;
	/* The run at hand: this holds from `from` on, up to `to`. */
	uint64_t from, to;
	int64_t value;
	uint64_t at; /* of the next run, among the values */
};

static bool read_func(struct go_table *t, uint32_t i, struct func *ret)
{
	const uint8_t *bytes;
	uint32_t more, none;

	*ret = (struct func){.value = -1};
	if (!go_table__place(t, i, &ret->start, &more) ||
	    !go_table__place(t, i + 1, &ret->end, &none) || ret->end <= ret->start)
		return false;
	bytes = go_table__bytes(t, &t->func, t->funcs + more, FUNC_BYTES);
	if (!bytes)
		return false;
	ret->at = go_table_u32(bytes + FUNC_VALUES_AT);
	ret->flags = bytes[t->flags_at];
	ret->from = ret->to = ret->start;
	return ret->at != 0;
}

/* False: there is no more, or it is no distance of a stack pointer. */
static bool next_run(struct go_table *t, struct func *f)
{
	bool first = f->to == f->start;
	uint64_t off = t->values + f->at, change, len;
	const uint8_t *bytes;
	struct cursor c;
	size_t left;

	if (f->to >= f->end || off >= t->size)
		return false;
	left = t->size - off < VALUES_BYTES ? (size_t)(t->size - off) : VALUES_BYTES;
	bytes = go_table__bytes(t, &t->value, off, left);
	c = cursor__over(bytes, bytes ? left : 0);
	change = cursor__uleb(&c);
	len = cursor__uleb(&c);
	if (!cursor__ok(&c) || (!change && !first) || !len || len > f->end - f->to ||
	    change > FRAME_MAX)
		return false;
	f->value += (int64_t)(change >> 1) ^ -(int64_t)(change & 1);
	f->from = f->to;
	f->to += len;
	f->at += left - cursor__left(&c);
	return f->value >= 0 && f->value <= FRAME_MAX && f->value % WORD == 0;
}

/* The instructions around vaddr; false: they aren't all in the file. */
static bool read_code(const struct go_pcln *g, uint64_t vaddr, uint8_t ret[2 * PROLOGUE_BYTES])
{
	uint64_t from = vaddr - PROLOGUE_BYTES;

	for (size_t i = 0; i < g->n_code; i++) {
		const struct cfi_code *code = &g->code[i];
		uint64_t skew = from - code->vaddr;

		if (from >= code->vaddr && skew < code->size &&
		    code->size - skew >= 2 * PROLOGUE_BYTES)
			return pread(g->table.fd, ret, 2 * PROLOGUE_BYTES,
				     (off_t)(code->file_off + skew)) == 2 * PROLOGUE_BYTES;
	}
	return false;
}

/* "mov %rbp, by(%rsp)": how long it is; 0: it is something else. */
static size_t saves_fp(const uint8_t *code, int64_t by)
{
	static const uint8_t none[] = {0x48, 0x89, 0x2c, 0x24}, near[] = {0x48, 0x89, 0x6c, 0x24},
			     far[] = {0x48, 0x89, 0xac, 0x24};

	if (by == 0 && memcmp(code, none, sizeof(none)) == 0)
		return sizeof(none);
	if (by < 0x80 && memcmp(code, near, sizeof(near)) == 0 && code[sizeof(near)] == by)
		return sizeof(near) + 1;
	if (memcmp(code, far, sizeof(far)) == 0 && go_table_u32(code + sizeof(far)) == by)
		return sizeof(far) + 4;
	return 0;
}

/*
 * Whether the run at hand begins with the linker's prologue; *ret_len: for so many bytes the frame
 * pointer isn't saved yet. Until Go 1.20 it was "sub; mov %rbp, …(%rsp)", since then "push %rbp;
 * mov %rsp, %rbp; sub".
 */
static bool is_prologue(const struct go_pcln *g, const struct func *f, size_t *ret_len)
{
	enum { PUSH_FP = 0x55 };
	uint8_t code[2 * PROLOGUE_BYTES];

	*ret_len = 0;
	if (f->from == f->start || !read_code(g, f->from, code))
		return false;
	if (f->value == WORD && code[PROLOGUE_BYTES - 1] == PUSH_FP)
		return true;
	*ret_len = saves_fp(code + PROLOGUE_BYTES, f->value - WORD);
	return *ret_len != 0;
}

/* arm64: a function begins with the stack's limit, "ldr x16, [x28, #16]", if its frame is not
 * small. */
static bool checks_stack(const struct go_pcln *g, const struct func *f)
{
	static const uint8_t load[] = {0x90, 0x0b, 0x40, 0xf9};
	uint8_t code[2 * PROLOGUE_BYTES];

	return read_code(g, f->start, code) &&
	       memcmp(code + PROLOGUE_BYTES, load, sizeof(load)) == 0;
}

/* 1: where its frame begins is the linker's prologue, 0: it isn't, -1: it has no frame. */
static int check_func(struct go_pcln *g, uint32_t i)
{
	struct func f;
	size_t len;

	if (!read_func(&g->table, i, &f) || f.flags & FUNC_ASSEMBLY)
		return -1;
	while (next_run(&g->table, &f)) {
		if (g->table.is_arm64 && f.value >= LARGE_FRAME)
			return checks_stack(g, &f);
		if (f.value && !g->table.is_arm64)
			return is_prologue(g, &f, &len);
	}
	return -1;
}

/* Position-independent programs don't always say where the functions begin; so it is tried. */
static bool fits_code(struct go_pcln *g)
{
	unsigned good = 0, bad = 0;

	for (uint32_t i = 0; i < g->table.n_funcs && i < TRIED_MAX && good + bad < TRIALS; i++) {
		int r = check_func(g, i);

		good += r == 1;
		bad += r == 0;
	}
	return good > 3 * bad;
}

bool go_pcln__open(struct go_pcln *g)
{
	if (!go_table__open(&g->table))
		return false;
	if (g->table.base && fits_code(g))
		return true;
	g->table.base = g->text;
	return fits_code(g);
}

static struct pmb_unwind_rule rule_of(int64_t value, bool fp_saved)
{
	return (struct pmb_unwind_rule){
		.cfa = PMB_CFA_SP,
		.cfa_off = (int32_t)value + WORD,
		.ra_off = -WORD,
		.fp = fp_saved ? PMB_FP_CFA : PMB_FP_SAME,
		.fp_off = fp_saved ? -2 * WORD : 0,
		.saved = PMB_SAVED_UNKNOWN,
	};
}

/* Where rows go: a part of one segment. */
struct sink {
	uint64_t from, to; /* vaddr */
	uint64_t skew;     /* from vaddr to the offset in the file */
	cfi_row_fn row;
	void *ctx;
};

/* From vaddr to end, which may begin before the part. */
static void put(const struct sink *s, uint64_t vaddr, uint64_t end,
		const struct pmb_unwind_rule *rule)
{
	if (vaddr < s->from)
		vaddr = s->from;
	if (vaddr < end && vaddr < s->to)
		s->row(s->ctx, vaddr - s->skew, rule);
}

/* "mov $15, %eax; syscall", where signal handlers return to: what lies above it is no return
 * address. */
static bool returns_from_signals(const struct go_pcln *g, const struct func *f)
{
	static const uint8_t call[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
	uint8_t code[2 * PROLOGUE_BYTES];

	return read_code(g, f->start, code) &&
	       memcmp(code + PROLOGUE_BYTES, call, sizeof(call)) == 0;
}

/* How far the frame of an assembly function is set up. */
enum frame { FRAME_NONE, FRAME_SAVED, FRAME_UNKNOWN };

static void put_run(const struct go_pcln *g, const struct sink *s, const struct func *f,
		    enum frame *frame, const struct pmb_unwind_rule *gap)
{
	struct pmb_unwind_rule rule = rule_of(f->value, false);
	uint64_t from = f->from;
	size_t len;

	if (f->value && f->flags & FUNC_ASSEMBLY && *frame == FRAME_NONE) {
		*frame = is_prologue(g, f, &len) ? FRAME_SAVED : FRAME_UNKNOWN;
		if (*frame == FRAME_SAVED && len)
			put(s, from, f->to, &rule);
		from += *frame == FRAME_SAVED ? len : 0;
	}
	if (f->value && *frame == FRAME_SAVED) {
		rule = rule_of(f->value, true);
		put(s, from, f->to, &rule);
	} else {
		/* with a frame the frame pointer is right */
		put(s, from, f->to, f->value ? gap : &rule);
	}
}

static void put_func(struct go_pcln *g, const struct sink *s, struct func *f,
		     const struct pmb_unwind_rule *gap)
{
	enum frame frame = FRAME_NONE;
	uint64_t done = f->start;

	if (!(f->flags & (FUNC_TOP | FUNC_OTHER_SP)) &&
	    !(f->flags & FUNC_ASSEMBLY && returns_from_signals(g, f))) {
		for (; next_run(&g->table, f); done = f->to)
			put_run(g, s, f, &frame, gap);
	}
	put(s, done, UINT64_MAX, gap);
}

/* Of functions that don't ascend the first has the code. */
static void fill_part(struct go_pcln *g, const struct sink *s, const struct pmb_unwind_rule *gap)
{
	uint64_t done = 0;
	struct func f;

	s->row(s->ctx, s->from - s->skew, gap);
	for (uint32_t i = go_table__find(&g->table, s->from); i < g->table.n_funcs; i++) {
		uint64_t start;
		uint32_t more;

		if (!go_table__place(&g->table, i, &start, &more) || start >= s->to || start < done)
			return;
		if (!read_func(&g->table, i, &f))
			continue;
		put_func(g, s, &f, gap);
		done = f.end;
	}
}

void go_pcln__fill(void *go_pcln, uint64_t file_off, uint64_t end,
		   const struct pmb_unwind_rule *gap, cfi_row_fn row, void *ctx)
{
	struct go_pcln *g = go_pcln;

	for (size_t i = 0; i < g->n_code && file_off < end; i++) {
		const struct cfi_code *code = &g->code[i];
		uint64_t code_end = code->file_off + code->size;
		uint64_t to = end < code_end ? end : code_end;
		struct sink s = {.skew = code->vaddr - code->file_off, .row = row, .ctx = ctx};

		if (code_end <= file_off || code->file_off >= end)
			continue;
		if (code->file_off > file_off) {
			row(ctx, file_off, gap);
			file_off = code->file_off;
		}
		s.from = file_off + s.skew;
		s.to = to + s.skew;
		fill_part(g, &s, gap);
		file_off = to;
	}
	if (file_off < end)
		row(ctx, file_off, gap);
}
