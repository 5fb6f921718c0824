# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Emulated machines: kernels and architectures that this one isn't. tests/vm/guests lists them.
#
#   make test-vm                   all guests
#   make test-vm VM=arm64-6.12     one (or several, with blanks)
#   make test-vm UPDATE=1          writes the verifier's costs down (tests/vm/verifier-cost.txt)

.PHONY: test-vm vm-parts
test-vm:
	$(Q)mk/deps.sh build vm || echo 'make: not all of the emulated machines can be had' >&2
	$(Q)r=0; O=$(O) UPDATE=$(UPDATE) tests/vm/run.sh $(VM) || r=$$?; $(OWN); exit $$r

# The C ones: a cross build has no C++ library.
VM_WORKLOAD := $(patsubst tests/workloads/%.c,$(O)/workloads/%,$(wildcard tests/workloads/*.c)) \
	$(patsubst %,$(O)/workloads/published-%.so,gnu descriptors) \
	$(if $(filter x86,$(ARCH)),$(O)/workloads/calls)
# What a guest gets, for the ARCH and CC of this make: run.sh calls it once an architecture.
VM_PROGRAM := $(PMUBPF) $(STEP) $(O)/vm/cost $(O)/bench/pmubpf-cuts
vm-parts: $(VM_PROGRAM) $(VM_WORKLOAD)
	$(Q)rm -rf $(O)/vm/parts && mkdir -p $(O)/vm/parts/workloads
	$(Q)ln -f $(VM_PROGRAM) $(O)/vm/parts/ && ln -f $(VM_WORKLOAD) $(O)/vm/parts/workloads/

VM_COST_OBJ := $(O)/tests/vm/cost.o $(O)/user/collect/features.o
$(O)/tests/vm/cost.o: $(SKEL)
$(O)/vm/cost: $(VM_COST_OBJ)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ -lbpf -lelf -lz -o $@
-include $(O)/tests/vm/cost.d
