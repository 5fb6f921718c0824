// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/profiles.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "pmubpf/budgets.h"
#include "prof/merge.h"
#include "prof/prune.h"
#include "prof/readable.h"
#include "render/escape.h"
#include "render/pprof.h"
#include "sym/sym.h"
#include "sys/clock.h"

/* As messages have it: 'a.pb.gz'. The caller frees. */
static char *quoted(const char *path)
{
	struct buf text = {0};

	if (strcmp(path, "-") == 0)
		return xstrdup("standard input");
	buf__putc(&text, '\'');
	escape_name(&text, path);
	buf__putc(&text, '\'');
	return buf__take(&text);
}

int profile__pack(const struct prof *p)
{
	_cleanup_close_ int fd = memfd_create("pmubpf-window", MFD_CLOEXEC);
	int copy = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
	_cleanup_fclose_ FILE *file = copy >= 0 ? fdopen(copy, "w") : NULL;
	int r;

	if (!file) {
		r = -errno;
		if (copy >= 0)
			close(copy);
		return r;
	}
	r = pprof__write(file, p);
	return r < 0 ? r : TAKE_FD(fd);
}

int profile__load(struct prof **ret, const char *path, const struct pprof_limits *limits,
		  struct err *err)
{
	_cleanup_free_ char *name = quoted(path);
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (strcmp(path, "-") == 0)
		return pprof__read(ret, STDIN_FILENO, name, limits, err);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err__set(err, -errno, "can't read %s: %s", name, strerror(errno));
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
		return err__set(err, -EISDIR, "%s is a folder, not a profile", name);
	return pprof__read(ret, fd, name, limits, err);
}

static void free_prof(struct prof **p)
{
	prof__free(*p);
}

int profiles__load(struct prof **ret, char *const *paths, size_t n,
		   const struct pprof_limits *limits, struct err *err)
{
	_cleanup_(free_prof) struct prof *sum = NULL;
	int r = profile__load(&sum, paths[0], limits, err);

	for (size_t i = 1; r == 0 && i < n; i++) {
		_cleanup_(free_prof) struct prof *next = NULL;
		_cleanup_free_ char *name = quoted(paths[i]);

		r = profile__load(&next, paths[i], limits, err);
		if (r == 0)
			r = prof__merge(&sum, next, name, err);
	}
	if (r == 0)
		*ret = TAKE_PTR(sum);
	return r;
}

void profiles__demangle(struct prof *p)
{
	struct err err = {0};
	struct sym *sym;
	size_t left;

	if (!prof__has_mangled(p))
		return;
	if (sym__new(&sym, &err) < 0) {
		fprintf(stderr, "pmubpf: function names stay mangled: %s\n", err.text);
		return;
	}
	sym__until(sym, now_ns() + BUDGET_NAMING_S * 1000000000ULL, -1, 0);
	left = prof__demangle(p, sym);
	if (left) {
		_cleanup_free_ char *why = sym__take_trouble(sym);

		fprintf(stderr,
			"pmubpf: %zu function names stay mangled: the helper process, which "
			"demangles them, %s\n",
			left, why ? why : "took too long");
	}
	sym__free(sym);
}

void profiles__prune(struct prof **p)
{
	struct err err = {0};

	if (prof__prune(p, &err) < 0)
		fprintf(stderr, "pmubpf: %s\n", err.text);
}

void selection__add_label(struct selection *s, const char *key, const char *value)
{
	GROW(s->labels, s->n_labels, s->cap_labels);
	s->labels[s->n_labels++] = (struct label_filter){key, value};
}

int selection__parse_label(struct selection *s, char *arg, struct err *err)
{
	char *equals = strchr(arg, '=');

	if (!equals || equals == arg)
		return err__usage(err, "--label '%s': that is not KEY=VALUE", arg);
	*equals = '\0';
	selection__add_label(s, arg, equals + 1);
	return 0;
}

int parse_percentage(const char *arg, double *ret)
{
	size_t len = strlen(arg);
	_cleanup_free_ char *number = xstrndup(arg, len - (len && arg[len - 1] == '%'));

	return num__parse_f64(number, ret);
}

uint64_t profiles__max_output(const struct pprof_limits *limits)
{
	return 4 * (limits->max_bytes ? limits->max_bytes : PPROF_MAX_BYTES);
}

void profiles__tell_cut(size_t n_rows, const struct pprof_limits *limits)
{
	if (n_rows)
		fprintf(stderr,
			"pmubpf: the last %zu rows did not fit into %.1f MB and are left out; "
			"--max-size allows more\n",
			n_rows, (double)profiles__max_output(limits) / 1e6);
}

int profiles__parse_limit(struct pprof_limits *ret, const char *text, struct err *err)
{
	const uint64_t most = (uint64_t)64 << 30;
	uint64_t bytes;

	if (num__parse_size(text, &bytes) < 0 || bytes < 1024 || bytes > most)
		return err__usage(err, "--max-size '%s' is not a size from 1K to 64G (as in 512M)",
				  text);
	ret->max_bytes = bytes;
	return 0;
}
