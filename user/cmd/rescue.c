// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The folders are everybody's: the file's name is nobody's before, it is for nobody else (under
 * sudo it is root's, for by now none can be given away), and it is said whole.
 */
#include "cmd/rescue.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/output.h"

/* What it was to be called, behind what nobody can have taken. */
static char *make_name(const char *folder, const struct format *format, const char *path,
		       int *ret_suffix)
{
	size_t len = strcspn(format->suffixes, " ");
	_cleanup_free_ char *plain = xasprintf("-stdout%.*s", (int)len, format->suffixes);
	_cleanup_free_ char *suffix = path ? xasprintf("-%.200s", base_name(path)) :
					     TAKE_PTR(plain);

	*ret_suffix = (int)strlen(suffix);
	return xasprintf("%s/pmubpf-XXXXXX%s", folder, suffix);
}

static bool put_there(FILE *file, const struct prof *prof, const struct format *format,
		      const struct format_opts *opts)
{
	struct room_cut twice = {0}; /* what was left out was counted at the first writing */
	struct format_opts again = *opts;

	again.cut = &twice;
	return format->write(file, prof, &again) == 0 && fflush(file) == 0;
}

/* The file's name; NULL: it has no room there either. */
static char *put_in(const char *folder, const struct prof *prof, const struct format *format,
		    const struct format_opts *opts, const char *path)
{
	int suffix;
	_cleanup_free_ char *name = make_name(folder, format, path, &suffix);
	int fd = mkostemps(name, suffix, O_CLOEXEC);
	_cleanup_fclose_ FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;

	if (!file)
		return NULL;
	if (put_there(file, prof, format, opts))
		return TAKE_PTR(name);
	unlink(name);
	return NULL;
}

void rescue_profile(const struct prof *prof, const struct format *format,
		    const struct format_opts *opts, const char *path)
{
	const char *temp = getenv("TMPDIR");
	const bool named = temp && *temp == '/';
	const char *const folders[] = {named ? temp : "/var/tmp", "/var/tmp", "/tmp", "/dev/shm"};
	_cleanup_free_ char *name = NULL;
	struct err err = {0};

	for (size_t i = named ? 0 : 1; i < ARRAY_SIZE(folders) && !name; i++)
		name = put_in(folders[i], prof, format, opts, path);
	if (name)
		err__set(&err, 0,
			 "what was recorded is in '%s' instead: move it to where there is room",
			 name);
	else
		err__set(&err, 0,
			 "nor is there room for it in %s, /tmp or /dev/shm: make some, or name a "
			 "file on another disk, and record again",
			 folders[0]);
	complain(&err);
}
