// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/layouts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "base/mem.h"
#include "pmubpf/budgets.h"

enum { ID_TEXT = 16 };

struct layout_key {
	const char *type, *text;
};

struct layout_entry {
	char id[ID_TEXT + 1];
	uint32_t number;
	uint64_t samples;
};

void layouts__done(struct layouts *l)
{
	intern__done(&l->keys);
	free(l->list);
	*l = (struct layouts){0};
}

/* "struct node" of "struct node[]" and "struct node[][]". The caller frees. */
static char *layout_type(const char *label)
{
	size_t len = strlen(label);
	char *type, *p;

	while (len > 2 && strncmp(label + len - 2, "[]", 2) == 0)
		len -= 2;
	type = xstrndup(label, len);
	for (p = type; *p; p++) {
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	}
	return type;
}

/* "struct node\n" and the text. */
static void put_body(struct buf *to, const struct layout_key *key)
{
	_cleanup_free_ char *type = layout_type(key->type);

	buf__printf(to, "%s\n%s", type, key->text);
}

static const struct layout_key *key_of(const struct layouts *l, uint32_t number)
{
	size_t size;

	return intern__get(&l->keys, number, &size);
}

const char *layouts__add(struct layouts *l, const char *type, const char *text, uint64_t samples)
{
	const struct layout_key key = {type, text};
	uint32_t number = intern__add(&l->keys, &key, sizeof(key));

	GROW_TO(l->list, number, l->cap);
	if (!l->list[number].number) {
		_cleanup_(buf__done) struct buf body = {0};

		put_body(&body, &key);
		l->list[number].number = number;
		snprintf(l->list[number].id, sizeof(l->list[number].id), "%016" PRIx64,
			 hash_bytes(body.data, body.len));
	}
	l->list[number].samples += samples;
	return l->list[number].id;
}

static int by_samples(const void *pa, const void *pb)
{
	const struct layout_entry *a = pa, *b = pb;

	return a->samples != b->samples ? CMP3(b->samples, a->samples) : CMP3(a->number, b->number);
}

void layouts__save(const struct layouts *l, struct prof *prof)
{
	size_t n = intern__count(&l->keys);
	_cleanup_free_ struct layout_entry *list = NULL;

	if (n < 2)
		return;
	list = xmemdup(l->list + 1, (n - 1) * sizeof(*list));
	qsort(list, n - 1, sizeof(*list), by_samples);
	for (size_t i = 0; i < n - 1 && i < BUDGET_LAYOUTS; i++) {
		_cleanup_(buf__done) struct buf text = {0};

		buf__printf(&text, "%s ", list[i].id);
		put_body(&text, key_of(l, list[i].number));
		prof__add_layout(prof, prof__string(prof, text.data));
	}
}

/* ---- those of a saved profile */

/* False: it isn't one. */
static bool parse(struct saved_layout *ret, const char *id)
{
	const char *end = strchr(id, '\n'), *type;

	if (!end)
		return false;
	type = memchr(id, ' ', (size_t)(end - id));
	if (!type || type == id || type + 1 == end)
		return false;
	ret->id = xstrndup(id, (size_t)(type - id));
	ret->type = xstrndup(type + 1, (size_t)(end - type - 1));
	ret->text = end + 1;
	return true;
}

static void saved_layout__done(struct saved_layout *l)
{
	free(l->id);
	free(l->type);
}

static bool has_id(const struct saved_layout *list, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(list[i].id, id) == 0)
			return true;
	}
	return false;
}

size_t prof__layouts(const struct prof *prof, struct saved_layout **ret)
{
	struct saved_layout one;
	size_t n = 0, cap = 0;

	*ret = NULL;
	for (size_t i = 0; i < prof->n_layouts; i++) {
		if (!parse(&one, prof__text(prof, prof->layouts[i])))
			continue;
		if (has_id(*ret, n, one.id)) {
			saved_layout__done(&one);
			continue;
		}
		GROW(*ret, n, cap);
		(*ret)[n++] = one;
	}
	return n;
}

void saved_layouts__free(struct saved_layout *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		saved_layout__done(&list[i]);
	free(list);
}
