/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the helper answers (symd/protocol.h), checked in full: bytes in, what they say out, or
 * -EPROTO. Pure. The cursor stands behind the header.
 */
#ifndef PMUBPF_SYM_REPLY_H
#define PMUBPF_SYM_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cursor.h"
#include "pmubpf/operand.h"
#include "sym/reason.h"
#include "sym/sym.h"
#include "symd/protocol.h"

/* What the helper found out about a file. A copy: the next request reuses the reply's memory. */
struct reply_identity {
	bool has_symtab, has_debug_info;
	uint8_t build_id[SYMD_BUILD_ID_MAX];
	size_t build_id_len;
	char link[SYMD_LINK_MAX + 1];
};

/* SYM_NAMED, or the one other reason that is allowed there. More may follow. */
int reply__reason(struct cursor *c, enum sym_reason refusal, enum sym_reason *ret);
int reply__identity(struct cursor *c, struct reply_identity *ret);
/* 0 or 1. */
int reply__flag(struct cursor *c);
/* Of LOOKUP: how many of the n there are, at least one; ret has these, to be freed by
 * sym_name__done(). What there is no room for in texts has no name (SYM_ROOM). */
ssize_t reply__answers(struct cursor *c, size_t n, struct texts *texts, struct sym_name *ret);
/* Of DEMANGLE, likewise; NULL for what is none. */
ssize_t reply__names(struct cursor *c, size_t n, struct texts *texts, const char **ret);
/* Of PLACES, likewise. */
ssize_t reply__places(struct cursor *c, size_t n, struct pmb_place *ret);
/* Of LAYOUT: 0; *ret is NULL where nobody knows, or where there is no room for it. */
int reply__layout(struct cursor *c, struct texts *texts, const char **ret);

#endif
