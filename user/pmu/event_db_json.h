/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Between event_db.c and event_db_json.c: one file of events. */
#ifndef PMUBPF_PMU_EVENT_DB_JSON_H
#define PMUBPF_PMU_EVENT_DB_JSON_H

#include "pmu/event_db.h"

/* Appends a file's events to db, and the document to its documents (if there is room for one). */
int event_db__read_file(struct event_db *db, const char *path, const char *pmu, struct err *err);
void event_db__free_documents(struct event_db *db);

#endif
