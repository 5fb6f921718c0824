// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: whoever made the program chose the names. What stands in such a file is shown to
 * the user, so it has to be one that he could have read himself; and files of the kernel's that
 * have no size tell of this process, so they are none.
 */
#include "prof/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sys/open.h"

/* The longest end of the path that the folder has. */
static int open_in_folder(const struct sources *s, const char *path)
{
	_cleanup_close_ int dir = open(s->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = -ENOENT;

	for (int i = 0; i < SOURCE_SUFFIXES_MAX && dir >= 0 && fd < 0 && path; i++) {
		path += strspn(path, "/");
		if (*path)
			fd = open_regular(dir, path);
		path = strchr(path, '/');
	}
	return fd;
}

/* *ret_public: it has to be readable for everybody. */
static int open_source(const struct sources *s, const char *path, bool *ret_public)
{
	int fd = s->dir ? open_in_folder(s, path) : -ENOENT;

	*ret_public = false;
	if (fd >= 0 || s->only_dir)
		return fd;
	*ret_public = s->only_public;
	return *path == '/' ? open_regular(-1, path) : -ENOENT;
}

static int check(const struct sources *s, int fd, bool public, struct stat *ret)
{
	if (fstat(fd, ret) < 0)
		return -errno;
	if (!S_ISREG(ret->st_mode) || ret->st_size <= 0)
		return -EINVAL;
	if (public && !(ret->st_mode & S_IROTH))
		return -EACCES;
	if (ret->st_size > SOURCE_BYTES_MAX ||
	    s->bytes + (uint64_t)ret->st_size > SOURCES_BYTES_MAX)
		return -EFBIG;
	return 0;
}

static void find_lines(struct source *f, size_t len)
{
	size_t cap = 0;

	for (size_t at = 0; at < len;) {
		const char *end = memchr(f->text + at, '\n', len - at);

		GROW(f->lines, f->n_lines, cap);
		f->lines[f->n_lines++] = (uint32_t)at;
		at = end ? (size_t)(end - f->text) + 1 : len;
	}
}

static int read_source(struct sources *s, struct source *f)
{
	bool public;
	_cleanup_close_ int fd = open_source(s, f->path, &public);
	struct stat st;
	ssize_t n;
	int r = fd < 0 ? fd : check(s, fd, public, &st);

	if (r < 0)
		return r;
	f->text = xcalloc(1, (size_t)st.st_size + 1);
	n = pread(fd, f->text, (size_t)st.st_size, 0);
	if (n < 0 || memchr(f->text, '\0', (size_t)n)) {
		r = n < 0 ? -errno : -EINVAL;
		free(TAKE_PTR(f->text));
		return r;
	}
	s->bytes += (uint64_t)n;
	find_lines(f, (size_t)n);
	if (s->built && st.st_mtime > s->built)
		buf__printf(&s->notes,
			    "source %s was changed after the program was built: its lines may be "
			    "others\n",
			    f->path);
	return 0;
}

static void note(struct sources *s, const char *path, int err)
{
	buf__printf(&s->notes, "source %s: %s\n", path,
		    err == -EINVAL         ? "not a text file" :
		    err == -EFBIG          ? "too large" :
		    s->only_dir && !s->dir ? "of a container: --source DIR says where it is" :
		    err == -ENOENT         ? "not there; --source DIR looks for it in DIR" :
					     strerror(-err));
}

static struct source *find(struct sources *s, const char *path)
{
	struct source *f;
	int r;

	for (unsigned i = 0; i < s->n; i++) {
		if (strcmp(s->list[i].path, path) == 0)
			return &s->list[i];
	}
	if (s->n == SOURCES_MAX) {
		if (!s->full)
			buf__printf(&s->notes, "sources: of more than %d files none is shown\n",
				    SOURCES_MAX);
		s->full = true;
		return NULL;
	}
	f = &s->list[s->n++];
	f->path = xstrdup(path);
	r = read_source(s, f);
	if (r < 0)
		note(s, path, r);
	return f;
}

char *sources__line(struct sources *s, const char *path, uint32_t line)
{
	const struct source *f = path && line ? find(s, path) : NULL;
	const char *text;

	if (!f || !f->text || line > f->n_lines)
		return NULL;
	text = f->text + f->lines[line - 1];
	return xstrndup(text, strcspn(text, "\r\n"));
}

void sources__done(struct sources *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		free(s->list[i].path);
		free(s->list[i].text);
		free(s->list[i].lines);
	}
	buf__done(&s->notes);
	*s = (struct sources){0};
}
