# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A recording that is cut each second, its parts given up, while programs start all the time, and
# CPU 1 goes and comes. SOAK_S=1800: so many seconds (240).
#
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

S=${SOAK_S:-240}
CPU1=/sys/devices/system/cpu/cpu1/online

# Every tenth is a file of its own, deleted afterwards.
start_programs() {
	n=0
	while :; do
		if [ $((n % 10)) -eq 9 ]; then
			cp /bin/busybox $T/busybox-$n
			$T/busybox-$n true
			rm -f $T/busybox-$n
		else
			/bin/busybox true
		fi
		n=$((n + 1))
		echo $n >$T/starts
		usleep 30000
	done
}

# As flat.awk wants it: seconds, starts, anonymous memory in kB and descriptors of the tool and of
# its helpers, but for files (those are kept by the thousand, as programs start that weren't there
# before); maps and what they take. Then files.
row() { # SECONDS PID
	helpers=$(cat /proc/"$2"/task/*/children)
	for pid in $helpers; do
		helpers="$helpers $(cat /proc/"$pid"/task/*/children 2>/dev/null)"
	done
	maps=$(cat /proc/"$2"/fdinfo/* 2>/dev/null | awk '
		/^map_id:/ { n++ } /^memlock:/ { kb += $2 / 1024 } END { printf "%d %d", n, kb }')
	# shellcheck disable=SC2086 # pids
	echo "$1 $(cat $T/starts) $(of "$2") $(of $helpers) $maps \
		$(ls -l /proc/"$2"/fd | grep -c -e '-> /')"
}

rss_of() { # PID
	awk '/^RssAnon:/ { print $2 }' /proc/"$1"/status 2>/dev/null || echo 0
}

of() { # PID…
	kb=0 fds=0
	for pid in "$@"; do
		kb=$((kb + $(rss_of "$pid")))
		fds=$((fds + $(ls -l /proc/"$pid"/fd 2>/dev/null | grep -v -c -e '-> /')))
	done
	echo $kb $fds
}

t_flat_while_cpus_come_and_go() {
	[ -w $CPU1 ] || skip "a CPU can't be taken offline here"
	start_programs &
	storm=$!
	CUT_MS=1000 CUT_APART=1 CUT_REPORT=$T/cuts /vm/pmubpf-cuts record -a -e cpu-clock -F 99 \
		--max-memory 32M -d "$S" -o $T/folded --summary $T/sum >$T/out 2>$T/err </dev/null &
	tool=$!
	until ls -l /proc/$tool/fd | grep -q perf_event; do
		kill -0 $tool || fail "it ended: $(head -n 1 $T/err)"
		sleep 0.2
	done
	began=$(date +%s) now=0 toggles=0
	while [ $now -lt $((S - 8)) ] && [ -d /proc/$tool/fd ]; do
		echo 0 >$CPU1 || fail "CPU 1 stays"
		sleep 3
		echo 1 >$CPU1
		toggles=$((toggles + 1))
		sleep 3
		now=$(($(date +%s) - began))
		[ ! -d /proc/$tool/fd ] || row $now $tool >>$T/rows
	done
	status=0
	wait $tool || status=$?
	kill $storm
	[ $status -eq 0 ] || fail "it ended with $status: $(head -n 1 $T/err)"
	expect_ledger
	sed -n '1,9p' $T/err
	note "$(cat $T/starts) programs started, CPU 1 came $toggles times"
	note "$(sed 's/[^0-9]*\([0-9]*\).*/\1/' $T/cuts) parts"
	note "first $(sed -n 1p $T/rows), last $(tail -n 1 $T/rows)"
	expect_eq "$(sum_get cpus_came)" $toggles "CPUs that came"
	expect_eq "$(awk -v all="$S" -f /vm/flat.awk $T/rows)" flat "the verdict"
	# swept at 1,024 more than twice those that are kept
	is "$(awk '$9 > n { n = $9 } END { print n }' $T/rows) <= 1500" ||
		fail "files: $(tail -n 1 $T/rows)"
}

run_tests
