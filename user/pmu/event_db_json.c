// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One file of Intel's event tables. Every value is a string there, numbers too ("0x08", "100003"),
 * "null" and "0" stand for nothing, and fields come and go from CPU to CPU.
 */
#include "pmu/event_db_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "sys/jansson.h"

/* Bits of IA32_PERFEVTSELx, where the kernel wants them in config. */
#define UMASK_SHIFT 8
#define EDGE_BIT 18
#define ANY_BIT 21
#define INV_BIT 23
#define CMASK_SHIFT 24
#define UMASK2_SHIFT 40

#define MSR_LDLAT 0x3f6
#define MSR_FRONTEND 0x3f7

static const struct jansson *lib;

static int load_library(struct err *err)
{
	lib = jansson_load();
	if (lib)
		return 0;
	return err__set(err, -ENOSYS,
			"the event database needs %s, which is not here (Debian, Ubuntu: "
			"libjansson4)",
			JANSSON_LIBRARY);
}

/* NULL for what stands for nothing. */
static const char *field_text(const json_t *event, const char *key)
{
	const char *text = lib->string_value(lib->object_get(event, key));

	if (!text || !*text || strcmp(text, "null") == 0 || strcmp(text, "0") == 0)
		return NULL;
	return text;
}

/* The first of several ("0xB7, 0xBB": the second is for a second such event); 0 if not there. */
static int field_number(const json_t *event, const char *key, uint64_t *ret)
{
	const char *text = field_text(event, key);
	_cleanup_free_ char *first = NULL;

	*ret = 0;
	if (!text)
		return 0;
	first = xstrndup(text, strcspn(text, ", "));
	return num__parse_u64(first, ret);
}

static bool field_flag(const json_t *event, const char *key)
{
	uint64_t value;

	return field_number(event, key, &value) == 0 && value;
}

/* The registers' fields of one event. */
struct fields {
	uint64_t code, umask, umask2, cmask, edge, any, inv, msr, msr_value;
};

/*
 * The kernel has no codes of its own for what fixed counters count: cycles and instructions are
 * named by their events, the others by code 0. (Code 0, umask 1 is instructions, too, but only
 * where that counter distributes precisely.)
 */
static void fields__name_fixed(struct fields *fields, const char *name)
{
	if (fields->code || strstr(name, "PREC_DIST"))
		return;
	if (fields->umask == 1) {
		fields->code = 0xc0;
		fields->umask = 0;
	} else if (fields->umask == 2) {
		fields->code = 0x3c;
		fields->umask = 0;
	}
}

static bool fields__read(struct fields *ret, const json_t *event)
{
	const struct {
		const char *key;
		uint64_t *value, max;
	} list[] = {
		{"EventCode", &ret->code, 0xff},
		{"UMask", &ret->umask, 0xff},
		{"UMaskExt", &ret->umask2, 0xff},
		{"CounterMask", &ret->cmask, 0xff},
		{"EdgeDetect", &ret->edge, 1},
		{"AnyThread", &ret->any, 1},
		{"Invert", &ret->inv, 1},
		{"MSRIndex", &ret->msr, UINT32_MAX},
		{"MSRValue", &ret->msr_value, UINT64_MAX},
	};

	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		if (field_number(event, list[i].key, list[i].value) < 0 ||
		    *list[i].value > list[i].max)
			return false;
	}
	return true;
}

static uint64_t fields__config(const struct fields *f)
{
	return f->code | f->umask << UMASK_SHIFT | f->edge << EDGE_BIT | f->any << ANY_BIT |
	       f->inv << INV_BIT | f->cmask << CMASK_SHIFT | f->umask2 << UMASK2_SHIFT;
}

/* As sysfs names them. */
static char *fields__terms(const struct fields *f)
{
	const struct {
		const char *name;
		uint64_t value;
	} list[] = {
		{"umask2", f->umask2}, {"edge", f->edge},   {"any", f->any},
		{"inv", f->inv},       {"cmask", f->cmask},
	};
	_cleanup_(buf__done) struct buf out = {0};

	buf__printf(&out, "event=0x%" PRIx64 ",umask=0x%" PRIx64, f->code, f->umask);
	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		if (list[i].value)
			buf__printf(&out, ",%s=%" PRIu64, list[i].name, list[i].value);
	}
	if (f->msr)
		buf__printf(&out, ",%s=0x%" PRIx64,
			    f->msr == MSR_LDLAT    ? "ldlat" :
			    f->msr == MSR_FRONTEND ? "frontend" :
						     "offcore_rsp",
			    f->msr_value);
	return buf__take(&out);
}

/* Files before Ice Lake say PEBS, later ones Precise and CollectPEBSRecord. */
static enum db_precise read_precise(const json_t *event)
{
	uint64_t pebs, record;

	if (field_number(event, "PEBS", &pebs) < 0 ||
	    field_number(event, "CollectPEBSRecord", &record) < 0)
		return DB_IMPRECISE;
	if (pebs == 2 || record == 3)
		return DB_PRECISE_ONLY;
	return pebs == 1 || field_flag(event, "Precise") ? DB_PRECISE : DB_IMPRECISE;
}

static bool counts_clock(const struct fields *f)
{
	return !f->cmask && !f->edge && !f->any && !f->inv &&
	       ((f->code == 0x3c && !f->umask) || (!f->code && f->umask == 3));
}

/* A comparison holds or not in each cycle; its edges are what happens between. */
static bool counts_cycles(const struct fields *f)
{
	return counts_clock(f) || (f->cmask && !f->edge && !f->any);
}

static bool entry__read(struct event_db_entry *entry, const json_t *event, const char *pmu)
{
	struct fields fields;
	const char *type = field_text(event, "CounterType");

	*entry = (struct event_db_entry){
		.name = field_text(event, "EventName"),
		.title = field_text(event, "BriefDescription"),
		.about = field_text(event, "PublicDescription"),
		.counters = lib->string_value(lib->object_get(event, "Counter")),
		.errata = field_text(event, "Errata"),
		.pmu = pmu,
		.precise = read_precise(event),
		.has_addr = field_flag(event, "Data_LA"),
		.alone = field_flag(event, "TakenAlone"),
		.deprecated = field_flag(event, "Deprecated"),
	};
	if (!entry->name || !fields__read(&fields, event) || !lib->object_get(event, "EventCode") ||
	    field_number(event, "SampleAfterValue", &entry->period) < 0 ||
	    (type && strcmp(type, "FREERUN") == 0))
		return false;
	fields__name_fixed(&fields, entry->name);
	if (!entry->title)
		entry->title = entry->name;
	if (entry->about && strcmp(entry->about, entry->title) == 0)
		entry->about = NULL;
	if (entry->counters && !*entry->counters)
		entry->counters = NULL;
	entry->config = fields__config(&fields);
	entry->config1 = fields.msr ? fields.msr_value : 0;
	entry->cycles = counts_cycles(&fields);
	entry->clock = counts_clock(&fields);
	entry->terms = fields__terms(&fields);
	return true;
}

int event_db__read_file(struct event_db *db, const char *path, const char *pmu, struct err *err)
{
	json_error_t where;
	json_t *document;
	const json_t *events;
	int r = load_library(err);

	if (r < 0)
		return r;
	if (db->n_documents == ARRAY_SIZE(db->documents))
		return 0;
	document = lib->load_file(path, 0, &where);
	if (!document)
		return err__set(err, -EINVAL, "event database: %.300s, line %d: %.200s", path,
				where.line, where.text);
	db->documents[db->n_documents++] = document;
	events = lib->object_get(document, "Events");
	if (!events)
		events = document;
	for (size_t i = 0; i < lib->array_size(events); i++) {
		GROW(db->entries, db->n, db->cap);
		if (entry__read(&db->entries[db->n], lib->array_get(events, i), pmu))
			db->n++;
	}
	return 0;
}

void event_db__free_documents(struct event_db *db)
{
	for (size_t i = 0; i < db->n_documents; i++)
		lib->delete (db->documents[i]);
}
