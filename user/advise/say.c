// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "advise/say.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "render/escape.h"

enum { COLUMNS = 79, INDENT = 12, KILO = 1000 };

/* ---- words */

static void put_number(const struct finding *f, double value, struct buf *out)
{
	switch (f->rule->kind) {
	case RULE_MISSES:
		buf__printf(out, "%.1f", value);
		break;
	case RULE_HEAT:
		buf__printf(out, "%.0f times", value);
		break;
	default:
		buf__printf(out, value < 10 ? "%.1f %%" : "%.0f %%", value);
	}
}

/* Which one is looked closer at. */
static void put_profile(const struct saying *s, struct buf *out)
{
	if (s->profile)
		buf__puts(out, s->profile);
	else
		escape_word(out, s->report->n_files ? s->report->files[0] : "FILE.pb.gz");
}

void saying__put(const struct saying *s, const struct finding *f, const char *text, struct buf *out)
{
	for (; *text; text++) {
		if (*text == '@')
			put_number(f, f->value, out);
		else if (*text == '%')
			escape_word(out, f->n_places ? f->places[0].function : "");
		else if (*text == '&')
			put_profile(s, out);
		else
			buf__putc(out, *text);
	}
}

/* Of two functions without a name all that is known is where they lie. */
void saying__put_look(const struct saying *s, const struct finding *f, struct buf *out)
{
	bool named = f->n_places && *f->places[0].function;
	const char *look = f->rule->look;

	if (strchr(look, '%') && !named)
		look = "pmubpf report --by module,address &";
	else if (s->no_code && starts_with(look, "pmubpf annotate "))
		look = "pmubpf report --tree --callees % &";
	saying__put(s, f, look, out);
}

/* 1234567 as 1,234,567. */
static void put_count(uint64_t n, struct buf *out)
{
	if (n >= KILO) {
		put_count(n / KILO, out);
		buf__printf(out, ",%03" PRIu64, n % KILO);
	} else {
		buf__printf(out, "%" PRIu64, n);
	}
}

static void put_interval(const struct finding *f, const char *unit, struct buf *out)
{
	buf__printf(out, ": %.1f%s, with 95 %% certainty between %.1f and %.1f%s", f->value, unit,
		    f->low, f->high, unit);
}

static void put_samples(const struct finding *f, const char *of_what, struct buf *out)
{
	put_count((uint64_t)f->samples, out);
	buf__puts(out, " of ");
	put_count((uint64_t)f->of_samples, out);
	buf__printf(out, " %s", of_what);
}

static void put_cpu_evidence(const struct saying *s, const struct finding *f, struct buf *out)
{
	put_samples(f, "samples of ", out);
	escape_name(out, s->advice->clock->name);
	put_interval(f, " %", out);
	if (!(f->rate > 0))
		return;
	buf__printf(out, "; %s: ", f->rule->rate_of);
	put_count((uint64_t)f->events, out);
	buf__puts(out, ", ");
	put_count((uint64_t)f->rate, out);
	buf__puts(out, " for each second of CPU time");
}

/* What the kernel says of the same: of the machine, or of the cgroup. */
static void put_pressures(const struct saying *s, const struct finding *f, struct buf *out)
{
	for (size_t i = 0; i < N_RULES; i++) {
		const struct finding *p = &s->advice->findings[i];

		if (!(f->rule->covers & RULE_BIT(i)) || p->rule->kind != RULE_PRESSURE ||
		    !p->n_places)
			continue;
		buf__printf(out, "; PSI: for %.1f %% of the time some task of ", p->value);
		escape_name(out, p->places[0].text);
		buf__puts(out, " waited so");
	}
}

static void put_quota(const struct finding *f, struct buf *out)
{
	buf__printf(out, "%.3f s withheld from CPUs; ", f->seconds);
	put_samples(f, "periods", out);
	buf__printf(out, ", of a quota of %.2f CPUs", f->cpus);
	put_interval(f, " %", out);
}

void saying__put_evidence(const struct saying *s, const struct finding *f, struct buf *out)
{
	switch (f->rule->kind) {
	case RULE_OF_CPU:
		put_cpu_evidence(s, f, out);
		break;
	case RULE_OF_THREADS:
		buf__printf(out, "%.3f s in ", f->seconds);
		put_count((uint64_t)f->samples, out);
		buf__printf(out, " waits, beside %.3f s with a CPU", f->of_seconds - f->seconds);
		put_interval(f, " %", out);
		put_pressures(s, f, out);
		break;
	case RULE_OF_SOURCES:
		put_samples(f, "samples that say where data came from", out);
		put_interval(f, " %", out);
		break;
	case RULE_QUOTA:
		put_quota(f, out);
		break;
	case RULE_PRESSURE:
		buf__puts(out, "by the kernel's own account (PSI) of ");
		escape_name(out, f->places[0].text);
		buf__printf(out, ", while the recording ran: %.1f %% of the time", f->value);
		break;
	case RULE_STALLS:
		put_samples(f, "samples of cycles", out);
		put_interval(f, " % of the cycles", out);
		break;
	case RULE_OF_ACCESSES:
		put_samples(f, "samples that say which cache line they touched", out);
		put_interval(f, " %", out);
		break;
	case RULE_OF_STACKS:
		put_samples(f, "user stacks", out);
		put_interval(f, " %", out);
		break;
	case RULE_STOLEN:
	case RULE_HEAT:
		buf__puts(out, "by the kernel's own count, while the recording ran");
		break;
	case RULE_SLOTS:
		buf__puts(out, "by Intel's formula, of ");
		put_count((uint64_t)f->samples, out);
		buf__printf(out, " samples of %zu event%s", f->n_counts,
			    f->n_counts == 1 ? "" : "s");
		put_interval(f, " % of the slots", out);
		break;
	case RULE_MISSES:
		buf__printf(out, "%.2f instructions a cycle, %.2f at most; ", f->ipc, f->ipc_high);
		put_count((uint64_t)f->samples, out);
		buf__puts(out, " samples of misses");
		put_interval(f, " per 1000 instructions", out);
		break;
	}
}

/* From which other it follows, if from any. */
static void put_cause(const struct saying *s, const struct finding *f, struct buf *out)
{
	const struct advice *a = s->advice;

	for (size_t i = 0; i < a->n && f->because; i++) {
		if (a->order[i] == f->because)
			buf__printf(out, "it follows from %zu (%s), which is to be mended first",
				    i + 1, f->because->rule->id);
	}
}

void saying__put_stake(const struct finding *f, struct buf *out)
{
	if (!(f->stake > 0))
		return;
	buf__printf(out, "at most %.1f %% of ", f->stake);
	switch (f->rule->kind) {
	case RULE_OF_CPU:
		buf__printf(out, "the CPU time (%.3f of %.3f s)", f->seconds, f->of_seconds);
		break;
	case RULE_OF_THREADS:
		buf__printf(out, "that time (%.3f of %.3f s)", f->seconds, f->of_seconds);
		break;
	case RULE_STOLEN:
		buf__puts(out, "the CPUs' time");
		break;
	case RULE_QUOTA:
		buf__printf(out, "the time that it ran or was held back (%.3f of %.3f s)",
			    f->seconds, f->of_seconds);
		break;
	case RULE_PRESSURE:
		buf__puts(out, "the time that passed");
		break;
	case RULE_STALLS:
		buf__puts(out, "the cycles");
		break;
	case RULE_SLOTS:
		buf__puts(out, "what the cores could have done in that time");
		break;
	default:
		buf__puts(out, "the cycles, which that function takes");
	}
}

/* Enough of it, and yet none: it may be chance, or lacks something besides. */
static void put_below(const struct finding *f, struct buf *out)
{
	put_number(f, f->value, out);
	if (f->of_machine && f->value >= f->rule->least)
		buf__puts(out, " of the machine's time: it may be others that wait");
	else if (f->value < f->rule->least)
		buf__printf(out, ", less than is worth a look (%.4g)", f->rule->least);
	else if (f->low < f->rule->least)
		buf__printf(out, ", or %.1f: not sure to be worth a look (%.4g)", f->low,
			    f->rule->least);
	else
		buf__puts(out, ", and what would make it this finding isn't there besides");
}

void saying__put_reason(const struct saying *s, const struct finding *f, struct buf *out)
{
	static const char *const wanted[] = {
		[RULE_OF_CPU] = "a clock (-e cpu-clock)",
		[RULE_OF_THREADS] = "-e cpu-clock and -e off-cpu",
		[RULE_OF_ACCESSES] = "--data and --label tid, with an event that has addresses",
		[RULE_OF_STACKS] = "the recording's account of its stacks",
		[RULE_STOLEN] = "the recording's account of the CPUs",
		[RULE_HEAT] = "the CPUs' own count of that",
		[RULE_OF_SOURCES] = "--data, with an event that says where data came from",
		[RULE_QUOTA] = "a cgroup whose CPU quota held it back",
		[RULE_PRESSURE] = "the kernel's account of pressure (/proc/pressure)",
		[RULE_SLOTS] = "events of top-down analysis, of a PMU whose tables are here "
			       "(--event-db)",
		[RULE_STALLS] = "cycles and such stalls (stalls-frontend, stalls-backend) of a PMU",
	};
	static const char *const of_misses[] = {
		[MISSES_OF_CACHE] = "cycles, instructions and cache-misses of a PMU",
		[MISSES_OF_TLB] = "cycles, instructions and dtlb-load-misses of a PMU",
		[MISSES_OF_CODE] = "cycles, instructions and icache-load-misses of a PMU",
		[MISSES_OF_CODE_TLB] = "cycles, instructions and itlb-load-misses of a PMU",
		[MISSES_OF_BRANCHES] = "cycles, instructions and branch-misses of a PMU",
	};
	const char *wants = f->rule->kind == RULE_MISSES ? of_misses[f->rule->misses] :
							   wanted[f->rule->kind];

	switch (f->verdict) {
	case RULE_NOT_ASKED:
		buf__printf(out, "not recorded: %s",
			    f->rule->rate_of && s->advice->clock ? f->rule->rate_of : wants);
		break;
	case RULE_FEW:
		buf__printf(out, "too few samples to say (%" PRId64 ")",
			    f->rule->kind == RULE_OF_THREADS ? f->samples : f->of_samples);
		break;
	case RULE_BELOW:
		put_below(f, out);
		break;
	case RULE_COVERED:
		buf__puts(out, "another finding is the same time, seen closer");
		break;
	case RULE_HOLDS:
		break;
	}
}

/* ---- the text */

/* In lines that end before COLUMNS; words longer than that stay whole. */
static void put_lines(const char *text, size_t indent, struct buf *out)
{
	size_t column = indent;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (column > indent && column + 1 + len > COLUMNS) {
			buf__printf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (column > indent) {
			buf__putc(out, ' ');
			column++;
		}
		buf__add(out, text, len);
		column += len;
		text += len + strspn(text + len, " ");
	}
	buf__putc(out, '\n');
}

/* "   why      …" */
static void put_wrapped(const char *key, const char *text, struct buf *out)
{
	buf__printf(out, "   %-*s", INDENT - 3, key);
	put_lines(text, INDENT, out);
}

static void put_places(const struct finding *f, struct buf *out)
{
	for (size_t i = 0; i < f->n_places; i++) {
		buf__printf(out, "   %-*s%3.0f %%  ", INDENT - 3, i ? "" : "where",
			    f->places[i].percent);
		escape_line(out, f->places[i].text);
		buf__putc(out, '\n');
	}
}

static void put_finding(const struct saying *s, size_t number, struct buf *out)
{
	const struct finding *f = s->advice->order[number];
	_cleanup_(buf__done) struct buf text = {0};

	buf__printf(out, "%zu. ", number + 1);
	saying__put(s, f, f->rule->title, out);
	buf__putc(out, '\n');
	saying__put_evidence(s, f, &text);
	put_wrapped("evidence", text.data, out);
	put_places(f, out);
	buf__clear(&text);
	put_cause(s, f, &text);
	if (text.len)
		put_wrapped("because", text.data, out);
	buf__clear(&text);
	saying__put_stake(f, &text);
	if (text.len)
		put_wrapped("at stake", text.data, out);
	put_wrapped("why", f->rule->why, out);
	put_wrapped("try", f->rule->what, out);
	buf__printf(out, "   %-*s", INDENT - 3, "look");
	saying__put_look(s, f, out);
	buf__puts(out, "\n\n");
}

static void put_others(const struct saying *s, struct buf *out)
{
	for (size_t i = 0; i < N_RULES; i++) {
		const struct finding *f = &s->advice->findings[i];

		if (f->verdict == RULE_HOLDS)
			continue;
		buf__printf(out, "   %-17s ", f->rule->id);
		saying__put_reason(s, f, out);
		buf__putc(out, '\n');
	}
}

/* What it stands on: a sentence that is honest about what wasn't looked at. */
static void put_scope(const struct saying *s, struct buf *out)
{
	_cleanup_(buf__done) struct buf lacks = {0};
	const struct advice *a = s->advice;

	if (a->clock && a->clock_samples < RULE_FEW_SAMPLES)
		buf__printf(out,
			    "Too few samples to say where the CPU time goes: %" PRId64
			    ", and %d are needed. Record for longer.\n",
			    a->clock_samples, RULE_FEW_SAMPLES);
	if (!a->clock && !s->windows)
		buf__puts(out, "No event of this profile says where CPU time goes, so most wasn't "
			       "looked for: record with -e cpu-clock.\n");
	else if (!s->windows && saying__lacks(s, RULE_OF_THREADS))
		buf__puts(out, "Locks, disks and waiting for a CPU weren't looked for: record with "
			       "-e cpu-clock,page-faults,context-switches,off-cpu.\n");
	if (s->windows)
		saying__put_lacks(s, &lacks);
	if (lacks.len)
		put_lines(lacks.data, 0, out);
}

void saying__text(const struct saying *s, struct buf *out)
{
	const struct report *r = s->report;
	const struct advice *a = s->advice;

	report__put_warnings(r->whole, "", r->events, r->n_events, "findings are not to be trusted",
			     out);
	for (size_t i = 0; i < a->n; i++)
		put_finding(s, i, out);
	if (!a->n && (!a->clock || a->clock_samples >= RULE_FEW_SAMPLES)) {
		buf__puts(out, "Nothing stands out");
		if (a->clock) {
			buf__puts(out, " in ");
			put_count((uint64_t)a->clock_samples, out);
			buf__puts(out, " samples of ");
			escape_name(out, a->clock->name);
		}
		buf__puts(out, ".\n");
	}
	put_scope(s, out);
	if (s->all)
		put_others(s, out);
}
