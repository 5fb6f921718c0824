# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Fuzz targets: tests/fuzz/fuzz_NAME.c, inputs in tests/fuzz/corpus/NAME. make check replays these under ASan
# and UBSan; make fuzz looks for new ones.
#
#   make fuzz                  each target for a minute (libFuzzer, which clang has)
#   make fuzz FUZZ=elf FUZZ_SECONDS=600

FUZZ_TARGETS := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
# What reads bytes of others, and what that stands on.
FUZZ_SRC := $(wildcard user/base/*.c) $(filter-out %/symd.c %/fetch.c %/fetch_calls.c %/sandbox.c %/sandbox_calls.c,$(wildcard user/symd/*.c)) user/sym/reason.c \
	user/sym/table.c user/sym/reply.c user/model/intern.c user/out/pprof.c \
	$(addprefix user/prof/,prof.c events.c ids.c inflate.c foreign.c pprof_read.c)
# protobuf-c's part of it is generated
FUZZ_GEN := $(O)/gen/prof/profile.pb-c.c
FUZZ_FLAGS := -O1 -g -std=gnu11 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
FUZZ_LIBS := -lelf -ldw -llzma -lz -liberty -lprotobuf-c -lm
FUZZ_SECONDS ?= 60

REPLAY_OBJ := $(FUZZ_SRC:%.c=$(O)/replay/%.o) $(O)/replay/profile.pb-c.o
REPLAY := $(FUZZ_TARGETS:%=$(O)/replay/fuzz_%)

$(patsubst %.c,$(O)/replay/%.o,$(wildcard user/*/pprof*.c)): $(PPROF_H)

$(O)/replay/profile.pb-c.o: $(FUZZ_GEN)
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(CPPFLAGS) -U_FORTIFY_SOURCE $(FUZZ_FLAGS) -c $< -o $@

$(O)/replay/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(CPPFLAGS) -U_FORTIFY_SOURCE -iquote tests/fuzz $(WARNINGS) $(FUZZ_FLAGS) -MMD -MP -c $< -o $@

$(REPLAY): $(O)/replay/fuzz_%: $(O)/replay/tests/fuzz/fuzz_%.o $(O)/replay/tests/fuzz/replay.o $(REPLAY_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(FUZZ_FLAGS) $(LDFLAGS) $^ $(FUZZ_LIBS) -o $@

.PHONY: replay fuzz
.SECONDARY: $(FUZZ_TARGETS:%=$(O)/replay/tests/fuzz/fuzz_%.o)
replay: $(REPLAY)
	$(Q)for t in $(FUZZ_TARGETS); do $(O)/replay/fuzz_$$t tests/fuzz/corpus/$$t || exit 1; done

# New inputs stay in $(O)/fuzz/NAME; one that crashes is left there as crash-… and may go into the corpus.
fuzz: $(FUZZ_GEN)
	$(Q)mkdir -p $(O)/fuzz
	$(Q)set -e; for t in $(or $(FUZZ),$(FUZZ_TARGETS)); do mkdir -p $(O)/fuzz/$$t; \
		clang $(CPPFLAGS) -U_FORTIFY_SOURCE -iquote tests/fuzz $(FUZZ_FLAGS) -fsanitize=fuzzer \
			tests/fuzz/fuzz_$$t.c $(FUZZ_SRC) $(FUZZ_GEN) $(FUZZ_LIBS) -o $(O)/fuzz/fuzz_$$t; \
		$(O)/fuzz/fuzz_$$t -max_total_time=$(FUZZ_SECONDS) -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
			$$([ ! -e tests/fuzz/$$t.dict ] || echo -dict=tests/fuzz/$$t.dict) \
			-artifact_prefix=$(O)/fuzz/ $(O)/fuzz/$$t tests/fuzz/corpus/$$t; done

-include $(REPLAY_OBJ:.o=.d) $(FUZZ_TARGETS:%=$(O)/replay/tests/fuzz/fuzz_%.d)
