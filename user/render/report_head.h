/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a report says before its rows: what was recorded, where, when, and what is wrong with it. */
#ifndef PMUBPF_RENDER_REPORT_HEAD_H
#define PMUBPF_RENDER_REPORT_HEAD_H

#include "render/json.h"
#include "render/report.h"

/* Lines that begin with "# ", and an empty one. */
void report__head(const struct report *report, struct buf *out);

/* "# file      ", and what stands behind it. */
void report__put_key(const char *key, struct buf *out);
/* The event that what follows is about, and how many samples of it were lost. */
void report__put_event(const struct report *report, const char *event, struct buf *out);
/* A line for each of its files. */
void report__put_files(const struct report *report, struct buf *out);
/* The same as JSON: the object begins, with who wrote it, and the files. */
void report__begin_json(const struct report *report, const char *command, struct json *j);
/* What is wrong with the recording, and with these events of it. */
void report__trouble_json(const struct report *report, const struct prof_event *events, size_t n,
			  struct json *j);

/* What the recording says of an event: of " period=" "2000003". NULL: nothing. The caller frees. */
char *report__event_remark(const struct prof *whole, const char *event, const char *part);

#endif
