// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/remarks.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "pmu/branch_filter.h"
#include "pmu/cores.h"
#include "pmu/skid.h"
#include "render/escape.h"
#include "render/loss.h"
#include "render/off_cpu.h"
#include "render/roles.h"
#include "sys/cpuinfo.h"
#include "sys/kernel_id.h"

static void add_line(struct prof *prof, struct buf *line)
{
	prof__comment(prof, line->data);
	buf__clear(line);
}

static void add_command(struct prof *prof, const char *subcommand, char *const *words)
{
	_cleanup_(buf__done) struct buf line = {0};

	buf__printf(&line, "command: pmubpf %s", subcommand);
	for (; *words; words++) {
		buf__putc(&line, ' ');
		escape_word(&line, *words);
	}
	add_line(prof, &line);
}

static void add_machine(struct prof *prof, const struct processor_loss *loss)
{
	_cleanup_(buf__done) struct buf line = {0};
	_cleanup_free_ char *machine = cpuinfo_describe();
	char build_id[KERNEL_ID_TEXT];
	struct utsname name;

	buf__printf(&line, "machine: %s", machine);
	add_line(prof, &line);
	uname(&name);
	buf__printf(&line, "kernel: %s %s %s", name.sysname, name.release, name.machine);
	add_line(prof, &line);
	if (kernel_id(build_id)) {
		buf__printf(&line, "kernel build-id: %s", build_id);
		add_line(prof, &line);
	}
	buf__printf(&line, "processor: %.1f %% of the CPUs' time taken by the hypervisor",
		    loss->stolen_percent);
	if (loss->stolen_percent >= STOLEN_MUCH)
		loss__put_from(loss, loss->stolen_from_ns, &line);
	if (loss->knows_heat)
		buf__printf(&line, ", slowed down %" PRIu64 " times by heat", loss->throttled);
	if (loss->throttled)
		loss__put_from(loss, loss->throttled_from_ns, &line);
	add_line(prof, &line);
}

static void add_event(struct prof *prof, const struct summary *s, size_t i)
{
	const struct ledger_event *e = &s->ledger->events[i];
	const struct event *event = &s->events->events[i];
	double ratio = e->no_ratio ? NAN : ledger_event__ratio(e);
	_cleanup_(buf__done) struct buf line = {0};

	if (event->added)
		return;
	buf__puts(&line, "event ");
	escape_name(&line, event__label(event));
	buf__printf(&line,
		    ": counts=%s period=%" PRIu64 " overflows=%" PRIu64 " emitted=%" PRIu64
		    " filtered=%" PRIu64 " lost=%" PRIu64 " weight=%" PRIu64 " counter=%" PRIu64
		    " ratio=%.4f estimated=%s pc=%s",
		    event->counts, e->period, (uint64_t)e->kernel.seen, (uint64_t)e->kernel.emitted,
		    (uint64_t)e->kernel.filtered, ledger_event__dropped(e), e->weight, e->value,
		    ratio, ledger_event__estimated(e) ? "yes" : "no",
		    event_pc_is_exact(event) ? "exact" : "near");
	add_line(prof, &line);
	if (event->unit == UNIT_CYCLES && s->rates[i].n) {
		buf__puts(&line, "time ");
		escape_name(&line, event__label(event));
		buf__printf(&line, ": %.4f GHz, %s", s->rates[i].hz / 1e9,
			    s->rates[i].measured ? "measured" : "nominal");
		add_line(prof, &line);
	}
}

/* Of the events that the profile has numbers of: one of several core PMUs stands for the others,
 * too. */
static void add_role(struct prof *prof, const struct event_list *events, size_t lead)
{
	const struct event *event = &events->events[lead];
	struct event of_all = *event; /* borrowed */
	_cleanup_(buf__done) struct buf line = {0};
	struct derive_event role;

	if (event->added || event->lead != lead)
		return;
	if (event_list__family_end(events, lead) > lead + 1)
		of_all.cpus = NULL;
	role = event_role(&of_all);
	buf__puts(&line, "role ");
	escape_name(&line, event->name);
	buf__puts(&line, ": ");
	role__put(&role, &line);
	add_line(prof, &line);
}

/* Of a part: whether weights and counters agree is a law of the whole. */
static bool columns_balance(const struct ledger *ledger, struct buf *remarks)
{
	bool good = true;

	for (size_t i = 0; i < ledger->n_events; i++)
		good &= ledger_event__columns(&ledger->events[i], remarks);
	return good;
}

static void add_ledger(struct prof *prof, const struct summary *s, bool part)
{
	_cleanup_(buf__done) struct buf remarks = {0};
	_cleanup_(buf__done) struct buf doubts = {0};
	_cleanup_(buf__done) struct buf line = {0};

	if (part ? columns_balance(s->ledger, &remarks) : ledger__balance(s->ledger, &remarks)) {
		prof__comment(prof, "ledger: balanced");
	} else {
		remarks.data[strcspn(remarks.data, "\n")] = '\0';
		buf__printf(&line, "ledger: does not balance: %s", remarks.data);
		add_line(prof, &line);
	}
	if (!part && ledger__doubts(s->ledger, &doubts)) {
		buf__printf(&line, "warning: %s", doubts.data);
		add_line(prof, &line);
	}
	buf__clear(&doubts);
	if (!part && off_cpu__doubt(&s->ledger->off_cpu, s->events, &doubts)) {
		buf__printf(&line, "warning: %s", doubts.data);
		add_line(prof, &line);
	}
}

/* "user stacks: 1990 complete, 10 truncated" */
static void add_statuses(struct prof *prof, const char *side, const uint64_t *statuses)
{
	_cleanup_(buf__done) struct buf line = {0};
	bool any = false;

	buf__printf(&line, "%s stacks:", side);
	for (int i = 0; i < PMB_N_UNWIND_STATUSES; i++) {
		if (i == PMB_END_NONE || !statuses[i])
			continue;
		buf__printf(&line, "%s %" PRIu64 " %s", any ? "," : "", statuses[i],
			    status_keys[i]);
		any = true;
	}
	if (any)
		add_line(prof, &line);
}

static void set_period(struct prof *prof, const struct summary *s)
{
	const struct event *event = &s->events->events[0];

	prof->period_type = (struct prof_type){
		prof__string(prof, event->name),
		prof__string(prof, event->unit == UNIT_NS ? "nanoseconds" : "count"),
	};
	prof->period = (int64_t)s->ledger->events[0].period;
}

void add_remarks_of_books(struct prof *prof, const struct summary *summary, bool part)
{
	for (size_t i = 0; i < summary->events->n; i++)
		add_event(prof, summary, i);
	for (size_t i = 0; i < summary->events->n; i++)
		add_role(prof, summary->events, i);
	add_ledger(prof, summary, part);
	add_statuses(prof, "user", summary->ledger->user_statuses);
	add_statuses(prof, "kernel", summary->ledger->kernel_statuses);
	set_period(prof, summary);
}

void add_remarks_of_host(struct prof *prof, const char *subcommand, char *const *words,
			 const struct processor_loss *loss)
{
	prof__comment(prof, "pmubpf: " PMUBPF_VERSION);
	add_command(prof, subcommand, words);
	add_machine(prof, loss);
}

/* "alarm: at 75.0 s 'Y ~ X' was 51.2 % above what was usual, since 71.0 s; …" */
static void add_kept(struct prof *prof, const struct kept *k)
{
	_cleanup_(buf__done) struct buf line = {0};

	buf__printf(&line, "alarm: at %.1f s '", k->at_s);
	escape_name(&line, k->relation);
	buf__printf(&line,
		    "' was %.1f %% from what was usual, since %.1f s; kept is %.1f to %.1f s",
		    k->percent, k->since_s, k->from_s, k->to_s);
	add_line(prof, &line);
}

void add_remarks(struct prof *prof, const struct summary *summary)
{
	add_remarks_of_host(prof, "record", summary->command_line, &summary->loss);
	add_remarks_of_books(prof, summary, false);
	if (summary->kept)
		add_kept(prof, summary->kept);
}

void add_remark_of_branches(struct prof *prof, uint64_t filter)
{
	_cleanup_(buf__done) struct buf line = {0};

	buf__puts(&line, "branches: ");
	branch_filter__put(filter, &line);
	add_line(prof, &line);
}

/* Those that begin so; lines NULL: there are none. */
static void add_lines(struct prof *prof, const char *lines, const char *begin)
{
	while (lines && *lines) {
		_cleanup_free_ char *line = xstrndup(lines, strcspn(lines, "\n"));

		if (starts_with(line, begin))
			prof__comment(prof, line);
		lines += strlen(line);
		lines += *lines == '\n';
	}
}

void add_remark_lines(struct prof *prof, const char *lines)
{
	add_lines(prof, lines, "");
}

void add_remarks_of_breakpoints(struct prof *prof, const char *notes)
{
	add_lines(prof, notes, "breakpoints: ");
}

void add_remark_of_timeline(struct prof *prof, uint64_t grid_ns)
{
	_cleanup_(buf__done) struct buf line = {0};

	if (grid_ns % 1000000)
		buf__printf(&line, "timeline: steps of %" PRIu64 " us", grid_ns / 1000);
	else
		buf__printf(&line, "timeline: steps of %" PRIu64 " ms", grid_ns / 1000000);
	add_line(prof, &line);
}
