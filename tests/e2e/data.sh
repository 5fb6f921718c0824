#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# --data: what overflows with an address are about. Objects and segments are known beforehand.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# Faults of these two are recorded once, by all that they are looked at by.
OBJECTS_BY=data_object,data_segment,data_page,cache_line,data_class,data_access
MEMBERS_BY=data_object,data_type,member,data_class

recorded_once() { # PROGRAM LABELS OPTION…
	pmb_ok record --data -e page-faults -c 1 --by "$2" "${@:3}" -o "$S/$1.folded" \
		-o "$S/$1.pb.gz" --summary "$S/$1.json" -- "$WORKLOADS/$1"
	expect_ledger "$S/$1.json"
	mv "$T/out" "$S/$1.out"
}

# What is recorded without --data, once for all that miss something in it.
without_data() {
	[ ! -e "$S/plain.pb.gz" ] || return 0
	pmb_ok record -e page-faults -c 1 -o "$S/plain.pb.gz" --summary "$S/plain.json" -- \
		"$WORKLOADS/objects"
}

setup() {
	recorded_once objects "$OBJECTS_BY"
	recorded_once members "$MEMBERS_BY" --inline
}

# Of folded lines that begin with the labels ALL: "VALUE;VALUE NUMBER", of those with FUNCTION.
by_label() { # FOLDED FUNCTION LABELS [ALL]
	grep ";$2[;_ ]" "$1" | awk -v labels="$3" -v all="${4:-$3}" '
		BEGIN {
			n_all = split(all, name, ",")
			for (i = 1; i <= n_all; i++) at[name[i]] = i
			n_labels = split(labels, label, ",")
		}
		{
			split($0, part, ";")
			value = part[at[label[1]]]
			for (i = 2; i <= n_labels; i++) value = value ";" part[at[label[i]]]
			n[value] += $NF
		}
		END { for (value in n) print value, n[value] }' | sort
}

objects() { # LABELS
	by_label "$S/objects.folded" touch "$1" "$OBJECTS_BY" >"$T/seen"
}

# By name, as the program says it: of the kernel's kinds.
known_objects() {
	awk '$3 > 0 { print $1, $3 }' "$S/objects.out" |
		sed "s/^\[mapped\]/[anonymous]/" | sort
}

t_objects() {
	objects data_object
	known_objects >"$T/known"
	expect_eq "$(comm -3 "$T/known" "$T/seen")" "" "faults by object that differ"
}

t_segments() {
	objects data_segment
	printf '%s 100\n' heap "anonymous" program stack | sort >"$T/known"
	expect_eq "$(comm -3 "$T/known" "$T/seen")" "" "faults by segment that differ"
}

# Of a thread that isn't the first nearly all lies above its stack pointer.
t_what_a_thread_touches_is_no_stack() {
	pmb_ok record --data -e page-faults -c 1 --by data_segment -o "$T/folded" -- \
		"$WORKLOADS/lodger"
	by_label "$T/folded" touch data_segment >"$T/seen"
	expect_eq "$(cat "$T/seen")" "anonymous 100" "what it touched"
}

# A thread's stack is its own alone; what lies in a temporary folder may be shared memory.
t_kinds_of_mappings() {
	local file=file
	[ "$(stat -f -c %T "$T")" != tmpfs ] || file=shared
	pmb_ok record --data -e page-faults -c 1 --by data_segment -o "$T/folded" -- \
		"$WORKLOADS/mappings" "$T/file"
	awk -F'[ ;]' '/;touch_/ { for (i = 2; $i !~ /^touch_/;) i++; n[$1 " " $i] += $NF }
		END { for (key in n) print key, n[key] }' "$T/folded" | sort >"$T/seen"
	printf '%s 100\n' 'anonymous touch_'{among,anonymous,others_stack} 'file touch_file' \
		"$file touch_shared_file" 'shared touch_'{memfd,shared} \
		'thread_stack touch_own_stack' | sort >"$T/known"
	expect_eq "$(comm -3 "$T/known" "$T/seen")" "" "faults by segment that differ"
}

t_pages_and_lines() {
	local label
	for label in data_page cache_line; do
		objects "$label"
		awk '$3 > 0 { print $2, $3, $4 }' "$S/objects.out" |
			while read -r base pages size; do
				for ((i = 0; i < pages; i++)); do
					printf '0x%x 1\n' $((base + i * size))
				done
			done | sort >"$T/known"
		expect_eq "$(comm -3 "$T/known" "$T/seen" | head -n 3)" "" "$label: these differ"
	done
}

# Types and members of variables, by DWARF; "inside" is a function's, and a compiler numbers it.
t_members() {
	by_label "$S/members.folded" touch data_object,data_type,member "$MEMBERS_BY" >"$T/seen"
	tail -n +2 "$S/members.out" |
		sed 's/ \([^ ]*\)$/;\1/; s/ /;/; s/;-$/;[no member]/; s/$/ 50/' |
		sort >"$T/known"
	sed 's/^inside[^;]*;/inside;/' "$T/seen" | sort >"$T/named"
	expect_eq "$(comm -3 "$T/known" "$T/named")" "" "faults by member that differ"
}

# The same as a list: each variable by name, with its member and its function; no sample is lost.
t_list_of_objects() {
	pmb_ok report --objects --json "$S/members.pb.gz"
	jq -r '.events[0].objects[] | select(.hottest_function.name == "touch") |
		"\(.object | sub("\\..*"; ""));\(.type);\(.hottest_member.name // "-") " +
		"\(.classes.validated)"' "$T/out" | sort >"$T/seen"
	tail -n +2 "$S/members.out" | sed 's/ \([^ ]*\)$/;\1/; s/ /;/; s/$/ 50/' |
		sort >"$T/known"
	expect_eq "$(comm -3 "$T/known" "$T/seen")" "" "objects that differ"
	expect_eq "$(jq '.events[0] | ([.objects[].samples] | add) - .with_data, .with_data -
		.samples' "$T/out" | paste -sd ' ')" "0 0" "Σ objects, about data, less all"
	expect_eq "$(jq '.events[0] | ([.objects[] | select(.object == null and .type == null) |
		.samples] | add // 0) - .not_known' "$T/out")" 0 "Σ of no object, less not known"
	pmb_ok report --objects --limit 3 "$S/members.pb.gz"
	expect_match "$T/out" ' 50 .* bits: struct record\[\]; high 100 %; in touch 100 %$' \
		"a row"
	expect_match "$T/out" '^… and [0-9]* more$' "how many more"
	pmb report --objects --by member "$S/members.pb.gz"
	expect_eq "$rc" 2 "exit status beside --by"
	without_data
	pmb report --objects "$S/plain.pb.gz"
	expect_match "$T/err" 'record --data' "without data"
}

# How a type lies is saved, once, and its samples say which it is; a typedef of it is another one.
t_layouts_are_saved() {
	local id profile=$S/members.pb.gz
	zcat "$profile" | grep -aoE '[0-9a-f]{16} (struct record|entry)$' | sort >"$T/ids"
	expect_eq "$(wc -l <"$T/ids")" 2 "layouts of struct record and entry"
	zcat "$profile" | grep -aP '^1\t48\t64\t4\tinner.pair\[\]\tstruct point$' >"$T/pairs"
	expect_eq "$(wc -l <"$T/pairs")" 2 "lines of a member"
	id=$(awk '/struct record$/ { print $1 }' "$T/ids")
	pmb_ok report --by data_type --label "data_layout=$id" "$profile"
	# inside, keys, points, pairs, unions, bits, bases, holes: TOUCHED each
	expect_match "$T/out" ' 400 +400 +struct record\[\]$' "its samples"
	expect_no_match "$T/out" 'entry' "those of another"
	# others pass over them, and read the rest
	! command -v go >/dev/null || ! go tool pprof -h >/dev/null 2>&1 || {
		HOME=$T go tool pprof -top -sample_index=page-faults_sample "$profile" \
			>"$T/top" || fail "go tool pprof: status $?"
		expect_match "$T/top" '^ *500 .* touch$' "samples in go tool pprof"
		expect_no_match "$T/top" 'inner.pair' "layouts in go tool pprof"
	}
}

# Each member that was touched has its TOUCHED samples, all stores, at its offset; also when two
# recordings are added up, and after the profile was written by `report`.
t_layout_of_a_type() {
	local twice=() profile=$S/members.pb.gz
	layout_rows record "$profile"
	expect_eq "$(sort -n "$T/rows")" '0 24 50 key[]
32 8 50 pos.y
48 8 50 inner.pair[].x
112 4 50 either.(several)
116 4 50 high
120 8 50 whole.id
128 8 50 next' "offset, size and samples of members"
	expect_eq "$(jq -c '[.layouts[0] | .size, .count, .others[0].name, .others[0].count]' \
		"$T/json")" '[65536,400,"(padding)",50]' "the type"
	[ "$(uname -m)" != x86_64 ] ||
		expect_eq "$(jq '.layouts[0].stores' "$T/json")" 400 "stores"
	mv "$T/rows" "$T/once"
	pmb_ok report -o "$T/again.pb.gz" "$profile"
	layout_rows 'struct record' "$T/again.pb.gz"
	expect_eq "$(cat "$T/rows")" "$(cat "$T/once")" "after it was written again"
	twice=("$profile" "$T/again.pb.gz")
	layout_rows 'struct rec' "${twice[@]}"
	expect_eq "$(jq -c '[.layouts[].count]' "$T/json")" '[800]' "added up"
}

layout_rows() { # TYPE FILE…: OFFSET SIZE COUNT NAME of leaves that were hit
	pmb_ok report --json --layout "$@"
	mv "$T/out" "$T/json"
	jq -r '.layouts[0].members as $m | $m | to_entries[] |
		select(.value.count != 0 and (.key as $k | [$m[] | select(.parent == $k)] |
			all(.count == 0))) | .value | "\(.offset) \(.size) \(.count) \(.name)"' \
		"$T/json" >"$T/rows"
}

# What has no name lies as its type does, too.
t_layout_of_objects() {
	need_decoder
	pmb_ok record --data -e page-faults -c 1 -o "$T/p.pb.gz" -- "$WORKLOADS/shapes"
	layout_rows 'struct node' "$T/p.pb.gz"
	# main writes the links: of how many of them the type is known is the compiler's doing
	expect_eq "$(cut -d' ' -f3- "$T/rows" | grep -v ' next$' | sort)" '100 count
50 key
50 pos.x
50 pos.y' "samples of members"
}

# The same type in two builds, of which only one lies badly.
t_layout_of_two_builds() {
	local cc=${CC:-gcc}
	command -v "${cc##* }" >/dev/null || skip "no compiler"
	$cc -O2 -g -o "$T/apart" "$TOP/examples/layout.c"
	$cc -O2 -g -DTOGETHER -o "$T/together" "$TOP/examples/layout.c"
	pmb_ok record --data -e page-faults -c 1 -o "$T/a.pb.gz" -- "$T/apart"
	pmb_ok record --data -e page-faults -c 1 -o "$T/t.pb.gz" -- "$T/together"
	pmb_ok report --json --layout account "$T/a.pb.gz" "$T/t.pb.gz"
	expect_eq "$(jq -c '[.layouts[] | [.hot.lines, .hot.lines_needed]] | sort' "$T/out")" \
		'[[1,1],[3,1]]' "cache lines of what is hot, and how many would do"
	pmb_ok report --layout account "$T/a.pb.gz"
	expect_match "$T/out" 'on 3 cache lines and take 24 bytes: .* would fit into 1$' "advice"
}

# Containers of C++ stand on classes without data, which have a size and take no room.
t_classes_without_data() {
	command -v g++ >/dev/null || skip "no g++"
	cat >"$T/a.cc" <<-C
		struct Empty {}; struct Alsoempty : Empty {};
		struct Page : Alsoempty { long first; char rest[8192]; };
		Page pages[50];
		__attribute__((noipa)) void touch() { for (Page &p : pages) p.first = 1; }
		int main() { touch(); }
	C
	g++ -O1 -g -o "$T/a" "$T/a.cc" || fail "it doesn't compile"
	pmb_ok record --data -e page-faults -c 1 --by data_object,data_type,member -o "$T/folded" \
		-- "$T/a"
	# the first one's page may be there before
	expect_ge "$(folded_sum_of "$T/folded" '^pages;Page\[\];first;.*;touch')" 48 "its member"
}

# By what a type stands in, or without it where only one type is called so.
t_layout_by_short_names() {
	need_decoder
	local name
	pmb_ok record --data -e page-faults -c 1 -o "$T/p.pb.gz" -- "$WORKLOADS/classes"
	for name in shapes::Outer::Inner Outer::Inner Inner; do
		pmb_ok report --json --layout "$name" "$T/p.pb.gz"
		expect_eq "$(jq -r '.layouts[0] | "\(.type) \(.count)"' "$T/out")" \
			'shapes::Outer::Inner 50' "$name"
	done
	pmb_ok report --json --layout 'Box<double>' "$T/p.pb.gz"
	expect_eq "$(jq -r '.layouts[0].type' "$T/out")" 'shapes::Box<double>' "with arguments"
	pmb_ok record --data -e page-faults -c 1 -o "$T/texts.pb.gz" -- "$WORKLOADS/texts"
	pmb_ok report --json --layout std::string "$T/texts.pb.gz"
	expect_eq "$(jq -c '[.layouts[0] | .type, .size, .count]' "$T/out")" \
		'["std::string",32,100]' "as it is written"
	pmb report --layout Box "$T/p.pb.gz"
	expect_eq "$rc" 2 "exit status where several are called so"
	expect_match "$T/err" "'Box': which one, .*shapes::Box<long" "which ones there are"
}

t_layout_is_not_there() {
	pmb report --layout recrod "$S/members.pb.gz"
	expect_eq "$rc" 2 "exit status of an unknown type"
	expect_match "$T/err" "'recrod'.* it has .*struct record" "which types there are"
	pmb report --layout record --by member "$S/members.pb.gz"
	expect_eq "$rc" 2 "exit status with rows"
	without_data
	pmb report --layout record "$S/plain.pb.gz"
	expect_match "$T/err" 'record --data' "what to do"
}

# As distributions have it: the types are in another file.
t_members_of_a_debug_file() {
	cp "$WORKLOADS/members" "$T/program"
	objcopy --only-keep-debug "$T/program" "$T/program.debug"
	strip "$T/program"
	(cd "$T" && objcopy --add-gnu-debuglink=program.debug program)
	pmb_ok record --data -e page-faults -c 1 --by data_object,data_type,member -o "$T/folded" \
		-- "$T/program"
	expect_ge "$(folded_sum_of "$T/folded" '^points;struct record\[\];pos.y;')" 50 \
		"faults of the member"
	rm "$T/program.debug"
	pmb_ok record --data -e page-faults -c 1 --by data_object,data_type,member -o "$T/folded" \
		-- "$T/program"
	expect_match "$T/folded" '^\[program\];\(no debug information\);\[no member\];' \
		"without DWARF"
	expect_match "$T/err" "no debug information: .*$T/program \([0-9]* samples\)" "which file"
}

# Of the programs in $T/made all are recorded at once: each is told by its name.
recorded_at_once() { # LABELS
	# shellcheck disable=SC2016 # the inner shell's
	pmb_ok record --budget 0 -m 16M --data -e page-faults -c 1 --by "$1" -o "$T/folded" \
		--summary "$T/sum.json" -- \
		sh -c 'for program in "$0"/made/*; do
			"$program" >"$0/out-${program##*/}" || exit
		done' "$T"
	expect_ledger
	expect_eq "$(sum_get '.events[0].kernel.dropped.ring_full')" 0 "that found no room"
}

# Faults of a program's touch_ functions, as "FUNCTION;TYPE;MEMBER NUMBER" in seen, and what it says
# of itself in known. Types of numbers are called differently.
touched_by() { # NAME OUTPUT
	sed -n 's/^\(touch_[^ ]*\) \(.*\) \([^ ]*\)$/\1;\2;\3 50/p' "$2" |
		sed 's/;-;/;(no type);/; s/;- 50/;[no member] 50/' | sort >"$T/known"
	local function='\(.*[;:]\)\?\(touch_[a-z]*\)\([;_(.].*\)*'
	sed -n "s/^\([^;]*;[^;]*\);validated;$1;$function /\3;\1 /p" \
		"$T/folded" | sed 's/long int/long/' |
		awk '{ n[substr($0, 1, length($0) - length($NF) - 1)] += $NF }
			END { for (what in n) print what, n[what] }' | sort >"$T/seen"
}

touched() { # PROGRAM
	pmb_ok record --data -e page-faults -c 1 --by data_type,member,data_class -o "$T/folded" \
		--summary "$T/sum.json" -- "$1"
	touched_by "${1##*/}" "$T/out"
}

same_objects() { # WHAT
	expect_ge "$(wc -l <"$T/known")" 5 "$1: lines of the program"
	expect_eq "$(comm -3 "$T/known" "$T/seen")" "" "$1: faults by type and member that differ"
}

# Objects without a name: by the pointers to them.
t_types_of_objects() {
	need_decoder
	local program
	mkdir "$T/made"
	cp "$WORKLOADS"/{shapes,classes,texts,trails} "$T/made"
	recorded_at_once data_type,member,data_class
	for program in shapes classes texts trails; do
		touched_by "$program" "$T/out-$program"
		same_objects "$program"
	done
	objcopy --only-keep-debug "$WORKLOADS/shapes" "$T/program.debug"
	strip -o "$T/program" "$WORKLOADS/shapes"
	(cd "$T" && objcopy --add-gnu-debuglink=program.debug program)
	touched "$T/program"
	expect_match "$T/folded" '^struct node;pos.y;validated;' "of a debug file"
	rm "$T/program.debug"
	touched "$T/program"
	expect_no_match "$T/folded" '^struct (node|wide)' "without DWARF"
}

# Go's functions are in its own table, and its DWARF says what registers have.
t_types_of_go() {
	need_decoder
	command -v go >/dev/null || skip "no go"
	cat >"$T/touch.go" <<-GO
		package main

		type Body struct {
			id   int64
			pos  struct{ x, y float64 }
			room [8192]byte
			next *Body
			mass float64
		}

		var table [50]Body
		var kept int64

		//go:noinline
		func say() { kept++ }

		//go:noinline
		func touchGlobal(i int) { table[i].mass = 1 }

		//go:noinline
		func touchPointer(b *Body) { b.mass = 2 }

		//go:noinline
		func touchSlice(all []Body, i int) { all[i].pos.y = 3 }

		//go:noinline
		func touchLink(b *Body) { say(); b.next.mass = 4 }

		//go:noinline
		func touchSpilled(all []Body, i int) { say(); all[i].pos.x = 5 }

		func main() {
			pointed, sliced := make([]Body, 50), make([]Body, 50)
			linked, spilled := make([]Body, 50), make([]Body, 50)
			for i := range table {
				touchGlobal(i)
				touchPointer(&pointed[i])
				touchSlice(sliced, i)
				touchLink(&Body{next: &linked[i]})
				touchSpilled(spilled, i)
			}
		}
	GO
	HOME=$T GO111MODULE=off go build -o "$T/touch" "$T/touch.go" 2>"$T/err" ||
		skip "go builds nothing here"
	pmb_ok record --data -e page-faults -c 1 --by data_object,data_type,member,data_class \
		-o "$T/folded" --summary "$T/sum.json" -- "$T/touch"
	expect_ledger
	expect_eq "$(class contradicted)" 0 "contradicted"
	# two objects of them may begin on one page
	expect_ge "$(of_go 'table;main.Body\[\];mass' Global)" 40 "a global's"
	expect_ge "$(of_go '[^;]*;main.Body;mass' Pointer)" 40 "by a pointer"
	expect_ge "$(of_go '[^;]*;main.Body;pos.y' Slice)" 40 "of a slice"
	expect_ge "$(of_go '[^;]*;main.Body;mass' Link)" 40 "by a link"
	expect_ge "$(of_go '[^;]*;main.Body;pos.x' Spilled)" 40 "of a slice that was spilled"
	grep -E ';main\.touch' "$T/folded" | grep -vE '_\[k\]' |
		grep -vE '^[^;]*;main.Body(\[\])?;(mass|pos.[xy]|id);validated;' >"$T/other" || :
	expect_eq "$(cat "$T/other")" "" "anything else"
}

# Go's threads have their stacks, and what they are known by, on the heap, amid all else.
t_no_stacks_of_go() {
	command -v go >/dev/null || skip "no go"
	cat >"$T/touch.go" <<-GO
		package main

		import (
			"runtime"
			"sync"
		)

		type Body struct {
			room [8192]byte
			mass float64
		}

		//go:noinline
		func touchPointer(b *Body) { b.mass = 2 }

		func main() {
			var all sync.WaitGroup
			for t := 0; t < 8; t++ {
				all.Add(1)
				go func() {
					runtime.LockOSThread()
					bodies := make([]Body, 100)
					for i := range bodies {
						touchPointer(&bodies[i])
					}
					all.Done()
				}()
			}
			all.Wait()
		}
	GO
	HOME=$T GO111MODULE=off CGO_ENABLED=0 go build -o "$T/touch" "$T/touch.go" 2>"$T/err" ||
		skip "go builds nothing here"
	pmb_ok record -m 16M --data -e page-faults -c 1 --by data_segment -o "$T/folded" -- \
		"$T/touch"
	expect_ge "$(folded_sum_of "$T/folded" '^anonymous;.*main\.touchPointer')" 800 "of the heap"
	expect_eq "$(folded_sum_of "$T/folded" '^thread_stack;')" 0 "of the heap, called a stack"
}

# A reference is a pointer that is called otherwise.
t_references() {
	local name
	need_decoder
	need_breakpoints
	need_program g++
	cat >"$T/references.cc" <<-CXX
		struct node { long value; };
		static node all[2] = {{1}, {2}};
		static node &pick(int i) { return all[i]; }
		node &one = pick(0);
		node &&other = static_cast<node &&>(pick(1));
		int main()
		{
			long s = 0;
			for (int i = 0; i < 100; i++)
				s += one.value * other.value;
			return s != 200;
		}
	CXX
	g++ -O0 -g -no-pie -o "$T/references" "$T/references.cc" || fail "it doesn't compile"
	for name in one other; do
		nm "$T/references" | awk -v name=$name '$3 == name { print "0x" $1 }' >"$T/addr"
		pmb_ok record --data --by data_type -e "mem:$(cat "$T/addr")/8:rw:u" -c 1 \
			-o "$T/folded-$name" -- "$T/references"
	done
	expect_eq "$(folded_sum_of "$T/folded-one" '^node &;')" 101 "loads and a store of one"
	expect_eq "$(folded_sum_of "$T/folded-other" '^node &&;')" 101 "of the other one"
}

of_go() { # WHAT FUNCTION
	folded_sum_of "$T/folded" "^([a-z]*\.)?$1;validated;.*main\.touch$2"
}

# What compilers make of the same is not the same. Without optimization a pointer is loaded from the
# frame each time.
t_types_of_objects_by_compiler() {
	need_decoder
	local how i compiler hows=("gcc -gdwarf-4 -O2" "gcc -gdwarf-5 -O3" "gcc -gdwarf-5 -Os")
	hows+=("clang -gdwarf-4 -O2" "clang -gdwarf-5 -O2")
	hows+=("gcc -gdwarf-4 -fdebug-types-section -O2" "gcc -gdwarf-5 -fdebug-types-section -O2")
	hows=("${hows[@]/%/ shapes}" "${hows[@]/%/ trails}")
	hows+=("gcc -O0 -g trails" "clang -O0 -g trails")
	mkdir "$T/made"
	for i in "${!hows[@]}"; do
		how=${hows[i]}
		compiler=${how%% *}
		command -v "$compiler" >/dev/null || continue
		${how% *} -D_GNU_SOURCE -o "$T/made/p$i" \
			"$TOP/tests/workloads/${how##* }.c" || fail "$how"
	done
	recorded_at_once data_type,member,data_class
	for i in "${!hows[@]}"; do
		[ -e "$T/made/p$i" ] || continue
		touched_by "p$i" "$T/out-p$i"
		# nothing that isn't so
		expect_eq "$(grep -v ';(no type);' "$T/seen" | comm -13 "$T/known" -)" "" \
			"${hows[i]}: not so"
		expect_ge "$(comm -12 "$T/known" "$T/seen" | wc -l)" 8 \
			"${hows[i]}: of 9 or 10, known"
	done
}

# Variables in frames, by their functions; one that something points to is an object of its type.
framed_by() { # NAME OUTPUT
	grep '^touch_' "$2" | sed 's/;-$/;[no member]/; s/$/ 50/' | sort >"$T/known"
	# but for pages of the stack that nobody has touched yet: what is neither named nor typed
	# there, and a loop's index, its end and a parameter that are in memory
	local function='\(.*[;:]\)\?\(touch_[a-z_]*\)\([;_(.].*\)*'
	sed -n "s/^\([^;]*;[^;]*;[^;]*\);validated;$1;$function /\3;\1 /p" \
		"$T/folded" | grep -v ';\[[a-z ]*\];(no type);' |
		grep -v '::\([in]\|size\);[a-z_ ]*;\[no member\] ' |
		awk '{ n[substr($0, 1, length($0) - length($NF) - 1)] += $NF }
			END { for (what in n) print what, n[what] }' | sort >"$T/seen"
}

framed() { # PROGRAM
	pmb_ok record --data -e page-faults -c 1 --by data_object,data_type,member,data_class \
		-o "$T/folded" -o "$T/p.pb.gz" --summary "$T/sum.json" -- "$1"
	framed_by "${1##*/}" "$T/out"
}

t_variables_in_frames() {
	need_decoder
	framed "$WORKLOADS/frames"
	expect_ledger
	expect_eq "$(class contradicted)" 0 "contradicted"
	same_objects frames
	layout_rows 'struct other' "$T/p.pb.gz"
	expect_eq "$(cut -d' ' -f3- "$T/rows")" '50 sums[]' "samples of members"
	objcopy --only-keep-debug "$WORKLOADS/frames" "$T/program.debug"
	strip -o "$T/program" "$WORKLOADS/frames"
	(cd "$T" && objcopy --add-gnu-debuglink=program.debug program)
	framed "$T/program"
	expect_match "$T/folded" '^touch_local::all;struct page\[\];pos.y;' "of a debug file"
}

# A parameter whose address clang keeps in no variable isn't known at -O0.
t_variables_in_frames_by_compiler() {
	need_decoder
	local how i compiler hows=("gcc -gdwarf-4 -O0" "gcc -gdwarf-5 -O2" "gcc -gdwarf-4 -Os")
	hows+=("clang -gdwarf-4 -O0" "clang -gdwarf-5 -O2" "clang -gdwarf-5 -O0")
	hows+=("gcc -gdwarf-4 -fdebug-types-section -O2")
	mkdir "$T/made"
	for i in "${!hows[@]}"; do
		how=${hows[i]}
		compiler=${how%% *}
		command -v "$compiler" >/dev/null || continue
		$how -D_GNU_SOURCE -o "$T/made/p$i" "$TOP/tests/workloads/frames.c" -lpthread ||
			fail "$how"
	done
	recorded_at_once data_object,data_type,member,data_class
	for i in "${!hows[@]}"; do
		[ -e "$T/made/p$i" ] || continue
		framed_by "p$i" "$T/out-p$i"
		expect_eq "$(comm -13 "$T/known" "$T/seen")" "" "${hows[i]}: not so"
		expect_ge "$(comm -12 "$T/known" "$T/seen" | wc -l)" 10 \
			"${hows[i]}: of 11, known"
	done
}

class() { # CLASS [EVENT]
	sum_get ".events[${2:-0}].user.data.classes.$1"
}

need_decoder() {
	[ "$(uname -m)" = x86_64 ] || skip "instructions are decoded on x86-64 only"
}

# A fault is of the instruction that it interrupts: each is checked, and none is otherwise.
t_faults_are_validated() {
	need_decoder
	objects data_class
	expect_eq "$(sum_get '.events[0].user.data.classes.contradicted' "$S/objects.json")" 0 \
		"faults elsewhere than the instruction says"
	printf 'validated 400\n' >"$T/known"
	expect_eq "$(comm -3 "$T/known" "$T/seen")" "" "faults by class that differ"
	objects data_access
	printf 'store 400\n' >"$T/known"
	expect_eq "$(comm -3 "$T/known" "$T/seen")" "" "faults by access that differ"
}

# The same, of programs that nobody made for it: instructions, loads and stores of all kinds.
t_faults_of_other_programs() {
	need_decoder
	local program
	pmb_ok record --budget 0 -m 16M --data -e page-faults -c 1 --by data_class -o "$T/folded" \
		--summary "$T/sum.json" -- sh -c 'exec >/dev/null
			ls -lR /usr/include/linux; echo $((6*7)) | wc; perl -e "print 1..9999"'
	expect_ledger
	expect_eq "$(class contradicted)" 0 "contradicted"
	for program in ls wc perl; do
		expect_ge "$(folded_sum_of "$T/folded" "^validated;$program;")" 50 \
			"$program: validated"
	done
}

# By function: of how many ns FUNCTION is about OBJECT;TYPE;MEMBER, a regular expression.
about() { # FUNCTION WHAT
	folded_sum_of "$T/folded" "^$2;.*;$1\$"
}

# Nothing of a clock is validated. Loads through the pointer that they overwrite are known as such,
# and stores through one that stays are candidates; neither is the other's. What candidates are
# taken for says so, and is nothing else than what is there; nothing has a layout.
t_clocks_are_candidates() {
	need_decoder
	local few=$((5 * 1000003)) any='[^;]*;[^;]*;[^;]*' none='\[no data_object\]'
	pmb_ok record --data -e cpu-clock:u -c 1000003 \
		--by data_object,data_type,member,data_class,data_access \
		-o "$T/folded" -o "$T/p.pb.gz" --summary "$T/sum.json" -- "$WORKLOADS/misses" 0.4
	expect_ledger
	expect_eq "$(class validated)" 0 "validated"
	expect_eq "$(class contradicted)" 0 "contradicted"
	expect_eq "$(sum_get '.events[0].user.data.with_address')" 0 "addresses that a clock brings"
	# each call begins with a push and ends with a pop, amid thousands of the others
	expect_le "$(folded_sum_of "$T/folded" "^$any;[^;]*;store;.*;chase\$")" $few \
		"stores of the chase, ns"
	expect_le "$(folded_sum_of "$T/folded" "^$any;[^;]*;load;.*;fill\$")" $few \
		"loads of the stores, ns"
	expect_ge "$(about chase "$any;register_lost;load")" 1 "its loads"
	expect_ge "$(about fill "$any;candidate;store")" 1 "stores"
	expect_ge "$(about chase "$none;struct node \(candidate\);next \(candidate\)")" 1 \
		"the links of the chase"
	expect_ge "$(about fill 'words \(candidate\);[^;]*\[\] \(candidate\);\[no member\]')" 1 \
		"the words of the stores"
	grep -vE "^$none;(struct node \(candidate\);next|\[no data_type\];\[no)" "$T/folded" |
		grep -v '^words (candidate);' >"$T/other" || :
	expect_le "$(folded_sum_of "$T/other" "^$any;.*;(chase|fill)\$")" $few "anything else, ns"
	expect_no_match <(grep -oE "^$any" "$T/folded" | tr ';' '\n') '^[^[].*[^)]$' "not marked"
	pmb report --layout node "$T/p.pb.gz"
	expect_eq "$rc" 2 "exit status of a layout of candidates"
	expect_match "$T/err" 'only candidates .* have members' "why"
}

# What is nearer, and behind a jump's target or a call, is not blamed.
t_candidates_are_no_decoys() {
	need_decoder
	local few=$((5 * 1000003))
	pmb_ok record --data -e cpu-clock:u -c 1000003 --by data_object,data_class \
		-o "$T/folded" --summary "$T/sum.json" -- "$WORKLOADS/decoys" 0.4
	expect_ledger
	expect_le "$(folded_sum_of "$T/folded" '^decoy')" $few "blamed on the decoy, ns"
	expect_ge "$(about behind_a_jump '\[no data_object\];branch_target')" 1 "behind a jump"
	expect_ge "$(about behind_a_call '\[no data_object\];blocked')" 1 "behind a call"
}

# Every sample of the event is in one of two columns, and in one class.
t_the_law() {
	expect_eq "$(jq '.events[0].user | ([.data.classes[]] | add) - .aggregated,
			.data.with_address + .data.without_address - .aggregated,
			.data.without_address' "$S/objects.json" | paste -sd ' ')" "0 0 0" \
		"Σ classes, with + without (both less all); faults without an address"
	expect_eq "$(jq '.events[0].user.data |
		([.types[]] | add) - .classes.validated - .classes.candidate, .types.padding' \
		"$S/members.json" | paste -sd ' ')" "0 50" "Σ types less validated; in the holes"
}

# The same parts, added up, of a recording that is cut all the time.
t_cut() {
	[ -x "$O/bench/pmubpf-cuts" ] || skip "build/bench/pmubpf-cuts is not built"
	export PMUBPF="$O/bench/pmubpf-cuts" CUT_MS=5
	pmb_ok record --data -e page-faults -c 1 --by data_object -o "$T/folded" \
		--summary "$T/sum.json" -- "$WORKLOADS/objects"
	expect_ledger
	by_label "$T/folded" touch data_object >"$T/seen"
	known_objects >"$T/known"
	expect_eq "$(comm -3 "$T/known" "$T/seen")" "" "faults by object that differ"
}

# Two threads that mean different words of a line are told from two that mean the same one, from one
# alone and from two that only read.
t_shared_lines() {
	need_decoder
	pmb_ok record --data -e page-faults -c 1 -o "$T/p.pb.gz" --summary "$T/sum.json" -- \
		"$WORKLOADS/sharing" 50
	expect_ledger
	"$PMUBPF" report --shared --by sharing,data_object,data_access --csv "$T/p.pb.gz" \
		>"$T/csv" || fail "report --shared: status $?"
	expect_rows '1,suspect of false sharing,100
2,apart,100
3,store,100
1,the same bytes are shared,100
2,same,100
3,store,100'
	"$PMUBPF" report --shared --label data_object=apart --by data_offset --csv "$T/p.pb.gz" \
		>"$T/csv"
	# of two that are as many, the one that came first stands first
	expect_eq "$(awk -F, 'NR > 1 { print $1, $3, $6 }' "$T/csv" | sort)" '1 16..23 50
1 8..15 50' "rows of both"
	"$PMUBPF" report --shared --label data_object=apart "$T/p.pb.gz" >"$T/text"
	expect_eq "$(grep -cE '^ 50\.00 +50 +50 +sharing [0-9]+$' "$T/text")" 2 "threads"
	expect_eq "$("$PMUBPF" report --shared --json "$T/p.pb.gz" |
		jq '[.rows[] | select(.name == "suspect of false sharing")] | length')" 1 "in JSON"
}

# Without a PMU, by a clock's candidates: two threads that count in one line, and in two.
t_sharing_of_candidates() {
	need_decoder
	local cc=${CC:-gcc}
	command -v "${cc##* }" >/dev/null || skip "no compiler"
	# a third of its work has samples enough
	sed 's/ROUNDS = [0-9]*/ROUNDS = 3000/' "$TOP/examples/sharing.c" >"$T/sharing.c"
	expect_match "$T/sharing.c" 'ROUNDS = 3000 ' "how much it does"
	$cc -O2 -g -pthread -o "$T/together" "$T/sharing.c" || fail "it doesn't compile"
	$cc -O2 -g -pthread -DAPART -o "$T/apart" "$T/sharing.c"
	pmb_ok record --data -e cpu-clock -o "$T/p.pb.gz" -- "$T/together"
	"$PMUBPF" report --shared --by sharing,data_object,member --csv "$T/p.pb.gz" >"$T/csv" ||
		fail "report --shared: status $?"
	expect_eq "$(awk -F, '$1 < 3 { print $1, $3 }' "$T/csv" | sort -u)" \
		"1 suspect of false sharing (candidate)
2 counters (candidate)" "what is suspected"
	expect_match "$T/csv" '^3,[^,]*,words \(candidate\),' "a member"
	expect_match "$T/csv" '^3,[^,]*,odd \(candidate\),' "the other one"
	pmb_ok record --data -e cpu-clock -o "$T/p.pb.gz" -- "$T/apart"
	"$PMUBPF" report --shared --by sharing,data_object --csv "$T/p.pb.gz" >"$T/csv"
	expect_no_match "$T/csv" 'shar(ed|ing)' "lines"
}

expect_rows() { # LEVEL,NAME,COUNT of each row
	expect_eq "$(awk -F, 'NR > 1 { print $1 "," $3 "," $6 }' "$T/csv")" "$1" "rows"
}

t_nothing_is_shared() {
	need_decoder
	"$PMUBPF" report --shared "$S/objects.pb.gz" >"$T/text" || fail "report --shared: status $?"
	expect_no_match "$T/text" 'shar(ed|ing)$' "lines"
}

t_shared_needs_data() {
	without_data
	! "$PMUBPF" report --shared "$S/plain.pb.gz" >"$T/text" 2>"$T/err" || fail "it reported"
	expect_match "$T/err" 'record --data' "what to do"
}

t_a_watched_variable() {
	local addr
	need_breakpoints
	addr=$(nm "$WORKLOADS/watch" | awk '$3 == "watched" { print "0x" $1 }')
	pmb_ok record --data -e "mem:$addr/8:w" \
		--by data_object,data_segment,data_class,data_access \
		-o "$T/folded" --summary "$T/sum.json" -- "$WORKLOADS/watch" 1000
	expect_ledger
	[ "$(uname -m)" != x86_64 ] ||
		expect_eq "$(folded_sum_of "$T/folded" '^[^;]*;[^;]*;validated;store;')" 1000 \
			"validated"
	expect_eq "$(folded_sum_of "$T/folded" '^watched;program;')" 1000 "stores to it"
	expect_eq "$(folded_sum "$T/folded")" 1000 "all samples"
}

# One is there before, while it is tried whether breakpoints are met.
watches_four() { # PID
	[ "$(find "/proc/$1/fd" -lname 'anon_inode:\[perf_event\]' 2>/dev/null | wc -l)" -ge 4 ]
}

# Watches four members of a running program while it touches them: NAME SEED. In the background.
watch_members() {
	local watched
	mkfifo "$T/$1.in"
	"$T/made/$1" "$2" 20 <"$T/$1.in" >"$T/$1.out" &
	local program=$! recorder
	exec 7>"$T/$1.in"
	wait_until grep -q . "$T/$1.out" # all four at once
	watched=$(awk '{ printf "%smem:%s/%s:rw", (NR > 1 ? "," : ""), $1, $2 }' "$T/$1.out")
	"$PMUBPF" record --data --budget 0 -m 4M -c 1 -e "$watched" -p $program \
		--by data_object,data_type,member,data_class -o "$T/$1.folded" \
		2>"$T/$1.err" 7>&- & # the program's input ends with this shell's
	recorder=$!
	wait_until watches_four $recorder
	# some of these lines are its own trials' time, beside others
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		sleep 0.2
		echo >&7
	done
	exec 7>&-
	wait $recorder
}

# Samples, those of the right object, those validated that have a type, those of the right member,
# those contradicted.
watched_members() { # NAME
	awk 'NR == FNR {
			object = $3; type = $3 == "[heap]" ? "struct record" : "struct record[]"
			want["mem:" $1 "/" $2 ":rw"] = object ";" type ";" $NF
			next
		}
		{
			split($0, part, ";")
			w = want[part[1]]
			n[part[5]] += $NF
			all += $NF
			if (index(w, part[2] ";") == 1) object_right += $NF
			if (part[5] != "validated" || part[3] == "(no type)") next
			typed += $NF
			if (part[2] ";" part[3] ";" part[4] == w) right += $NF
		}
		END {
			print all + 0, object_right + 0, typed + 0, right + 0, n["contradicted"] + 0
		}' "$T/$1.out" "$T/$1.folded"
}

# Members of objects whose address is known, at random, by breakpoints: the object always, no
# instruction that addresses anything else, and no other member. SOAK=1: of all levels.
t_watched_members() {
	need_decoder
	need_breakpoints
	local how hows=({gcc,clang}\ -O{0,2}) i=0 seed=$RANDOM name all object typed right
	local contradicted sums=0
	[ "${SOAK:-0}" != 1 ] || hows+=({gcc,clang}\ -O{1,3})
	mkdir "$T/made"
	for how in "${hows[@]}"; do
		command -v "${how% *}" >/dev/null || continue
		# shellcheck disable=SC2086
		$how -g -D_GNU_SOURCE "$TOP/tests/workloads/lookout.c" -o "$T/made/p$i" &&
			echo "$how" >"$T/p$i.how" || fail "$how"
		i=$((i + 1))
	done
	for name in "$T"/made/*; do
		watch_members "${name##*/}" $seed &
	done
	wait
	for name in "$T"/made/*; do
		name=${name##*/}
		[ -s "$T/$name.folded" ] || fail "seed $seed: $(tail -n 1 "$T/$name.err")"
		read -r all object typed right contradicted < <(watched_members "$name")
		how="$(cat "$T/$name.how"), seed $seed"
		expect_ge "$all" 300 "$how: samples"
		expect_eq "$((all - object)) $contradicted $((typed - right))" "0 0 0" \
			"$how: of another object, contradicted, of another member"
		sums=$((sums + right))
	done
	expect_ge "$sums" $((i * 200)) "seed $seed: members that are right"
}

# A variable of a library, by .dynsym where there is no more.
t_a_variable_of_a_library() {
	pmb_ok record --data -e page-faults -c 1 --by data_object -o "$T/folded" -- /bin/true
	expect_match "$T/folded" '^(_IO_|_nl_|__|_rtld_|std)[^;]*;true;' "a variable of libc"
}

t_saved_and_reported() {
	pmb_ok report --by data_object,data_segment "$S/objects.pb.gz"
	expect_match "$T/out" '100 +100 +in_bss$' "the object"
	expect_match "$T/out" '100 +100 +program$' "its segment"
	pmb_ok report --by data_source "$S/objects.pb.gz"
}

# Folded lines begin with data, as the recording writes them and as a report does of what it has
# saved.
t_folded_rooted_in_data() {
	local by=$MEMBERS_BY class=validated profile=$S/members.pb.gz
	[ "$(uname -m)" = x86_64 ] || class=address_only
	tail -n +2 "$S/members.out" | sed 's/ \([^ ]*\)$/;\1/; s/ /;/; s/;-$/;[no member]/' |
		sed "s/$/;$class 50/" | sort >"$T/known"
	pmb_ok report --by "$by" -o "$T/again.folded" "$profile"
	expect_eq "$(diff "$S/members.folded" "$T/again.folded" | head -n 4)" "" \
		"what report folds differs"
	by_label "$T/again.folded" touch "$by" | sed 's/^inside[^;]*;/inside;/' | sort >"$T/seen"
	expect_eq "$(comm -3 "$T/known" "$T/seen")" "" "faults by data that differ"
	pmb_ok report --folded "$profile"
	expect_eq "$(folded_sum "$T/again.folded")" "$(folded_sum "$T/out")" "the sum without data"
	[ -z "$(flamegraph_path)" ] || {
		perl "$(flamegraph_path)" "$T/again.folded" >"$T/svg" || fail "flamegraph.pl"
		expect_match "$T/svg" '<title>keys \(50 samples, ' "in flamegraph.pl's picture"
	}
}

# Names of data forge neither frames nor lines.
t_hostile_names_of_data_folded() {
	local pages=${PAGES:-$O/tests/page/pages}
	[ -x "$pages" ] || make -s -C "$TOP" O="$O" "$pages" >"$T/err" 2>&1 ||
		fail "tests/page/pages can't be built"
	cat >"$T/made" <<-'STACKS'
		a-1/1&data_object=x\x3by 9\x0a&member=\x1b[31m\xff\&data_class=validated;main 10
		a-1/1&data_object=[heap]&data_type=t;main 20
		a-1/1&data_object=[no data_object]&member=[no member];main 30
	STACKS
	"$pages" pprof "$T/made" >"$T/p.pb.gz" || fail "no profile"
	pmb_ok report --folded -e work --by data_object,member,data_class "$T/p.pb.gz"
	expect_eq "$(cat "$T/out")" '[heap];[no member];[no data_class];a;main 20
\x5bno data_object];\x5bno member];[no data_class];a;main 30
x\x3by 9\x0a;\x1b[31m\xff\x5c;validated;a;main 10' "the lines"
}

t_by_of_folded_is_labels() {
	local by
	without_data
	for by in function module line event data_object,class nonsense; do
		pmb report --folded --by "$by" "$S/plain.pb.gz"
		expect_eq "$rc" 2 "exit status of --by $by"
	done
	pmb report --html --by data_object -o "$T/x.html" "$S/plain.pb.gz"
	expect_eq "$rc" 2 "exit status with --html"
	expect_match "$T/err" '--by is for rows' "why"
	pmb_ok report --folded --by process,data_object "$S/plain.pb.gz"
	expect_match "$T/out" '^pid [0-9]+;\[no data_object\];objects;' "labels that aren't there"
}

t_nothing_unless_asked() {
	without_data
	expect_eq "$(sum_get '.events[0].user.data.with_address' "$S/plain.json")" 0 \
		"with an address"
	pmb report --by data_object "$S/plain.pb.gz"
	expect_match "$T/out" 'no data_object' "there is no such label"
}

t_events_without_data() {
	pmb record --data -e context-switches -- /bin/true
	expect_eq "$rc" 2 "exit status"
	expect_match "$T/err" 'page-faults, alignment-faults and breakpoints' "which ones do"
}

# With --addr the address itself stands beside.
t_with_addresses() {
	pmb_ok record --data --addr -e page-faults -c 1 --by data_object -o "$T/folded" -- \
		"$WORKLOADS/objects"
	expect_eq "$(grep -c '^in_bss;objects;.*;touch;\[0x[0-9a-f]*\] 1$' "$T/folded")" 100 \
		"faults of in_bss with an address"
}

run_tests
