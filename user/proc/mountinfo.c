// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "proc/mountinfo.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The kernel writes space, tab, newline and backslash as \040 and so on. In place. */
static void undo_escapes(char *text)
{
	char *out = text;

	for (; *text; text++) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] >= '0' &&
		    text[2] <= '7' && text[3] >= '0' && text[3] <= '7') {
			*out++ = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 +
					(text[3] - '0'));
			text += 3;
		} else {
			*out++ = *text;
		}
	}
	*out = '\0';
}

/* "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw" */
static void parse_line(struct mountinfo *info, char *line)
{
	char *fields[5];

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		fields[i] = strsep(&line, " ");
		if (!fields[i])
			return;
	}
	undo_escapes(fields[3]);
	undo_escapes(fields[4]);
	GROW(info->lines, info->n, info->cap);
	info->lines[info->n++] = (struct mount_line){fields[2], fields[3], fields[4]};
}

void mountinfo__parse(struct mountinfo *ret, char *text)
{
	char *rest = text, *line;

	*ret = (struct mountinfo){.text = text};
	while (text && (line = strsep(&rest, "\n")))
		parse_line(ret, line);
}

void mountinfo__done(struct mountinfo *info)
{
	free(info->lines);
	free(info->text);
	*info = (struct mountinfo){0};
}

const struct mount_line *mountinfo__at(const struct mountinfo *info, const char *point)
{
	for (size_t i = info->n; i > 0; i--) {
		if (strcmp(info->lines[i - 1].point, point) == 0)
			return &info->lines[i - 1];
	}
	return NULL;
}

/* What follows a folder in a path below it ("" for itself), or NULL. */
static const char *below(const char *path, const char *folder)
{
	size_t len = strcmp(folder, "/") == 0 ? 0 : strlen(folder);

	if (strncmp(path, folder, len) != 0 || (path[len] && path[len] != '/'))
		return NULL;
	return path + len;
}

char *mountinfo__reach(const struct mountinfo *info, const char *device, const char *path)
{
	const struct mount_line *best = NULL;

	for (size_t i = 0; i < info->n; i++) {
		const struct mount_line *m = &info->lines[i];

		if (strcmp(m->device, device) == 0 && below(path, m->root) &&
		    (!best || strlen(m->root) > strlen(best->root)))
			best = m;
	}
	if (!best)
		return NULL;
	return xasprintf("%s%s", strcmp(best->point, "/") == 0 ? "" : best->point,
			 below(path, best->root));
}
