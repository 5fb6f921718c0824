// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "model/ledger.h"

static struct ledger_event event;
static struct ledger ledger;

/* So many samples had a status for each stack. */
static void end_stacks(uint64_t samples)
{
	ledger.user_statuses[PMB_END_COMPLETE] = samples - samples / 4;
	ledger.user_statuses[PMB_END_NONE] = samples / 4;
	ledger.kernel_statuses[PMB_END_TRUNCATED] = samples;
}

/* Books that balance: 100 overflows seen, 80 emitted, 15 filtered, 5 dropped; 10 counts each. */
static void begin(void)
{
	event = (struct ledger_event){
		.name = "cycles",
		.kernel = {.seen = 100,
			   .emitted = 80,
			   .filtered = 15,
			   .weight_seen = 1000,
			   .weight_emitted = 800,
			   .weight_filtered = 150},
		.decoded = 80,
		.weight_decoded = 800,
		.aggregated = 80,
		.weight = 800,
		.in_rows = 80,
		.weight_in_rows = 800,
		.value = 1000,
		.scaled = 1000,
		.instances = 2,
		.period = 10,
	};
	event.kernel.dropped[PMB_DROP_RING_FULL] = 3;
	event.kernel.dropped[PMB_DROP_NO_RING] = 2;
	event.kernel.weight_dropped[PMB_DROP_RING_FULL] = 30;
	event.kernel.weight_dropped[PMB_DROP_NO_RING] = 20;
	event.kernel.stacks_sent = 30;
	event.kernel.stack_dumps_sent = 5;
	ledger = (struct ledger){
		.events = &event,
		.n_events = 1,
		.stacks_received = 30,
		.stack_dumps_received = 5,
		.frames = {.in_rows = 240, .named = 200, .unnamed = 40},
	};
	end_stacks(80);
}

TestSuite(ledger, .init = begin);

/* Balances, or leaves exactly one remark that says `words`. */
static void expect(bool balanced, const char *words)
{
	struct buf remarks = {0};

	buf__puts(&remarks, "");
	cr_expect_eq(ledger__balance(&ledger, &remarks), balanced);
	if (balanced) {
		cr_expect_str_empty(remarks.data);
	} else {
		const char *newline = strchr(remarks.data, '\n');

		cr_expect_not_null(strstr(remarks.data, words), "no '%s' in: %s", words,
				   remarks.data);
		cr_expect(newline && !newline[1], "one line, not: %s", remarks.data);
	}
	buf__done(&remarks);
}

Test(ledger, threads_have_a_cpu_or_none)
{
	ledger.off_cpu = (struct pmb_off_stats){.wall_ns = 100,
						.on_ns = 20,
						.off_ns = 65,
						.outside_ns = 5,
						.unseen_ns = 10};
	expect(true, NULL);
	ledger.off_cpu.off_ns++;
	expect(false, "differs from all of it by -1 ns");
}

Test(ledger, books_that_balance)
{
	expect(true, NULL);
	cr_expect_eq(ledger_event__dropped(&event), 5);
	ledger = (struct ledger){.n_events = 0};
	expect(true, NULL);
}

Test(ledger, an_overflow_that_ended_nowhere)
{
	event.kernel.seen++;
	expect(false,
	       "cycles: overflows seen = emitted + filtered + closed + dropped: 101 is not 100");
}

Test(ledger, an_overflow_that_ended_twice)
{
	event.kernel.dropped[PMB_DROP_NO_SCRATCH]++;
	expect(false, "overflows seen = emitted + filtered + closed + dropped: 100 is not 101");
}

Test(ledger, weight_that_ended_nowhere)
{
	event.kernel.weight_filtered--;
	expect(false, "weight seen = emitted + filtered + closed + dropped: 1000 is not 999");
}

Test(ledger, weight_dropped_counts)
{
	event.kernel.weight_dropped[PMB_DROP_NO_SCRATCH]++;
	expect(false, "weight seen = emitted + filtered + closed + dropped: 1000 is not 1001");
}

Test(ledger, a_record_that_never_arrived)
{
	event.decoded--, event.aggregated--, event.in_rows--;
	end_stacks(79);
	expect(false, "emitted = decoded: 80 is not 79");
}

Test(ledger, a_sample_that_was_not_aggregated)
{
	event.aggregated--, event.in_rows--;
	end_stacks(79);
	expect(false, "decoded = aggregated: 80 is not 79");
}

Test(ledger, a_sample_that_the_profile_lost)
{
	event.in_rows--;
	expect(false, "aggregated = in the rows of the profile: 80 is not 79");
}

Test(ledger, weight_that_the_profile_lost)
{
	event.weight_in_rows--;
	expect(false, "weight aggregated = weight in the rows of the profile: 800 is not 799");
}

Test(ledger, weight_that_was_not_aggregated)
{
	event.weight++, event.weight_in_rows++;
	expect(false, "weight decoded = weight aggregated: 800 is not 801");
}

Test(ledger, a_sample_whose_stack_ended_nowhere_or_twice)
{
	ledger.user_statuses[PMB_END_COMPLETE]--;
	expect(false, "user stacks: aggregated = statuses: 80 is not 79");
	end_stacks(80);
	ledger.kernel_statuses[PMB_END_NONE]++;
	expect(false, "kernel stacks: aggregated = statuses: 80 is not 81");
}

Test(ledger, a_stack_that_did_not_arrive)
{
	ledger.stacks_received--;
	expect(false, "stacks: sent = received: 35 is not 34");
	ledger.stack_dumps_received--;
	expect(false, "stacks: sent = received: 35 is not 33");
	ledger.stacks_received = 31;
	ledger.stack_dumps_received = 5;
	expect(false, "stacks: sent = received: 35 is not 36");
	ledger.stacks_received = 29; /* it is the one that was rejected */
	ledger.rejected[REJECT_FRAMES] = 1;
	expect(false, "1 records were rejected");
}

Test(ledger, a_frame_without_name_and_reason)
{
	ledger.frames.unnamed--;
	expect(false, "frames: in the rows of the profile = named + unnamed for a reason: "
		      "240 is not 239");
}

/* Frames of samples: twice as many samples have twice as many. */
Test(ledger, frames_of_the_rows)
{
	struct profile *p = profile__new();
	const uint32_t ids[] = {profile__frame(p, &(struct frame){FRAME_FILE, 1, 1}),
				profile__frame(p, &(struct frame){FRAME_KERNEL, 0, 2})};
	struct profile_key key = {.user_stack = profile__stack(p, ids, 1),
				  .kernel_stack = profile__stack(p, ids, 2)};

	profile__add(p, &key, 5);
	profile__add(p, &key, 5);
	key.kernel_stack = 0;
	profile__add(p, &key, 5);
	ledger.frames.in_rows = 0;
	ledger__count_rows(&ledger, p);
	cr_expect_eq(ledger.frames.in_rows, 2 * 3 + 1);
	profile__free(p);
}

Test(ledger, every_rejected_record_is_said)
{
	for (int i = 0; i < N_REJECTS; i++) {
		ledger.rejected[i] = 7;
		expect(false, "7 records were rejected");
		ledger.rejected[i] = 0;
	}
}

Test(ledger, a_ratio_that_is_too_low)
{
	event.value = event.scaled = 2000;
	cr_expect_float_eq(ledger_event__ratio(&event), 0.5, 1e-9);
	expect(false, "account for 50.0 % of the counter (51.0 % with the unfinished periods)");
}

Test(ledger, its_causes_are_named_if_known)
{
	event.value = event.scaled = 2000;
	event.loss_causes = "a known cause";
	expect(false, "before this program saw it: a known cause\n");
}

Test(ledger, the_remainder_counts_for_the_ratio)
{
	cr_expect_eq(ledger_event__remainder(&event), 20);
	event.value = event.scaled =
		1073; /* (1000 + 20) / 1073 = 95.06 %, without the remainder 93.2 % */
	expect(true, NULL);
	event.value = event.scaled = 1074; /* 94.97 % */
	expect(false, "account for 93.1 %");
}

Test(ledger, one_period_for_each_instance)
{
	event.value = event.scaled = 2000;
	event.instances = 90;
	expect(true, NULL);
	event.instances = 89;
	expect(false, "94.5 % with");
}

Test(ledger, no_ratio_where_nothing_can_be_compared)
{
	event.no_ratio = "it counts something else";
	event.value = event.scaled = 1000000;
	cr_expect(isnan(ledger_event__ratio(&event)));
	expect(true, NULL);
	event.no_ratio = NULL;
	event.value = event.scaled = 0;
	cr_expect(isnan(ledger_event__ratio(&event)));
	expect(true, NULL);
}

Test(ledger, idle_time_without_overflows_is_no_loss)
{
	event.scaled = event.value = 2000;
	expect(false, "50.0 %");
	event.idle_ns = 950;
	expect(true, NULL);
	event.idle_ns = 700;
	expect(false, "the rest was lost");
}

Test(ledger, weights_read_from_the_counter_leave_an_exact_remainder)
{
	event.scaled = event.value = 2000;
	event.by_count = true;
	cr_expect_eq(ledger_event__remainder(&event), 1000);
	expect(true, NULL);
	cr_expect(ledger_event__unfinished(&event));
	event.scaled = event.value = 1020;
	cr_expect_not(ledger_event__unfinished(&event));
}

Test(ledger, readings_leave_what_came_after_the_last_to_nobody)
{
	event.read = event.by_count = true;
	event.value = event.scaled = 3000; /* a CPU was idle at the end: no overflow to read at */
	expect(true, NULL);
	cr_expect_eq(ledger_event__remainder(&event), 2000);
	cr_expect(!ledger_event__unfinished(&event));
	event.kernel = (struct pmb_stats){0};
	event.decoded = event.weight_decoded = event.aggregated = event.weight = 0;
	cr_expect_eq(ledger_event__silence(&event), SILENCE_NONE,
		     "it is not expected to interrupt");
}

Test(ledger, a_reading_that_was_lost_is_said)
{
	event.read = event.by_count = true;
	event.kernel.filtered--;
	expect(false, "overflows seen = emitted + filtered + closed + dropped");
}

/* Two CPUs with a period of 10: one overflowed last at 480 and ended at 499, the other never did
 * and ended at 35. */
Test(ledger, overflows_that_passed_unseen_are_dropped)
{
	event.value = event.scaled = 1074;
	event.kernel.dropped[PMB_DROP_UNSEEN] = 2; /* between overflows that were seen */
	event.kernel.weight_dropped[PMB_DROP_UNSEEN] = 20;
	ledger_event__unseen_tail(&event, 499, 480);
	ledger_event__unseen_tail(&event, 35, 0);
	cr_expect_eq(event.kernel.dropped[PMB_DROP_UNSEEN], 2 + 1 + 3);
	ledger_event__count_unseen(&event);
	cr_expect_eq(event.kernel.seen, 106);
	cr_expect_eq(event.kernel.weight_seen, 1060);
	cr_expect_eq(event.value - event.kernel.weight_seen, 9 + 5, "what periods hold");
	cr_expect_eq(ledger_event__dropped(&event), 11);
	expect(true, NULL);
}

Test(ledger, a_tail_of_less_than_an_period_is_no_overflow)
{
	ledger_event__unseen_tail(&event, 489, 480);
	ledger_event__unseen_tail(&event, 480, 480);
	cr_expect_eq(event.kernel.dropped[PMB_DROP_UNSEEN], 0);
	ledger_event__unseen_tail(&event, 490, 480);
	cr_expect_eq(event.kernel.dropped[PMB_DROP_UNSEEN], 1);
}

Test(ledger, an_interrupt_that_never_came_is_said_though_all_passed_unseen)
{
	event = (struct ledger_event){.name = "context-switches",
				      .value = 1000,
				      .instances = 1,
				      .period = 10};
	ledger = (struct ledger){.events = &event, .n_events = 1};
	ledger_event__unseen_tail(&event, 1000, 0);
	ledger_event__count_unseen(&event);
	cr_expect_eq(ledger_event__silence(&event), SILENCE_NO_INTERRUPT);
	expect(true, NULL);
}

Test(ledger, more_weight_than_the_counter_is_said)
{
	event.scaled = event.value = 900;
	expect(false, "overstates");
}

Test(ledger, each_event_is_looked_at)
{
	struct ledger_event events[2] = {event, event};

	events[1].name = "page-faults";
	events[1].kernel.seen++;
	ledger.events = events;
	ledger.n_events = 2;
	ledger.stacks_received *= 2;
	ledger.stack_dumps_received *= 2;
	end_stacks(160);
	expect(false, "page-faults: overflows seen");
}

Test(ledger, each_number_has_its_key_and_words)
{
	for (int i = 0; i < PMB_N_DROPS; i++)
		cr_expect(drop_keys[i] && drop_texts[i]);
	for (int i = 0; i < PMB_N_UNWIND_STATUSES; i++)
		cr_expect(status_keys[i] && status_texts[i]);
	for (int i = 0; i < N_REJECTS; i++)
		cr_expect_not_null(reject_keys[i]);
	cr_expect_str_eq(drop_keys[PMB_DROP_RING_FULL], "ring_full");
	cr_expect_str_eq(status_keys[PMB_END_UNKNOWN_ID], "unknown_id");
	cr_expect_str_eq(reject_keys[REJECT_FRAMES], "frames");
}

/* A task that was 3 s on the one kind of cores and 1 s on the other: nothing was multiplexed. */
Test(ledger, time_on_other_cores_is_no_multiplexing)
{
	struct ledger_event cores[2] = {
		{.value = 600, .scaled = 800, .enabled_ns = 4000, .running_ns = 3000},
		{.value = 100, .scaled = 400, .enabled_ns = 4000, .running_ns = 1000},
	};

	ledger_events__share_time(cores, 2);
	for (size_t i = 0; i < 2; i++) {
		cr_expect_eq(cores[i].scaled, cores[i].value);
		cr_expect_not(ledger_event__estimated(&cores[i]));
	}
}

Test(ledger, multiplexing_on_all_cores_is_seen)
{
	struct ledger_event cores[3] = {
		{.value = 600, .enabled_ns = 8000, .running_ns = 3000},
		{.value = 100, .enabled_ns = 8000, .running_ns = 1000},
		{.enabled_ns = 8000, .only_cpus = "9"},
	};

	ledger_events__share_time(cores, 3);
	cr_expect_eq(cores[0].enabled_ns, 6000);
	cr_expect_eq(cores[0].scaled, 1200);
	cr_expect_eq(cores[1].scaled, 200);
	cr_expect_eq(ledger_event__silence(&cores[2]), SILENCE_OTHER_CPUS);
}

Test(ledger, what_is_carried_in_and_out_is_of_both_sides)
{
	event.out = (struct ledger_carried){.rings = 2,
					    .weight_rings = 20,
					    .held = 3,
					    .weight_held = 30};
	event.decoded = 78, event.weight_decoded = 780;
	event.aggregated = event.in_rows = 75;
	event.weight = event.weight_in_rows = 750;
	end_stacks(75);
	expect(true, "");
	event.in.held = 1;
	expect(false, "decoded = aggregated: 79 is not 78");
}

Test(ledger, parts_of_a_recording_add_up_to_it)
{
	struct ledger_event next = event;
	struct ledger second = ledger;

	second.events = &next;
	end_stacks(77);
	second.user_statuses[PMB_END_COMPLETE] += 3;
	second.kernel_statuses[PMB_END_TRUNCATED] += 3;
	event.out = next.in = (struct ledger_carried){.held = 3, .weight_held = 30};
	event.aggregated = event.in_rows = 77;
	event.weight = event.weight_in_rows = 770;
	next.aggregated = next.in_rows = 83;
	next.weight = next.weight_in_rows = 830;
	ledger__follow(&ledger, &second);
	cr_expect_eq(event.kernel.seen, 200);
	cr_expect_eq(event.kernel.dropped[PMB_DROP_NO_RING], 4);
	cr_expect_eq(event.aggregated, 160);
	cr_expect_eq(event.out.held, 0);
	cr_expect_eq(event.in.held, 0);
	cr_expect_eq(event.instances, 2, "they are the same counters");
	expect(true, "");
}

/* Its samples are a column of the sum, and of nothing else. */
Test(ledger, a_part_that_is_given_up)
{
	struct ledger_event next = event;
	struct ledger second = ledger;

	second.events = &next;
	event.other = (struct profile_other){.samples = 8, .weight = 80, .rows = 2};
	event.data_with = 70, event.data_without = 10;
	ledger__forget(&ledger);
	cr_expect_eq(event.forgotten, 80);
	cr_expect_eq(event.weight_forgotten, 800);
	cr_expect_eq(event.other.samples, 0);
	expect(true, "");
	ledger__follow(&ledger, &second);
	cr_expect_eq(event.aggregated, 80);
	cr_expect_eq(event.forgotten, 80);
	cr_expect_eq(event.kernel.seen, 200);
	expect(true, "");
	event.forgotten--;
	expect(false, "decoded = aggregated: 160 is not 159");
	event.forgotten++;
	event.weight_forgotten++;
	expect(false, "weight decoded = weight aggregated: 1600 is not 1601");
}

/* All that is counted is added, and what is the same in both stays. */
Test(ledger, the_row_of_another_recording)
{
	struct ledger_event sum = event, other = event;

	other.value = 3000;
	other.idle_ns = 7;
	other.cpus_away = 1;
	other.period = 9;
	other.calm_period = 40;
	other.kernel.timed_ns = 5;
	ledger_event__add(&sum, &other);
	cr_expect_eq(sum.kernel.seen, 200);
	cr_expect_eq(sum.kernel.dropped[PMB_DROP_NO_RING], 4);
	cr_expect_eq(sum.kernel.weight_dropped[PMB_DROP_RING_FULL], 60);
	cr_expect_eq(sum.kernel.timed_ns, 5);
	cr_expect_eq(sum.decoded, 160);
	cr_expect_eq(sum.weight_in_rows, 1600);
	cr_expect_eq(sum.value, 4000);
	cr_expect_eq(sum.idle_ns, 7);
	cr_expect_eq(sum.cpus_away, 1);
	cr_expect_eq(sum.period, 10);
	cr_expect_eq(sum.calm_period, 40);
	cr_expect_str_eq(sum.name, "cycles");
}

Test(ledger, columns_amid_a_run_are_not_settled)
{
	cr_expect(ledger_stats__settled(&event.kernel));
	event.kernel.seen++;
	cr_expect_not(ledger_stats__settled(&event.kernel),
		      "it has been seen, and has no column yet");
	event.kernel.emitted++;
	event.kernel.weight_emitted += 10;
	cr_expect_not(ledger_stats__settled(&event.kernel), "its weight was read before it came");
	event.kernel.weight_seen += 10;
	event.kernel.dropped[PMB_DROP_UNSEEN] = 7;
	cr_expect(ledger_stats__settled(&event.kernel), "those unseen are added later");
}
