/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What hypervisor and heat took meanwhile, in words and as JSON. */
#ifndef PMUBPF_RENDER_LOSS_H
#define PMUBPF_RENDER_LOSS_H

#include "base/buf.h"
#include "render/json.h"
#include "sys/processor.h"

/* A line for each that was worth one. */
void loss__text(const struct processor_loss *loss, struct buf *out);
/* " (from 3 s on)"; nothing if that isn't known. */
void loss__put_from(const struct processor_loss *loss, uint64_t from_ns, struct buf *out);
/* An object of that name: processor. */
void loss__json(const struct processor_loss *loss, struct json *j);

#endif
