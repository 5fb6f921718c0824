/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a server's answer means for who has asked. Pure. */
#ifndef PMUBPF_SHIP_ANSWER_H
#define PMUBPF_SHIP_ANSWER_H

#include <stdbool.h>

#include "base/err.h"
#include "ship/http_client.h"

enum answer {
	ANSWER_DONE,
	ANSWER_LATER,   /* nothing has come of it: again, after a while */
	ANSWER_DOUBT,   /* something may have come of it: ask, before it is sent again */
	ANSWER_SPLIT,   /* it is too much at once */
	ANSWER_REFUSED, /* these rows will never be taken */
};

/* To an insert. */
enum answer answer__of(const struct http_reply *reply);
/* Of an outcome that isn't an answer; the sentence is made. */
enum answer answer__of_none(const struct http_reply *reply, char why[static HTTP_TEXT_MAX]);
/* 0, or what the server has said, in a sentence. */
int answer__check(const struct http_reply *reply, struct err *err);
/* It has said that there is no such table. */
bool answer__no_table(const struct http_reply *reply);

#endif
