// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * No more of XML than such lists have: elements without a prefix in their names, texts with
 * entities of one character. Whatever else stands there isn't understood, nor followed.
 */
#include "ship/s3_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "spool/times.h"

enum { NAME_MAX_BYTES = 1024, TOKEN_MAX_BYTES = 2048 };

/* A part of the text, which is no string. */
struct span {
	const char *at;
	size_t len;
};

static const char *find(struct span in, const char *what)
{
	return in.len ? memmem(in.at, in.len, what, strlen(what)) : NULL;
}

/* The next element of that name, and what is behind it in *rest. Elements of one name aren't within
 * each other. False: there is none, or it has no end. */
static bool take_element(struct span *rest, const char *name, struct span *ret)
{
	_cleanup_free_ char *open = xasprintf("<%s>", name);
	_cleanup_free_ char *close = xasprintf("</%s>", name);
	const char *from = find(*rest, open), *to;
	struct span behind;

	if (!from)
		return false;
	from += strlen(open);
	behind = (struct span){from, rest->len - (size_t)(from - rest->at)};
	to = find(behind, close);
	if (!to)
		return false;
	*ret = (struct span){from, (size_t)(to - from)};
	to += strlen(close);
	*rest = (struct span){to, rest->len - (size_t)(to - rest->at)};
	return true;
}

/* "&amp;", "&#38;", "&#x26;"; 0: it is none of them. */
static char entity(const char *at, size_t len)
{
	static const struct {
		const char *name;
		char is;
	} known[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
	_cleanup_free_ char *name = xstrndup(at, len);
	uint64_t number;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (strcmp(name, known[i].name) == 0)
			return known[i].is;
	}
	if (name[0] != '#')
		return 0;
	if (name[1] == 'x')
		name[0] = '0';
	return num__parse_u64(name[0] == '0' ? name : name + 1, &number) == 0 && number < 128 ?
		       (char)number :
		       0;
}

/* The caller frees; NULL: it is none, or too long. */
static char *text_of(struct span s, size_t most)
{
	_cleanup_(buf__done) struct buf out = {0};

	if (s.len > 6 * most)
		return NULL;
	for (size_t i = 0; i < s.len; i++) {
		char c = s.at[i];

		if (c == '&') {
			const char *end = memchr(s.at + i, ';', s.len - i);

			c = end ? entity(s.at + i + 1, (size_t)(end - s.at) - i - 1) : '\0';
			i = end ? (size_t)(end - s.at) : i;
		} else if (c == '<') {
			c = '\0';
		}
		if (!c)
			return NULL;
		buf__putc(&out, c);
	}
	return out.len <= most ? buf__take(&out) : NULL;
}

/* One that was sent by an older version, too, is there by two names, next to each other. */
static bool is_again(const struct s3_list *list, const char *host, size_t len,
		     const struct window_id *id)
{
	const struct s3_object *last = list->n ? &list->objects[list->n - 1] : NULL;

	return last && last->id.seq == id->seq && strcmp(last->id.boot, id->boot) == 0 &&
	       strlen(last->host) == len && memcmp(last->host, host, len) == 0;
}

/* "prefix/HOST/NAME". Others may be there, too. */
static void add(struct s3_list *list, const char *name, int64_t modified_ns)
{
	const char *slash = strrchr(name, '/');
	struct window_when when;
	struct s3_object *o;
	struct window_id id;

	if (!slash || slash == name || !window_dated_name__parse(slash + 1, &id, &when) ||
	    is_again(list, name, (size_t)(slash - name), &id))
		return;
	GROW(list->objects, list->n, list->cap);
	o = &list->objects[list->n++];
	*o = (struct s3_object){
		.host = xstrndup(name, (size_t)(slash - name)),
		.name = xstrdup(slash + 1),
		.id = id,
		.when = when,
		.modified_ns = modified_ns,
	};
}

static int64_t date_of(struct span in)
{
	struct span date;
	_cleanup_free_ char *text =
		take_element(&in, "LastModified", &date) ? text_of(date, TIME_TEXT) : NULL;
	int64_t ns;

	/* no other form than a date's */
	return text && strchr(text, 'T') && time__parse(text, 0, &ns) == 0 ? ns : INT64_MAX;
}

static bool add_contents(struct s3_list *list, const char *prefix, struct span contents)
{
	struct span key, rest = contents;
	char *name = take_element(&rest, "Key", &key) ? text_of(key, NAME_MAX_BYTES) : NULL;

	if (!name || !starts_with(name, prefix) || (list->last && strcmp(name, list->last) <= 0)) {
		free(name);
		return false;
	}
	free(list->last);
	list->last = name;
	add(list, name + strlen(prefix), date_of(contents));
	return true;
}

static bool take_token(struct s3_list *list, struct span page)
{
	struct span is_truncated, token, rest = page;

	free(list->token);
	list->token = NULL;
	if (!take_element(&rest, "IsTruncated", &is_truncated) || is_truncated.len != 4 ||
	    memcmp(is_truncated.at, "true", 4) != 0)
		return true;
	rest = page;
	if (take_element(&rest, "NextContinuationToken", &token))
		list->token = text_of(token, TOKEN_MAX_BYTES);
	return list->token;
}

bool s3_list__add(struct s3_list *list, const char *prefix, const void *xml, size_t len)
{
	struct span page = {xml, len}, rest, contents;
	_cleanup_free_ char *before = list->last ? xstrdup(list->last) : NULL;

	if (!find(page, "<ListBucketResult") || !find(page, "</ListBucketResult>"))
		return false;
	rest = page;
	while (take_element(&rest, "Contents", &contents)) {
		if (!add_contents(list, prefix, contents))
			return false;
	}
	/* a page without a name would be asked for again and again */
	return take_token(list, page) &&
	       !(list->token && (!list->last || (before && strcmp(before, list->last) == 0)));
}

void s3_object__done(struct s3_object *o)
{
	free(o->host);
	free(o->name);
}

void s3_list__done(struct s3_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		s3_object__done(&list->objects[i]);
	free(list->objects);
	free(list->last);
	free(list->token);
	*list = (struct s3_list){0};
}
