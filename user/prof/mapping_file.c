// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/mapping_file.h"

#include <dirent.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"

enum {
	FILES_MAX = 256, /* of a folder, that are tried for one mapping */
	ID_MAX = 64,     /* bytes of a build-id */
};

struct search {
	const char *dir;
	mapping_try_fn try;
	void *ctx;
};

static bool try_path(const struct search *s, char *path)
{
	bool found = s->try(s->ctx, path);

	free(path);
	return found;
}

static bool try_folder(const struct search *s)
{
	_cleanup_closedir_ DIR *folder = opendir(s->dir);
	const struct dirent *entry;

	for (size_t i = 0; folder && i < FILES_MAX && (entry = readdir(folder)); i++) {
		if (entry->d_name[0] != '.' &&
		    try_path(s, xasprintf("%s/%s", s->dir, entry->d_name)))
			return true;
	}
	return false;
}

bool mapping_file__find(const struct prof *p, uint32_t mapping, const char *dir, mapping_try_fn try,
			void *ctx)
{
	const struct search s = {.dir = dir, .try = try, .ctx = ctx};
	const struct prof_mapping *m = &p->mappings[mapping];
	const char *id = prof__text(p, m->build_id), *file = prof__text(p, m->file);
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
	bool is_hex = id[strspn(id, "0123456789abcdefABCDEF")] == '\0' && strlen(id) > 2;

	if (is_hex && try_path(&s, xasprintf("%s/.build-id/%.2s/%s.debug", dir, id, id + 2)))
		return true;
	if (is_hex && try_path(&s, xasprintf("%s/%.2s/%s.debug", dir, id, id + 2)))
		return true;
	if (*base && strcmp(base, "..") != 0 && try_path(&s, xasprintf("%s/%s", dir, base)))
		return true;
	return is_hex && try_folder(&s);
}

bool mapping_file__is_asked(const struct prof *p, uint32_t mapping, const struct sym *sym)
{
	const char *wanted = prof__text(p, p->mappings[mapping].build_id);
	_cleanup_(buf__done) struct buf hex = {0};
	const uint8_t *id;
	size_t len = sym__build_id(sym, &id);

	for (size_t i = 0; i < len; i++)
		buf__printf(&hex, "%02x", id[i]);
	return !*wanted || (hex.data && strcasecmp(hex.data, wanted) == 0);
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Its build-id as bytes; how many; 0: it has none, or one that is none. */
static size_t build_id(const struct prof *p, uint32_t mapping, uint8_t ret[static ID_MAX])
{
	const char *text = prof__text(p, p->mappings[mapping].build_id);
	size_t len = strlen(text) / 2;

	if (strlen(text) % 2 || len > ID_MAX)
		return 0;
	for (size_t i = 0; i < len; i++) {
		int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return 0;
		ret[i] = (uint8_t)(high << 4 | low);
	}
	return len;
}

int mapping_file__fetch(const struct prof *p, uint32_t mapping, struct debuginfod *servers)
{
	uint8_t id[ID_MAX];
	size_t len = build_id(p, mapping, id);

	return len ? debuginfod__fetch_program(servers, id, len) : -1;
}
