/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Between the files of the event parser (parse*.c); others include pmu/event.h.
 *
 *	cpu/event=0x3c,period=5/u	base "cpu"	terms "event=0x3c,period=5"	mods "u"
 *	cycles:u			base "cycles"	terms NULL			mods "u"
 *	mem:0x1234/8:w:u		base "mem:0x1234/8:w"	terms NULL		mods "u"
 */
#ifndef PMUBPF_PMU_PARSE_H
#define PMUBPF_PMU_PARSE_H

#include "base/buf.h"
#include "pmu/event.h"
#include "sys/pmus.h"

/* One event's text in its pieces. */
struct spec {
	char *shown; /* the whole, shortened for messages */
	char *base;
	char *terms;
	char *mods;
	bool tracepoint; /* the base is CATEGORY:NAME */
	bool mem;        /* it is mem:ADDR… */
};

#define MODIFIERS "ukhIGHpPDe"

struct event_db;
struct nearest;
struct user_events;

struct parser {
	const struct pmus *pmus;
	const struct event_db *db;      /* NULL: none */
	const struct user_events *user; /* NULL: none, as within the text of one: they don't nest */
	const struct pmu *core; /* where the machine has several core PMUs: the one that is meant */
	const struct pmu *one;  /* of several that the name before the slash means; NULL: its own */
	bool counting;          /* for stat: what can't interrupt is no mistake */
	bool grouped;           /* within the braces of a group */
	const char *group_mods; /* of that; NULL: none */
	struct err *err;
};

/* One of the terms between the slashes; key and val point into `text`. */
struct term {
	const char *key;
	const char *val; /* NULL for a bare term */
};

struct terms {
	char *text; /* ours, cut into pieces */
	struct term *terms;
	size_t n, cap;
};

/* Takes one event off *p, up to its comma, the end of its group or the end. */
int spec__take(const char **p, struct spec *ret, struct err *err);
void spec__done(struct spec *spec);
/* Cuts ":mods" off the base. Unless the name is known, "sys:name" is refused as a tracepoint. */
int spec__split_mods(struct spec *spec, bool known, struct err *err);

/*
 * Groups, perf's {a,b}:mods: what opens one at *p, if a brace stands there. The modifiers are added
 * to those of each event;
 * *ret_mods is the caller's, NULL: none. 1: a group begins, 0: none does.
 */
int group__open(const struct parser *parser, const char **p, char **ret_mods);
/* Steps over the brace, and the modifiers, at *p. 1: they stand there. */
int group__close(const char **p);
void spec__add_group_mods(struct spec *spec, const char *mods);

int terms__split(struct terms *terms, const struct spec *spec, struct err *err);
void terms__done(struct terms *terms);

/*
 * Applies the terms that every event takes, period=, freq= and name=, and keeps the others in
 * `terms`. name= lands in event->name.
 */
int event__apply_common_terms(struct event *event, struct terms *terms, const struct spec *spec,
			      struct err *err);
/* config=, config1=, config2= of an event that has a name of its own, whose words they replace;
 * keeps the others. */
int event__apply_config_terms(struct event *event, struct terms *terms, const struct spec *spec,
			      struct err *err);
/* min= of off-cpu; keeps the others. Refuses what goes with events that count. */
int event__settle_off_cpu(struct event *event, const struct parser *parser, struct terms *terms,
			  const struct spec *spec);
/* "event 'x' has no term 'y'" unless nothing is left. */
int terms__refuse_rest(const struct terms *terms, const struct spec *spec, struct err *err);

/* The pmu/…/ form: what is left in terms, by the PMU's formats and events. */
int event__apply_pmu_terms(struct event *event, const struct pmu *pmu, const struct terms *terms,
			   const struct spec *spec, struct err *err);

/* The config words as a text in perf's grammar: "cpu/config=0x1a2/". */
char *event__format_config(const struct event *event);
/* A core PMU's cycles by whatever terms: their weights can become time. */
void event__recognise_cycles(struct event *event, const struct pmu *pmu);

/*
 * By a name of one kind, spec's base; -ENOENT if it is none of them. The terms that it takes are
 * taken out of `terms`.
 */
/* An alias, one of perf's names or rNNNN. */
int event__from_known(struct event *event, const struct parser *parser, struct terms *terms,
		      const struct spec *spec);
/* A name of the event database. */
int event__from_db_name(struct event *event, const struct parser *parser, struct terms *terms,
			const struct spec *spec);
/* A name that a PMU has in sysfs. */
int event__from_sysfs_name(struct event *event, const struct parser *parser, struct terms *terms,
			   const struct spec *spec);
/* A vendor's name, by libpfm; -ENOENT also if the library is missing. */
int event__from_vendor(struct event *event, const struct parser *parser, struct terms *terms,
		       const struct spec *spec);
/* What the database says of an event that is complete, by whatever name it was found. */
void event__find_in_db(struct event *event, const struct parser *parser);

/* Whether what follows the colon can be a tracepoint's name. */
bool spec__looks_like_tracepoint(const struct spec *spec);
/* Cuts the modifiers off CATEGORY:NAME. False: it is none; sure: nothing else has that name, so
 * that its looks decide and not whether there is such a category. */
bool spec__split_tracepoint(struct spec *spec, bool sure);
int event__from_tracepoint(struct event *event, const struct spec *spec, struct err *err);
void event__set_tracepoint(struct event *event, uint64_t id);

int event__parse_mem(struct event *event, struct spec *spec, struct err *err);
int event__apply_mods(struct event *event, const struct spec *spec, bool guest_applies,
		      struct err *err);

/* What the spec's base is, looked up everywhere; what is left of the terms is not the base's. */
int event__resolve(struct event *event, const struct parser *parser, struct terms *terms,
		   struct spec *spec);
/* The vendors spell their events in capitals, or with their PMU before them ("skx::"). */
bool is_vendor_style(const char *name);
/* Cuts our modifiers off a vendor's name, which has colons of its own. False if it is none. */
bool spec__split_vendor(struct spec *spec, const struct parser *parser);
/* An event that the kernel defines itself, by its number; -ENOENT if it can't be sampled. */
int event__from_perf_attr(struct event *event, const struct parser *parser, uint32_t type,
			  uint64_t config);

/*
 * All sources of names, in their one order (name_source.c). The name must not be a text of the
 * user's: NAME_IS_TEXT says that it is one, which only parse.c can follow.
 */
enum { NAME_IS_TEXT = 1 };
int parser__find(const struct parser *parser, struct terms *terms, const struct spec *spec,
		 struct event *ret);
/* All names, to find what was meant. */
void parser__offer(const struct parser *parser, struct nearest *nearest);
/* Whether a source has the name whose names have no colons. */
bool parser__knows(const struct parser *parser, const char *name);
/* Is it TYPE:CONFIG, perhaps with modifiers behind? */
bool parser__is_numbers(const char *base);
/* Whether the name is one that this core PMU has for itself, beside the machine's other ones. */
bool parser__is_of_core(const struct parser *parser, const struct spec *spec,
			const struct pmu *core);

/* The error for a base that nothing knows. */
int parser__unknown(const struct parser *parser, const struct spec *spec);

#endif
