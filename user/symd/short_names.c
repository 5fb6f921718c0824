// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: an argument may be left out only where it is the default, since std::map<K, V>
 * and one with another order are two types. So it is compared with what the first argument makes
 * it.
 */
#include "symd/short_names.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"

enum {
	NESTED_MAX = 64,
	ARGS_MAX = 8, /* of a template, that are looked at; of one with more nothing is left out */
};

/* Arguments of a template, or what stands in other brackets; all are offsets in the buffer. */
struct args {
	char ends_at;
	size_t name, open; /* open: of the bracket */
	size_t at[ARGS_MAX];
	size_t n;
};

struct shortener {
	struct buf *b;
	struct args nest[NESTED_MAX];
	size_t depth;
};

/* Of what the first argument is. */
static const char *const of_first[] = {
	"std::char_traits<", "std::less<", "std::hash<", "std::equal_to<", "std::default_delete<",
};

static const char allocator[] = "std::allocator<";

/* Whose last arguments have defaults, behind so many that have none. */
static const struct {
	const char *name;
	uint8_t told;
	bool is_family; /* all whose names begin so */
} containers[] = {
	{"std::basic_", 1, true},        {"std::vector", 1, false},
	{"std::list", 1, false},         {"std::forward_list", 1, false},
	{"std::deque", 1, false},        {"std::set", 1, false},
	{"std::multiset", 1, false},     {"std::unordered_set", 1, false},
	{"std::map", 2, false},          {"std::unordered_multiset", 1, false},
	{"std::multimap", 2, false},     {"std::unordered_map", 2, false},
	{"std::unique_ptr", 1, false},   {"std::unordered_multimap", 2, false},
	{"std::_Vector_base", 1, false},
};

/* Rust's. */
static const char *const defaults[] = {
	"alloc::alloc::Global",
	"std::hash::random::RandomState",
	"std::collections::hash::map::RandomState",
};

static const char *const hidden[] = {"std::__cxx11::", "std::__1::"};

/* typedefs of std::basic_…<C>: what stands before their names. */
static const struct {
	const char *argument, *prefix;
	bool texts_only;
} basics[] = {
	{"char", "", false},       {"wchar_t", "w", false},   {"char8_t", "u8", true},
	{"char16_t", "u16", true}, {"char32_t", "u32", true},
};

bool name_is_bracket(const char *name, size_t i)
{
	static const char word[] = "operator";
	const size_t len = sizeof(word) - 1;
	size_t first = i;

	if (name[i] != '<' && name[i] != '>')
		return false;
	if (i && (name[i - 1] == '-' || name[i - 1] == '='))
		return false;
	while (first && (name[first - 1] == '<' || name[first - 1] == '>'))
		first--;
	return first < len || strncmp(name + first - len, word, len) != 0 || i - first > 1;
}

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == ':';
}

/* What was appended at `at` begins with that. */
static bool begins(const struct buf *b, size_t at, const char *with)
{
	const size_t len = strlen(with);

	return at + len <= b->len && memcmp(b->data + at, with, len) == 0;
}

/* What has just been appended ends with that, and is all of the name until here. */
static bool ends_as(const struct buf *b, const char *with)
{
	const size_t len = strlen(with);

	return b->len >= len && memcmp(b->data + b->len - len, with, len) == 0 &&
	       (b->len == len || !is_of_name(b->data[b->len - len - 1]));
}

static void hide_namespace(struct buf *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(hidden); i++) {
		if (ends_as(b, hidden[i]))
			b->len -= strlen(hidden[i]) - strlen("std::");
	}
}

static bool open(struct shortener *s, char ends_at)
{
	struct args *a;

	if (s->depth == NESTED_MAX)
		return false;
	a = &s->nest[s->depth++];
	*a = (struct args){.ends_at = ends_at, .name = s->b->len, .open = s->b->len};
	while (a->name && is_of_name(s->b->data[a->name - 1]))
		a->name--;
	return true;
}

static size_t len_of_first(const struct args *a)
{
	return a->at[1] - strlen(", ") - a->at[0];
}

/* How many arguments are to be told in any case. Of what isn't listed: all of them. */
static size_t most_told(const struct buf *b, const struct args *a)
{
	for (size_t i = 0; i < ARRAY_SIZE(containers); i++) {
		const size_t len = strlen(containers[i].name);

		if (begins(b, a->name, containers[i].name) &&
		    (containers[i].is_family || a->name + len == a->open))
			return containers[i].told;
	}
	return ARGS_MAX;
}

/* The bracket that opens there closes with what was appended last. */
static bool closes_last(const struct buf *b, size_t open)
{
	size_t depth = 0;

	for (size_t i = open; i < b->len; i++) {
		depth += b->data[i] == '<';
		depth -= depth && b->data[i] == '>';
		if (!depth)
			return i + 1 == b->len;
	}
	return false;
}

/* The last argument, which isn't the first. */
static bool is_default(const struct buf *b, const struct args *a)
{
	const char *first = b->data + a->at[0];
	const size_t at = a->at[a->n - 1], len = b->len - at, of = len_of_first(a);

	for (size_t i = 0; i < ARRAY_SIZE(defaults); i++) {
		if (len == strlen(defaults[i]) && begins(b, at, defaults[i]))
			return true;
	}
	if (a->n <= most_told(b, a))
		return false;
	if (begins(b, at, allocator))
		return closes_last(b, at + strlen(allocator) - 1);
	for (size_t i = 0; i < ARRAY_SIZE(of_first); i++) {
		const size_t head = strlen(of_first[i]);

		if (len == head + of + (first[of - 1] == '>' ? strlen(" >") : strlen(">")) &&
		    begins(b, at, of_first[i]) && memcmp(b->data + at + head, first, of) == 0)
			return true;
	}
	return false;
}

/* std::basic_string<char> is std::string. False: it isn't one of these. */
static bool put_basic(struct buf *b, const struct args *a)
{
	static const char head[] = "std::basic_";
	const size_t at = a->name + sizeof(head) - 1, len = b->len - a->at[0];

	if (a->n != 1 || at >= a->open || !begins(b, a->name, head))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(basics); i++) {
		char rest[32] = "";
		const size_t of_name = a->open - at;

		if (len != strlen(basics[i].argument) || of_name >= sizeof(rest) ||
		    memcmp(b->data + a->at[0], basics[i].argument, len) != 0 ||
		    (basics[i].texts_only && !begins(b, at, "string")))
			continue;
		memcpy(rest, b->data + at, of_name);
		b->len = a->name;
		buf__printf(b, "std::%s%s", basics[i].prefix, rest);
		return true;
	}
	return false;
}

static bool close_bracket(struct shortener *s, char c)
{
	struct buf *b = s->b;
	struct args *a;

	if (!s->depth || s->nest[s->depth - 1].ends_at != c)
		return false;
	a = &s->nest[--s->depth];
	if (c != '>') {
		buf__putc(b, c);
		return true;
	}
	while (b->len > a->at[0] && b->data[b->len - 1] == ' ')
		b->len--;
	if (a->n > ARGS_MAX)
		a->n = 0;
	for (; a->n > 1 && b->len > a->at[a->n - 1] && len_of_first(a) && is_default(b, a); a->n--)
		b->len = a->at[a->n - 1] - strlen(", ");
	if (!put_basic(b, a))
		buf__puts(b, b->data[b->len - 1] == '>' ? " >" : ">");
	return true;
}

static void begin_arg(struct shortener *s)
{
	struct args *a = &s->nest[s->depth - 1];

	if (a->n < ARGS_MAX)
		a->at[a->n] = s->b->len;
	a->n += a->n <= ARGS_MAX;
}

/* A character of the name. False: it makes no sense. */
static bool put(struct shortener *s, const char *name, size_t *i)
{
	const char c = name[*i];

	if (name_is_bracket(name, *i) && c == '<') {
		if (!open(s, '>'))
			return false;
		buf__putc(s->b, c);
		begin_arg(s);
		return true;
	}
	if (name_is_bracket(name, *i) || c == ')' || c == '}')
		return close_bracket(s, c);
	buf__putc(s->b, c);
	if (c == '(' || c == '{')
		return open(s, c == '(' ? ')' : '}');
	if (c == ',' && s->depth && s->nest[s->depth - 1].ends_at == '>') {
		buf__putc(s->b, ' ');
		while (name[*i + 1] == ' ')
			++*i;
		begin_arg(s);
	} else if (c == ':') {
		hide_namespace(s->b);
	}
	return true;
}

void short_name__put(struct buf *b, const char *name)
{
	struct buf made = {0};
	struct shortener s = {.b = &made};
	bool fine = true;

	for (size_t i = 0; name[i] && fine; i++)
		fine = put(&s, name, &i);
	if (fine && !s.depth && made.len)
		buf__add(b, made.data, made.len);
	else
		buf__puts(b, name);
	buf__done(&made);
}
