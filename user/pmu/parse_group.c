// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Groups of events in braces, which count at the same time or not at all. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmu/parse.h"

static const char *skip_space(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

/* S samples the others when the first event overflows: nothing to stat, as in perf. */
static void drop_letter(char *mods, char letter)
{
	char *to = mods;

	for (; *mods; mods++) {
		if (*mods != letter)
			*to++ = *mods;
	}
	*to = '\0';
}

int group__open(const struct parser *parser, const char **p, char **ret_mods)
{
	struct err *err = parser->err;
	const char *begin = skip_space(*p), *end;

	*ret_mods = NULL;
	if (*begin != '{')
		return 0;
	end = strchr(begin, '}');
	if (!end)
		return err__usage(err, "'%.100s': the brace of a group is not closed", begin);
	if (*skip_space(begin + 1) == '}')
		return err__usage(err, "'%.100s': a group without events", begin);
	end++;
	if (*end == ':') {
		size_t len = strcspn(end + 1, ", \t\n");

		*ret_mods = xstrndup(end + 1, len);
		if (!len)
			return err__usage(
				err,
				"'%.100s': modifiers are missing after the colon (allowed: %s)",
				begin, MODIFIERS);
		if (parser->counting)
			drop_letter(*ret_mods, 'S');
		if (strchr(*ret_mods, 'S'))
			return err__usage(err,
					  "'%.100s': S, sampling by the first event, is "
					  "EVENT/at-clock/ here: read at the overflows of a clock",
					  begin);
		end += 1 + len;
	}
	end = skip_space(end);
	if (*end && *end != ',')
		return err__usage(err,
				  "'%.100s': only a comma or a colon may follow a group, not '%c'",
				  begin, *end);
	*p = begin + 1;
	return 1;
}

int group__close(const char **p)
{
	if (**p != '}')
		return 0;
	*p += strcspn(*p, ",");
	return 1;
}

/* Each letter once; a p more is more precise. */
void spec__add_group_mods(struct spec *spec, const char *mods)
{
	_cleanup_free_ char *own = NULL;
	size_t n;

	if (!*mods)
		return;
	own = TAKE_PTR(spec->mods);
	n = own ? strlen(own) : 0;
	spec->mods = xcalloc(1, n + strlen(mods) + 1);
	if (own)
		memcpy(spec->mods, own, n);
	for (; *mods; mods++) {
		if (*mods == 'p' || !strchr(spec->mods, *mods))
			spec->mods[n++] = *mods;
	}
}
