# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# riscv64 with the SBI PMU (Sscofpmf): real misses of the emulated TLB. This can't run under
# -icount, where QEMU aborts at the first such overflow ("Raised interrupt while not in I/O
# function"); and without it, QEMU 7.2 delivers a third of the overflows of cycles and instructions:
# those are cycles.sh's.
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

# As a user would draw it: all that the tool says by default. run.sh makes the picture and looks at
# it.
t_flame_graph() {
	pmb_record -e dtlb-miss -- $W/pages
	sed 's/^/@ folded /' $T/folded
}

# A column of `pmubpf report --csv`, by its title, of a function.
report_csv() { # TITLE FUNCTION
	awk -F, -v title="$1" -v name="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ title) column = i }
		index($0, name) { gsub(/[~"]/, "", $column); print $column; exit }' $T/out
}

t_misses_per_thousand_instructions() {
	pmb record --budget 0 -e dtlb-miss,insts -o $T/p.pb.gz -o $T/p.html -- $W/pages 4 ||
		fail "record ended with $?"
	[ -s $T/p.html ] || fail "no picture"
	pmb report --by function $T/p.pb.gz || fail "report ended with $?"
	sed 's/^/# /' $T/out | head -n 24
	pmb report --by function --csv $T/p.pb.gz
	pages=$(report_csv mpki walk_pages)
	bytes=$(report_csv mpki walk_bytes)
	note "misses per 1000 instructions: walk_pages $pages, walk_bytes ${bytes:-0}"
	is "$pages > 20 * ${bytes:-0}" || fail "walk_pages $pages, walk_bytes $bytes"
}

# A column of `pmubpf report --csv`, by its title, of a function.
report_csv() { # TITLE FUNCTION
	awk -F, -v title="$1" -v name="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ title) column = i }
		index($0, name) { gsub(/[~"]/, "", $column); print $column; exit }' $T/out
}

t_misses_per_thousand_instructions() {
	# without -icount QEMU loses almost all interrupts of this counter, which must not pass for
	# a figure
	pmb record --budget 0 -e dtlb-miss,insts -o $T/p.pb.gz -o $T/p.html -- $W/pages 3 ||
		fail "record ended with $?"
	[ -s $T/p.html ] || fail "no picture"
	pmb report --by function $T/p.pb.gz || fail "report ended with $?"
	grep -q 'WARNING.*insts: its samples stand for' $T/out $T/err || fail "no warning"
	! grep -Eq '[0-9] +walk_pages' $T/out ||
		fail "a plain figure: $(grep -m 1 walk_pages $T/out)"
	# the counter itself is right; a clock of 10 ms, because each interrupt empties the emulated
	# TLB
	pmb record -e dtlb-miss/period=10007/,insts/at-clock/ --rate on -o $T/p.pb.gz -- $W/pages \
		6 || fail "record ended with $?"
	pmb report --by function $T/p.pb.gz || fail "report ended with $?"
	sed 's/^/# /' $T/out | head -n 24
	pmb report --by function --csv $T/p.pb.gz
	pages=$(report_csv misses_per_1000 walk_pages)
	bytes=$(report_csv misses_per_1000 walk_bytes)
	note "misses per 1000 instructions: walk_pages $pages, walk_bytes ${bytes:-0}"
	is "$pages > 20 * ${bytes:-0}" || fail "walk_pages $pages, walk_bytes $bytes"
}

t_time_is_halved() {
	pmb_record -e cpu-clock -- $W/pages 3
	expect_ledger
	expect_within "$(share ';walk_pages$' ';walk_(pages|bytes)$')" 50 5 \
		"share of walk_pages of the time"
}

run_tests
