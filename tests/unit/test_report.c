// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <stdio.h>

#include "prof_build.h"
#include "render/report.h"
#include "render/roles.h"

static struct prof *p;
static struct err err;

static void types(const char *const *events, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *samples = xasprintf("%s_sample", events[i]);
		_cleanup_free_ char *count = xasprintf("%s_event", events[i]);

		prof__type(p, samples, "count");
		prof__type(p, count, "count");
	}
}

static void begin(void)
{
	static const char *const events[] = {"cycles", "insts", "dtlb-miss"};

	p = prof__new();
	types(events, 3);
	BUILD_SAMPLE(p, "fast,main", 0, 100, 1000000, 400, 4000000, 10, 4000);
	BUILD_SAMPLE(p, "slow,main", 0, 300, 3000000, 100, 1000000, 200, 80000);
}

static void end(void)
{
	p = prof__free(p);
}

TestSuite(report, .init = begin, .fini = end);

enum form { TEXT, JSON, CSV };

static char *report(enum form form, const char *by, unsigned width, bool confidence)
{
	static char *command[] = {NULL};
	static char *files[] = {(char *)"a;b\n"};
	struct group_opts opts = {.sort_type = 1};
	struct report r = {.command_line = command,
			   .files = files,
			   .n_files = 1,
			   .whole = p,
			   .prof = p,
			   .confidence = confidence,
			   .width = width};
	struct buf out = {0};
	struct prof_key *keys;
	struct group *g;

	cr_assert_eq(prof_keys__parse(&keys, &opts.n_keys, by, p, &err), 0, "%s", err.text);
	opts.keys = keys;
	g = group__new(p, &opts);
	r.group = g;
	r.keys = keys;
	r.n_keys = opts.n_keys;
	report__settle(&r);
	(form == TEXT ? report__text : form == JSON ? report__json : report__csv)(&r, &out);
	report__done(&r);
	prof_keys__free(keys, opts.n_keys);
	group__free(g);
	return buf__take(&out);
}

static void expect_in(const char *text, const char *words)
{
	cr_expect_not_null(strstr(text, words), "no '%s' in:\n%s", words, text);
}

static void expect_not_in(const char *text, const char *words)
{
	cr_expect_null(strstr(text, words), "'%s' in:\n%s", words, text);
}

Test(report, ratios_of_each_function)
{
	_cleanup_free_ char *csv = report(CSV, "function", 0, false);

	/* IPC, CPI, misses per 1000 instructions; of few samples */
	expect_in(csv, "ipc insts/cycles,mark,cpi insts/cycles,mark,"
		       "misses_per_1000_insn dtlb-miss/insts,mark\r\n");
	expect_in(csv,
		  "1,function,slow,a,300,300,3000000,3000000,100,100,1000000,1000000,200,200,80000,"
		  "80000,0.333333,,3,,80,\r\n");
	expect_in(csv,
		  "1,function,fast,a,100,100,1000000,1000000,400,400,4000000,4000000,10,10,4000,"
		  "4000,4,,0.25,,1,~\r\n");
	expect_in(csv, "1,function,main,a,0,400,0,4000000,0,500,0,5000000,0,210,0,84000,,,,,,\r\n");
}

static struct prof *with_roles(const char *first, const char *second)
{
	static const char *const events[] = {"mine", "yours"};
	struct prof *old = p;

	p = prof__new();
	types(events, 2);
	BUILD_SAMPLE(p, "main", 0, 100, 1000000, 400, 4000000);
	prof__comment(p, first);
	prof__comment(p, second);
	return prof__free(old);
}

static char *ratios_of(const char *first, const char *second)
{
	const char *const events[] = {first, second};
	struct prof *old = p;

	p = prof__new();
	types(events, 2);
	BUILD_SAMPLE(p, "main", 0, 100, 1000000, 400, 4000000);
	prof__free(old);
	return report(CSV, "function", 0, false);
}

/* Another tool's profile, or an old one. What it says must not depend on what this machine has, as
 * libpfm and its names. */
Test(report, roles_by_name)
{
	_cleanup_free_ char *perf = ratios_of("cycles:u", "instructions:u");
	_cleanup_free_ char *apart = ratios_of("cycles:u", "instructions:k");
	_cleanup_free_ char *of_libpfm =
		ratios_of("PERF_COUNT_HW_CPU_CYCLES", "PERF_COUNT_HW_INSTRUCTIONS");

	expect_in(perf, "ipc instructions:u/cycles:u");
	expect_not_in(apart, "ipc");
	expect_not_in(of_libpfm, "ipc");
}

/* Names that say nothing, of events of one's own: what they are to ratios was written down. */
Test(report, roles_that_were_recorded)
{
	_cleanup_free_ char *csv = NULL;

	with_roles("role mine: cycles cache=0 set=3 all=no",
		   "role yours: instructions cache=0 set=3 all=no");
	csv = report(CSV, "function", 0, false);
	expect_in(csv, "ipc yours/mine");
}

/* A core that runs at four times its base rate in one function, and at half of it in another. */
Test(report, gigahertz_of_functions)
{
	_cleanup_free_ char *csv = NULL;

	with_roles("role mine: base-clock cache=0 set=0 all=yes khz=2000000",
		   "role yours: core-clock cache=0 set=0 all=yes");
	BUILD_SAMPLE(p, "slow", 0, 100, 1000000, 50, 500000);
	csv = report(CSV, "function", 0, false);
	expect_in(csv, "running_ghz yours/mine");
	expect_in(csv, "1,function,main,a,100,100,1000000,1000000,400,400,4000000,4000000,8,");
	expect_in(csv, "1,function,slow,a,100,100,1000000,1000000,50,50,500000,500000,1,");
}

/* The one counts user code only. */
Test(report, roles_of_different_code)
{
	_cleanup_free_ char *csv = NULL;

	with_roles("role mine: cycles cache=0 set=0 all=yes",
		   "role yours: instructions cache=0 set=6 all=no");
	csv = report(CSV, "function", 0, false);
	expect_not_in(csv, "ipc");
}

Test(report, roles_are_data)
{
	static const char *const wrongs[] = {
		"",
		"cycles",
		"cycle cache=0 set=0 all=yes",
		"cyclesx cache=0 set=0 all=yes",
		"cycles cache=-1 set=0 all=yes",
		"cycles cache=4294967296 set=0 all=yes",
		"cycles cache=0 set= all=yes",
		"cycles cache=0 set=0 all=perhaps",
		"cycles  cache=0 set=0 all=yes",
		"base-clock cache=0 set=0 all=yes khz=fast",
	};
	struct derive_event role = {.role = ROLE_STALLS};

	for (size_t i = 0; i < ARRAY_SIZE(wrongs); i++)
		cr_expect(!role__parse(wrongs[i], &role), "%s", wrongs[i]);
	cr_expect_eq(role.role, ROLE_STALLS);
	for (int i = 0; i < N_ROLES; i++) {
		const struct derive_event in = {
			.role = (enum derive_role)i,
			.cache = 7,
			.set = UINT32_MAX,
			.all_code = i % 2,
			.khz = i % 3 ? UINT32_MAX : 0,
		};
		_cleanup_(buf__done) struct buf text = {0};

		role__put(&in, &text);
		cr_assert(role__parse(text.data, &role), "%s", text.data);
		cr_expect(role.role == in.role && role.cache == in.cache && role.set == in.set &&
			  role.all_code == in.all_code && role.khz == in.khz);
	}
}

Test(report, few_samples_and_no_divisor_are_marked_in_text)
{
	_cleanup_free_ char *text = report(TEXT, "function", 0, false);

	expect_in(text, "~1.00  fast  a\n");
	expect_in(text, "  80.0  slow  a\n");
	expect_in(text, "     -  main  a\n");
	expect_in(text, "fewer than 30 samples");
}

Test(report, intervals_hold_the_value)
{
	_cleanup_free_ char *csv = report(CSV, "function", 0, true);
	_cleanup_free_ char *text = report(TEXT, "function", 0, true);

	/* 300 of 400 samples are cycles: 0.7047 to 0.7917 of them (Clopper-Pearson) */
	expect_in(csv, ",3,2.38");
	expect_in(text, "[95 % confidence interval]");
	expect_in(text, "~1.00 [");
}

Test(report, an_event_that_was_not_delivered_is_no_plain_figure)
{
	_cleanup_free_ char *before = report(TEXT, "function", 0, false);
	char *after, *json;

	expect_not_in(before, "!");
	expect_not_in(before, "WARNING");
	prof__comment(p, "event insts: counts=events interval=1 lost=0 ratio=0.2500 estimated=no");
	after = report(TEXT, "function", 0, false);
	expect_in(after, "# WARNING   insts: its samples stand for 25 % of what was counted");
	expect_in(after, "  80.0!  slow  a\n");
	expect_in(after, "~1.00!  fast  a\n");
	free(after);
	json = report(JSON, "function", 0, false);
	expect_in(json, "\"under_delivered\": true");
	free(json);
}

/* Profiles of before have "interval=". */
Test(report, the_period_of_an_event)
{
	char *text;

	prof__comment(p, "event insts: counts=events interval=100003 lost=0");
	text = report(TEXT, "function", 0, false);
	expect_in(text, ", one each 100003\n");
	free(text);
	prof__comment(p, "event cycles: counts=cycles period=2000003 lost=0");
	text = report(TEXT, "function", 0, false);
	expect_in(text, ", one each 2000003\n");
	free(text);
}

Test(report, what_is_delivered_well_enough_is_plain)
{
	_cleanup_free_ char *text = NULL;

	prof__comment(p, "event insts: ratio=0.9100 estimated=no");
	prof__comment(p, "event cycles: counts=x ratio=nan estimated=no");
	prof__comment(p, "event dtlb-miss: counts=x ratio=1.1000 estimated=no");
	text = report(TEXT, "function", 0, false);
	expect_not_in(text, "!");
	expect_not_in(text, "WARNING");
}

Test(report, books_that_do_not_balance_come_first)
{
	_cleanup_free_ char *text = NULL;

	prof__comment(p, "ledger: balanced");
	prof__comment(p, "ledger: does not balance: 3 lost");
	text = report(TEXT, "function", 0, false);
	cr_expect_eq(strncmp(text,
			     "# WARNING   the books of this recording do not balance (does not",
			     60),
		     0, "%s", text);
}

Test(report, names_are_data)
{
	_cleanup_free_ char *text = NULL, *csv = NULL;

	BUILD_SAMPLE(p, "evil\"\n\033[31mname@/x/y;z", 0, 1, 9000000, 1, 1, 1, 1);
	text = report(TEXT, "function", 0, false);
	expect_in(text, "evil\"\\x0a\\x1b[31mname  y\\x3bz\n");
	expect_in(text, "# file      a\\x3bb\\x0a\n");
	csv = report(CSV, "function", 0, false);
	expect_in(csv, "1,function,\"evil\"\"\n\033[31mname\",y;z,");
}

/* Lines are no wider than the terminal, and the name keeps its room. */
Test(report, fits_the_terminal)
{
	for (unsigned width = 40; width < 200; width += 7) {
		_cleanup_free_ char *text = report(TEXT, "function", width, false);
		char *rest = strstr(text, "\n\n"), *line;

		cr_assert_not_null(rest);
		while ((line = strsep(&rest, "\n")))
			cr_expect_leq(strlen(line), width, "at %u: %s", width, line);
	}
}

/* Whoever is inlined wherever he is met has no code of his own; and a module has no such thing. */
Test(report, what_was_inlined_says_so)
{
	_cleanup_free_ char *text = NULL, *json = NULL, *modules = NULL, *csv = NULL;

	BUILD_SAMPLE(p, "tiny+slow,main", 0, 1, 9000000, 1, 1, 1, 1);
	BUILD_SAMPLE(p, "some+slow,main", 0, 1, 8000000, 1, 1, 1, 1);
	BUILD_SAMPLE(p, "some,main", 0, 1, 7000000, 1, 1, 1, 1);
	text = report(TEXT, "function", 0, false);
	expect_in(text, "  tiny (inlined)  a\n");
	expect_in(text, "  some  a\n");
	expect_in(text, "  slow  a\n");
	modules = report(TEXT, "module,function", 0, false);
	expect_in(modules, "  a\n");
	expect_in(modules, "    tiny (inlined)\n");
	json = report(JSON, "function", 0, false);
	expect_in(json, "\"name\": \"tiny\",\n      \"module\": \"a\",\n      \"inlined\": true,");
	expect_in(json, "\"name\": \"some\",\n      \"module\": \"a\",\n      \"inlined\": false,");
	csv = report(CSV, "function", 0, false);
	expect_in(csv, "1,function,tiny,a,");
}

Test(report, a_long_name_is_cut)
{
	_cleanup_free_ char *text = NULL;

	BUILD_SAMPLE(p, "a_very_long_name_of_a_function_that_has_no_end_and_goes_on_and_on", 0, 1,
		     9000000, 1, 1, 1, 1);
	text = report(TEXT, "function", 80, false);
	expect_in(text, "a_very_long_name_");
	expect_in(text, "…\n");
	expect_not_in(text, "goes_on_and_on");
}

Test(report, profiles_without_samples_say_so)
{
	struct prof *full = p;
	_cleanup_free_ char *text = NULL, *json = NULL;

	p = prof__new();
	prof__type(p, "cpu", "nanoseconds");
	text = report(TEXT, "function", 80, false);
	expect_in(text, "there are no samples\n");
	json = report(JSON, "function", 80, false);
	expect_in(json, "\"rows\": [],");
	prof__free(p);
	p = full;
}
