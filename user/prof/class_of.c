// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What stands before the last "::" (or, in Go, the last ".") that is in no brackets. Brackets of
 * operators are
 * none: operator<, operator->.
 */
#include <string.h>

#include "base/mem.h"
#include "prof/keys.h"

static const char operator_word[] = "operator";

/* Where the parameters, or a clone's suffix, begin. */
static size_t name_end(const char *name)
{
	int depth = 0;

	for (size_t i = 0; name[i]; i++) {
		if (depth == 0 && strncmp(name + i, operator_word, strlen(operator_word)) == 0)
			return i; /* the last part, whatever its signs are */
		if (strchr("<[{", name[i]))
			depth++;
		else if (strchr(">]}", name[i]) && depth && !(i && name[i - 1] == '-'))
			depth--;
		else if (depth == 0 && name[i] == '(' && strncmp(name + i, "(anonymous", 10) == 0)
			depth++;
		else if (depth && name[i] == ')')
			depth--;
		else if (depth == 0 && name[i] == '(' && name[i + 1] != '*')
			return i;
	}
	return strlen(name);
}

/* What compilers append to the names of parts and copies of C functions: "foo.part.0",
 * "foo.constprop.0.isra.0". */
static bool is_clone_suffix(const char *dot)
{
	static const char *const words[] = {"part",     "isra",       "constprop", "cold",
					    "lto_priv", "localalias", "llvm",      "clone"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t len = strlen(words[i]);
		const char *after = dot + 1 + len;

		if (strncmp(dot + 1, words[i], len) == 0 &&
		    (!*after || *after == '.' || strcmp(after, "_[k]") == 0))
			return true;
	}
	return false;
}

/* Go: "net/http.(*conn).serve": the type, or the package. */
static size_t go_class(const char *name, size_t end)
{
	const char *slash = memrchr(name, '/', end), *dot;
	size_t from = slash ? (size_t)(slash - name) : 0, type;

	dot = memchr(name + from, '.', end - from);
	if (!dot || is_clone_suffix(dot))
		return 0;
	type = (size_t)(dot - name) + 1;
	if (name[type] == '(') {
		const char *close = memchr(name + type, ')', strlen(name + type));

		return close ? (size_t)(close - name) + 1 : (size_t)(dot - name);
	}
	return (size_t)(dot - name);
}

/* "<T as Trait>::f": T. */
static size_t rust_impl(const char *name, size_t start, size_t end)
{
	const char *as = memmem(name + start, end - start, " as ", 4);

	return name[start] == '<' && as ? (size_t)(as - name) : 0;
}

void class_of_name(const char *name, struct buf *out)
{
	size_t end = name_end(name), start = 0, last = 0;
	int depth = 0;

	for (size_t i = 0; i < end; i++) {
		if (strchr("<[{(", name[i]))
			depth++;
		else if (strchr(">]})", name[i]) && depth && !(i && name[i - 1] == '-'))
			depth--;
		else if (depth == 0 && name[i] == ' ')
			start = i + 1; /* behind the type of what it returns */
		else if (depth == 0 && name[i] == ':' && name[i + 1] == ':')
			last = i;
	}
	if (last > start) {
		size_t impl = rust_impl(name, start, last);

		if (impl)
			buf__add(out, name + start + 1, impl - start - 1);
		else
			buf__add(out, name + start, last - start);
		return;
	}
	last = strstr(name, "::") ? 0 : go_class(name, end);
	if (last && name[0] != '.' && name[0] != '[')
		buf__add(out, name, last);
	else
		buf__puts(out, "[none]");
}

/* "f.<locals>.C.m": C is a class, inside of f; "C.m.<locals>.f": f is a function, inside of one of
 * C's. */
void class_of_python(const char *name, struct buf *out)
{
	static const char inside[] = ".<locals>";
	const size_t n_inside = sizeof(inside) - 1;
	size_t end = strlen(name);
	const char *dot;

	do {
		dot = memrchr(name, '.', end);
		end = dot ? (size_t)(dot - name) : 0;
		if (end < n_inside || memcmp(name + end - n_inside, inside, n_inside) != 0)
			break;
		end -= n_inside; /* the function that it is inside of */
	} while (end);
	if (end)
		buf__add(out, name, end);
	else
		buf__puts(out, "[none]");
}
