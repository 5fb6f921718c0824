// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Linked to pmubpf in the place of session__record (ld --wrap): a recording that is cut every
 * $CUT_MS, whose parts are added up again, and then shown as if it had been whole. So whatever is
 * known of a recording (tests/e2e) must be true of this one, too. The laws of the ledger's columns
 * are checked for each part; if one doesn't hold, all ends with its words.
 *
 * With $CUT_NAMES each part is named, too, while the recording goes on. With $CUT_APART parts are
 * not added up but given up, as by whoever ships them: what is shown is the last one, with the
 * books of all.
 *
 * One line of JSON into the file $CUT_REPORT: the cuts, their CPU time (without the round that
 * comes before), what they carried over, at most.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "pmubpf/budgets.h"
#include "session/session.h"
#include "sym/known.h"
#include "sym/names.h"
#include "sys/clock.h"
#include "sys/usage.h"

int __real_session__record(struct session **ret, const struct session_opts *opts,
			   struct session_result *result, struct err *err);
int __wrap_session__record(struct session **ret, const struct session_opts *opts,
			   struct session_result *result, struct err *err);
struct session_cut __real_session__part(struct session *s, uint64_t boundary, bool final);
struct session_cut __wrap_session__part(struct session *s, uint64_t boundary, bool final);

struct sum {
	struct profile *profile;
	struct ledger ledger;
	struct clock_rate *rates;
	uint64_t n, held, rings;
	size_t most_rows;
	bool apart;
	struct known *known; /* NULL: parts aren't named */
	uint64_t asked, known_places, first_asked, steps;
};

static uint64_t cut_ns,
	most_cut_ns; /* CPU time of parts but the last, without what came before a cut */

struct session_cut __wrap_session__part(struct session *s, uint64_t boundary, bool final)
{
	uint64_t began = usage_thread_ns(), took;
	struct session_cut part = __real_session__part(s, boundary, final);

	took = usage_thread_ns() - began;
	if (final)
		return part;
	cut_ns += took;
	most_cut_ns = took > most_cut_ns ? took : most_cut_ns;
	return part;
}

static uint64_t more(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void check(const struct ledger *ledger, uint64_t number)
{
	struct buf remarks = {0};

	for (size_t i = 0; i < ledger->n_events; i++) {
		if (ledger_event__columns(&ledger->events[i], &remarks))
			continue;
		fprintf(stderr, "cut %lu: %s", (unsigned long)number, remarks.data);
		exit(99);
	}
	buf__done(&remarks);
}

/* Takes what the part has. */
static void add(struct sum *sum, struct profile **profile, struct ledger *ledger,
		struct clock_rate **rates)
{
	check(ledger, sum->n);
	for (size_t i = 0; i < ledger->n_events; i++) {
		sum->held = more(sum->held, ledger->events[i].out.held);
		sum->rings = more(sum->rings, ledger->events[i].out.rings);
	}
	if (!sum->n++) {
		sum->profile = *profile;
		sum->ledger = *ledger;
		sum->rates = *rates;
	} else {
		if (!sum->apart)
			profile__merge(sum->profile, *profile);
		ledger__follow(&sum->ledger, ledger);
		for (size_t i = 0; i < ledger->n_events; i++) {
			if ((*rates)[i].n)
				sum->rates[i] = (*rates)[i];
		}
		profile__free(sum->apart ? sum->profile : *profile);
		if (sum->apart) {
			sum->profile = *profile;
			sum->ledger.frames = ledger->frames; /* those that will be named */
		}
		ledger__done(ledger);
		free(*rates);
	}
	*profile = NULL;
	*ledger = (struct ledger){0};
	*rates = NULL;
}

struct naming {
	struct session *session;
	struct sum *sum;
};

static void step(void *ctx)
{
	struct naming *n = ctx;
	struct pollfd fds[SESSION_FDS];

	n->sum->steps++;
	session__fds(n->session, now_ns(), fds);
	poll(fds, SESSION_FDS, 0);
	session__step(n->session, now_ns(), fds);
}

static void name(struct session *s, struct sum *sum, const struct session_cut *part,
		 const struct session_opts *opts, const struct files *files)
{
	struct naming naming = {s, sum};
	const struct names_opts how = {
		.kernel = opts->kernel,
		.stop_fd = -1,
		.known = sum->known,
		.meanwhile = step,
		.meanwhile_ctx = &naming,
	};
	struct names names;
	struct err err = {0};

	if (names__resolve(&names, part->profile, files, &how, &err) < 0)
		exit(99);
	if (!sum->asked)
		sum->first_asked = names.work.lookups;
	sum->asked += names.work.lookups;
	sum->known_places += names.work.known;
	names__done(&names);
}

static void cut(struct session *s, struct sum *sum, const struct session_opts *opts,
		const struct files *files)
{
	const struct profile_row *rows;
	struct session_cut *part = session__cut(s);

	sum->most_rows = more(sum->most_rows, profile__rows(part->profile, &rows));
	if (sum->known)
		name(s, sum, part, opts, files);
	add(sum, &part->profile, &part->ledger, &part->rates);
	session__give_up(s, part);
}

static void report(const struct sum *sum)
{
	const char *path = getenv("CUT_REPORT");
	FILE *f = path ? fopen(path, "ae") : NULL;

	if (!f)
		return;
	fprintf(f,
		"{\"parts\": %lu, \"cut_ms\": %.3f, \"most_cut_ms\": %.3f, \"most_rows\": %zu, \"most_held\": %lu, \"most_in_rings\": %lu, \"first_asked\": %lu, \"asked\": %lu, \"known\": %lu, \"kept\": %zu, \"steps\": %lu}\n",
		(unsigned long)sum->n, sum->n > 1 ? (double)cut_ns / 1e6 / (double)(sum->n - 1) : 0,
		(double)most_cut_ns / 1e6, sum->most_rows, (unsigned long)sum->held,
		(unsigned long)sum->rings, (unsigned long)sum->first_asked,
		(unsigned long)sum->asked, (unsigned long)sum->known_places,
		sum->known ? known__count(sum->known) : 0, (unsigned long)sum->steps);
	fclose(f);
}

static uint64_t interval_ns(void)
{
	const char *text = getenv("CUT_MS");
	uint64_t ms = 0;

	return (text && num__parse_u64(text, &ms) == 0 && ms ? ms : 100) * 1000000;
}

int __wrap_session__record(struct session **ret, const struct session_opts *opts,
			   struct session_result *result, struct err *err)
{
	struct pollfd fds[SESSION_FDS];
	uint64_t every = interval_ns(), next;
	struct sum sum = {
		.known = getenv("CUT_NAMES") ? known__new(opts->max_memory / BUDGET_NAMES_PART) :
					       NULL,
		.apart = getenv("CUT_APART") != NULL,
	};
	int r;

	if (opts->profile) /* one of several passes, into one profile */
		return __real_session__record(ret, opts, result, err);
	r = session__open(ret, opts, result, err);
	if (r < 0)
		return r;
	next = now_ns() + every;
	do {
		uint64_t now = now_ns();
		int timeout_ms;

		if (now >= next) {
			cut(*ret, &sum, opts, result->files);
			next += every;
			now = now_ns();
		}
		timeout_ms = session__fds(*ret, now, fds);
		if (next <= now)
			timeout_ms = 0;
		else if (next - now < (uint64_t)timeout_ms * 1000000)
			timeout_ms = (int)((next - now) / 1000000) + 1;
		poll(fds, SESSION_FDS, timeout_ms);
	} while (session__step(*ret, now_ns(), fds));
	session__close(*ret);
	add(&sum, &result->profile, &result->ledger, &result->rates);
	result->profile = sum.profile;
	result->ledger = sum.ledger;
	result->rates = sum.rates;
	report(&sum);
	known__free(sum.known);
	return 0;
}
