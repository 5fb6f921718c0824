/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The terminal of standard input and output as a screen: lines are put, keys are read. One at a
 * time. However the program ends, by exit or by a signal of its own fault, the terminal is what it
 * was before; a SIGKILL alone leaves it.
 */
#ifndef PMUBPF_SCREEN_TERMINAL_H
#define PMUBPF_SCREEN_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* What isn't a character. */
enum terminal_key {
	TERMINAL_NONE = 0,
	TERMINAL_ENTER = '\n',
	TERMINAL_ESCAPE = 27,
	TERMINAL_BACKSPACE = 127,
	TERMINAL_UP = 256,
	TERMINAL_DOWN,
	TERMINAL_LEFT,
	TERMINAL_RIGHT,
	TERMINAL_PAGE_UP,
	TERMINAL_PAGE_DOWN,
	TERMINAL_HOME,
	TERMINAL_END,
	TERMINAL_RESIZED, /* all has to be put again */
	TERMINAL_OTHER,
	TERMINAL_GONE, /* there will be no more keys */
};

enum terminal_style { TERMINAL_PLAIN, TERMINAL_BOLD, TERMINAL_REVERSE };

/* Whether there is ncurses. */
bool terminal_available(void);
/* -ENOTSUP if there is no such terminal, or no ncurses: whoever calls can do without. */
int terminal_open(struct err *err);
void terminal_close(void);
/* Readable when there is a key, or the size has changed. */
int terminal_fd(void);
/* The next of those that are there; TERMINAL_NONE: there is none now. */
int terminal_key(void);
void terminal_size(unsigned *ret_rows, unsigned *ret_columns);
/* Puts a line of text, that has no control characters, as far as it fits; what was there goes. */
void terminal_line(unsigned row, const char *text, enum terminal_style style);
/* Puts nothing from that row on, and shows all that was put. */
void terminal_show(unsigned from_row);

#endif
