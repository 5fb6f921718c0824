#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Debug files from servers: only when asked to, only for hot files, in bounded time, by somebody
# without privileges. The server is a folder on loopback.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

need_debuginfod() {
	need_program python3
	grep -q "libdebuginfod\.so\.1 " < <(ldconfig -p) || skip "libdebuginfod1 is not installed"
	unset http_proxy HTTP_PROXY ALL_PROXY all_proxy
}

# A program without symbols, and the folder of a server that has them: $T/bare, $T/www.
strip_program() { # [PROGRAM]
	cp "$WORKLOADS/${1:-inlined}" "$T/bare"
	id=$(readelf -n "$T/bare" | sed -n 's/ *Build ID: //p')
	[ -n "$id" ] || skip "gcc writes no build-id here"
	mkdir -p "$T/www/buildid/$id"
	objcopy --only-keep-debug "$T/bare" "$T/www/buildid/$id/debuginfo"
	strip "$T/bare"
}

# Serves $T/www; what was asked for stands in $T/asked.
start_server() {
	spawn python3 -u -m http.server --bind 127.0.0.1 --directory "$T/www" \
		0 >"$T/port" 2>"$T/asked"
	wait_until grep -q 'port [0-9]' "$T/port" || fail "no server"
	export DEBUGINFOD_URLS
	DEBUGINFOD_URLS=http://127.0.0.1:$(sed -n 's/.* port \([0-9]*\).*/\1/p' "$T/port")/
}

# Of a server that takes the connection, and that is all. It waits for half a minute, so it is begun
# here, and the last test looks at what has become of it.
setup() {
	local began
	need_debuginfod
	T=$S strip_program
	python3 -u -c 'import socket, time
s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1], flush=True); time.sleep(600)' \
		>"$S/port" &
	at_the_end kill -KILL $!
	wait_until test -s "$S/port" || fail "no server"
	{
		began=$SECONDS
		DEBUGINFOD_URLS=http://127.0.0.1:$(cat "$S/port")/ "$PMUBPF" \
			record -e cpu-clock --debuginfod -o "$S/folded" --summary "$S/sum.json" \
			-- "$S/bare" 0.3 >"$S/out" 2>"$S/err"
		echo "$? $((SECONDS - began))" >"$S/ended"
	} &
	at_the_end end_families $!
}

end_families() { # PID…
	# shellcheck disable=SC2046 # several
	kill -KILL $(families_of "$@") 2>/dev/null
}

t_symbols_from_a_server() {
	need_debuginfod
	strip_program
	start_server
	pmb_ok record -e cpu-clock --debuginfod -o "$T/folded" --summary "$T/sum.json" -- \
		"$T/bare" 0.3
	expect_ge "$(user_share "$T/folded" ';main;work;leaf_spin$' '^bare;')" 80 \
		"percent with names"
	expect_eq "$(sum_get .names.downloads_found)" 1 "files found"
	expect_match "$T/err" 'debuginfod: 1 of [0-9]+ debug files' "the note"
	expect_match "$T/asked" "buildid/$id/debuginfo" "what was asked for"
}

t_inlined_calls_from_a_server() {
	need_debuginfod
	strip_program
	start_server
	pmb_ok record -e cpu-clock --debuginfod --inline -o "$T/folded" -- "$T/bare" 0.3
	expect_ge "$(user_share "$T/folded" ';main;work;middle_\[i\];inner_\[i\];leaf_spin$' '^bare;')" 80 "percent"
}

# Types of data, too: of globals, of what has no name, and of what lies in frames.
t_types_from_a_server() {
	need_debuginfod
	[ "$(uname -m)" = x86_64 ] || skip "instructions are decoded on x86-64 only"
	strip_program frames
	start_server
	pmb_ok record --data -e page-faults -c 1 --debuginfod --by data_object,data_type,member \
		-o "$T/folded" -- "$T/bare"
	expect_eq "$(folded_sum_of "$T/folded" '^touch_local::all;struct page\[\];pos.y;')" 50 \
		"a variable in a frame"
	expect_eq "$(folded_sum_of "$T/folded" '^\[stack\];struct page;pos.y;')" 50 \
		"what has no name"
	pmb_ok record --data -e page-faults -c 1 --by data_object,data_type,member \
		-o "$T/folded" -- "$T/bare"
	expect_no_match "$T/folded" 'struct page' "without the option"
}

# Lines from its debug file; and its instructions, once the program has gone. As somebody without
# privileges, too, who leaves nothing behind.
t_annotated_from_a_server() {
	need_debuginfod
	need_program jq
	local as lines='[.lines[] | select(.line > 0)] | length'
	strip_program lines
	cp "$WORKLOADS/lines" "$T/bare"
	strip -g "$T/bare"
	cp "$T/bare" "$T/www/buildid/$id/executable"
	pmb_ok record -q -e cpu-clock -o "$T/p.pb.gz" -- "$T/bare" 0.3
	start_server
	pmb_ok annotate -j hot "$T/p.pb.gz"
	expect_eq "$(jq "$lines" "$T/out")" 0 "lines without the option"
	expect_match "$T/out" 'which --debuginfod asks servers for' "what is noted"
	expect_no_match "$T/asked" GET "a request"
	chmod 755 "$T"
	chmod 644 "$T/p.pb.gz"
	for as in root nobody; do
		annotate_as $as hot
		expect_ge "$(jq "$lines" "$T/out")" 1 "lines as $as"
		expect_eq "$(grep -c "buildid/$id/executable" "$T/asked")" 0 "the program is here"
	done
	rm "$T/bare"
	annotate_as root hot
	expect_eq "$(jq -r .function.read "$T/out")" "debuginfod: $id" "what was read"
	expect_ge "$(jq '[.instructions[] | select(.is_instruction)] | length' "$T/out")" 4 \
		"instructions of a program that is gone"
	cp "$WORKLOADS/split" "$T/www/buildid/$id/executable" # another one
	annotate_as root hot
	expect_eq "$(jq '[.instructions[] | select(.is_instruction)] | length' "$T/out")" 0 \
		"instructions of another program"
}

annotate_as() { # USER FUNCTION
	local -a as=()
	[ "$1" = root ] || as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	"${as[@]}" "$PMUBPF" annotate -j --debuginfod "$2" "$T/p.pb.gz" >"$T/out" 2>"$T/err"
	expect_eq $? 0 "exit status as $1: $(head -n 1 "$T/err")"
}

t_nobody_is_asked_without_the_option() {
	need_debuginfod
	strip_program
	start_server
	pmb_ok record -e cpu-clock --inline -o "$T/folded" --summary "$T/sum.json" -- "$T/bare" 0.3
	expect_no_match "$T/asked" GET "a request"
	expect_eq "$(sum_get .names.downloads_asked)" 0 "files asked for"
}

t_nobody_is_asked_about_what_is_known() {
	need_debuginfod
	strip_program
	start_server
	pmb_ok record -e cpu-clock --debuginfod -o "$T/folded" -- "$WORKLOADS/inlined" 0.3
	expect_no_match "$T/asked" "buildid/$id/" "a request for a program that has its symbols"
}

t_the_wrong_file() {
	need_debuginfod
	strip_program
	objcopy --only-keep-debug "$WORKLOADS/split" "$T/www/buildid/$id/debuginfo"
	start_server
	pmb_ok record -e cpu-clock --debuginfod -o "$T/folded" --summary "$T/sum.json" -- \
		"$T/bare" 0.3
	expect_ge "$(user_share "$T/folded" ';\[bare\]\+0x[0-9a-f]+$' '^bare;')" 80 \
		"percent as [module]+0xoffset"
	expect_eq "$(sum_get .names.downloads_found)" 1 "files found"
}

t_a_server_that_is_not_there() {
	need_debuginfod
	strip_program
	DEBUGINFOD_URLS=http://127.0.0.1:1/ pmb_ok record -e cpu-clock --debuginfod -o "$T/folded" \
		--summary "$T/sum.json" \
		-- "$T/bare" 0.3
	expect_ge "$(sum_get .names.downloads_asked)" 1 "files asked for"
	expect_eq "$(sum_get .names.downloads_found)" 0 "files found"
}

t_whoever_asks_has_no_privileges() {
	need_root
	need_debuginfod
	strip_program
	# A server that writes down who its client is, and waits a moment so that it can be found.
	cat >"$T/who.py" <<-'PY'
	import http.server, sys, time, glob
	class H(http.server.BaseHTTPRequestHandler):
	    def do_GET(self):
	        with open(sys.argv[1], "a") as out:
	            for path in glob.glob("/proc/[0-9]*/status"):
	                try:
	                    text = open(path).read()
	                except OSError:
	                    continue
	                if text.startswith("Name:\tpmubpf-fetch"):
	                    out.write(text)
	        self.send_error(404)
	s = http.server.HTTPServer(("127.0.0.1", 0), H)
	print(" port", s.server_address[1], "", flush=True)
	s.serve_forever()
	PY
	spawn python3 -u "$T/who.py" "$T/who" >"$T/port" 2>/dev/null
	wait_until grep -q 'port [0-9]' "$T/port" || fail "no server"
	DEBUGINFOD_URLS=http://127.0.0.1:$(sed -n 's/.* port \([0-9]*\).*/\1/p' "$T/port")/ \
		pmb_ok record -e cpu-clock --debuginfod -o "$T/folded" -- "$T/bare" 0.3
	expect_match "$T/who" '^Uid:	65534	65534	65534	65534' "its user"
	expect_match "$T/who" '^CapEff:	0000000000000000' "its capabilities"
	expect_match "$T/who" '^CapPrm:	0000000000000000' "its capabilities"
	expect_match "$T/who" '^NoNewPrivs:	1' "it can't get any"
	expect_match "$T/who" '^CapBnd:	0000000000000000' "its bounding set"
	expect_match "$T/who" '^Seccomp:	2' "its system calls"
	expect_match "$T/who" '^Groups:	 *$' "its groups"
}

t_no_servers_to_ask() {
	unset DEBUGINFOD_URLS
	pmb record -e cpu-clock --debuginfod -- true
	expect_eq "$rc" 2 "exit status"
	expect_match "$T/err" 'DEBUGINFOD_URLS names no server.*sudo' "the reason"
}

t_a_server_that_does_not_answer() {
	wait_for 100 test -s "$S/ended" || fail "it still waits: $(tail -n 1 "$S/err")"
	read -r rc took <"$S/ended"
	expect_eq "$rc" 0 "exit status"
	expect_le "$took" 100 "seconds"
	expect_ge "$(user_share "$S/folded" ';\[bare\]\+0x[0-9a-f]+$' '^bare;')" 80 \
		"percent as [module]+0xoffset"
	expect_eq "$(sum_get .names.downloads_found "$S/sum.json")" 0 "files found"
	expect_eq "$(find /tmp -maxdepth 1 -name 'pmubpf-debuginfod.*' | wc -l)" 0 \
		"folders left behind, by whichever test"
}

run_tests
