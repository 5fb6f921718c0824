/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A window on its way to one of the servers that can't be asked for it. */
#ifndef PMUBPF_SHIP_PUSHED_H
#define PMUBPF_SHIP_PUSHED_H

#include <stdbool.h>
#include <stdint.h>

#include "prof/prof.h"
#include "ship/answer.h"
#include "ship/otlp.h"
#include "ship/push.h"
#include "ship/pyroscope.h"
#include "ship/rows.h"
#include "ship/url.h"

struct pushed {
	enum ship_kind kind;
	struct pyroscope pyroscope;
	struct otlp otlp;
};

bool ship_kind__is_pushed(enum ship_kind kind);

/* prof and window are borrowed. max_stacks: of Pyroscope. */
void pushed__make(struct pushed *ret, enum ship_kind kind, const struct prof *prof,
		  const struct rows_window *window, size_t max_stacks);
void pushed__done(struct pushed *p);
/* As push__send(). */
enum answer pushed__send(struct pushed *p, struct http_client *http, const struct push_how *how,
			 uint64_t *bytes, uint32_t *ret_wait_s, char why[static HTTP_TEXT_MAX]);

#endif
