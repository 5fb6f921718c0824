# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Fuzz targets: `make check' replays what was found before, with sanitizers; `make fuzz' looks for more.

FUZZ_NAMES := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_SRC   := $(wildcard user/symd/cfi*.c) user/sym/table.c user/base/cursor.c user/base/mem.c
FUZZ_FLAGS := -std=gnu11 $(WARNINGS) -g -O1 -fno-omit-frame-pointer -fno-sanitize-recover=undefined
FUZZ_SECONDS ?= 60

$(O)/fuzz/replay_%: tests/fuzz/fuzz_%.c tests/fuzz/replay.c $(FUZZ_SRC) $(wildcard user/symd/cfi*.h include/pmubpf/*.h)
	@mkdir -p $(@D)
	$(call say,FUZZ,$@)
	$(Q)$(CC) $(CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=address,undefined $(LDFLAGS) $(filter %.c,$^) -o $@

$(O)/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(FUZZ_SRC) $(wildcard user/symd/cfi*.h include/pmubpf/*.h)
	@mkdir -p $(@D)
	$(call say,FUZZ,$@)
	$(Q)$(CLANG) $(CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer,address,undefined $(LDFLAGS) $(filter %.c,$^) -o $@

.PHONY: replay fuzz
replay: $(FUZZ_NAMES:%=$(O)/fuzz/replay_%)
	$(Q)for name in $(FUZZ_NAMES); do \
		$(O)/fuzz/replay_$$name tests/fuzz/corpus/$$name/* || exit 1; \
		printf 'ok   %-22s %4d inputs\n' fuzz_$$name $$(ls tests/fuzz/corpus/$$name | wc -l); done

# New inputs stay in $(O)/fuzz/corpus; those that make a target fail, in $(O)/fuzz.
fuzz: $(FUZZ_NAMES:%=$(O)/fuzz/fuzz_%)
	$(Q)for name in $(FUZZ_NAMES); do mkdir -p $(O)/fuzz/corpus/$$name; \
		$(O)/fuzz/fuzz_$$name -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -print_final_stats=1 \
		-artifact_prefix=$(O)/fuzz/ $(O)/fuzz/corpus/$$name tests/fuzz/corpus/$$name || exit 1; done
