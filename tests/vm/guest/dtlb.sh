# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# riscv64 with the SBI PMU (Sscofpmf): real misses of the emulated TLB. This can't run under -icount, where
# QEMU aborts at the first such overflow ("Raised interrupt while not in I/O function"); and without it,
# QEMU 7.2 delivers a third of the overflows of cycles and instructions: those are cycles.sh's.
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

t_dtlb_misses_are_in_the_page_walker() {
	pmb_record -e dtlb-miss -c 997 -- $W/pages 3
	expect_ledger
	expect_lossless
	show_percent figure "dtlb share" "$(share ';walk_pages$' ';walk_(pages|bytes)$') / 100"
	show_percent figure "Σ/counter" "$(sum_get ratio)"
	expect_ge "$(sum_get emitted)" 50 "samples"
	expect_ge "$(share ';walk_pages$' ';walk_(pages|bytes)$')" 95 "share of walk_pages"
	expect_ge "$(share ';main;(.*;)?walk_pages$' ';walk_pages$')" 99 "walk_pages under main"
	expect_ge "$(percent "$(sum_get ratio)")" 95 "percent of the counter in the weights"
}

# As a user would draw it: all that the tool says by default. run.sh makes the picture and looks at it.
t_flame_graph() {
	pmb_record -e dtlb-miss -- $W/pages
	sed 's/^/@ folded /' $T/folded
}

t_time_is_halved() {
	pmb_record -e cpu-clock -- $W/pages 3
	expect_ledger
	expect_within "$(share ';walk_pages$' ';walk_(pages|bytes)$')" 50 5 "share of walk_pages of the time"
}

run_tests
