#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Interpreters in containers of real Docker, by --container: images are made of the distribution's
# packages. A function that has 60 % of the program's time has 60 % of the samples, by its name.
# shellcheck source=tests/e2e/docker_lib.sh
. "$(dirname "$0")/docker_lib.sh"

# Files, and the libraries of those that are programs or libraries.
with_libraries() {
	tee "$T/files"
	while read -r file; do
		case $file in
		*/bin/* | *.so | *.so.*) [ ! -f "$file" ] || ldd "$file" 2>/dev/null ;;
		esac
	done <"$T/files" | grep -oE '/[^ ]+' | sort -u
}

# An image NAME of PACKAGES, with the program FILE as /app.
image() { # NAME FILE PACKAGE…
	local package
	for package in "${@:3}"; do
		dpkg -L "$package" >>"$T/listed" 2>/dev/null || skip "no package $package"
	done
	while read -r file; do [ -d "$file" ] || echo "$file"; done <"$T/listed" |
		grep -v '^/usr/share/' | with_libraries | sort -u >"$T/list"
	tar -ch --no-recursion --ignore-failed-read -T "$T/list" -f "$T/root.tar" 2>/dev/null
	tar -rf "$T/root.tar" --transform 's|.*/|app/|' -P "$2" || fail "tar"
	docker import "$T/root.tar" "$1" >/dev/null || fail "docker import"
	rm "$T/root.tar"
}

# A container "web" in which the image's program runs, and 3 s of it.
record_web() { # IMAGE COMM COMMAND…
	docker run -d --name web --network none "$1" "${@:3}" >/dev/null || fail "docker run"
	wait_for_work_of docker web "$2"
	pmb_ok record --container web -e cpu-clock -F 999 --unit samples -d 3 -o "$T/folded" \
		-o "$T/p.pb.gz" --summary "$T/sum.json"
	expect_ledger
	expect_ge "$(sum_get '.stacks.user | 100 * .complete / (del(.none) | add)')" \
		"$(by_chance 95 "$(sum_aggregated)")" "percent of its stacks that are whole"
}

# Samples of the three functions, of which the first is all but 40 % of them.
expect_parts() { # REGEX REGEX REGEX
	local n=() all i wanted=(60 30 10)
	for i in 0 1 2; do n[i]=$(folded_sum_of "$T/folded" "${*:i+1:1}"); done
	all=$((n[0] + n[1] + n[2]))
	expect_ge "$all" 100 "samples with their names: $(tail -n 3 "$T/err")"
	for i in 0 1 2; do
		expect_within "$(awk -v p="${n[i]}" -v q="$all" 'BEGIN { print 100 * p / q }')" \
			"${wanted[i]}" "$(points_of "${wanted[i]}" "$all")" "percent, of $all"
	done
}

expect_language() { # NAME
	pmb_ok report --by language --csv "$T/p.pb.gz"
	expect_match "$T/out" ",$1," "its language"
}

t_python() {
	local python
	need_program dpkg
	need_dockerd
	python=$(basename "$(readlink -f /usr/bin/python3)")
	image python "$TOP/tests/workloads/python/shares.py" "$python-minimal" \
		"lib$python-minimal" "lib$python-stdlib"
	record_web python "$python" "/usr/bin/$python" /app/shares.py /told 60
	expect_parts 'function_60' 'function_30' 'function_10'
	expect_language python
}

t_node() {
	need_program dpkg
	need_dockerd
	need_program node
	image node "$TOP/tests/workloads/javascript/shares.js" \
		"$(dpkg -S "$(readlink -f "$(command -v node)")" 2>/dev/null | cut -d: -f1)"
	record_web node node "$(readlink -f "$(command -v node)")" --no-opt /app/shares.js main 60
	expect_parts ';share60_' ';share30_' ';share10_'
	expect_language javascript
}

t_java() {
	local java
	need_program dpkg
	need_dockerd
	need_program javac
	java=$(readlink -f "$(command -v java)")
	javac -d "$T/classes" "$TOP/tests/workloads/java/Shares.java" || skip "no compiler"
	image java "$T/classes/Shares.class" "$(dpkg -S "$java" | sed 's/:.*//')"
	record_web java java "$java" -XX:CompileCommand=quiet \
		-XX:CompileCommand=dontinline,Shares::* -cp /app Shares 60 /told
	expect_parts 'Shares::sixty' 'Shares::thirty' 'Shares::ten'
	expect_language java
}

run_tests
