# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Unit tests (Criterion), known-answer workloads, lint, and the end-to-end run.

UNIT     := $(patsubst tests/unit/%.c,$(O)/tests/unit/%,$(wildcard tests/unit/test_*.c))
WORKLOAD := $(patsubst tests/workloads/%.c,$(O)/workloads/%,$(wildcard tests/workloads/*.c)) \
	$(patsubst tests/workloads/%.cc,$(O)/workloads/%,$(wildcard tests/workloads/*.cc)) \
	$(patsubst %,$(O)/workloads/rules-%.so,15900 16300 65000) \
	$(patsubst %,$(O)/workloads/published-%.so,gnu descriptors)
TESTED   := $(filter-out $(O)/user/cmd/main.o,$(OBJ))
FORMATTED = $(wildcard bpf/*.c bpf/lib/*.h include/pmubpf/*.h user/*/*.[ch] tests/unit/*.[ch] \
	tests/workloads/*.[ch] tests/workloads/libs/*.c tests/shims/*.[ch] tests/page/*.c tests/operands/*.c tests/fuzz/*.[ch] tests/bench/*.[ch] tests/bpf/*.[ch] tests/bpf/*/*.h vmlinux/*.h)

# A test takes what it needs of it: linking all of it into each took four times as long.
PARTS := $(O)/tests/parts.a
$(PARTS): $(TESTED)
	@mkdir -p $(@D)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs --thin $@ $^

$(O)/tests/unit/%: $(O)/tests/unit/%.o $(PARTS)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -lcriterion -o $@

# The overflow program's parts compile for the host, too.
$(O)/tests/unit/test_ustack.o $(O)/tests/unit/test_weight.o: CPPFLAGS += -Ibpf
$(UNIT:%=%.o): CPPFLAGS += -DTREES='"$(CURDIR)/tests/trees"'
$(O)/tests/unit/test_assembly_stream.o: CPPFLAGS += -DSTREAM='"$(CURDIR)/tests/bench/stream.gz"'
$(O)/tests/unit/test_python_lines.o: CPPFLAGS += -DORACLE='"$(CURDIR)/tests/unit/python_lines.py"'
$(O)/tests/unit/test_event_db.o $(O)/tests/unit/test_topdown_table.o: \
	CPPFLAGS += -DPERFMON='"$(CURDIR)/tests/perfmon"'
$(UNIT:%=%.o): CPPFLAGS += -iquote tests/unit -iquote tests/bpf
# Compiled once and run once: without optimization that takes half the time.
$(UNIT:%=%.o): ALL_CFLAGS += -O0
$(UNIT:%=%.o): CPPFLAGS += -U_FORTIFY_SOURCE
# It says in its dynamic symbols that it is V8.
$(O)/tests/unit/test_elf_v8: LDFLAGS += -rdynamic
# …and that its threads say what they work on.
$(O)/tests/unit/test_thread_context: LDFLAGS += -rdynamic
.SECONDARY: $(UNIT:%=%.o)

# Folded stacks to pictures, for the tests of the page.
PAGES := $(O)/tests/page/pages
$(PAGES): $(O)/tests/page/pages.o $(PARTS)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

# What an instruction's operands are, for tests/e2e/operands.sh.
OPERANDS := $(O)/tests/operands/decode $(O)/tests/operands/step
DECODER := $(filter-out %_probed.o,$(filter %/cursor.o $(O)/user/symd/x86_% \
	%/insn_data.o %_operand.o,$(OBJ)))
$(OPERANDS): $(O)/tests/operands/%: $(O)/tests/operands/%.o $(DECODER)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ -o $@
# What the tool would say of a sample, beside the truth: for tests/e2e/operands.sh, and test-data.
SKID := $(O)/tests/operands/skid $(O)/tests/operands/types
$(SKID): %: %.o $(PARTS)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@
.SECONDARY: $(OPERANDS:%=%.o) $(SKID:%=%.o)

# The tests of the unwind step once more, answered by the kernel: as each architecture takes it, on
# any.
STEP := $(O)/tests/bpf/test_unwind_step $(O)/tests/bpf/test_unwind_step_arm64
STEP_ARCH = $(if $(findstring arm64,$(*F)),arm64,x86)

$(O)/tests/bpf/%.bpf.o: tests/bpf/step.bpf.c | $(O)/tools-checked
	@mkdir -p $(@D)
	$(call say,BPF,$@)
	$(Q)$(CLANG) $(filter-out -D__TARGET_ARCH_%,$(BPF_FLAGS)) -D__TARGET_ARCH_$(STEP_ARCH) -MMD -MP -MT $@ -MF $(@:.o=.d) \
		-c $< -o $@

$(O)/tests/bpf/%.gen/step.skel.h: $(O)/tests/bpf/%.bpf.o
	@mkdir -p $(@D)
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name step_bpf > $@.tmp && mv $@.tmp $@

$(STEP): $(O)/tests/bpf/%: tests/unit/%.c $(O)/tests/bpf/%.gen/step.skel.h tests/unit/unwind_cases.h $(wildcard tests/bpf/*.h \
		tests/bpf/criterion/*.h include/pmubpf/*.h)
	$(call say,CC,$@)
	$(Q)$(CC) $(CPPFLAGS) -DSTEP_IN_KERNEL -Itests/bpf -iquote tests/bpf -iquote tests/unit -iquote $(@D)/$*.gen $(ALL_CFLAGS) \
		$(LDFLAGS) $< -lbpf -lelf -lz -o $@
.SECONDARY: $(STEP:%=%.bpf.o) $(STEP:%=%.gen/step.skel.h)

# Frame pointers on purpose: the stacks of these programs are known answers.
WORKLOAD_FLAGS := -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -Wall -Wextra

$(O)/workloads/%: tests/workloads/%.c $(wildcard tests/workloads/*.h)
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(WORKLOAD_FLAGS) $(WORKLOAD_FLAGS_$*) $(LDFLAGS) $< -o $@ -lpthread -lm

$(O)/workloads/%: tests/workloads/%.cc
	@mkdir -p $(@D)
	$(call say,CXX,$@)
	$(Q)$(CXX) $(WORKLOAD_FLAGS) $< -o $@

# So many rules each; hoard loads them.
$(O)/workloads/rules-%.so: tests/workloads/libs/rules.c
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=gnu11 -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -Wall -Wextra -fPIC -shared -nostdlib \
		-DRULES=$* $< -o $@

# A variable of threads in a library, by both ways in which libraries get to theirs.
FOR := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
DIALECT_x86_64_gnu := gnu
DIALECT_x86_64_descriptors := gnu2
DIALECT_aarch64_gnu := trad
$(O)/workloads/published-%.so: tests/workloads/libs/published.c
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=gnu11 -O2 -Wall -Wextra -fPIC -shared \
		$(DIALECT_$(FOR)_$*:%=-mtls-dialect=%) $(LDFLAGS) $< -o $@

WORKLOAD_FLAGS_returning := -foptimize-sibling-calls
WORKLOAD_FLAGS_fakepython := -rdynamic
WORKLOAD_FLAGS_newpython := -rdynamic
WORKLOAD_FLAGS_fakejvm := -rdynamic
WORKLOAD_FLAGS_oldpython := -rdynamic
WORKLOAD_FLAGS_fakev8 := -rdynamic
WORKLOAD_FLAGS_otherv8 := -rdynamic
WORKLOAD_FLAGS_newerv8 := -rdynamic
WORKLOAD_FLAGS_contexts := -rdynamic
WORKLOAD_FLAGS_badcontexts := -rdynamic
$(O)/workloads/contextlib: tests/workloads/contexts.c
$(O)/workloads/newpython $(O)/workloads/oldpython: tests/workloads/fakepython.c
$(O)/workloads/otherv8 $(O)/workloads/newerv8: tests/workloads/fakev8.c
$(O)/workloads/fakev8 $(O)/workloads/otherv8 $(O)/workloads/newerv8: tests/workloads/v8_objects.h
WORKLOAD_FLAGS_watch := -no-pie
WORKLOAD_FLAGS_struck := -no-pie
WORKLOAD_FLAGS_sharing := -no-pie -pthread
WORKLOAD_FLAGS_frameless := -fomit-frame-pointer
WORKLOAD_FLAGS_hole := -fomit-frame-pointer
WORKLOAD_FLAGS_hoard := -fomit-frame-pointer

.PHONY: test-data
test-data: all $(SKID)
	$(Q)O=$(O) tests/operands/skid.sh

.PHONY: workloads unit step
workloads: $(WORKLOAD)
unit: $(UNIT) $(PAGES) $(OPERANDS) $(SKID)
step: $(STEP)

check: unit lint replay $(O)/user/cmd/main.o
	$(Q)tests/lint/loops.sh $(O)
	$(Q)tests/lint/exports.sh $(O)
	$(Q)tests/run-unit.sh $(O)/tests/unit

lint:
	$(Q)tests/lint/layers.sh
	$(Q)tests/lint/banned.sh
	$(Q)tests/lint/columns.sh
	$(Q)tests/lint/words.sh
	$(Q)tests/lint/recipes.sh
	$(Q)tests/lint/format.sh $(FORMATTED)

# SUITES='shares names': only these of tests/e2e.
test:
	$(Q)mk/deps.sh build demo test
	$(Q)$(if $(SUITES),,{ mk/deps.sh fleet; mk/deps.sh others containers browser; } || echo 'make: not all of what the tests look at can be had' >&2)
	$(Q)$(MAKE) $(JOBS) --no-print-directory all workloads unit step $(O)/bench/replay $(O)/bench/pmubpf-cuts
	$(Q)r=0; O=$(O) UNIT_DIR=$(O)/tests/unit tests/run.sh $(SUITES:%=$(CURDIR)/tests/e2e/%.sh) || r=$$?; \
		$(OWN); exit $$r

# Both commands in fresh Debian systems, whose tests have their own second tries.
test-nest:
	$(Q)mk/deps.sh build test
	$(Q)O=$(O) SECOND_TRIES=0 tests/run.sh $(CURDIR)/tests/e2e/nest.sh

# Runtimes: all versions that can be had (make test: the oldest and the newest that are here).
test-runtimes:
	$(Q)mk/deps.sh build test
	$(Q)$(MAKE) $(JOBS) --no-print-directory all workloads
	$(Q)O=$(O) RUNTIMES=all LANES=1 tests/run.sh \
		$(patsubst %,$(CURDIR)/tests/e2e/%.sh,python java javascript runtime_containers)

-include $(UNIT:%=%.d) $(PAGES).d $(OPERANDS:%=%.d) $(SKID:%=%.d) $(STEP:%=%.bpf.d)
