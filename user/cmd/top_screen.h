/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is on the screen of `pmubpf top': a part, where one has got to in it, and what is asked or
 * said in the last line.
 */
#ifndef PMUBPF_CMD_TOP_SCREEN_H
#define PMUBPF_CMD_TOP_SCREEN_H

#include "base/buf.h"
#include "cmd/top_levels.h"
#include "cmd/live.h"

enum { TOP_INPUT_MAX = 256, TOP_SORT_MAX = 1024 };

enum question { ASK_NOTHING, ASK_FILTER, ASK_BY, ASK_FILE };

struct top_screen {
	char *const *words;
	struct levels levels;
	struct part part; /* that is shown; number 0: none yet */
	struct top_rows rows;
	struct buf text;         /* the table */
	size_t n_rows;           /* that can be gone to */
	size_t order;            /* which of the events' selves and totals it is sorted by */
	char sort[TOP_SORT_MAX]; /* the same as a word, once it was changed */
	bool frozen, ended, quit, help;
	enum question question;
	char input[TOP_INPUT_MAX];
	struct buf message; /* until the next key */
};

void top_screen__init(struct top_screen *screen, const struct top_view *view);
void top_screen__done(struct top_screen *screen);
/* Anew of the part, as the view has changed, or the part, or the size of the terminal. */
void top_screen__make_rows(struct top_screen *screen);
/* Takes the part, in the place of the one that was shown. */
void top_screen__take_part(struct top_screen *screen, struct part *part);
void top_screen__draw(struct top_screen *screen);
/* How many rows are in sight. */
unsigned top_screen_room(void);
/* In the last line, until the next key. */
void top_screen__say(struct top_screen *screen, const char *text);
void top_screen__say_error(struct top_screen *screen, const struct err *err);

#endif
