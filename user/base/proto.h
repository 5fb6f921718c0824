/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The fields of a protobuf message, one after the other: read, and written. */
#ifndef PMUBPF_BASE_PROTO_H
#define PMUBPF_BASE_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
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

/* Appends a field; 0 is what one that isn't there has, and is left out. */
void proto__put_number(struct buf *out, unsigned field, uint64_t value);
void proto__put_fixed64(struct buf *out, unsigned field, uint64_t value);
/* A text or a message, also an empty one. */
void proto__put_bytes(struct buf *out, unsigned field, const void *data, size_t len);
/* A number alone: of a packed field. */
void proto__put_varint(struct buf *out, uint64_t value);

#endif
