// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is what is whole: a part of the recording is kept or given up with all that it
 * has, so the books of each are closed, and the sum of all is the books of the recording, in which
 * the samples of those that were given up are a column.
 */
#include "cmd/flight.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/watched.h"
#include "pmubpf/budgets.h"
#include "sys/clock.h"

struct flight {
	struct record_args *args;
	size_t max_memory; /* for all of it */
	struct session *session;
	struct session_result *result;
	struct kept *kept;
	struct watched watched;
	struct session_cut **parts; /* that are held, oldest first; the session's */
	size_t n, cap;
	size_t bytes;             /* of their profiles */
	struct ledger ledger;     /* of those given up, and at the end of all */
	struct clock_rate *rates; /* per event: the last that was known */
	uint64_t start_ns, until_ns;
};

static void give_up_oldest(struct flight *f)
{
	struct session_cut *part = f->parts[0];

	f->bytes -= profile__bytes(part->profile);
	ledger__forget(&part->ledger);
	ledger__take(&f->ledger, &part->ledger);
	session__give_up(f->session, part);
	f->n--;
	memmove(f->parts, f->parts + 1, f->n * sizeof(*f->parts));
	f->kept->given_up++;
}

static void cut(struct flight *f)
{
	struct session_cut *part = session__cut(f->session);

	clock_rates__follow(f->rates, part->rates, f->args->sampling.events.n);
	GROW(f->parts, f->n, f->cap);
	f->parts[f->n++] = part;
	f->bytes += profile__bytes(part->profile);
	/* parts are a second long, give or take what a busy machine does to them */
	while (f->n > 1 &&
	       part->end_ns - f->parts[0]->begin_ns > f->args->lookback_ns + WATCHED_LOOK_NS / 2)
		give_up_oldest(f);
	while (f->n > 1 && f->bytes > f->max_memory / BUDGET_FLIGHT_PART) {
		give_up_oldest(f);
		f->kept->no_room++;
	}
}

static void raised(struct flight *f, uint64_t now)
{
	const struct alarms *alarms = &f->args->alarms;
	double before = (double)(now - f->parts[0]->begin_ns) / 1e9;

	f->until_ns = now + f->args->lookahead_ns;
	f->kept->raised = true;
	for (size_t i = 0; i < alarms->n && !f->kept->relation; i++) {
		if (!alarms->news[i].raised)
			continue;
		f->kept->relation = alarms->news[i].relation;
		f->kept->since_s = alarms->news[i].since_s;
		f->kept->percent = alarms->news[i].percent;
	}
	f->kept->at_s = (double)f->watched.counted.counts.to_ns / 1e9;
	fprintf(stderr,
		"pmubpf: kept: the %.1f s before that, and what follows for %.1f s (Ctrl-C ends it "
		"earlier)\n",
		before, (double)f->args->lookahead_ns / 1e9);
}

/* Each second. */
static void look(struct flight *f, uint64_t now)
{
	_cleanup_(buf__done) struct buf talk = {0};
	unsigned n;

	if (!f->kept->raised)
		cut(f);
	n = watched__look(&f->watched, f->session, now, &talk);
	if (talk.len && f->args->sampling.session.tick)
		fputs("\r\033[K", stderr);
	alarms__say(&talk);
	if (n && !f->kept->raised)
		raised(f, now);
}

static void record(struct flight *f)
{
	struct pollfd fds[SESSION_FDS];
	uint64_t now;

	do {
		now = now_ns();
		if (now >= f->watched.next_ns) {
			look(f, now);
			now = now_ns();
		}
		if (f->kept->raised && now >= f->until_ns)
			return;
		poll(fds, SESSION_FDS,
		     session__fds_until(f->session, now, f->watched.next_ns, fds));
	} while (session__step(f->session, now_ns(), fds));
}

/* Of the parts that are held, and the last one, which the result has. Rows are counted anew:
 * they are those of one profile then. */
static void put_together(struct flight *f)
{
	struct session_result *result = f->result;
	struct profile *sum = f->parts[0]->profile;
	uint64_t trims;

	for (size_t i = 0; i <= f->n; i++) {
		struct ledger *ledger = i < f->n ? &f->parts[i]->ledger : &result->ledger;

		if (i > 0 && i < f->n) {
			profile__merge(sum, f->parts[i]->profile);
			profile__free(f->parts[i]->profile);
			f->parts[i]->profile = profile__new();
		}
		ledger__uncount_rows(ledger);
		ledger__take(&f->ledger, ledger);
	}
	profile__merge(sum, result->profile);
	profile__free(result->profile);
	result->profile = sum;
	f->parts[0]->profile = profile__new();
	trims = f->ledger.memory.trims;
	ledger__count_rows(&f->ledger, result->profile);
	f->ledger.memory.trims = trims;
}

static void give_all_up(struct flight *f)
{
	struct session_result *result = f->result;

	while (f->n)
		give_up_oldest(f);
	ledger__forget(&result->ledger);
	ledger__take(&f->ledger, &result->ledger);
	profile__free(result->profile);
	result->profile = profile__new();
}

static void say_end(struct flight *f)
{
	const struct kept *k = f->kept;
	_cleanup_(buf__done) struct buf talk = {0};

	if (!k->raised)
		buf__printf(&talk, "no alarm in %.1f s: nothing is kept\n", k->to_s);
	else
		buf__printf(&talk,
			    "kept: from %.1f to %.1f s, around the alarm at %.1f s; the %.1f s "
			    "before are forgotten\n",
			    k->from_s, k->to_s, k->at_s, k->from_s);
	if (k->raised && k->no_room)
		buf__printf(&talk,
			    "kept: not all of the %.1f s before it: no room (--max-memory)\n",
			    (double)f->args->lookback_ns / 1e9);
	buf__puts(&f->result->notes, talk.data);
	if (!k->raised || f->args->sampling.quiet)
		alarms__say(&talk);
}

static void finish(struct flight *f)
{
	uint64_t from = f->n ? f->parts[0]->begin_ns : f->start_ns;

	session__close(f->session);
	f->kept->from_s = (double)(from - f->start_ns) / 1e9;
	f->kept->to_s = (double)f->result->duration_ns / 1e9;
	if (f->kept->raised)
		put_together(f);
	else
		give_all_up(f);
	f->result->ledger = f->ledger;
	f->ledger = (struct ledger){0};
	f->result->ledger.memory.limit = f->max_memory;
	clock_rates__follow(f->rates, f->result->rates, f->args->sampling.events.n);
	free(f->result->rates);
	f->result->rates = TAKE_PTR(f->rates);
	say_end(f);
}

static void flight__done(struct flight *f)
{
	watched__done(&f->watched);
	ledger__done(&f->ledger);
	free(f->rates);
	free(f->parts);
}

int flight__record(struct session **ret, struct record_args *args, struct session_result *result,
		   struct kept *kept, struct err *err)
{
	_cleanup_(flight__done) struct flight f = {
		.args = args,
		.max_memory = args->sampling.session.max_memory,
		.result = result,
		.kept = kept,
	};
	int r = watched__settle(&f.watched, &args->alarms, &args->sampling, &args->watched, err);

	*kept = (struct kept){.asked = true};
	f.rates = xcalloc(args->sampling.events.n, sizeof(*f.rates));
	/* what is held takes the rest */
	args->sampling.session.max_memory -= f.max_memory / BUDGET_FLIGHT_PART;
	args->sampling.session.opened = watched__open;
	args->sampling.session.opened_ctx = &f.watched;
	if (r == 0)
		r = session__open(&f.session, &args->sampling.session, result, err);
	if (r < 0)
		return r;
	*ret = f.session;
	f.start_ns = now_ns();
	watched__begin(&f.watched, f.start_ns);
	record(&f);
	finish(&f);
	args->sampling.session.max_memory = f.max_memory; /* for what is written */
	return 0;
}
