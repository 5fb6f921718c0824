# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Fuzz targets: tests/fuzz/fuzz_NAME.c, inputs in tests/fuzz/corpus/NAME, words in
# tests/fuzz/NAME.dict. make check replays the inputs under ASan and UBSan; make fuzz looks for new
# ones.
#
#   make fuzz                                      each target for a minute (libFuzzer, which clang has)
#   make fuzz T=elf SECONDS=600                    one (or several, with blanks) for so long
#   make fuzz T=elf SECONDS=3600 RUNS=1000000      or until it was run so often

FUZZ_TARGETS := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
# What reads bytes of others, and what that stands on.
FUZZ_SRC := $(wildcard user/base/*.c user/sys/*.c user/pmu/*.c) \
	$(filter-out %/symd.c %/fetch.c %/fetch_calls.c %/sandbox.c %/sandbox_calls.c,$(wildcard user/symd/*.c)) \
	$(addprefix user/,sym/reason.c sym/table.c sym/reply.c sym/listing_reply.c sym/texts.c sym/kallsyms.c model/intern.c model/context_text.c render/pprof.c render/escape.c \
		collect/decode.c collect/room.c collect/sideband.c proc/mountinfo.c proc/mappings.c proc/container_path.c \
		proc/container_name.c unwind/store.c unwind/parts.c unwind/extents.c unwind/walk.c) \
	$(addprefix user/,model/type_layout.c model/poisson.c model/profile.c model/rarest.c) \
	$(addprefix user/prof/,layouts.c layout_use.c regions.c data_access.c) \
	user/cmd/stat_baseline.c $(patsubst %,user/spool/%.c,window_name times alarm_line) \
	$(patsubst %,user/ship/%.c,answer binary fill frame_text name_rows otlp_answer rows) \
	$(patsubst %,user/ship/%.c,s3_list schema state) \
	$(patsubst %,user/prof/%.c,prof branch_records events ids inflate foreign) \
	$(patsubst %,user/prof/%.c,frame_count pprof_read) \
	$(patsubst %,user/prof/%.c,remark_sum alarm_sum held_sum copy name_book)
# protobuf-c's part of it is generated
FUZZ_GEN := $(O)/gen/prof/profile.pb-c.c
FUZZ_FLAGS := -O1 -g -std=gnu11 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
FUZZ_CPPFLAGS = $(CPPFLAGS) -U_FORTIFY_SOURCE -iquote tests/fuzz
FUZZ_LIBS := -lelf -ldw -llzma -lz -liberty -lprotobuf-c -lseccomp -lm -ldl
SECONDS ?= 60
RUNS ?= -1

REPLAY_OBJ := $(FUZZ_SRC:%.c=$(O)/replay/%.o) $(O)/replay/profile.pb-c.o
REPLAY := $(FUZZ_TARGETS:%=$(O)/replay/fuzz_%)
FUZZ_OBJ := $(FUZZ_SRC:%.c=$(O)/fuzz/obj/%.o) $(O)/fuzz/obj/profile.pb-c.o

$(patsubst %.c,$(O)/replay/%.o,$(wildcard user/*/pprof*.c)): $(PPROF_H)
$(patsubst %.c,$(O)/fuzz/obj/%.o,$(wildcard user/*/pprof*.c)): $(PPROF_H)

$(O)/replay/profile.pb-c.o: $(FUZZ_GEN)
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(FUZZ_CPPFLAGS) $(FUZZ_FLAGS) -c $< -o $@

$(O)/replay/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(FUZZ_CPPFLAGS) $(WARNINGS) $(FUZZ_FLAGS) -MMD -MP -c $< -o $@

$(REPLAY): $(O)/replay/fuzz_%: $(O)/replay/tests/fuzz/fuzz_%.o $(O)/replay/tests/fuzz/replay.o $(REPLAY_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(FUZZ_FLAGS) $(LDFLAGS) $^ $(FUZZ_LIBS) -o $@

$(O)/fuzz/obj/profile.pb-c.o: $(FUZZ_GEN)
	@mkdir -p $(@D)
	$(call say,FUZZ,$@)
	$(Q)$(CLANG) $(FUZZ_CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -c $< -o $@

$(O)/fuzz/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,FUZZ,$@)
	$(Q)$(CLANG) $(FUZZ_CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -MMD -MP -c $< -o $@

$(FUZZ_TARGETS:%=$(O)/fuzz/fuzz_%): $(O)/fuzz/fuzz_%: $(O)/fuzz/obj/tests/fuzz/fuzz_%.o $(FUZZ_OBJ)
	$(call say,LD,$@)
	$(Q)$(CLANG) $(FUZZ_FLAGS) -fsanitize=fuzzer $(LDFLAGS) $^ $(FUZZ_LIBS) -o $@

.PHONY: replay fuzz fuzzers
.SECONDARY: $(FUZZ_TARGETS:%=$(O)/replay/tests/fuzz/fuzz_%.o) $(FUZZ_TARGETS:%=$(O)/fuzz/obj/tests/fuzz/fuzz_%.o)
replay: $(REPLAY)
	$(Q)for t in $(FUZZ_TARGETS); do $(O)/replay/fuzz_$$t tests/fuzz/corpus/$$t || exit 1; done

fuzzers: $(FUZZ_TARGETS:%=$(O)/fuzz/fuzz_%)

# New inputs stay in $(O)/fuzz/NAME; one that crashes is left beside as NAME-crash-… and may go into
# the corpus.
fuzz: $(patsubst %,$(O)/fuzz/fuzz_%,$(or $(T),$(FUZZ_TARGETS)))
	$(Q)set -e; for t in $(or $(T),$(FUZZ_TARGETS)); do mkdir -p $(O)/fuzz/$$t; \
		$(O)/fuzz/fuzz_$$t -max_total_time=$(SECONDS) -runs=$(RUNS) -timeout=20 -rss_limit_mb=4096 \
			-print_final_stats=1 $$([ ! -e tests/fuzz/$$t.dict ] || echo -dict=tests/fuzz/$$t.dict) \
			-artifact_prefix=$(O)/fuzz/$$t- $(O)/fuzz/$$t tests/fuzz/corpus/$$t; done

-include $(REPLAY_OBJ:.o=.d) $(FUZZ_TARGETS:%=$(O)/replay/tests/fuzz/fuzz_%.d)
-include $(FUZZ_OBJ:.o=.d) $(FUZZ_TARGETS:%=$(O)/fuzz/obj/tests/fuzz/fuzz_%.d)
