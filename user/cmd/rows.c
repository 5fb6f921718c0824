// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "render/report.h"

/* Trees have no keys. */
static bool is_key(struct group_opts *opts, const char *word, bool tree)
{
	for (size_t i = 0; i < opts->n_keys && !tree; i++) {
		if (strcmp(opts->keys[i].word, word) != 0)
			continue;
		opts->sort_level = (uint32_t)i + 1;
		return true;
	}
	return false;
}

int rows__sort_by(struct group_opts *opts, const char *text, bool tree, const struct prof *p,
		  struct err *err)
{
	_cleanup_free_ char *name = NULL;
	struct prof_event *events;
	size_t n = prof__events(p, &events), len;
	int r = -ENOENT;

	text = text ? text : "";
	len = strlen(text);
	if (len > 6 && strcmp(text + len - 6, ":total") == 0) {
		opts->sort_total = true;
		len -= 6;
	}
	name = xstrndup(text, len);
	if (!*name || strcmp(name, "self") == 0 || is_key(opts, text, tree) ||
	    strcmp(name, "total") == 0) {
		opts->sort_total |= strcmp(name, "total") == 0 || (!*name && tree);
		opts->sort_type = report_event__type(&events[0]);
		r = 0;
	}
	for (size_t i = 0; r < 0 && i < n; i++) {
		if (strcmp(events[i].name, name) == 0) {
			opts->sort_type = report_event__type(&events[i]);
			r = 0;
		}
	}
	prof_events__free(events, n);
	if (r < 0)
		return err__usage(
			err,
			"--sort '%s': it is neither self, nor total, nor an event of the profile, "
			"nor what --by has",
			name);
	return 0;
}

unsigned terminal_width(FILE *file)
{
	const char *columns = file == stdout ? getenv("COLUMNS") : NULL;
	struct winsize size;
	int width;

	if (columns && num__parse_int(columns, 20, 10000, &width) == 0)
		return (unsigned)width;
	if (isatty(fileno(file)) && ioctl(fileno(file), TIOCGWINSZ, &size) == 0)
		return size.ws_col;
	return 0;
}
