/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tables in ClickHouse: samples (a row for each stack and set of labels of a window), stacks
 * (by their hash), windows (one row each, written last: a window without one isn't there), alarms
 * (that were in them), names (of places in files, that were found since).
 * docs/design/0035-fleet.md says why they are so.
 */
#ifndef PMUBPF_SHIP_SCHEMA_H
#define PMUBPF_SHIP_SCHEMA_H

#include <stdbool.h>

/* "clickhouse": of one server, from 18.16 on; "clickhouse-cluster": shards and replicas, of current
 * ones. NULL: there is no such form. */
const char *schema__text(const char *form);

/* Of a cluster's: what is older is removed some time, a day before its windows are. */
#define SCHEMA_SAMPLES_DAYS 30

/* Labels of samples that are columns; X(word), and FIRST of the first. */
#define SCHEMA_LABELS(FIRST, X) \
	FIRST("container")      \
	X("namespace")          \
	X("workload")           \
	X("image")              \
	X("comm")
#define SCHEMA_LABEL_FIRST(word) word
#define SCHEMA_LABEL_MORE(word) "," word
#define SCHEMA_LABEL_LIST SCHEMA_LABELS(SCHEMA_LABEL_FIRST, SCHEMA_LABEL_MORE)
/* In the same order; the last one is NULL. */
extern const char *const schema_labels[];
bool schema__is_label(const char *key);

/* Columns, in the order in which rows have them. */
#define SCHEMA_SAMPLES \
	"start,window,part,host," SCHEMA_LABEL_LIST ",labels,event,stack,samples,weight,time"
#define SCHEMA_STACKS "hash,day,functions,frames"
#define SCHEMA_NAMES "build_id,offset,added,functions,frames"
#define SCHEMA_ALARMS \
	"host,boot,seq,window,start,at_ns,since_ns,relation,news,percent,observed,expected"
#define SCHEMA_WINDOWS                                                                    \
	"host,boot,seq,window,start,start_ns,duration_ns,types,default_type,period_type," \
	"period,drop_frames,keep_frames,comments,layouts,rows,stacks,others"

#endif
