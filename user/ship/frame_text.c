// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ship/frame_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

/* ---------------------------------------------------------------- writing */

/* With a backslash before what has a meaning. */
static void put_escaped(struct buf *out, const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\t')
			buf__puts(out, "\\t");
		else if (*text == '\\' || strchr(special, *text))
			buf__printf(out, "\\%c", *text);
		else
			buf__putc(out, *text);
	}
}

static void put_module(const struct prof *p, const struct prof_mapping *m, bool keeps_address,
		       struct buf *out)
{
	/* what it is of a file; of anything else there is no file to be distant from */
	uint64_t distance = *prof__text(p, m->file) == '/' && keeps_address ? m->start - m->offset :
									      0;

	buf__printf(out, "%" PRIx64 "\t", distance);
	put_escaped(out, prof__text(p, m->file), "");
	buf__putc(out, '\t');
	put_escaped(out, prof__text(p, m->build_id), "");
}

static void put_system(const struct prof *p, const struct prof_function *f, struct buf *out)
{
	const char *system = prof__text(p, f->system_name);

	if (f->name && f->system_name == f->name)
		buf__putc(out, '=');
	else
		put_escaped(out, system, *system == '=' ? "=" : "");
}

static void put_line(const struct prof *p, const struct prof_line *line, struct buf *out)
{
	const struct prof_function *f = &p->functions[line->function];

	buf__putc(out, '\t');
	put_system(p, f, out);
	buf__putc(out, '\t');
	put_escaped(out, prof__text(p, f->file), "");
	buf__printf(out, "\t%" PRId64 "\t%" PRId64, f->start_line, line->line);
}

void frame_text__of(const struct prof *p, uint32_t location, uint32_t k, struct buf *name,
		    struct buf *rest)
{
	const struct prof_location *l = &p->locations[location];
	const struct prof_mapping *m = &p->mappings[l->mapping];
	enum prof_kind kind = prof__kind(p, location);
	bool named = k < l->n_lines;
	bool keeps = !named || (kind != PROF_KERNEL && kind != PROF_JIT);

	buf__clear(name);
	buf__clear(rest);
	buf__printf(rest, "%c\t%" PRIx64 "\t",
		    !named             ? '?' :
		    k + 1 < l->n_lines ? ',' :
					 '.',
		    keeps ? l->address : 0);
	put_module(p, m, keeps, rest);
	if (named) {
		const struct prof_line *line = &p->lines[l->first_line + k];

		buf__puts(name, prof__text(p, p->functions[line->function].name));
		put_line(p, line, rest);
	} else if (l->mapping) {
		buf__printf(name, "[%s]+0x%" PRIx64, base_name(prof__text(p, m->file)), l->address);
	}
}

void label_text__of(const struct prof *p, const struct prof_label *label, struct buf *out)
{
	buf__clear(out);
	put_escaped(out, prof__text(p, label->key), "=#");
	if (label->text) {
		buf__putc(out, '=');
		buf__puts(out, prof__text(p, label->text));
		return;
	}
	buf__printf(out, "#%" PRId64, label->number);
	if (label->unit)
		buf__printf(out, " %s", prof__text(p, label->unit));
}

/* ---------------------------------------------------------------- reading */

struct text_cursor {
	const char *at, *end;
	bool bad;
};

/* Up to the next of `ends`, without the backslashes; behind it afterwards. The caller frees. */
static char *take(struct text_cursor *c, const char *ends, char *ret_end)
{
	struct buf text = {0};

	*ret_end = '\0';
	buf__puts(&text, "");
	while (c->at < c->end) {
		char ch = *c->at++;

		if (ch && strchr(ends, ch)) {
			*ret_end = ch;
			break;
		}
		if (ch == '\\' && c->at < c->end) {
			ch = *c->at++;
			if (ch == 't')
				ch = '\t';
		}
		if (!ch) {
			c->bad = true;
			break;
		}
		buf__putc(&text, ch);
	}
	return buf__take(&text);
}

static char *take_field(struct text_cursor *c, bool last)
{
	char end;
	char *text = take(c, "\t", &end);

	c->bad |= last ? end != '\0' : end != '\t';
	return text;
}

static uint64_t take_hex(struct text_cursor *c)
{
	_cleanup_free_ char *text = take_field(c, false);
	uint64_t value = 0;

	c->bad |= num__parse_hex(text, &value) < 0;
	return value;
}

static bool parse_signed(const char *text, int64_t *ret)
{
	bool minus = *text == '-';
	uint64_t value;

	if (strncmp(text + minus, "0x", 2) == 0 || num__parse_u64(text + minus, &value) < 0 ||
	    value > (uint64_t)INT64_MAX + minus)
		return false;
	*ret = minus ? (int64_t)-value : (int64_t)value;
	return true;
}

static int64_t take_signed(struct text_cursor *c, bool last)
{
	_cleanup_free_ char *text = take_field(c, last);
	int64_t value = 0;

	c->bad |= !parse_signed(text, &value);
	return value;
}

static char *take_system(struct text_cursor *c)
{
	bool same = c->end - c->at >= 2 && c->at[0] == '=' && c->at[1] == '\t';
	char *text = take_field(c, false);

	if (!same)
		return text;
	free(text);
	return NULL;
}

bool frame_text__parse(const char *text, size_t len, struct frame_text *ret)
{
	struct text_cursor c = {text, text + len, false};

	*ret = (struct frame_text){0};
	if (len < 2 || !strchr(",.?", text[0]) || !text[0] || text[1] != '\t')
		return false;
	ret->how = text[0];
	c.at += 2;
	ret->address = take_hex(&c);
	ret->distance = take_hex(&c);
	ret->module = take_field(&c, false);
	ret->build_id = take_field(&c, ret->how == '?');
	if (ret->how != '?') {
		ret->system = take_system(&c);
		ret->file = take_field(&c, false);
		ret->start_line = take_signed(&c, false);
		ret->line = take_signed(&c, true);
	}
	if (!c.bad)
		return true;
	frame_text__done(ret);
	return false;
}

void frame_text__done(struct frame_text *f)
{
	free(f->module);
	free(f->build_id);
	free(f->system);
	free(f->file);
	*f = (struct frame_text){0};
}

static bool parse_number(struct prof *p, struct prof_label *label, const char *text)
{
	const char *blank = strchr(text, ' ');
	_cleanup_free_ char *number = xstrndup(text, blank ? (size_t)(blank - text) : strlen(text));

	if (blank)
		label->unit = prof__string(p, blank + 1);
	return parse_signed(number, &label->number);
}

bool label_text__parse(struct prof *p, struct prof_label_list *to, const char *text, size_t len)
{
	struct text_cursor c = {text, text + len, false};
	struct prof_label label = {0};
	char end;
	_cleanup_free_ char *key = take(&c, "=#", &end);
	_cleanup_free_ char *value = xstrndup(c.at, (size_t)(c.end - c.at));

	if (c.bad || !end || !*key || strlen(value) != (size_t)(c.end - c.at))
		return false;
	label.key = prof__string(p, key);
	if (end == '=')
		label.text = prof__string(p, value);
	else if (!parse_number(p, &label, value))
		return false;
	GROW(to->items, to->n, to->cap);
	to->items[to->n++] = label;
	return true;
}
