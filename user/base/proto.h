/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The fields of a protobuf message, one after the other. */
#ifndef PMUBPF_BASE_PROTO_H
#define PMUBPF_BASE_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

enum proto_wire { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2, PROTO_FIXED32 = 5 };

struct proto_field {
	uint64_t number;
	enum proto_wire wire;
	uint64_t value;       /* PROTO_VARINT */
	const uint8_t *bytes; /* PROTO_BYTES: a text or a message, in place; else NULL */
	size_t len;
};

/* False: there is none, or it can't be read. */
bool proto__next(struct cursor *c, struct proto_field *ret);

#endif
