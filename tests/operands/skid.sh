#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# make test-data: what the tool would say of samples so many instructions behind an access, beside
# the truth (skid.c): of one program by each compiler and level, and of real ones that are here. A
# table, in percent: validated at the instruction, and right behind it; so many instructions later,
# with an address: validated / of these, by the instruction that it was; without: candidates / of
# these, the same. Then how many of the first two are wrong: more than one in a thousand fails, and
# so does anything that is validated without an address; of optimized code, two instructions later,
# four of five have to be validated, and 98 % of these by the right one.
set -u -o pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)
O=$(cd "$TOP" && realpath -m "${O:-build}")
WORK=$(mktemp -d "${TMPDIR:-/tmp}/pmb-skid.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
PASSED=0 FAILED=0

row() { # NAME SKIP INSTRUCTIONS COMMAND…
	local name=$1
	shift
	"$O/tests/operands/skid" "$@" >"$WORK/out" </dev/null 2>"$WORK/err" || {
		echo "$name: $(cat "$WORK/err")"
		FAILED=$((FAILED + 1))
		return
	}
	if awk -v name="$name" '
		function of(part, all) { return all ? sprintf("%.1f", 100 * part / all) : "-" }
		{
			split($0, half, ": "); n = split(half[2], w, " ")
			for (i = 1; i < n; i += 2) v[w[i]] = w[i + 1]
			if (half[1] ~ /^(exact|after)$/) {
				if (half[1] == "exact")
					text = v["samples"]
				text = text " | " of(v["validated"], v["samples"])
				wrong += v["wrong"]; sure += v["validated"]
			} else if (half[1] ~ /^address/) {
				text = text " | " of(v["validated"], v["samples"]) " / " \
					of(v["validated"] - v["wrong"], v["validated"])
				if (half[1] == "address 2" && name ~ /^(gcc|clang) -O[23]$/)
					few = v["validated"] < 0.8 * v["samples"] || \
						v["wrong"] > 0.02 * v["validated"]
			} else {
				clocks += v["validated"]
				text = text " | " of(v["candidate"], v["samples"]) " / " \
					of(v["right"], v["candidate"])
			}
		}
		END {
			printf "| %s | %s | %d |\n", name, text, wrong
			exit wrong * 1000 > sure || clocks || !sure || few
		}' "$WORK/out"; then
		PASSED=$((PASSED + 1))
	else
		FAILED=$((FAILED + 1))
	fi
}

printf '| program | samples | exact | after |'
printf ' address %d | clock %d |' 1 1 2 2 4 4 8 8
printf ' wrong |\n| --- |'
printf ' ---: |%.0s' {1..12}
echo
for compiler in gcc clang; do
	command -v "$compiler" >/dev/null || continue
	for level in 0 1 2 3; do
		$compiler -O$level -g -o "$WORK/subject" "$TOP/tests/operands/subject.c"
		row "$compiler -O$level" 150000 200000 "$WORK/subject"
	done
done
have() { command -v "$1" >/dev/null; }
row "this tool" 600000 100000 "${PMUBPF:-$TOP/pmubpf}" list --json
have g++ && g++ -O2 -g -x c++ -o "$WORK/cxx" - <<'CXX' && row "C++ -O2" 1000000 100000 "$WORK/cxx"
#include <cstdio>
#include <list>
#include <map>
#include <string>
#include <unordered_map>
int main()
{
	std::map<int, std::string> tree;
	std::unordered_map<int, int> table;
	std::list<long> list;
	long sum = 0;
	for (int i = 0; i < 3000; i++) {
		tree[i * 7919 % 3001] = std::to_string(i);
		table[i] = i;
		list.push_back(i);
	}
	for (auto &at : tree)
		sum += at.second.size() + table[at.first] + list.back();
	std::printf("%ld\n", sum);
}
CXX
have rustc && rustc -O -g -o "$WORK/rust" - <<'RUST' && row "Rust -O" 150000 100000 "$WORK/rust"
use std::collections::{BTreeMap, HashMap, VecDeque};
fn main() {
    let (mut tree, mut table, mut list) = (BTreeMap::new(), HashMap::new(), VecDeque::new());
    let mut sum = 0usize;
    for i in 0..3000usize {
        tree.insert(i * 7919 % 3001, i.to_string());
        table.insert(i, i);
        list.push_back(i);
    }
    for (key, text) in &tree {
        sum += text.len() + table.get(key).unwrap_or(&0) + list[0];
    }
    println!("{}", sum);
}
RUST
have sqlite3 && row sqlite 450000 100000 sqlite3 :memory: \
	"with recursive c(x) as (select 1 union all select x+1 from c where x<50000)
	 select sum(x*x%7) from c"
have redis-check-rdb && ln -sf "$(command -v redis-check-rdb)" "$WORK/redis-server" &&
	row redis 700000 100000 "$WORK/redis-server" --port 0 --save ""
POSTGRES=$(compgen -G '/usr/lib/postgresql/*/bin/postgres' | tail -n 1)
[ -n "$POSTGRES" ] && row postgres 900000 100000 \
	setpriv --reuid=65534 --clear-groups "$POSTGRES" --describe-config
echo "$PASSED passed, $FAILED failed, 0 skipped"
[ "$FAILED" -eq 0 ] && [ "$PASSED" -gt 0 ]
