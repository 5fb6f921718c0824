// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/known.h"

#include <stdlib.h>

#include "base/mem.h"
#include "model/intern.h"
#include "sym/texts.h"

struct location {
	uint64_t file, off;
};

struct place_key {
	uint64_t file, off, skid;
};

struct known {
	size_t max_bytes;
	struct intern place_keys;      /* struct place_key; number - 1 indexes places */
	struct pmb_place **place_list; /* what instructions address; no longer than they are */
	size_t n_places, cap_places, place_bytes;
	struct intern locations; /* struct location; number - 1 indexes names */
	struct sym_name *names;  /* the arrays of inlined calls are ours */
	size_t n, cap;
	size_t inlined_bytes;
	struct intern files; /* serial numbers; number - 1 indexes build_ids */
	char **build_ids;
	size_t n_files, cap_files;
	struct texts *texts;
};

struct known *known__new(size_t max_bytes)
{
	struct known *k = xcalloc(1, sizeof(*k));

	k->max_bytes = max_bytes;
	k->texts = texts__new(max_bytes);
	return k;
}

static void forget(struct known *k)
{
	for (size_t i = 0; i < k->n; i++)
		sym_name__done(&k->names[i]);
	for (size_t i = 0; i < k->n_files; i++)
		free(k->build_ids[i]);
	free(k->names);
	free(k->build_ids);
	for (size_t i = 0; i < k->n_places; i++)
		free(k->place_list[i]);
	free(k->place_list);
	intern__done(&k->place_keys);
	intern__done(&k->locations);
	intern__done(&k->files);
	texts__free(k->texts);
}

struct known *known__free(struct known *k)
{
	if (!k)
		return NULL;
	forget(k);
	free(k);
	return NULL;
}

size_t known__bytes(const struct known *k)
{
	return intern__bytes(&k->locations) + intern__bytes(&k->files) + k->n * sizeof(*k->names) +
	       intern__bytes(&k->place_keys) + k->n_places * sizeof(*k->place_list) +
	       k->place_bytes + k->inlined_bytes + texts__totals(k->texts).bytes;
}

void known__begin(struct known *k)
{
	size_t max_bytes = k->max_bytes;

	/* the part at hand needs room, too */
	if (!max_bytes || known__bytes(k) <= max_bytes / 2)
		return;
	forget(k);
	*k = (struct known){.max_bytes = max_bytes, .texts = texts__new(max_bytes)};
}

struct texts *known__texts(const struct known *k)
{
	return k->texts;
}

static struct sym_name copy_of(const struct sym_name *name)
{
	struct sym_name copy = *name;

	if (name->n_inlined)
		copy.inlined = xmemdup(name->inlined, name->n_inlined * sizeof(*name->inlined));
	return copy;
}

static uint32_t find(const struct known *k, uint64_t file_serial, uint64_t off)
{
	const struct location location = {file_serial, off};

	return intern__find(&k->locations, &location, sizeof(location));
}

bool known__has(const struct known *k, uint64_t file_serial, uint64_t off)
{
	return find(k, file_serial, off);
}

bool known__find(const struct known *k, uint64_t file_serial, uint64_t off, bool block,
		 struct sym_name *ret)
{
	uint32_t number = find(k, file_serial, off);

	if (!number || (block && !k->names[number - 1].block_asked))
		return false;
	*ret = copy_of(&k->names[number - 1]);
	return true;
}

void known__keep(struct known *k, uint64_t file_serial, uint64_t off, const struct sym_name *name)
{
	const struct location location = {file_serial, off};
	uint32_t number;

	if (name->reason != SYM_NAMED && name->reason != SYM_NO_SYMBOL)
		return;
	number = intern__add(&k->locations, &location, sizeof(location));
	if (number <= k->n) { /* all of it again, for its block */
		if (name->block_asked) {
			k->names[number - 1].block = name->block;
			k->names[number - 1].insn = name->insn;
			k->names[number - 1].block_asked = true;
		}
		return;
	}
	GROW(k->names, k->n, k->cap);
	k->names[k->n++] = copy_of(name);
	k->inlined_bytes += name->n_inlined * sizeof(*name->inlined);
}

bool known__find_place(const struct known *k, uint64_t file_serial, uint64_t off,
		       enum pmb_skid skid, struct pmb_place *ret)
{
	const struct place_key key = {file_serial, off, skid};
	uint32_t number = intern__find(&k->place_keys, &key, sizeof(key));

	if (number)
		memcpy(ret, k->place_list[number - 1], PMB_PLACE_BYTES(k->place_list[number - 1]));
	return number;
}

void known__keep_place(struct known *k, uint64_t file_serial, uint64_t off, enum pmb_skid skid,
		       const struct pmb_place *place)
{
	const struct place_key key = {file_serial, off, skid};

	if (place->finding == PMB_PLACE_UNKNOWN ||
	    intern__add(&k->place_keys, &key, sizeof(key)) <= k->n_places)
		return;
	GROW(k->place_list, k->n_places, k->cap_places);
	k->place_list[k->n_places++] = xmemdup(place, PMB_PLACE_BYTES(place));
	k->place_bytes += PMB_PLACE_BYTES(place);
}

const char *known__build_id(const struct known *k, uint64_t file_serial)
{
	uint32_t number = intern__find(&k->files, &file_serial, sizeof(file_serial));

	return number ? k->build_ids[number - 1] : NULL;
}

void known__keep_build_id(struct known *k, uint64_t file_serial, const char *build_id)
{
	if (!build_id || intern__add(&k->files, &file_serial, sizeof(file_serial)) <= k->n_files)
		return;
	GROW(k->build_ids, k->n_files, k->cap_files);
	k->build_ids[k->n_files++] = xstrdup(build_id);
}

size_t known__count(const struct known *k)
{
	return k->n;
}
