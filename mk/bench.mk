# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What pmubpf costs, beside others: make bench (QUICK=1: under three minutes). tests/bench/bench.sh
# says how.

BENCH := $(O)/bench

# A pmubpf that writes down what came out of its rings, and what replays that without BPF.
$(BENCH)/pmubpf-stream: tests/bench/stream.c tests/bench/stream.h $(OBJ)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) -Wl,--wrap=assembly__record,--wrap=processes__life_arrived,--wrap=session__round \
		tests/bench/stream.c $(OBJ) $(LDLIBS) -o $@

# A pmubpf whose recordings are cut all the time, and added up again.
$(BENCH)/pmubpf-cuts: tests/bench/cuts.c $(OBJ)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) -Wl,--wrap=session__record,--wrap=session__part tests/bench/cuts.c $(OBJ) $(LDLIBS) -o $@

$(BENCH)/replay: tests/bench/replay.c tests/bench/stream.h $(PARTS)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) tests/bench/replay.c $(PARTS) $(LDLIBS) -o $@

$(BENCH)/%: tests/bench/%.c
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) $< -o $@

# With frame pointers, as tests/workloads: peers know no other way.
$(BENCH)/felt: tests/bench/felt.c
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(WORKLOAD_FLAGS) $(LDFLAGS) $< -o $@

# The load of many paths once more, without frame pointers.
$(BENCH)/pathsnofp: tests/workloads/manypaths.c tests/workloads/spin.h
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(WORKLOAD_FLAGS) -fomit-frame-pointer $(LDFLAGS) $< -o $@

.PHONY: bench scale soak soak-agent
bench: all workloads $(BENCH)/meter $(BENCH)/felt $(BENCH)/pathsnofp $(BENCH)/replay $(BENCH)/pmubpf-cuts
	$(Q)mk/deps.sh bench || echo 'make: not all of what is measured can be had' >&2
	$(Q)O=$(O) QUICK=$(QUICK) tests/bench/bench.sh
	$(Q)O=$(O) tests/bench/cut.sh
	$(Q)O=$(O) QUICK=$(QUICK) tests/bench/shown.sh

scale: workloads $(BENCH)/pmubpf-stream $(BENCH)/replay
	$(Q)O=$(O) tests/bench/scale.sh

soak: all
	$(Q)tests/bench/soak.sh

soak-agent: all workloads
	$(Q)O=$(O) SOAK_AGENT=1 tests/bench/soak.sh
