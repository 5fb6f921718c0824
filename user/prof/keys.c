// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/keys.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "model/labels.h"
#include "prof/blockclass.h"
#include "prof/language.h"
#include "prof/select.h"
#include "prof/sharing.h"

static const char *const words[] = {
#define X(name, word) word,
	PROF_KEYS(X)
#undef X
};

/* The label of a whole sample that stands for it; "tid" and "pid" are joined by a comm. */
static const char *const labels_of[N_KEYS] = {
	[KEY_PROCESS] = "pid",
	[KEY_THREAD] = "tid",
	[KEY_CONTAINER] = "container",
	[KEY_CPU] = "cpu",
};

static void add_word(struct buf *list, const char *word)
{
	buf__printf(list, "%s%s", list->len ? ", " : "", word);
}

/* Whether the profile has that label; else the names of those that it has. */
static bool has_label(const struct prof *p, const char *word, struct buf *ret_there)
{
	enum { MOST = 20 };
	struct intern seen = {0};
	bool found = false;

	for (size_t i = 0; i < p->n_samples && !found; i++) {
		const struct prof_label *set;
		size_t n = prof__label_set(p, p->samples[i].labels, &set);

		for (size_t k = 0; k < n && !found; k++) {
			uint32_t before = (uint32_t)intern__count(&seen);

			found = strcmp(prof__text(p, set[k].key), word) == 0;
			if (before <= MOST &&
			    intern__add(&seen, &set[k].key, sizeof(set[k].key)) == before)
				add_word(ret_there, prof__text(p, set[k].key));
		}
	}
	intern__done(&seen);
	return found;
}

/* What a recording of ours has where it applies, or we add: a host without pods has none, and says
 * so. */
static bool is_ours(const char *word)
{
	return label__of_word(word) || strcmp(word, PROF_SHARING) == 0;
}

/* A label that had another name in the release before: the name that it has in this profile. */
static const char *label_of(const char *word, const struct prof *p)
{
	const char *other = strcmp(word, "unwind_status") == 0 ? "ending" :
			    strcmp(word, "ending") == 0        ? "unwind_status" :
								 NULL;
	_cleanup_(buf__done) struct buf there = {0}, others = {0};

	return other && !has_label(p, word, &there) && has_label(p, other, &others) ? other : word;
}

static int parse_word(struct prof_key *ret, const char *word, const struct prof *p, struct err *err)
{
	_cleanup_(buf__done) struct buf there = {0}, list = {0};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		add_word(&list, words[i]);
		if (strcmp(word, words[i]) == 0) {
			*ret = (struct prof_key){(enum prof_key_kind)i, xstrdup(word)};
			return 0;
		}
	}
	word = label_of(word, p);
	if (has_label(p, word, &there)) {
		*ret = (struct prof_key){KEY_LABEL, xstrdup(word)};
		return 0;
	}
	if ((strcmp(word, BLOCKCLASS_LABEL) == 0 || strcmp(word, OPCODE_LABEL) == 0) &&
	    p->n_samples)
		return err__usage(err,
				  "--by %s: the code was not looked at: that is done when "
				  "recording (`pmubpf record --label %s')",
				  word, word);
	if (!is_ours(word))
		return err__usage(err,
				  "--by '%s': it is neither %s, nor a label of the profile (%s)",
				  word, list.data, there.len ? there.data : "it has none");
	*ret = (struct prof_key){KEY_LABEL, xstrdup(word)};
	return 0;
}

int prof_keys__parse(struct prof_key **ret, size_t *ret_n, const char *text, const struct prof *p,
		     struct err *err)
{
	struct prof_key *keys = NULL;
	size_t n = 0, cap = 0;
	int r = 0;

	do {
		size_t len = strcspn(text, ",");
		_cleanup_free_ char *word = xstrndup(text, len);

		GROW(keys, n, cap);
		r = parse_word(&keys[n], word, p, err);
		n += r == 0;
		text += len + (text[len] == ',');
	} while (r == 0 && *text);
	if (r < 0) {
		prof_keys__free(keys, n);
		return r;
	}
	*ret = keys;
	*ret_n = n;
	return 0;
}

void prof_keys__free(struct prof_key *keys, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(keys[i].word);
	free(keys);
}

int prof_keys__check_labels(const struct prof *p, const struct selection *s, struct err *err)
{
	for (size_t i = 0; i < s->n_labels && p->n_samples; i++) {
		_cleanup_(buf__done) struct buf there = {0};
		const char *key = s->labels[i].key;

		if (has_label(p, key, &there) || is_ours(key))
			continue;
		return err__usage(err, "--label '%s': the profile has no such label (%s)", key,
				  there.len ? there.data : "it has none");
	}
	return 0;
}

bool prof_key__is_of_frames(const struct prof_key *key)
{
	return key->kind >= KEY_MODULE && key->kind <= KEY_ADDRESS;
}

/* The kernel's threads of idle CPUs are nobody's; others have a comm. */
static bool is_of_whom(enum prof_key_kind kind)
{
	return kind == KEY_PROCESS || kind == KEY_THREAD;
}

void prof_key__sample_text(const struct prof_key *key, const struct prof *p, uint32_t labels,
			   bool idle, struct buf *out)
{
	const char *name = labels_of[key->kind] ? labels_of[key->kind] : key->word;
	const struct prof_label *label = prof__label(p, labels, name), *comm = NULL;
	_cleanup_free_ char *value = NULL;

	if (!label) /* other makers' own word for it */
		label = prof__label(p, labels, key->word);
	if (label)
		value = prof_label__value(p, label);
	if (is_of_whom(key->kind))
		comm = prof__label(p, labels, "comm");
	if (idle && (is_of_whom(key->kind) || !value || !*value))
		buf__puts(out, artificial_names[ARTIFICIAL_IDLE]);
	else if (comm && label)
		buf__printf(out, "%s %s", prof__text(p, comm->text), value);
	else if (comm)
		buf__puts(out, prof__text(p, comm->text));
	else if (value && *value)
		buf__puts(out, value);
	else
		buf__printf(out, "[no %s]", key->word);
}

static void line_text(const struct prof *p, const struct prof_frame *frame, struct buf *out)
{
	const struct prof_function *f = &p->functions[frame->function];
	const char *file = prof__text(p, f->file), *slash = strrchr(file, '/');

	prof_frame__text(frame, p, false, out);
	if (prof__function_name(p, frame->function) && f->file && frame->line)
		buf__printf(out, " %s:%" PRId64, slash && slash[1] ? slash + 1 : file, frame->line);
}

static void function_text(const struct prof *p, const struct prof_frame *frame, struct buf *out)
{
	const char *module = prof_frame__module(frame, p);

	/* not a row for each address of a file without symbols */
	if (!prof__function_name(p, frame->function) && *module)
		prof_frame__put_module(frame, p, out);
	else
		prof_frame__text(frame, p, false, out);
}

static void module_text(const struct prof *p, const struct prof_frame *frame, struct buf *out)
{
	if (prof__is_idle_place(p, frame->location))
		buf__puts(out, artificial_names[ARTIFICIAL_IDLE]);
	else if (*prof_frame__module(frame, p))
		prof_frame__put_module_name(frame, p, out);
	else
		buf__puts(out, "[no module]");
}

static void class_text(const struct prof *p, const struct prof_frame *frame, struct buf *out)
{
	const char *name = prof__text(p, prof__function_name(p, frame->function));

	if (frame->kind == PROF_PYTHON)
		class_of_python(name, out);
	else
		class_of_name(name, out);
}

static void language_text(const struct prof *p, const struct prof_frame *frame, struct buf *out)
{
	const char *language = prof__language(p, frame->location);

	if (prof__is_idle_place(p, frame->location))
		language = artificial_names[ARTIFICIAL_IDLE];
	buf__puts(out, language ? language : "[none]");
}

void prof_key__frame_text(const struct prof_key *key, const struct prof *p,
			  const struct prof_frame *frame, struct buf *out)
{
	if (!frame) {
		buf__puts(out, "[unknown]");
		return;
	}
	switch (key->kind) {
	case KEY_MODULE:
		module_text(p, frame, out);
		break;
	case KEY_LANGUAGE:
		language_text(p, frame, out);
		break;
	case KEY_CLASS:
		class_text(p, frame, out);
		break;
	case KEY_LINE:
		line_text(p, frame, out);
		break;
	case KEY_ADDRESS:
		buf__printf(out, "0x%" PRIx64 " ", p->locations[frame->location].address);
		function_text(p, frame, out);
		break;
	default:
		function_text(p, frame, out);
	}
}
