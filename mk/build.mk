# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# From sources to ./pmubpf: BPF objects, their skeletons, the program.

PMUBPF := $(if $(filter build,$(O)),pmubpf,$(O)/pmubpf)

# -iquote: user/sys/procfs.h must not stand in for <sys/procfs.h>, which libc of arm64 includes.
CPPFLAGS += -D_GNU_SOURCE -DPMUBPF_VERSION='"$(VERSION)"' -iquote user -iquote include -iquote $(O)/gen
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 -Wundef
CFLAGS  ?= -O2 -g
ALL_CFLAGS := -std=gnu11 $(WARNINGS) $(if $(WERROR),-Werror) $(CFLAGS)
LDLIBS  := -lbpf -lelf -ldw -llzma -lz -liberty -lprotobuf-c -lseccomp -lm

ifeq ($(SAN),1)
O := $(O)/san
ALL_CFLAGS += -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
else
CPPFLAGS += $(if $(findstring -O0,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif

# Where linux/types.h finds asm/types.h: of the compiler's own root, when it builds for another
# machine.
SYSROOT := $(patsubst --sysroot=%,%,$(filter --sysroot=%,$(CC)))
ASM_DIR := $(SYSROOT)/usr/include/$(subst -unknown,,$(shell $(CC) -dumpmachine 2>/dev/null))

# -mcpu is pinned: newer clangs default to instructions that 5.10 doesn't have everywhere.
BPF_FLAGS := -g -O2 -Wall -Wextra -mcpu=v2 -target bpf -D__TARGET_ARCH_$(ARCH) \
	-Ivmlinux -Iinclude -Ibpf -idirafter $(ASM_DIR)

SRC     := $(wildcard user/*/*.c)
OBJ     := $(SRC:%.c=$(O)/%.o) $(O)/gen/prof/profile.pb-c.o
BPF_SRC := $(wildcard bpf/*.bpf.c)
# recording, counting: the programs that are loaded together, linked into one object. Not so those
# of windows: they may call functions of the kernel, for which libbpf reads all of its types.
SKEL    := $(O)/gen/collect/recording.skel.h $(O)/gen/collect/counting.skel.h \
	$(O)/gen/collect/names.skel.h $(O)/gen/collect/owner.skel.h $(O)/gen/collect/alloc.skel.h \
	$(O)/gen/collect/branch.skel.h $(O)/gen/collect/gate.skel.h $(O)/gen/collect/mapped.skel.h

$(O)/tools-checked: mk/check-build.sh
	@mkdir -p $(@D)
	$(Q)CC="$(CC)" CLANG="$(CLANG)" LDFLAGS="$(LDFLAGS)" mk/check-build.sh && touch $@

$(O)/bpf/%.bpf.o: bpf/%.bpf.c | $(O)/tools-checked
	@mkdir -p $(@D)
	$(call say,BPF,$@)
	$(Q)$(CLANG) $(BPF_FLAGS) -MMD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $@

$(O)/bpf/recording.bpf.o: $(O)/bpf/sample.bpf.o $(O)/bpf/life.bpf.o $(O)/bpf/off_cpu.bpf.o \
	$(O)/bpf/sibling.bpf.o
$(O)/bpf/counting.bpf.o: $(O)/bpf/work.bpf.o $(O)/bpf/life.bpf.o
$(O)/bpf/recording.bpf.o $(O)/bpf/counting.bpf.o: mk/build.mk
	$(call say,LINK,$@)
	$(Q)$(BPFTOOL) gen object $@ $(filter %.o,$^)

$(O)/gen/collect/%.skel.h: $(O)/bpf/%.bpf.o
	@mkdir -p $(@D)
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@.tmp && mv $@.tmp $@

$(O)/user/collect/programs.o $(O)/user/collect/gates.o $(O)/user/collect/work.o \
	$(O)/user/collect/owners.o $(O)/user/collect/allocs.o $(O)/user/collect/off_cpu.o \
	$(O)/user/collect/branches.o $(O)/user/collect/kernel_ask.o \
	$(O)/user/collect/siblings.o $(O)/user/collect/mapped.o: $(SKEL)

# pprof's message, as C (protobuf-c).
PPROF_H := $(O)/gen/prof/profile.pb-c.h

$(PPROF_H): user/prof/profile.proto | $(O)/tools-checked
	@mkdir -p $(@D)
	$(call say,PROTO,$@)
	$(Q)protoc-c --proto_path=user --c_out=$(O)/gen prof/profile.proto

$(O)/gen/prof/profile.pb-c.c: $(PPROF_H)
	@touch $@

$(O)/gen/prof/%.o: $(O)/gen/prof/%.c | $(O)/tools-checked
	$(call say,CC,$@)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -c $< -o $@

# Who includes it says so by its name: pprof*.c.
$(patsubst %.c,$(O)/%.o,$(wildcard user/*/pprof*.c)): $(PPROF_H)

# The picture's page, from its parts in the order in which they need each other, as two texts in
# html.o.
PAGE := $(O)/gen/page/tail.html
PAGE_SRC := page.html style.css format.js data.js root.js tally.js ratio.js windows.js timeline.js code.js colour.js view.js draw.js \
	graph.js table.js controls.js foot.js main.js

$(PAGE): mk/page.sh $(PAGE_SRC:%=user/html/%)
	$(call say,PAGE,$@)
	$(Q)mk/page.sh $(@D) $(filter user/%,$^)

$(O)/user/render/html.o: $(PAGE)
$(O)/user/render/html.o: CPPFLAGS += -DHTML_PAGE='"$(O)/gen/page/"'

$(O)/%.o: %.c | $(O)/tools-checked
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(PMUBPF): $(OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

# Not in between, to be removed: they would be made again.
.SECONDARY: $(BPF_SRC:%.c=$(O)/%.o)

-include $(OBJ:.o=.d) $(BPF_SRC:%.c=$(O)/%.d)
