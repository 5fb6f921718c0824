// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>

#include "base/mem.h"
#include "sym/idle.h"

Test(idle, places_where_a_cpu_waits)
{
	static const char *const names[] = {"pv_native_safe_halt",
					    "pvm_safe_halt_hc",
					    "default_idle_call",
					    "mwait_idle_with_hints.constprop.0",
					    "cpu_do_idle",
					    "do_idle",
					    "cpuidle_enter_state"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		cr_expect(idle_function(names[i]), "%s", names[i]);
}

Test(idle, work_on_an_idle_cpu)
{
	static const char *const names[] = {"handle_softirqs",      "__do_softirq",
					    "schedule_idle",        "tick_nohz_idle_exit",
					    "menu_select",          "cpu_startup_entry",
					    "finish_task_switch",   "do_idle_thing",
					    "play_idle_precise",    "intel_idle_init",
					    "poll_idle_time_check", ""};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		cr_expect(!idle_function(names[i]), "%s", names[i]);
}
