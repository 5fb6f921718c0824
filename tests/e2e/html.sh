#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The picture, in a real browser: Debian's chromium, headless, by chromedriver. tests/page/ has the
# checks, and makes pages of folded stacks whose sums are known outside.
# long
# shellcheck source=lib.sh
source "$(dirname "$0")/lib.sh"

PAGES=${PAGES:-$O/tests/page/pages}

need_browser() {
	need_program python3
	need_program chromium
	need_program chromedriver
	[ -x "$PAGES" ] || make -s -C "$TOP" O="$O" "$PAGES" >"$T/err" 2>&1 ||
		fail "tests/page/pages can't be built"
}

check() { # NAME PAGE [FOLDED]
	T=$T timeout 120 python3 "$TOP/tests/page/check.py" "$@" >"$T/said" 2>"$T/err" ||
		fail "$1: $(tail -n 1 "$T/said")$(tail -n 1 "$T/err")"
	sed 's/^/    /' "$T/said"
}

# One browser for all tests: it ends with its input, and that with this shell.
start_browser() {
	command -v python3 && command -v chromium && command -v chromedriver || return 0
	coproc SHARED { exec python3 "$TOP/tests/page/browser.py"; }
	read -r BROWSER <&"${SHARED[0]}" && export BROWSER
} >/dev/null 2>&1

end_browser() {
	local pid=${SHARED_PID:-}
	[ -n "$pid" ] || return 0
	exec {SHARED[1]}>&-
	wait "$pid"
} 2>/dev/null

made_up() { # N [data|all]: stacks in $T/folded, their page in $T/page.html
	python3 "$TOP/tests/page/folded.py" "$1" "$T/folded" "${@:2}" || fail "no stacks"
	"$PAGES" html "$T/folded" >"$T/page.html" || fail "no page"
}

# A page does less without windows: SOAK=1 has it, too.
t_100000_stacks_in_as_many_windows_open_at_once() {
	need_browser
	made_up 103000 windows 100000
	check speed "$T/page.html"
	[ "${SOAK:-0}" = 1 ] || return 0
	made_up 103000
	check speed "$T/page.html"
}

t_sums_are_those_of_the_data() {
	need_browser
	made_up 5000
	check sums "$T/page.html" "$T/folded"
}

t_hands_and_links() {
	need_browser
	made_up 2000
	check hands "$T/page.html"
	DARK=1 check hands "$T/page.html"
}

t_links_tell_frames_apart() {
	need_browser
	cat >"$T/folded" <<-'STACKS'
		a-1/1;one`_start;f;g_[i];~A();A::~A() 5000
		a-1/1;one`_start;f;g;50% a/b&c=d#e~2 4000
		a-1/1;two`_start;f;g;h~i;~;~~i 3000
		a-1/1;two`_start;f;g;+ +;%41 2000
		a-1/1;_start_[k];f_[k] 1000
	STACKS
	"$PAGES" html "$T/folded" >"$T/page.html" || fail "no page"
	check paths "$T/page.html"
}

t_names_are_data() {
	need_browser
	cat >"$T/folded" <<-'STACKS'
		</title><script>alert(1)</script>-7/8;</script><script>alert(1)</script>;<img src=x onerror=alert(1)>;<b>bold</b> 1000
		</title><script>alert(1)</script>-7/8;<!--`--><svg/onload=alert(1)>;"'><script>window.hacked=1</script>_[k] 900
		<b>comm</b>-9/9;javascript:alert(1);{{constructor.constructor('alert(1)')()}};%3Cscript%3E~;__proto__;constructor 700
		<b>comm</b>-9/9;</textarea></style></script></noscript><iframe src=javascript:alert(1)>;&lt;script&gt; 500
	STACKS
	"$PAGES" html "$T/folded" >"$T/page.html" || fail "no page"
	expect_no_match "$T/page.html" 'alert\(1\)' "a name stands in the page"
	check hostile "$T/page.html"
}

t_rooted_in_data() {
	need_browser
	made_up 3000 data
	check data "$T/page.html" "$T/folded"
	made_up 300 data
	DARK=1 check data "$T/page.html" "$T/folded"
	check paths "$T/page.html" data
}

# SOAK=1: to a page of 100,000 stacks.
t_what_data_and_moments_add_to_a_page() {
	local without what n=20000
	[ "${SOAK:-0}" != 1 ] || need_browser
	[ "${SOAK:-0}" != 1 ] || n=100000
	[ -x "$PAGES" ] || need_browser
	made_up $n all
	without=$(stat -c %s "$T/page.html")
	for what in data times; do
		"$PAGES" html "$T/folded.$what" >"$T/page.html" || fail "no page"
		echo "    $without bytes, with $what $(stat -c %s "$T/page.html")"
		[ "$(stat -c %s "$T/page.html")" -lt $((without * 3 / 2)) ] ||
			fail "$what make the page more than half as large again"
		[ "${SOAK:-0}" != 1 ] || check speed "$T/page.html"
	done
}

about() { # OBJECT TYPE MEMBER CLASS: a line
	printf 'a-1/1&data_object=%s&data_type=%s&member=%s&data_class=%s;main 900\n' "$@"
}

t_names_of_data_are_data() {
	local long
	need_browser
	long=$(head -c 100000 /dev/zero | tr '\0' y)
	about '</script><script>alert(1)</script>' '<img src=x onerror=alert(1)>' \
		'a\x3bb\x01\x1b[31m\x0ac' address_only >"$T/folded"
	about '[no data object]' x validated '<b>class</b>' >>"$T/folded"
	about v '' "$long" no_operand >>"$T/folded"
	about __proto__ constructor '%3Cscript%3E~2' __proto__ >>"$T/folded"
	about '\xff\xfe\x80' '' '' '<b>class</b>' >>"$T/folded"
	echo 'a-1/1;main 500' >>"$T/folded"
	"$PAGES" html "$T/folded" >"$T/page.html" || fail "no page"
	expect_no_match "$T/page.html" 'alert\(1\)' "a name stands in the page"
	check hostile_data "$T/page.html"
}

t_no_data_no_switch() {
	need_browser
	made_up 100
	check no_data "$T/page.html"
}

t_durations_of_windows() {
	need_browser
	made_up 3000 windows 400
	check windows "$T/page.html" "$T/folded"
}

t_no_windows_no_histogram() {
	need_browser
	made_up 100
	check no_windows "$T/page.html"
}

t_windows_of_two() {
	need_browser
	cat >"$T/new" <<-'STACKS'
		a-1/1&window=w&duration=1.05ms..2.1ms&window_number=1;main;f 100000
		a-1/1&window=w&duration=1.05ms..2.1ms&window_number=1;main;g 100000
		a-1/1&window=w&duration=1.05ms..2.1ms&window_number=2;main;g 100000
		a-1/1&window=w&duration=4.19ms..8.39ms&window_number=3;main;g 100000
	STACKS
	cat >"$T/old" <<-'STACKS'
		a-1/1&window=w&duration=1.05ms..2.1ms&window_number=1;main;g 50000
		a-1/1&window=w&duration=4.19ms..8.39ms&window_number=2;main;g 150000
	STACKS
	"$PAGES" html "$T/new" "$T/old" >"$T/page.html" || fail "no page"
	check windows_of_two "$T/page.html"
}

# Of others' profiles, and of recordings without numbers.
t_odd_windows() {
	need_browser
	cat >"$T/folded" <<-'STACKS'
		a-1/1&window=<img src\x3dx onerror\x3dalert(1)>&duration=16.8ms..33.6ms;main 1000
		a-1/1&window=__proto__&duration=9223372037s..;main 500
		a-1/1&window=loop&duration=<b>slow</b>;main 400
		a-1/1;main 300
	STACKS
	"$PAGES" html "$T/folded" >"$T/page.html" || fail "no page"
	check odd_windows "$T/page.html"
}

t_moments() {
	need_browser
	made_up 3000 times 12
	check timeline "$T/page.html" "$T/folded"
	made_up 1000 data times 3000
	DARK=1 check timeline "$T/page.html" "$T/folded"
}

t_no_moments_no_heat_map() {
	need_browser
	made_up 100
	check no_timeline "$T/page.html"
	"$PAGES" html "$T/folded" "$T/folded" >"$T/page.html" || fail "no page of two"
}

# By diff, of profiles that were saved.
t_moments_of_two() {
	need_browser
	made_up 2000 times 12
	mv "$T/folded" "$T/new"
	made_up 1000 times 5
	"$PAGES" pprof "$T/new" >"$T/new.pb.gz" || fail "no profile"
	"$PAGES" pprof "$T/folded" >"$T/old.pb.gz" || fail "no profile"
	pmb_ok diff -o "$T/page.html" "$T/old.pb.gz" "$T/new.pb.gz"
	check timelines_of_two "$T/page.html" "$T/new,$T/folded"
	printf 'a-1/1;main;f 3000\n' >"$T/new"
	"$PAGES" html "$T/new" "$T/folded" >"$T/page.html" || fail "no page"
	check timeline_of_one_of_two "$T/page.html" "$T/folded"
}

t_odd_moments() {
	need_browser
	printf 'a-1/1&time=%s;main;f 1000\n' 0 990000000 500 -10 9223372036854775807 \
		-9223372036854775808 1000000010 >"$T/folded"
	printf 'a-1/1;main;f 3000\n' >>"$T/folded"
	"$PAGES" html "$T/folded" >"$T/page.html" || fail "no page"
	check odd_times "$T/page.html"
}

t_colours_by_ratio() {
	need_browser
	cat >"$T/folded" <<-'STACKS'
		a-1/1&insn=2000000;main;fast 1000000
		a-1/1&insn=1000000;main;slow 4000000
		a-1/1&insn=5000;main;few 20000
		a-1/1&insn=0;main;none 1000
	STACKS
	"$PAGES" ratio "$T/folded" >"$T/page.html" || fail "no page"
	check ratios "$T/page.html" "$T/folded"
	DARK=1 check ratios "$T/page.html" "$T/folded"
	"$PAGES" html "$T/folded" >"$T/page.html" || fail "no page"
	check no_ratios "$T/page.html"
}

t_difference_of_two() {
	need_browser
	printf 'a-1/1;main;%s 000\n' 'grown 300' 'shrunk 100' 'new 100' |
		sed 's/ 000$/000000/' >"$T/new"
	printf 'a-1/1;main;%s 000\n' 'grown 100' 'shrunk 100' 'gone 50' |
		sed 's/ 000$/000000/' >"$T/old"
	"$PAGES" html "$T/new" "$T/old" >"$T/page.html" || fail "no page"
	check difference "$T/page.html"
}

# One recording, several files: the page's sum is that of the folded stacks.
t_recording() {
	need_root
	need_browser
	pmb_ok record -e cpu-clock -o "$T/page.html" -o "$T/folded" -- "$WORKLOADS/split" 0.5
	head -c 15 "$T/page.html" | grep -q '<!DOCTYPE html>' || fail "record -o x.html is no page"
	T=$T timeout 120 python3 - "$T/page.html" "$(folded_sum "$T/folded")" >"$T/said" 2>&1 \
		<<-PYTHON || fail "$(tail -n 1 "$T/said")"
		import sys
		sys.path.insert(0, "$TOP/tests/page")
		from browser import Browser
		with Browser() as browser:
		    browser.open(sys.argv[1])
		    got = browser.wait("return window.picture && picture.graph.drawMs >= 0 && picture.tally.total(0, picture.typeNow)")
		    assert got == int(sys.argv[2]), f"the page has {got}, the folded stacks {sys.argv[2]}"
		    assert not browser.errors()
	PYTHON
}

# The histogram is the report's rows, and windows are counted where the page is written at once.
t_recording_of_windows() {
	need_root
	need_browser
	pmb_ok record -e cpu-clock -F 997 --window loop -o "$T/page.html" -o "$T/p.pb.gz" \
		--summary "$T/sum.json" -- "$WORKLOADS/server" 200
	pmb_ok report --json --by window,duration "$T/p.pb.gz"
	mv "$T/out" "$T/rows.json"
	check recorded_windows "$T/page.html" "$T/rows.json"
	expect_eq "$(awk 'NF { print $1 }' "$T/said")" "$(sum_get .windows.sampled)" \
		"windows with samples"
}

# The program, its profile and its page: of nobody else.
record_lines() { # OPTIONS…
	cp "$WORKLOADS/lines" "$T/lines"
	pmb_ok record -e cpu-clock,page-faults/period=1/ -o "$T/page.html" -o "$T/p.pb.gz" "$@" -- \
		"$T/lines" 0.5
}

t_code_of_the_hottest() {
	need_root
	need_browser
	record_lines --code --source "$TOP/tests/workloads"
	expect_match "$T/err" '^pmubpf: code of [0-9]+ functions in the page: [0-9]+ kB$' "its size"
	"$PMUBPF" annotate -j --source "$TOP/tests/workloads" hot "$T/p.pb.gz" >"$T/hot.json" ||
		fail "annotate"
	check code "$T/page.html" "$T/hot.json"
	pmb_ok report --code=3 --source "$TOP/tests/workloads" -o "$T/again.html" "$T/p.pb.gz"
	expect_match "$T/err" '^pmubpf: code of 3 functions' "how many were asked for"
	pmb_ok report -o "$T/none.html" "$T/p.pb.gz"
	check no_code "$T/none.html"
	# by sudo, what has recorded has given up nearly all by then
	chmod 755 "$T"
	SUDO_UID=65534 SUDO_GID=65534 record_lines --code
	expect_match "$T/err" '^pmubpf: code of [1-9][0-9]* functions in the page: ' \
		"its size, by sudo"
}

# As for annotate: with the rights of who called sudo; sources of the folder that was named alone.
t_code_that_is_closed() {
	need_root
	need_browser
	record_lines --code
	check code_closed "$T/page.html"
	chmod 700 "$T/lines"
	chmod 755 "$T"
	SUDO_UID=65534 SUDO_GID=65534 pmb_ok report --code -o "$T/closed.html" "$T/p.pb.gz"
	check code_closed "$T/closed.html" 'Permission denied'
	mkdir -m 700 "$T/sources"
	cp "$TOP/tests/workloads/lines.c" "$T/sources"
	chmod 755 "$T/lines"
	SUDO_UID=65534 SUDO_GID=65534 pmb_ok report --code --source "$T/sources" \
		-o "$T/closed.html" "$T/p.pb.gz"
	check code_closed "$T/closed.html"
}

t_code_is_data() {
	need_browser
	printf 'a-1/1;main;<b>f</b> 1000\n' >"$T/folded"
	cat >"$T/code.json" <<-'JSON'
		{"types":["work_sample","work_time","misses_event"],"functions":[{
		"name":"<b>f</b>","module":"","file":"","kind":0,"base":false,"build_id":null,
		"read":"<svg/onload=alert(1)>","events":[],"sums":[1,1000,0],
		"rows":[[16,"</script><script>alert(1)</script>","+>",1,7,
		"<img src=x onerror=alert(1)>",[1,1000,0]],3],"source":[[1,7,"<b>source</b>"]],
		"files":["","<b>x</b>.c"],"notes":["<iframe src=javascript:alert(1)>"]}],
		"left_out":0}
	JSON
	"$PAGES" code "$T/folded" "$T/code.json" >"$T/page.html" || fail "no page"
	expect_no_match "$T/page.html" 'alert\(1\)' "code stands in the page"
	check hostile_code "$T/page.html"
}

t_code_needs_a_page() {
	expect_refused 2 'add -o FILE.html' report --code p.pb.gz
	expect_refused 2 '--source goes with --code' report --source . -o "$T/x.html" p.pb.gz
	expect_refused 2 'from 1 to 200' report --code=0 -o "$T/x.html" p.pb.gz
	expect_refused 2 'add -o FILE.html' record --code -e cpu-clock -- true
}

# Page faults into typed arrays: the sums of both pictures are those of rows.
t_recording_of_data() {
	need_root
	need_browser
	pmb_ok record --data -e page-faults -c 1 -o "$T/page.html" -o "$T/p.pb.gz" -- \
		"$WORKLOADS/members"
	pmb_ok report --json --by data_object,data_class "$T/p.pb.gz"
	mv "$T/out" "$T/rows.json"
	T=$T timeout 120 python3 "$TOP/tests/page/check.py" recorded_data "$T/page.html" \
		"$T/rows.json" >"$T/said" 2>"$T/err" ||
		fail "$(tail -n 1 "$T/said")$(tail -n 1 "$T/err")"
}

start_browser
run_tests
end_browser
