// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: what was left out may stand anywhere in the name, and parentheses are many
 * things: parameters, an anonymous namespace, those of the function that a class is local to, an
 * operator. So both are gone through together, and where they differ the longer one's group is
 * passed over, if it is one that may be.
 */
#include "symd/written_name.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "symd/short_names.h"

enum { NESTED_MAX = 64 };

static const char anonymous[] = "(anonymousnamespace)";

static bool is_of_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* ---- one spelling of several */

struct speller {
	struct buf *out;
	bool moved[NESTED_MAX]; /* a `const` that stood in front of the type */
	size_t depth;
};

static bool *moved(struct speller *s)
{
	return s->depth && s->depth < NESTED_MAX ? &s->moved[s->depth] : NULL;
}

static void put_moved(struct speller *s)
{
	if (moved(s) && *moved(s)) {
		buf__puts(s->out, "const");
		*moved(s) = false;
	}
}

static bool ends_as(const struct buf *b, const char *with)
{
	const size_t n = strlen(with);

	return b->len >= n && memcmp(b->data + b->len - n, with, n) == 0;
}

static void put_character(struct speller *s, const char *text, size_t i)
{
	const char c = text[i];
	const bool angle = name_is_bracket(text, i);

	if (strchr("*&,()", c) || (angle && c == '>'))
		put_moved(s);
	if (c == ')' && ends_as(s->out, "(void"))
		s->out->len -= strlen("void");
	if (c == '(' || (angle && c == '<')) {
		s->depth++;
		if (moved(s))
			*moved(s) = false;
	}
	if (s->depth && (c == ')' || (angle && c == '>')))
		s->depth--;
	buf__putc(s->out, c);
}

/* Where a type begins. */
static bool begins_type(const struct speller *s)
{
	return s->out->len && strchr("(<,", s->out->data[s->out->len - 1]);
}

static size_t put_piece(struct speller *s, const char *text, size_t i)
{
	static const char gcc[] = "{anonymous}", con[] = "const ";

	if (text[i] == ' ') {
		/* operator< <int> */
		if (i && text[i - 1] == '<' && text[i + 1] == '<')
			buf__putc(s->out, ' ');
		return 1;
	}
	if (starts_with(text + i, gcc)) {
		buf__puts(s->out, anonymous);
		return strlen(gcc);
	}
	if (moved(s) && begins_type(s) && starts_with(text + i, con)) {
		*moved(s) = true;
		return strlen(con);
	}
	put_character(s, text, i);
	return 1;
}

static void spell(struct buf *out, const char *text)
{
	_cleanup_(buf__done) struct buf shorter = {0};
	struct speller s = {.out = out};

	short_name__put(&shorter, text);
	buf__puts(out, "");
	for (size_t i = 0; i < shorter.len; i += put_piece(&s, shorter.data, i))
		;
}

/* ---- groups */

/* Behind the bracket that closes what opens there; 0: nothing does. */
static size_t behind_group(const char *text, size_t at)
{
	char closes[NESTED_MAX];
	size_t n = 0;

	for (size_t i = at; text[i]; i++) {
		const char c = text[i];
		const bool angle = (c == '<' || c == '>') && name_is_bracket(text, i);

		if ((c == '<' && angle) || c == '(' || c == '{' || c == '[') {
			if (n == NESTED_MAX)
				return 0;
			closes[n++] = c == '<' ? '>' : c == '(' ? ')' : c == '{' ? '}' : ']';
		} else if ((c == '>' && angle) || c == ')' || c == '}' || c == ']') {
			if (!n || closes[--n] != c)
				return 0;
		}
		if (!n)
			return i + 1;
	}
	return 0;
}

static size_t behind(const char *text, size_t at, const char *what)
{
	return starts_with(text + at, what) ? at + strlen(what) : at;
}

/* const, volatile, & and && of a member; noexcept of none. */
static size_t behind_qualifiers(const char *text, size_t at)
{
	size_t before;

	do {
		before = at;
		at = behind(text, at, "const");
		at = behind(text, at, "volatile");
		at = behind(text, at, "&");
	} while (at != before);
	return at;
}

/* What a compiler calls a copy of a function: `[clone .constprop.0]`, `.constprop.0` of C. Not its
 * parts. */
static size_t behind_copy(const char *text, size_t at)
{
	static const char *const copies[] = {".constprop", ".isra", ".lto_priv", ".llvm"};
	size_t end;

	if (starts_with(text + at, "[clone")) {
		end = behind_group(text, at);
		return end ? end : at;
	}
	for (size_t i = 0; i < ARRAY_SIZE(copies); i++) {
		end = behind(text, at, copies[i]);
		if (end == at || text[end] != '.')
			continue;
		end++;
		return end + strspn(text + end, "0123456789");
	}
	return at;
}

/* All that may stand behind what was written. */
static bool is_rest(const char *text, size_t at)
{
	size_t before, end;

	while (starts_with(text + at, "[abi:") && (end = behind_group(text, at)))
		at = end;
	if (starts_with(text + at, "::<"))
		at += 2;
	if (text[at] == '<' && name_is_bracket(text, at) && (end = behind_group(text, at)))
		at = end;
	if (text[at] == '(' && (end = behind_group(text, at)))
		at = end;
	at = behind_qualifiers(text, at);
	do {
		before = at;
		at = behind_copy(text, at);
	} while (at != before);
	return !text[at];
}

/* Behind what was left out where the written name goes on with c; 0: nothing may be. */
static size_t behind_left_out(const char *text, size_t at, char c)
{
	size_t end = 0;

	if (starts_with(text + at, anonymous))
		end = behind(text, at + strlen(anonymous), "::");
	else if (starts_with(text + at, "[abi:"))
		end = behind_group(text, at);
	else if (text[at] == '<' && name_is_bracket(text, at))
		end = behind_group(text, at);
	else if (text[at] == '(' && c == ':')
		end = behind_group(text, at);
	if (end && text[at] == '<' && at > 2 && text[at - 1] == ':')
		end = behind(text, end, "::");
	if (end && text[at] == '(' && c == ':')
		end = behind_qualifiers(text, end);
	return end;
}

static enum written_fit fit(const char *key, const char *text)
{
	enum written_fit fits = WRITTEN_FULL;
	size_t i = 0, at = 0;

	while (key[i]) {
		if (text[at] == key[i]) {
			at++;
			i++;
			continue;
		}
		if (!text[at])
			return WRITTEN_ANOTHER;
		at = behind_left_out(text, at, key[i]);
		if (!at)
			return WRITTEN_ANOTHER;
		fits = WRITTEN_SHORT;
	}
	if (!text[at])
		return fits;
	return is_rest(text, at) ? WRITTEN_SHORT : WRITTEN_ANOTHER;
}

/* ---- Rust's <Type as Trait>::f and <Type>::f */

/* `which` 0: Type::f, 1: Trait::f. False: there is no such. */
static bool put_one_of(struct buf *out, const char *whole, int which)
{
	const size_t end = behind_group(whole, 0);
	size_t as = 0, depth = 0;

	if (*whole != '<' || end < 3)
		return false;
	for (size_t i = 1; i + 1 < end && !as; i++) {
		depth += strchr("<([", whole[i]) != NULL;
		depth -= depth && strchr(">)]", whole[i]);
		if (!depth && starts_with(whole + i, " as "))
			as = i;
	}
	if (which && !as)
		return false;
	if (which)
		buf__add(out, whole + as + 4, end - 1 - (as + 4));
	else
		buf__add(out, whole + 1, (as ? as : end - 1) - 1);
	buf__puts(out, whole + end);
	return true;
}

enum written_fit written_name__fit(const struct written_name *w, const char *whole)
{
	enum written_fit best = WRITTEN_ANOTHER;

	if (!w->key.len)
		return WRITTEN_ANOTHER;
	if (*whole != '<' || w->begins_angle) {
		_cleanup_(buf__done) struct buf key = {0};

		spell(&key, whole);
		return fit(w->key.data, key.data);
	}
	for (int which = 0; which < 2 && best == WRITTEN_ANOTHER; which++) {
		_cleanup_(buf__done) struct buf one = {0}, key = {0};

		if (!put_one_of(&one, whole, which))
			break;
		spell(&key, one.data);
		if (fit(w->key.data, key.data) != WRITTEN_ANOTHER)
			best = WRITTEN_SHORT;
	}
	return best;
}

void written_name__put_short(struct buf *out, const char *whole)
{
	static const char hidden[] = "(anonymous namespace)::";
	_cleanup_(buf__done) struct buf one = {0};
	const char *text = put_one_of(&one, whole, 0) ? one.data : whole;

	for (size_t i = 0, end; text[i]; i++) {
		if (starts_with(text + i, hidden)) {
			i += strlen(hidden) - 1;
		} else if (text[i] == '<' && name_is_bracket(text, i) &&
			   (end = behind_group(text, i))) {
			if (out->len > 2 && ends_as(out, "::") && !text[end])
				out->len -= 2;
			else if (ends_as(out, "::"))
				end = behind(text, end, "::");
			i = end - 1;
		} else {
			buf__putc(out, text[i]);
		}
	}
	buf__puts(out, "");
}

/* ---- what the linker's name has, too */

/* Behind the component of a name that begins there. */
static size_t behind_component(const char *text, size_t at)
{
	size_t end;

	while (text[at] && !starts_with(text + at, "::")) {
		end = strchr("<({[", text[at]) && (text[at] != '<' || name_is_bracket(text, at)) ?
			      behind_group(text, at) :
			      0;
		at = end ? end : at + 1;
	}
	return at;
}

static size_t word_length(const char *text)
{
	size_t n = 0;

	while (is_of_word(text[n]))
		n++;
	return n;
}

static bool is_operator(const char *text, size_t n)
{
	return n == strlen("operator") && starts_with(text, "operator");
}

/* Components that are words: linkers' names of operators, lambdas and closures have none, and of
 * some of std's there is an abbreviation. */
static void find_components(struct written_name *w, const char *text)
{
	const bool is_std = starts_with(text, "std::");
	size_t at = 0, n;

	while (text[at]) {
		const size_t from = at + (text[at] == '~');

		n = word_length(text + from);
		if (n && !is_operator(text + from, n)) {
			if (is_std)
				buf__clear(&w->words);
			buf__add(&w->words, text + from, n);
			buf__putc(&w->words, '\0');
			w->is_whole = true;
		}
		at = behind(text, behind_component(text, at), "::");
	}
}

/* The longest of all words, if it is no operator of nobody's. */
static void find_longest(struct written_name *w, const char *text)
{
	size_t n, from = 0, most = 0;

	for (size_t at = 0; text[at]; at += n ? n : 1) {
		n = word_length(text + at);
		if (is_operator(text + at, n)) {
			most = 0;
			break;
		}
		if (n > most) {
			most = n;
			from = at;
		}
	}
	if (most)
		buf__add(&w->words, text + from, most);
	else
		buf__puts(&w->words, "_Z");
	buf__putc(&w->words, '\0');
}

static void find_words(struct written_name *w, const char *text)
{
	find_components(w, text);
	if (!w->words.len)
		find_longest(w, text);
	w->rare = w->words.data;
	for (size_t at = 0; at < w->words.len; at += strlen(w->own) + 1) {
		w->own = w->words.data + at;
		if (strlen(w->own) > strlen(w->rare))
			w->rare = w->own;
	}
}

void written_name__init(struct written_name *w, const char *text, size_t len)
{
	_cleanup_free_ char *copy = xstrndup(text, len);

	*w = (struct written_name){.begins_angle = *copy == '<'};
	if (!*copy || len > WRITTEN_NAME_MAX)
		return;
	spell(&w->key, copy);
	find_words(w, copy);
}

void written_name__done(struct written_name *w)
{
	buf__done(&w->key);
	buf__done(&w->words);
}

/* "3foo" of foo, and Rust's "5_1foo", too. */
static bool has_length(const char *linker, size_t at, size_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%zu", n);

	if (at && linker[at - 1] == '_')
		at--;
	return at >= (size_t)len && memcmp(linker + at - (size_t)len, digits, (size_t)len) == 0;
}

static bool has_all(const struct written_name *w, const char *linker, size_t len)
{
	for (const char *word = w->words.data; word != w->own; word += strlen(word) + 1) {
		if (!memmem(linker, len, word, strlen(word)))
			return false;
	}
	return true;
}

bool written_name__may_be(const struct written_name *w, const char *linker, size_t len)
{
	const size_t n = w->own ? strlen(w->own) : 0;
	const char *at = linker;

	if (!n || !has_all(w, linker, len))
		return false;
	if (len < 2 || linker[0] != '_' || (linker[1] != 'Z' && linker[1] != 'R'))
		return len >= n && memcmp(linker, w->own, n) == 0;
	while ((at = memmem(at, len - (size_t)(at - linker), w->own, n))) {
		if (!w->is_whole || has_length(linker, (size_t)(at - linker), n))
			return true;
		at++;
	}
	return false;
}
