// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int output__open(struct output *out, const char *path, struct err *err)
{
	int fd;

	if (!path)
		return 0;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT) {
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
		out->created = fd >= 0;
	}
	out->path = path;
	out->file = fd >= 0 ? fdopen(fd, "w") : NULL;
	return out->file ? 0 : err__set(err, -errno, "can't write '%s': %s", path, strerror(errno));
}

void output__done(struct output *out)
{
	if (!out->file)
		return;
	fclose(out->file);
	if (out->created)
		unlink(out->path);
}

bool ends_in(const char *path, const char *suffix)
{
	size_t n = strlen(path), len = strlen(suffix);

	return n > len && path[n - len - 1] != '/' && strcmp(path + n - len, suffix) == 0;
}

int write_error(const char *path, int r, struct err *err)
{
	return err__set(err, r, "can't write %s: %s", path ? path : "to standard output",
			strerror(-r));
}

void output__empty(struct output *out)
{
	struct stat st;

	out->created = false;
	if (fstat(fileno(out->file), &st) == 0 && S_ISREG(st.st_mode) &&
	    ftruncate(fileno(out->file), 0) < 0)
		return; /* then the write that follows fails, too, and says so */
}

int complain(const struct err *err)
{
	fprintf(stderr, "pmubpf: %s\n", err->text);
	return err->exit_code;
}
