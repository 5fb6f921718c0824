// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From the same report, text, CSV and JSON, byte by byte. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/cleanup.h"
#include "render/roles.h"
#include "render/stat.h"

enum { MS = 1000000 };

static struct event_list events;
static struct probe_result tried[16];
static struct counts counts;
static struct stat_report report;
static char *const command_line[] = {"--", "x", NULL};

static void begin(const char *text)
{
	struct err err = {0};

	cr_assert_eq(event_list__parse(&events, text, "/nonexistent", &err), 0, "%s", err.text);
	for (size_t i = 0; i < events.n; i++)
		tried[i].ok = true;
	report = (struct stat_report){
		.events = &events,
		.tried = tried,
		.counts = &counts,
		.runs = 1,
		.whom = "'x'",
		.first = true,
		.command_line = command_line,
	};
}

static void lay(void)
{
	counts__lay(&counts, events.n);
	for (size_t i = 0; i < counts.n_rows * events.n; i++)
		counts.placed[i] = true;
	counts.to_ns = 20 * MS;
}

static void set(size_t row, size_t event, uint64_t value, uint64_t percent)
{
	counts.cells[row * events.n + event] =
		(struct perf_count){value, 10 * MS, percent * MS / 10};
}

static void refuse(size_t event)
{
	tried[event].ok = false;
	snprintf(tried[event].brief, sizeof(tried[event].brief), "no PMU in this machine");
	snprintf(tried[event].reason, sizeof(tried[event].reason), "this machine has no PMU");
}

static void end(void)
{
	event_list__done(&events);
	counts__done(&counts);
}

static void expect_text(const char *want)
{
	_cleanup_(buf__done) struct buf out = {0};

	stat__text(&report, &out);
	cr_expect_str_eq(out.data, want, "got:\n%s\nexpected:\n%s", out.data, want);
}

static void expect_csv(const char *separator, const char *want)
{
	_cleanup_(buf__done) struct buf out = {0};

	stat__csv(&report, separator, &out);
	cr_expect_str_eq(out.data, want, "got:\n%s\nexpected:\n%s", out.data, want);
}

/* Everything that a row can be, in one. */
static void everything(void)
{
	begin("task-clock,page-faults,cycles,instructions,LLC-loads,LLC-load-misses,branch-misses");
	counts__row(&counts, NULL, -1, -1);
	lay();
	set(0, 0, 10 * MS, 100);
	set(0, 1, 1234567, 100);
	set(0, 2, 30 * MS, 100);
	set(0, 3, 15 * MS, 50);
	set(0, 5, 30000, 100);
	refuse(4);
	set(0, 6, 0, 0);
	report.has_usage = true;
	report.user_ns = 8 * MS;
	report.system_ns = 2 * MS;
	report.notes = "a note\nanother\n";
}

Test(stat, text, .fini = end)
{
	everything();
	expect_text(
		"Counts of 'x':\n"
		"             10.00 ms task-clock               # 0.500 CPUs used\n"
		"         1,234,567    page-faults              # 61728350.0 per second\n"
		"        30,000,000    cycles                   # 3.000 GHz effective\n"
		"        30,000,000    instructions             # ~1.000 insn per cycle, ~1.000 "
		"cycles per insn  (scaled: ran 50.00 % of the time)\n"
		"   <not supported>    LLC-loads                # no PMU in this machine\n"
		"            30,000    LLC-load-misses          # ~1.00 per 1000 insn\n"
		"     <not counted>    branch-misses            # no counter was free for it\n"
		"  0.020000 s elapsed, 0.008000 s user, 0.002000 s system\n"
		"  LLC-loads: this machine has no PMU\n"
		"  ~ its two parts did not run together all the time: each is scaled by its own\n"
		"  GHz effective: cycles / task-clock\n"
		"  a note\n"
		"  another\n");
}

Test(stat, csv_has_the_columns_of_perf, .fini = end)
{
	everything();
	expect_csv(",", "10.00,msec,task-clock,10000000,100.00,0.500,CPUs used\n"
			"1234567,,page-faults,10000000,100.00,61728350.000,per second\n"
			"30000000,,cycles,10000000,100.00,3.000,GHz effective\n"
			"30000000,,instructions,5000000,50.00,1.000,~ insn per cycle\n"
			",,,,,1.000,~ cycles per insn\n"
			"<not supported>,,LLC-loads,0,100.00,,\n"
			"30000,,LLC-load-misses,10000000,100.00,1.000,~ per 1000 insn\n"
			"<not counted>,,branch-misses,0,0.00,,\n");
}

Test(stat, csv_of_intervals_cpus_threads_and_cgroups, .fini = end)
{
	begin("cpu-clock,context-switches");
	counts__row(&counts, "/a;b", 3, 42);
	snprintf(counts.rows[0].comm, sizeof(counts.rows[0].comm), "a,\"b\n");
	lay();
	set(0, 0, 5 * MS, 100);
	counts.placed[1] = false;
	report.interval = true;
	expect_csv(",",
		   "0.020000000,CPU3,\"a,\"\"b\\x0a-42\",5.00,msec,cpu-clock,/a\\x3bb,10000000,"
		   "100.00,,\n");
}

Test(stat, csv_of_several_runs, .fini = end)
{
	const struct spread spreads[] = {{2, 50, 50}};

	begin("page-faults");
	counts__row(&counts, NULL, -1, -1);
	lay();
	set(0, 0, 100, 100);
	report.runs = 2;
	report.spreads = spreads;
	expect_csv("::", "50::::page-faults::10.00%::5000000::100.00::5000.000::per second\n");
}

Test(stat, text_of_a_table, .fini = end)
{
	begin("page-faults,cycles");
	counts__row(&counts, NULL, 0, -1);
	counts__row(&counts, NULL, 12, -1);
	lay();
	set(0, 0, 10, 100);
	set(1, 0, 20, 100);
	set(0, 1, 0, 100);
	counts.placed[3] = false; /* CPU 12 has no such PMU */
	report.interval = true;
	report.notes = NULL;
	expect_text(
		"Counts of 'x', by seconds since the start:\n"
		"    0.020000 CPU0                  10    page-faults              # 500.0 per "
		"second\n"
		"    0.020000 CPU0                   0    cycles                   # the machine "
		"accepts it and counts nothing\n"
		"    0.020000 CPU12                 20    page-faults              # 1000.0 per "
		"second\n"
		"  An event opened, ran and stayed 0 where something was executed: the hypervisor "
		"accepts it and does not count\n");
	report.first = false;
	counts.n_rows = 1;
	set(0, 1, 5, 100);
	expect_text("    0.020000 CPU0                 10    page-faults              # 500.0 per "
		    "second\n"
		    "    0.020000 CPU0                  5    cycles\n");
}

Test(stat, json, .fini = end)
{
	_cleanup_(buf__done) struct buf out = {0};

	begin("instructions:u,cycles:u,cycles");
	counts__row(&counts, "/g", 1, -1);
	lay();
	set(0, 0, 10, 100);
	set(0, 1, 20, 50);
	refuse(2);
	report.interval = true; /* one line */
	report.notes = "odd\n";
	stat__json(&report, &out);
	cr_expect_str_eq(
		out.data,
		"{\"version\": \"" PMUBPF_VERSION
		"\",\"command_line\": [\"pmubpf\",\"stat\",\"--\",\"x\"],"
		"\"whom\": \"'x'\",\"runs\": 1,\"from_s\": 0.000000000,\"to_s\": 0.020000000,"
		"\"user_s\": null,\"system_s\": null,\"rows\": [{\"cgroup\": \"/g\",\"cpu\": 1,"
		"\"tid\": null,\"comm\": null,\"events\": ["
		"{\"name\": \"instructions:u\",\"title\": \"instructions retired\",\"pmu\": "
		"\"cpu\","
		"\"maps_to\": \"instructions\",\"counts\": \"instructions\",\"status\": "
		"\"counted\","
		"\"why\": null,\"value\": 10,\"scaled\": 10,\"user_only\": false,"
		"\"enabled_ns\": 10000000,\"running_ns\": 10000000,\"spread_percent\": null,"
		"\"false_zero\": false,\"figures\": [{\"figure\": \"ipc\",\"value\": 0.250000,"
		"\"unit\": \"insn per cycle\",\"with\": \"cycles:u\",\"apart\": true},"
		"{\"figure\": \"cpi\",\"value\": 4.000000,\"unit\": \"cycles per insn\","
		"\"with\": \"cycles:u\",\"apart\": true}]},"
		"{\"name\": \"cycles:u\",\"title\": \"CPU cycles\",\"pmu\": \"cpu\","
		"\"maps_to\": \"cpu-cycles\",\"counts\": \"cycles\",\"status\": \"counted\","
		"\"why\": null,\"value\": 20,\"scaled\": 40,\"user_only\": false,"
		"\"enabled_ns\": 10000000,\"running_ns\": 5000000,\"spread_percent\": null,"
		"\"false_zero\": false,\"figures\": []},"
		"{\"name\": \"cycles\",\"title\": \"CPU cycles\",\"pmu\": \"cpu\","
		"\"maps_to\": \"cpu-cycles\",\"counts\": \"cycles\",\"status\": \"not supported\","
		"\"why\": \"this machine has no PMU\",\"value\": null,\"scaled\": null,"
		"\"user_only\": false,\"enabled_ns\": 0,\"running_ns\": 0,\"spread_percent\": null,"
		"\"false_zero\": false,\"figures\": []}]}],\"per\": null,\"window\": null,"
		"\"by\": null,"
		"\"processor\": {\"stolen_percent\": 0.00,\"stolen_from_s\": null},"
		"\"notes\": [\"odd\"]}\n",
		"got:\n%s", out.data);
}

Test(stat, events_of_one_name_show_their_pmu, .fini = end)
{
	_cleanup_(buf__done) struct buf name = {0};

	begin("cycles,cycles,instructions");
	events.events[1].lead = 0;
	stat__event_name(&events, 1, &name);
	buf__putc(&name, ' ');
	stat__event_name(&events, 2, &name);
	cr_expect_str_eq(name.data, "cycles [cpu] instructions");
}

Test(stat, reasons_tell_events_of_one_name_apart, .fini = end)
{
	_cleanup_(buf__done) struct buf out = {0};

	begin("cycles,cycles,page-faults");
	events.events[1].lead = 0;
	counts__row(&counts, NULL, -1, -1);
	lay();
	refuse(0);
	refuse(1);
	stat__text(&report, &out);
	cr_expect_not_null(strstr(out.data,
				  "  cycles [cpu], cycles [cpu]: this machine has no PMU\n"),
			   "got:\n%s", out.data);
}

/* Whoever gives the name may have it from somebody else: it commands no terminal. */
Test(stat, names_are_escaped, .fini = end)
{
	_cleanup_(buf__done) struct buf out = {0};

	begin("cycles/name='a\x1b[2Jb'/,page-faults/name='c\nd'/,task-clock/name='\xc2\x9b'/");
	counts__row(&counts, NULL, -1, -1);
	lay();
	set(0, 0, 5, 100);
	refuse(1);
	set(0, 2, 5, 100);
	tried[0].user_only = true;
	stat__text(&report, &out);
	cr_expect_not_null(strstr(out.data, "  5    a\\x1b[2Jb  "), "got:\n%s", out.data);
	cr_expect_not_null(strstr(out.data, "  c\\x0ad: this machine has no PMU\n"), "got:\n%s",
			   out.data);
	cr_expect_not_null(strstr(out.data, " ms \\xc2\\x9b  "), "got:\n%s", out.data);
	cr_expect_not_null(strstr(out.data, "  a\\x1b[2Jb: user code only"), "got:\n%s", out.data);
}

Test(stat, roles, .fini = end)
{
	_cleanup_free_ struct derive_event *roles = NULL;

	begin("cycles:u,dcache-miss,dcache-access,llc-miss,cache-misses,cache-references,"
	      "cpu-clock,task-clock,migrations,mem:0x10:w");
	roles = event_roles(&events);
	cr_expect_eq(roles[0].role, ROLE_CYCLES);
	cr_expect_not(roles[0].all_code);
	cr_expect_neq(roles[0].set, roles[1].set);
	cr_expect_eq(roles[1].role, ROLE_MISSES);
	cr_expect_eq(roles[2].role, ROLE_ACCESSES);
	cr_expect_eq(roles[1].cache, roles[2].cache);
	cr_expect_neq(roles[1].cache, roles[3].cache);
	cr_expect_eq(roles[4].role, ROLE_MISSES);
	cr_expect_eq(roles[5].role, ROLE_ACCESSES);
	cr_expect_eq(roles[4].cache, roles[5].cache);
	cr_expect_eq(roles[6].role, ROLE_OTHER);
	cr_expect_eq(roles[7].role, ROLE_TASK_CLOCK);
	cr_expect_eq(roles[8].role, ROLE_OCCURRENCES);
	cr_expect_eq(roles[9].role, ROLE_OCCURRENCES);
}

static void add_unit(struct pmb_distribution *d, uint64_t value, uint64_t times)
{
	d->sum += value * times;
	d->squares[0] += value * value * times;
	d->classes[pmb_value_class(value)] += times;
}

/* Of ten units two were ended by exceptions, one is unsure, one was left and one is open; in two of
 * them a counter was shared. */
static void units(struct work_counts *work)
{
	*work = (struct work_counts){.n_counters = 2, .event = {0, 2}};
	work_counts__init(work);
	work->stats =
		(struct pmb_work_stats){.began = 10, .unsure = 1, .abandoned = 1, .caught = 2};
	work->stats.apart[1] = 2;
	add_unit(&work->of[PMB_UNITS_REAL][PMB_SERIES_DURATION], 1000, 6);
	add_unit(&work->of[PMB_UNITS_REAL][PMB_SERIES_DURATION], 4000, 1);
	add_unit(&work->of[PMB_UNITS_REAL][PMB_SERIES_COUNTERS], 7, 7);
	add_unit(&work->of[PMB_UNITS_REAL][PMB_SERIES_COUNTERS + 1], 2, 5);
	add_unit(&work->of[PMB_UNITS_EMPTY][PMB_SERIES_DURATION], 8, 500);
	add_unit(&work->of[PMB_UNITS_EMPTY][PMB_SERIES_COUNTERS], 0, 500);
	add_unit(&work->of[PMB_UNITS_EMPTY][PMB_SERIES_COUNTERS + 1], 3, 500);
	add_unit(&work->of[PMB_UNITS_EMPTY][PMB_SERIES_PAIR], 15, 500);
}

static void expect_units(const char *want, const char *want_csv)
{
	_cleanup_(buf__done) struct buf out = {0};

	stat__work_text(&report, &out);
	cr_expect_str_eq(out.data, want, "got:\n%s\nexpected:\n%s", out.data, want);
	expect_csv(",", want_csv);
}

Test(stat, units_of_work)
{
	_cleanup_(work_counts__done) struct work_counts work;
	struct probe_result work_tried[3] = {{.ok = true}, {0}, {.ok = true}};

	begin("page-faults,minor-faults,major-faults");
	units(&work);
	snprintf(work_tried[1].reason, sizeof(work_tried[1].reason), "not on CPUs");
	report.work = &work;
	report.work_tried = work_tried;
	report.per = "a,b";
	expect_units("\n"
		     "  per a,b: 7 of 10 that began, 2 of all ended by an exception, 1 unsure: the "
		     "kernel didn't tell of their switches, 1 abandoned (end not seen), "
		     "1 still open\n"
		     "                                 mean         sd        p50        "
		     "p90        p99\n"
		     "  duration                     1.43us     1.13us      997ns     "
		     "3.97us     3.97us\n"
		     "  page-faults                    7.00       0.00       7.00       "
		     "7.00       7.00\n"
		     "  major-faults                   2.00       0.00       2.00       "
		     "2.00       2.00  # of 5: in 2 it didn't count all the time\n"
		     "         512ns..1.02us            6 "
		     "|########################################\n"
		     "        1.02us..2.05us            0 |\n"
		     "         2.05us..4.1us            1 |#######\n"
		     "  with nothing in it: duration 8ns, major-faults 3, and opening and "
		     "closing it takes 15ns\n"
		     "  minor-faults per a,b: not on CPUs\n",
		     "1428.571,ns,\"duration per a,b\",7,0,1133.893,997.3,3968.0,3968.0\n"
		     "7.000,,\"page-faults per a,b\",7,0,0.000,7.0,7.0,7.0\n"
		     "2.000,,\"major-faults per a,b\",5,2,0.000,2.0,2.0,2.0\n");
	report.interval = true;
	report.first = false;
	counts.to_ns = 2500 * (uint64_t)MS;
	work.of[PMB_UNITS_REAL][PMB_SERIES_CPU].sum = 2500;
	work.of[PMB_UNITS_REAL][PMB_SERIES_WAIT].sum = 7500;
	report.throttled_ns = 5000;
	expect_units(
		"    2.500000 per a,b: 7 of 10 that began, 2 of all ended by an exception, "
		"1 unsure: the kernel didn't tell of their switches, 1 abandoned (end not "
		"seen), 1 still open\n"
		"    2.500000 duration                     1.43us     1.13us      "
		"997ns     3.97us     3.97us\n"
		"    2.500000 page-faults                    7.00       0.00       "
		"7.00       7.00       7.00\n"
		"    2.500000 major-faults                   2.00       0.00       "
		"2.00       2.00       2.00  # of 5: in 2 it didn't count all the time\n"
		"    2.500000 bound by the quota of its cgroup: 25.0 % of its time on a CPU, "
		"50.0 % held by a quota, 25.0 % ready without a CPU, 0.0 % waiting for "
		"I/O, 0.0 % blocked otherwise; more CPU gains at most 300 %, a larger quota "
		"alone 100 %; 0.00 at a time\n",
		"2.500000000,1428.571,ns,\"duration per a,b\",7,0,1133.893,997.3,3968.0,3968.0\n"
		"2.500000000,7.000,,\"page-faults per a,b\",7,0,0.000,7.0,7.0,7.0\n"
		"2.500000000,2.000,,\"major-faults per a,b\",5,2,0.000,2.0,2.0,2.0\n");
	end();
}

/* Of 100 faults 49 are inside of counted windows, 6 in others, 40 outside; of 5 nobody knows. */
static void inside(struct work_counts *work)
{
	units(work);
	work->stats.apart[1] = 0;
	work->stats.quick = 1;
	work->stats.stretches[PMB_STRETCH_INSIDE][0] = 55;
	work->stats.stretches[PMB_STRETCH_OUTSIDE][0] = 40;
	work->stats.stretches[PMB_STRETCH_INSIDE][1] = 10;
	work->stats.unseen = 2;
}

static void expect_inside(const char *want)
{
	_cleanup_(buf__done) struct buf out = {0};

	stat__inside_text(&report, &out);
	cr_expect_str_eq(out.data, want, "got:\n%s\nexpected:\n%s", out.data, want);
}

Test(stat, inside_of_windows, .fini = end)
{
	_cleanup_(work_counts__done) struct work_counts work;
	struct probe_result work_tried[3] = {{.ok = true}, {.ok = true}, {.ok = true}};
	struct inside_counts in;

	begin("page-faults,minor-faults,major-faults");
	counts__row(&counts, NULL, -1, -1);
	lay();
	set(0, 0, 100, 100);
	set(0, 2, 10, 100);
	inside(&work);
	report.work = &work;
	report.work_tried = work_tried;
	report.per = "loop";
	report.inside = true;
	report.longer_ns = 1000;
	expect_inside(
		"\n"
		"  inside of loop: 7 windows of 10 that began, 10us long, 10us on a CPU, "
		"1 shorter than 1us, 2 of all ended by an exception, "
		"1 unsure: the kernel didn't tell of their switches, "
		"1 abandoned (end not seen), 2 stretches of a thread's time not told\n"
		"                                   inside   of it  other windows        "
		"outside           rest            all\n"
		"  page-faults                          49  49.0 %              6             "
		"40              5            100\n"
		"  major-faults                         10 100.0 %              0              "
		"0              0             10\n"
		"  with nothing in it: duration 8ns, major-faults 3, and opening and "
		"closing it takes 15ns\n");
	/* a twentieth may be unknown, and what was counted where switches weren't told */
	in = work_counts__inside(&work, 0, 100, false, false);
	cr_expect(in.inside == 49 && in.others == 6 && in.outside == 40 && in.rest == 5);
	cr_expect(in.balanced);
	cr_expect_not(work_counts__inside(&work, 0, 102, false, false).balanced);
	work.stats.stretches[PMB_STRETCH_UNSEEN][0] = 2;
	cr_expect(work_counts__inside(&work, 0, 102, false, false).balanced);
	/* more than all there is */
	cr_expect_not(work_counts__inside(&work, 0, 90, false, false).balanced);
	cr_expect(work_counts__inside(&work, 0, 90, true, false).balanced);
	/* more in windows than in their stretches, but for those that began before */
	work.stats.stretches[PMB_STRETCH_INSIDE][0] = 30;
	cr_expect_not(work_counts__inside(&work, 0, 70, false, false).balanced);
	cr_expect(work_counts__inside(&work, 0, 70, false, true).balanced);
	work.stats.shared[0] = 1;
	cr_expect(work_counts__inside(&work, 0, 7000, false, false).balanced);
}

/* Of processes sums are all there is; of 100 faults 25 are of stretches in which one began. */
Test(stat, inside_of_windows_of_processes, .fini = end)
{
	_cleanup_(work_counts__done) struct work_counts work;
	struct probe_result work_tried[3] = {{.ok = true}, {.ok = true}, {.ok = true}};
	struct inside_counts in;

	begin("page-faults,minor-faults,major-faults");
	counts__row(&counts, NULL, -1, -1);
	lay();
	set(0, 0, 100, 100);
	inside(&work);
	work.by_process = true;
	work.stats.quick = work.stats.unseen = 0;
	work.stats.partly = 3;
	work.stats.stretches[PMB_STRETCH_OUTSIDE][0] = 20;
	work.stats.stretches[PMB_STRETCH_PARTLY][0] = 25;
	work.n_counters = 1;
	report.work = &work;
	report.work_tried = work_tried;
	report.per = "loop";
	report.inside = true;
	expect_inside(
		"\n"
		"  inside of loop: 7 windows of processes of 10 that began, 10us long, "
		"2 of all ended by an exception, "
		"1 unsure: the kernel didn't tell of their switches, 1 abandoned (end not "
		"seen), 1 still open, "
		"3 stretches of a thread's time in which another opened or closed one\n"
		"                                   inside   of it         partly        "
		"outside           rest            all\n"
		"  page-faults                          55  55.0 %             25             "
		"20              0            100  # 55.0 to 80.0 % is inside\n"
		"  with nothing in it: duration 8ns, and opening and closing it takes 15ns\n");
	in = work_counts__inside(&work, 0, 100, false, false);
	cr_expect(in.inside == 55 && in.partly == 25 && in.others == 0 && in.rest == 0);
}
