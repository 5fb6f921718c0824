/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What samples and their frames can be grouped by, and the texts of that. */
#ifndef PMUBPF_PROF_KEYS_H
#define PMUBPF_PROF_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "prof/frames.h"
#include "prof/prof.h"
#include "prof/select.h"

/* Word, of each frame or of the sample as a whole. */
#define PROF_KEYS(X)              \
	X(PROCESS, "process")     \
	X(THREAD, "thread")       \
	X(CONTAINER, "container") \
	X(CPU, "cpu")             \
	X(EVENT, "event")         \
	X(MODULE, "module")       \
	X(LANGUAGE, "language")   \
	X(CLASS, "class")         \
	X(FUNCTION, "function")   \
	X(LINE, "line")           \
	X(ADDRESS, "address")

enum prof_key_kind {
#define X(name, word) KEY_##name,
	PROF_KEYS(X)
#undef X
		KEY_LABEL, /* of a name that isn't one of these */
	N_KEYS,
};

struct prof_key {
	enum prof_key_kind kind;
	char *word;
};

/* "container,module,function". A word that is neither above nor a label of the profile is an error.
 * The caller frees with prof_keys__free. */
int prof_keys__parse(struct prof_key **ret, size_t *ret_n, const char *text, const struct prof *p,
		     struct err *err);
void prof_keys__free(struct prof_key *keys, size_t n);

/* A label that no sample has, and that isn't one of ours, is a usage error. */
int prof_keys__check_labels(const struct prof *p, const struct selection *s, struct err *err);

bool prof_key__is_of_frames(const struct prof_key *key);
/* Appends it. Of a sample (not of KEY_EVENT; `idle`: prof__is_idle): */
void prof_key__sample_text(const struct prof_key *key, const struct prof *p, uint32_t labels,
			   bool idle, struct buf *out);
/* Of a frame; NULL: of a stack without any. */
void prof_key__frame_text(const struct prof_key *key, const struct prof *p,
			  const struct prof_frame *frame, struct buf *out);

/*
 * Appends the C++ class, the Rust module, the Go package or type that a function's name begins
 * with, or "[none]": "ns::Stack<int>" for "int ns::Stack<int>::pop(bool)".
 */
void class_of_name(const char *name, struct buf *out);
/* The same of a qualified name of Python: "Outer.Inner" for "Outer.Inner.method", also for
 * functions inside of that. */
void class_of_python(const char *name, struct buf *out);

#endif
