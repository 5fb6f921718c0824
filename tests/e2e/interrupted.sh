#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What a sample interrupted: the program, its thread in the kernel, a softirq. Stacks say the same
# in another way. Interrupts' handlers are met where overflows come by NMI, or breakpoints are met
# in them: tests/vm/guest/software.sh.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# Sends to itself what a softirq delivers, and reads it.
SENDS='import socket, sys, time
to = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
to.bind(("127.0.0.1", 0))
to.setblocking(False)
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.connect(to.getsockname())
end = time.process_time() + float(sys.argv[1])
while time.process_time() < end:
    for i in range(50):
        sender.send(bytes(1400))
    try:
        while to.recv(2000):
            pass
    except BlockingIOError:
        pass'

SERVES='^(handle_softirqs|__do_softirq)$'

# Samples with that label, of those that the options choose.
samples() { # LABEL OPTION…
	local label=$1
	shift
	"$PMUBPF" report --by interrupted --csv "$@" "$T/p.pb.gz" 2>&1 |
		awk -F, -v label="$label" '$2 == "interrupted" && $3 == label { n = $5 }
			END { print n + 0 }'
}

# Of all that is served meanwhile: it may be this program's thread, or another, that does it.
t_softirqs() {
	local served
	pmb_ok record -a --label interrupted -e cpu-clock -F 997 -o "$T/p.pb.gz" \
		--summary "$T/sum.json" -- python3 -c "$SENDS" 2
	expect_ledger
	served=$(samples softirq --focus "$SERVES")
	expect_ge "$served" 20 "samples in what a softirq does"
	expect_le "$(samples softirq --ignore "$SERVES")" $((2 + served / 10)) \
		"samples called softirq outside of any (or whose kernel stack ended before)"
	expect_le "$(samples task --focus "$SERVES")" $((5 + served / 10)) \
		"samples in it that are called the thread's own (about to begin, or over)"
	expect_ge "$(samples task --ignore "$SERVES")" 20 "samples of threads in the kernel"
	expect_ge "$(samples user)" 20 "samples of programs"
	expect_eq "$(samples hardirq) $(samples nmi)" "0 0" \
		"samples in what keeps a clock's interrupt off"
}

# Faults happen where they are counted: of a program they are its own, in a copy by the kernel its
# thread's.
t_faults() {
	pmb_ok record --label interrupted -e page-faults -c 1 -o "$T/p.pb.gz" \
		--summary "$T/sum.json" -- "$WORKLOADS/faults" 500
	expect_ledger
	expect_ge "$(samples user --focus '^touch_pages$')" 500 "faults of a program's code"
	expect_eq "$(samples task --focus '^touch_pages$')" 0 "of them said to be the kernel's"
	expect_eq "$(samples softirq) $(samples hardirq)" "0 0" "in interrupts"
}

# What has no CPU interrupts nothing; and nobody is told who doesn't ask.
t_only_where_it_is_asked_for() {
	pmb_ok record --label interrupted -e off-cpu -o "$T/p.pb.gz" -- sleep 0.1
	expect_eq "$("$PMUBPF" report --by interrupted --csv "$T/p.pb.gz" 2>&1 |
		grep -c ',\(task\|user\),')" 0 "labels of time without a CPU"
	pmb_ok record -e cpu-clock -o "$T/p.pb.gz" -- "$WORKLOADS/split" 0.1
	"$PMUBPF" report --by interrupted "$T/p.pb.gz" >"$T/out" 2>"$T/err"
	expect_match "$T/out" '100\.00 .* \[no interrupted\]$' "what nobody asked for"
}

run_tests
