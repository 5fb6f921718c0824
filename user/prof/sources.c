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

static void add_trouble(struct sources *s, enum source_trouble what, const char *path)
{
	if (!s->troubles[what].n++)
		s->troubles[what].first = path;
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
		add_trouble(s, SOURCE_CHANGED, f->path);
	return 0;
}

static enum source_trouble trouble_of(const struct sources *s, int err)
{
	switch (err) {
	case -EINVAL:
		return SOURCE_NO_TEXT;
	case -EFBIG:
		return SOURCE_LARGE;
	case -EACCES:
		return SOURCE_DENIED;
	case -ENOENT:
		return s->only_dir && !s->dir ? SOURCE_CONTAINED : SOURCE_GONE;
	default:
		return SOURCE_OTHER;
	}
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
		s->full = true;
		return NULL;
	}
	f = &s->list[s->n++];
	f->path = xstrdup(path);
	r = read_source(s, f);
	if (r < 0)
		add_trouble(s, trouble_of(s, r), f->path);
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

/* Of one its path; a large function may have a hundred. */
void sources__notes(const struct sources *s, struct buf *out)
{
	static const char *const texts[] = {
#define X(name, text) text,
		SOURCE_TROUBLES(X)
#undef X
	};

	for (int i = 0; i < N_SOURCE_TROUBLES; i++) {
		if (!s->troubles[i].n)
			continue;
		buf__printf(out, "source %s", s->troubles[i].first);
		if (s->troubles[i].n > 1)
			buf__printf(out, " and %u more", s->troubles[i].n - 1);
		buf__printf(out, ": %s\n", texts[i]);
	}
	if (s->full)
		buf__printf(out, "sources: of more than %d files none is shown\n", SOURCES_MAX);
}

void sources__done(struct sources *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		free(s->list[i].path);
		free(s->list[i].text);
		free(s->list[i].lines);
	}
	*s = (struct sources){0};
}
