# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
#   sudo make demo    install what is missing, build, profile a bundled program, leave a flame graph
#   sudo make test    the same, and pass the tests
#   make help         the rest

VERSION := 0.1.0

ARCH ?= $(shell uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/; s/riscv64/riscv/')
O    ?= build
CC   ?= gcc
CXX  ?= g++
CLANG ?= $(shell command -v clang || ls /usr/bin/clang-[0-9]* 2>/dev/null | sort -V | tail -1)
BPFTOOL = $(shell mk/find-bpftool.sh)

prefix  ?= /usr/local
bindir  ?= $(prefix)/bin
mandir  ?= $(prefix)/share/man
MANUAL  := $(wildcard docs/man/*.[157])

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-8s %s\n' $(1) $(2)
endif

.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all deps demo check lint test format install uninstall clean help own
.DEFAULT_GOAL := all

include mk/build.mk
include mk/tests.mk
include mk/bench.mk
include mk/fuzz.mk
include mk/vm.mk

all: $(PMUBPF)
	$(Q)$(OWN)

help:
	@printf '%s\n' \
	  'make               build ./pmubpf (names what is missing)' \
	  'sudo make demo     deps, build, profile a bundled program: demo.svg' \
	  'sudo make test     deps, build, every test this machine can run' \
	  'sudo make deps     install what building and testing need' \
	  'make check         unit tests, fuzz corpora and lint: no root, no PMU (SAN=1: with ASan and UBSan)' \
	  'make fuzz          new inputs for the parsers of foreign files, with clang (T=NAME, SECONDS=N, RUNS=N)' \
	  'make test-vm       other kernels and architectures, in QEMU (VM="NAME…": these)' \
	  'make test-nest     both commands in fresh Debian systems' \
	  'make test-data     what is said of data, beside what instructions do' \
	  'make test-runtimes all versions of interpreters that can be had' \
	  'make bench         what it costs beside perf, bcc, bpftrace (QUICK=1: under three minutes); as root' \
	  'make scale         machines larger than this one, by replaying a recording' \
	  'make soak          what an hour beside 2,000 starts a minute takes; as root' \
	  'make soak-agent    the same of an agent, beside 300 containers; as root' \
	  'make install       DESTDIR, prefix; make uninstall takes it away' \
	  'make format        clang-format, in place' \
	  'make clean' \
	  '' \
	  'V=1 shows commands, O=DIR builds elsewhere, ARCH=x86|arm64|riscv, WERROR=1. Of make test:' \
	  'SUITES="NAME…" runs these suites of tests/e2e only, SOAK=1 the long forms, LANES=N so many side by side'

deps:
	$(Q)mk/deps.sh

demo:
	$(Q)mk/deps.sh build demo
	$(Q)$(MAKE) $(JOBS) --no-print-directory all workloads
	$(Q)mk/demo.sh $(O)
	$(Q)$(MAKE) --no-print-directory own

# A build after packages were looked for uses all CPUs, if make was not told how many jobs.
JOBS = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

# Under sudo, what was built belongs to whoever called it.
OWN = if [ "$$(id -u)" = 0 ] && [ -n "$${SUDO_UID:-}" ]; then for f in $(O) $(PMUBPF) demo.svg demo.folded; \
	do [ ! -e $$f ] || chown -R "$$SUDO_UID:$${SUDO_GID:-$$SUDO_UID}" $$f; done; fi
own:
	$(Q)$(OWN)

install: all
	install -D -m 755 $(PMUBPF) $(DESTDIR)$(bindir)/pmubpf
	for p in $(notdir $(MANUAL)); do \
		install -D -m 644 docs/man/$$p $(DESTDIR)$(mandir)/man$${p##*.}/$$p || exit 1; done

uninstall:
	rm -f $(DESTDIR)$(bindir)/pmubpf
	for p in $(notdir $(MANUAL)); do rm -f $(DESTDIR)$(mandir)/man$${p##*.}/$$p; done

format:
	clang-format -i $(FORMATTED)

clean:
	rm -rf $(O) $(PMUBPF) demo.svg demo.folded
