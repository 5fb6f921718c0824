# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What data overflows are about, where it isn't x86-64: faults, arm64's watchpoints, which interrupt
# before the access, riscv64's counter of TLB misses, which interrupts where QEMU looks for
# interrupts: where a jump leads. Without -icount, as dtlb.sh.
#
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

# Samples whose folded lines begin so.
with() { # KEYS
	awk -v keys="$1;" 'index($0, keys) == 1 { n += $NF } END { print n + 0 }' $T/folded
}

t_members_of_faults() {
	pmb_record --data --by data_object,data_type,member,data_class -e page-faults -c 1 -- \
		$W/members
	expect_ledger
	for what in 'keys;struct record[];key[]' 'bits;struct record[];high' \
		'bases;struct record[];whole.id' 'holes;struct record[];(padding)'; do
		expect_eq "$(with "$what;validated")" 50 "$what, validated"
	done
	! grep -q ';contradicted;' $T/folded || fail "$(grep -m 1 ';contradicted;' $T/folded)"
}

# A program says which types and members its functions touch, in 50 pages each: all of it is known,
# but for MISSING functions, and nothing else is said.
types_of() { # PROGRAM [MISSING]
	pmb_record --data --by data_type,member,data_class -e page-faults -c 1 -- $W/$1
	expect_ledger
	awk -v typed=$T/typed-$1 -v missing=" ${2:-} " '
		FNR == 1 { file++ }
		file == 1 && /^touch_/ && $2 != "-" {
			line = $1 ";" $2
			for (i = 3; i < NF; i++)
				line = line " " $i
			if ($NF != "-")
				line = line ";" $NF
			known[line] = 1
		}
		file == 2 && match($0, /;touch_[a-z]*/) {
			by = substr($0, RSTART + 1, RLENGTH - 1)
			split($0, label, ";")
			gsub("long int", "long", label[1])
			if (label[1] ~ /^[[(]/)
				next
			line = by ";" label[1] (label[2] ~ /^\[/ ? "" : ";" label[2])
			if (label[3] != "validated" || !(line in known))
				print "otherwise: " $0
			seen[line] += $NF
		}
		END {
			for (line in known) {
				n += seen[line]
				split(line, part, ";")
				if (seen[line] != 50 && !index(missing, " " part[1] " "))
					print line ": " seen[line] + 0
			}
			print n + 0 >typed
		}' $T/out $T/folded >$T/wrong
	[ ! -s $T/wrong ] || fail "$1: $(head -n 5 $T/wrong | tr '\n' ',')"
}

t_types_of_objects() {
	local missing=
	# there the pointer is gone, of which an element was made
	[ "$(uname -m)" != riscv64 ] || missing="touch_element touch_tail touch_list touch_array"
	types_of shapes "$missing"
	types_of trails "$missing"
	figure "objects typed: $(cat $T/typed-shapes) and $(cat $T/typed-trails)"
}

t_watched_members() {
	local at keys=data_object,member,data_class,data_access
	[ "$(uname -m)" = aarch64 ] || skip "there are no breakpoints here"
	at=$(cat $W/target.addr)
	pmb_record --data --by $keys -e "mem:$at/8:r" -- $W/struck 0.1
	expect_eq "$(with 'target;read;validated;load')" 1 "loads of read"
	pmb_record --data --by $keys -e "mem:$((at + 8))/8:w" -- $W/struck 0.1
	expect_eq "$(with 'target;written;validated;store')" 1 "stores to written"
	pmb_record --data --by $keys -e "mem:$(cat $W/watch.addr)/8:w" -- $W/watch 1000
	expect_ledger
	expect_eq "$(with 'watched;[no member];validated;store')" 1000 "stores to watched"
}

t_a_nearer_load_is_not_blamed() {
	[ "$(uname -m)" = riscv64 ] || skip "there is no counter of TLB misses here"
	pmb_record --data --by data_class,data_object -e dtlb-miss -c 997 -- $W/nearer
	expect_ledger
	figure "branch target: $(with branch_target) of $(folded_sum '.')"
	expect_ge "$(with branch_target)" 50 "samples at the loop's head"
	expect_eq "$(with validated)" 0 "validated, without an address"
	! grep -q 'decoy' $T/folded || fail "blamed: $(grep -m 1 decoy $T/folded)"
}

run_tests
