#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Regions of memory: whose pages, and which are missed more often than their size explains.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

regions() { # EVENT FILTER
	jq -r ".events[] | select(.event == \"$1\") | $2" "$T/json"
}

# Of each segment a hundred pages are touched once, besides what a program's start touches.
t_segments() {
	pmb_ok record --data -e page-faults -c 1 -o "$T/p.pb.gz" -- "$WORKLOADS/objects"
	pmb_ok report --regions --json "$T/p.pb.gz"
	mv "$T/out" "$T/json"
	local segment
	for segment in heap program stack anonymous; do
		expect_ge "$(regions page-faults \
			"[.regions[] | select(.segment == \"$segment\") | .pages] | add")" 100 \
			"$segment: pages"
	done
	# each page has its fault, but for the few that are written to after they were read
	expect_eq "$(regions page-faults '[.regions[] | select(.pages > 50) |
		select(.ratio > 1.2 or .ratio < 0.8)] | length')" 0 \
		"regions with another share of faults than of pages"
	expect_eq "$(regions page-faults '.samples - .with_page')" 0 "samples without a page"
	expect_eq "$(regions page-faults '[.regions[] | select(.delinquent)] | length')" 0 \
		"delinquent ones"
}

# What the program says, and by the label; a page of the stack may be touched there besides. Of the
# C library's function alone nobody knows whose it was: as long as there is no unwind table.
t_who_touched_first() {
	local function pages seen
	pmb_ok record -m 16M --data -e page-faults -c 1 --by alloc_site -o "$T/folded" \
		--summary "$T/sum.json" -- "$WORKLOADS/touchers"
	expect_ledger
	while read -r function pages; do
		seen=$(folded_sum_of "$T/folded" "^$function;")
		expect_ge "$((pages + 4))" "$seen" "at most, pages of $function"
		[ "$function" != touch_set ] || seen=$((seen +
			$(folded_sum_of "$T/folded" '^\[no alloc_site\];touchers;[^;]*$')))
		expect_ge "$seen" "$pages" "pages of $function"
	done <"$T/out"
	expect_eq "$(wc -l <"$T/out")" 5 "functions"
	expect_no_match "$T/folded" '^__mem.*;touchers;[^;]*$' "memset, by itself"
}

# faults_by_mapper SITE: of the faults in touch_all.
faults_by_mapper() {
	folded_sum_of "$T/folded" "^$1;.*;touch_all\$"
}

# Who asked the kernel for it: 700 pages and 50 more in a child, 200 that moved, 100 of brk's.
t_who_mapped() {
	pmb_ok record --budget 0 -m 8M --data -e page-faults -c 1 --by map_site -o "$T/folded" \
		--summary "$T/sum.json" -- "$WORKLOADS/mapped"
	expect_ledger
	! grep -q 'memory is not known: this kernel has no kprobes' "$T/err" ||
		skip "this kernel has no kprobes"
	expect_no_match "$T/err" 'who asks the kernel for memory is not known' "another reason"
	expect_eq "$(faults_by_mapper ask_most)" 750 "pages of ask_most"
	expect_eq "$(faults_by_mapper ask_rest)" 200 "pages of ask_rest"
	# the first page may be partly somebody else's
	expect_within "$(faults_by_mapper ask_heap)" 100 1 "pages of ask_heap"
	expect_eq "$(faults_by_mapper ask_gone)" 0 "pages of what was unmapped"
	expect_eq "$(jq '.sites.lost + .sites.no_room' "$T/sum.json")" 0 "lost"
	expect_ge "$(jq .sites.mapped "$T/sum.json")" 1050 "samples of which it is known"
	expect_match "$T/err" 'whose memory it is, known for' "how much is known"
}

# Of two sites with 70 and 30 % of the faults, by one fault in seven: four standard deviations.
t_shares_of_samples() {
	pmb_ok record --data -e page-faults -c 7 -o "$T/p.pb.gz" -- "$WORKLOADS/touchers"
	pmb_ok report --regions --json "$T/p.pb.gz"
	mv "$T/out" "$T/json"
	regions page-faults '[.regions[] |
		select(.site | . == "touch_most" or . == "touch_rest")] |
		map({ key: .site, value: .samples }) | from_entries |
		"\(.touch_most) \(.touch_rest)"' >"$T/shares"
	awk '{ n = $1 + $2; ok = n > 50 && ($1 / n - 0.7)^2 < 16 * 0.7 * 0.3 / n }
		END { exit !ok }' \
		"$T/shares" || fail "samples of the two sites: $(cat "$T/shares")"
}

# A clock's candidates, on pages that faults have told of: of a fifth of them nearly all.
t_delinquent() {
	[ "$(uname -m)" = x86_64 ] || skip "instructions are decoded on x86-64 only"
	pmb_ok record --data -e page-faults/period=1/,cpu-clock -o "$T/p.pb.gz" -- \
		"$WORKLOADS/touchers" 500
	pmb_ok report --regions --json "$T/p.pb.gz"
	cp "$T/out" "$T/json"
	expect_eq "$(regions cpu-clock '[.regions[] | select(.delinquent) | .site] |
		join(" ")')" touch_rest "delinquent with a clock"
	expect_eq "$(regions cpu-clock '.regions[0] | "\(.segment) \(.pages)"')" \
		"anonymous 300" "the region"
	expect_eq "$(regions cpu-clock '.candidates - .with_page')" 0 "unchecked samples"
	expect_eq "$(regions page-faults '[.regions[] | select(.delinquent)] | length')" 0 \
		"delinquent with page faults"
	pmb_ok report --regions "$T/p.pb.gz"
	expect_match "$T/out" "delinquent .*  anonymous  touch_rest$" "the row"
	expect_match "$T/out" '^# WARNING .*nothing has checked' "what they are"
	# a fifth of the bytes: at most 5
	pmb_ok report --regions --factor 6 -e cpu-clock "$T/p.pb.gz"
	expect_no_match "$T/out" ']  *delinquent' "with a larger factor"
}

# What a clock's candidate is about has a site as well, marked like all that nothing has checked; a
# region is the same for both.
t_sites_of_candidates() {
	[ "$(uname -m)" = x86_64 ] || skip "instructions are decoded on x86-64 only"
	pmb_ok record --data -e page-faults/period=1/,cpu-clock --by data_class,alloc_site \
		-o "$T/folded" -o "$T/p.pb.gz" -- "$WORKLOADS/touchers" 500
	pmb_ok report --regions --json "$T/p.pb.gz"
	mv "$T/out" "$T/json"
	expect_eq "$(regions cpu-clock '[.regions[].site | select(. != null) |
		select(test("candidate"))] | length')" 0 "regions of candidates' own"
	local all
	all=$(folded_sum_of "$T/folded" '^cpu-clock;candidate;')
	expect_ge "$all" 100000000 "ns of candidates"
	expect_ge "$(folded_sum_of "$T/folded" '^cpu-clock;candidate;touch_rest [(]candidate')" \
		$((all * 9 / 10)) "of those, on pages of touch_rest"
}

# A program that touches a million pages: all are counted, those of rows that there was no room for
# as such, and memory stays within bounds; a row of each would take 400 MB. So does the list that is
# renewed meanwhile, and it tells what it lacks.
t_many_pages() {
	pmb_ok record --data -e page-faults -c 1 --max-memory 8M --regions "$T/list" \
		--summary "$T/sum.json" -o "$T/p.pb.gz" -- "$WORKLOADS/touchers" 0 1000000
	expect_ledger
	pmb_ok report --regions --json "$T/p.pb.gz"
	mv "$T/out" "$T/json"
	local all known
	all=$(regions page-faults .samples)
	known=$(regions page-faults .with_page)
	expect_eq "$all" "$(sum_get '.events[0].user.aggregated')" "samples"
	expect_ge "$all" 100000 "of a million pages, as many as rings had room for"
	expect_ge "$((all / 2))" "$known" "beyond the room"
	expect_ge "$known" 1000 "within it"
	expect_eq "$(regions page-faults '[.regions[].samples] | add')" "$known" "of regions"
	expect_ge 3000000 "$(stat -c %s "$T/list")" "bytes of the list"
	# shellcheck disable=SC2046 # three numbers
	set -- $(awk '$1 == "event" { print $3, $4, $7 }' "$T/list")
	expect_eq "$1" "$all" "samples in the list"
	expect_ge "$3" 1000 "that found no room"
	expect_ge "$2" 1000 "that did"
	expect_ge "$1" $(($2 + $3)) "of all"
	expect_ge 300000000 "$(jq .cost.rss_bytes "$T/sum.json")" "memory"
}

# ---------------------------------------------------------------- --regions while recording

# The list's own laws; of samples with a page none is in no line.
expect_list() { # FILE
	awk '
		function hex(text,   n, i) {
			for (i = 3; i <= length(text); i++)
				n = 16 * n + index("0123456789abcdef", substr(text, i, 1)) - 1
			return n
		}
		NR == 1 { ok = $0 == "pmubpf-regions 1" }
		$1 == "list" { number = $2; pages = $7 }
		$1 == "region" { of[$2] = $4; sum += $4 }
		$1 == "range" { of[$2] -= (hex($5) - hex($4)) / 4096 }
		$1 == "event" { with[$2] = $4 }
		$1 == "missed" { with[$2] -= $4 }
		$1 == "left_out" && $2 + $3 + $4 > 0 { bad = "left out" }
		{ last = $0 }
		END {
			for (r in of) if (of[r]) bad = bad " pages of region " r " and its ranges"
			for (e in with) if (with[e]) bad = bad " event " e " has other samples"
			if (!ok || last != "end " number || sum != pages) bad = bad " not whole"
			if (bad) print bad
			exit bad != ""
		}' "$1" || fail "the list $1 is not in itself right"
}

# "SAMPLES PAGES SEGMENT SITE" of each region with samples of the event.
missed_in() { # LIST EVENT
	awk -v name="$2" '
		$1 == "region" { seg[$2] = $3; pages[$2] = $4
			site = $0; sub(/^[^ ]* [^ ]* [^ ]* [^ ]* [^ ]* /, "", site); of[$2] = site }
		$1 == "event" { is = $8 == name }
		$1 == "missed" && is { print $4, pages[$3], seg[$3], of[$3], $(NF) }' "$1" | sort
}

# A list each second, of what was recorded until then; the last one says what the saved profile
# does, and the books balance.
t_renewed() {
	[ "$(uname -m)" = x86_64 ] || skip "instructions are decoded on x86-64 only"
	pmb_start record --data -e page-faults/period=1/,cpu-clock --regions "$T/list" \
		-o "$T/p.pb.gz" --summary "$T/sum.json" -- "$WORKLOADS/touchers" 60000
	wait_until grep -qs '^list [3-9] recording' "$T/list" || fail "no third list"
	cp "$T/list" "$T/list.3"
	pmb_finish INT
	expect_list "$T/list.3"
	expect_match "$T/list.3" "^region [0-9]* anonymous 300 [0-9.]* touch_rest$" \
		"the region"
	expect_match "$T/list.3" '^missed 2 .* delinquent$' "the verdict"
	expect_match "$T/list.3" '^line 2 ' "where in it"
	expect_list "$T/list"
	expect_match "$T/list" '^list [0-9]* ended ' "the last one"
	expect_ledger
	pmb_ok report --regions --json "$T/p.pb.gz"
	mv "$T/out" "$T/json"
	for event in page-faults cpu-clock; do
		regions "$event" '.regions[] | select(.samples > 0) | "\(.samples) \(.pages) " +
			"\(.segment // "-") \(.site // "-") " +
			if .delinquent then "delinquent" else "-" end' |
			sort >"$T/saved"
		missed_in "$T/list" "$event" >"$T/listed"
		diff "$T/saved" "$T/listed" >"$T/diff" || fail "of $event: $(head -5 "$T/diff")"
	done
}

# Nobody who reads it ever sees a part of a list, and what misses has moved on.
t_renewed_whole() {
	pmb_start record --data -e page-faults -c 1 --regions "$T/list" -o "$T/p.pb.gz" -- \
		"$WORKLOADS/touchers" 60000
	wait_until test -e "$T/list" || fail "no list"
	local reads=0 number=0 lines word
	# without another process, as often as it goes
	until [ "$number" -ge 3 ]; do
		mapfile -t lines <"$T/list"
		read -r word number _ <<<"${lines[1]:-}"
		[ "$word" = list ] && [ "${lines[-1]}" = "end $number" ] ||
			fail "a part of a list: ${lines[-1]:-}"
		reads=$((reads + 1))
		sleep 0.005
	done
	pmb_finish INT
	expect_ge "$reads" 10 "reads"
	expect_eq "$(stat -c %a "$T/list")" 600 "its mode"
	expect_list "$T/list"
	# the list after the one with the start has none of its faults
	expect_match "$T/list" '^missed 1 [0-9]* 700 0 ' "what missed long ago"
}

# What may have the file's name, and who may write there.
t_renewed_where() {
	local how
	echo precious >"$T/precious"
	ln -s precious "$T/link"
	mkfifo "$T/fifo"
	mkdir "$T/folder"
	for how in link fifo folder; do
		expect_refused 1 'no regular file' record --data -e page-faults --regions "$T/$how"
	done
	expect_eq "$(cat "$T/precious")" precious "what the link leads to"
	expect_refused 1 'No such file' record --data -e page-faults --regions "$T/none/list"
	expect_refused 2 'needs --data' record -e page-faults --regions "$T/list"
	expect_refused 2 'exclude each other' \
		record --data --passes -e page-faults --regions "$T/list"
	expect_refused 2 'name a file' record --data -e page-faults --regions -
	expect_refused 2 'the same file' record --data -e page-faults --regions "$T/x" -o "$T/x"
	mkdir -m 755 "$T/roots"
	chmod 755 "$T"
	SUDO_UID=65534 SUDO_GID=65534 expect_refused 1 'Permission denied' \
		record --data -e page-faults --regions "$T/roots/list"
	expect_empty <(ls -A "$T/roots") "what is left there"
	mkdir "$T/mine"
	chown 65534:65534 "$T/mine"
	SUDO_UID=65534 SUDO_GID=65534 pmb_ok record --data -e page-faults -c 1 \
		--regions "$T/mine/list" -o "$T/folded" -- "$WORKLOADS/objects"
	expect_eq "$(stat -c '%a %u %g' "$T/mine/list")" "600 65534 65534" "whose it is"
	expect_eq "$(ls -A "$T/mine")" list "all there is"
	chmod 640 "$T/mine/list"
	SUDO_UID=65534 SUDO_GID=65534 pmb_ok record --data -e page-faults -c 1 \
		--regions "$T/mine/list" -o "$T/folded" -- "$WORKLOADS/objects"
	expect_eq "$(stat -c '%a %u %g' "$T/mine/list")" "640 65534 65534" "the mode that it had"
}

# A full disk: the list that is there stays whole, the recording goes on, and the end says so.
t_renewed_disk_full() {
	mkdir "$T/full"
	mount -t tmpfs -o size=64k,mode=755 none "$T/full" 2>/dev/null ||
		skip "tmpfs can't be mounted"
	later umount "$T/full"
	pmb_start record --data -e page-faults -c 1 --regions "$T/full/list" \
		--summary "$T/sum.json" -o "$T/p.pb.gz" -- "$WORKLOADS/touchers" 60000
	wait_until grep -qs '^list [1-9]' "$T/full/list" || fail "no list"
	dd if=/dev/zero of="$T/full/rest" bs=4k 2>/dev/null
	sleep 1.5
	pmb_finish INT
	expect_eq "$rc" 1 "exit status"
	expect_match "$T/err" "can't renew .*No space left" "why"
	expect_match "$T/err" 'lists could not be written' "in the summary"
	expect_list "$T/full/list"
	expect_ledger
	pmb_ok report --regions "$T/p.pb.gz"
}

# Killed: the last list stays, nothing is left beside it, and nobody goes on writing.
t_renewed_killed() {
	mkdir "$T/in"
	pmb_start record --data -e page-faults -c 1 --regions "$T/in/list" -o "$T/p.pb.gz" -- \
		"$WORKLOADS/touchers" 60000
	wait_until grep -qs '^list [1-9]' "$T/in/list" || fail "no list"
	pmb_finish KILL
	expect_list "$T/in/list"
	expect_match "$T/in/list" '^list [0-9]* recording ' "its state"
	expect_eq "$(ls -A "$T/in")" list "all there is"
}

# A memory manager reads the list while all goes on, and moves what it names: of 2048 pages that
# each snapshot copied 32 are left. The program checks that nothing was lost on the way.
t_packing() {
	local cc=${CC:-gcc} before after
	command -v "${cc##* }" >/dev/null || skip "no compiler"
	$cc -O2 -g -o "$T/packing" "$TOP/examples/packing.c" || fail "it doesn't compile"
	pmb_ok record --data -e page-faults -c 1 --regions "$T/list" -o "$T/p.pb.gz" -- \
		"$T/packing" "$T/list"
	before=$(sed -n 's/^before: \([0-9]*\) faults.*/\1/p' "$T/out")
	after=$(sed -n 's/^after: \([0-9]*\) faults.*/\1/p' "$T/out")
	expect_ge "$before" 2048 "faults of a snapshot before"
	expect_ge "$((before / 8))" "$after" "faults of a snapshot after: $(tail -n 1 "$T/out")"
}

t_refused() {
	pmb_ok record -e page-faults -c 1 -o "$T/p.pb.gz" -- "$WORKLOADS/objects"
	pmb report --regions "$T/p.pb.gz"
	expect_eq "$rc" 2 "exit status without data"
	expect_match "$T/err" 'record --data' "what to do"
	for option in --by=member --tree --folded --csv --layout=a --confidence; do
		pmb report --regions "$option" "$T/p.pb.gz"
		expect_eq "$rc" 2 "exit status with $option"
	done
	pmb report --factor 3 "$T/p.pb.gz"
	expect_match "$T/err" '--factor is of --regions' "a factor of nothing"
	pmb report --regions --factor 0 "$T/p.pb.gz"
	expect_eq "$rc" 2 "exit status of no factor"
}

run_tests
