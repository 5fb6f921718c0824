// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An interrupt that ends the waiting is taken either in the instruction that waits or, where the
 * CPU waits with interrupts off, where they are switched on again: a few functions further out.
 * Both are idle time. What the idle loop does besides (choosing a state, switching the tick off,
 * scheduling) is work, and has functions of its own.
 */
#include "sym/idle.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"

static const char *const functions[] = {
	/* the loop */
	"do_idle",
	"default_idle_call",
	"cpu_idle_poll",
	"cpuidle_enter",
	"cpuidle_enter_state",
	"call_cpuidle",
	"default_enter_idle",
	"poll_idle",
	"arch_cpu_idle",
	/* x86 */
	"default_idle",
	"native_safe_halt",
	"pv_native_safe_halt",
	"xen_safe_halt",
	"pvm_safe_halt",
	"pvm_safe_halt_hc",
	"tdx_halt",
	"tdx_safe_halt",
	"amd_e400_idle",
	"mwait_idle",
	"mwait_idle_with_hints",
	"intel_idle",
	"intel_idle_irq",
	"intel_idle_ibrs",
	"intel_idle_xstate",
	"intel_idle_hlt",
	"acpi_safe_halt",
	"acpi_idle_enter",
	"acpi_idle_do_entry",
	"acpi_idle_enter_bm",
	"acpi_processor_ffh_cstate_enter",
	/* arm64, riscv64 */
	"cpu_do_idle",
	"psci_enter_idle_state",
	"psci_cpu_suspend_enter",
	"arm_cpuidle_suspend",
	"acpi_processor_ffh_lpi_enter",
	"sbi_cpuidle_enter_state",
	"sbi_suspend",
};

/* gcc's clones: "mwait_idle_with_hints.constprop.0" */
static bool same_function(const char *name, const char *function)
{
	size_t len = strlen(function);

	return strncmp(name, function, len) == 0 && (!name[len] || name[len] == '.');
}

bool idle_function(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		if (same_function(name, functions[i]))
			return true;
	}
	return false;
}
