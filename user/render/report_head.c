// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/report_head.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "render/escape.h"

void report__put_key(const char *key, struct buf *out)
{
	buf__printf(out, "# %-9s ", key);
}

static void put_line(const char *key, const char *text, struct buf *out)
{
	report__put_key(key, out);
	escape_name(out, text);
	buf__putc(out, '\n');
}

void report__put_files(const struct report *r, struct buf *out)
{
	for (size_t i = 0; i < r->n_files; i++)
		put_line("file", r->files[i], out);
}

void report__begin_json(const struct report *r, const char *command, struct json *j)
{
	json__obj(j, NULL);
	json__head(j, command, r->command_line);
	json__arr(j, "files");
	for (size_t i = 0; i < r->n_files; i++)
		json__str(j, NULL, r->files[i]);
	json__end_arr(j);
}

void report__trouble_json(const struct report *r, const struct prof_event *events, size_t n,
			  struct json *j)
{
	_cleanup_(buf__done) struct buf warnings = {0};

	report__warnings(r->whole, events, n, report__but(r), &warnings);
	json__str(j, "imbalance", report__imbalance(r->whole));
	json__lines(j, "warnings", warnings.data);
}

/* Words of a command have been escaped, as a shell wants them. */
static void put_sentence(const char *key, const char *text, struct buf *out)
{
	report__put_key(key, out);
	escape_line(out, text);
	buf__putc(out, '\n');
}

/* All remarks with that key, each once: files of one machine say the same. */
static void put_remarks(const struct prof *p, const char *key, struct buf *out)
{
	size_t len = strlen(key);

	for (size_t i = 0; i < p->n_comments; i++) {
		const char *text = prof__text(p, p->comments[i]);
		bool again = false;

		for (size_t k = 0; k < i && !again; k++)
			again = p->comments[k] == p->comments[i];
		if (!again && strncmp(text, key, len) == 0 && strncmp(text + len, ": ", 2) == 0)
			put_sentence(key, text + len + 2, out);
	}
}

/* Comments of other tools are whatever they are. */
static void put_foreign(const struct prof *p, struct buf *out)
{
	enum { MOST = 5 };

	for (size_t i = 0; i < p->n_comments && i < MOST && !prof__remark(p, "pmubpf"); i++)
		put_line("comment", prof__text(p, p->comments[i]), out);
}

static void put_when(const struct prof *p, struct buf *out)
{
	time_t seconds = (time_t)(p->time_ns / 1000000000);
	char text[64] = "";
	struct tm tm;

	if (!p->time_ns && !p->duration_ns)
		return;
	if (p->time_ns && gmtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm);
	buf__printf(out, "# %-9s %s", "when", text);
	if (p->duration_ns)
		buf__printf(out, "%s%.3f s", *text ? ", for " : "", (double)p->duration_ns / 1e9);
	buf__putc(out, '\n');
}

/* "2000003" of "… period=2000003 …"; NULL if it isn't there. */
static char *remark_part(const char *remark, const char *key)
{
	const char *at = remark ? strstr(remark, key) : NULL;

	if (!at)
		return NULL;
	at += strlen(key);
	return xstrndup(at, strcspn(at, " "));
}

char *report__event_remark(const struct prof *whole, const char *name, const char *part)
{
	_cleanup_(buf__done) struct buf key = {0};

	buf__puts(&key, "event ");
	escape_name(&key, name);
	return remark_part(prof__remark(whole, key.data), part);
}

/* "12"; NULL: none, or it isn't known. */
static char *lost_of(const struct prof *whole, const char *name)
{
	char *lost = report__event_remark(whole, name, " lost=");

	if (lost && strcmp(lost, "0") != 0)
		return lost;
	free(lost);
	return NULL;
}

void report__put_event(const struct report *r, const char *name, struct buf *out)
{
	_cleanup_free_ char *lost = lost_of(r->whole, name);

	report__put_key("event", out);
	escape_name(out, name);
	if (lost) {
		buf__puts(out, ", LOST ");
		escape_name(out, lost);
	}
	buf__putc(out, '\n');
}

static void put_period(const struct report *r, const char *name, struct buf *out)
{
	_cleanup_free_ char *period = report__event_remark(r->whole, name, " period=");
	_cleanup_free_ char *lost = lost_of(r->whole, name);

	if (!period) /* what was saved before it was called so */
		period = report__event_remark(r->whole, name, " interval=");
	if (period) {
		buf__puts(out, ", one each ");
		escape_name(out, period);
	}
	if (lost) {
		buf__puts(out, ", LOST ");
		escape_name(out, lost);
	}
}

static void put_events(const struct report *r, struct buf *out)
{
	const int64_t *sums = group__total(r->group, 0);

	for (size_t i = 0; i < r->n_events; i++) {
		const struct prof_event *e = &r->events[i];
		size_t type = report_event__type(e);

		buf__printf(out, "# %-9s ", "event");
		escape_name(out, e->name);
		buf__printf(out, ": %" PRId64 " ", sums[type]);
		escape_name(out, prof__text(r->prof, r->prof->types[type].unit));
		if (e->samples != PROF_NO_TYPE && type != e->samples)
			buf__printf(out, " in %" PRId64 " samples", sums[e->samples]);
		if (e->time != PROF_NO_TYPE && type != e->time)
			buf__printf(out, ", %.3f s", (double)sums[e->time] / 1e9);
		put_period(r, e->name, out);
		buf__putc(out, '\n');
	}
}

/* What part of the first event is left of what was read. */
static void put_selected(const struct report *r, struct buf *out)
{
	struct prof_event *events;
	size_t n = prof__events(r->whole, &events);
	const int64_t *sums = group__total(r->group, 0);

	for (size_t i = 0; i < n && r->n_events; i++) {
		size_t type = report_event__type(&events[i]);
		double whole = 0;

		if (strcmp(events[i].name, r->events[0].name) != 0)
			continue;
		for (size_t k = 0; k < r->whole->n_samples; k++)
			whole += (double)prof__values(r->whole, k)[type];
		if (whole != 0 && whole != (double)sums[report_event__type(&r->events[0])])
			buf__printf(out, "# %-9s %.2f %% of the whole; shares are of that part\n",
				    "selected",
				    100 * (double)sums[report_event__type(&r->events[0])] / whole);
		break;
	}
	prof_events__free(events, n);
}

static bool has_threads(const struct prof *p)
{
	for (size_t i = 0; i < p->n_samples; i++) {
		if (prof__label(p, p->samples[i].labels, "tid"))
			return true;
	}
	return false;
}

/* A row that is several is not what was asked for. */
static void put_threads(const struct report *r, struct buf *out)
{
	for (size_t i = 0; i < r->n_keys; i++) {
		if (r->keys[i].kind != KEY_THREAD || !r->prof->n_samples || has_threads(r->prof))
			continue;
		buf__printf(out,
			    "# %-9s of one name are one row: the profile doesn't tell them apart "
			    "(`record --label tid' does)\n",
			    "threads");
		return;
	}
}

static void put_marks(const struct report *r, struct buf *out)
{
	if (!r->n_ratios)
		return;
	buf__printf(out, "# %-9s ~ fewer than %d samples in a part; - nothing to divide by%s\n",
		    "ratios", RATIO_FEW, r->confidence ? "; [95 % confidence interval]" : "");
}

void report__head(const struct report *r, struct buf *out)
{
	report__put_warnings(r->whole, "", r->events, r->n_events, report__but(r), out);
	report__put_files(r, out);
	put_remarks(r->whole, "command", out);
	put_foreign(r->whole, out);
	put_when(r->whole, out);
	put_remarks(r->whole, "alarm", out);
	put_remarks(r->whole, "detail", out);
	put_remarks(r->whole, "machine", out);
	put_remarks(r->whole, "kernel", out);
	put_remarks(r->whole, "processor", out);
	put_events(r, out);
	put_remarks(r->whole, "ledger", out);
	put_remarks(r->whole, "user stacks", out);
	put_remarks(r->whole, "kernel stacks", out);
	put_remarks(r->whole, "breakpoints", out);
	put_remarks(r->whole, "hint", out);
	put_selected(r, out);
	put_threads(r, out);
	put_marks(r, out);
	buf__putc(out, '\n');
}
