// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as what a server replies: u16 lengths of windows, comments, samples, then the rest is
 * stacks. What is accepted becomes rows again, and those a profile whose sums are the same.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/cursor.h"
#include "base/mem.h"
#include "fuzz.h"
#include "ship/answer.h"
#include "ship/fill.h"
#include "ship/name_rows.h"
#include "ship/otlp.h"
#include "ship/rows.h"
#include "ship/state.h"

enum { MAX_BYTES = 1 << 20 };

static const uint8_t *take(struct cursor *c, size_t *len)
{
	if (*len > cursor__left(c))
		*len = cursor__left(c);
	return cursor__bytes(c, *len);
}

static struct prof *fill(const uint8_t *data, size_t size)
{
	struct cursor c = cursor__over(data, size);
	size_t windows = cursor__u16(&c), comments = cursor__u16(&c), samples = cursor__u16(&c);
	struct fill *f = fill__new(MAX_BYTES);
	struct prof *p = NULL;
	struct err err = {0};
	const uint8_t *part;
	int r = cursor__ok(&c) ? 0 : -1;

	if (r == 0) {
		part = take(&c, &windows);
		r = fill__windows(f, part, windows, &err);
	}
	if (r == 0) {
		part = take(&c, &comments);
		r = fill__comments(f, part, comments, &err);
	}
	if (r == 0) {
		part = take(&c, &samples);
		r = fill__samples(f, part, samples, &err);
	}
	if (r == 0)
		r = fill__stacks(f, c.pos, cursor__left(&c), &err);
	if (r == 0)
		r = fill__end(f, &p, &err);
	if ((r == 0) != (p != NULL) || (r < 0 && cursor__ok(&c) && !*err.text))
		abort();
	fill__free(f);
	return p;
}

static void check(const struct prof *p)
{
	const struct rows_window window = {"h", "b", 1};
	const struct rows_opts opts = {.all_labels = true, .max_stacks = 2};
	_cleanup_(buf__done) struct buf out = {0};
	struct rows *r = rows__new(p, &window, &opts);

	rows__put_samples(r, 0, rows__samples(r), 1, &out);
	for (size_t i = 0; i < rows__stacks(r); i++)
		rows__put_stack(r, i, &out);
	rows__put_window(r, &out);
	if (rows__stacks(r) > 2)
		abort();
	rows__free(r);
}

/* u16 length of frames whose names are wanted, and the rest is names. */
static void read_names(const uint8_t *data, size_t size)
{
	struct cursor c = cursor__over(data, size);
	size_t frames = cursor__u16(&c), n;
	_cleanup_(buf__done) struct buf out = {0};
	struct name_book *b = name_book__new();
	const uint8_t *part = take(&c, &frames);
	struct err err = {0};
	struct name_place place;

	if (cursor__ok(&c) && name_rows__want(b, part, frames, &n, &err) == 0)
		name_rows__take(b, c.pos, cursor__left(&c), &err);
	for (size_t i = 0; i < name_book__n(b); i++) {
		name_book__get(b, i, &place);
		if (name_book__prof(b)->locations[place.location].n_lines)
			name_rows__put(b, i, 1, &out);
	}
	name_book__free(b);
}

static void other_readers(const uint8_t *data, size_t size)
{
	static const unsigned statuses[] = {200, 400, 500};
	struct http_reply reply = {.status = 500, .data = (const char *)data, .len = size};
	char why[HTTP_TEXT_MAX] = "";
	_cleanup_free_ char *text = xstrndup((const char *)data, size);
	struct ship_state *state = xcalloc(1, sizeof(*state));

	answer__of(&reply);
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		reply.status = statuses[i];
		if (otlp_answer(&reply, why) != ANSWER_DONE && !*why)
			abort();
	}
	if (ship_state__parse(state, text, "x") && state->n_boots > STATE_BOOTS)
		abort();
	free(state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct prof *p = fill(data, size);

	if (p)
		check(p);
	prof__free(p);
	read_names(data, size);
	other_readers(data, size);
	return 0;
}
