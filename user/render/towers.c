// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What nothing has checked must not look as if it were. So the class of each sample is a frame, and
 * a candidate's object and member are of the candidates' kind.
 */
#include "render/towers.h"

#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "model/data_class.h"
#include "model/data_source.h"
#include "prof/sharing.h"

static const char *text_of(const struct prof *p, uint32_t labels, const char *key)
{
	const struct prof_label *label = prof__label(p, labels, key);

	return label && label->text ? prof__text(p, label->text) : "";
}

bool tower__is_of_profile(const struct prof *p)
{
	for (size_t i = 0; i < p->n_samples; i++) {
		uint32_t labels = p->samples[i].labels;

		if (*text_of(p, labels, "data_class") || *text_of(p, labels, "data_object"))
			return true;
	}
	return false;
}

static uint32_t function(struct tree *t, const char *name, const char *module, uint32_t kind)
{
	const struct tree_function f = {
		.name = tree__add_text(t, name),
		.module = tree__add_text(t, module),
		.kind = kind,
	};

	return intern__add(&t->functions, &f, sizeof(f));
}

static bool is_candidate(const char *text)
{
	size_t n = strlen(text), len = strlen(PROF_CANDIDATE);

	return n > len && strcmp(text + n - len, PROF_CANDIDATE) == 0;
}

/* Where data lies says less than what it is. */
static bool is_segment(const char *object)
{
	for (size_t i = 0; i < PMB_N_SEGMENTS; i++) {
		if (strcmp(object, data_segment_texts[i]) == 0)
			return true;
	}
	return false;
}

/* A variable, beside which its type stands; of what has no name the type, beside where it lies. */
static uint32_t object_of(struct tree *t, const char *object, const char *type)
{
	const char *known = data_typing__is_stand_in(type) ? "" : type;
	bool by_type = *known && (!*object || is_segment(object));
	const char *name = by_type ? type : object;

	if (!*name)
		return function(t, "[no data object]", "", TREE_NOT_KNOWN);
	return function(t, name, by_type ? object : type,
			is_candidate(name) ? TREE_CANDIDATE : TREE_OBJECT);
}

static uint32_t class_kind(size_t class)
{
	switch (class) {
	case DATA_VALIDATED:
		return TREE_VALIDATED;
	case DATA_CANDIDATE:
		return TREE_CANDIDATE;
	case DATA_CONTRADICTED:
		return TREE_CONTRADICTED;
	default:
		return TREE_NOT_KNOWN;
	}
}

/* "store, validated", "branch target", and beside it what that means. */
static uint32_t class_of(struct tree *t, const char *key, const char *access)
{
	_cleanup_(buf__done) struct buf name = {0};
	size_t class = 0;

	if (!*key)
		return function(t, "[not recorded]", "nothing says what data it is about",
				TREE_NOT_KNOWN);
	while (class < N_DATA_CLASSES && strcmp(key, data_class_keys[class]) != 0)
		class ++;
	if (*access)
		buf__printf(&name, "%s, ", access);
	for (; *key; key++)
		buf__putc(&name, *key == '_' ? ' ' : *key);
	return function(t, name.data, class < N_DATA_CLASSES ? data_class_texts[class] : "",
			class_kind(class));
}

struct tree_tower tower__of_labels(struct tree *t, const struct prof *p, uint32_t labels)
{
	const char *object = text_of(p, labels, "data_object");
	const char *type = text_of(p, labels, "data_type");
	const char *member = text_of(p, labels, "member");
	struct tree_tower tower = {.object = object_of(t, object, type)};

	if (*member)
		tower.member = function(t, member, *type ? type : object,
					is_candidate(member) ? TREE_CANDIDATE : TREE_MEMBER);
	tower.class =
		class_of(t, text_of(p, labels, "data_class"), text_of(p, labels, "data_access"));
	return tower;
}
