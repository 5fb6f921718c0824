// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/decode.h"

static int decode_addr(const struct pmb_part *part, struct decoded *ret)
{
	if (part->size < sizeof(struct pmb_part_addr))
		return REJECT_PART;
	ret->has_addr = true;
	ret->addr = ((const struct pmb_part_addr *)part)->addr;
	return -1;
}

static int decode_data(const struct pmb_part *part, struct decoded *ret)
{
	const struct pmb_part_data *data = (const void *)part;

	if (part->size < offsetof(struct pmb_part_data, regs) || data->segment >= PMB_N_SEGMENTS ||
	    (data->n_regs && (data->n_regs != PMB_DATA_REGS || part->size < sizeof(*data))))
		return REJECT_PART;
	ret->data = data;
	ret->has_addr = data->addr != 0;
	ret->addr = data->addr;
	return -1;
}

static int decode_window(const struct pmb_part *part, struct decoded *ret)
{
	if (part->size < sizeof(struct pmb_part_window))
		return REJECT_PART;
	ret->window = (const void *)part;
	return -1;
}

static int decode_off(const struct pmb_part *part, struct decoded *ret)
{
	const struct pmb_part_off *off = (const void *)part;

	if (part->size < sizeof(*off) || off->state >= PMB_N_OFF_STATES || off->call > PMB_CALLS)
		return REJECT_PART;
	ret->off = off;
	return -1;
}

static int decode_sibling(const struct pmb_part *part, struct decoded *ret)
{
	const struct pmb_part_sibling *sibling = (const void *)part;

	if (part->size < sizeof(*sibling) || sibling->who >= PMB_N_SIBLING_WHO)
		return REJECT_PART;
	ret->sibling = sibling;
	return -1;
}

static int decode_branches(const struct pmb_part *part, struct decoded *ret)
{
	const struct pmb_part_branches *branches = (const void *)part;
	size_t fixed = offsetof(struct pmb_part_branches, list);

	if (part->size < fixed || branches->n > PMB_MAX_BRANCHES ||
	    branches->n > (part->size - fixed) / sizeof(branches->list[0]) ||
	    branches->whole < branches->n)
		return REJECT_PART;
	ret->branches = branches;
	return -1;
}

static int decode_reads(const struct pmb_part *part, size_t n_events, struct decoded *ret)
{
	const struct pmb_part_reads *reads = (const void *)part;
	size_t n = (part->size - sizeof(*part)) / sizeof(reads->list[0]);

	if (n > PMB_MAX_READS || (part->size - sizeof(*part)) % sizeof(reads->list[0]))
		return REJECT_PART;
	for (size_t i = 0; i < n; i++) {
		if (reads->list[i].event >= n_events)
			return REJECT_EVENT;
	}
	ret->reads = reads->list;
	ret->n_reads = n;
	return -1;
}

static int decode_parts(const struct pmb_sample *sample, size_t size, size_t n_events,
			struct decoded *ret)
{
	int reject = -1;

	const char *at = (const char *)(sample + 1), *end = (const char *)sample + size;

	for (int i = 0; i < sample->rec.parts && reject < 0; i++) {
		const struct pmb_part *part = (const void *)at;
		size_t left = (size_t)(end - at);

		if (left < sizeof(*part) || part->size < sizeof(*part) || part->size > left ||
		    part->size % 8)
			return REJECT_PART;
		if (part->type == PMB_PART_ADDR)
			reject = decode_addr(part, ret);
		else if (part->type == PMB_PART_DATA)
			reject = decode_data(part, ret);
		else if (part->type == PMB_PART_WINDOW)
			reject = decode_window(part, ret);
		else if (part->type == PMB_PART_OFF)
			reject = decode_off(part, ret);
		else if (part->type == PMB_PART_SIBLING)
			reject = decode_sibling(part, ret);
		else if (part->type == PMB_PART_BRANCHES)
			reject = decode_branches(part, ret);
		else if (part->type == PMB_PART_READS)
			reject = decode_reads(part, n_events, ret);
		at += part->size;
	}
	return reject;
}

static int decode_sample(const void *data, size_t size, size_t n_events, struct decoded *ret)
{
	const struct pmb_sample *sample = data;

	if (size < sizeof(*sample))
		return REJECT_SHORT;
	if (sample->event >= n_events)
		return REJECT_EVENT;
	if (sample->user_end >= PMB_N_UNWIND_STATUSES ||
	    sample->kernel_end >= PMB_N_UNWIND_STATUSES)
		return REJECT_UNWIND_STATUS;
	ret->sample = sample;
	return decode_parts(sample, size, n_events, ret);
}

static int decode_stack(const void *data, size_t size, struct decoded *ret)
{
	const struct pmb_stack *stack = data;
	size_t fixed = offsetof(struct pmb_stack, frames);

	if (size < fixed)
		return REJECT_SHORT;
	if (stack->n > PMB_MAX_FRAMES || stack->n > (size - fixed) / sizeof(stack->frames[0]))
		return REJECT_FRAMES;
	ret->stack = stack;
	return -1;
}

static int decode_dump(const void *data, size_t size, struct decoded *ret)
{
	const struct pmb_stack_dump *dump = data;

	if (size < offsetof(struct pmb_stack_dump, frames))
		return REJECT_SHORT;
	size -= offsetof(struct pmb_stack_dump, frames);
	if (!dump->n || dump->n > PMB_MAX_FRAMES || dump->n * sizeof(__u64) > size ||
	    dump->n_bytes > size - dump->n * sizeof(__u64))
		return REJECT_FRAMES;
	ret->dump = dump;
	return -1;
}

/* Of so many bytes. */
static bool table_is_in(const struct pmb_object *object, size_t size)
{
	size_t at = PMB_PY_TABLE_AT(object), head = sizeof(struct pmb_py_table);

	return size >= head && at <= size - head &&
	       PMB_PY_TABLE(object)->n_bytes <= PMB_PY_LINES_MAX &&
	       PMB_PY_TABLE(object)->n_bytes <= size - head - at;
}

static int decode_object(const void *data, size_t size, struct decoded *ret)
{
	const struct pmb_object *object = data;

	if (size < offsetof(struct pmb_object, bytes))
		return REJECT_SHORT;
	size -= offsetof(struct pmb_object, bytes);
	if (object->name.n_bytes > PMB_PY_TEXT_MAX || object->file.n_bytes > PMB_PY_TEXT_MAX ||
	    object->name.n_bytes + object->file.n_bytes > size || object->rec.parts > 1)
		return REJECT_PART;
	if (object->rec.parts && !table_is_in(object, size))
		return REJECT_PART;
	ret->object = object;
	return -1;
}

static int decode_window_end(const void *data, size_t size, struct decoded *ret)
{
	if (size < sizeof(*ret->window_end))
		return REJECT_SHORT;
	ret->window_end = data;
	return -1;
}

static int decode_block(const void *data, size_t size, struct decoded *ret)
{
	const struct pmb_block *block = data;

	if (size < sizeof(*block))
		return REJECT_SHORT;
	if (block->sample.user_end >= PMB_N_UNWIND_STATUSES)
		return REJECT_UNWIND_STATUS;
	ret->block = block;
	return -1;
}

static int decode_freed(const void *data, size_t size, struct decoded *ret)
{
	if (size < sizeof(*ret->freed))
		return REJECT_SHORT;
	ret->freed = data;
	return -1;
}

static int decode_context(const void *data, size_t size, struct decoded *ret)
{
	const struct pmb_context *context = data;

	if (size < offsetof(struct pmb_context, bytes))
		return REJECT_SHORT;
	if (context->n_bytes > PMB_CONTEXT_MAX ||
	    context->n_bytes > size - offsetof(struct pmb_context, bytes))
		return REJECT_PART;
	ret->context = context;
	return -1;
}

int record_decode(const void *data, size_t size, size_t n_events, struct decoded *ret)
{
	const struct pmb_rec *rec = data;

	*ret = (struct decoded){0};
	if (size < sizeof(*rec))
		return REJECT_SHORT;
	if (rec->size != size)
		return REJECT_SIZE;
	ret->type = rec->type;
	if (rec->type == PMB_REC_SAMPLE)
		return decode_sample(data, size, n_events, ret);
	if (rec->type == PMB_REC_STACK || rec->type == PMB_REC_CHAIN ||
	    rec->type == PMB_REC_PLACED_CHAIN || rec->type == PMB_REC_FRAMES_CHAIN)
		return decode_stack(data, size, ret);
	if (rec->type == PMB_REC_STACK_DUMP)
		return decode_dump(data, size, ret);
	if (rec->type == PMB_REC_OBJECT)
		return decode_object(data, size, ret);
	if (rec->type == PMB_REC_WINDOW)
		return decode_window_end(data, size, ret);
	if (rec->type == PMB_REC_BLOCK || rec->type == PMB_REC_MAPPED || rec->type == PMB_REC_BREAK)
		return decode_block(data, size, ret);
	if (rec->type == PMB_REC_FREED || rec->type == PMB_REC_UNMAPPED)
		return decode_freed(data, size, ret);
	if (rec->type == PMB_REC_CONTEXT)
		return decode_context(data, size, ret);
	return REJECT_TYPE;
}
