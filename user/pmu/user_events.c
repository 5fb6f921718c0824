// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* INI, strictly: what isn't understood is an error, or a definition would be less than it says. */
#include "pmu/user_events.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "sys/caller.h"

#define SYSTEM_FILE "/etc/pmubpf/events"
#define MAX_BYTES (1024 * 1024)
#define MAX_NAME 64

struct reader {
	struct user_events *events;
	size_t first; /* index of this file's first definition */
	struct user_event *now;
	const char *file;
	unsigned line;
	struct err *err;
};

static void user_event__done(struct user_event *event)
{
	free(event->name);
	free(event->text);
	free(event->title);
	free(event->counts);
	free(event->where);
}

static char *trim(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return text;
}

/* A name is a word in -e: what separates events, terms and modifiers there can't be in it. */
static bool is_name(const char *name)
{
	if (!isalpha((unsigned char)*name) || strlen(name) > MAX_NAME)
		return false;
	for (; *name; name++) {
		if (!isalnum((unsigned char)*name) && !strchr("-_.", *name))
			return false;
	}
	return true;
}

static int check_complete(const struct reader *r)
{
	if (!r->now || r->now->text)
		return 0;
	return err__usage(r->err, "%s: [%s] has no line event = …", r->now->where, r->now->name);
}

static int begin_event(struct reader *r, char *line)
{
	struct user_event event = {0};
	char *close = strchr(line, ']');
	int ret = check_complete(r);

	if (ret < 0)
		return ret;
	if (!close || close[1])
		return err__usage(r->err, "%s:%u: a name stands in brackets, alone: [name]",
				  r->file, r->line);
	*close = '\0';
	line = trim(line + 1);
	if (!is_name(line))
		return err__usage(
			r->err,
			"%s:%u: '%.80s' is not a name for an event: a letter, then letters, "
			"digits and - _ ., at most %d",
			r->file, r->line, line, MAX_NAME);
	if (strcmp(line, "mem") == 0)
		return err__usage(r->err, "%s:%u: [mem] can't be a name: mem:ADDR is a breakpoint",
				  r->file, r->line);
	for (size_t i = r->first; i < r->events->n; i++) {
		if (strcmp(r->events->events[i].name, line) == 0)
			return err__usage(r->err, "%s:%u: [%s] is defined twice, first in line %s",
					  r->file, r->line, line,
					  strrchr(r->events->events[i].where, ':') + 1);
	}
	event.name = xstrdup(line);
	event.where = xasprintf("%s:%u", r->file, r->line);
	GROW(r->events->events, r->events->n, r->events->cap);
	r->events->events[r->events->n] = event;
	r->now = &r->events->events[r->events->n++];
	return 0;
}

static int set_text(struct reader *r, const char *key, const char *value, char **ret)
{
	if (*ret)
		return err__usage(r->err, "%s:%u: [%s] has '%s' twice", r->file, r->line,
				  r->now->name, key);
	*ret = xstrdup(value);
	return 0;
}

static int set_unit(struct reader *r, const char *value)
{
	static const char *const names[] = {
		[UNIT_EVENTS] = "events",
		[UNIT_CYCLES] = "cycles",
		[UNIT_NS] = "ns",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i], value) != 0)
			continue;
		r->now->unit = (enum event_unit)i;
		r->now->unit_given = true;
		return 0;
	}
	return err__usage(r->err, "%s:%u: unit '%.80s' is none of events, cycles, ns", r->file,
			  r->line, value);
}

static int set_period(struct reader *r, const char *value)
{
	uint64_t period;

	if (num__parse_u64(value, &period) < 0 || !period || period >> 63)
		return err__usage(r->err,
				  "%s:%u: period '%.80s' is not a whole number of 1 to 2^63 - 1",
				  r->file, r->line, value);
	r->now->period = period;
	return 0;
}

static int set_key(struct reader *r, const char *key, const char *value)
{
	if (strcmp(key, "event") == 0)
		return set_text(r, key, value, &r->now->text);
	if (strcmp(key, "title") == 0)
		return set_text(r, key, value, &r->now->title);
	if (strcmp(key, "counts") == 0)
		return set_text(r, key, value, &r->now->counts);
	if (strcmp(key, "unit") == 0)
		return set_unit(r, value);
	if (strcmp(key, "period") == 0 ||
	    strcmp(key, "interval") == 0) /* its name before; for a release */
		return set_period(r, value);
	return err__usage(r->err,
			  "%s:%u: '%.80s' is not a key; event, title, counts, unit and period are",
			  r->file, r->line, key);
}

static int read_line(struct reader *r, char *line)
{
	char *eq;

	line = trim(line);
	if (!*line || *line == '#' || *line == ';')
		return 0;
	if (*line == '[')
		return begin_event(r, line);
	if (!r->now)
		return err__usage(r->err, "%s:%u: a [name] must come first", r->file, r->line);
	eq = strchr(line, '=');
	if (!eq)
		return err__usage(r->err, "%s:%u: this is neither [name] nor key = value", r->file,
				  r->line);
	*eq = '\0';
	if (!*trim(eq + 1))
		return err__usage(r->err, "%s:%u: '%.80s' has no value", r->file, r->line,
				  trim(line));
	return set_key(r, trim(line), trim(eq + 1));
}

int user_events__parse(struct user_events *events, const char *text, const char *file,
		       struct err *err)
{
	_cleanup_free_ char *copy = xstrdup(text);
	struct reader r = {.events = events, .first = events->n, .file = file, .err = err};
	char *line, *rest = copy;
	int ret = 0;

	while (ret == 0 && (line = strsep(&rest, "\n"))) {
		r.line++;
		ret = read_line(&r, line);
	}
	return ret < 0 ? ret : check_complete(&r);
}

/* A whole file, if it isn't too large and holds text. */
static int read_text(int fd, struct buf *out)
{
	char part[4096];
	ssize_t n;

	while ((n = read(fd, part, sizeof(part))) != 0) {
		if (n < 0)
			return -errno;
		if (memchr(part, '\0', (size_t)n))
			return -EILSEQ;
		if (out->len + (size_t)n > MAX_BYTES)
			return -EFBIG;
		buf__add(out, part, (size_t)n);
	}
	return 0;
}

/* A standard file may be missing, or another user's. Nothing is waited for: not for a pipe's
 * writer, either. */
static int read_file(struct user_events *events, const char *file, bool must_exist, struct err *err)
{
	_cleanup_close_ int fd = open(file, O_RDONLY | O_CLOEXEC | (must_exist ? 0 : O_NONBLOCK));
	_cleanup_(buf__done) struct buf text = {0};
	int r;

	/* EACCES: HOME was left over by another user */
	if (fd < 0 && !must_exist && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
		return 0;
	r = fd < 0 ? -errno : read_text(fd, &text);
	if (r == -EILSEQ)
		return err__usage(err, "%s: this is not a text file of events", file);
	if (r < 0)
		return err__set(err, r, "can't read the event file %s: %s", file, strerror(-r));
	return user_events__parse(events, text.data ? text.data : "", file, err);
}

/* Of whoever called sudo: root's own home is not where that user's names are. */
static char *home(void)
{
	const char *own = getenv("HOME");
	const struct passwd *user;
	int uid = caller_id("SUDO_UID");

	if (geteuid() == 0 && uid > 0) {
		user = getpwuid((uid_t)uid);
		if (user && user->pw_dir)
			return xstrdup(user->pw_dir);
	}
	return own && *own == '/' ? xstrdup(own) : NULL;
}

static char *user_file(void)
{
	const char *config = getenv("XDG_CONFIG_HOME");
	_cleanup_free_ char *dir = NULL;

	if (config && *config == '/')
		return xasprintf("%s/pmubpf/events", config);
	dir = home();
	return dir ? xasprintf("%s/.config/pmubpf/events", dir) : NULL;
}

int user_events__read(struct user_events *ret, const char *file, struct err *err)
{
	_cleanup_(user_events__done) struct user_events events = {0};
	_cleanup_free_ char *own = file ? NULL : user_file();
	int r = 0;

	if (file)
		r = read_file(&events, file, true, err);
	if (r == 0 && own)
		r = read_file(&events, own, false, err);
	if (r == 0 && !file)
		r = read_file(&events, SYSTEM_FILE, false, err);
	if (r < 0)
		return r;
	*ret = events;
	events = (struct user_events){0};
	return 0;
}

void user_events__done(struct user_events *events)
{
	for (size_t i = 0; i < events->n; i++)
		user_event__done(&events->events[i]);
	free(events->events);
	*events = (struct user_events){0};
}

const struct user_event *user_events__find(const struct user_events *events, const char *name)
{
	for (size_t i = 0; i < events->n; i++) {
		if (strcmp(events->events[i].name, name) == 0)
			return &events->events[i];
	}
	return NULL;
}
