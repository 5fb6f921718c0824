// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the names are is asked of argp's own tables, so that each option of the command line is one
 * of the file. The hard thing is a wrong name or a value too many: argp would print and exit, and
 * whoever reads the file again must go on.
 */
#include "cmd/config_file.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "sys/open.h"

/* ---------------------------------------------------------------- argp's tables */

static bool is_end(const struct argp_option *o)
{
	return !o->name && !o->key && !o->doc && !o->group;
}

static const struct argp_option *find_option(const struct argp *argp, const char *name)
{
	const struct argp_option *found = NULL;

	for (const struct argp_option *o = argp->options; o && !is_end(o); o++) {
		if (o->name && strcmp(o->name, name) == 0)
			return o;
	}
	for (const struct argp_child *c = argp->children; !found && c && c->argp; c++)
		found = find_option(c->argp, name);
	return found;
}

/* As getopt_long() wants them. */
struct getopt_tables {
	struct option *long_ones;
	const struct argp_option **options; /* of each */
	size_t n, cap, cap_options;
	struct buf letters;
};

static void add_letter(struct getopt_tables *t, const struct argp_option *o)
{
	char text[4] = {(char)o->key};

	if (o->key <= ' ' || o->key >= 127)
		return;
	if (o->arg)
		text[1] = ':';
	if (o->arg && (o->flags & OPTION_ARG_OPTIONAL))
		text[2] = ':';
	buf__puts(&t->letters, text);
}

static void add_options(struct getopt_tables *t, const struct argp *argp)
{
	for (const struct argp_option *o = argp->options; o && !is_end(o); o++) {
		add_letter(t, o);
		if (!o->name)
			continue;
		GROW(t->long_ones, t->n, t->cap);
		GROW(t->options, t->n, t->cap_options);
		t->options[t->n] = o;
		t->long_ones[t->n++] = (struct option){
			.name = o->name,
			.has_arg = !o->arg                          ? no_argument :
				   (o->flags & OPTION_ARG_OPTIONAL) ? optional_argument :
								      required_argument,
		};
	}
	for (const struct argp_child *c = argp->children; c && c->argp; c++)
		add_options(t, c->argp);
}

/* Calls back for each option of argv, up to the first word that is none. */
static void each_option(const struct argp *argp, int argc, char **argv,
			void (*with)(void *ctx, const struct argp_option *o, const char *value),
			void *ctx)
{
	struct getopt_tables t = {0};
	_cleanup_free_ char **words = xmemdup(argv, ((size_t)argc + 1) * sizeof(*argv));
	int r, at = 0;

	buf__puts(&t.letters, "-:");
	add_options(&t, argp);
	GROW(t.long_ones, t.n, t.cap);
	t.long_ones[t.n] = (struct option){0};
	opterr = 0;
	optind = 0;
	while ((r = getopt_long(argc, words, t.letters.data, t.long_ones, &at)) != -1 && r != 1) {
		if (r == 0) {
			with(ctx, t.options[at], optarg);
			continue;
		}
		for (size_t i = 0; i < t.n; i++) {
			if (t.options[i]->key == r)
				with(ctx, t.options[i], optarg);
		}
	}
	free(t.long_ones);
	free(t.options);
	buf__done(&t.letters);
}

/* ---------------------------------------------------------------- the text */

static char *trim(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	for (end = text + strlen(text); end > text && isspace((unsigned char)end[-1]); end--)
		;
	*end = '\0';
	return text;
}

static bool has_control(const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' && *text != '\t' && *text != '\r')
			return true;
	}
	return false;
}

static int parse_line(struct config_file *f, char *text, const char *where, const struct argp *argp,
		      struct err *err)
{
	char *value = strchr(text, '='), *name;
	const struct argp_option *o;

	if (has_control(text))
		return err__usage(err, "%s: a control character", where);
	if (value)
		*value++ = '\0';
	name = trim(text);
	value = value ? trim(value) : NULL;
	o = strcmp(name, "config") == 0 ? NULL : find_option(argp, name);
	if (!o)
		return err__usage(err, "%s: '%.60s' is no option that can stand in a file", where,
				  name);
	if (!o->arg && value)
		return err__usage(err, "%s: '%s' takes no value: leave it out, or the whole line",
				  where, name);
	if (o->arg && (!value || !*value) && !(o->flags & OPTION_ARG_OPTIONAL))
		return err__usage(err, "%s: '%s' wants a value: %s = %s", where, name, name,
				  o->arg);
	GROW(f->lines, f->n, f->cap);
	f->lines[f->n++] = (struct config_line){o->name, value ? xstrdup(value) : NULL};
	return 0;
}

int config_file__parse(struct config_file *f, const char *text, const char *label,
		       const struct argp *argp, struct err *err)
{
	_cleanup_free_ char *copy = xstrdup(text);
	char *at = copy, *line;
	unsigned number = 0;
	int r = 0;

	*f = (struct config_file){0};
	while (r == 0 && (line = strsep(&at, "\n"))) {
		_cleanup_free_ char *where = xasprintf("%s, line %u", label, ++number);

		line = trim(line);
		if (!*line || *line == '#')
			continue;
		r = f->n >= CONFIG_LINES_MAX ?
			    err__usage(err, "%s: more than %d options", where, CONFIG_LINES_MAX) :
			    parse_line(f, line, where, argp, err);
	}
	if (r < 0)
		config_file__done(f);
	return r;
}

/* ---------------------------------------------------------------- the file */

static int check_owner(int fd, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err__set(err, -errno, "can't look at '%s': %s", path, strerror(errno));
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return err__set(err, -EPERM,
				"'%s' belongs to user %u, who could tell this one what to do: "
				"chown it to root",
				path, (unsigned)st.st_uid);
	if (st.st_mode & 022)
		return err__set(err, -EPERM,
				"others may write to '%s' (its mode is %04o): chmod go-w it", path,
				st.st_mode & 07777);
	if (st.st_size > CONFIG_BYTES_MAX)
		return err__set(err, -EFBIG, "'%s' has more than %d kB, and isn't read", path,
				CONFIG_BYTES_MAX / 1024);
	return 0;
}

static ssize_t read_all(int fd, char *text, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while (len < size && (n = read(fd, text + len, size - len))) {
		if (n < 0)
			return -errno;
		len += (size_t)n;
	}
	return (ssize_t)len;
}

int config_file__read(struct config_file *f, const char *path, const struct argp *argp,
		      struct err *err)
{
	_cleanup_close_ int fd = open_no_link(-1, path);
	_cleanup_free_ char *text = xcalloc(1, CONFIG_BYTES_MAX + 1);
	_cleanup_free_ char *label = xasprintf("'%s'", path);
	ssize_t n;
	int r;

	*f = (struct config_file){0};
	if (fd == -ENOENT)
		return -ENOENT;
	if (fd == -EINVAL)
		return err__set(err, -EINVAL, "'%s' is a link, or no regular file", path);
	if (fd < 0)
		return err__set(err, fd, "can't read '%s': %s", path, strerror(-fd));
	r = check_owner(fd, path, err);
	if (r < 0)
		return r;
	n = read_all(fd, text, CONFIG_BYTES_MAX);
	if (n < 0)
		return err__set(err, (int)n, "can't read '%s': %s", path, strerror((int)-n));
	if (memchr(text, '\0', (size_t)n))
		return err__usage(err, "'%s' has a byte of 0: it isn't text", path);
	return config_file__parse(f, text, label, argp, err);
}

void config_file__done(struct config_file *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->lines[i].value);
	free(f->lines);
	*f = (struct config_file){0};
}

static const struct config_line *next_of(const struct config_file *f, const char *name, size_t *at)
{
	while (*at < f->n) {
		const struct config_line *line = &f->lines[(*at)++];

		if (strcmp(line->name, name) == 0)
			return line;
	}
	return NULL;
}

bool config_file__same(const struct config_file *a, const struct config_file *b, const char *name)
{
	size_t i = 0, k = 0;

	for (;;) {
		const struct config_line *x = next_of(a, name, &i), *y = next_of(b, name, &k);

		if (!x || !y)
			return x == y;
		if (strcmp(x->value ? x->value : "", y->value ? y->value : "") != 0)
			return false;
	}
}

/* ---------------------------------------------------------------- with the command line */

struct search {
	const char *name;
	const char *value;
	bool found;
};

static void look(void *ctx, const struct argp_option *o, const char *value)
{
	struct search *s = ctx;

	if (o->name && strcmp(o->name, s->name) == 0) {
		s->found = true;
		s->value = value;
	}
}

static struct search search(const struct argp *argp, int argc, char **argv, const char *name)
{
	struct search s = {.name = name};

	each_option(argp, argc, argv, look, &s);
	return s;
}

const char *config_words__option(const struct argp *argp, int argc, char **argv, const char *name)
{
	return search(argp, argc, argv, name).value;
}

static bool is_overruled(const char *name, const struct argp *argp, int argc, char **argv,
			 const char *const (*with)[2])
{
	if (search(argp, argc, argv, name).found)
		return true;
	for (; with && (*with)[0]; with++) {
		if (strcmp((*with)[1], name) == 0 && search(argp, argc, argv, (*with)[0]).found)
			return true;
	}
	return false;
}

void config_words__make(struct config_words *ret, const struct config_file *file,
			const struct argp *argp, int argc, char **argv,
			const char *const (*with)[2])
{
	*ret = (struct config_words){
		.words = xcalloc((size_t)argc + file->n + 1, sizeof(*ret->words)),
	};
	ret->words[ret->n++] = xstrdup(argv[0]);
	for (size_t i = 0; i < file->n; i++) {
		const struct config_line *line = &file->lines[i];

		if (is_overruled(line->name, argp, argc, argv, with))
			continue;
		ret->words[ret->n++] = line->value ? xasprintf("--%s=%s", line->name, line->value) :
						     xasprintf("--%s", line->name);
	}
	for (int i = 1; i < argc; i++)
		ret->words[ret->n++] = xstrdup(argv[i]);
}

void config_words__done(struct config_words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->words[i]);
	free(w->words);
	*w = (struct config_words){0};
}
