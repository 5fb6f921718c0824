// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "render/summary.h"

/* One recording of two events, every number another one. */
static struct ledger_event ledger_events[2];
static struct ledger ledger;
static struct event events[2];
static const struct event_list list = {events, 2, 2};
static const struct clock_rate rates[2] = {
	{.hz = 2.5e9, .measured = true, .n = 2, .min_hz = 2e9, .max_hz = 3e9}};
static const struct measure numbers[2] = {
	{.unit = NUMBER_TIME},
	{.unit = NUMBER_EVENTS},
};
static const bool per_task[2] = {false, true};
static char *const command_line[] = {"pmubpf", "record", "-e", "cycles:u,page-faults", NULL};
/* of 2 CPUs for 1.5 s: 3 % and 1 % */
static const struct cost cost = {
	.span_ns = 1500000000,
	.n_cpus = 2,
	.before_ns = 110000000,
	.kernel_ns = 90000000,
	.overflows = 100,
	.timed = 6,
	.reader_ns = 30000000,
	.helper_ns = 120000000,
	.after_ns = 130000000,
	.rss_bytes = 14000000,
	.helper_rss_bytes = 15000000,
	.table_helpers = 1,
	.map_bytes = 16000000,
	.budget = 5,
	.adaptive = true,
	.factor = 1,
	.highest = 2,
	.changes = 3,
	.settled_span_ns = 500000000,
	.settled_ns = 25000000,
	.fixed_ns = 5000000,
};
static struct summary summary;

static void begin(void)
{
	ledger_events[0] = (struct ledger_event){
		.name = "cycles:u",
		.kernel = {.seen = 100,
			   .emitted = 80,
			   .filtered = 15,
			   .weight_seen = 1000,
			   .weight_emitted = 800,
			   .weight_filtered = 150,
			   .stacks_sent = 11,
			   .stacks_known = 12,
			   .stacks_lost = 13,
			   .dropped = {1, 4},
			   .weight_dropped = {10, 40}},
		.decoded = 80,
		.weight_decoded = 800,
		.aggregated = 80,
		.weight = 800,
		.in_rows = 80,
		.weight_in_rows = 800,
		.other = {51, 52, 53},
		.throttled = 3,
		.throttled_ns = 250000000,
		.throttled_since = 1300000000,
		.value = 1010,
		.enabled_ns = 2000,
		.running_ns = 1000,
		.scaled = 2020,
		.instances = 2,
		.period = 10,
	};
	ledger_events[1] = (struct ledger_event){.name = "page-faults", .no_ratio = "it is a test"};
	ledger = (struct ledger){
		.events = ledger_events,
		.n_events = 2,
		.stacks_received = 11,
		.user_statuses = {1, 2, 77},
		.kernel_statuses = {4, 76},
		.memory = {2 << 20, 61, 62, 63, 64},
		.sideband_records = 21,
		.sideband_lost = 22,
		.sideband_rejected = 23,
		.sideband_refused = 24,
		.sideband_refused_of_cgroup = 20,
	};
	events[0] = (struct event){
		.name = "cycles:u",
		.title = "CPU cycles",
		.maps_to = "cycles",
		.counts = "cycles",
		.pmu = "cpu",
		.unit = UNIT_CYCLES,
		.attr = {.sample_freq = 999, .freq = 1},
	};
	events[1] = (struct event){
		.name = "page-faults",
		.title = "Page faults",
		.maps_to = "software page-faults",
		.counts = "faults",
		.pmu = "software",
		.attr = {.sample_period = 1},
	};
	summary = (struct summary){
		.ledger = &ledger,
		.events = &list,
		.rates = rates,
		.numbers = numbers,
		.per_task = per_task,
		.frames = {{31, 32, 33}},
		.cost = &cost,
		.duration_ns = 1500000000,
		.command_line = command_line,
		.notes = "a note\nanother \"note\"\n",
	};
}

TestSuite(summary, .init = begin);

/*
 * The documented keys, in their order, with the recording's numbers: scripts rely on them. What is
 * added later may stand between these lines, none of them may go or change.
 */
static const char *const golden[] = {
	"{",
	"  \"version\": \"0.1.0\"",
	"  \"command_line\": [",
	"    \"pmubpf\"",
	"    \"record\"",
	"    \"-e\"",
	"    \"cycles:u,page-faults\"",
	"  ]",
	"  \"duration_s\": 1.500000",
	"  \"balanced\": true",
	"  \"remarks\": [",
	"    \"cycles:u is an estimate (multiplexed)\"",
	"  ]",
	"  \"notes\": [",
	"    \"a note\"",
	"    \"another \\\"note\\\"\"",
	"  ]",
	"  \"events\": [",
	"    {",
	"      \"name\": \"cycles:u\"",
	"      \"title\": \"CPU cycles\"",
	"      \"pmu\": \"cpu\"",
	"      \"maps_to\": \"cycles\"",
	"      \"counts\": \"cycles\"",
	"      \"unit\": \"time\"",
	"      \"scope\": \"per-cpu\"",
	"      \"rate\": {",
	"        \"freq\": 999",
	"      }",
	"      \"kernel\": {",
	"        \"seen\": 100",
	"        \"emitted\": 80",
	"        \"filtered\": 15",
	"        \"dropped\": {",
	"          \"ring_full\": 1",
	"          \"no_ring\": 4",
	"          \"no_scratch\": 0",
	"          \"unseen\": 0",
	"        }",
	"        \"weight_seen\": 1000",
	"        \"weight_emitted\": 800",
	"        \"weight_filtered\": 150",
	"        \"weight_dropped\": {",
	"          \"ring_full\": 10",
	"          \"no_ring\": 40",
	"          \"no_scratch\": 0",
	"          \"unseen\": 0",
	"        }",
	"        \"stacks_sent\": 11",
	"        \"stacks_known\": 12",
	"        \"stacks_lost\": 13",
	"      }",
	"      \"user\": {",
	"        \"decoded\": 80",
	"        \"aggregated\": 80",
	"        \"weight\": 800",
	"        \"other\": {",
	"          \"samples\": 51",
	"          \"weight\": 52",
	"          \"rows\": 53",
	"        }",
	"      }",
	"      \"counter\": {",
	"        \"value\": 1010",
	"        \"enabled_ns\": 2000",
	"        \"running_ns\": 1000",
	"        \"scaled\": 2020",
	"        \"instances\": 2",
	"      }",
	"      \"ratio\": 0.990099",
	"      \"ratio_why\": null",
	"      \"scale\": 2.000000",
	"      \"estimated\": true",
	"      \"silence\": null",
	"      \"remainder\": 20",
	"      \"throttled\": 3",
	"      \"throttled_from_s\": 1.300",
	"      \"throttled_s\": 0.250000",
	"      \"clock\": {",
	"        \"hz\": 2500000000",
	"        \"measured\": true",
	"        \"rates\": 2",
	"        \"min_hz\": 2000000000",
	"        \"max_hz\": 3000000000",
	"      }",
	"    }",
	"    {",
	"      \"name\": \"page-faults\"",
	"      \"unit\": \"events\"",
	"      \"scope\": \"per-task\"",
	"      \"rate\": {",
	"        \"period\": 1",
	"      \"ratio\": null",
	"      \"ratio_why\": \"it is a test\"",
	"      \"clock\": null",
	"  \"rejected\": {",
	"    \"short\": 0",
	"    \"size\": 0",
	"    \"type\": 0",
	"    \"event\": 0",
	"    \"unwind_status\": 0",
	"    \"part\": 0",
	"    \"frames\": 0",
	"    \"ending\": 0",
	"  }",
	"  \"stacks\": {",
	"    \"user\": {",
	"      \"none\": 1",
	"      \"complete\": 2",
	"      \"fp_left_stack\": 77",
	"      \"truncated\": 0",
	"      \"unreadable\": 0",
	"      \"compat\": 0",
	"      \"failed\": 0",
	"      \"lost\": 0",
	"      \"unknown_id\": 0",
	"    }",
	"    \"kernel\": {",
	"      \"none\": 4",
	"      \"complete\": 76",
	"      \"fp_left_stack\": 0",
	"      \"truncated\": 0",
	"      \"unreadable\": 0",
	"      \"compat\": 0",
	"      \"failed\": 0",
	"      \"lost\": 0",
	"      \"unknown_id\": 0",
	"    }",
	"  }",
	"  \"frames\": {",
	"    \"named\": 31",
	"    \"unnamed\": {",
	"      \"no_symbol\": 32",
	"      \"no_file\": 33",
	"      \"bad_file\": 0",
	"      \"no_mapping\": 0",
	"      \"no_perf_map\": 0",
	"      \"untrusted_map\": 0",
	"      \"no_kallsyms\": 0",
	"      \"helper\": 0",
	"    }",
	"  }",
	"  \"memory\": {",
	"    \"limit\": 2097152",
	"    \"bytes\": 61",
	"    \"rows\": 62",
	"    \"trims\": 63",
	"    \"stacks_dropped\": 64",
	"  }",
	"  \"cost\": {",
	"    \"cpus\": 2",
	"    \"percent\": 4.0000",
	"    \"kernel_percent\": 3.0000",
	"    \"user_percent\": 1.0000",
	"    \"kernel_ns\": 90000000",
	"    \"overflows\": 100",
	"    \"overflows_timed\": 6",
	"    \"user_ns\": 30000000",
	"    \"helper_ns\": 120000000",
	"    \"start_ns\": 110000000",
	"    \"end_ns\": 130000000",
	"    \"rss_bytes\": 14000000",
	"    \"helper_rss_bytes\": 15000000",
	"    \"table_helpers\": 1",
	"    \"map_bytes\": 16000000",
	"    \"lost\": 5",
	"    \"seen\": 100",
	"    \"budget\": {",
	"      \"percent\": 5.0000",
	"      \"adaptive\": true",
	"      \"factor\": 1.0000",
	"      \"highest_factor\": 2.0000",
	"      \"changes\": 3",
	"      \"settled_percent\": 2.5000",
	"      \"fixed_percent\": 0.5000",
	"    }",
	"  }",
	"  \"sideband\": {",
	"    \"records\": 21",
	"    \"lost\": 22",
	"    \"rejected\": 23",
	"    \"refused\": 24",
	"    \"refused_of_cgroup\": 20",
	"  }",
	"}",
};

Test(summary, the_keys_of_the_json_are_stable)
{
	struct buf json = {0};
	char *line, *rest;
	size_t i = 0;

	summary__json(&summary, &json);
	cr_expect_eq(json.data[json.len - 1], '\n');
	rest = json.data;
	while ((line = strsep(&rest, "\n"))) {
		size_t len = strlen(line);

		if (len && line[len - 1] == ',')
			line[len - 1] = '\0';
		if (i < ARRAY_SIZE(golden) && strcmp(line, golden[i]) == 0)
			i++;
	}
	cr_expect_eq(i, ARRAY_SIZE(golden), "missing or changed: %s",
		     golden[i % ARRAY_SIZE(golden)]);
	buf__done(&json);
}

static void expect_json(const char *words)
{
	struct buf json = {0};

	summary__json(&summary, &json);
	cr_expect_not_null(strstr(json.data, words), "no %s in %s", words, json.data);
	buf__done(&json);
}

Test(summary, the_json_says_what_does_not_balance)
{
	ledger_events[0].decoded--;
	expect_json(
		"\"balanced\": false,\n  \"remarks\": [\n    \"cycles:u: emitted = decoded: 80 is not 79\"");
}

Test(summary, a_ratio_without_a_counter_is_null)
{
	ledger_events[0].value = 0;
	expect_json("\"ratio\": null,\n      \"ratio_why\": \"the counter is 0\"");
}

Test(summary, every_reject_and_status_has_its_column)
{
	for (int i = 0; i < N_REJECTS; i++)
		ledger.rejected[i] = 1000 + (uint64_t)i;
	expect_json(
		"\"rejected\": {\n    \"short\": 1000,\n    \"size\": 1001,\n    \"type\": 1002,\n"
		"    \"event\": 1003,\n    \"unwind_status\": 1004,\n    \"part\": 1005,\n"
		"    \"frames\": 1006");
}

static void expect_text(const char *words)
{
	struct buf text = {0};

	summary__text(&summary, &text);
	cr_expect_not_null(strstr(text.data, words), "no '%s' in:\n%s", words, text.data);
	buf__done(&text);
}

static void expect_no_text(const char *words)
{
	struct buf out = {0};

	summary__text(&summary, &out);
	cr_expect_null(strstr(out.data, words), "%s", out.data);
	buf__done(&out);
}

/* Whoever gives the name may have it from somebody else: it commands no terminal. */
Test(summary, names_of_events_are_escaped)
{
	_cleanup_(buf__done) struct buf text = {0};

	events[0].name = "a\x1b[2Jb\nc";
	summary__text(&summary, &text);
	cr_expect(strstr(text.data, "  a\\x1b[2Jb\\x0ac (cycles; "), "got:\n%s", text.data);
	cr_expect_null(strchr(text.data, '\x1b'));
}

Test(summary, notes_are_escaped)
{
	summary.notes = "of '\x1b[2J'\nanother\n";
	expect_text("\n  of '\\x1b[2J'\n  another\n");
	expect_no_text("\x1b");
}

Test(summary, the_text_begins_with_the_verdict)
{
	struct buf text = {0};

	summary__text(&summary, &text);
	cr_expect_eq(strncmp(text.data,
			     "pmubpf: 80 samples in 1.50 s, 5 lost; the books balance, but "
			     "cycles:u is an estimate (multiplexed)\n",
			     99),
		     0);
	ledger_events[0].kernel.seen++;
	buf__clear(&text);
	summary__text(&summary, &text);
	cr_expect_eq(strncmp(text.data,
			     "pmubpf: 80 samples in 1.50 s, 5 lost; THE BOOKS DO NOT BALANCE", 62),
		     0);
	buf__done(&text);
	expect_text("overflows seen = emitted + filtered + closed + dropped: 101 is not 100\n");
}

/* Keys that were renamed keep their old name beside the new one for a release. */
Test(summary, keys_by_their_names_of_before)
{
	struct buf out = {0};

	summary__json(&summary, &out);
	cr_expect_not_null(strstr(out.data, "\"period\": 10,\n      \"interval\": 10,"));
	cr_expect_not_null(strstr(out.data, "\"calm_period\": 0,\n      \"calm_interval\": 0"));
	buf__done(&out);
}

Test(summary, threads_that_finish_no_period_are_told)
{
	struct ledger_event *e = &ledger_events[1];

	e->period = 10;
	e->kernel.weight_seen = 4 * e->period;
	e->value = 10 * e->period;
	expect_no_text("--per-cpu");
	e->value++;
	expect_text("; 60 % of page-faults is in no sample, for threads' last periods weren't "
		    "finished: try --per-cpu");
	e->kernel.weight_seen = e->value / 5 * 4;
	expect_no_text("--per-cpu");
}

Test(summary, a_second_helper_for_tables_is_counted)
{
	struct cost of_two = cost;

	of_two.table_helpers = 2;
	summary.cost = &of_two;
	expect_text("    memory: 14.0 MB, two helpers 15.0 MB, BPF maps 16.0 MB;");
}

Test(summary, the_text_ends_with_the_cost)
{
	expect_text(
		"  periods were up to 2.0 times the default ones to save cost (at the end 1.0; changed 3 times)\n"
		"  cost: 4.00 % of 2 CPUs: in overflows 3.00 % (900.00 us each), reading them 1.00 %; after its first second 2.50 %, within the budget of 5 %\n"
		"    besides, CPU time: 0.11 s at the start, 0.12 s for unwind tables, 0.13 s for names and output\n"
		"    memory: 14.0 MB, helper 15.0 MB, BPF maps 16.0 MB; lost 5 of 100 overflows\n");
}

/* The plan is made before the run: others may take counters meanwhile. */
Test(summary, what_fits_may_be_multiplexed_all_the_same)
{
	const struct plan plan = {.n_events = 2, .n_sets = 1, .n_contending = 2};

	summary.plan = &plan;
	expect_text("all 2 events fit at once, but something else had counters");
	ledger_events[0].running_ns = ledger_events[0].enabled_ns;
	expect_text("all 2 events fit at once: nothing was multiplexed\n");
}

Test(summary, a_cpu_that_went_is_told)
{
	ledger_events[0].cpus_away = 2;
	ledger_events[0].away_ns = 6100000000;
	expect_text("2 CPUs went offline meanwhile; not watched: 6.1 s\n");
}

Test(summary, the_text_states_the_columns)
{
	expect_text(
		"overflows seen 100 = emitted 80 + filtered 15 + dropped 5; decoded 80, aggregated 80\n");
	expect_text("dropped 1 (weight 10): the ring buffer had no room");
	expect_text("counter 1010; ratio 99.01 % (up to 20 ");
	expect_text("it had a counter 50.0 % of the time; printed numbers are scaled by 2.000, an "
		    "estimate (about 2020 in all)");
	expect_text("no ratio: it is a test\n");
	expect_text("throttled it 3 times, from 1.3 s after the beginning on, for 0.250 s of ");
	expect_text("2.5000 GHz, measured");
	expect_text("frames: 31 named, 32 unnamed: the file has no symbol there, 33 unnamed: ");
	expect_text(
		"user stacks: 2 reached the outermost frame, 77 a frame pointer left the stack");
	expect_text("22 records of programs starting and mapping files were lost");
	expect_text("  a note\n  another \"note\"\n");
}

Test(summary, what_was_read_says_so)
{
	ledger_events[1].read = true;
	ledger_events[1].aggregated = 7;
	ledger_events[1].value = ledger_events[1].scaled = 400;
	events[1].mode = EVENT_READ;
	events[0].added = true;
	expect_text("pmubpf: 80 samples and 7 readings in 1.50 s");
	expect_text("per CPU, read at the overflows of cpu-clock)\n");
	expect_text("    readings 0 = emitted 0");
	expect_text("every 1/999 s; added because others are read at its overflows, its lines are "
		    "not printed)\n");
	expect_json("\"way\": \"read\"");
	expect_json("\"added\": true");
	expect_json("\"total\": null");
	events[1].mode = EVENT_SYSTEM;
	events[1].cpus = (char *)"0,4";
	events[1].scale_unit = (char *)"Joules";
	events[1].scale = 0.25;
	expect_text("(software page-faults; read each second on CPU 0,4)\n");
	expect_text("    in all 100 Joules (0.25 each)\n");
	expect_json("\"way\": \"place\"");
	expect_json("\"total\": {\n        \"value\": 100.000000,\n        \"unit\": "
		    "\"Joules\"\n      }");
}

Test(summary, the_text_speaks_of_memory_only_when_it_mattered)
{
	struct buf text = {0};

	expect_text(
		"    in [other] 51 (weight 52, 6.5 %): the rarest of more stacks than there was "
		"memory for, 53 rows given up\n");
	expect_text("  tables: full 63 times at --max-memory 2M;");
	ledger_events[0].other = (struct profile_other){0};
	ledger.memory.trims = 0;
	summary__text(&summary, &text);
	cr_expect_null(strstr(text.data, "[other]"));
	cr_expect_null(strstr(text.data, "--max-memory"));
	buf__done(&text);
}

Test(summary, frames_are_counted_per_sample)
{
	struct profile *p = profile__new();
	const uint32_t ids[] = {profile__frame(p, &(struct frame){FRAME_FILE, 1, 1}),
				profile__frame(p, &(struct frame){FRAME_FILE, 1, 2})};
	struct sym_name locations[] = {{.reason = SYM_NO_MAPPING},
				       {.reason = SYM_NAMED, .frame.name = "f"},
				       {.reason = SYM_NO_SYMBOL}};
	const struct names names = {.locations = locations, .n = 3};
	struct profile_key key = {.user_stack = profile__stack(p, ids, 2),
				  .kernel_stack = profile__stack(p, ids, 1)};
	struct ledger_frames frames = {0};
	struct frame_counts counts;

	profile__add(p, &key, 100);
	profile__add(p, &key, 100);
	key.kernel_stack = 0;
	profile__add(p, &key, 100);
	counts = count_frames(p, &names);
	cr_expect_eq(counts.by_reason[SYM_NAMED], 5);
	cr_expect_eq(counts.by_reason[SYM_NO_SYMBOL], 3);
	cr_expect_eq(counts.by_reason[SYM_NO_MAPPING], 0);
	frames_in_ledger(&counts, &frames);
	cr_expect_eq(frames.named, 5);
	cr_expect_eq(frames.unnamed, 3);
	locations[1].frame.name = NULL; /* neither: the ledger misses them */
	counts = count_frames(p, &names);
	cr_expect_eq(counts.by_reason[SYM_NAMED], 0);
	profile__free(p);
}

/* The same text on two core PMUs. */
static void become_hybrid(enum event_unit unit, enum number_unit number)
{
	static const struct clock_rate unlike[] = {{.hz = 2e9, .n = 1}, {.hz = 1e9, .n = 1}};
	static struct measure shared[2];

	for (size_t i = 0; i < 2; i++) {
		events[i].name = "cycles";
		events[i].label = i ? "cycles [cpu_core]" : "cycles [cpu_atom]";
		events[i].pmu = i ? "cpu_core" : "cpu_atom";
		events[i].cpus = i ? "0-15" : "16-23";
		events[i].title = "CPU cycles";
		events[i].counts = "cycles";
		events[i].lead = 0;
		events[i].unit = unit;
		events[i].attr.config = (i ? 4ULL : 10ULL) << 32;
		ledger_events[i].weight = i ? 500 : 800;
		ledger_events[i].enabled_ns = ledger_events[i].running_ns = 1000;
		shared[i] = (struct measure){.unit = number, .rate = unlike[i]};
	}
	shared[1].lead = &shared[0];
	summary.numbers = shared;
	summary.rates = unlike;
}

Test(summary, events_of_unlike_cores_have_a_row_each)
{
	become_hybrid(UNIT_CYCLES, NUMBER_TIME);
	expect_text("  cycles [cpu_atom] (cycles; per CPU");
	expect_text("    CPU cycles: PMU cpu_atom, type 0, config 0xa00000000; CPUs 16-23\n");
	expect_text("    CPU cycles: PMU cpu_core, type 0, config 0x400000000; CPUs 0-15\n");
	expect_text("  cycles, on all cores: cpu_atom 400 + cpu_core 500 = 900 ns\n");
	expect_json("\"lead\": 0,\n      \"cpus\": \"0-15\"");
	expect_json("\"type\": 0,\n      \"config\": \"0x400000000\",\n      \"config1\": \"0x0\"");
}

Test(summary, unlike_cycles_are_not_added_up)
{
	become_hybrid(UNIT_CYCLES, NUMBER_EVENTS);
	expect_text(
		"  cycles, on all cores: its lines add up cycles of unlike cores, which differ in "
		"speed (--unit time compares them)\n");
	become_hybrid(UNIT_EVENTS, NUMBER_EVENTS);
	expect_text("  cycles, on all cores: cpu_atom 800 + cpu_core 500 = 1300 cycles\n");
	become_hybrid(UNIT_CYCLES, NUMBER_SAMPLES);
	expect_text("  cycles, on all cores: cpu_atom 80 + cpu_core 0 = 80 samples\n");
}
