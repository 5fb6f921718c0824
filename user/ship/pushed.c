// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ship/pushed.h"

bool ship_kind__is_pushed(enum ship_kind kind)
{
	return kind == SHIP_PYROSCOPE || kind == SHIP_OTLP;
}

void pushed__make(struct pushed *p, enum ship_kind kind, const struct prof *prof,
		  const struct rows_window *window, size_t max_stacks)
{
	*p = (struct pushed){.kind = kind};
	if (kind == SHIP_OTLP)
		otlp__make(&p->otlp, prof, window);
	else
		pyroscope__make(&p->pyroscope, prof, window->host, max_stacks);
}

void pushed__done(struct pushed *p)
{
	pyroscope__done(&p->pyroscope);
	otlp__done(&p->otlp);
}

enum answer pushed__send(struct pushed *p, struct http_client *http, const struct push_how *how,
			 uint64_t *bytes, uint32_t *ret_wait_s, char why[static HTTP_TEXT_MAX])
{
	if (p->kind == SHIP_OTLP)
		return otlp__send(&p->otlp, http, how, bytes, ret_wait_s, why);
	return pyroscope__send(&p->pyroscope, http, how, bytes, ret_wait_s, why);
}
