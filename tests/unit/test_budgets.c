// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is written about the budgets is what the code has. A row that is missing is printed as it
 * should be. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "pmubpf/budgets.h"

static const struct row {
	int number;
	const char *how, *what, *beyond, *key;
} rows[] = {
#define X(id, number, how, what, beyond, key) {number, how, what, beyond, key},
	BUDGETS(X)
#undef X
};

static void read_file(const char *name, struct buf *text)
{
	_cleanup_free_ char *path = xasprintf("%s/../../%s", TREES, name);
	FILE *file = fopen(path, "r");
	char block[4096];
	size_t n;

	cr_assert(file, "%s", path);
	while ((n = fread(block, 1, sizeof(block), file)) > 0)
		buf__add(text, block, n);
	fclose(file);
	buf__putc(text, '\0');
}

/* A row's "%d of …", which is no format for the compiler. */
static void put_how(struct buf *out, const struct row *r)
{
	const char *at = strstr(r->how, "%d");

	cr_assert(at, "%s", r->how);
	buf__add(out, r->how, (size_t)(at - r->how));
	buf__printf(out, "%d%s", r->number, at + 2);
}

static void put_markdown(struct buf *out, const struct row *r)
{
	buf__printf(out, "| %s | ", r->what);
	put_how(out, r);
	buf__printf(out, *r->key ? " | %s | `%s` |\n" : " | %s |%s |\n", r->beyond, r->key);
}

static void put_mdoc(struct buf *out, const struct row *r)
{
	buf__printf(out, ".It %s\n", r->what);
	put_how(out, r);
	buf__printf(out, *r->key ? ": %s\n.Pq Cm %s\n" : ": %s%s\n", r->beyond, r->key);
}

static void expect_rows(const char *file, const char *begin, const char *end,
			void (*put)(struct buf *out, const struct row *r))
{
	_cleanup_(buf__done) struct buf text = {0}, want = {0};
	const char *from;

	read_file(file, &text);
	from = strstr(text.data, begin);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		put(&want, &rows[i]);
	buf__puts(&want, end);
	cr_assert(from && strncmp(from + strlen(begin), want.data, want.len) == 0,
		  "%s: behind \"%s\" stands something else than:\n%s", file, begin, want.data);
}

Test(budgets, stand_in_security_md)
{
	expect_rows("SECURITY.md",
		    "| what | how much | beyond that | summary |\n| --- | --- | --- | --- |\n",
		    "\n", put_markdown);
}

Test(budgets, stand_in_the_man_page)
{
	expect_rows(
		"docs/man/pmubpf-summary.5",
		".Sh BUDGETS\n"
		"What programs can have too much of, how much of it there is, what happens beyond\n"
		"that, and where the summary counts it.\n.Bl -tag -width Ds\n",
		".El\n", put_mdoc);
}
